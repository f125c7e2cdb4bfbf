"""Attacks on distorted answers, carried out beside the truth: what protects must stand them."""

from ppworkbench.core.attacks.attack import Attack, AttackedAnswers, attacks, linkable
from ppworkbench.core.attacks.best_guess import BestGuess, Guess, best_guess
from ppworkbench.core.attacks.filtering import Filtered, Filtering, filter_noise, filterable
from ppworkbench.core.attacks.linkage import Linkage, LinkageStep, link_records
from ppworkbench.core.attacks.published_data import Counted, Finding, Measured
from ppworkbench.core.attacks.repeated import (
    RepeatedAsking,
    RepeatedQuestion,
    repeated_asking,
    repeated_question,
)

__all__ = [
    "Attack",
    "AttackedAnswers",
    "BestGuess",
    "Counted",
    "Filtered",
    "Filtering",
    "Finding",
    "Guess",
    "Linkage",
    "LinkageStep",
    "Measured",
    "RepeatedAsking",
    "RepeatedQuestion",
    "attacks",
    "best_guess",
    "filter_noise",
    "filterable",
    "link_records",
    "linkable",
    "repeated_asking",
    "repeated_question",
]
