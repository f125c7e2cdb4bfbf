"""Single words of the core that are texts: what it fills into its sentences, and short labels.

They are the values of parameters, so that whoever collects the texts cannot know them as such.
"""

from __future__ import annotations

from ppworkbench.study.language.marks import later

FILLED_IN = frozenset(
    (
        later("nominal"), later("ordinal"), later("binary"), later("integer"), later("continuous"),
        later("uniform"), later("normal"), later("laplace"), later("lognormal"),
        later("truncated-normal"), later("on"), later("off"), later("infinity"),
    )
)  # fmt: skip

LABELS = frozenset(
    (
        later("Breach"), later("Amplification"), later("Condition", "measure"),
        later("Crosswise"), later("Triangular"),
    )
)  # fmt: skip
