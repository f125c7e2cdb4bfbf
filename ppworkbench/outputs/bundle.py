"""One bundle for a recipient: the table, its design and codebook, a report, a questionnaire.

Everything in it is made from the released table and the published design alone, never from the
original answers, so that nothing else can get in. Draws come from the operating system; there is
no seed that could be written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ppworkbench.analyses.survey.history import (
    RESULTS,
    PastQuestion,
    history_from_json,
    history_to_json,
)
from ppworkbench.core.data.codebook import Codebook, sheet_path, sidecar_path
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.formats import RELEASED
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.data.sampling_roles import MOST_LEAST_ROWS, Sampling
from ppworkbench.core.data.table import Column, Table, list_attributes
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_to_json, publishable, write_design
from ppworkbench.core.design.distort import distort
from ppworkbench.core.design.release import (
    ReleaseOptions,
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
from ppworkbench.core.sampling.results import describe_roles
from ppworkbench.fieldwork.opening import open_anything
from ppworkbench.fieldwork.page.page import QuestionnaireOptions, write_questionnaire
from ppworkbench.outputs.handover.checklist import release_checklist
from ppworkbench.outputs.handover.delivery import Delivery
from ppworkbench.outputs.handover.write import BundleFile, write_documents
from ppworkbench.outputs.report import Report, build_report, today, write_attachments, write_report
from ppworkbench.outputs.role_release import RoleCheck, check_received, check_roles
from ppworkbench.study.answer_state import DIRECT, RESPONSES, SOURCES, state_words
from ppworkbench.study.bundle_target import file_stem, new_folder
from ppworkbench.study.language import ENGLISH_TONGUE, Language
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.texts import texts_of
from ppworkbench.study.release import (
    Point,
    checklist_text,
    release_points,
    undistorted,
    without_attributes,
)
from ppworkbench.study.state import sources_of, why_not_released
from ppworkbench.study.study import Study, with_public_domains

FORMATS = tuple(one.suffix for one in RELEASED)
CHECKLIST = "README.txt"
_FORGOTTEN: Mapping[str, Any] = {"reason": "", "missing_codes": (), "missing_ranges": ()}
"""What an attribute remembers of the file it came from, as if there had been none."""
_REPORTED = Message("State of the answers: reported, after randomising.")
"""What a codebook says of its table."""

PdfPrinter = Callable[[Report, Path], None]
"""Prints a report to a PDF file; the window has one."""


@dataclass(frozen=True)
class BundleOptions(Params):
    format: Annotated[str, OneOf(FORMATS), Info("Format", "File extension of the table")] = ".csv"
    report: Annotated[bool, Info("Report", "Privacy, accuracy and figures as HTML")] = True
    questionnaire: Annotated[
        bool, Info("Questionnaire page", "For the next survey; randomises in the browser")
    ] = False
    documents: Annotated[
        bool, Info("Documentation", "DDI, data package and a text for analysts")
    ] = True
    counts: Annotated[
        bool, Info("Counts in the DDI", "How often every value was reported, in the DDI file")
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
    public: Annotated[
        tuple[str, ...],
        Info("Public", "Attributes whose values or bounds were known before the data, not from it"),
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
        What protects it and what does not, for the checklist that goes along: nothing in it tells
        of true answers.
    method
        Sentences for the report and the checklist: how it was made.
    sampling, remarks
        How people were drawn, as far as it is released, and sentences on that for the codebook.
    gives_away
        Attributes that the columns of the sampling give away; they must be confirmed.
    as_answered
        Attributes that are released as people answered them.
    """

    table: Table
    points: tuple[Point, ...] = ()
    method: tuple[str, ...] = ()
    sampling: Sampling | None = None
    remarks: tuple[str, ...] = ()
    gives_away: tuple[str, ...] = ()
    as_answered: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bundle:
    """What was written; ``design`` is the published one, None for a table made without.

    ``points`` are for the owner of the answers, and may tell of true ones; no file has them.
    """

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
    answers that came distorted are only shuffled. A study without answers, or with invented ones,
    gives a bundle without a table: design, codebook, report and questionnaire.

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
    study = _with_public(study, options.public)
    missing = why_not_released(study)
    if published is not None and missing is not None:
        raise DataError(missing)
    stem = file_stem(study.title)
    with new_folder(target) as folder:
        data = folder / f"{stem}{options.format}"
        if missing is not None:
            released = _describe_only(study, folder / f"{stem}.csv", options, missing)
            data = folder / f"{stem}.csv"
            study = planned_study(study, released.design or study.design)
        elif published is None:
            released = _release(study, data, options, part(progress, 0, 0.7))
        else:
            released = _write_published(study, published, data, options, part(progress, 0, 0.7))
        files = []
        if released.has_table:
            files.append(BundleFile(data.name, "the released answers, one row per respondent"))
        if options.documents:
            # The text for analysts and the DDI file say all that the readable codebook says.
            sheet_path(data).unlink(missing_ok=True)
        files += _descriptions(released, data)
        received = _received(study, released, data)
        if released.design is not None and released.has_table:
            released = replace(released, told=told_points(study, received, released.roles))
        if options.report:
            asked = with_questions(received, study)
            report = _report(asked, released, data.name, tongue, part(progress, 0.7, 0.9))
            files += _write_report(report, folder, print_pdf)
        if options.documents:
            delivery = _delivery(study, received, released, data, options, tongue)
            others = [file.name for file in files]
            files += write_documents(delivery, folder, others, counts=options.counts)
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
    if table is None or why_not_released(study) is not None:
        return planned_study(study, publishable(design))
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


