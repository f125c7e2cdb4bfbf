"""After a crash the unsaved study is offered, and only then."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from studies import make_study, same

from ppworkbench.core.errors import DataError
from ppworkbench.study.files.recovery import FileLock, RecoveryFile, discard, is_locked, recoverable
from ppworkbench.study.files.study_file import open_study, save_study

TESTS = Path(__file__).resolve().parents[1]

CRASH = """
import os, sys
from pathlib import Path
from studies import make_study
from ppworkbench.study.files.recovery import RecoveryFile
RecoveryFile(Path(sys.argv[1])).save(make_study(sys.argv[2]), Path("/there/mine.ppw"))
print("kept", flush=True)
if sys.argv[3] == "wait":
    sys.stdin.readline()
os._exit(1)
"""


def start(folder: Path, title: str, then: str) -> subprocess.Popen[str]:
    """A program that keeps a recovery file and then crashes, at once or when it is killed."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])}
    child = subprocess.Popen(
        [sys.executable, "-c", CRASH, str(folder), title, then],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout.readline() == "kept\n"
    return child


def end(child: subprocess.Popen[str]) -> None:
    child.kill()
    child.wait()
    child.stdin.close()
    child.stdout.close()


def leave_behind(folder: Path, title: str = "dead") -> Path:
    """A recovery file as a crash leaves it: nobody holds its lock any more."""
    recovery = RecoveryFile(folder)
    recovery.save(make_study(title), None)
    recovery._lock.release()
    return recovery.path


@pytest.mark.slow
def test_that_only_studies_of_programs_that_died_are_offered(tmp_path):
    alive = start(tmp_path, "alive", "wait")
    try:
        end(start(tmp_path, "dead", "crash"))
        [found] = recoverable(tmp_path)
        assert found.title == "dead"
        assert found.saved_as == "/there/mine.ppw"
        assert same(open_study(found.path), make_study("dead"))
    finally:
        end(alive)
    assert [one.title for one in recoverable(tmp_path)] == ["dead", "alive"]


def test_that_a_window_of_this_program_is_not_offered_to_another(tmp_path):
    mine = RecoveryFile(tmp_path)
    mine.save(make_study("mine"), None)
    assert recoverable(tmp_path) == ()
    mine.remove()
    assert list(tmp_path.iterdir()) == []


def test_that_a_process_number_that_is_used_again_hides_nothing(tmp_path):
    leave_behind(tmp_path)
    for path in list(tmp_path.iterdir()):
        path.rename(tmp_path / f"{os.getpid()}-0000{path.suffix}")
    assert [one.title for one in recoverable(tmp_path)] == ["dead"]


def test_that_windows_never_share_a_recovery_file(tmp_path):
    first, second = RecoveryFile(tmp_path), RecoveryFile(tmp_path)
    first.save(make_study("first"), None)
    second.save(make_study("second"), None)
    assert first.path != second.path
    assert open_study(first.path).title == "first"
    first.remove()
    assert open_study(second.path).title == "second"
    second.remove()


def test_that_saving_again_replaces_the_copy_and_keeps_no_backup(tmp_path):
    recovery = RecoveryFile(tmp_path)
    for title in ("one", "two"):
        recovery.save(make_study(title), None)
    assert open_study(recovery.path).title == "two"
    assert len(list(tmp_path.iterdir())) == 3
    recovery.remove()


def test_that_a_copy_that_is_removed_while_it_is_written_is_gone(tmp_path):
    recovery = RecoveryFile(tmp_path)

    def remove(done: float, message: str = "") -> None:
        recovery.remove()

    recovery.save(make_study(), None, remove)
    assert recoverable(tmp_path) == ()
    assert list(tmp_path.iterdir()) == []


def test_that_a_program_killed_after_its_first_copy_is_never_without_its_note(tmp_path):
    recovery = RecoveryFile(tmp_path)
    seen = []

    def look(done: float, message: str = "") -> None:
        seen.append((recovery.path.exists(), recovery.path.with_suffix(".json").exists()))

    recovery.save(make_study(), None, look)
    assert seen
    assert set(seen) == {(False, True)}
    recovery.remove()


def test_that_half_a_copy_of_a_killed_program_is_deleted_and_a_whole_one_offered(tmp_path):
    whole = leave_behind(tmp_path, "whole")
    for name in (whole.stem, "7-dead"):
        (tmp_path / f"{name}.lock").touch()
        (tmp_path / f".{name}-x.ppw").write_bytes(b"half of the answers")
    (tmp_path / "7-dead.json").write_text(json.dumps({"title": "half", "when": 1.0}))
    # A lock that was just made may be about to be taken.
    assert [one.title for one in recoverable(tmp_path)] == ["whole"]
    assert len(list(tmp_path.glob(".*.ppw"))) == 2
    for path in tmp_path.glob("*.lock"):
        os.utime(path, (0, 0))
    assert [one.title for one in recoverable(tmp_path)] == ["whole"]
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{whole.stem}{suffix}" for suffix in (".ppw", ".json", ".lock")
    }


