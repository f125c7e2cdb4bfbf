"""The questionnaire as a document: what is asked, in which order and words, in any languages.

Values are what designs and data hold; texts are what people read. The first language is the main
one: whatever another language lacks is known as a gap.
"""

from __future__ import annotations

import dataclasses
import json
import operator
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design
from ppworkbench.core.design.starting import MOST_VALUES
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.files import write_text
from ppworkbench.core.message import Message
from ppworkbench.study.questionnaire.texts import Texts, read_json, short_name

FORMAT, VERSION = "ppworkbench-questionnaire", 1
BESIDE = "questionnaire.json"
"""What a questionnaire is called where it lies beside its design."""
_SHORT = re.compile(r"[a-z][a-z0-9_]{0,25}")
_LANGUAGE = re.compile(r"([a-z]{2})(-[A-Za-z0-9]{2,8})*")
_LANGUAGES = frozenset({
    "aa", "ab", "af", "ak", "am", "an", "ar", "as", "av", "ay", "az", "ba", "be", "bg", "bi",
    "bm", "bn", "bo", "br", "bs", "ca", "ce", "ch", "co", "cr", "cs", "cu", "cv", "cy", "da",
    "de", "dv", "dz", "ee", "el", "en", "eo", "es", "et", "eu", "fa", "ff", "fi", "fj", "fo",
    "fr", "fy", "ga", "gd", "gl", "gn", "gu", "gv", "ha", "he", "hi", "ho", "hr", "ht", "hu",
    "hy", "hz", "ia", "id", "ie", "ig", "ii", "ik", "io", "is", "it", "iu", "ja", "jv", "ka",
    "kg", "ki", "kj", "kk", "kl", "km", "kn", "ko", "kr", "ks", "ku", "kv", "kw", "ky", "la",
    "lb", "lg", "li", "ln", "lo", "lt", "lu", "lv", "mg", "mh", "mi", "mk", "ml", "mn", "mr",
    "ms", "mt", "my", "na", "nb", "nd", "ne", "ng", "nl", "nn", "no", "nr", "nv", "ny", "oc",
    "oj", "om", "or", "os", "pa", "pi", "pl", "ps", "pt", "qu", "rm", "rn", "ro", "ru", "rw",
    "sa", "sc", "sd", "se", "sg", "si", "sk", "sl", "sm", "sn", "so", "sq", "sr", "ss", "st",
    "su", "sv", "sw", "ta", "te", "tg", "th", "ti", "tk", "tl", "tn", "to", "tr", "ts", "tt",
    "tw", "ty", "ug", "uk", "ur", "uz", "ve", "vi", "vo", "wa", "wo", "xh", "yi", "yo", "za",
    "zh", "zu",
})  # fmt: skip
"""ISO 639-1."""

ASKED = tuple(kind for kind in Kind if kind is not Kind.SET)
"""The kinds of questions; sets are only reported."""
Words = Mapping[str, str]
"""A text by language."""
_NO_WORDS: Words = MappingProxyType({})


@dataclass(frozen=True)
class Answer:
    value: str
    text: Words = field(default_factory=dict)
    sensitive: bool = False


