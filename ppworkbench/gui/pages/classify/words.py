"""What classifiers and their settings are called on the page."""

from __future__ import annotations

from ppworkbench.core.classify import classifiers
from ppworkbench.core.experiment import Setting
from ppworkbench.gui.forms.choice_words import choice_words
from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.plots.ticks import short_number

ORDER = (
    "tree", "naive-bayes", "weighted-bayes", "eager-ep", "lazy-ep", "bagging", "boosting", "meta",
    "mrr-naive-bayes",
)  # fmt: skip
"""How the page lists the classifiers; others come behind these."""

FOREST = "sklearn-forest"


def offered() -> tuple[str, ...]:
    """All classifiers that know of distortion, in the order of the page."""
    known = [entry.name for entry in classifiers if not entry.item.is_reference]
    return tuple(sorted(known, key=lambda n: ORDER.index(n) if n in ORDER else len(ORDER)))


def short_name(classifier: str) -> str:
    """A classifier in a few words; the registry's own for one that is new."""
    names = {
        "tree": tr("Decision tree", "short"),
        "naive-bayes": tr("Naive Bayes"),
        "eager-ep": tr("Eager patterns"),
        "lazy-ep": tr("Lazy patterns"),
        "bagging": tr("Bagged trees"),
        "boosting": tr("Boosted trees"),
        "meta": tr("Combined trees"),
        "mrr-naive-bayes": tr("Grouped Bayes"),
        "weighted-bayes": tr("Weighted Bayes"),
        "sklearn-forest": tr("Random forest"),
        "sklearn-tree": tr("Plain tree"),
        "sklearn-knn": tr("Neighbours"),
        "sklearn-bayes": tr("Plain Bayes"),
        "majority": tr("Larger class"),
    }
    return names.get(classifier) or told(classifiers.entry(classifier).label)


def setting_name(setting: Setting) -> str:
    """A setting as tables and curves name it."""
    name = short_name(setting.classifier)
    if not setting.undistorted or classifiers[setting.classifier].is_reference:
        return name
    if setting.classifier == "tree":
        return tr("Undistorted tree")
    return tr("%s, undistorted") % name


def how_reconstructed(setting: Setting) -> str:
    """How a setting undoes the distortion, for the table."""
    if setting.undistorted:
        return choice_words("none")
    params = setting.params
    types = getattr(params, "reconstruction", None) or getattr(params, "reconstructions", None)
    if types is None:
        return choice_words("by-class")
    listed = (types,) if isinstance(types, str) else types
    words = [choice_words(one) for one in listed]
    algorithms = getattr(params, "algorithms", ())
    if listed != ("none",):
        words += [algorithms] if isinstance(algorithms, str) else _few(algorithms)
    return ", ".join(words)


def _few(algorithms: tuple[str, ...]) -> list[str]:
    return list(algorithms) if len(algorithms) < 2 else [tr("%s algorithms") % len(algorithms)]


def level_words(level: float | None) -> str:
    """A level of the sweep, or the design as it is."""
    if level is None:
        return tr("the design as it is")
    return tr("range privacy %s\u202f%%") % short_number(level)
