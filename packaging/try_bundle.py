"""Try a Debian package in a bare Debian system: python3 packaging/try_bundle.py PACKAGE.deb.

As root. The system is made with debootstrap in --root, and kept there for the next time if that is
named. The bundle is first started before anything is installed, then the package is installed and
used by an ordinary user who has no network, then it is removed. The screen is outside the system,
so that its libraries cannot stand in for some that the package forgot to ask for.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import Request, urlopen

from clean_root import CleanRoot
from virtual_screen import Picture, virtual_screen

Check = Callable[["Trial"], str]
CHECKS: list[Check] = []
WINDOW_SECONDS = 120
ASKED = {
    "format": "ppworkbench-design",
    "version": 1,
    "attributes": {
        "smokes": {
            "kind": "binary",
            "values": ["no", "yes"],
            "perturbation": {"type": "forced", "p_truth": 0.75},
        }
    },
}
"""A design that fits every target of a kit."""


class Trial:
    """A package, the clean system that it is tried in, and where pictures go."""

    def __init__(self, package: Path, root: CleanRoot, pictures: Path) -> None:
        self.package, self.root, self.pictures = package, root, pictures
        self.version = field(package, "Version")

    def workbench(self, *words: str) -> str:
        """What a command of the workbench prints."""
        return self.root.run("ppworkbench", *words).stdout

    def window(self, name: str, *files: str) -> Picture:
        """What the screen shows once the window has opened and does not change any more."""
        with virtual_screen() as screen:
            command = self.root.command("ppworkbench", *files, DISPLAY=screen.display)
            program = subprocess.Popen(
                command,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            try:
                shown = settled(screen.picture, program, WINDOW_SECONDS * self.root.patience)
            finally:
                # As the first process of its namespace it does not hear SIGTERM.
                os.killpg(program.pid, signal.SIGKILL)
                program.communicate()
        shown.save(self.pictures / f"{name}.png")
        return shown


def settled(
    look: Callable[[], Picture], program: subprocess.Popen[bytes], seconds: float
) -> Picture:
    """The picture that stays for five seconds and has more than a few colours."""
    end, shown, since = time.monotonic() + seconds, look(), time.monotonic()
    while time.monotonic() < end:
        time.sleep(0.5)
        assert program.poll() is None, f"the program ended: {program.communicate()[1].decode()}"
        now = look()
        if now != shown:
            shown, since = now, time.monotonic()
        elif time.monotonic() - since > 5 and shown.colours > 20:
            return shown
    raise AssertionError(f"no window within {seconds} s ({shown.colours} colours)")


def check(function: Check) -> Check:
    """Have a check carried out, in the order of this file."""
    CHECKS.append(function)
    return function


@check
def the_system_has_no_python(trial: Trial) -> str:
    """Else the bundle might lean on it."""
    found = trial.root.try_to_run("sh", "-c", "command -v python3 python")
    assert found.returncode, found.stdout
    return "nor any library of a desktop: a minbase system"


@check
def the_bundle_runs_before_anything_is_installed(trial: Trial) -> str:
    """The command line needs nothing but the C library."""
    tree = trial.root.folder / "opt/bundle"
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run(["dpkg-deb", "--extract", str(trial.package), str(tree)], check=True)
    start = "/opt/bundle/usr/lib/ppworkbench/ppworkbench"
    said = trial.root.run(start, "--version").stdout.strip()
    trial.root.run(start, "sample", "write", "city-survey", "bare.csv", "--rows", "500")
    trial.root.run(start, "inspect", "bare.csv")
    shutil.rmtree(tree)
    return said


@check
def the_package_installs_with_what_it_depends_on(trial: Trial) -> str:
    """Only what it asks for itself, nothing recommended."""
    shutil.copy(trial.package, trial.root.folder / "opt/package.deb")
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "/opt/package.deb"]
    trial.root.run(*install, user="root", network=True)
    (trial.root.folder / "opt/package.deb").unlink()
    return field(trial.package, "Depends")


@check
def the_version_is_the_package_s(trial: Trial) -> str:
    """As ``--version`` prints it."""
    said = trial.workbench("--version").strip()
    assert said == f"ppworkbench {trial.version}", said
    return said


@check
def answers_are_distorted_and_reconstructed(trial: Trial) -> str:
    """A sample, a design for it, a distorted copy, and estimates from that."""
    trial.workbench("sample", "write", "city-survey", "city.csv")
    trial.workbench("inspect", "city.csv", "--design-out", "design.json")
    trial.workbench("distort", "city.csv", "--design", "design.json", "--out", "trial.csv",
                    "--seed", "7")  # fmt: skip
    told = trial.workbench("reconstruct", "trial.csv", "--design", "design.json", "--json")
    assert json.loads(told), told
    return f"{len(told):,} characters of estimates"


@check
def every_sample_is_written(trial: Trial) -> str:
    """Shipped, made by code, or from a library."""
    names = [
        one["name"] for one in json.loads(trial.workbench("sample", "list", "--json"))["samples"]
    ]
    for name in names:
        trial.workbench("sample", "write", name, f"{name}.parquet")
    return " ".join(names)


@check
def every_format_is_written_and_read(trial: Trial) -> str:
    """SPSS and Stata through the helper process, the others through their libraries."""
    kinds = ("sav", "dta", "xlsx", "arff", "parquet", "feather")
    trial.workbench("sample", "write", "city-survey", "small.csv", "--rows", "300")
    for kind in kinds:
        trial.workbench("sample", "write", "city-survey", f"small.{kind}", "--rows", "300")
        told = json.loads(trial.workbench("inspect", f"small.{kind}", "--json"))
        assert told["rows"] == 300, told
    return " ".join(kinds)


@check
def a_damaged_spss_file_is_refused_in_a_sentence(trial: Trial) -> str:
    """The helper process says what is wrong; nothing crashes."""
    whole = (trial.root.home / "small.sav").read_bytes()
    (trial.root.home / "cut.sav").write_bytes(whole[: len(whole) // 3])
    done = trial.root.try_to_run("ppworkbench", "inspect", "cut.sav")
    assert done.returncode == 1, done
    assert done.stderr.startswith("ppworkbench: "), done.stderr
    return done.stderr.strip()


@check
def an_experiment_runs_in_several_processes(trial: Trial) -> str:
    """The workers are the bundled program itself; they give what one process gives."""
    classify = ["classify", "small.csv", "--design", "design.json", "--classifier", "naive-bayes",
                "--classifier", "tree", "--folds", "3", "--seed", "1", "--json"]  # fmt: skip
    alone, together = (
        by_classifier(trial.workbench(*classify, "--workers", number)) for number in ("1", "2")
    )
    assert alone == together, (alone, together)
    return "the same results with 1 and with 2"


def by_classifier(told: str) -> dict[str, object]:
    """The results of an experiment; they are listed as they came in."""
    return {one["classifier"]: without_times(one) for one in json.loads(told)["results"]}


def without_times(value: object) -> object:
    """A document without what differs from run to run."""
    if isinstance(value, dict):
        kept = {name: one for name, one in value.items() if not is_time(name)}
        return {name: without_times(one) for name, one in kept.items()}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def is_time(name: str) -> bool:
    """Whether a field tells how long something took, or where it ran."""
    return any(word in name for word in ("second", "time", "engine", "workers"))


@check
def rules_are_mined(trial: Trial) -> str:
    """With the default method."""
    mine = ["mine", "trial.csv", "--design", "design.json", "--min-support", "0.2", "--json"]
    found = json.loads(trial.workbench(*mine))["itemsets"]
    assert found
    return f"{len(found)} itemsets"


@check
def compiled_loops_are_kept_for_the_next_time(trial: Trial) -> str:
    """In the user's cache, since the bundle is read-only; compiling goes on beside the work."""
    for repeats in ("4", "16", "64"):
        classify = ["classify", "small.csv", "--design", "design.json", "--classifier", "tree"]
        trial.workbench(*classify, "--folds", "10", "--repeats", repeats, "--workers", "2")
        kept = list((trial.root.home / ".cache").rglob("*.nbi"))
        if kept:
            return f"{len(kept)} loops in the user's cache"
    raise AssertionError("no compiled loop was kept")