@dataclass(frozen=True)
class Question:
    """One question.

    Parameters
    ----------
    short
        The name that every platform takes; made from the name where it is empty.
    answers
        What can be chosen; empty for a number, which has a ``domain`` and perhaps a ``step``.
    page
        The page on which it is asked, counted from 1.
    """

    name: str
    kind: Kind
    text: Words = field(default_factory=dict)
    help: Words = field(default_factory=dict)
    unit: Words = field(default_factory=dict)
    required: bool = False
    answers: tuple[Answer, ...] = ()
    domain: tuple[float, float] | None = None
    step: float | None = None
    short: str = ""
    page: int = 1

    def attribute(self, language: str) -> Attribute:
        known = self._attributes.get(language)
        if known is None:
            known = self._attributes[language] = Attribute(
                self.name,
                self.kind,
                tuple(answer.value for answer in self.answers),
                self.domain,
                label=self.text.get(language, ""),
                unit=self.unit.get(language, ""),
                sensitive=tuple(answer.value for answer in self.answers if answer.sensitive),
            )
        return known

    @cached_property
    def _attributes(self) -> dict[str, Attribute]:
        """By language: an edit of one question asks for those of all others again."""
        return {}

    @classmethod
    def of(cls, attribute: Attribute, language: str, texts: Texts | None = None) -> Self:
        known = texts or Texts()
        marked = attribute.sensitive
        answers = tuple(
            Answer(value, {language: known.answer(attribute.name, value)}, value in marked)
            for value in attribute.values
        )
        return cls(
            attribute.name,
            attribute.kind,
            {language: known.questions.get(attribute.name) or attribute.label or attribute.shown},
            unit={language: attribute.unit} if attribute.unit else _NO_WORDS,
            answers=answers,
            domain=attribute.domain,
        )

    def following(self, attribute: Attribute, language: str) -> Question:
        """The question with the answers, marks and range of its attribute.

        Texts stay with their values; a value that was renamed is known by its place.
        """
        wording = attribute.label or self.text.get(language, "")
        unit = attribute.unit
        is_same = (
            self.kind is attribute.kind
            and self.domain == attribute.domain
            and self.unit.get(language, "") == unit
            and self.text.get(language, "") == wording
            and tuple(one.value for one in self.answers) == attribute.values
            and tuple(one.value for one in self.answers if one.sensitive) == attribute.sensitive
        )
        if is_same:
            return self
        return dataclasses.replace(
            self,
            kind=attribute.kind,
            domain=attribute.domain,
            step=None if attribute.domain is None else self.step,
            text=with_text(self.text, language, wording),
            unit=with_text(self.unit, language, unit) if unit else _NO_WORDS,
            answers=self._following_answers(attribute, language),
        )

    def _following_answers(self, attribute: Attribute, language: str) -> tuple[Answer, ...]:
        before = {one.value: one for one in self.answers}
        if len(before) == attribute.k:
            pairs = zip(self.answers, attribute.values, strict=True)
            before |= {
                new: Answer(new, _renamed_text(old, new, language))
                for old, new in pairs
                if new not in before and old.value not in attribute.values
            }
        marked = attribute.sensitive
        return tuple(
            dataclasses.replace(before[value], sensitive=value in marked)
            if value in before
            else Answer(value, {language: value}, value in marked)
            for value in attribute.values
        )

    def with_words(self, change: Callable[[Words], Words]) -> Question:
        answers = (dataclasses.replace(one, text=change(one.text)) for one in self.answers)
        return dataclasses.replace(
            self,
            text=change(self.text),
            help=change(self.help),
            unit=change(self.unit),
            answers=tuple(answers),
        )

    def texts(self) -> Iterator[tuple[str, Words]]:
        yield "text", self.text
        for answer in self.answers:
            yield answer.value, answer.text
        if self.help:
            yield "help", self.help
        if self.unit:
            yield "unit", self.unit


@dataclass(frozen=True)
class Problem:
    """What is wrong with a questionnaire; ``question`` is empty for the whole of it.

    ``field`` is what has to be mended: ``name``, ``text``, ``short`` or ``answers``.
    """

    question: str
    why: Message
    field: str = ""


