"""One bundle for a recipient: the table, its design and codebook, a report, a questionnaire.

Everything in it is made from the released table and the published design alone, never from the
original answers, so that nothing else can get in. Draws come from the operating system; there is
no seed that could be written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.formats import RELEASED
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.data.sampling_roles import MOST_LEAST_ROWS, Sampling
from ppworkbench.core.data.table import Column, Table, list_attributes
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_to_json, write_design
from ppworkbench.core.design.distort import distort
from ppworkbench.core.design.release import (
    ReleaseOptions,
    publishable,
    release_table,
    without_missing,
)
from ppworkbench.core.design.shuffle import shuffled
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.files import write_text
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Params, Within
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.rng import SecureStreams
from ppworkbench.core.sampling.release import RoleTreatment, release_roles
from ppworkbench.study.analyses.role_release import RoleCheck, check_roles
from ppworkbench.study.bundle_target import file_stem, new_folder
from ppworkbench.study.language import ENGLISH_TONGUE, Language
from ppworkbench.study.opening import open_anything
from ppworkbench.study.questionnaire import QuestionnaireOptions, texts_of, write_questionnaire
from ppworkbench.study.release import Point, checklist_text, release_points, without_attributes
from ppworkbench.study.report import Report, build_report, write_report
from ppworkbench.study.study import Study

FORMATS = tuple(one.suffix for one in RELEASED)
CHECKLIST = "README.txt"

PdfPrinter = Callable[[Report, Path], None]
"""Prints a report to a PDF file; the window has one."""


@dataclass(frozen=True)
class BundleOptions(Params):
    """What goes into a bundle."""

    format: Annotated[str, OneOf(FORMATS), Info("Format", "File extension of the table")] = ".csv"
    report: Annotated[bool, Info("Report", "Privacy, accuracy and figures as HTML")] = True
    questionnaire: Annotated[
        bool, Info("Questionnaire page", "For the next survey; randomises in the browser")
    ] = False
    language: Annotated[str, Info("Language", "Language of the questionnaire page")] = "en"
    post: Annotated[str, Info("Address", "Address for the answers")] = ""
    leave_out: Annotated[tuple[str, ...], Info("Omit", "Attributes not released")] = ()
    coarsen: Annotated[
        tuple[str, ...],
        Info("Coarsen", "Columns with a sampling role (weight, stratum, …) to be coarsened"),
    ] = ()
    least_rows: Annotated[
        int | None,
        Within(2, MOST_LEAST_ROWS),
        Info(
            "Minimum group size",
            "Rows that share a coarsened weight or stratum; that of the study if not given",
        ),
    ] = None
    confirm: Annotated[
        tuple[str, ...],
        Info("Confirm", "Attributes released although a weight or stratum gives them away"),
    ] = ()
    escape_formulas: Annotated[
        bool, Info("Escape formulas", "Write cells that a spreadsheet would execute as plain text")
    ] = True


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """A table that was made fit for release in another way than by the design.

    Parameters
    ----------
    points
        What protects it and what does not, for the checklist.
    method
        Sentences for the report and the checklist: how it was made.
    sampling, remarks
        How people were drawn, as far as it is released, and sentences on that for the codebook.
    gives_away
        Attributes that the columns of the sampling give away; they must be confirmed.
    """

    table: Table
    points: tuple[Point, ...] = ()
    method: tuple[str, ...] = ()
    sampling: Sampling | None = None
    remarks: tuple[str, ...] = ()
    gives_away: tuple[str, ...] = ()


@dataclass(frozen=True)
class BundleFile:
    """One file of a bundle and what it is for."""

    name: str
    purpose: str


@dataclass(frozen=True)
class Bundle:
    """What was written; ``design`` is the published one, None for a table made without."""

    path: Path
    files: tuple[BundleFile, ...]
    rows: int
    design: Design | None
    points: tuple[Point, ...]
    notes: tuple[str, ...] = ()


def write_bundle(
    study: Study,
    target: str | Path,
    options: BundleOptions | None = None,
    *,
    published: PublishedTable | None = None,
    print_pdf: PdfPrinter | None = None,
    tongue: Language = ENGLISH_TONGUE,
    progress: Progress = silent,
) -> Bundle:
    """Write all that a recipient needs, as a new folder or, if ``target`` ends in .zip, a zip.

    Original answers are distorted by the operating system's randomness and their rows shuffled;
    answers that came distorted are only shuffled.

    Parameters
    ----------
    published
        A table to be released in the place of the study's distorted answers.
    print_pdf
        Prints the report to a PDF file, which then lies beside the HTML.
    tongue
        The language of report and checklist.

    Raises
    ------
    DataError, DesignError
        When there is nothing to release, an answer does not fit, or the target cannot be written.
        Nothing is left behind then.
    """
    options, target = options or BundleOptions(), Path(target)
    stem = file_stem(study.title)
    with new_folder(target) as folder:
        data = folder / f"{stem}{options.format}"
        if published is None:
            released = _release(study, data, options, part(progress, 0, 0.7))
        else:
            released = _write_published(published, data, options, part(progress, 0, 0.7))
        files = [BundleFile(data.name, "the released answers, one row per respondent")]
        files += _descriptions(released, data)
        if options.report:
            report = _report(study.title, released, data, tongue, part(progress, 0.7, 0.9))
            files += _write_report(report, folder, print_pdf)
        if options.questionnaire:
            files.append(_questionnaire(study, released, folder, options))
        files.append(BundleFile(CHECKLIST, "contents, what is protected and what is not"))
        _write_checklist(study, released, files, folder, tongue)
        progress(0.95, Message("Saving {file}", file=target.name))
    progress(1.0, Message("{rows} rows released", rows=released.rows))
    return Bundle(
        target, tuple(files), released.rows, released.design, released.points, released.notes
    )


def released_study(
    study: Study, progress: Progress = silent, treatment: RoleTreatment | None = None
) -> Study:
    """What a recipient would have of a study, drawn anew, for a look at it beforehand."""
    design, table = study.design, study.original or study.distorted
    if table is None:
        return study
    if study.original is not None:
        table = without_missing(study.original, design)[0]
    if treatment is not None and study.sampling is not None:
        released = release_roles(table, study.sampling, treatment)
        table, design = released.apply(table), released.designed(design)
    if study.original is None:
        return study.with_(distorted=table, design=design)
    design, prepared = publishable(design), table
    distorted = distort(prepared, design, SecureStreams(), progress)
    return Study.of_distorted(_in_random_order(distorted), design, study.title)


@dataclass(frozen=True)
class _Released:
    rows: int
    design: Design | None
    points: tuple[Point, ...]
    notes: tuple[str, ...]
    method: tuple[str, ...] = ()


def role_treatment(study: Study, options: BundleOptions) -> RoleTreatment:
    """What a bundle does to the columns of a study that have a sampling role."""
    roles = () if study.sampling is None else study.sampling.columns
    dropped = tuple(name for name in roles if name in options.leave_out)
    coarsened = tuple(name for name in options.coarsen if name not in dropped)
    return RoleTreatment(coarsened, dropped, options.least_rows or study.settings.least_rows)


def _release(study: Study, path: Path, options: BundleOptions, progress: Progress) -> _Released:
    design = without_attributes(study.design, options.leave_out)
    if not design.attributes:
        raise DesignError("Nothing is left to release; omit fewer attributes.")
    if study.table is None:
        raise DataError("There are no answers to release yet; open a table first.")
    check = _checked_roles(study, options, part(progress, 0, 0.3))
    original, distorted = study.original, study.distorted
    remarks: tuple[str, ...] = ()
    treated: tuple[str, ...] = ()
    if check is not None:
        design, remarks = check.released.designed(design), check.released.remarks
        if original is not None:
            original, treated = without_missing(original, study.design)
            original = check.released.apply(original)
        elif distorted is not None:
            distorted = check.released.apply(distorted)
    points = release_points(design, original)
    if check is not None:
        points = (*points, *check.points(study))
    writing = part(progress, 0.3, 1.0)
    if original is not None:
        wanted = ReleaseOptions(escape_formulas=options.escape_formulas)
        release = release_table(original, design, path, wanted, writing, remarks)
        return _Released(release.rows, release.design, points, (*treated, *release.notes))
    assert distorted is not None  # noqa: S101 (there is a table)
    table = _in_random_order(distorted.select(design.names))
    said = write_table(
        table, path, _write_options(options), writing, design_to_json(design), remarks
    )
    return _Released(table.rows, design, points, said)


def _checked_roles(study: Study, options: BundleOptions, progress: Progress) -> RoleCheck | None:
    """The role columns as they are released; refused where they give answers away."""
    if study.sampling is None:
        if options.coarsen:
            raise DesignError("No column of this study has a sampling role to be coarsened.")
        return None
    check = check_roles(study, role_treatment(study, options), progress=progress)
    refuse_unconfirmed(() if check is None else check.gives_away, options.confirm)
    return check


def refuse_unconfirmed(gives_away: tuple[str, ...], confirmed: tuple[str, ...]) -> None:
    """Refuse a release of answers that the columns of the sampling give away."""
    open_ones = [name for name in gives_away if name not in confirmed]
    if not open_ones:
        return
    raise DesignError(
        Message(
            "The columns of the sampling give {attributes} away, so the device protects nothing. "
            "Coarsen or omit them, or confirm the attribute.",
            attributes=list_attributes(open_ones, 4),
        ),
        attribute=open_ones[0],
        field="confirm",
    )


def _write_published(
    published: PublishedTable, path: Path, options: BundleOptions, progress: Progress
) -> _Released:
    refuse_unconfirmed(published.gives_away, options.confirm)
    gone = set(options.leave_out)
    names = [name for name in published.table.names if name not in gone]
    table = _in_random_order(published.table.select(names))
    said = write_table(
        table, path, _write_options(options), progress,
        remarks=published.remarks, sampling=published.sampling,
    )  # fmt: skip
    return _Released(table.rows, None, published.points, said, published.method)


def _in_random_order(table: Table) -> Table:
    """The rows shuffled, without what a table remembers of the file it came from."""
    order = SecureStreams().stream("shuffle", "rows")
    plain = {"reason": "", "missing_codes": (), "missing_ranges": ()}
    columns = (Column(c.attribute.with_(**plain), c.data) for c in shuffled(table, order))
    return Table(tuple(columns), table.class_name)


def _write_options(options: BundleOptions) -> WriteOptions:
    return WriteOptions(escape_formulas=options.escape_formulas, readable_codebook=True)


def _descriptions(released: _Released, data: Path) -> list[BundleFile]:
    """The codebook that the writer left beside the table, and the design as a file of its own."""
    beside = sorted(path for path in data.parent.iterdir() if path != data)
    files = [BundleFile(path.name, "kinds, values and questions of the columns") for path in beside]
    if released.design is not None:
        design = data.with_name(f"{data.stem}-design.json")
        write_design(released.design, design)
        files.append(BundleFile(design.name, "the transition probabilities, for estimation"))
    return files


def _report(
    title: str, released: _Released, data: Path, tongue: Language, progress: Progress
) -> Report:
    """A report made of the file that was just written: what is not in it cannot get in here."""
    if released.design is None:
        study = Study(title, distorted=read_table(data), design=Design(()))
    else:
        study = open_anything([data]).with_(title=title)
    return build_report(
        study, points=released.points, method=released.method, tongue=tongue, progress=progress
    )


def _write_report(report: Report, folder: Path, print_pdf: PdfPrinter | None) -> list[BundleFile]:
    write_report(report, folder / "report.html")
    files = [BundleFile("report.html", "privacy, accuracy, figures and estimation")]
    if print_pdf is not None:
        print_pdf(report, folder / "report.pdf")
        files.append(BundleFile("report.pdf", "the report for printing"))
    return files


def _questionnaire(
    study: Study, released: _Released, folder: Path, options: BundleOptions
) -> BundleFile:
    page = folder / "questionnaire.html"
    design = released.design or without_attributes(study.design, options.leave_out)
    wanted = QuestionnaireOptions(study.title, language=options.language, post=options.post)
    write_questionnaire(design, page, texts_of(study.attributes), wanted)
    return BundleFile(page.name, "asks the same questions and randomises in the browser")


def _write_checklist(
    study: Study, released: _Released, files: list[BundleFile], folder: Path, tongue: Language
) -> None:
    width = max(len(file.name) for file in files)
    contents = [f"{file.name:<{width}}  {tongue.say(file.purpose)}" for file in files]
    contents += [tongue.say(study.titled(sentence)) for sentence in released.method]
    points = [point.titled(study) for point in released.points]
    text = checklist_text(study.title, contents, points, tongue)
    write_text(folder / CHECKLIST, text)
