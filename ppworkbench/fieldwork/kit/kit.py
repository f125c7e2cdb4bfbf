"""Write a kit: every target that fits, the design, and ``kit.json`` for the way back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.design.procedures import NO_DEVICE
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.fieldwork.kit.form import Form, build_form
from ppworkbench.fieldwork.kit.nearest import HALF_WIDTH, NearestDevice, nearest_devices
from ppworkbench.fieldwork.kit.target import Output, PrintPdf, Target
from ppworkbench.fieldwork.kit.targets import targets
from ppworkbench.fieldwork.page.model import words_language
from ppworkbench.fieldwork.page.page import QuestionnaireOptions
from ppworkbench.fieldwork.responses.kit_file import FILE, Kit, KitTarget, write_kit_file
from ppworkbench.fieldwork.responses.platforms import platforms
from ppworkbench.study.bundle_target import new_folder
from ppworkbench.study.language import ENGLISH_TONGUE, Language
from ppworkbench.study.questionnaire.document import BESIDE, Questionnaire, write_document
from ppworkbench.study.questionnaire.texts import texts_of

if TYPE_CHECKING:
    from ppworkbench.study.study import Study

DESIGN, QUESTIONS = "design.json", BESIDE
_RANDOM = "-random"
_MOST_OFFERED = 5
"""Questions for which the nearest devices are named."""
_MOST_REASONS = 8
"""Reasons that are told where nothing is written."""
PLATFORMS = ("xlsform", "redcap", "limesurvey", "qualtrics", "google-forms")
"""Platforms with random functions of their own, which protect nobody (class C)."""


@dataclass(frozen=True)
class KitFile:
    """A file of a kit and the target that wrote it; empty for what belongs to all."""

    target: str
    file: str


@dataclass(frozen=True)
class RefusedTarget:
    target: str
    attribute: str
    why: Message


@dataclass(frozen=True)
class KitResult:
    files: tuple[KitFile, ...]
    refused: tuple[RefusedTarget, ...]
    notes: tuple[Message, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "files": [vars(one) for one in self.files],
            "refused": [vars(one) for one in self.refused],
            "notes": list(self.notes),
        }

    @property
    def why_nothing(self) -> Message:
        """Which questions kept every target from being written, and why."""
        reasons: dict[tuple[str, Message], list[str]] = {}
        for one in self.refused:
            reasons.setdefault((one.attribute, one.why), []).append(one.target)
        told: list[str] = []
        for (name, why), names in [*reasons.items()][:_MOST_REASONS]:
            listed = Message.joined(names, ", ")
            told.append(
                Message("{attribute!r} ({targets}): {why}", attribute=name, targets=listed, why=why)
                if name
                else Message("{targets}: {why}", targets=listed, why=why)
            )
        told += ["…"] if len(reasons) > _MOST_REASONS else []
        return Message(
            "Nothing was written. {reasons}", reasons=Message.joined([*told, *self.notes], " ")
        )


class _NothingWrittenError(Exception):
    """Leaves the new folder without making it."""


def target_names() -> tuple[str, ...]:
    return tuple(entry.name for entry in sorted(targets, key=lambda entry: entry.rank))


def asked_in(study: Study, language: str = "en") -> Questionnaire:
    """The questionnaire of a study; made of its design where nobody has written one."""
    if study.questionnaire is not None:
        return study.questionnaire
    return Questionnaire.of_design(
        study.asked_design, texts_of(study.attributes), language, study.title
    )


@dataclass(frozen=True)
class KitOptions:
    """What a kit holds.

    Parameters
    ----------
    targets
        Names of targets; all where none is named.
    languages
        The languages of the forms, the first of them being the main one; the questionnaire's main
        language where none is named.
    page
        Where the page of a class B target sends its answers.
    tongue
        The language of check lists, which are for whoever makes the kit.
    """

    targets: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    page: QuestionnaireOptions = field(default_factory=QuestionnaireOptions)
    tongue: Language = ENGLISH_TONGUE


def write_kit(
    design: Design,
    questionnaire: Questionnaire,
    folder: str | Path,
    options: KitOptions | None = None,
    *,
    print_pdf: PrintPdf | None = None,
    progress: Progress = silent,
) -> KitResult:
    """Write all wanted targets that fit into a new folder, or into a zip if it ends in .zip.

    A target that cannot be written is refused with its reasons and does not stop the others. Where
    none can be written, nothing is left behind.

    Parameters
    ----------
    print_pdf
        Prints cards and paper questionnaires; without it they are refused.

    Raises
    ------
    DataError, ParameterError
        When questionnaire and design do not fit, a language has gaps, a target is unknown, or the
        folder cannot be written.
    """
    options, target = options or KitOptions(), Path(folder)
    listed = tuple(dict.fromkeys(options.targets)) or target_names()
    known = [name for name in listed if not name.endswith(_RANDOM)]
    chosen: list[Target] = [targets[name]() for name in known]
    codes = options.languages or (questionnaire.language,)
    forms = {
        by_hand: build_form(design, questionnaire, codes, by_hand=by_hand)
        for by_hand in {one.is_by_hand for one in chosen} or {True}
    }
    writer = _Writer(print_pdf, options)
    writer.refuse_random([name for name in listed if name not in known])
    try:
        with new_folder(target) as hidden:
            for place, one in enumerate(chosen):
                label = targets.entry(one.name).label
                progress(place / len(chosen), Message("Writing {target}", target=Message(label)))
                writer.write(one, forms[one.is_by_hand], hidden)
            if not writer.files:
                raise _NothingWrittenError
            writer.finish(forms.get(True) or forms[False], hidden)
            progress(0.98, Message("Saving {file}", file=target.name))
    except _NothingWrittenError:
        pass
    writer.offer_nearest(design)
    progress(1.0, Message("Done"))
    return writer.result()


class _Writer:
    def __init__(self, print_pdf: PrintPdf | None, options: KitOptions) -> None:
        self._print, self._options = print_pdf, options
        self.files: list[KitFile] = []
        self._refused: list[RefusedTarget] = []
        self._notes: dict[Message, None] = {}
        self._targets: dict[str, KitTarget] = {}

    def refuse_random(self, names: Sequence[str]) -> None:
        for name in names:
            if name.removesuffix(_RANDOM) not in PLATFORMS:
                targets[name]  # An error says what there is.
            why = Message(
                "The platform stores the true answer or the draw beside it. That protects nobody."
            )
            self._refused.append(RefusedTarget(name, "", why))

    def write(self, target: Target, form: Form, folder: Path) -> None:
        faults = [*target.faults(form)]
        if target.needs_printer and self._print is None:
            faults.append(("", Message("A PDF needs the libraries of the window.")))
        if faults:
            self._refused += [RefusedTarget(target.name, name, why) for name, why in faults]
            return
        out = Output(folder, self._print, self._options.tongue, self._options.page)
        try:
            target.write(form, out)
        except WorkbenchError as error:
            for name in out.files:
                (folder / name).unlink(missing_ok=True)
            if isinstance(error, DataError) and error.file is not None:
                raise  # The disk is full, which stops all.
            self._refused.append(RefusedTarget(target.name, error.attribute or "", error.message))
            return
        self.files += [KitFile(target.name, name) for name in out.files]
        self._notes |= dict.fromkeys(out.notes)
        for platform, columns in out.columns.items():
            name = f"{target.name}-{platform}" if platform else target.name
            own = platform if platform in platforms else target.platform
            self._targets[name] = KitTarget(own, tuple(out.files), columns)

    def offer_nearest(self, design: Design) -> None:
        names = [one.attribute for one in self._refused if one.why.code == NO_DEVICE]
        for name in [*dict.fromkeys(names)][:_MOST_OFFERED]:
            for one in nearest_devices(design, name):
                self._notes[_offer_words(name, one)] = None

    def finish(self, form: Form, folder: Path) -> None:
        write_design(form.design, folder / DESIGN)
        write_document(form.questionnaire, folder / QUESTIONS)
        questions = {
            item.name: {
                "short": item.short,
                "kind": str(item.attribute.kind),
                "values": list(item.attribute.values),
            }
            for item in form.items
        }
        kit = Kit(form.digest, form.languages, questions, self._targets, DESIGN)
        write_kit_file(kit, folder / FILE)
        self.files += [KitFile("", name) for name in (FILE, DESIGN, QUESTIONS)]
        self._notes |= dict.fromkeys(self._about_words(form))

    def _about_words(self, form: Form) -> Iterator[Message]:
        for code in form.languages:
            if words_language(code, form.main) != code:
                yield Message(
                    "The program's own words do not exist in {language!r}; they are in "
                    "{instead!r}.",
                    language=code,
                    instead=words_language(code, form.main),
                )
        assumed = tuple(
            item.name for item in form.items if item.procedure and item.procedure.is_assumed
        )
        if assumed:
            yield Message(
                "Shares of birthdays and of harmless questions are assumed, not exact: "
                "{attributes}.",
                attributes=assumed,
            )

    def result(self) -> KitResult:
        return KitResult(tuple(self.files), tuple(self._refused), tuple(self._notes))


def _offer_words(name: str, one: NearestDevice) -> Message:
    if not math.isfinite(one.respondents):
        return Message(
            "Nearest to {attribute!r}: {device} (epsilon {epsilon:.2f}).",
            attribute=name,
            device=one.label,
            epsilon=one.epsilon,
        )
    return Message(
        "Nearest to {attribute!r}: {device} (epsilon {epsilon:.2f}, {count:,} answers for "
        "± {points:g} points).",
        attribute=name,
        device=one.label,
        epsilon=one.epsilon,
        count=math.ceil(one.respondents),
        points=100 * HALF_WIDTH,
    )
