"""Fails every call that changes the disk, one after the other, of everything the program writes.

Run by ``study/test_disk_faults.py`` with the library of ``faulty_disk.c`` preloaded; prints as JSON
how many calls each writer makes and what went wrong. The first word on the command line says how
many calls of a writer are tried at most, spread evenly; further words choose writers.
"""

from __future__ import annotations

import ctypes
import errno
import itertools
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from page_writers import PAGE_WRITERS
from PySide6.QtCore import QSettings
from studies import make_study, same
from who_writes import Watch

from ppworkbench.core.data.chunk_writer import open_chunk_writer
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.design.release import release_file
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.fieldwork.page.page import QuestionnaireOptions, write_questionnaire
from ppworkbench.gui.application import make_application
from ppworkbench.gui.pdf.report import print_report
from ppworkbench.outputs.bundle import BundleOptions, write_bundle
from ppworkbench.outputs.report import build_report, write_report
from ppworkbench.outputs.report.word import write_word
from ppworkbench.study.files.recent import remember
from ppworkbench.study.files.recovery import RecoveryFile
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.questionnaire.texts import texts_of

ERRORS = (errno.ENOSPC, errno.EACCES, errno.EROFS)
NEVER = 10**9
CANNOT_BE_HELPED = ("unlink", "unlinkat", "rmdir")
"""Calls that clear away: where they fail, something is left."""

DISK = ctypes.CDLL(None)
DISK.faults_last.restype = ctypes.c_char_p

WATCH = Watch()
Write = Callable[[Path], object]


@dataclass
class Writer:
    """Something that writes below a folder; ``quiet`` if nobody is told when it cannot."""

    name: str
    write: Write
    quiet: bool = False
    holds: Callable[[Path], bool] | None = None
    """Whether what was written, so they say, can be read and is the same."""
    keeps: tuple[str, ...] = ()
    """What may be new although the writing failed."""
    sizes: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    refused: int = 0
    wrong: list[str] = field(default_factory=list)


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def modes(folder: Path) -> dict[str, int]:
    """Who may read the files below a folder."""
    return {
        str(path.relative_to(folder)): stat.S_IMODE(path.lstat().st_mode)
        for path in folder.rglob("*")
        if path.is_file()
    }


def attempt(writer: Writer, folder: Path, nth: int, error: int, lasting: bool) -> str | None:
    """Write with a disk that fails; what is wrong with what happened, or None."""
    before, allowed = contents(folder), modes(folder)
    DISK.faults_arm(str(folder).encode(), nth, error, int(lasting))
    told = ""
    try:
        writer.write(folder)
    except WorkbenchError as refusal:
        told = refusal.message
    except BaseException as other:
        DISK.faults_disarm()
        return f"{type(other).__name__}: {other}"
    DISK.faults_disarm()
    after = contents(folder)
    opened = [name for name, mode in modes(folder).items() if allowed.get(name, mode) != mode]
    if opened and not writer.quiet:
        return f"has another mode: {opened}"
    if not told:
        if writer.holds is not None and not writer.holds(folder):
            return "cannot be read, or is something else"
        return None if writer.quiet else incomplete(writer, after) or left_over(after)
    writer.refused += 1
    return unkept(writer, told, before, after, lasting)


def unkept(
    writer: Writer, told: str, before: dict[str, bytes], after: dict[str, bytes], lasting: bool
) -> str | None:
    """What is wrong after a writing that was refused."""
    if not told.endswith(".") or "\n" in told:
        return f"no sentence: {told!r}"
    lost = [name for name, held in before.items() if after.get(name) != held]
    lost = [name for name in lost if name not in writer.keeps]
    if lost and not lasting:
        return f"was changed although the writing failed: {lost}"
    if lasting and any(name not in after and hidden(after) == [] for name in lost):
        return f"is gone: {lost}"
    new = sorted({*after} - {*before} - {*writer.keeps})
    if new and not lasting and DISK.faults_last().decode() not in CANNOT_BE_HELPED:
        return f"was left behind: {new}"
    return None


