"""Answers that carry their code, such as ``5 - definitely yes``, perhaps mixed with bare codes."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.guess_numbers import find_codes
from ppworkbench.core.data.numerals import number_text
from ppworkbench.core.data.scales import order_scale, plain_words
from ppworkbench.core.data.summary import counted_summary
from ppworkbench.core.data.typical_codes import TYPICAL_CODES

_CODED = re.compile(r"\s*(-?\d{1,5})\s*[-–—:=.)]\s*(?=[^\W\d])(.*\S)\s*", re.DOTALL)
_BARE = re.compile(r"\s*(-?\d{1,5})(?:[.,]0*)?\s*")
_NO_ANSWER = frozenset(
    {
        "nie dotyczy",
        "not applicable",
        "no answer",
        "brak odpowiedzi",
        "brak danych",
        "odmowa",
        "odmowa odpowiedzi",
        "refused",
        "refusal",
        "missing",
        "no data",
    }
)


@dataclass(frozen=True)
class CodedLabels:
    """Spellings brought together under their codes.

    ``code_of`` has the code of each text; ``values`` and ``codes`` are the answers in ascending
    order of code; ``missing`` are codes that mean no answer.
    """

    code_of: dict[str, float]
    values: tuple[str, ...]
    codes: tuple[float, ...]
    missing: tuple[float, ...]
    kind: Kind
    is_mixed: bool


def read_coded_labels(counts: dict[str, int]) -> CodedLabels | None:
    """Bring spellings together; None unless every text is a code, with or without its label.

    >>> found = read_coded_labels({"5 - yes": 3, "1 - no": 2, "5": 1})
    >>> found.values, found.codes
    (('1 - no', '5 - yes'), (1.0, 5.0))
    """
    code_of: dict[str, float] = {}
    spellings: dict[float, str] = {}
    labels: dict[float, str] = {}
    # The most frequent spelling of a code becomes the value.
    for text in sorted(counts, key=lambda one: (-counts[one], one)):
        coded, bare = _CODED.fullmatch(text), _BARE.fullmatch(text)
        if coded is None and bare is None:
            return None
        code = float((coded or bare)[1])  # type: ignore[index]
        code_of[text] = code
        if coded is not None:
            if plain_words(labels.setdefault(code, coded[2])) != plain_words(coded[2]):
                return None
            spellings.setdefault(code, text)
    if len(labels) < 2:
        return None
    missing = _missing(code_of, counts, labels)
    codes = tuple(sorted({*code_of.values()} - {*missing}))
    values = tuple(spellings.get(code, number_text(code)) for code in codes)
    is_scale = _is_scale([labels[code] for code in codes if code in labels])
    kind = Kind.BINARY if len(codes) == 2 else Kind.ORDINAL if is_scale else Kind.NOMINAL
    return CodedLabels(code_of, values, codes, missing, kind, len(code_of) > len(spellings))


def _missing(
    code_of: dict[str, float], counts: dict[str, int], labels: dict[float, str]
) -> tuple[float, ...]:
    numbers = np.array([code_of[text] for text in counts])
    summary = counted_summary(numbers, np.array([*counts.values()]), 0)
    impossible = {code for code, _ in find_codes(summary).missing if code not in labels}
    unanswered = {
        code
        for code, label in labels.items()
        if plain_words(label) in _NO_ANSWER and code in TYPICAL_CODES
    }
    return tuple(sorted(impossible | unanswered))


def _is_scale(labels: list[str]) -> bool:
    """Whether the labels, in the order of their codes, run along a known scale."""
    scale = order_scale(labels)
    return scale is not None and labels in ([*scale.values], [*reversed(scale.values)])
