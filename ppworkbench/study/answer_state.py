"""What the answers of a study can be, and the words for it.

A person says it, nobody guesses it: a table of numbers looks the same before and after a device.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from ppworkbench.core.message import Message

RESPONSES = "responses"
"""Among the results of a study: which responses it has. Unlike others it can be undone."""
SOURCES = "sources"
"""Among them: the kinds of places that the answers came from."""
KEPT = "kept"
"""Among them: columns that came with the answers and that nobody was asked."""
DIRECT = "direct"
"""A source: true answers, which were randomised when they were released."""


def noted(results: Mapping[str, object], what: str) -> tuple[str, ...]:
    told = results.get(RESPONSES)
    found = told.get(what) if isinstance(told, Mapping) else None
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


class AnswerState(StrEnum):
    """Where the answers of a study come from.

    ``REPORTED`` answers were randomised before anybody stored them; ``INVENTED`` ones belong to a
    rehearsal and say nothing about people; ``TRUE`` ones were asked directly.
    """

    NONE = "none"
    INVENTED = "invented"
    REPORTED = "reported"
    TRUE = "true"


_WORDS = {
    AnswerState.NONE: Message("no answers yet"),
    AnswerState.INVENTED: Message("simulated answers"),
    AnswerState.REPORTED: Message("reported answers"),
    AnswerState.TRUE: Message("true answers"),
}
_MEANINGS = {
    AnswerState.NONE: Message("Nobody has answered yet."),
    AnswerState.INVENTED: Message("Simulated from the expected answers."),
    AnswerState.REPORTED: Message("Randomised by a device or a page before they were stored."),
    AnswerState.TRUE: Message("Asked directly; the design randomises them."),
}
_WORKED_OUT = frozenset({"survey", "mine", "classify", "compliance", "publish"})
"""What pages keep of answers; all else of the results belongs to the design."""


def state_words(state: AnswerState) -> Message:
    """What the answers are, in two or three words.

    >>> state_words(AnswerState.REPORTED)
    'reported answers'
    """
    return _WORDS[state]


def analysed_state(state: AnswerState, *, uses_original: bool) -> AnswerState:
    """What the answers were that a method looked at; invented ones are invented in every form.

    >>> str(analysed_state(AnswerState.TRUE, uses_original=False))
    'reported'
    """
    if state is AnswerState.INVENTED:
        return state
    return AnswerState.TRUE if uses_original else AnswerState.REPORTED


def state_meaning(state: AnswerState) -> Message:
    return _MEANINGS[state]


def collected_words(answers: int) -> Message:
    """What a study without answers has whose collection has some.

    >>> collected_words(140)
    '140 answers to import'
    """
    return Message("{count:,} answers to import", count=answers)


def collected_meaning() -> Message:
    return Message(
        "Collected answers are in their database; “Import the answers” on Collect brings them "
        "into the study."
    )


def invented_sentence(rows: int) -> Message:
    """What stands over everything that was made from invented answers.

    >>> invented_sentence(500)
    'Simulated data: 500 respondents, no real people.'
    """
    if rows == 1:
        return Message("Simulated data: 1 respondent, no real person.")
    return Message("Simulated data: {count:,} respondents, no real people.", count=rows)


def without_findings(results: Mapping[str, object]) -> Mapping[str, object]:
    """What pages keep, without what they found in the answers."""
    if not results.keys() & _WORKED_OUT:
        return results
    return MappingProxyType(
        {name: value for name, value in results.items() if name not in _WORKED_OUT}
    )
