"""The real program: nothing that it remembers stops its start, and a signal loses nothing."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from patience import PATIENCE

from ppworkbench.core.design import Uniform
from ppworkbench.study.files.recovery import recoverable
from ppworkbench.study.files.study_file import open_study

HERE = Path(__file__).resolve().parent
pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="needs the folders and signals of Linux"
)

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def home(tmp_path) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "spool").mkdir()
    return tmp_path / "home"


@pytest.fixture
def start(home) -> Iterator[Start]:
    """Start the window in a home of its own; ``started.said`` waits for its output."""
    started: list[subprocess.Popen[str]] = []
    bare = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}

    def start(*words: str, **surroundings: str) -> subprocess.Popen[str]:
        environment = bare | {
            "HOME": str(home),
            "TMPDIR": str(home.parent / "spool"),
            "QT_QPA_PLATFORM": "offscreen",
            "LC_ALL": "C.UTF-8",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": str(HERE.parents[1]),
        }
        child = subprocess.Popen(
            [sys.executable, str(HERE / "real_window.py"), *words],
            env=environment | surroundings, cwd=home.parent,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        started.append(child)
        return child

    yield start
    for child in started:
        child.kill()
        child.wait()
        child.stdout.close()
        child.stderr.close()


def state(home: Path) -> Path:
    return home / ".local" / "share" / "ppworkbench" / "ppworkbench"


def settings(home: Path) -> Path:
    return home / ".config" / "ppworkbench" / "ppworkbench.conf"


def assert_starts(child: subprocess.Popen[str]) -> None:
    """The window starts and ends of itself, without an error and with one remark at most."""
    out, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == 0, said
    assert out == "ready\n"
    said = remarks(said)
    assert "Traceback" not in said, said
    assert said.count("\n") <= 1, said


def remarks(said: str) -> str:
    """What a program said on standard error, without what Qt says of every window off screen."""
    return "".join(line for line in said.splitlines(True) if "propagateSizeHints" not in line)


_COLUMNS = "".join(
    f"{page}\\0=@ByteArray(\\0\\0\\0\\xff\\0\\0\\0\\x1\\xff\\xff\\xff\\xff\\xff)\n"
    for page in ("start", "data", "design", "explore")
)
SETTINGS = {
    "not a number": (
        "[view]\nscale=nan\n[window]\ngeometry=@ByteArray(\\x1\\xd9\\xd0\\xcb\\0\\x3\\xff\\xff)\n"
        f"[columns]\n{_COLUMNS}"
    ),
    "without end": "[view]\nscale=inf\n[window]\ngeometry=wide\n[files]\nfolder=@Rect(1 2 3 4)\n",
    "words": (
        "[view]\nscale=large\ntheme=plaid\nlanguage=tlh\n[hints]\non=maybe\n[learn]\n"
        "seen=@Rect(1 2 3 4)\nown=a\\0b, c\n[palette]\nlately=@Size(1 2)\n"
    ),
    "shapes": (
        "[view]\nscale=@Rect(1 2 3 4)\ntheme=@Size(1 2)\nlanguage=@Invalid()\n[hints]\n"
        "on=@Rect(1 2 3 4)\nseen=@Rect(1 2 3 4)\n[window]\ngeometry=@Point(1 2)\n"
    ),
    "broken": "[view\nscale==\n\\x\n%%%\n[]\n=\n@Variant(\\0\\0\\0\\x7f\\xff\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", SETTINGS.values(), ids=SETTINGS.keys())
def test_that_no_setting_stops_the_start(home, start, text):
    settings(home).parent.mkdir(parents=True)
    settings(home).write_text(text)
    assert_starts(start("sample", "quit"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["folder", "binary", "unreadable"])
def test_that_no_settings_file_stops_the_start(home, start, kind):
    file = settings(home)
    file.parent.mkdir(parents=True)
    if kind == "folder":
        file.mkdir()
    elif kind == "binary":
        file.write_bytes(bytes(range(256)) * 64)
    else:
        file.write_text("[view]\nscale=1\n")
        file.chmod(0)
    assert_starts(start("sample", "quit"))


@pytest.mark.slow
def test_that_no_list_of_recent_studies_stops_the_start(home, start):
    entry = {"path": "/", "title": "x" * 500, "summary": "", "when": 5}
    odd = [entry | {"when": 1e300}, entry | {"path": "a\0b"}, entry | {"title": None}, 7]
    state(home).mkdir(parents=True)
    (state(home) / "recent.json").write_text(json.dumps([*odd, entry]))
    assert_starts(start("quit"))


@pytest.mark.slow
def test_that_no_recovery_file_stops_the_start(home, start):
    folder = state(home) / "recovery"
    folder.mkdir(parents=True)
    (folder / "1-a.json").write_text('{"title": "x", "when": 1e300}')
    (folder / "1-a.ppw").write_bytes(b"garbage")
    (folder / "2-b.json").write_text('{"title": "half", "when": 5, "saved_as": "a\\u0000b"}')
    (folder / "2-b.ppw").write_bytes(b"garbage")
    (folder / "3-c.json").mkdir()
    (folder / "4-d.lock").mkdir()
    (folder / "5-e.json").symlink_to(folder / "5-e.json")
    os.mkfifo(folder / "6-f.json")
    (folder / "7-f.lock").symlink_to("/nowhere")
    assert_starts(start("quit"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["file in the way", "recovery is a file", "no home", "locked"])
def test_that_a_folder_that_cannot_be_used_stops_no_start(home, start, kind):
    surroundings = {}
    if kind == "file in the way":
        (home / ".local").write_text("")
        (home / ".config").write_text("")
    elif kind == "recovery is a file":
        state(home).mkdir(parents=True)
        (state(home) / "recovery").write_text("")
    elif kind == "no home":
        surroundings["HOME"] = str(home / "nowhere" / "at all")
        (home / "nowhere").write_text("")
    else:
        home.chmod(0o500)
    try:
        assert_starts(start("sample", "quit", **surroundings))
    finally:
        home.chmod(0o700)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "doing"),
    [(signal.SIGTERM, []), (signal.SIGINT, ["work"]), (signal.SIGHUP, ["ask"])],
    ids=["at rest", "in a job", "at a question"],
)
def test_that_a_signal_leaves_a_copy_and_nothing_else(home, start, number, doing):
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("this run ignores the signal, as all do that nohup starts")
    child = start("sample", "change", *doing)
    assert child.stdout.readline() == "ready\n", child.communicate(timeout=PATIENCE)
    child.send_signal(number)
    _, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == 128 + number, said
    assert remarks(said) == ""
    [found] = recoverable(state(home) / "recovery")
    assert open_study(found.path).design.perturbation("district") == Uniform(keep=0.4)
    kept = [path for path in state(home).rglob("*") if path.is_file()]
    assert sorted(path.suffix for path in kept) == [".json", ".ppw"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}
    assert stat.S_IMODE((state(home) / "recovery").stat().st_mode) == 0o700
    assert list((home.parent / "spool").iterdir()) == []


@pytest.mark.slow
def test_that_a_signal_leaves_nothing_where_nothing_was_changed(home, start, tmp_path):
    path = tmp_path / "mine.ppw"
    child = start("sample", "change", "save", str(path))
    assert child.stdout.readline() == "ready\n", child.communicate(timeout=PATIENCE)
    child.send_signal(signal.SIGTERM)
    _, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == 128 + signal.SIGTERM, said
    assert recoverable(state(home) / "recovery") == ()
    assert [one.name for one in state(home).rglob("*") if one.is_file()] == ["recent.json"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert open_study(path).title == "mine"


@pytest.mark.slow
def test_that_what_a_killed_window_left_is_gone_after_the_next_start(home, start):
    child = start("sample", "change")
    assert child.stdout.readline() == "ready\n", child.communicate(timeout=PATIENCE)
    assert list((home.parent / "spool").iterdir())
    child.kill()
    child.wait()
    assert_starts(start("quit"))
    assert list((home.parent / "spool").iterdir()) == []
