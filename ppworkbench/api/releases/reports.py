"""What leaves the workbench: reports, bundles for recipients, and published surveys recomputed."""

from __future__ import annotations

import dataclasses
import importlib
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import StudyPath, check_arguments
from ppworkbench.analyses.inputs import DesignLike, refuse_export, settings
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.outputs.bundle import BundleOptions
from ppworkbench.results.picture import Axis, Interval, Picture, Role, intervals
from ppworkbench.results.result import Result
from ppworkbench.results.text import aligned, harmless, note_lines

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.outputs.bundle import Bundle
    from ppworkbench.outputs.gallery.compare import Comparison, GalleryComparison, OurFigure
    from ppworkbench.outputs.gallery.surveys import PublishedFigure
    from ppworkbench.outputs.report import Report
    from ppworkbench.study.study import Study

__all__ = ["BundleOptions", "bundle", "find_printer", "gallery", "report"]

PAGE_SUFFIXES = (".html", ".htm", ".pdf")
_WORD = ".docx"
_PRINTER = "ppworkbench.gui.pdf.report"


@check_arguments
def report(
    study: StudyPath,
    out: str | os.PathLike[str],
    *,
    design: DesignLike | None = None,
    date: str = "",
    language: str = "en",
    attachments: str | os.PathLike[str] | None = None,
    progress: Progress = silent,
) -> ReportResult:
    """Write a report of a study as a page, as a PDF or as a Word document.

    Parameters
    ----------
    study
        A study (``.ppw``), or a table with a design in its codebook.
    out
        The file to write, which is replaced if it exists; ``.html``, ``.docx``, or ``.pdf``, which
        needs the libraries of the window.
    design
        The design, where a table has none.
    date
        The date of the report; today if not given.
    language
        The language of the report, ``"en"`` or ``"pl"``; what comes from the study stays as it is.
    attachments
        A new folder for the numbers of the report as CSV files.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> written = pp.report("survey.ppw", "report.html", date="2026-05-04")  # doctest: +SKIP
    >>> print(written.summary())  # doctest: +SKIP
    Wrote report.html.
    """
    from ppworkbench.outputs.report import ReportOptions, build_report, write_report
    from ppworkbench.study.language import LANGUAGES, tongue_of
    from ppworkbench.study.state import invented_note

    said = "Language is {name!r}; it must be one of {known}."
    ParameterError.unless_known(said, language, LANGUAGES, field="language")
    target = Path(out)
    # Found out before the work is done, not after it.
    is_word = target.suffix.lower() == _WORD
    printer = None if is_word else printer_for(target, "A report is", "report.html", ".docx")
    opened = open_with_design(study, design, part(progress, 0, 0.3))
    made = build_report(
        opened, ReportOptions(date), tongue=tongue_of(language), progress=part(progress, 0.3, 0.9)
    )
    if is_word:
        from ppworkbench.outputs.report.word import write_word

        write_word(made, target)
    elif printer is None:
        write_report(made, target)
    else:
        printer.print_report(made, target)
    attached = None if attachments is None else attach(made, attachments)
    return ReportResult(
        os.fspath(out), len(opened.design.names), opened.original is not None, str(opened.state),
        attached, invented_note(opened) or "",
    )  # fmt: skip


def attach(made: Report, target: str | os.PathLike[str]) -> tuple[str, ...]:
    """Write the tables of a report into a new folder, and return their names."""
    from ppworkbench.outputs.report import write_attachments
    from ppworkbench.study.bundle_target import new_folder

    with new_folder(Path(target), private=made.is_private) as folder:
        return tuple(write_attachments(made, folder))


@dataclass(frozen=True, eq=False, repr=False)
class ReportResult(Result):
    """What was written; with ``has_truth`` it tells true distributions and the seed."""

    file: str
    attributes: int
    has_truth: bool
    answers: str
    attachments: tuple[str, ...] | None = None
    note: str = ""

    def _document(self) -> Mapping[str, Any]:
        document: dict[str, Any] = {
            "file": self.file,
            "attributes": self.attributes,
            "seed": self.has_truth,
            "state": self.answers,
        }
        if self.attachments is not None:
            document["attachments"] = list(self.attachments)
        return document

    def summary(self) -> str:
        """What was written, as the command line prints it."""
        text = f"Wrote {harmless(self.file)}."
        if self.note:
            return f"{text}\n{self.note}"
        if self.has_truth:
            text += "\nNote: it contains true distributions and the seed; do not release it."
        return text

    def to_frame(self) -> pd.DataFrame:
        """One row per file that was written."""
        import pandas as pd

        files = [(self.file, "report"), *((one, "attachment") for one in self.attachments or ())]
        return pd.DataFrame(files, columns=["file", "kind"])


