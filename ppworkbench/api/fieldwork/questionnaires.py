"""What respondents are given: questionnaires, pages, cards, and kits for survey platforms."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import StudyPath, check_arguments
from ppworkbench.analyses.inputs import DesignLike, settings
from ppworkbench.api.fieldwork.questions import open_questionnaire, read_questions
from ppworkbench.api.releases.reports import printer_for
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.fieldwork.kit.kit import target_names
from ppworkbench.fieldwork.page.page import QuestionnaireOptions
from ppworkbench.results.result import Result
from ppworkbench.results.text import harmless, naming, note_lines

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.core.design import Design
    from ppworkbench.fieldwork.kit.kit import KitResult as WrittenKit
    from ppworkbench.fieldwork.kit.target import PrintPdf
    from ppworkbench.fieldwork.page.cards import Card
    from ppworkbench.study.questionnaire.document import Questionnaire

__all__ = [
    "QuestionnaireOptions",
    "cards",
    "check_questions",
    "convert_questions",
    "kit",
    "questionnaire",
    "target_names",
]

_KIT_PRINTER = "ppworkbench.gui.pdf.kit"


@check_arguments
def check_questions(path: str | os.PathLike[str], *, language: str = "en") -> QuestionsResult:
    """Find faults and missing translations of a questionnaire.

    Parameters
    ----------
    path
        A questionnaire (``.json``), or a spreadsheet (CSV or Excel).
    language
        The language of columns of a spreadsheet that name none.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> found = pp.check_questions("questionnaire.json")  # doctest: +SKIP
    >>> found.problems, found.gaps["pl"]  # doctest: +SKIP
    ((), ())
    """
    return QuestionsResult(os.fspath(path), read_questions(path, language))


@dataclass(frozen=True, eq=False, repr=False)
class QuestionsResult(Result):
    """Faults of a questionnaire, and what is not translated."""

    file: str
    asked: Questionnaire

    @property
    def problems(self) -> tuple[tuple[str, str], ...]:
        """Faults: the question, empty for all of them, and what is wrong."""
        return tuple((one.question, one.why) for one in self.asked.problems())

    @property
    def gaps(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """By language, the question and what lacks its translation."""
        return {code: tuple(self.asked.gaps(code)) for code in self.asked.languages}

    def _document(self) -> Mapping[str, Any]:
        return {
            "questions": len(self.asked.questions),
            "languages": {
                code: [f"{name}: {what}" if name else what for name, what in found]
                for code, found in self.gaps.items()
            },
            "problems": [{"question": name, "why": why} for name, why in self.problems],
        }

    def summary(self) -> str:
        """Faults and gaps, as the command line prints them."""
        lines = [f"{harmless(self.file)}: {_counted(len(self.asked.questions))}."]
        problems = self.problems
        lines += [f"  {harmless(name or 'all')}: {harmless(why)}" for name, why in problems]
        for code, found in self.gaps.items():
            names = list(dict.fromkeys(name or what for name, what in found))
            listed = ", ".join(map(harmless, names[:8]))
            lines.append(f"  {code}: {f'{len(found)} gaps ({listed})' if found else 'no gaps'}")
        return "\n".join(lines if problems else [*lines, "No faults."])

    def to_frame(self) -> pd.DataFrame:
        """One row per fault, and one per text that lacks its translation."""
        import pandas as pd

        rows = [("", name, str(why)) for name, why in self.problems]
        rows += [
            (code, name, str(what)) for code, found in self.gaps.items() for name, what in found
        ]
        return pd.DataFrame(rows, columns=["language", "question", "what"])


@check_arguments
def convert_questions(
    path: str | os.PathLike[str], out: str | os.PathLike[str], *, language: str = "en"
) -> ConvertedResult:
    """Turn a spreadsheet into a questionnaire, or a questionnaire into a spreadsheet.

    Parameters
    ----------
    path, language
        As for :func:`check_questions`; a questionnaire with faults is refused.
    out
        A questionnaire (``.json``) or a spreadsheet (``.csv`` or ``.xlsx``), replaced if it
        exists; a spreadsheet has no place for title, introduction and thanks.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> print(pp.convert_questions("questions.xlsx", "questionnaire.json"))  # doctest: +SKIP
    Wrote questionnaire.json: 12 questions.
    """
    from ppworkbench.study.questionnaire.document import write_document
    from ppworkbench.study.questionnaire.sheet import write_questions_sheet

    source, target = os.fspath(path), os.fspath(out)
    if not target.lower().endswith((".json", ".csv", ".xlsx")):
        raise DataError.saying(
            "{file} cannot be written; choose a name that ends in {known}.",
            file=target,
            known=".json, .csv, .xlsx",
        )
    asked = read_questions(source, language)
    problems = asked.problems()
    if problems:
        where = f"{problems[0].question}: " if problems[0].question else ""
        raise DataError.saying("{file}: {why}", file=source, why=f"{where}{problems[0].why}")
    write = write_document if target.lower().endswith(".json") else write_questions_sheet
    write(asked, target)
    return ConvertedResult(target, asked)


@dataclass(frozen=True, eq=False, repr=False)
class ConvertedResult(Result):
    """The questionnaire that was written."""

    file: str
    asked: Questionnaire

    def _document(self) -> Mapping[str, Any]:
        return {
            "file": self.file,
            "questions": len(self.asked.questions),
            "languages": list(self.asked.languages),
        }

    def summary(self) -> str:
        """What was written, as the command line prints it."""
        said = f"Wrote {harmless(self.file)}: {_counted(len(self.asked.questions))}."
        asked = self.asked
        if self.file.lower().endswith(".json"):
            return said
        absent = {
            "title": asked.title, "introduction": asked.introduction, "thanks": asked.thanks
        }  # fmt: skip
        names = [name for name, texts in absent.items() if any(texts.values())]
        listed = " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
        return f"{said}\nWithout {listed}, for which a spreadsheet has no place." if names else said

    def to_frame(self) -> pd.DataFrame:
        """One row per question."""
        import pandas as pd

        return pd.DataFrame({"question": [one.name for one in self.asked.questions]})


@check_arguments
def questionnaire(
    design: DesignLike,
    out: str | os.PathLike[str],
    *,
    texts: str | os.PathLike[str] | None = None,
    questions: str | os.PathLike[str] | None = None,
    design_out: str | os.PathLike[str] | None = None,
    **page: Any,
) -> QuestionnaireResult:
    """Write a page that randomises answers in the respondent's browser.

    Parameters
    ----------
    design
        The design, its JSON values or the path of its file.
    out
        The page (``.html``), replaced if it exists.
    texts, questions
        The wording: a codebook or JSON with ``questions`` and ``answers``, or a questionnaire in
        the languages of the page. Only one of them.
    design_out
        A file for the design with the grid of the page.
    **page
        The options of the command ``questionnaire``: ``title``, ``introduction``, ``language``
        (several as ``"en,pl"``), ``post``, ``answers``, ``skipping`` and ``review``.

    Examples
    --------
    >>> import tempfile
    >>> import ppworkbench as pp
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"smokes": {
    ...     "kind": "binary", "values": ["no", "yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.8}}}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = pp.questionnaire(design, f"{folder}/page.html", language="pl")
    >>> page.to_dict()["questions"], page.to_dict()["languages"]
    (1, ['pl'])
    """
    from ppworkbench.core.design.design_file import publishable, write_design
    from ppworkbench.fieldwork.page.page import missing_words, write_questionnaire
    from ppworkbench.study.questionnaire.texts import read_texts
    from ppworkbench.study.release import undistorted

    options = settings(QuestionnaireOptions, page)
    chosen = as_design(design)
    if texts is not None and questions is not None:
        raise ParameterError(
            "texts and questions both say the wording; give one of them.", field="texts"
        )
    asked = None if questions is None else read_questions(questions, options.languages[0])
    wording = asked if texts is None else read_texts(os.fspath(texts))
    write_questionnaire(chosen, os.fspath(out), wording, options)
    if design_out is not None:
        write_design(publishable(chosen), os.fspath(design_out))
    # The page says what the number of a list gives away.
    apart = chosen.drawn_columns
    bare = tuple(name for name in undistorted(chosen) if name not in apart)
    notes: list[str] = [Message("Not randomised: {attributes}.", attributes=bare)] if bare else []
    lacking = missing_words(options.languages)
    notes += [] if lacking is None else [lacking]
    return QuestionnaireResult(os.fspath(out), chosen, options, tuple(notes))


@dataclass(frozen=True, eq=False, repr=False)
class QuestionnaireResult(Result):
    """The page that was written."""

    file: str
    design: Design
    options: QuestionnaireOptions
    notes: tuple[str, ...] = ()

    @property
    def _arms(self) -> tuple[str, ...]:
        return self.design.versions.choices

    @property
    def _count(self) -> int:
        return len(self.design.attributes) - bool(self._arms)

    def _document(self) -> Mapping[str, Any]:
        return {
            "file": self.file,
            "questions": self._count,
            "arms": list(self._arms),
            "language": self.options.languages[0],
            "languages": list(self.options.languages),
            "post": self.options.post or None,
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """What was written, as the command line prints it."""
        post = self.options.post
        goes = f"sends to {post}" if post else "saves a file"
        counted = _counted(self._count)
        if self._arms:
            counted += f" in {len(self._arms)} arms"
        text = f"Wrote {harmless(self.file)}: {counted}; it {harmless(goes)}."
        shown = naming(designed.attribute for designed in self.design)
        return "\n".join([text, *note_lines(self.notes, shown)])

    def to_frame(self) -> pd.DataFrame:
        """The questions of the page, as :meth:`Design.to_frame` lists them."""
        from ppworkbench.api.designs import Design as PublicDesign

        return PublicDesign.of(self.design).to_frame()


@check_arguments
def cards(
    design: DesignLike,
    out: str | os.PathLike[str],
    *,
    attributes: Sequence[str] = (),
    arms: Sequence[str] = (),
    languages: str | Sequence[str] = "en",
    texts: str | os.PathLike[str] | None = None,
) -> CardsResult:
    """Write printable cards that tell respondents what to do with their device.

    Parameters
    ----------
    design
        A design with devices, its JSON values or the path of its file.
    out
        A page (``.html``) or a PDF, which needs the libraries of the window; replaced if it exists.
    attributes, arms
        Questions and arms to write cards for; all if none is named.
    languages
        One or more languages, such as ``("en", "pl")``.
    texts
        The wording of questions and answers, as for :func:`questionnaire`.

    Examples
    --------
    >>> import tempfile
    >>> import ppworkbench as pp
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"smokes": {
    ...     "kind": "binary", "values": ["no", "yes"],
    ...     "perturbation": {"type": "uniform", "keep": 2 / 3}}}}
    >>> die = pp.devices(design, "smokes", use="die").design
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = pp.cards(die, f"{folder}/cards.html", languages=("en", "pl"))
    >>> found.to_frame()["language"].tolist()
    ['en', 'pl']
    """
    from ppworkbench.fieldwork.page.cards import cards_of, write_cards
    from ppworkbench.study.questionnaire.texts import read_texts

    target = Path(out)
    # Found out before the work is done, not after it.
    printer = printer_for(target, "Cards are", "cards.html")
    chosen = as_design(design)
    spoken = _once([languages] if isinstance(languages, str) else languages)
    wording = None if texts is None else read_texts(os.fspath(texts))
    made = cards_of(chosen, spoken, wording, list(attributes), _once(arms))
    if printer is None:
        write_cards(made, target)
    else:
        printer.print_cards(made, target)
    written = _once(card.attribute for card in made)
    wanted = attributes or [name for name in chosen.names if name not in chosen.versions.columns]
    # The count of a list is what its card asks for.
    counts = {one.count for one in chosen.lists if one.name in written}
    without = tuple(name for name in wanted if name not in written and name not in counts)
    notes = (Message("No card for {attributes}.", attributes=without),) if without else ()
    return CardsResult(os.fspath(out), tuple(made), spoken, notes)


@dataclass(frozen=True, eq=False, repr=False)
class CardsResult(Result):
    """The cards that were written."""

    file: str
    cards: tuple[Card, ...]
    languages: tuple[str, ...]
    remarks: tuple[str, ...] = ()

    def _document(self) -> Mapping[str, Any]:
        document: dict[str, Any] = {
            "file": self.file,
            "cards": len(self.cards),
            "attributes": list(_once(card.attribute for card in self.cards)),
            "arms": list(_once(card.arm for card in self.cards if card.arm)),
            "languages": list(self.languages),
        }
        return document | {"remarks": list(self.remarks)} if self.remarks else document

    def summary(self) -> str:
        """What was written, as the command line prints it."""
        count = f"{len(self.cards)} card" + ("" if len(self.cards) == 1 else "s")
        return "\n\n".join([f"Wrote {harmless(self.file)}: {count}.", *note_lines(self.remarks)])

    def to_frame(self) -> pd.DataFrame:
        """One row per card."""
        import pandas as pd

        rows = [(one.attribute, one.arm, one.language) for one in self.cards]
        return pd.DataFrame(rows, columns=["attribute", "arm", "language"])


@check_arguments
def kit(
    study: StudyPath,
    out: str | os.PathLike[str],
    *,
    questions: str | os.PathLike[str] | None = None,
    targets: Sequence[str] = (),
    languages: Sequence[str] = (),
    post: str = "",
    progress: Progress = silent,
) -> KitResult:
    """Write cards, paper and forms for survey platforms, and what brings their answers back.

    Parameters
    ----------
    study
        A study (``.ppw``), or the path of a design.
    out
        A new folder, or a new file that ends in ``.zip``.
    questions
        A questionnaire, or a spreadsheet of questions; that of the study, ``questionnaire.json``
        beside the design, or the words of the design if not given.
    targets
        What to write, such as ``("cards", "limesurvey")``; all if not given.
    languages
        Languages of the forms; the main language of the questionnaire if not given.
    post
        The address for the answers of the page.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> written = pp.kit("survey.ppw", "kit.zip", languages=("en", "pl"))  # doctest: +SKIP
    >>> written.to_frame()["target"].tolist()[:2]  # doctest: +SKIP
    ['cards', 'limesurvey']
    """
    from ppworkbench.fieldwork.kit.kit import KitOptions, write_kit

    main = languages[0] if languages else "en"
    design, asked = open_questionnaire(study, questions, main)
    if asked is None:
        from ppworkbench.study.questionnaire.document import Questionnaire
        from ppworkbench.study.questionnaire.texts import Texts

        asked = Questionnaire.of_design(design, Texts(), main)
    options = KitOptions(_once(targets), _once(languages), QuestionnaireOptions(post=post))
    made = write_kit(
        design, asked, os.fspath(out), options, print_pdf=_kit_printer(), progress=progress
    )
    if not made.files:
        first, why = made.refused[0], made.why_nothing
        raise DataError(why, attribute=first.attribute or None, field=first.target)
    return KitResult(os.fspath(out), made, design)


@dataclass(frozen=True, eq=False, repr=False)
class KitResult(Result):
    """The files that were written, and what was refused with its reason."""

    path: str
    made: WrittenKit
    design: Design

    def _document(self) -> Mapping[str, Any]:
        return {"path": self.path, **self.made.to_json()}

    def summary(self) -> str:
        """What was written, as the command line prints it."""
        written = [one for one in self.made.files if one.target]
        lines = [f"Wrote {harmless(self.path)}: {len(self.made.files)} files."]
        width = max(len(one.target) for one in written)
        lines += [f"  {one.target:{width}}  {harmless(one.file)}" for one in written]
        for refused in self.made.refused:
            where = f" ({harmless(refused.attribute)})" if refused.attribute else ""
            lines.append(f"Not written, {harmless(refused.target)}{where}: {harmless(refused.why)}")
        shown = naming(one.attribute for one in self.design)
        return "\n".join([*lines, *note_lines(self.made.notes, shown)])

    def to_frame(self) -> pd.DataFrame:
        """One row per file, and one per target that was not written."""
        import pandas as pd

        rows = [(one.target, one.file, "") for one in self.made.files]
        rows += [(one.target, "", str(one.why)) for one in self.made.refused]
        return pd.DataFrame(rows, columns=["target", "file", "refused"])


def _kit_printer() -> PrintPdf | None:
    """What prints; None where the libraries of the window are not installed."""
    # By name, because everything but the window must work where Qt is not installed.
    try:
        found: PrintPdf = importlib.import_module(_KIT_PRINTER).print_kit
    except ImportError:
        return None
    return found


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _counted(count: int) -> str:
    return f"{count:,} question" + ("" if count == 1 else "s")
