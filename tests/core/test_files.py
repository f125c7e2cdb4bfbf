"""Files are there whole or not at all; temporary ones are private, and only they are removed."""

from __future__ import annotations

import gc
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from patience import PATIENCE

from ppworkbench.core import files
from ppworkbench.core.data.chunk_writer import open_chunk_writer
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.files import atomic_file, remove_abandoned, temporary_folder, write_text

ROOT = Path(__file__).resolve().parents[2]

needs_modes = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")

WAITS = """
import sys, time
from pathlib import Path
from ppworkbench.core import files
place = Path(sys.argv[1])
with files.atomic_file(place / "a.csv") as file, files.temporary_folder(place) as folder:
    file.write_text("half")
    (folder / "rows").write_text("half")
    print("writes", flush=True)
    sys.stdin.readline()
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask():
    """The usual one, whoever runs the tests."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def writing(tmp_path):
    """A program in the middle of writing."""
    child = subprocess.Popen(
        [sys.executable, "-c", WAITS, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout.readline() == "writes\n"
    yield child
    child.kill()
    child.wait()
    child.stdin.close()
    child.stdout.close()


def hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def test_that_what_a_killed_program_left_is_removed_by_the_next_that_writes(tmp_path, writing):
    write_text(tmp_path / "b.txt", "whole")
    assert len(hidden(tmp_path)) == 2
    writing.kill()
    writing.wait()
    write_text(tmp_path / "b.txt", "whole")
    assert hidden(tmp_path) == []
    assert (tmp_path / "b.txt").read_text() == "whole"


def test_that_a_program_that_still_writes_keeps_its_files(tmp_path, writing):
    remove_abandoned(tmp_path)
    writing.stdin.write("\n")
    writing.stdin.flush()
    assert writing.wait(PATIENCE) == 0
    assert (tmp_path / "a.csv").read_text() == "half"
    assert hidden(tmp_path) == []


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs signals")
@pytest.mark.parametrize("way", ["table", "chunks"])
def test_that_a_killed_export_leaves_nothing_that_the_next_does_not_remove(tmp_path, way):
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from ppworkbench.core.data import files, chunk_writer\n"
        "from ppworkbench.core.data.samples import load_sample\n"
        "def die(*_): os.kill(os.getpid(), signal.SIGKILL)\n"
        "files.replace_files = chunk_writer.replace_files = die\n"
        "path, table = Path(sys.argv[1]) / 'a.csv', load_sample('weather')\n"
        "if sys.argv[2] == 'table': files.write_table(table, path)\n"
        "with chunk_writer.open_chunk_writer(path) as writer: writer.write(table)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), way],
        env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL
    assert len(hidden(tmp_path)) == 2
    write_table(load_sample("weather"), tmp_path / "b.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["b.parquet"]


def test_that_files_of_the_user_are_never_removed(tmp_path):
    names = [
        ".a-1.csv", ".a-x.csv", ".0123456789abcdef.tmp.csv", ".ppworkbench-notes.csv",
        ".ppworkbench-01234567-1-short.tmp", "ppworkbench-01234567-1-0123456789abcdef.tmp",
        "a.csv~", "a.csv~new",
    ]  # fmt: skip
    for name in names:
        (tmp_path / name).write_text("mine")
        os.utime(tmp_path / name, (0, 0))
    write_text(tmp_path / "a.csv", "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*names, "a.csv"])


def test_that_a_file_of_another_computer_is_given_a_day(tmp_path):
    fresh, old = (
        tmp_path / f".ppworkbench-{'0' * 8}-999999999-{sign * 16}.tmp.csv" for sign in "ab"
    )
    for path in (fresh, old):
        path.write_text("half")
    os.utime(old, (time.time() - 90_000,) * 2)
    remove_abandoned(tmp_path)
    assert fresh.exists()
    assert not old.exists()


def test_that_two_writers_of_one_process_leave_each_other_alone(tmp_path):
    with atomic_file(tmp_path / "a") as first:
        write_text(tmp_path / "b", "second")
        with temporary_folder(tmp_path):
            assert first.exists()
        first.write_text("first")
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b"}


@needs_modes
@pytest.mark.parametrize("private", [False, True])
def test_that_a_temporary_file_is_read_by_its_owner_only(tmp_path, umask, private):
    with atomic_file(tmp_path / "a", private=private) as temporary:
        assert mode(temporary) == 0o600
        temporary.write_text("answers")
        assert mode(temporary) == 0o600
    assert mode(tmp_path / "a") == (0o600 if private else 0o644)


@needs_modes
@pytest.mark.parametrize("kept", [0o600, 0o640, 0o664, 0o400])
def test_that_a_file_that_exists_keeps_its_mode(tmp_path, umask, kept):
    table = load_sample("weather")
    for name in ("a.csv", "b.csv", "c.txt"):
        (tmp_path / name).write_text("old")
        (tmp_path / name).chmod(kept)
    (tmp_path / "a.codebook.json").write_text("old")
    (tmp_path / "a.codebook.json").chmod(kept)
    write_table(table, tmp_path / "a.csv")
    with open_chunk_writer(tmp_path / "b.csv") as writer:
        writer.write(table)
    write_text(tmp_path / "c.txt", "new")
    assert {mode(tmp_path / name) for name in ("a.csv", "a.codebook.json", "b.csv", "c.txt")} == {
        kept
    }
    assert mode(tmp_path / "b.codebook.json") == 0o644


@needs_modes
def test_that_temporary_folders_and_their_rows_are_private(tmp_path, umask):
    with temporary_folder(tmp_path) as folder:
        assert mode(folder) == 0o700
        files.open_private(folder / "rows").close()
        assert mode(folder / "rows") == 0o600
    assert list(tmp_path.iterdir()) == []
    files.make_private_folder(tmp_path / "x" / "y")
    assert mode(tmp_path / "x" / "y") == 0o700


def test_that_a_link_stays_a_link_and_its_target_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "a.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_that_a_folder_goes_with_its_owner_and_is_nowhere_if_none_can_be_made(
    tmp_path, monkeypatch
):
    class Owner:
        pass

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    owner = Owner()
    folder = files.folder_of(owner)
    (folder / "report.html").write_text("hello")
    assert folder.parent == tmp_path
    del owner
    gc.collect()
    assert not folder.exists()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    nowhere = files.folder_of(Owner())
    with pytest.raises(OSError, match="directory"):
        (nowhere / "report.html").write_text("hello")
