"""Whatever happens while a study is saved, its file holds the old study or the new one, whole."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from studies import make_study, same

from ppworkbench.core.errors import DataError
from ppworkbench.study.files.study_file import open_study, save_study

TESTS = Path(__file__).resolve().parents[1]

KILLED_SAVES = """
import json, mmap, os, random, shutil, signal, sys, time
from pathlib import Path
from studies import make_study
from ppworkbench.study.files import study_file

folder, kills, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
path = folder / "study.ppw"
studies = [make_study(title, rows=1_500, seed=place) for place, title in enumerate("AB")]
where = mmap.mmap(-1, 1)
BEFORE, WRITING, PLACING, AFTER = PHASES = range(4)
write = study_file.write_study

def noted(*given):
    where[0] = WRITING
    write(*given)
    where[0] = PLACING

study_file.write_study = noted
study_file.save_study(studies[0], path)
began = time.perf_counter()
study_file.save_study(studies[0], path)
longest = 3 * (time.perf_counter() - began)
landed = [0, 0, 0, 0]
for kill in range(kills):
    where[0] = BEFORE
    ready, told = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(told, b"x")
        place = 0
        while True:
            place += 1
            study_file.save_study(studies[place % 2], path)
            where[0] = AFTER
    os.read(ready, 1)
    os.close(ready)
    os.close(told)
    time.sleep(chance.uniform(0.0, longest))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    landed[where[0]] += 1
    shutil.copyfile(path, folder / f"after-{kill}.ppw")
    if path.with_suffix(".ppw~").exists():
        shutil.copyfile(path.with_suffix(".ppw~"), folder / f"backup-{kill}.ppw")
print(json.dumps(landed))
"""


def kill_saves(folder: Path, kills: int, seed: int) -> dict[str, int]:
    """Kill programs that do nothing but save, look at what they leave, and tell where it hit."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])}
    done = subprocess.run(
        [sys.executable, "-c", KILLED_SAVES, str(folder), str(kills), str(seed)],
        env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    wanted = {title: make_study(title, 1_500, place) for place, title in enumerate("AB")}
    kept = [*folder.glob("after-*.ppw"), *folder.glob("backup-*.ppw")]
    assert len(kept) >= kills
    # The same bytes need no second look.
    for path in {path.read_bytes(): path for path in kept}.values():
        back = open_study(path)
        assert same(back, wanted[back.title]), path
    # Every program removed what the killed one before it had left; the last has no successor.
    assert len(list(folder.glob(".*"))) <= 2
    save_study(wanted["A"], folder / "study.ppw")
    assert list(folder.glob(".*")) == []
    phases = ("before", "writing", "placing", "after")
    landed = dict(zip(phases, json.loads(done.stdout), strict=True))
    assert sum(landed.values()) == kills
    return landed


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


@pytest.mark.slow
@needs_fork
def test_that_a_program_killed_while_it_saves_leaves_the_old_study_or_the_new(tmp_path):
    landed = kill_saves(tmp_path, 30, seed=1)
    assert landed["writing"] + landed["placing"] >= 10, landed


@needs_fork
@pytest.mark.slow
def test_that_two_hundred_killed_programs_leave_whole_studies(tmp_path, record_property):
    landed = Counter(kill_saves(tmp_path, 250, seed=2))
    if landed["writing"] + landed["placing"] < 200:
        # On a busy machine more of the kills come before the writing begins.
        landed += Counter(kill_saves(tmp_path, 150, seed=3))
    record_property("kills", dict(landed))
    assert landed["writing"] + landed["placing"] >= 200, landed


class Faults:
    """Lets every call that changes the disk pass but one, or but all from one on."""

    CALLS = ("open", "fsync", "replace", "chmod", "link", "unlink", "rename")

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fatal: int, number: int, lasting: bool):
        self.count = 0
        self._fatal, self._number, self._lasting = fatal, number, lasting
        for name in self.CALLS:
            monkeypatch.setattr(os, name, self._checked(getattr(os, name)))
        monkeypatch.setattr(shutil, "copyfileobj", self._checked(shutil.copyfileobj))
        opened = io.open

        def faulty_open(file, mode="r", *more, **settings):
            if "r" in mode and "+" not in mode:
                return opened(file, mode, *more, **settings)
            self.check()
            return FaultyFile(opened(file, mode, *more, **settings), self)

        monkeypatch.setattr(io, "open", faulty_open)

    def _checked(self, function):
        def call(*arguments, **settings):
            self.check()
            return function(*arguments, **settings)

        return call

    def check(self) -> None:
        self.count += 1
        due = self.count >= self._fatal if self._lasting else self.count == self._fatal
        if due:
            raise OSError(self._number, os.strerror(self._number))