def with_questions(released: Study, study: Study) -> Study:
    """The released answers with the questions that their owner has asked of these columns.

    What the owner was answered stays behind, since it may tell of the true answers.
    """
    known = set(released.design.names)
    rows = history_from_json(study.results.get(RESULTS))
    asked = (one.question for one in rows if known.issuperset(one.question.attributes))
    kept = history_to_json(tuple(map(PastQuestion, asked)))
    return released.with_results(RESULTS, kept if kept["asked"] else None)


def planned_study(study: Study, design: Design) -> Study:
    """The study as it may be shown where no table is released: without any answers."""
    asked = study.questionnaire
    if asked is None:
        # The words of the columns go with the answers, unless a questionnaire keeps them.
        texts = texts_of(study.attributes)
        asked = Questionnaire.of_design(design, texts, study.description.language or "en")
    return study.with_(
        original=None,
        distorted=None,
        invented=False,
        design=design,
        questionnaire=asked,
    )


@dataclass(frozen=True)
class _Released:
    """``points`` are for the owner of the answers, those ``told`` go into the files."""

    rows: int
    design: Design | None
    points: tuple[Point, ...]
    notes: tuple[str, ...]
    method: tuple[str, ...] = ()
    as_answered: tuple[str, ...] = ()
    has_table: bool = True
    told: tuple[Point, ...] = ()
    roles: RoleCheck | None = None


def role_treatment(study: Study, options: BundleOptions) -> RoleTreatment:
    roles = study.design.roles
    dropped = tuple(name for name in roles if name in options.leave_out)
    coarsened = tuple(name for name in options.coarsen if name not in dropped)
    return RoleTreatment(coarsened, dropped, options.least_rows or study.settings.least_rows)


def _release(study: Study, path: Path, options: BundleOptions, progress: Progress) -> _Released:
    design = without_attributes(study.design, options.leave_out)
    if not design.attributes:
        raise DesignError("Nothing is left to release; omit fewer attributes.")
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
    points = release_points(design, original, study=study, released=distorted)
    if check is not None:
        points = (*points, *check.points(study))
    points = release_checklist(study, points, undistorted(design), design=design)
    remarks = (*remarks, _REPORTED)
    writing = part(progress, 0.3, 1.0)
    if original is not None:
        wanted = ReleaseOptions(escape_formulas=options.escape_formulas)
        release = release_table(original, design, path, wanted, writing, remarks)
        notes = (*treated, *release.notes)
        return _Released(release.rows, release.design, points, notes, roles=check)
    assert distorted is not None  # noqa: S101 (there is a table)
    table = _in_random_order(distorted.select(design.names))
    said = write_table(
        table, path, _write_options(options), writing, design_to_json(design), remarks
    )
    return _Released(table.rows, design, points, said, roles=check)


