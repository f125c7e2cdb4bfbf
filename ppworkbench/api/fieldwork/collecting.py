"""What comes back from the field: a collector, files of pages, exports of survey platforms."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.api.fieldwork.questionnaires import open_questionnaire
from ppworkbench.api.inputs import DesignLike, StudyPath
from ppworkbench.api.result import Result
from ppworkbench.api.text import REPORTED, Naming, harmless, naming, note_lines
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.study.collector.tokens import MOST as MOST_TOKENS
from ppworkbench.study.responses import platforms

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design import Design
    from ppworkbench.study.collector.control import Collection
    from ppworkbench.study.questionnaire.document import Questionnaire
    from ppworkbench.study.responses import Responses
    from ppworkbench.study.study import Study

__all__ = ["MOST_TOKENS", "add_answers", "collect", "platforms", "serve"]

Files = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 (only compared with)
_ORIGIN = re.compile(r"https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")


def collect(
    answers: Files,
    design: DesignLike,
    out: str | os.PathLike[str] | None = None,
    *,
    progress: Progress = silent,
) -> CollectedResult:
    """Join the answers that questionnaire pages sent, in random order.

    Parameters
    ----------
    answers
        One or more files of JSON lines or CSV, or a collector's database.
    design
        The design of the page.
    out
        A file for the table with its codebook, replaced if it exists.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> found = pp.collect(["a.jsonl", "b.jsonl"], "design.json", "answers.csv")  # doctest: +SKIP
    >>> pp.Survey(found.table, "design.json").share("smokes=yes")  # doctest: +SKIP
    """
    from ppworkbench.core.data.files import write_table
    from ppworkbench.core.design.design_file import design_to_json
    from ppworkbench.study.collected import read_collected

    chosen = as_design(design)
    table = read_collected(_listed(answers), chosen, part(progress, 0, 0.8))
    said: Sequence[str] = ()
    target = "" if out is None else os.fspath(out)
    if target:
        said = write_table(
            table, target, WriteOptions(escape_formulas=True, readable_codebook=True),
            part(progress, 0.8, 1), design=design_to_json(chosen),
        )  # fmt: skip
    return CollectedResult(table, chosen, target, (*table.notes, *said))


@dataclass(frozen=True, eq=False, repr=False)
class CollectedResult(Result):
    """Reported answers; ``table`` has them."""

    table: Table
    design: Design
    file: str = ""
    notes: tuple[str, ...] = ()
    state = REPORTED

    def _document(self) -> Mapping[str, Any]:
        file = {"file": self.file} if self.file else {}
        return {"rows": self.table.rows, **file, "notes": list(self.notes)}

    def summary(self) -> str:
        """What was written, as the command line prints it."""
        text = f"{self.table.rows:,} distorted rows in random order."
        text = f"Wrote {harmless(self.file)}: {text}" if self.file else text
        return "\n".join([text, *note_lines(self.notes, _shown(self.design))])

    def to_frame(self) -> pd.DataFrame:
        """The answers, one row per person."""
        return self.table.to_frame()


def add_answers(  # noqa: PLR0913 (keywords with defaults)
    study: StudyPath,
    answers: Files,
    *,
    state: str,
    platform: str | None = None,
    mapping: str | os.PathLike[str] | None = None,
    mapping_out: str | os.PathLike[str] | None = None,
    texts: str | os.PathLike[str] | None = None,
    header_row: int | None = None,
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    progress: Progress = silent,
) -> AddedResult:
    """Add the answers of a survey platform's export to a study, or write them as a table.

    Parameters
    ----------
    study
        The study (``.ppw``) to add to, or the path of a design, which needs ``out``.
    answers
        One or more exports, answers of pages, or a collector's database.
    state
        ``"reported"`` where a card or a page randomised them, ``"true"`` where they were asked
        directly.
    platform
        The platform, where it is not recognised; ``"table"`` for a plain table.
    mapping, mapping_out
        A file that maps columns to questions, or ``kit.json``; a file for the mapping used.
    texts
        The wording of questions and answers, as for the page.
    header_row
        The line of the column names, counted from 1; 0 for a file without names.
    strict
        Whether an answer that is not in the design is an error.
    out
        Another study, or a new study or table for a design; without it the study is changed.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> found = pp.add_answers("survey.ppw", "export.csv", state="reported")  # doctest: +SKIP
    >>> found.to_frame()  # doctest: +SKIP
    """
    from ppworkbench.core.data.files import write_table
    from ppworkbench.core.design.design_file import design_to_json, publishable, read_design
    from ppworkbench.study.files.study_file import SUFFIX, open_study, save_study
    from ppworkbench.study.questionnaire.document import read_beside
    from ppworkbench.study.responses import add_to_study, read_responses, write_mapping
    from ppworkbench.study.study import Study

    if state not in ("reported", "true"):
        raise ParameterError(f"state must be reported or true, not {state!r}.", field="state")
    path = Path(study)
    opened = open_study(path) if path.suffix.lower() == SUFFIX else None
    if opened is None and out is None:
        raise ParameterError(
            "A design holds no answers; name a study or a table with out.", field="out"
        )
    beside = read_beside(path) if opened is None else None
    if opened is None and os.fspath(out or "").lower().endswith(SUFFIX):
        opened = Study(path.stem, design=read_design(path), questionnaire=beside)
    design = read_design(path) if opened is None else opened.design
    if state == "reported":
        design = publishable(design)
    files = [one if "://" in one else Path(one) for one in _listed(answers)]
    options, asked = _add_options(
        opened, design, files, state=state, platform=platform, header_row=header_row,
        mapping=mapping, texts=texts, questionnaire=beside,
    )  # fmt: skip
    found = read_responses(files, design, asked, options, part(progress, 0, 0.8))
    if strict:
        _refuse_unfit(found)
    notes: list[str] = list(found.notes)
    if opened is not None:
        target = path if out is None else Path(out)
        save_study(add_to_study(opened, found, options.salt), target)
    elif out is not None:
        notes += write_table(
            found.table, os.fspath(out), WriteOptions(escape_formulas=True, readable_codebook=True),
            part(progress, 0.8, 1), design=design_to_json(design) if state == "reported" else None,
        )  # fmt: skip
    if mapping_out is not None:
        write_mapping(found.mapping, os.fspath(mapping_out))
    return AddedResult(found, design, tuple(notes))


def _add_options(  # noqa: PLR0913 (what the function above was given)
    study: Study | None,
    design: Design,
    files: Sequence[str | Path],
    *,
    state: str,
    platform: str | None,
    header_row: int | None,
    mapping: str | os.PathLike[str] | None,
    texts: str | os.PathLike[str] | None,
    questionnaire: Questionnaire | None,
) -> tuple[Any, Any]:
    """How files are read, and the questions that their columns may answer."""
    from ppworkbench.study.questionnaire import read_texts
    from ppworkbench.study.responses import (
        AddOptions,
        find_kit,
        known_responses,
        questions_of,
        read_mapping_or_kit,
    )

    salt, known = (b"", frozenset[str]()) if study is None else known_responses(study)
    words = None if texts is None else read_texts(os.fspath(texts))
    wording = {} if study is None else {a.name: a.label for a in study.attributes}
    beside = [one for one in files if isinstance(one, Path)]
    kit = find_kit(beside, design) if state == "reported" else None
    used = kit if mapping is None else read_mapping_or_kit(os.fspath(mapping))
    asked = questions_of(
        design,
        wording if words is None else words.questions,
        {} if words is None else words.answers,
        questionnaire if study is None else study.questionnaire,
    )
    return AddOptions(state, platform, header_row, used, salt, known), asked


def _refuse_unfit(found: Responses) -> None:
    if found.unfit:
        name, cell, rows = found.unfit[0]
        raise DataError.saying(
            "{rows} row(s) answer {attribute!r} with {cell!r}, which is not in the design.",
            rows=rows,
            cell=cell[:60],
            attribute=name,
        )
    if found.refused:
        raise DataError(found.refused[0])


@dataclass(frozen=True, eq=False, repr=False)
class AddedResult(Result):
    """What was added and what was left out; ``found.table`` has the answers."""

    found: Responses
    design: Design
    notes: tuple[str, ...] = ()

    def _document(self) -> Mapping[str, Any]:
        return {**self.found.to_json(), "notes": list(self.notes)}

    def summary(self) -> str:
        """What was added and what was left out, as the command line prints it."""
        from ppworkbench.study.responses import platform_label

        found = self.found
        source = f"{platform_label(found.platform)} ({found.why}), names in line {found.header_row}"
        lines = [f"Added {found.table.rows:,} {found.state} answers from {source}."]
        width = max(map(len, found.mapping.columns), default=0)
        lines += [
            f"  {harmless(name):{width}}  {harmless(one.column)} ({one.read})"
            for name, one in found.mapping.columns.items()
        ]
        left_out = {
            "preview": found.preview,
            "unfinished": found.unfinished,
            "remark": found.remarks,
            "known already": found.known,
        }
        lines += [f"Left out, {why}: {count:,} row(s)." for why, count in left_out.items() if count]
        lines += [
            f"Left out, {harmless(repr(cell[:60]))} is no answer to {harmless(name)}: "
            f"{rows:,} row(s)."
            for name, cell, rows in found.unfit
        ]
        if found.columns_out:
            lines.append(f"Left out, columns: {harmless(', '.join(found.columns_out))}.")
        return "\n".join([*lines, *note_lines(self.notes, _shown(self.design))])

    def to_frame(self) -> pd.DataFrame:
        """One row per question: the column that answers it, and how it was read."""
        import pandas as pd

        rows = [(name, x.column, str(x.read)) for name, x in self.found.mapping.columns.items()]
        return pd.DataFrame(rows, columns=["attribute", "column", "read"])


@dataclass(frozen=True)
class Tokens:
    """Words that let people in once each: a list of them, or how many to make for a new list."""

    file: str
    make: int | None = None

    def __post_init__(self) -> None:
        """Refuse a file that a new list cannot be written to."""
        from ppworkbench.study.collector.tokens import check_name

        if self.make is not None:
            check_name(self.file)

    def take(self, collection: Collection) -> list[str]:
        """Make tokens or read them; what is to be said about it."""
        from ppworkbench.study.collector.tokens import new_tokens, read_tokens, write_tokens

        if self.make is not None:
            words = new_tokens(self.make)
            # First the slips: tokens that nobody can read would keep everybody out.
            write_tokens(words, self.file)
            collection.add_tokens(words)
            return []
        status = collection.status()
        # A round without answers and tokens is a new one, which has spent none.
        if status.tokens_left or (collection.needs_token and status.answers):
            return ["The database has its tokens already; spent ones do not count again."]
        collection.add_tokens(read_tokens(self.file))
        return []


Told = Callable[[Mapping[str, Any]], None]


def _say_nothing(_event: Mapping[str, Any]) -> None:
    pass


def serve(  # noqa: PLR0913 (keywords with defaults)
    study: StudyPath,
    db: str | os.PathLike[str] | None = None,
    *,
    questions: str | os.PathLike[str] | None = None,
    host: str = "127.0.0.1",
    port: int = 8421,
    cert: str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
    behind_proxy: str = "",
    allow_origins: Iterable[str] = (),
    tokens: str | os.PathLike[str] | None = None,
    make_tokens: int | None = None,
    kiosk: bool = False,
    until: datetime | None = None,
    report: Told = _say_nothing,
) -> ServeResult:
    """Serve the page of a study and store what it sends, until a signal or the clock ends it.

    Parameters
    ----------
    study
        A study (``.ppw``), the path of a design, or the database of a collection to go on with.
    db
        The database for the answers: a file, or the address of a PostgreSQL database.
    questions
        The questionnaire; that of the study, or ``questionnaire.json`` beside the design, if not
        given.
    host, port, cert, key
        Where to listen, at port 0 at any free one; certificate and key are for https.
    behind_proxy, allow_origins
        The address of a proxy that tells whose requests it passes on; other sites whose pages may
        send answers.
    tokens, make_tokens
        A list of tokens, each accepted once; with ``make_tokens`` so many new ones are written to
        it (``.csv``, ``.html``).
    kiosk
        Whether the address is that of the page that forgets one person before the next.
    until
        When the collection closes.
    report
        Called with what happens: ``ready`` as ``event`` with the ``address``, ``other_addresses``
        of this computer, the ``name`` of the database and ``notes``; then ``count`` with
        ``answers``, and ``trouble`` with ``why``.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> ended = pp.serve("survey.ppw", "answers.sqlite", port=0, report=print)  # doctest: +SKIP
    >>> ended.to_dict()  # doctest: +SKIP
    {'event': 'closed', 'answers': 120}
    """
    from ppworkbench.study.collector.control import why_unreliable
    from ppworkbench.study.collector.server import (
        OPEN_WARNING,
        TOKEN_WARNING,
        CollectorServer,
        ServeOptions,
        check_certificate,
        open_socket,
        own_addresses,
    )

    if until is not None and until <= datetime.now().astimezone():
        raise ParameterError("until is over; give a time in the future.", field="until")
    if bool(cert) != bool(key):
        raise ParameterError("cert and key go together; give both or neither.", field="cert")
    _check_proxy(behind_proxy)
    options = ServeOptions(
        host, port, os.fspath(cert or ""), os.fspath(key or ""), behind_proxy,
        frozenset(map(_origin, allow_origins)), kiosk, until,
    )  # fmt: skip
    # What cannot be served leaves no database behind.
    if options.cert or options.key:
        check_certificate(options.cert, options.key, options.host)
    open_socket(options.host, options.port).close()
    if make_tokens is not None and tokens is None:
        raise ParameterError("Name a file for the tokens.", field="make_tokens")
    slips = None if tokens is None else Tokens(os.fspath(tokens), make_tokens)
    with _open_collection(study, db, questions) as collection:
        notes: list[str] = []

        def prepare() -> None:
            # Only now: tokens would keep everybody out of a collection that another one serves.
            notes.extend([] if slips is None else slips.take(collection))
            unreliable = why_unreliable(collection.place)
            notes.extend([unreliable] if unreliable is not None else [])
            notes.extend([OPEN_WARNING] if options.is_open_without_tls else [])
            notes.extend([TOKEN_WARNING] if collection.needs_token else [])

        def tell(event: Mapping[str, Any]) -> None:
            if event["event"] != "ready":
                report(event)
                return
            others = own_addresses(host) if host in _EVERYWHERE else ()
            others = tuple(one for one in others if one not in event["address"])
            report({**event, "name": name, "notes": tuple(notes), "other_addresses": others})

        name = collection.name
        answers, state = CollectorServer(collection.store, options, tell).run(prepare)
    return ServeResult(answers, name, str(state))


@dataclass(frozen=True, eq=False, repr=False)
class ServeResult(Result):
    """How many answers a collection has, and in which state it is."""

    answers: int
    name: str
    collection: str

    def _document(self) -> Mapping[str, Any]:
        return {"event": "closed", "answers": self.answers}

    def summary(self) -> str:
        """How it ended, as the command line prints it."""
        counted = f"{self.answers:,} answer" + ("" if self.answers == 1 else "s")
        return f"Ended: {counted} in {harmless(self.name)}, which is {self.collection}."

    def to_frame(self) -> pd.DataFrame:
        """One row: the database, its answers and its state."""
        import pandas as pd

        row = {"database": self.name, "answers": self.answers, "state": self.collection}
        return pd.DataFrame([row])


def _check_proxy(address: str) -> None:
    import ipaddress

    try:
        ipaddress.ip_address(address or "127.0.0.1")
    except ValueError:
        raise DataError.saying(
            "{given!r} is no address of a proxy; write it as 127.0.0.1.",
            given=address,
            field="behind_proxy",
        ) from None


def _origin(given: str) -> str:
    """A site as browsers name it; ``null`` are pages that are files."""
    plain = given.rstrip("/").lower()
    if plain != "null" and not _ORIGIN.fullmatch(plain):
        raise DataError.saying(
            "{given!r} is no address of a site; write it as https://example.org.",
            given=given,
            field="allow_origin",
        )
    scheme, _, host = plain.partition("://")
    usual = {"http": ":80", "https": ":443"}.get(scheme, "")
    return plain.removesuffix(usual) if host and usual else plain


def _open_collection(
    study: StudyPath,
    db: str | os.PathLike[str] | None,
    questions: str | os.PathLike[str] | None,
) -> Collection:
    """The collection of a study or design, or the one that is named itself."""
    from ppworkbench.study.collector.control import (
        is_collection,
        open_collection,
        start_collection,
    )

    if db is None:
        if not is_collection(os.fspath(study)):
            raise ParameterError("Name a database for the answers.", field="db")
        return open_collection(os.fspath(study), must_be_open=True)
    design, asked = open_questionnaire(study, questions, "en")
    return start_collection(os.fspath(db), design, asked)


def _listed(files: Files) -> list[str]:
    return [os.fspath(one) for one in ([files] if isinstance(files, str | os.PathLike) else files)]


def _shown(design: Design) -> Naming:
    return naming(designed.attribute for designed in design)
