"""Edits of a questionnaire: each is a function from a study to the study after it.

What is asked, the design and the data must agree, so an edit carries a change into all of them:
mechanisms, expected shares, groups, arms, check questions, the budget and the settings. A new
question gets the mechanism that a design starts with. :func:`.design_changes.consequences` says
what an edit does to mechanisms before anybody takes it over.

Answers that a study holds limit its questionnaire. Of a question that people have answered, true
answers follow the rules by which tables are corrected, and reported ones were randomised by the
design, so that only words and marks can change. Other questions can be added, and are missing in
these answers. Invented ones go as soon as the questions change.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence
from types import MappingProxyType
from typing import Concatenate, ParamSpec

import numpy as np

from ppworkbench.core.data import edits as table_edits
from ppworkbench.core.data.attribute import PUBLIC, Kind
from ppworkbench.core.data.formats.stored import free_name
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.starting import MOST_VALUES
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.questionnaire.design_changes import (
    asked_of,
    asked_values,
    described,
    is_answered,
    labelled,
    of_values,
    ordered,
    question_attribute,
    reordered,
    retyped_question,
    typed_attributes,
    with_answers,
    with_designed,
    with_question,
    with_value,
    with_weights,
    without_value,
)
from ppworkbench.study.questionnaire.document import (
    Question,
    Questionnaire,
    Words,
    check_code,
    refuse_twice,
    with_text,
)
from ppworkbench.study.renaming import renamed_study
from ppworkbench.study.state import without_invented
from ppworkbench.study.study import PriorChoice, Study

WORDED = ("text", "help", "unit")
"""What people read of a question, besides its answers."""
_RANGE = (0.0, 100.0)
"""Of a number that nobody has given a range yet."""


def questionnaire_of(study: Study, language: str) -> Questionnaire:
    """The questionnaire of a study; of a table that was imported one in the given language."""
    if study.questionnaire is not None:
        return study.questionnaire
    return Questionnaire((language,), ()).following(study.asked_attributes())


def study_of_questionnaire(asked: Questionnaire, title: str) -> Study:
    refuse_twice(asked.names)
    _check_lengths(asked.questions)
    empty = Study(title=title)
    return empty.with_attributes(asked.attributes()).with_(questionnaire=asked)


def _check_lengths(questions: Iterable[Question]) -> None:
    """Refuse lists that no design takes, rather than to lose their questions without a word."""
    for one in questions:
        if len(one.answers) > MOST_VALUES:
            raise DataError.saying(
                "Question {name!r} has {count} answers, and at most {most} can be randomised; "
                "join some.",
                name=one.name,
                count=len(one.answers),
                most=MOST_VALUES,
                attribute=one.name,
            )


# What an edit may do


def why_locked(study: Study, name: str) -> Message | None:
    """Why a question can neither be removed nor asked in another way; None if it can.

    One that nobody has answered can be.
    """
    return _lock(study) if is_answered(study, name) else None


def _lock(study: Study) -> Message:
    if study.state is AnswerState.REPORTED:
        return Message(
            "The answers were randomised by this design; only words, order and marks can change.",
            code="reported",
        )
    return Message(
        "People have answered this question, so that it cannot be removed.",
        code="answered",
    )


P = ParamSpec("P")


def _beside_answers(study: Study, edit: Callable[[Study], Study]) -> Study:
    """Make an edit of questions that nobody has answered as if nobody had answered any."""
    if study.has_parts:
        raise DataError(_lock(study))
    return with_answers(edit(study.with_(original=None, distorted=None)), study)


def _of_question(
    edit: Callable[Concatenate[Study, str, P], Study],
) -> Callable[Concatenate[Study, str, P], Study]:
    """Free an edit of one question that nobody has answered from the answers to others."""

    @functools.wraps(edit)
    def made(study: Study, name: str, /, *args: P.args, **more: P.kwargs) -> Study:
        if not _is_answered(study) or is_answered(study, name):
            return edit(study, name, *args, **more)
        return _beside_answers(study, lambda bare: edit(bare, name, *args, **more))

    return made


def _open(study: Study, language: str) -> Study:
    """The study ready for other questions: with a questionnaire, without invented answers."""
    if _is_answered(study):
        raise DataError(_lock(study))
    asked = questionnaire_of(study, language)
    return without_invented(study).with_(questionnaire=asked)


def _with_table(study: Study, language: str, edit: Callable[[Table], Table]) -> Study:
    """The study with its true answers corrected; reported ones are refused."""
    if study.original is None or study.state is AnswerState.REPORTED:
        raise DataError(_lock(study))
    asked = study.with_(questionnaire=questionnaire_of(study, language))
    return asked.with_table(edit(study.original))


def _is_answered(study: Study) -> bool:
    return study.state in (AnswerState.TRUE, AnswerState.REPORTED)


# Questions


def add_questions(
    study: Study, questions: Iterable[Question], place: int | None = None, language: str = "en"
) -> Study:
    """Ask more questions, from a place of the order on; at the end if there is none."""
    if _is_answered(study):
        more = list(questions)
        return _beside_answers(study, lambda bare: add_questions(bare, more, place, language))
    ready = _open(study, language)
    asked = asked_of(ready)
    listed = list(asked.questions)
    at = len(listed) if place is None else place
    fresh: list[Question] = []
    for one in questions:
        known = [*asked.names, *(other.name for other in fresh)]
        fresh.append(dataclasses.replace(one, name=free_name(one.name, known)))
    _check_lengths(fresh)
    attributes = {a.name: a for a in typed_attributes(ready)}
    attributes |= {one.name: one.attribute(asked.language) for one in fresh}
    listed[at:at] = fresh
    return ordered(ready, attributes, dataclasses.replace(asked, questions=tuple(listed)))


def duplicate_question(study: Study, name: str, language: str = "en") -> Study:
    """Ask a question once more, below itself, by the same mechanism; only its name is another."""
    if _is_answered(study):
        return _beside_answers(study, lambda bare: duplicate_question(bare, name, language))
    ready = _open(study, language)
    asked = asked_of(ready)
    one, place = asked[name], asked.names.index(name)
    copy = free_name(name, asked.names)
    after = add_questions(
        ready, [dataclasses.replace(one, name=copy, short="")], place + 1, language
    )
    title = ready.design[name].attribute.title
    after = set_title(after, copy, title) if title else after
    if name in ready.choices:
        after = after.with_choice(copy, ready.choices[name])
    device = ready.design[name].device
    design = after.design.with_perturbation(copy, ready.design.usual_device(name), device)
    return after.with_(design=design)


def delete_questions(study: Study, names: Iterable[str], language: str = "en") -> Study:
    gone = set(names)
    if _is_answered(study) and not any(is_answered(study, name) for name in gone):
        return _beside_answers(study, lambda bare: delete_questions(bare, gone, language))
    ready = _open(study, language)
    kept = {a.name: a for a in typed_attributes(ready) if a.name not in gone}
    asked = asked_of(ready)
    left = tuple(one for one in asked.questions if one.name not in gone)
    own = {name: limits for name, limits in ready.plan.own.items() if name not in gone}
    safe = tuple(pair for pair in ready.settings.safe_answers if pair[0] not in gone)
    ready = ready.with_(
        plan=ready.plan.with_(own=MappingProxyType(own)),
        settings=dataclasses.replace(ready.settings, safe_answers=safe),
    )
    return ordered(ready, kept, dataclasses.replace(asked, questions=left))


@_of_question
def rename_question(study: Study, name: str, new: str, language: str = "en") -> Study:
    """Call a question otherwise, in the design and in all that speaks of it, too.

    The step that takes the study over needs ``renamed=(name, new)`` for what pages keep.
    """
    new = new.strip()
    if new == name:
        return study
    if not new:
        raise DataError.saying("A question needs a name.", attribute=name, field="name")
    known = {*study.design.names, *(one.name for one in study.design.lists)}
    known |= {attribute.name for attribute in study.attributes}
    if new in known:
        raise DataError.saying(
            "Two questions are called {twice!r}; rename one.", twice=new, attribute=name
        )
    if study.state is AnswerState.REPORTED:
        raise DataError(_lock(study))
    asked = study.with_(questionnaire=questionnaire_of(study, language))
    if study.original is None:
        return renamed_study(asked, (name, new))
    table = table_edits.rename_attribute(study.original, name, new)
    return renamed_study(asked, (name, new), original=table)


def move_question(study: Study, name: str, place: int, language: str = "en") -> Study:
    """Ask a question at another place of the order; columns of a table stay where they are."""
    asked = questionnaire_of(study, language)
    listed = [one for one in asked.questions if one.name != name]
    listed.insert(place, asked[name])
    moved = dataclasses.replace(asked, questions=tuple(listed))
    if study.table is not None:
        return study.with_(questionnaire=moved)
    return ordered(study, {a.name: a for a in typed_attributes(study)}, moved)


@_of_question
def set_kind(
    study: Study, name: str, kind: Kind, answers: Sequence[str] = (), language: str = "en"
) -> Study:
    """Ask for another kind of answer.

    ``answers`` are what can be chosen where a number was asked for.
    """
    if _is_answered(study):
        return _with_table(study, language, lambda t: table_edits.set_kind(t, name, kind))
    ready = _open(study, language)
    before = question_attribute(ready, name)
    if before.kind is kind:
        return study
    if kind.is_numeric:
        low, high = before.domain or _RANGE
        if kind is Kind.INTEGER:
            low, high = float(np.floor(low)), float(np.ceil(high))
        return retyped_question(ready, before.with_(
            kind=kind, values=(), sensitive=(), domain=(low, high), domain_source=PUBLIC
        ))  # fmt: skip
    values = before.values or tuple(answers)
    if kind is Kind.BINARY and len(values) != 2:
        raise DataError.saying(
            "{attribute!r} has {count} answers, and a yes-or-no question has 2; remove some.",
            attribute=name,
            count=len(values),
        )
    return retyped_question(ready, before.with_(kind=kind, values=values, domain=None, unit=""))


@_of_question
def set_domain(study: Study, name: str, low: float, high: float, language: str = "en") -> Study:
    if _is_answered(study):
        return _with_table(study, language, lambda t: table_edits.set_domain(t, name, low, high))
    ready = _open(study, language)
    before = question_attribute(ready, name)
    if before.domain == (low, high):
        return study
    if low >= high:
        raise DataError.saying(
            "The lowest number of {attribute!r} must be below the highest.",
            attribute=name,
        )
    return retyped_question(ready, before.with_(domain=(low, high), domain_source=PUBLIC))


# Answers


@_of_question
def add_answer(study: Study, name: str, value: str, language: str = "en") -> Study:
    if study.state is AnswerState.TRUE:
        return _with_table(study, language, lambda t: with_value(t, name, value))
    ready = _open(study, language)
    before = question_attribute(ready, name)
    if before.kind is Kind.BINARY:
        raise DataError.saying("A yes-or-no question has two answers.", attribute=name)
    weights = ready.choices[name].weights if name in ready.choices else ()
    values = (*asked_values(before), value)
    after = retyped_question(ready, of_values(before, values))
    return with_weights(after, ready, name, (*weights, 0.0) if weights else ())


@_of_question
def remove_answer(study: Study, name: str, value: str, language: str = "en") -> Study:
    """Offer an answer no more; one that people gave cannot go."""
    if study.state is AnswerState.TRUE:
        return _with_table(study, language, lambda t: without_value(t, name, value))
    ready = _open(study, language)
    before = question_attribute(ready, name)
    values = asked_values(before)
    if len(values) <= 2:
        raise DataError.saying("A question needs at least 2 answers.", attribute=name)
    place = values.index(value)
    left = tuple(one for one in values if one != value)
    safe = ready.settings.safe_answers
    if ready.settings.safe_answer(name) == value:
        safe = ready.settings.with_safe_answer(name, None)
    ready = ready.with_(settings=dataclasses.replace(ready.settings, safe_answers=safe))
    weights = ready.choices[name].weights if name in ready.choices else ()
    after = retyped_question(ready, of_values(before, left))
    kept = tuple(one for at, one in enumerate(weights) if at != place)
    return with_weights(after, ready, name, kept if sum(kept) > 0 else ())


@_of_question
def rename_answer(study: Study, name: str, value: str, new: str, language: str = "en") -> Study:
    """Call an answer otherwise wherever it is known: design, data, settings."""
    new = new.strip()
    if new == value:
        return study
    if study.state is AnswerState.REPORTED:
        raise DataError(_lock(study))
    if not new:
        raise DataError.saying("An answer needs a text.", attribute=name)
    ready = study.with_(questionnaire=questionnaire_of(study, language))
    designed = ready.design[name]
    if new in designed.attribute.values:
        raise DataError.saying(
            "{attribute!r} has an answer {value!r} already.", attribute=name, value=new
        )

    def called(values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new if one == value else one for one in values)

    before = designed.attribute
    now = before.with_(values=called(before.values), sensitive=called(before.sensitive))
    design = with_designed(ready.design, dataclasses.replace(designed, attribute=now))
    settings = ready.settings
    if settings.safe_answer(name) == value:
        safe = settings.with_safe_answer(name, new)
        settings = dataclasses.replace(settings, safe_answers=safe)
    table = ready.original
    if table is not None:
        table = table_edits.rename_value(table, name, value, new)
    return ready.with_(design=design, settings=settings, original=table)


def set_answer_text(
    study: Study, name: str, value: str, language: str, text: str, main: str = "en"
) -> Study:
    """Word an answer in a language.

    In the main language the value follows, as long as it was the text and no table of reports
    holds it; so whoever types an answer need not know that there is a difference.
    """
    asked = questionnaire_of(study, main)
    text = text.strip()
    answer = next(one for one in asked[name].answers if one.value == value)
    said = answer.text.get(language, "")
    if said == text:
        return study
    follows = language == asked.language and said in ("", value) and not is_answered(study, name)
    if follows:
        return rename_answer(study, name, value, text, main)
    if not text and language == asked.language:
        raise DataError.saying("An answer needs a text.", attribute=name)
    answers = tuple(
        dataclasses.replace(one, text=with_text(one.text, language, text))
        if one.value == value
        else one
        for one in asked[name].answers
    )
    return with_question(study, asked, dataclasses.replace(asked[name], answers=answers))


@_of_question
def move_answer(study: Study, name: str, value: str, place: int, language: str = "en") -> Study:
    """Offer an answer at another place of the list; every answer keeps its probabilities."""
    ready = study.with_(questionnaire=questionnaire_of(study, language))
    if study.state is AnswerState.REPORTED:
        raise DataError(_lock(study))
    before = question_attribute(ready, name)
    values = list(before.values)
    values.remove(value)
    values.insert(place, value)
    if tuple(values) == before.values:
        return study
    order = [before.values.index(one) for one in values]
    design = reordered(ready.design, name, order)
    table = ready.original
    if table is not None:
        shown = [one for one in values if one in table[name].attribute.values]
        table = table_edits.reorder_values(table, name, shown)
    after = ready.with_(design=design, original=table)
    choice = ready.choices.get(name)
    if choice is None or len(choice.weights) != len(order):
        return after
    weights = tuple(choice.weights[at] for at in order)
    return after.with_choice(name, dataclasses.replace(choice, weights=weights))


def set_sensitive(study: Study, name: str, values: Iterable[str], language: str = "en") -> Study:
    asked = study.with_(questionnaire=questionnaire_of(study, language))
    return asked.with_sensitive(name, values)


def set_expected_share(
    study: Study, name: str, value: str, share: float, language: str = "en"
) -> Study:
    """Expect a share of an answer; the others divide the rest as they did before."""
    values = study.design[name].attribute.values
    before = study.prior(name).probabilities
    place = values.index(value)
    share = min(max(share, 0.0), 1.0)
    rest = 1.0 - before[place]
    others = [weight / rest if rest > 0 else 1.0 / max(len(values) - 1, 1) for weight in before]
    weights = tuple(
        share if at == place else float((1.0 - share) * other) for at, other in enumerate(others)
    )
    asked = study.with_(questionnaire=questionnaire_of(study, language))
    return asked.with_choice(name, PriorChoice("drawn", weights))


# Words


def set_text(
    study: Study, name: str, what: str, language: str, text: str, main: str = "en"
) -> Study:
    """Word a question (``text``), its help or its unit in a language; possible at any time."""
    asked = questionnaire_of(study, main)
    question = asked[name]
    words: Words = getattr(question, what)
    if words.get(language, "") == text:
        return study
    changes = {what: with_text(words, language, text)}
    changed = dataclasses.replace(question, **changes)  # type: ignore[arg-type]
    if language != asked.language or what == "help":
        return with_question(study, asked, changed)
    # In the main language the data and the design say the same.
    ready = study.with_(questionnaire=asked)
    is_unit = what == "unit"
    ready = described(ready, name, unit=text) if is_unit else labelled(ready, name, text)
    return with_question(ready, asked_of(ready), changed)


def set_title(study: Study, name: str, title: str, language: str = "en") -> Study:
    ready = study.with_(questionnaire=questionnaire_of(study, language))
    return described(ready, name, title=title.strip())


def set_field(study: Study, name: str, language: str = "en", **changes: object) -> Study:
    asked = questionnaire_of(study, language)
    changed = dataclasses.replace(asked[name], **changes)  # type: ignore[arg-type]
    return study if changed == asked[name] else with_question(study, asked, changed)


def set_around(study: Study, what: str, language: str, text: str, main: str = "en") -> Study:
    asked = questionnaire_of(study, main)
    words: Words = getattr(asked, what)
    if words.get(language, "") == text:
        return study
    changed = {what: with_text(words, language, text)}
    return study.with_(questionnaire=dataclasses.replace(asked, **changed))  # type: ignore[arg-type]


def set_review(study: Study, wanted: bool, main: str = "en") -> Study:
    """Say whether respondents see what will be sent before it is, which is for teaching."""
    asked = questionnaire_of(study, main)
    if asked.review is wanted:
        return study
    return study.with_(questionnaire=dataclasses.replace(asked, review=wanted))


def add_language(study: Study, language: str, main: str = "en") -> Study:
    """Ask in one more language; all its texts are gaps at first."""
    language = language.strip()
    check_code(language)
    asked = questionnaire_of(study, main)
    if language in asked.languages:
        raise DataError.saying(
            "The questionnaire has the language {language!r} already.", language=language
        )
    changed = dataclasses.replace(asked, languages=(*asked.languages, language))
    return study.with_(questionnaire=changed)


def remove_language(study: Study, language: str, main: str = "en") -> Study:
    asked = questionnaire_of(study, main)
    left = tuple(code for code in asked.languages if code != language)
    if not left or language == asked.language:
        raise DataError("The main language cannot be removed; the others are translations of it.")

    bare = asked.with_words(lambda words: with_text(words, language, ""))
    return study.with_(questionnaire=dataclasses.replace(bare, languages=left))


def replace_questionnaire(study: Study, asked: Questionnaire) -> Study:
    """Ask the questions of a document instead; what it shares with the study keeps its design.

    A study with answers takes the words of questions that it has, and refuses others.
    """
    if not _is_answered(study):
        ready = _open(study, asked.language)
        _check_lengths(asked.questions)
        drawn = set(ready.design.drawn_columns)
        kept = {a.name: a for a in typed_attributes(ready) if a.name in drawn}
        titles = {d.name: d.attribute.title for d in ready.design}
        fresh = {a.name: a.with_(title=titles.get(a.name, "")) for a in asked.attributes()}
        return ordered(ready, {**fresh, **kept}, asked)
    now = {a.name: a for a in study.asked_attributes()}
    for one in asked.questions:
        given = now.get(one.name)
        values = tuple(answer.value for answer in one.answers)
        if given is None or (given.kind, given.values) != (one.kind, values):
            raise DataError.saying(
                "The study has answers that do not fit the question {name!r} of this "
                "questionnaire; open it as a study of its own.",
                name=one.name,
                attribute=one.name,
            )
    after = study.with_(questionnaire=asked)
    for one in asked.questions:
        after = labelled(after, one.name, one.text.get(asked.language, ""))
        marked = [answer.value for answer in one.answers if answer.sensitive]
        after = after.with_sensitive(one.name, marked)
    return after
