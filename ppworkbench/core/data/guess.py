"""Kinds of columns, guessed by what they hold, each with a reason in words.

Two different values make a binary attribute; recognised answer scales and short runs of whole
numbers an ordinal one; other text a nominal one; other whole numbers an integer one; decimals a
continuous one. What a file declares (labels, measure levels, lists of values) goes first.
"""

from __future__ import annotations

from ppworkbench.core.data.guess_labelled import guess_labelled
from ppworkbench.core.data.guess_numbers import Known, guess_numbers
from ppworkbench.core.data.guess_texts import guess_texts

__all__ = ["Known", "guess_labelled", "guess_numbers", "guess_texts"]