def told_points(study: Study, received: Study, roles: RoleCheck | None = None) -> tuple[Point, ...]:
    """The checklist that goes along: what the released records and the design tell, no more.

    Parameters
    ----------
    received
        What a recipient has; without a table where none is released.
    roles
        What was done to the columns of the sampling.
    """
    design, table = received.design, received.distorted
    points = release_points(design, study=received, released=table, has_table=table is not None)
    if roles is not None:
        points = (*points, *check_received(received, roles).points(received))
    return release_checklist(study, points, undistorted(design), table)


def _describe_only(study: Study, data: Path, options: BundleOptions, missing: Message) -> _Released:
    """The codebook of a table that is not there yet, and why it is not."""
    design = without_attributes(study.design, options.leave_out)
    if not design.attributes:
        if not study.design.attributes:
            raise DataError("There is nothing to release yet; write questions or open a table.")
        raise DesignError("Nothing is left to release; omit fewer attributes.")
    design = publishable(design)
    asked = {one.name: one.label for one in study.attributes}
    columns = tuple(
        one.distorted.with_(label=asked.get(one.name, ""), **_FORGOTTEN) for one in design
    )
    state = Message("State of the answers: {state}.", state=state_words(study.state))
    told = design_to_json(design)
    codebook = Codebook(columns, design.class_name, design=told, notes=(state,))
    write_text(sidecar_path(data), codebook.to_text())
    points = told_points(study, planned_study(study, design))
    return _Released(0, design, points, (missing,), has_table=False, told=points)


def _checked_roles(study: Study, options: BundleOptions, progress: Progress) -> RoleCheck | None:
    """The role columns as they are released; refused where they give answers away."""
    if study.sampling is None:
        if options.coarsen:
            raise DesignError("No column of this study has a sampling role to be coarsened.")
        return None
    check = check_roles(study, role_treatment(study, options), progress=progress)
    refuse_unconfirmed(() if check is None else check.gives_away, options.confirm)
    return check


def _with_public(study: Study, names: tuple[str, ...]) -> Study:
    """The study whose lists of values and bounds are confirmed as known beforehand."""
    absent = next((name for name in names if name not in study.design), None)
    if absent is not None:
        raise DesignError.saying(
            "There is no attribute {attribute!r}; there are {names}.",
            attribute=absent,
            names=list_attributes(study.design.names, 6),
            field="public",
        )
    return with_public_domains(study, names) if names else study


def refuse_unconfirmed(gives_away: tuple[str, ...], confirmed: tuple[str, ...]) -> None:
    """Refuse a release of answers that the columns of the sampling give away."""
    open_ones = [name for name in gives_away if name not in confirmed]
    if not open_ones:
        return
    raise DesignError.saying(
        "The columns of the sampling tell at least as much about {attributes} as the reports "
        "do. Coarsen or omit them, or confirm the attribute.",
        attributes=list_attributes(open_ones, 4),
        attribute=open_ones[0],
        field="confirm",
    )


def _write_published(
    study: Study,
    published: PublishedTable,
    path: Path,
    options: BundleOptions,
    progress: Progress,
) -> _Released:
    refuse_unconfirmed(published.gives_away, options.confirm)
    gone = set(options.leave_out)
    names = [name for name in published.table.names if name not in gone]
    table = _in_random_order(published.table.select(names))
    said = write_table(
        table, path, _write_options(options), progress,
        remarks=published.remarks, sampling=published.sampling,
    )  # fmt: skip
    points = release_checklist(study, published.points, published.as_answered, table)
    return _Released(
        table.rows, None, points, said, published.method, published.as_answered, told=points
    )


def _in_random_order(table: Table) -> Table:
    """The rows shuffled, without what a table remembers of the file it came from."""
    order = SecureStreams().stream("shuffle", "rows")
    columns = (Column(c.attribute.with_(**_FORGOTTEN), c.data) for c in shuffled(table, order))
    return Table(tuple(columns), table.class_name)


def _write_options(options: BundleOptions) -> WriteOptions:
    return WriteOptions(escape_formulas=options.escape_formulas, readable_codebook=True)