@check_arguments
def bundle(
    study: StudyPath,
    out: str | os.PathLike[str],
    *,
    design: DesignLike | None = None,
    pdf: bool = False,
    progress: Progress = silent,
    **contents: Any,
) -> BundleResult:
    """Write all that a recipient needs: data, design, codebook and report.

    True answers are randomised for it by the operating system's randomness; a bundle has no seed.

    Parameters
    ----------
    study, design
        As for :func:`report`.
    out
        A new folder, or a new file that ends in ``.zip``.
    pdf
        Whether the report is written as PDF as well, which needs the libraries of the window.
    **contents
        What is in it: the options of the command ``bundle``, such as ``report=False``,
        ``questionnaire=True``, ``leave_out`` or ``coarsen``.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> released = pp.bundle("survey.ppw", "release.zip", report=False)  # doctest: +SKIP
    >>> released.to_frame()["sentence"].iloc[0]  # doctest: +SKIP
    'No seed is saved'
    """
    from ppworkbench.outputs.bundle import write_bundle
    from ppworkbench.study.state import why_not_released

    options = settings(BundleOptions, contents)
    print_pdf = find_printer().print_report if pdf else None
    opened = open_with_design(study, design, part(progress, 0, 0.3))
    made = write_bundle(
        opened, os.fspath(out), options, print_pdf=print_pdf, progress=part(progress, 0.3, 1)
    )
    has_table = why_not_released(opened) is None
    return BundleResult(os.fspath(out), made, opened, has_table)


@dataclass(frozen=True, eq=False, repr=False)
class BundleResult(Result):
    """What was written, with the checklist of what a recipient learns."""

    path: str
    made: Bundle
    study: Study
    has_table: bool

    def _document(self) -> Mapping[str, Any]:
        return {
            "path": self.path,
            "rows": self.made.rows,
            "state": str(self.study.state),
            "files": [file.name for file in self.made.files],
            "checklist": [
                {"good": one.good, "sentence": one.sentence, "detail": one.detail}
                for one in self.made.points
            ],
            "notes": list(self.made.notes),
        }

    def summary(self) -> str:
        """What was written, as the command line prints it."""
        told = f"{self.made.rows:,} rows" if self.has_table else "no table"
        lines = [f"Wrote {harmless(self.path)}: {told}.", ""]
        lines += [harmless(point.titled(self.study).line()) for point in self.made.points]
        return "\n".join([*lines, *note_lines(self.made.notes, self.study.shown)])

    def to_frame(self) -> pd.DataFrame:
        """One row per point of the checklist; ``good`` is empty where somebody has to judge."""
        import pandas as pd

        rows = [(one.good, str(one.sentence), str(one.detail)) for one in self.made.points]
        return pd.DataFrame(rows, columns=["good", "sentence", "detail"])


def open_with_design(study: StudyPath, design: DesignLike | None, progress: Progress) -> Study:
    """A study, or a table with the design in its codebook, else with the one that is given."""
    from ppworkbench.fieldwork.opening import is_collected, open_anything

    paths = [Path(study)]
    if isinstance(design, str | os.PathLike) and is_collected(paths[0]):
        # A page has distorted them already.
        return open_anything([*paths, Path(design)], progress=progress)
    refuse_export(study)
    opened = open_anything(paths, progress=progress)
    if design is None:
        return opened
    if opened.distorted is not None:
        raise ParameterError("These answers have their own design; give none.", field="design")
    return opened.with_(design=as_design(design))


def printer_for(out: Path, what: str, instead: str, other: str = "") -> Any:
    """What prints a PDF; None for a page, and an error for a file that is neither."""
    suffix = out.suffix.lower()
    if suffix not in PAGE_SUFFIXES:
        kinds = f".html, .pdf or {other}" if other else ".html or .pdf"
        raise ParameterError(f"{what} an {kinds} file, not {out.name!r}.", field="out")
    return find_printer(instead) if suffix == ".pdf" else None


def find_printer(instead: str = "report.html") -> Any:
    """What prints a PDF; an error says what to write instead where Qt is not installed."""
    # By name, because everything but the window must work where Qt is not installed.
    try:
        return importlib.import_module(_PRINTER)
    except ImportError as error:
        raise DataError(
            f"A PDF needs the libraries of the window, which cannot be loaded: {error}. Write "
            f"{instead} instead."
        ) from error