class FaultyFile:
    """A file whose writes may fail."""

    def __init__(self, file, faults: Faults):
        self._file, self._faults = file, faults

    def write(self, data):
        self._faults.check()
        return self._file.write(data)

    def __getattr__(self, name):
        return getattr(self._file, name)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._file.close()


NEVER = 10**9


def count_calls(path: Path) -> int:
    """How many calls change the disk when a study is saved over another."""
    with pytest.MonkeyPatch.context() as patch:
        faults = Faults(patch, NEVER, errno.EIO, lasting=False)
        save_study(make_study("new"), path)
    return faults.count


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "lasting"),
    [
        pytest.param(errno.ENOSPC, False, id="full once"),
        # Other reasons and other times: the same calls fail.
        pytest.param(errno.ENOSPC, True, id="full from then on", marks=pytest.mark.slow),
        pytest.param(errno.EACCES, True, id="forbidden from then on", marks=pytest.mark.slow),
        pytest.param(errno.EACCES, False, id="forbidden once", marks=pytest.mark.slow),
        pytest.param(errno.EROFS, False, id="read-only once", marks=pytest.mark.slow),
        pytest.param(errno.EROFS, True, id="read-only from then on", marks=pytest.mark.slow),
    ],
)
def test_that_a_failing_disk_leaves_the_old_study_or_the_new(tmp_path, number, lasting):
    path = tmp_path / "study.ppw"
    old, new = make_study("old"), make_study("new")
    save_study(old, path)
    calls = count_calls(path)
    assert calls > 30
    for fatal in range(1, calls + 1):
        save_study(old, path)
        with pytest.MonkeyPatch.context() as patch:
            Faults(patch, fatal, number, lasting)
            try:
                save_study(new, path)
                refusal = None
            except DataError as error:
                refusal = error
        back = open_study(path)
        assert same(back, new if refusal is None else old), fatal
        if refusal is not None:
            assert os.strerror(number) in refusal.message
            assert refusal.message.endswith(".")
        if not lasting:
            left = {p.name for p in tmp_path.iterdir()} - {"study.ppw", "study.ppw~"}
            assert len(left) <= 1, left  # Only what could not be deleted.
            for name in left:
                (tmp_path / name).unlink()
        else:
            for name in tmp_path.iterdir():
                if name.name.startswith("."):
                    name.unlink()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_that_a_folder_without_permission_is_said(tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    try:
        with pytest.raises(DataError, match="cannot be written: Permission denied"):
            save_study(make_study(), folder / "study.ppw")
        assert list(folder.iterdir()) == []
    finally:
        folder.chmod(0o700)


def test_that_a_folder_that_does_not_exist_is_said(tmp_path):
    with pytest.raises(DataError, match="cannot be written: No such file or directory"):
        save_study(make_study(), tmp_path / "nowhere" / "study.ppw")


def test_that_a_read_only_study_is_replaced_only_where_the_folder_allows(tmp_path):
    path = tmp_path / "study.ppw"
    save_study(make_study("old"), path)
    path.chmod(0o444)
    save_study(make_study("new"), path)
    assert open_study(path).title == "new"
