"""Why nothing can be run, and what to do about it."""

from __future__ import annotations

from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.pages.classify.choices import Choices, can_be_class
from ppworkbench.gui.words import number
from ppworkbench.study.study import Study


def why_not_run(study: Study, choices: Choices) -> str:
    """A sentence, or nothing where a run is possible."""
    if study.original is None:
        return no_original(study)
    why_not = _why_no_class(study, choices)
    if why_not:
        return why_not
    if not choices.ticked:
        return tr("Tick at least one classifier.")
    if study.rows < choices.folds:
        words = tr("There are %s records; use at most as many folds.")
        return words % number(study.rows)
    return ""


def _why_no_class(study: Study, choices: Choices) -> str:
    name = choices.class_of(study)
    if name is None:
        # The first that can be is enough: there may be thousands.
        if any(can_be_class(study, attribute.name) for attribute in study.attributes):
            return tr("Choose the attribute that is to be foretold.")
        return tr("No attribute has a few values that could be foretold.")
    if not any(d.name != name for d in study.design):
        return tr("There is no attribute beside the class to learn from.")
    return ""


def no_original(study: Study) -> str:
    """Why a study without original answers has nothing to compare."""
    if study.distorted is not None:
        return tr(
            "An experiment distorts original answers itself and is tested on them. This study came "
            "distorted, so nobody could say which predictions are right."
        )
    return tr("There are no answers yet. Open a table or a sample.")


def class_hint(study: Study, name: str | None) -> str:
    """What is odd about the chosen class: it is distorted too."""
    if name is None or name not in study.design:
        return ""
    perturbation = study.design.perturbation(name)
    if perturbation.is_identity:
        return ""
    words = tr("The design distorts it too (%s). Training sees it so; the test knows the truth.")
    return words % told(perturbation.summary())