def hidden(names: dict[str, bytes]) -> list[str]:
    """Files under a temporary name."""
    return [name for name in names if any(part.startswith(".") for part in Path(name).parts)]


def incomplete(writer: Writer, after: dict[str, bytes]) -> str | None:
    """What is wrong with files that were written, so they say."""
    short = [name for name, size in writer.sizes.items() if len(after.get(name, b"")) < 0.9 * size]
    return f"is shorter than it should be: {short}" if short else None


def left_over(after: dict[str, bytes]) -> str | None:
    """What is wrong with the files after a writing that went well."""
    left = hidden(after)
    if left and DISK.faults_last().decode() not in CANNOT_BE_HELPED:
        return f"was left behind after a success: {left}"
    return None


def try_all(writer: Writer, root: Path, most: int) -> None:
    """Fail the calls of a writer in turn, once and from then on."""
    first = root / "first"
    first.mkdir()
    with WATCH.below(first):
        writer.write(first)
    for path in first.rglob("*"):
        if path.is_file() and not path.is_symlink():
            # One that no writer would give by itself, so that keeping it is seen.
            path.chmod(0o604)
    writer.sizes = {name: len(held) for name, held in contents(first).items()}
    folder = root / "work"
    shutil.copytree(first, folder, symlinks=True)
    DISK.faults_arm(str(folder).encode(), NEVER, errno.EIO, 0)
    writer.write(folder)
    writer.calls = DISK.faults_disarm()
    for lasting in (False, True):
        for nth in spread(writer.calls, most, lasting):
            shutil.rmtree(folder)
            shutil.copytree(first, folder, symlinks=True)
            # Which error it is makes no difference to the way; they take turns.
            error = ERRORS[nth % len(ERRORS)]
            said = attempt(writer, folder, nth, error, lasting)
            if said is not None:
                where = DISK.faults_last().decode()
                writer.wrong.append(f"call {nth} ({where}{', lasting' * lasting}): {said}")
    shutil.rmtree(first)
    shutil.rmtree(folder)


def spread(calls: int, most: int, lasting: bool) -> list[int]:
    """Numbers of calls, all of them or some; those of lasting faults lie between the others."""
    if calls <= most:
        return list(range(1, calls + 1))
    step = calls / most
    return [1 + int(step * (place + 0.5 * lasting)) for place in range(most)]


STUDY = make_study(rows=40)
TABLE = STUDY.original
assert TABLE is not None
DESCRIBED = WriteOptions(readable_codebook=True)
SUFFIXES = (
    ".csv", ".tsv", ".xlsx", ".parquet", ".feather", ".sav", ".zsav", ".dta", ".arff",
)  # fmt: skip
FRESH = itertools.count()
"""A bundle goes into a new folder."""


def in_chunks(path: Path) -> None:
    """Two pieces of a table."""
    with open_chunk_writer(path, DESCRIBED) as writer:
        writer.write(TABLE)
        writer.write(TABLE)


def linked(folder: Path) -> None:
    """A study that is saved through a link."""
    link = folder / "link.ppw"
    if not link.is_symlink():
        (folder / "there").mkdir()
        link.symlink_to(Path("there") / "a.ppw")
    save_study(STUDY, link)
    assert link.is_symlink()


def recovery(folder: Path) -> None:
    """Autosave, and again."""
    made = RecoveryFile(folder / "recovery")
    made._name = "1-a"
    try:
        made.save(STUDY, None)
    finally:
        if made._lock is not None:
            made._lock.release()


def settings(folder: Path) -> None:
    """The window's settings, as Qt writes them."""
    kept = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    kept.setValue("view/theme", "dark")
    kept.sync()


