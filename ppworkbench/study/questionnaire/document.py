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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design
from ppworkbench.core.design.starting import MOST_VALUES
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.files import read_limited, write_text
from ppworkbench.core.json_values import parse_json
from ppworkbench.core.message import Message
from ppworkbench.study.questionnaire.texts import Texts, short_name

FORMAT, VERSION = "ppworkbench-questionnaire", 1
BESIDE = "questionnaire.json"
"""What a questionnaire is called where it lies beside its design."""
_LARGEST = 16 * 2**20
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
    """One answer that can be chosen: its value, its text by language."""

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
        """The attribute that designs and data know, with the words of a language.

        Raises
        ------
        DataError
            When answers or range contradict the kind.
        """
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
        """The question that an attribute asks, in the words of one language."""
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

    def texts(self) -> Iterator[tuple[str, Words]]:
        """Everything that people read of it, by what it is."""
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
        """The main language."""
        return self.languages[0]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the questions in order."""
        return tuple(question.name for question in self.questions)

    def __getitem__(self, name: str) -> Question:
        return next(question for question in self.questions if question.name == name)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def renamed(self, call: Callable[[str], str]) -> Self:
        """The same questions under other names."""
        listed = tuple(dataclasses.replace(one, name=call(one.name)) for one in self.questions)
        return dataclasses.replace(self, questions=listed)

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
        """Everything that keeps the questionnaire from being asked."""
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
            if not question.text.get(self.language):
                yield Problem(
                    question.name,
                    Message(
                        "It has no text in the main language ({language}).", language=self.language
                    ),
                    "text",
                )
            if question.short and not _SHORT.fullmatch(question.short):
                yield Problem(
                    question.name,
                    Message(
                        "Its short name {short!r} must have small letters, digits and underscores, "
                        "26 at most.",
                        short=question.short,
                    ),
                    "short",
                )
            if shorts[question.short] > 1:
                yield Problem(
                    question.name,
                    Message("Its short name {short!r} is used twice.", short=question.short),
                    "short",
                )
            fault = self._why_not_answered(question)
            if fault is not None:
                yield Problem(question.name, fault, "answers")

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
        around = (
            ("title", self.title),
            ("introduction", self.introduction),
            ("thanks", self.thanks),
        )
        return tuple(
            [("", what) for what, text in around if text and not text.get(language)] + found
        )

    @property
    def whole_languages(self) -> tuple[str, ...]:
        """The languages in which everything can be asked."""
        return tuple(code for code in self.languages if not self.gaps(code))

    def check_language(self, language: str) -> None:
        """Refuse a language in which something cannot be asked, naming what."""
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
        """The attributes of all questions in the words of the main language."""
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
        """The document as it stands in a file."""
        shorts = self.short_names()
        around = {
            "title": dict(self.title),
            "introduction": dict(self.introduction),
            "thanks": dict(self.thanks),
        }
        return {
            "format": FORMAT,
            "version": VERSION,
            "languages": list(self.languages),
            **{name: words for name, words in around.items() if words},
            **({"review": True} if self.review else {}),
            "questions": [_question_json(one, shorts[one.name]) for one in self.questions],
        }

    @classmethod
    def from_json(cls, given: Any) -> Self:
        """Build from JSON values.

        Raises
        ------
        DataError
            When it is no questionnaire, of a newer version, or two questions have one name.
        """
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
        twice = next((name for name, count in Counter(made.names).items() if count > 1), None)
        if twice is not None:
            raise DataError.saying(
                "Two questions are called {twice!r}; rename one.", twice=twice, attribute=twice
            )
        return made

    @classmethod
    def of_design(cls, design: Design, texts: Texts, language: str, title: str = "") -> Self:
        """The questions of a design in the words of one language."""
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
    """Refuse what is no code of a language."""
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
    domain = given.get("domain")
    if domain is not None and not _is_range(domain):
        raise _wrong(name, "domain", "[0, 100]")
    step, page, short = given.get("step"), given.get("page", 1), given.get("short", "")
    if step is not None and (not _is_number(step) or step <= 0):
        raise _wrong(name, "step", "1")
    if isinstance(page, bool) or not isinstance(page, int) or page < 1:
        raise _wrong(name, "page", "1")
    if not isinstance(short, str):
        raise _wrong(name, "short", "q1")
    required = given.get("required", False)
    if not isinstance(required, bool):
        raise _wrong(name, "required", "true")
    return Question(
        name,
        kind,
        _words(given, "text", name),
        _words(given, "help", name),
        _words(given, "unit", name),
        required,
        tuple(_answer(one, name) for one in _listed(given, name)),
        None if domain is None else (float(domain[0]), float(domain[1])),
        None if step is None else float(step),
        short,
        page,
    )


def _listed(given: Mapping[str, Any], name: str) -> Sequence[Any]:
    answers = given.get("answers", [])
    if not isinstance(answers, list):
        raise _wrong(name, "answers", '[{"value": "yes"}]')
    return answers


def _answer(given: Any, name: str) -> Answer:
    if not isinstance(given, dict) or not isinstance(given.get("value"), str):
        raise _wrong(name, "answers", '[{"value": "yes"}]')
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


def read_beside(design: str | Path) -> Questionnaire | None:
    """The questionnaire that lies beside a design file, as in a kit; None if there is none."""
    path = Path(design).parent / BESIDE
    return read_document(path) if path.is_file() else None


def read_document(path: str | Path) -> Questionnaire:
    """A questionnaire from its file.

    Raises
    ------
    DataError
        When the file cannot be read or is no questionnaire.
    """
    path = Path(path)
    content = read_limited(path, _LARGEST, "{file} is too large for a questionnaire.")
    try:
        given = parse_json(content.decode("utf-8-sig"))
    except ValueError:
        raise DataError.saying("{file} is not valid JSON in UTF-8.", file=path) from None
    try:
        return Questionnaire.from_json(given)
    except DataError as error:
        raise DataError.saying("{file}: {why}", why=error.message, file=path) from None


def write_document(questionnaire: Questionnaire, path: str | Path) -> None:
    """Write a questionnaire as a file of its own."""
    text = json.dumps(questionnaire.to_json(), ensure_ascii=False, indent=2)
    write_text(path, text + "\n")