def _descriptions(released: _Released, data: Path) -> list[BundleFile]:
    beside = sorted(path for path in data.parent.iterdir() if path != data)
    files = [BundleFile(path.name, "kinds, values and questions of the columns") for path in beside]
    if released.design is not None:
        design = _design_file(data)
        write_design(released.design, design)
        files.append(BundleFile(design.name, "the transition probabilities, for estimation"))
    return files


def _received(study: Study, released: _Released, data: Path) -> Study:
    """What a recipient has, read from the file just written, so that nothing else gets in.

    What its owner said of the survey goes along: its description, and the shares to be expected
    unless true answers were at hand, from which a drawing of expected shares begins.
    """
    if not released.has_table:
        return study.with_(original=None, distorted=None)
    if released.design is None:
        received = Study(study.title, distorted=read_table(data), design=Design(()))
    else:
        received = open_anything([data]).with_(title=study.title)
    received = received.with_(description=study.description)
    if study.original is not None:
        return received.with_results(RESPONSES, {SOURCES: [DIRECT]})
    sources = {SOURCES: list(sources_of(study))}
    return received.with_(choices=study.choices).with_results(RESPONSES, sources)


def _report(
    received: Study, released: _Released, table_name: str, tongue: Language, progress: Progress
) -> Report:
    return build_report(
        received,
        points=released.told,
        method=released.method,
        table_name=table_name,
        tongue=tongue,
        progress=progress,
    )


def _delivery(
    study: Study,
    received: Study,
    released: _Released,
    data: Path,
    options: BundleOptions,
    tongue: Language,
) -> Delivery:
    sampling = received.sampling
    return Delivery(
        study.description.title or study.title,
        received.distorted,
        received.design,
        received.state,
        data.name if released.has_table else "",
        "" if released.design is None else _design_file(data).name,
        today(),
        study.description,
        study.questionnaire,
        released.method,
        released.as_answered,
        describe_roles(sampling),
        options.escape_formulas,
        tongue,
    )


def _design_file(data: Path) -> Path:
    return data.with_name(f"{data.stem}-design.json")


def _write_report(report: Report, folder: Path, print_pdf: PdfPrinter | None) -> list[BundleFile]:
    write_report(report, folder / "report.html")
    files = [BundleFile("report.html", "results, privacy and method, with attachments")]
    tables = write_attachments(report, folder)
    files += [BundleFile(name, "numbers of the report as a table") for name in tables]
    if print_pdf is not None:
        print_pdf(report, folder / "report.pdf")
        files.append(BundleFile("report.pdf", "the report for printing"))
    return files


def _questionnaire(
    study: Study, released: _Released, folder: Path, options: BundleOptions
) -> BundleFile:
    page = folder / "questionnaire.html"
    design = released.design or without_attributes(study.design, options.leave_out)
    asked = _asked(study.questionnaire, design)
    # The language that was asked for comes first, whatever else the questionnaire speaks.
    spoken = () if asked is None else asked.whole_languages
    languages = sorted(spoken, key=lambda code: code != options.language)
    wanted = QuestionnaireOptions(
        "" if asked is not None and asked.title else study.title,
        language=",".join(languages) or options.language,
        post=options.post,
    )
    texts = asked if languages else texts_of(study.attributes)
    write_questionnaire(design, page, texts, wanted)
    return BundleFile(page.name, "asks the same questions and randomises in the browser")


def _asked(questionnaire: Questionnaire | None, design: Design) -> Questionnaire | None:
    if questionnaire is None:
        return None
    kept = tuple(one for one in questionnaire.questions if one.name in design.names)
    return replace(questionnaire, questions=kept)


def _write_checklist(
    study: Study, released: _Released, files: list[BundleFile], folder: Path, tongue: Language
) -> None:
    width = max(len(file.name) for file in files)
    contents = [f"{file.name:<{width}}  {tongue.say(file.purpose)}" for file in files]
    contents += [tongue.say(study.titled(sentence)) for sentence in released.method]
    if not released.has_table:
        contents += [tongue.say(note) for note in released.notes]
    points = [point.titled(study) for point in released.told]
    written = [folder / file.name for file in files if file.name != CHECKLIST]
    digests = [f"{_digest(path)}  {path.name}" for path in written]
    text = checklist_text(study.title, contents, points, digests, tongue)
    write_text(folder / CHECKLIST, text)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