@dataclass(frozen=True)
class Questionnaire:
    """Questions in order, and what stands before and after them.

    ``review`` is for teaching: the page shows what will be sent, and answers are then fixed.
    """

    languages: tuple[str, ...]
    questions: tuple[Question, ...]
    title: Words = field(default_factory=dict)
    introduction: Words = field(default_factory=dict)
    thanks: Words = field(default_factory=dict)
    review: bool = False

    @property
    def language(self) -> str:
        return self.languages[0]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(question.name for question in self.questions)

    def __getitem__(self, name: str) -> Question:
        return next(question for question in self.questions if question.name == name)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def renamed(self, call: Callable[[str], str]) -> Self:
        listed = tuple(dataclasses.replace(one, name=call(one.name)) for one in self.questions)
        return dataclasses.replace(self, questions=listed)

    def with_words(self, change: Callable[[Words], Words]) -> Self:
        around: Any = {name: change(words) for name, words in self._around.items()}
        listed = tuple(one.with_words(change) for one in self.questions)
        return dataclasses.replace(self, questions=listed, **around)

    @property
    def _around(self) -> dict[str, Words]:
        return {"title": self.title, "introduction": self.introduction, "thanks": self.thanks}

    def following(self, attributes: Iterable[Attribute], others: Collection[str] = ()) -> Self:
        """The questionnaire of these attributes: texts stay, all else is as they have it.

        Questions of other attributes go, unless they are named; new ones stand at the end.
        """
        known = {attribute.name: attribute for attribute in attributes}
        kept = [
            one if one.name not in known else one.following(known[one.name], self.language)
            for one in self.questions
            if one.name in known or one.name in others
        ]
        had = set(self.names)
        kept += [Question.of(a, self.language) for a in known.values() if a.name not in had]
        if len(kept) == len(self.questions) and all(map(operator.is_, kept, self.questions)):
            return self
        return dataclasses.replace(self, questions=tuple(kept))

    def short_names(self) -> dict[str, str]:
        """The short name of every question, all different.

        >>> asked = [Question(name, Kind.INTEGER, domain=(0, 1)) for name in ("Age!", "age")]
        >>> Questionnaire(("en",), tuple(asked)).short_names()
        {'Age!': 'age', 'age': 'age_2'}
        """
        result: dict[str, str] = {}
        for question in self.questions:
            wanted = question.short or short_name(question.name)
            number, short = 1, wanted
            while short in result.values():
                number += 1
                short = f"{wanted[: 26 - len(str(number)) - 1]}_{number}"
            result[question.name] = short
        return result

    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._problems())

    def _problems(self) -> Iterator[Problem]:
        if not self.questions:
            yield Problem("", Message("There are no questions."))
        for name, count in Counter(self.names).items():
            if count > 1:
                why = Message("Two questions are called {name!r}.", name=name)
                yield Problem(name, why, "name")
        shorts = Counter(question.short for question in self.questions if question.short)
        for question in self.questions:
            for why, what in self._faults(question, shorts):
                yield Problem(question.name, why, what)

    def _faults(self, question: Question, shorts: Counter[str]) -> Iterator[tuple[Message, str]]:
        if not question.text.get(self.language):
            language = self.language
            why = Message("It has no text in the main language ({language}).", language=language)
            yield why, "text"
        if question.short and not _SHORT.fullmatch(question.short):
            yield (
                Message(
                    "Its short name {short!r} must have small letters, digits and underscores, 26 "
                    "at most.",
                    short=question.short,
                ),
                "short",
            )
        if shorts[question.short] > 1:
            yield Message("Its short name {short!r} is used twice.", short=question.short), "short"
        fault = self._why_not_answered(question)
        if fault is not None:
            yield fault, "answers"

    def _why_not_answered(self, question: Question) -> Message | None:
        if question.kind.is_categorical and len(question.answers) < 2:
            return Message("It has fewer than 2 answers.")
        if len(question.answers) > MOST_VALUES:
            return Message(
                "It has {count} answers, and at most {most} can be randomised; join some.",
                count=len(question.answers),
                most=MOST_VALUES,
            )
        try:
            question.attribute(self.language)
        except WorkbenchError as error:
            return error.message
        return None

    def gaps(self, language: str) -> tuple[tuple[str, str], ...]:
        found = [
            (question.name, what)
            for question in self.questions
            for what, text in question.texts()
            if not text.get(language)
        ]
        around = self._around.items()
        return tuple(
            [("", what) for what, text in around if text and not text.get(language)] + found
        )

    @property
    def whole_languages(self) -> tuple[str, ...]:
        return tuple(code for code in self.languages if not self.gaps(code))

    def check_language(self, language: str) -> None:
        if language not in self.languages:
            raise DataError.saying(
                "The questionnaire has no language {language!r}; it has {known}.",
                language=language,
                known=", ".join(self.languages),
                field="language",
            )
        gaps = self.gaps(language)
        if gaps:
            name, what = gaps[0]
            where = f"{name}: {what}" if name else what
            raise DataError.saying(
                "{count} text(s) have no translation into {language!r}, among them {where!r}.",
                count=len(gaps),
                language=language,
                where=where,
                field="language",
            )

    def attributes(self) -> tuple[Attribute, ...]:
        return tuple(question.attribute(self.language) for question in self.questions)

    def page_texts(self, language: str) -> Texts:
        """Texts for a page in a language; those of the main language where it has none."""

        def said(text: Words) -> str:
            return text.get(language) or text.get(self.language, "")

        return Texts(
            MappingProxyType({one.name: said(one.text) for one in self.questions}),
            MappingProxyType(
                {
                    one.name: {answer.value: said(answer.text) for answer in one.answers}
                    for one in self.questions
                }
            ),
        )

    def to_json(self) -> dict[str, Any]:
        shorts = self.short_names()
        return {
            "format": FORMAT,
            "version": VERSION,
            "languages": list(self.languages),
            **{name: dict(words) for name, words in self._around.items() if words},
            **({"review": True} if self.review else {}),
            "questions": [_question_json(one, shorts[one.name]) for one in self.questions],
        }

    @classmethod
    def from_json(cls, given: Any) -> Self:
        if not isinstance(given, dict) or given.get("format") != FORMAT:
            raise DataError("It is no questionnaire.")
        version = given.get("version")
        if version != VERSION:
            raise DataError.saying(
                "It has version {version}; this program reads version {known}. Install the newer "
                "program.",
                version=str(version),
                known=VERSION,
            )
        languages = given.get("languages")
        if not isinstance(languages, list) or not languages:
            raise DataError("The questionnaire names no language.", field="languages")
        for code in languages:
            check_code(code)
        listed = given.get("questions")
        if not isinstance(listed, list):
            raise DataError("The questionnaire has no list of questions.", field="questions")
        made = cls(
            tuple(dict.fromkeys(languages)),
            tuple(_question(one, place) for place, one in enumerate(listed, 1)),
            _words(given, "title", ""),
            _words(given, "introduction", ""),
            _words(given, "thanks", ""),
            given.get("review") is True,
        )
        refuse_twice(made.names)
        return made

    @classmethod
    def of_design(cls, design: Design, texts: Texts, language: str, title: str = "") -> Self:
        drawn = set(design.drawn_columns)
        listed = [
            Question.of(one.attribute, language, texts) for one in design if one.name not in drawn
        ]
        return cls((language,), tuple(listed), {language: title} if title else _NO_WORDS)


