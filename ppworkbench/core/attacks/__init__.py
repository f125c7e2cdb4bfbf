"""Attacks on distorted answers, carried out beside the truth: what protects must stand them."""

from ppworkbench.core.attacks.attack import (
    Attack,
    AttackedAnswers,
    Counted,
    Finding,
    attacks,
    linkable,
)
from ppworkbench.core.attacks.best_guess import best_guess
from ppworkbench.core.attacks.filtering import filter_noise, filterable
from ppworkbench.core.attacks.linkage import link_records
from ppworkbench.core.attacks.repeated import repeated_asking, repeated_question

__all__ = [
    "Attack",
    "AttackedAnswers",
    "Counted",
    "Finding",
    "attacks",
    "best_guess",
    "filter_noise",
    "filterable",
    "link_records",
    "linkable",
    "repeated_asking",
    "repeated_question",
]