def test_that_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "recovery").write_text("a file in the way")
    with pytest.raises(DataError, match=r"^No recovery copy can be saved in .*\.$"):
        RecoveryFile(tmp_path / "recovery").save(make_study(), None)


@pytest.mark.parametrize(
    "note", ["", "{", "[]", "{}", '{"title": "x"}', '{"title": 1, "when": "x"}']
)
def test_that_a_damaged_note_is_passed_over(tmp_path, note):
    leave_behind(tmp_path)
    [path] = tmp_path.glob("*.json")
    path.write_text(note)
    assert recoverable(tmp_path) == ()


def test_that_a_note_without_a_study_is_passed_over(tmp_path):
    note = {"title": "x", "when": 1.0, "saved_as": None}
    (tmp_path / "1-a.json").write_text(json.dumps(note))
    assert recoverable(tmp_path) == ()
    assert recoverable(tmp_path / "absent") == ()


def test_that_discarding_removes_all_of_it(tmp_path):
    leave_behind(tmp_path)
    [found] = recoverable(tmp_path)
    discard(found.path)
    assert list(tmp_path.iterdir()) == []


def test_that_a_lock_is_held_until_it_is_released(tmp_path):
    path = tmp_path / "a.lock"
    assert not is_locked(path)
    lock = FileLock(path)
    assert is_locked(path)
    lock.release()
    assert not is_locked(path)
    assert not path.exists()
    lock.release()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_that_only_its_owner_reads_a_copy_whatever_the_folder_was(tmp_path):
    folder = tmp_path / "recovery"
    folder.mkdir(mode=0o755)
    before = os.umask(0o022)
    try:
        recovery = RecoveryFile(folder)
        recovery.save(make_study(), None)
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    recovery.remove()


def test_that_files_of_others_in_the_folder_stay(tmp_path):
    names = ["notes.lock", "notes.json", "notes.ppw", ".notes-1.ppw", "x.json", "7-mine.lock"]
    for name in names:
        (tmp_path / name).write_text("{}")
        os.utime(tmp_path / name, (0, 0))
    assert recoverable(tmp_path) == ()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


@pytest.mark.parametrize("when", ["1e400", "-1", "1e300", "NaN", "Infinity", "null", '"x"', "[]"])
def test_that_a_note_with_a_time_that_no_calendar_has_is_passed_over(tmp_path, when):
    leave_behind(tmp_path)
    [path] = tmp_path.glob("*.json")
    path.write_text(f'{{"title": "x", "when": {when}}}')
    assert recoverable(tmp_path) == ()


def test_that_a_copy_tells_which_version_of_its_file_it_belongs_to(tmp_path):
    version = save_study(make_study(), tmp_path / "a.ppw")
    recovery = RecoveryFile(tmp_path / "recovery")
    recovery.save(make_study("mine"), tmp_path / "a.ppw", version=version)
    assert recoverable(tmp_path / "recovery") == ()
    recovery.leave()
    [found] = recoverable(tmp_path / "recovery")
    assert found.version == version
    assert {path.suffix for path in (tmp_path / "recovery").iterdir()} == {".ppw", ".json"}
