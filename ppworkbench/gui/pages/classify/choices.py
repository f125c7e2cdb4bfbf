"""What a person chose on the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from ppworkbench.core.classify import BinningParams, classifiers
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.experiment import Plan, Setting, Sweep
from ppworkbench.gui.pages.classify.words import FOREST, offered
from ppworkbench.study.study import Study

SAME_TREE, LARGER, FOREST_TOO = "same-tree", "larger-class", "forest"
REFERENCES = (SAME_TREE, LARGER, FOREST_TOO)
MOST_FOLDS, MOST_REPEATS, MOST_LEVELS = 100, 1_000, 21
HIGHEST_LEVEL = 1_000


class Choices(QObject):
    """Classifiers with their parameters, references, folds, and the sweep."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._set_defaults()

    def _set_defaults(self) -> None:
        self.class_name: str | None = None
        self.ticked = {name for name in ("tree", "naive-bayes") if name in classifiers}
        self.params: dict[str, BinningParams] = {}
        self.references = {SAME_TREE, LARGER}
        self.folds, self.repeats = 10, 1
        self.sweeps = True
        self.low, self.high, self.steps = 0.0, 200.0, 5

    def forget(self) -> None:
        """Begin anew: another study is shown."""
        self._set_defaults()
        self.changed.emit()

    def params_of(self, name: str) -> BinningParams:
        """The parameters of a classifier."""
        return self.params.get(name) or classifiers[name].params_type()

    def tick(self, name: str, on: bool) -> None:
        """Take a classifier in or leave it out."""
        (self.ticked.add if on else self.ticked.discard)(name)
        self.changed.emit()

    def set_params(self, name: str, params: BinningParams) -> None:
        """Change parameters of a classifier."""
        if params != self.params_of(name):
            self.params[name] = params
            self.changed.emit()

    def refer(self, name: str, on: bool) -> None:
        """Compare with something undistorted, or not."""
        (self.references.add if on else self.references.discard)(name)
        self.changed.emit()

    def set(self, **changes: object) -> None:
        """Change class, folds, repeats or the sweep."""
        if any(getattr(self, name) != value for name, value in changes.items()):
            for name, value in changes.items():
                setattr(self, name, value)
            self.changed.emit()

    # What follows from it

    def class_of(self, study: Study) -> str | None:
        """The attribute to be foretold: the chosen one, else the class of the study."""
        marked = None if study.original is None else study.original.class_name
        return next((name for name in (self.class_name, marked) if can_be_class(study, name)), None)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """What is compared: the ticked classifiers, then the references that are trained."""
        chosen = [Setting(n, self.params_of(n)) for n in offered() if n in self.ticked]
        if SAME_TREE in self.references and "tree" in classifiers:
            chosen.append(Setting("tree", self.params_of("tree"), undistorted=True))
        if FOREST_TOO in self.references and FOREST in classifiers:
            chosen.append(Setting.of(FOREST))
        return tuple(chosen)

    @property
    def levels(self) -> tuple[float, ...]:
        """The levels of the sweep; none for the design as it is."""
        if not self.sweeps:
            return ()
        found = np.linspace(min(self.low, self.high), max(self.low, self.high), self.steps)
        return tuple(float(level) for level in np.round(found, 1))

    def plan(self, seed: int) -> Plan:
        """Folds and repeats."""
        return Plan(folds=self.folds, repeats=self.repeats, seed=seed)

    @property
    def sweep(self) -> Sweep:
        """The sweep."""
        return Sweep(levels=self.levels)

    # In a study

    def to_json(self) -> dict[str, Any]:
        """The choices as plain JSON values."""
        return {
            "class": self.class_name,
            "ticked": sorted(self.ticked),
            "params": {name: params.to_json() for name, params in self.params.items()},
            "references": sorted(self.references),
            "folds": self.folds,
            "repeats": self.repeats,
            "sweep": [self.sweeps, self.low, self.high, self.steps],
        }

    def restore(self, given: object) -> None:
        """Take over saved choices; what cannot be understood stays as it is by default."""
        self._set_defaults()
        if isinstance(given, Mapping):
            try:
                self._read(given)
            except (WorkbenchError, KeyError, TypeError, ValueError):
                self._set_defaults()
        self.changed.emit()

    def _read(self, given: Mapping[str, Any]) -> None:
        known = set(offered())
        name = given["class"]
        self.class_name = None if name is None else str(name)
        self.ticked = {str(name) for name in given["ticked"]} & known
        self.params = {
            name: classifiers[name].params_type.from_json(params)
            for name, params in given["params"].items()
            if name in classifiers
        }
        self.references = set(given["references"]) & set(REFERENCES)
        self.folds = min(max(int(given["folds"]), 2), MOST_FOLDS)
        self.repeats = min(max(int(given["repeats"]), 1), MOST_REPEATS)
        sweeps, low, high, steps = given["sweep"]
        self.sweeps = bool(sweeps)
        self.low, self.high = (float(min(max(level, 0), HIGHEST_LEVEL)) for level in (low, high))
        self.steps = min(max(int(steps), 2), MOST_LEVELS)


def class_names(study: Study) -> list[str]:
    """The attributes that could be foretold: those with values, in the design."""
    return [attribute.name for attribute in study.attributes if can_be_class(study, attribute.name)]


def can_be_class(study: Study, name: str | None) -> bool:
    """Whether an attribute could be foretold."""
    if study.original is None or name is None or name not in study.design:
        return False
    return study.attribute(name).kind.is_categorical
