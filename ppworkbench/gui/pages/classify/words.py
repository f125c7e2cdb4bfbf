"""What classifiers and their settings are called on the page."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from ppworkbench.core.classify import classifiers
from ppworkbench.core.experiment import Setting

ORDER = (
    "tree", "naive-bayes", "weighted-bayes", "eager-ep", "lazy-ep", "bagging", "boosting", "meta",
    "mrr-naive-bayes",
)  # fmt: skip
"""How the page lists the classifiers; others come behind these."""

FOREST = "sklearn-forest"


def _tr(words: str) -> str:
    return QCoreApplication.translate("Classify", words)


def offered() -> tuple[str, ...]:
    """All classifiers that know of distortion, in the order of the page."""
    known = [entry.name for entry in classifiers if not entry.item.is_reference]
    return tuple(sorted(known, key=lambda n: ORDER.index(n) if n in ORDER else len(ORDER)))


def short_name(classifier: str) -> str:
    """A classifier in a few words; the registry's own for one that is new."""
    names = {
        "tree": _tr("Decision tree"),
        "naive-bayes": _tr("Naive Bayes"),
        "eager-ep": _tr("Eager patterns"),
        "lazy-ep": _tr("Lazy patterns"),
        "bagging": _tr("Bagged trees"),
        "boosting": _tr("Boosted trees"),
        "meta": _tr("Combined trees"),
        "mrr-naive-bayes": _tr("Grouped Bayes"),
        "weighted-bayes": _tr("Weighted Bayes"),
        "sklearn-forest": _tr("Random forest"),
        "sklearn-tree": _tr("Plain tree"),
        "sklearn-knn": _tr("Neighbours"),
        "sklearn-bayes": _tr("Plain Bayes"),
        "majority": _tr("Larger class"),
    }
    return names.get(classifier) or classifiers.entry(classifier).label


def setting_name(setting: Setting) -> str:
    """A setting as tables and curves name it."""
    name = short_name(setting.classifier)
    if not setting.undistorted or classifiers[setting.classifier].is_reference:
        return name
    if setting.classifier == "tree":
        return _tr("Undistorted tree")
    return _tr("%s, undistorted") % name


def reconstruction_words(name: str) -> str:
    """A type of reconstruction as people read it."""
    words = {
        "none": _tr("none"),
        "global": _tr("global"),
        "by-class": _tr("by class"),
        "local": _tr("local"),
        "local-all": _tr("local, all"),
    }
    return words.get(name, name)


def how_reconstructed(setting: Setting) -> str:
    """How a setting undoes the distortion, for the table."""
    if setting.undistorted:
        return _tr("none")
    params = setting.params
    types = getattr(params, "reconstruction", None) or getattr(params, "reconstructions", None)
    if types is None:
        return _tr("by class")
    listed = (types,) if isinstance(types, str) else types
    words = [reconstruction_words(one) for one in listed]
    algorithms = getattr(params, "algorithms", ())
    if listed != ("none",):
        words += [algorithms] if isinstance(algorithms, str) else _few(algorithms)
    return ", ".join(words)


def _few(algorithms: tuple[str, ...]) -> list[str]:
    return list(algorithms) if len(algorithms) < 2 else [_tr("%s algorithms") % len(algorithms)]


def level_words(level: float | None) -> str:
    """A level of the sweep, or the design as it is."""
    if level is None:
        return _tr("the design as it is")
    return _tr("range privacy %s\u202f%%") % f"{level:g}"
