r"""How many people to ask, for all questions together.

A question that needs n_j answers and that a share s_j of the respondents skips needs so many more
respondents; the largest of these numbers is enough for all, and the response rate r tells how many
people to invite:

.. math:: n = \max_j \lceil n_j / (1 - s_j) \rceil, \qquad m = \lceil n / r \rceil
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.planning.questionnaire import QuestionPlan, plain

_ROUNDING = 1e-9
"""By so much may a quotient miss a whole number."""


@dataclass(frozen=True)
class Invitations:
    """How many answers are enough for every question, and how many people to invite for them.

    Both are infinite where no number of answers is enough for ``decisive``. ``needed`` and
    ``skipped`` hold, by question, the respondents it needs and the share of them who skip it.
    """

    answers: float
    invitations: float
    decisive: str
    response_rate: float = 1.0
    needed: Mapping[str, float] = field(default_factory=dict)
    skipped: Mapping[str, float] = field(default_factory=dict)

    @property
    def sentence(self) -> Message:
        if math.isinf(self.answers):
            return Message(
                "No number of answers is enough for {attribute}.", attribute=self.decisive
            )
        answers = int(self.answers)
        if self.response_rate >= 1:
            return Message("{answers:,} answers are enough for every question.", answers=answers)
        return Message(
            "{answers:,} answers are enough for every question; at {rate:.3g} % response invite "
            "{invitations:,}.",
            answers=answers,
            rate=100 * self.response_rate,
            invitations=int(self.invitations),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "answers": plain(self.answers),
            "response_rate": self.response_rate,
            "invitations": plain(self.invitations),
            "decisive": self.decisive,
            "sentence": self.sentence,
            "questions": {
                name: {"skipped": self.skipped[name], "respondents": plain(respondents)}
                for name, respondents in self.needed.items()
            },
        }


def count_invitations(
    questions: Iterable[QuestionPlan],
    skipped: Callable[[str], float] = lambda name: 0.0,  # noqa: ARG005
    response_rate: float = 1.0,
) -> Invitations | None:
    """The total over all questions; None where no limit asks for respondents.

    Parameters
    ----------
    skipped
        The share of respondents who are expected to skip a question of that name.
    """
    if not 0 < response_rate <= 1:
        raise ParameterError.saying(
            "The response rate is {rate:g}; it must be above 0 and at most 1.",
            rate=response_rate,
            field="response_rate",
        )
    needed: dict[str, float] = {}
    shares: dict[str, float] = {}
    for one in questions:
        share = skipped(one.attribute)
        if not 0 <= share < 1:
            raise ParameterError(
                Message(
                    "{attribute!r} is skipped by {share:g} of the respondents; the share must be "
                    "at least 0 and below 1.",
                    attribute=one.attribute,
                    share=share,
                ),
                field="skipped",
            )
        if one.respondents is not None:
            shares[one.attribute] = share
            needed[one.attribute] = _rounded_up(one.respondents / (1 - share))
    if not needed:
        return None
    decisive = max(needed, key=lambda name: needed[name])
    answers = needed[decisive]
    invited = _rounded_up(answers / response_rate)
    return Invitations(answers, invited, decisive, response_rate, needed, shares)


def _rounded_up(people: float) -> float:
    if math.isinf(people):
        return people
    return math.ceil(people * (1 - _ROUNDING))
