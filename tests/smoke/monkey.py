"""A monkey at the real window: a random walk with mouse and keys that can be repeated.

    python tests/smoke/monkey.py --steps 10000 --seed 1 [--platform xcb|offscreen]

It ends with 1 at the first crash, traceback, banner that names a fault of the program, or window
that does not answer for two seconds (``--answers-within``), and prints the seed and the last steps.
The window runs in a process and a home folder of its own; when the monkey closes it, another one is
started.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from odd_files import make_files

HERE = Path(__file__).resolve().parent
STEPS_WITHIN = 300.0
"""Seconds without a step after which the walk counts as one that stands still."""
SCREEN = {"name": "none", "x": 0, "y": 0, "width": 1920, "height": 1200,
          "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}  # fmt: skip
"""Without a window system Qt imagines a screen of 800 by 800."""
STOP = """
from ppworkbench.fieldwork.collector.serving import running_servers, stop_listed

for one in running_servers():
    stop_listed(one)
"""
LOCALES = ("C.UTF-8", "en_US.UTF-8", "pl_PL.UTF-8")


@dataclass
class Record:
    """What was done and seen, over all windows of a walk."""

    steps: int = 0
    windows: int = 0
    seconds: float = 0.0
    fault: str = ""
    last: list[str] = field(default_factory=list)
    seen: dict[str, Counter[str]] = field(default_factory=dict)

    def read(self, lines: list[str]) -> str:
        """Add what a window wrote; the last thing that it did."""
        kind = ""
        for line in lines:
            kind, _, rest = line.partition(" ")
            words = json.loads(rest)
            if kind in ("step", "fault", "gone"):
                self.last = [*self.last[-29:], f"{kind} {words}"]
            if kind == "step":
                self.steps = int(words.split()[0])
            elif kind == "fault":
                self.fault = words
            self.seen.setdefault(kind, Counter())[words] += kind != "step"
        return kind


class Silence:
    """For how long a window has not answered; what a busy machine adds to it does not count."""

    def __init__(self, process: int, servers: Sequence[int] = ()) -> None:
        self._process, self._servers = str(process), servers
        self._beat, self._since, self._before = b"", time.monotonic(), self._threads()

    def _threads(self) -> dict[str, tuple[float, float]]:
        """The seconds that each thread has run and waited to run, where the system tells.

        The window waits for the threads of its screen as it does for its own.
        """
        threads = {}
        for process in (self._process, *self._servers):
            with suppress(OSError):
                for task in Path(f"/proc/{process}/task").iterdir():
                    ran, waited, _ = (task / "schedstat").read_text().split()
                    threads[task.name] = int(ran) / 1e9, int(waited) / 1e9
        return threads

    def seconds(self, beat: bytes) -> float:
        """How long it has been since the last beat, when the latest is this one."""
        now = time.monotonic()
        if beat != self._beat:
            self._beat, self._since, self._before = beat, now, self._threads()
            return 0.0
        silent = now - self._since
        spent = {name: self._spent(name, times) for name, times in self._threads().items()}
        ran, waited = spent.pop(self._process, (0.0, 0.0))
        # It may have waited for another thread, which in turn waited for a processor.
        blocked = silent - ran - waited - sum(waited for _, waited in spent.values())
        return ran + max(blocked, 0.0)

    def _spent(self, name: str, times: tuple[float, float]) -> tuple[float, float]:
        ran, waited = self._before.get(name, (0.0, 0.0))
        return times[0] - ran, times[1] - waited


@contextmanager
def screen(platform: str) -> Iterator[tuple[dict[str, str], Sequence[int]]]:
    """The surroundings of a window: none, or a virtual screen of its own with a window manager.

    With them come the processes that the window waits for.
    """
    if platform == "offscreen":
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(json.dumps({"screens": [SCREEN]}))
            file.flush()
            yield {"QT_QPA_PLATFORM": f"offscreen:configfile={file.name}"}, ()
        return
    if shutil.which("Xvfb") is None:
        yield {"QT_QPA_PLATFORM": "xcb"}, ()
        return
    reader, writer = os.pipe()
    started = [
        subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1920x1200x24", "-nolisten", "tcp"],
            pass_fds=[writer], stderr=subprocess.DEVNULL,
        )
    ]  # fmt: skip
    os.close(writer)
    try:
        with os.fdopen(reader, encoding="ascii") as pipe:
            display = f":{pipe.readline().strip()}"
        if shutil.which("openbox") is not None:
            environment = os.environ | {"DISPLAY": display}
            started.append(
                subprocess.Popen(
                    ["openbox"],
                    env=environment,
                    stderr=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                )
            )
        surroundings = {"QT_QPA_PLATFORM": "xcb", "DISPLAY": display}
        yield surroundings, [process.pid for process in started]
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


class Walk:
    """One walk of so many steps, through as many windows as it takes."""

    def __init__(
        self,
        home: Path,
        given: argparse.Namespace,
        surroundings: dict[str, str],
        servers: Sequence[int],
    ) -> None:
        self._servers = servers
        self.home, self.seed, self.steps = home, given.seed, given.steps
        self._hands, self._answers_within = given.hands, given.answers_within
        self.random = random.Random(given.seed)
        self.files = make_files(home / "files")
        self.record = Record()
        self.used: dict[str, int] = {}
        self._environment = os.environ | surroundings | {
            "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1])]),
            "PYTHONHASHSEED": "0",
            "OPENBLAS_NUM_THREADS": "1",
        }  # fmt: skip
        for name in ("HOME", "DATA", "CONFIG", "CACHE", "STATE"):
            self._environment[name if name == "HOME" else f"XDG_{name}_HOME"] = str(home)

    def run(self) -> Record:
        """Walk to the end or to the first fault."""
        began = time.monotonic()
        try:
            while self.record.steps < self.steps and not self.record.fault:
                self.record.windows += 1
                self._run_window()
        finally:
            self._stop_collectors()
        self.record.seconds = time.monotonic() - began
        return self.record

    def _stop_collectors(self) -> None:
        """End the collectors that windows left running; they are listed in the walk's home."""
        subprocess.run(
            [sys.executable, "-c", STOP], env=self._environment, check=False, timeout=STEPS_WITHIN
        )

    def _run_window(self) -> None:
        number = self.record.windows
        log, beat, kept = (self.home / f"{name}-{number}" for name in ("log", "beat", "kept"))
        log.touch()
        beat.write_bytes(bytes(8))
        walk = {
            "seed": self.seed, "from": self.record.steps, "to": self.steps, "log": str(log),
            "beat": str(beat), "kept": str(kept), "home": str(self.home), "used": self.used,
            "files": [str(path) for path in self.files], "open": self._first_file(),
        }  # fmt: skip
        environment = self._environment | {"LANG": self.random.choice(LOCALES), "LC_ALL": ""}
        output = self.home / f"output-{number}"
        with output.open("wb") as stream:
            process = subprocess.Popen(
                [sys.executable, self._hands, json.dumps(walk)],
                env=environment, stdout=stream, stderr=stream, cwd=self.home / "files",
            )  # fmt: skip
            try:
                self._watch(process, log, beat)
            finally:
                if process.poll() is None:
                    process.kill()
                process.wait()
        printed = output.read_text(encoding="utf-8", errors="replace")
        code = process.returncode
        if not self.record.fault and (code or "Traceback" in printed):
            self.record.fault = f"The window ended with {code}."
        if self.record.fault:
            self.record.fault += f"\n{_shorten(printed)}"
        if kept.exists():
            self.used = json.loads(kept.read_text())

    def _first_file(self) -> list[str]:
        """What the file manager passes on, if anything; a folder is no file to open."""
        path = self.random.choice(self.files)
        return [str(path)] if path.is_file() and self.random.random() < 0.5 else []

    def _watch(self, process: subprocess.Popen[bytes], log: Path, beat: Path) -> None:
        """Follow what the window writes until it ends or hangs."""
        silence = Silence(process.pid, self._servers)
        latest = time.monotonic()
        with log.open(encoding="utf-8") as file:
            rest, is_closed = "", False
            while True:
                is_over = process.poll() is not None
                *lines, rest = (rest + file.read()).split("\n")
                if lines:
                    latest = time.monotonic()
                    is_closed = self.record.read(lines) in ("closed", "end") or is_closed
                if is_over:
                    return
                pulse = beat.read_bytes()
                begun = pulse != bytes(8)
                limit = self._answers_within
                if begun and not is_closed and silence.seconds(pulse) > limit:
                    self._hangs(process, f"The window does not answer for {limit} s.")
                elif time.monotonic() - latest > STEPS_WITHIN:
                    self._hangs(process, f"Nothing happens for {STEPS_WITHIN} s.")
                time.sleep(0.05)

    def _hangs(self, process: subprocess.Popen[bytes], words: str) -> None:
        """Let the window say where it is, and end it."""
        if self.record.fault:
            return
        self.record.fault = words
        if hasattr(signal, "SIGUSR1"):
            process.send_signal(signal.SIGUSR1)
            time.sleep(1)
        process.kill()


