"""What classifiers and their settings are called on the page."""

from __future__ import annotations

from ppworkbench.core.classify import classifiers
from ppworkbench.core.experiment import Setting
from ppworkbench.gui.forms.choice_words import choice_words
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.plots.ticks import short_number

FOREST = "sklearn-forest"


def offered() -> tuple[str, ...]:
    """All classifiers that know of distortion, in the order of the page."""
    return tuple(entry.name for entry in classifiers.ranked if not entry.item.is_reference)


def short_name(classifier: str) -> str:
    """A classifier in a few words; the registry's own for one that is new."""
    entry = classifiers.entry(classifier)
    # Some languages shorten even a name that is short in English.
    return tr(entry.title, "short")


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