def listing(folder: Path, suffix: str) -> None:
    """Rows of a plot, as pages save them."""
    from ppworkbench.core.message import Message
    from ppworkbench.gui.charts.chart_export import save_rows
    from ppworkbench.results.figure import save_picture
    from ppworkbench.results.picture import Axis, lengths

    if suffix == "csv":
        save_rows([["value", "share"], ["=1+1", "0.5"]], folder / "rows.csv")
        return
    drawn = lengths("shares", Message("Shares"), Axis(Message("share")), ["one"], [0.5])
    save_picture(drawn, folder / f"picture.{suffix}")


def table_writer(name: str) -> Writer:
    """Writes a table in one format."""

    def write(folder: Path) -> None:
        write_table(TABLE, folder / name, DESCRIBED)

    def holds(folder: Path) -> bool:
        return read_table(folder / name).equals(TABLE)

    return Writer(f"table {name}", write, holds=holds)


def writers() -> list[Writer]:
    """Everything that the program writes."""
    report = build_report(STUDY)
    # Painting takes long, and all pages are written at once.
    short = replace(report, sections=report.sections[:1])
    page = QuestionnaireOptions("Survey")
    # The report is written as the one above is, and takes most of the time.
    bundled = BundleOptions(questionnaire=True, report=False)
    source = Path(tempfile.mkdtemp(prefix="ppworkbench-source-")) / "in.csv"
    write_table(TABLE, source)
    tables = [table_writer(f"a{suffix}") for suffix in SUFFIXES]
    return [
        Writer(
            "study",
            lambda f: save_study(STUDY, f / "a.ppw"),
            holds=lambda f: same(open_study(f / "a.ppw"), STUDY),
            keeps=("a.ppw~",),
        ),
        Writer(
            "study behind a link",
            linked,
            holds=lambda f: same(open_study(f / "there" / "a.ppw"), STUDY),
            keeps=("there/a.ppw~",),
        ),
        Writer("recovery", recovery, keeps=("recovery/1-a.json", "recovery/1-a.lock")),
        Writer("recent", lambda f: remember(f / "recent.json", STUDY, Path("/a.ppw")), quiet=True),
        Writer("settings", settings, quiet=True),
        Writer("design", lambda f: write_design(STUDY.design, f / "d.json")),
        *tables,
        Writer("chunks.csv", lambda f: in_chunks(f / "a.csv")),
        Writer("chunks.parquet", lambda f: in_chunks(f / "a.parquet")),
        Writer("release", lambda f: release_file(source, STUDY.design, f / "r.csv")),
        Writer("report", lambda f: write_report(report, f / "r.html")),
        Writer("report.pdf", lambda f: print_report(short, f / "r.pdf")),
        Writer("report.docx", lambda f: write_word(short, f / "r.docx")),
        Writer(
            "questionnaire",
            lambda f: write_questionnaire(
                STUDY.design, f / "q.html", texts_of(STUDY.attributes), page
            ),
        ),
        Writer("bundle.zip", lambda f: write_bundle(STUDY, f / "b.zip", bundled)),
        Writer("bundle", lambda f: write_bundle(STUDY, f / f"b{next(FRESH)}", bundled)),
        *(Writer(f"picture.{s}", lambda f, s=s: listing(f, s)) for s in ("csv", "png", "svg")),
        *(Writer(name, write) for name, write in PAGE_WRITERS.items()),
    ]


def main(most: int, chosen: list[str]) -> None:
    """Try all writers, or those that are named."""
    make_application()
    found = []
    with tempfile.TemporaryDirectory(prefix="ppworkbench-faults-") as root:
        for place, writer in enumerate(writers()):
            if chosen and writer.name not in chosen:
                continue
            folder = Path(os.path.realpath(root)) / str(place)
            folder.mkdir()
            try_all(writer, folder, most)
            found.append(writer)
    tried = {w.name: {"calls": w.calls, "refused": w.refused, "wrong": w.wrong} for w in found}
    sys.stdout.write(json.dumps({"writers": tried, "wrote": sorted(WATCH.seen)}) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