def with_text(words: Words, language: str, text: str) -> Words:
    """Words with another text in a language; an empty one leaves a gap."""
    others = {code: said for code, said in words.items() if code != language}
    if not text:
        return MappingProxyType(others)
    # In their order, so that setting a text twice changes nothing.
    changed = {**words, language: text}
    return MappingProxyType(changed)


def _renamed_text(answer: Answer, value: str, language: str) -> Words:
    """The texts of a value that is called otherwise; one that said the same follows it."""
    if answer.text.get(language, answer.value) != answer.value:
        return answer.text
    return with_text(answer.text, language, value)


def check_code(code: object) -> None:
    found = _LANGUAGE.fullmatch(code) if isinstance(code, str) else None
    if found is None or found[1] not in _LANGUAGES:
        raise DataError.saying(
            "{language!r} is no language; write its code, such as 'en' or 'pl'.",
            language=str(code)[:20],
            field="languages",
        )


def _question_json(one: Question, short: str) -> dict[str, Any]:
    result: dict[str, Any] = {"name": one.name, "short": short, "kind": str(one.kind)}
    for name, words in (("text", one.text), ("help", one.help), ("unit", one.unit)):
        if words:
            result[name] = dict(words)
    if one.required:
        result["required"] = True
    if one.answers:
        result["answers"] = [
            {"value": answer.value, "text": dict(answer.text)}
            | ({"sensitive": True} if answer.sensitive else {})
            for answer in one.answers
        ]
    if one.domain is not None:
        result["domain"] = list(one.domain)
    if one.step is not None:
        result["step"] = one.step
    return result | ({"page": one.page} if one.page != 1 else {})