@check_arguments
def gallery(
    *, out: str | os.PathLike[str] | None = None, progress: Progress = silent
) -> GalleryResult:
    """Recompute published surveys from their counts, and compare.

    Parameters
    ----------
    out
        A file for the table: ``.csv``, ``.json`` or ``.html``.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> pp.gallery().is_as_expected  # doctest: +SKIP
    True
    """
    from ppworkbench.outputs.gallery.compare import compare_gallery
    from ppworkbench.outputs.gallery.surveys import read_gallery
    from ppworkbench.outputs.gallery.tables import check_ending, write_gallery

    target = "" if out is None else os.fspath(out)
    if target:
        # Nobody waits for a table that cannot be written.
        check_ending(target)
    found = compare_gallery(read_gallery(), progress)
    if target:
        write_gallery(found, target)
    return GalleryResult(found, target)


@dataclass(frozen=True, eq=False, repr=False)
class GalleryResult(Result):
    """Published numbers beside ours."""

    found: GalleryComparison
    file: str = ""

    @property
    def is_as_expected(self) -> bool:
        """Whether all numbers agree that should."""
        return self.found.is_as_expected

    def _document(self) -> Mapping[str, Any]:
        from ppworkbench.outputs.gallery.tables import gallery_to_json

        document = gallery_to_json(self.found)
        return document | {"file": self.file} if self.file else document

    def summary(self) -> str:
        """The comparison for people, as the command line prints it."""
        heads = ["survey", "source", "SE", "ours", "our SE", "outcome"]
        rows = [_gallery_row(one) for one in self.found.comparisons]
        parts = [aligned(heads, rows, right=heads[1:5]), f"{self.found.sentence}."]
        if self.file:
            parts.append(f"Wrote {harmless(self.file)}.")
        return "\n\n".join(parts)

    def to_frame(self) -> pd.DataFrame:
        """One row per survey, with all numbers in full."""
        import pandas as pd

        numbers = ("estimate", "standard_error", "low", "high")
        rows = []
        for one in self.found.comparisons:
            survey, published = one.survey, one.survey.published
            row: dict[str, Any] = {"survey": survey.name}
            row |= {"title": survey.title, "unit": survey.unit}
            row |= {f"published_{name}": getattr(published, name) for name in numbers}
            row |= {name: getattr(one.ours, name, None) for name in numbers}
            rows.append(row | {"outcome": one.outcome})
        return pd.DataFrame(rows).rename(columns={"published_estimate": "published"})

    def pictures(self) -> tuple[Picture, ...]:
        """What was published and what is computed here, below each other."""
        import numpy as np

        found = self.found.comparisons
        labels = tuple(
            one.survey.title if one.survey.unit == "%" else f"{one.survey.title} (100: published)"
            for one in found
        )
        lanes = (
            (
                Role.REFERENCE,
                "published",
                [_in_percent(one, one.survey.published) for one in found],
            ),
            (Role.ESTIMATE, "ours", [_in_percent(one, one.ours) for one in found]),
        )
        marks = []
        for role, name, figures in lanes:
            places = [place for place, one in enumerate(figures) if one is not None]
            known = [one for one in figures if one is not None]
            drawn = intervals(name, Message(name), Axis(Message("")), labels, known).marks[0]
            marks.append(
                dataclasses.replace(
                    drawn, role=role, name=Message(name), y=np.array(places, np.float64)
                )
            )
        title, things = Message("Published surveys recomputed"), Axis(Message(""), labels=labels)
        return (Picture("gallery", title, Axis(Message(""), "%"), things, tuple(marks)),)


def _in_percent(one: Comparison, figure: PublishedFigure | OurFigure | None) -> Interval | None:
    """A number that shares its axis with others: what is no share, of the published number."""
    if figure is None:
        return None
    unit = 1.0 if one.survey.unit == "%" else 100.0 / one.survey.published.estimate
    ends = (math.nan if end is None else unit * end for end in (figure.low, figure.high))
    return Interval(unit * figure.estimate, *ends)


def _gallery_row(one: Comparison) -> list[str]:
    from ppworkbench.outputs.gallery.tables import estimate_text, number_text

    survey, decimals = one.survey, one.survey.published.decimals
    cells = [survey.title]
    for figure in (survey.published, one.ours):
        if figure is None:
            cells += ["-", "-"]
            continue
        error = figure.standard_error
        cells += [
            str(estimate_text(one, figure)),
            "-" if error is None else str(number_text(error, decimals)),
        ]
    return [*cells, str(one.verdict)]
