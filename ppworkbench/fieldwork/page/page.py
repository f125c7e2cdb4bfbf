"""The questionnaire as one file: form, explanations, the design, and the script that draws.

Perturbations as the page's script understands them.

The script knows a few elementary draws; every family is brought into one of them with all its
parameters worked out, so that the page and the workbench cannot disagree about a formula. See
``resources/questionnaire/mechanisms.js``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_digest, design_to_json, publishable
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.linked_waves import linking_column, without_linking
from ppworkbench.core.design.matrices.base import column_steps
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.files import resource, write_text
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Params
from ppworkbench.fieldwork.page.explain import FOLDER, languages
from ppworkbench.fieldwork.page.model import (
    AskedQuestion,
    PageModel,
    Wording,
    direction_of,
    page_model,
    page_questions,
)
from ppworkbench.study.html import Page, css_variables
from ppworkbench.study.questionnaire.document import Questionnaire, check_code
from ppworkbench.study.questionnaire.texts import Texts

Mechanism = dict[str, Any]


def mechanism_of(design: Design, name: str) -> Mechanism:
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
    language: Annotated[str, Info("Language", "Language of the page; several as en,pl")] = "en"
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
    review: Annotated[
        bool,
        Info("Review", "For teaching: show what will be sent; answers are then fixed"),
    ] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for code in self.languages or ("",):
            try:
                check_code(code)
            except DataError:
                raise _no_words(code) from None
        if self.post:
            self._split()

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of all languages, the first one first.

        >>> QuestionnaireOptions(language="en, pl").languages
        ('en', 'pl')
        """
        listed = (code.strip() for code in self.language.split(","))
        return tuple(dict.fromkeys(code for code in listed if code))

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


def _no_words(language: str) -> ParameterError:
    return ParameterError.saying(
        "There are no texts in the language {language!r}; choose one of {known}.",
        language=language,
        known=", ".join(languages()),
        field="language",
    )


_SCRIPTS = (
    "chance.js", "keyed.js", "keeping.js", "arms.js", "asking.js", "mechanisms.js", "row.js",
)  # fmt: skip
_MEMORY, _SENDING, _KIOSK, _LAST = "memory.js", "sending.js", "kiosk.js", "page.js"


@dataclass(frozen=True)
class _Mode:
    """What a page does with the answers, and for whom.

    ``post`` is where it sends them, ``connect`` the same as its policy names it. A preview draws
    and sends nothing; a kiosk forgets a person before the next one comes.
    """

    post: str = ""
    connect: str = ""
    format: str = "json"
    skipping: bool = True
    is_preview: bool = False
    is_kiosk: bool = False
    asks_code: bool = False

    @property
    def saves(self) -> bool:
        return not self.is_preview and not self.is_kiosk


def questionnaire_html(
    design: Design,
    texts: Texts | Questionnaire | None = None,
    options: QuestionnaireOptions | None = None,
) -> str:
    """The text of the page; numbers are sent on the grid of the published design.

    Raises
    ------
    DesignError
        When the design has no attribute to ask for.
    DataError
        When the questionnaire lacks a language or a text of it, or asks what the design lacks.
    """
    options = options or QuestionnaireOptions()
    mode = _Mode(options.post, options.connect, options.answers, options.skipping)
    return _html(design, _wordings(texts, options), mode)[0]


def write_questionnaire(
    design: Design,
    path: str | Path,
    texts: Texts | Questionnaire | None = None,
    options: QuestionnaireOptions | None = None,
) -> None:
    write_text(path, questionnaire_html(design, texts, options))


def served_page(
    design: Design,
    questionnaire: Questionnaire | None = None,
    languages: Sequence[str] = (),
    *,
    kiosk: bool = False,
    codes: bool = False,
) -> tuple[str, str]:
    """The page as a collector serves it, and the policy to send with it.

    Parameters
    ----------
    languages
        Those to choose from, all of the questionnaire where none is named.
    codes
        Whether answers need a token, which the page asks for unless its address holds it.

    Raises
    ------
    DesignError
        When nothing is asked, or a kiosk would have to keep answers of many people.
    DataError
        When a language has gaps.
    """
    if kiosk and _memory(design) is not None:
        raise DesignError(
            "A kiosk is used by many people, so that it cannot keep their answers for later waves.",
            field="budget",
        )
    mode = _Mode("answers", "'self'", is_kiosk=kiosk, asks_code=codes)
    wordings = _document_wordings(questionnaire, languages)
    html, page = _html(design, wordings, mode)
    return html, page.policy(frames=True)


def preview_html(
    design: Design, questionnaire: Questionnaire | None = None, language: str = ""
) -> str:
    """The page as it will be, in all languages even with gaps: it draws and sends nothing."""
    if questionnaire is None:
        wordings = _document_wordings(None, (language,) if language else ())
    else:
        main = language or questionnaire.language
        codes = dict.fromkeys((main, *questionnaire.languages))
        wordings = tuple(Wording.of(questionnaire, code) for code in codes)
    return _html(design, wordings, _Mode(is_preview=True))[0]


def _wordings(
    texts: Texts | Questionnaire | None, options: QuestionnaireOptions
) -> tuple[Wording, ...]:
    """The words of all languages of the options; refused where there are gaps."""
    if isinstance(texts, Questionnaire):
        found = _document_wordings(texts, options.languages)
    else:
        if len(options.languages) > 1:
            raise ParameterError(
                "A page in several languages needs a questionnaire with the words of each.",
                field="language",
            )
        (language,) = options.languages
        if language not in languages():
            raise _no_words(language)
        found = (Wording(language, texts or Texts(), words_language=language),)
    return tuple(
        replace(
            one,
            title=options.title or one.title,
            introduction=options.introduction or one.introduction,
            review=options.review or one.review,
        )
        for one in found
    )