@check
def reports_questionnaires_and_the_guide_are_written(trial: Trial) -> str:
    """They are made from shipped pages, templates, styles and scripts."""
    trial.workbench("questionnaire", "--design", "design.json", "--out", "page.html")
    trial.workbench("guide", "--out", "guide.html")
    for name in ("report.html", "report.pdf"):
        trial.workbench("report", "trial.csv", "--out", name)
    names = ("page.html", "guide.html", "report.html", "report.pdf")
    sizes = [(trial.root.home / name).stat().st_size for name in names]
    assert min(sizes) > 5000, sizes
    return " and ".join(f"{size:,} bytes" for size in sizes)


@check
def a_kit_is_written(trial: Trial) -> str:
    """Cards and paper as PDF, forms of platforms, page and scripts; what is refused says why."""
    (trial.root.home / "asked.json").write_text(json.dumps(ASKED), encoding="utf-8")
    told = json.loads(trial.workbench("kit", "asked.json", "--out", "kit", "--json"))
    assert not told["refused"], told["refused"]
    sizes = [path.stat().st_size for path in (trial.root.home / "kit").rglob("*") if path.is_file()]
    assert min(sizes) > 0, sizes
    targets = sorted({one["target"] for one in told["files"] if one["target"]})
    assert len(targets) >= 8, targets
    return f"{len(sizes)} files for {', '.join(targets)}"