def _shorten(printed: str) -> str:
    """What the window printed, without what is the same after every crash."""
    lines = [
        line for line in printed.splitlines()
        if "<frozen importlib" not in line and not line.startswith("Extension modules")
    ]  # fmt: skip
    return "\n".join(lines if len(lines) < 150 else [*lines[:50], "…", *lines[-100:]])


def report(record: Record, platform: str, seed: int, steps: int) -> str:
    """What was reached, and what went wrong if anything did."""
    rate = record.steps / max(record.seconds, 1e-9)
    walked = f"{record.steps} steps in {record.seconds:.0f} s, {rate:.1f} per second"
    lines = [f"{walked}, in {record.windows} windows"]
    for kind, title in (
        ("page", "steps on each page"),
        ("dialog", "dialogs"),
        ("action", "actions"),
    ):
        lines.append(f"\n{title}")
        lines += [
            f"  {count:6} {name}" for name, count in record.seen.get(kind, Counter()).most_common()
        ]
    missed = sorted(set(record.seen.get("offered", ())) - set(record.seen.get("action", ())))
    lines.append(f"\nactions that were never chosen: {', '.join(missed) or 'none'}")
    controls, used = set(record.seen.get("control", ())), set(record.seen.get("used", ()))
    lines.append("\ncontrols used of those seen")
    places = Counter(name.split("/")[0] for name in controls)
    for place, count in places.most_common():
        touched = sum(name.split("/")[0] == place for name in used)
        lines.append(f"  {touched:6} of {count:4} {place}")
    told = record.seen.get("qt", Counter())
    if told:
        lines.append("\nwhat Qt complained about")
        lines += [f"  {count:6} {words}" for words, count in told.most_common(20)]
    if record.fault:
        lines += [
            "",
            "last steps",
            *(f"  {step}" for step in record.last),
            "",
            record.fault.strip(),
        ]
        command = f"--steps {steps} --seed {seed} --platform {platform}"
        lines.append(f"\nto repeat: python tests/smoke/monkey.py {command}")
    return "\n".join(lines)


def main() -> int:
    """Walk as told on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--platform", choices=("xcb", "offscreen"), default="offscreen")
    parser.add_argument("--keep", help="a new folder for its home, which stays")
    parser.add_argument("--hands", default=str(HERE / "monkey_hands.py"), help="the program to run")
    parser.add_argument("--answers-within", type=float, default=2.0, help="seconds")
    given = parser.parse_args()
    # So that the window ends with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(given.keep or folder) / "home"
        home.mkdir(parents=True)
        with screen(given.platform) as (surroundings, servers):
            record = Walk(home, given, surroundings, servers).run()
    sys.stdout.write(report(record, given.platform, given.seed, given.steps) + "\n")
    return 1 if record.fault else 0


if __name__ == "__main__":
    sys.exit(main())
