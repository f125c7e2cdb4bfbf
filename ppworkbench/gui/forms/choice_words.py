"""What the choices of a form are called; files and commands know them by their English names."""

from __future__ import annotations

from ppworkbench.gui.language.text import tr


def choice_words(choice: str) -> str:
    """A choice in the language of the window; a name that is none of ours stays as it is."""
    words = {
        "first": tr("first", "choice"),
        "random": tr("random", "choice"),
        "probably": tr("probably", "choice"),
        "surely": tr("surely", "choice"),
        "possibly": tr("possibly", "choice"),
        "equal-width": tr("equal-width", "choice"),
        "equal-frequency": tr("equal-frequency", "choice"),
        "bayes": tr("bayes", "choice"),
        "published": tr("published", "choice"),
        "none": tr("none"),
        "global": tr("global"),
        "by-class": tr("by class"),
        "local": tr("local"),
        "local-all": tr("local, all"),
        "weighted": tr("weighted", "choice"),
        "simple": tr("simple", "choice"),
        "auto": tr("auto", "choice"),
        "unbiased": tr("unbiased", "choice"),
        "binary": tr("binary", "choice"),
        "posterior": tr("posterior", "choice"),
    }
    return words.get(choice, choice)