@check
def a_collector_takes_an_answer_and_ends_when_it_is_asked_to(trial: Trial) -> str:
    """Page, row and database, by the bundled server; its port is that of this computer."""
    serve = [
        "ppworkbench",
        "serve",
        "asked.json",
        "--db",
        "answers.sqlite",
        "--port",
        "0",
        "--json",
    ]
    command = trial.root.command(*serve, network=True)
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        assert line, server.communicate()[1]
        address = json.loads(line)["address"]
        with urlopen(address, timeout=30) as reply:
            page = reply.read().decode()
        digest = re.search(r'"digest": *"([0-9a-f]{16})"', page)
        assert digest, "the page does not say of which design it is"
        row = {"id": secrets.token_hex(16), "design": digest[1], "row": {"smokes": "yes"}}
        sent = Request(
            f"{address}answers", json.dumps(row).encode(), {"Content-Type": "application/json"}
        )
        with urlopen(sent, timeout=30) as reply:
            assert reply.status == 204, reply.status
        # What the window does to end it; a signal would not reach through the namespace.
        (trial.root.home / "answers.sqlite.serving.stop").touch()
        said, errors = server.communicate(timeout=30 * trial.root.patience)
    finally:
        if server.poll() is None:
            server.kill()
            server.communicate()
    assert server.returncode == 0, errors
    assert json.loads(said.splitlines()[-1]) == {"event": "closed", "answers": 1}, said
    collect = ["collect", "answers.sqlite", "--design", "asked.json", "--out", "collected.csv"]
    assert json.loads(trial.workbench(*collect, "--json"))["rows"] == 1
    return f"{len(page):,} characters of page, 1 answer"


@check
def the_tour_takes_pictures_without_a_screen(trial: Trial) -> str:
    """Every page, off-screen."""
    trial.workbench("tour", "--out", "tour")
    pictures = sorted((trial.root.home / "tour").rglob("*.png"))
    assert len(pictures) >= 8, pictures
    assert all(picture.stat().st_size > 10_000 for picture in pictures)
    shutil.copytree(trial.root.home / "tour", trial.pictures / "tour", dirs_exist_ok=True)
    return f"{len(pictures)} pictures"


@check
def the_window_opens_alone_and_with_a_file(trial: Trial) -> str:
    """On a real X server, with the libraries that the package depends on."""
    start = trial.window("window")
    opened = trial.window("window-with-a-file", "small.sav")
    assert start != opened, "the window with a file looks as without one"
    return f"{start.colours} and {opened.colours} colours"


@check
def desktops_know_the_program_and_its_studies(trial: Trial) -> str:
    """What desktops make of the files of the package."""
    tools = ["shared-mime-info", "desktop-file-utils"]
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *tools]
    trial.root.run(*install, user="root", network=True)
    globs = (trial.root.folder / "usr/share/mime/globs2").read_text()
    assert "application/x-ppworkbench:*.ppw" in globs
    programs = (trial.root.folder / "usr/share/applications/mimeinfo.cache").read_text()
    assert "application/x-ppworkbench=ppworkbench.desktop" in programs
    entry = "/usr/share/applications/ppworkbench.desktop"
    return "*.ppw opens with it" + trial.root.run("desktop-file-validate", entry).stdout


@check
def removing_the_package_leaves_nothing(trial: Trial) -> str:
    """Not even empty folders; the files of the user stay."""
    trial.root.run("apt-get", "purge", "-y", "-qq", "ppworkbench", user="root")
    left = [path for path in ("usr/lib/ppworkbench", "usr/bin/ppworkbench",
                              "usr/share/doc/ppworkbench")
            if (trial.root.folder / path).exists()]  # fmt: skip
    assert not left, left
    assert (trial.root.home / "city.csv").exists()
    return "the user's files stay"


def field(package: Path, name: str) -> str:
    """A field of what a package says of itself."""
    ask = ["dpkg-deb", "--field", str(package), name]
    return subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()


def main() -> int:
    """Carry out all checks; the status tells whether all went well."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("package", type=Path, metavar="PACKAGE.deb")
    parser.add_argument("--root", type=Path, metavar="FOLDER", help="the system, kept if named")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="where pictures are kept")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ppworkbench-try-") as place:
        pictures = args.pictures or Path(place) / "pictures"
        pictures.mkdir(parents=True, exist_ok=True)
        package = args.package.resolve()
        folder = (args.root or Path(place) / "root").resolve()
        root = CleanRoot(folder, field(package, "Architecture"))
        trial = Trial(package, root, pictures)
        failed = sum(not passes(one, trial) for one in CHECKS)
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


def passes(one: Check, trial: Trial) -> bool:
    """Carry out a check and say how it went."""
    name, began = one.__name__.replace("_", " "), time.monotonic()
    try:
        told = one(trial)
    except (AssertionError, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
        print(f"FAILED {name}: {error}", flush=True)
        return False
    print(f"ok     {name} ({time.monotonic() - began:.1f} s): {told}", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