def _question(given: Any, place: int) -> Question:
    if not isinstance(given, dict) or not isinstance(given.get("name"), str) or not given["name"]:
        raise DataError.saying("Question {place} has no name.", place=place, field="questions")
    name = given["name"]
    try:
        kind = Kind(str(given.get("kind")))
    except ValueError:
        kind = Kind.SET
    if kind is Kind.SET:
        raise _wrong(name, "kind", ", ".join(ASKED))
    for what, (is_right, example) in _CHECKED.items():
        if what in given and not is_right(given[what]):
            raise _wrong(name, what, example)
    domain, step = given.get("domain"), given.get("step")
    return Question(
        name,
        kind,
        _words(given, "text", name),
        _words(given, "help", name),
        _words(given, "unit", name),
        given.get("required", False),
        tuple(_answer(one, name) for one in given.get("answers", [])),
        None if domain is None else (float(domain[0]), float(domain[1])),
        None if step is None else float(step),
        given.get("short", ""),
        given.get("page", 1),
    )


def _answer(given: Any, name: str) -> Answer:
    if not isinstance(given, dict) or not isinstance(given.get("value"), str):
        raise _wrong(name, "answers", _ANSWERS)
    sensitive = given.get("sensitive", False)
    if not isinstance(sensitive, bool):
        raise _wrong(name, "sensitive", "true")
    return Answer(given["value"], _words(given, "text", name), sensitive)


def _words(given: Mapping[str, Any], field: str, name: str) -> Words:
    """A text by language; a plain text would leave open in which."""
    found = given.get(field, {})
    is_text = isinstance(found, dict) and all(isinstance(one, str) for one in found.values())
    if not is_text:
        raise _wrong(name, field, '{"en": "…"}')
    return MappingProxyType(dict(found)) if found else _NO_WORDS


def _wrong(name: str, field: str, example: str) -> DataError:
    return DataError.saying(
        "The field {field!r} of {attribute!r} cannot be read; write it like this: {example}.",
        field=field,
        example=example,
        attribute=name,
    )


def _is_number(given: Any) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)


def _is_range(given: Any) -> bool:
    return isinstance(given, list) and len(given) == 2 and all(map(_is_number, given))


_ANSWERS = '[{"value": "yes"}]'
_CHECKED: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "domain": (lambda given: given is None or _is_range(given), "[0, 100]"),
    "step": (lambda given: given is None or (_is_number(given) and given > 0), "1"),
    "page": (lambda given: type(given) is int and given >= 1, "1"),
    "short": (lambda given: isinstance(given, str), "q1"),
    "required": (lambda given: isinstance(given, bool), "true"),
    "answers": (lambda given: isinstance(given, list), _ANSWERS),
}
"""What a field of a question must be, and an example of it."""


def refuse_twice(names: Iterable[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise DataError.saying(
                "Two questions are called {twice!r}; rename one.", twice=name, attribute=name
            )


def read_beside(design: str | Path) -> Questionnaire | None:
    """The questionnaire that lies beside a design file, as in a kit; None if there is none."""
    path = Path(design).parent / BESIDE
    return read_document(path) if path.is_file() else None


def read_document(path: str | Path) -> Questionnaire:
    path = Path(path)
    given = read_json(path, "{file} is too large for a questionnaire.")
    try:
        return Questionnaire.from_json(given)
    except DataError as error:
        raise DataError.saying("{file}: {why}", why=error.message, file=path) from None


def write_document(questionnaire: Questionnaire, path: str | Path) -> None:
    text = json.dumps(questionnaire.to_json(), ensure_ascii=False, indent=2)
    write_text(path, text + "\n")