def _document_wordings(
    questionnaire: Questionnaire | None, codes: Sequence[str]
) -> tuple[Wording, ...]:
    if questionnaire is None:
        language = codes[0] if codes else "en"
        if language not in languages():
            raise _no_words(language)
        return (Wording(language, words_language=language),)
    listed = tuple(dict.fromkeys(codes)) or questionnaire.languages
    for code in listed:
        questionnaire.check_language(code)
    return tuple(Wording.of(questionnaire, code) for code in listed)


def missing_words(codes: Sequence[str]) -> Message | None:
    lacking = tuple(code for code in codes if code not in languages())
    if not lacking:
        return None
    return Message(
        "Buttons and explanations do not exist in {languages}; the page shows them in another "
        "language and says so.",
        languages=lacking,
    )


def _html(design: Design, wordings: Sequence[Wording], mode: _Mode) -> tuple[str, Page]:
    first = wordings[0]
    if not page_questions(design, first):
        raise DesignError("The design has no attributes to ask about.")
    design = publishable(design)
    models = tuple(page_model(design, one, skipping=mode.skipping) for one in wordings)
    model = models[0]
    memory = _memory(design) if mode.saves else None
    # A page that sends nothing, or keeps nothing for later, has no means to do so.
    scripts = list(_SCRIPTS)
    scripts += [_MEMORY] if memory else []
    scripts += [_SENDING] if mode.post else []
    scripts += [_KIOSK] if mode.is_kiosk else []
    page = Page(
        title=model.title,
        style=css_variables() + _part("page.css"),
        script="".join(map(_part, (*scripts, _LAST))),
        data=_survey(design, models, mode, memory),
        data_id="survey",
        connect=mode.connect,
        language=model.language,
        direction=model.direction,
    )
    html = page.to_html(
        "questionnaire/page.html",
        said=model.said(),
        model=model,
        models=models,
        questions=model.questions,
        has_arms=design.has_arms,
        has_help={one.place for each in models for one in each.questions if one.help},
        has_unit={one.place for each in models for one in each.questions if one.unit},
        has_pages=len({one.page for one in model.questions}) > 1,
        memory=memory,
        mode=mode,
        review=first.review,
    )
    return html, page


@cache
def _part(name: str) -> str:
    return resource(FOLDER, name).read_text(encoding="utf-8")


def _survey(
    design: Design, models: Sequence[PageModel], mode: _Mode, memory: str | None
) -> dict[str, Any]:
    asked = models[0].questions
    names = [one.attribute.name for one in asked]
    return {
        "post": mode.post,
        "format": mode.format,
        "digest": design_digest(design),
        "preview": mode.is_preview,
        "kiosk": mode.is_kiosk,
        "codes": mode.asks_code,
        "saves": mode.saves,
        "review": models[0].wording.review,
        "groups": len(design.groups),
        "languages": [_language(model) for model in models],
        "questions": [_question(design, one) for one in asked],
        # Rows have the columns of the design, in whatever order questions are asked.
        "row": [names.index(name) for name in design.names if name in names],
        "arms": _arms(design, models[0]),
        "ask": None if design.has_arms else _ask(design, names),
        "memory": memory,
        "person": linking_column(design),
    }


def _language(model: PageModel) -> dict[str, Any]:
    words = model.wording.words_language
    return {
        "code": model.language,
        "name": model.own_name,
        "direction": model.direction,
        "words_code": words,
        "words_direction": direction_of(words),
        "words": model.script_words,
        "said": model.said(),
    }


def _ask(version: Design, names: Sequence[str]) -> dict[str, Any] | None:
    if version.ask is None:
        return None
    return {
        "count": version.ask,
        "parts": [[names.index(name) for name in part] for part in version.parts],
    }


def _memory(design: Design) -> str | None:
    """Under which name a device keeps reports for later waves; None where it keeps none.

    Another design has another name: what was sent under this one is of no use to it.
    """
    if design.budget is None or not design.budget.memoise:
        return None
    told = json.dumps(design_to_json(without_linking(design), words=False), sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def _arms(design: Design, model: PageModel) -> dict[str, Any] | None:
    if not design.has_arms:
        return None
    names = [one.attribute.name for one in model.questions]
    members = []
    for arm, said in zip(design.versions.members, model.arms, strict=True):
        own = design.of_arm(arm.name)
        questions: list[dict[str, Any] | None] = []
        for name, shown in zip(names, said, strict=True):
            if shown is None:
                questions.append(None)
            elif shown.items:
                questions.append(
                    {
                        "mechanism": {"type": "none"},
                        "bare": True,
                        "items": len(shown.items),
                        "domain": [0, len(shown.items)],
                    }
                )
            else:
                questions.append({"mechanism": mechanism_of(own, name), "bare": shown.bare})
        members.append(
            {
                "name": arm.name,
                "share": arm.share,
                "questions": questions,
                "ask": _ask(own, names),
            }
        )
    column = design.versions.column
    return {"column": column, "place": design.names.index(column), "members": members}


def _question(design: Design, asked: AskedQuestion) -> dict[str, Any]:
    attribute = asked.attribute
    published = design[attribute.name].distorted
    return {
        "name": attribute.name,
        "page": asked.page,
        "domain": list(attribute.domain) if attribute.domain is not None else None,
        "whole": asked.is_whole,
        "published": list(published.values) or None,
        "mechanism": None if design.has_arms else mechanism_of(design, attribute.name),
    }
