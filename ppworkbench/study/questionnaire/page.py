"""The questionnaire as one file: form, explanations, the design, and the script that draws.

Perturbations as the page's script understands them.

The script knows a few elementary draws; every family is brought into one of them with all its
parameters worked out, so that the page and the workbench cannot disagree about a formula. See
``resources/questionnaire/mechanisms.js``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind
from ppworkbench.core.data.codebook import FORMAT as CODEBOOK
from ppworkbench.core.data.codebook import Codebook
from ppworkbench.core.design import Design, DesignedAttribute
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.design.matrices.base import column_steps
from ppworkbench.core.design.release import publishable
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.files import check_file, resource, write_text
from ppworkbench.core.json_values import parse_json
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Params
from ppworkbench.study.html import Page, css_variables
from ppworkbench.study.questionnaire.explain import FOLDER, Explainer, languages, words_of

_LARGEST = 16 * 2**20


@dataclass(frozen=True)
class Texts:
    """Texts that differ from the names and values of the design."""

    questions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    answers: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))

    def question(self, attribute: Attribute) -> str:
        """The text of a question; its title where nobody has worded it."""
        return self.questions.get(attribute.name) or attribute.shown

    def answer(self, name: str, value: str) -> str:
        """The text of an answer."""
        return self.answers.get(name, {}).get(value) or value


def texts_of(attributes: Iterable[Attribute]) -> Texts:
    """The labels of attributes as question texts."""
    return Texts(MappingProxyType({a.name: a.label for a in attributes if a.label}))


def read_texts(path: str | Path) -> Texts:
    """Texts from a file: a codebook, or an object with ``questions`` and ``answers``."""
    path = Path(path)
    check_file(path)
    try:
        if path.stat().st_size > _LARGEST:
            raise DataError.saying("{file} is too large for questionnaire texts.", file=path)
        given = parse_json(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        why = error.strerror or Message("it cannot be opened")
        raise DataError.saying(
            "{file} cannot be read: {strerror}.", strerror=why, file=path
        ) from None
    except ValueError:
        raise DataError.saying("{file} is not valid JSON in UTF-8.", file=path) from None
    if isinstance(given, Mapping) and given.get("format") == CODEBOOK:
        return texts_of(Codebook.from_json(given).attributes)
    return _from_json(given, path)


def _from_json(given: Any, path: Path) -> Texts:
    questions, answers = _parts(given)
    if not _are_texts(questions) or not all(map(_are_texts, answers.values())):
        raise DataError.saying(
            "{file} has no questionnaire texts; it needs an object with 'questions' "
            "(name: text) or 'answers' (name: value: text).",
            file=path,
        )
    return Texts(MappingProxyType(dict(questions)), MappingProxyType(dict(answers)))


def _parts(given: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    nothing: tuple[Mapping[str, Any], Mapping[str, Any]] = {"": None}, {}
    if not isinstance(given, Mapping) or not given or set(given) - {"questions", "answers"}:
        return nothing
    questions, answers = given.get("questions", {}), given.get("answers", {})
    if not isinstance(questions, Mapping) or not isinstance(answers, Mapping):
        return nothing
    return questions, answers


def _are_texts(given: Any) -> bool:
    return isinstance(given, Mapping) and all(isinstance(text, str) for text in given.values())


@dataclass(frozen=True)
class Asked:
    """One question as the page shows it.

    ``domain`` holds the ends of a number's domain as the language writes them.
    """

    place: int
    attribute: Attribute
    text: str
    answers: tuple[str, ...]
    how: str
    bare: bool
    mark: str
    skipping: bool
    domain: tuple[str, str] | None
    is_list: bool = False
    """Whether a number of items is asked for, which the script lists in a random order."""

    @property
    def is_whole(self) -> bool:
        """Whether whole numbers are asked for."""
        return self.attribute.kind is Kind.INTEGER


def asked_questions(
    design: Design, texts: Texts, language: str, *, skipping: bool
) -> tuple[Asked, ...]:
    """The questions of a design in the words of a respondent."""
    explainer, words = Explainer(design, language), words_of(language)
    counts = {one.count for one in design.lists}
    found = []
    for place, designed in enumerate(_questions(design)):
        name, domain = designed.name, designed.attribute.domain
        answers = tuple(
            words["skip"]
            if designed.missing_is_value and value == MISSING_VALUE and not _told(texts, name)
            else texts.answer(name, value)
            for value in designed.attribute.values
        )
        # With arms, the script puts the sentence of the respondent's own arm in this place.
        how = "" if design.arms is not None else explainer.sentence(name)
        found.append(
            Asked(
                place,
                designed.attribute,
                words["list_question"]
                if name in counts and name not in texts.questions
                else texts.question(designed.attribute),
                answers,
                how,
                bare=how == words["how_none"],
                mark=explainer.mark(name),
                skipping=skipping and not designed.missing_is_value,
                domain=domain and (explainer.number(domain[0]), explainer.number(domain[1])),
                is_list=name in counts,
            )
        )
    return tuple(found)


def _questions(design: Design) -> list[DesignedAttribute]:
    """What respondents are asked: all attributes but the one that tells their arm."""
    column = None if design.arms is None else design.arms.column
    return [designed for designed in design if designed.name != column]


def list_items(asked: ListQuestion, arm: str, texts: Texts) -> tuple[str, ...]:
    """What an arm hears of a list; the sensitive item stands in the middle of the long one."""
    items = [texts.questions.get(item) or item for item in asked.items]
    if arm in asked.long:
        items.insert((len(items) + 1) // 2, texts.question(asked.attribute))
    return tuple(items)


def _told(texts: Texts, name: str) -> bool:
    return MISSING_VALUE in texts.answers.get(name, {})


Mechanism = dict[str, Any]


def mechanism_of(design: Design, name: str) -> Mechanism:
    """How the script distorts an attribute of a publishable design."""
    group = design.group_of(name)
    attribute = design[name].attribute
    if group is not None:
        return _member(group, design.groups.index(group), attribute)
    return design[name].perturbation.page_draw(attribute)


def _member(group: Group, place: int, attribute: Attribute) -> Mechanism:
    # With theta 0 the marginal is what happens when the coin says "not the truth".
    personal = tuple(pair for pair in group.personal if pair[0] == attribute.name)
    other = Group((attribute.name,), group.type, 0.0, personal).marginal(attribute.name)
    matrix = other.matrix(attribute.k)
    return {"type": "coin", "theta": group.theta, "group": place, "other": column_steps(matrix)}


_HOST = re.compile(r"[A-Za-z0-9.-]+(:\d{1,5})?|\[[0-9A-Fa-f:]+\](:\d{1,5})?")


@dataclass(frozen=True)
class QuestionnaireOptions(Params):
    """How a questionnaire page looks and where its answers go."""

    title: Annotated[str, Info("Title", "Heading of the page")] = ""
    introduction: Annotated[str, Info("Introduction", "Introduction below the heading")] = ""
    language: Annotated[str, Info("Language", "Language of buttons and explanations")] = "en"
    post: Annotated[str, Info("Address", "Address for the answers; saved as a file if not set")] = (
        ""
    )
    answers: Annotated[
        str,
        OneOf(("json", "csv")),
        Info("Answers", "Format of a sent answer: JSON line or CSV row"),
    ] = "json"
    skipping: Annotated[
        bool, Info("Skipping", "Allow skipping questions; the missing answer is visible")
    ] = False

    def __post_init__(self) -> None:
        """Refuse a language without words and an address that is none."""
        super().__post_init__()
        if self.language not in languages():
            known = ", ".join(languages())
            raise ParameterError.saying(
                "There are no texts in the language {language!r}; choose one of {known}.",
                language=self.language,
                known=known,
                field="language",
            )
        if self.post:
            self._split()

    def _split(self) -> tuple[str, str, str, str]:
        wrong = ParameterError.saying(
            "The address {post!r} is not valid; write it as https://host/path.",
            post=self.post,
            field="post",
        )
        try:
            scheme, host, path, query, fragment = urlsplit(self.post)
        except ValueError:
            raise wrong from None
        letters = self.post.isascii() and self.post.isprintable() and " " not in self.post
        if scheme not in ("http", "https") or not letters or fragment or not _HOST.fullmatch(host):
            raise wrong
        return scheme, host, path, query

    @property
    def connect(self) -> str:
        """The address as the page's policy names it: without a query, marks of the policy encoded.

        >>> QuestionnaireOptions(post="https://example.org/in;a?x=1").connect
        'https://example.org/in%3Ba'
        """
        if not self.post:
            return ""
        scheme, host, path, _ = self._split()
        return urlunsplit((scheme, host, quote(path, safe="/%:@!$&()*+=~"), "", ""))


MOST_BUTTONS = 12
"""More answers than this are offered as a list to choose from."""
_SCRIPTS = ("chance.js", "arms.js", "mechanisms.js", "row.js", "page.js")
_FOR_SCRIPT = (
    "progress", "skipped", "unanswered", "not_whole", "not_number", "your_answer",
    "will_be_sent", "sent", "saved", "not_sent", "your_version", "no_version",
)  # fmt: skip


def questionnaire_html(
    design: Design, texts: Texts | None = None, options: QuestionnaireOptions | None = None
) -> str:
    """The text of the page; numbers are sent on the grid of the published design.

    Raises
    ------
    DesignError
        When the design has no attribute to ask for.
    """
    texts, options = texts or Texts(), options or QuestionnaireOptions()
    if not _questions(design):
        raise DesignError("The design has no attributes to ask about.")
    design = publishable(design)
    words = words_of(options.language)
    asked = asked_questions(design, texts, options.language, skipping=options.skipping)
    page = Page(
        title=options.title or words["default_title"],
        style=css_variables() + _part("page.css"),
        script="".join(_part(name) for name in _SCRIPTS),
        data=_survey(design, asked, texts, options),
        data_id="survey",
        connect=options.connect,
        language=options.language,
        direction=words["direction"],
    )
    introduction = [line for line in options.introduction.splitlines() if line.strip()]
    return page.to_html(
        "questionnaire/page.html",
        words=words,
        introduction=introduction,
        questions=asked,
        most_buttons=MOST_BUTTONS,
        post=options.post,
        has_arms=design.arms is not None,
    )


def write_questionnaire(
    design: Design,
    path: str | Path,
    texts: Texts | None = None,
    options: QuestionnaireOptions | None = None,
) -> None:
    """Write the page as a file, whole or not at all."""
    write_text(path, questionnaire_html(design, texts, options))


@cache
def _part(name: str) -> str:
    return resource(FOLDER, name).read_text(encoding="utf-8")


def _survey(
    design: Design, asked: tuple[Asked, ...], texts: Texts, options: QuestionnaireOptions
) -> dict[str, Any]:
    """All that the script must know."""
    words = words_of(options.language)
    return {
        "language": options.language,
        "post": options.post,
        "format": options.answers,
        "groups": len(design.groups),
        "words": {name: words[name] for name in _FOR_SCRIPT},
        "questions": [_question(design, one) for one in asked],
        "arms": _arms(design, texts, options.language),
    }


def _arms(design: Design, texts: Texts, language: str) -> dict[str, Any] | None:
    """The versions of the questionnaire: what each asks, and how it randomises."""
    if design.arms is None:
        return None
    lists = {one.count: one for one in design.lists}
    words = words_of(language)
    members = []
    for arm in design.arms.members:
        own = design.of_arm(arm.name)
        explainer = Explainer(own, language)
        questions: list[dict[str, Any] | None] = []
        for designed in _questions(design):
            name = designed.name
            if name in arm.omit:
                questions.append(None)
            elif name in lists:
                questions.append(_listed(lists[name], arm.name, texts, words))
            else:
                how = explainer.sentence(name)
                is_bare = how == words["how_none"]
                mechanism = mechanism_of(own, name)
                questions.append({"mechanism": mechanism, "how": how, "bare": is_bare})
        members.append({"name": arm.name, "share": arm.share, "questions": questions})
    column = design.arms.column
    return {"column": column, "place": design.names.index(column), "members": members}


def _listed(
    asked: ListQuestion, arm: str, texts: Texts, words: Mapping[str, str]
) -> dict[str, Any] | None:
    """A list in an arm; None in an arm that hears neither version of it."""
    if arm not in (*asked.short, *asked.long):
        return None
    items = list_items(asked, arm, texts)
    ends = {"low": "0", "high": str(len(items))}
    return {
        "mechanism": {"type": "none"},
        "how": words["how_list"].format(all=len(items)),
        "bare": True,
        "items": list(items),
        "domain": [0, len(items)],
        "range": ends,
        "range_text": words["whole_range"].format(**ends),
    }


def _question(design: Design, asked: Asked) -> dict[str, Any]:
    attribute = asked.attribute
    published = design[attribute.name].distorted
    numeric = attribute.kind.is_numeric
    # Intervals are shown as they are published; answers in the respondent's words.
    drawn = published.values if numeric else asked.answers
    return {
        "name": attribute.name,
        "text": asked.text,
        "domain": list(attribute.domain) if attribute.domain is not None else None,
        "whole": asked.is_whole,
        "range": {"low": asked.domain[0], "high": asked.domain[1]} if asked.domain else {},
        "texts": None if numeric else list(asked.answers),
        "published": list(published.values) or None,
        "drawn": list(drawn) or None,
        "mechanism": None if design.arms is not None else mechanism_of(design, attribute.name),
    }
