"""The question that is put together: chips, text and fields show and change it."""

from __future__ import annotations

import dataclasses

from PySide6.QtCore import QObject, Signal

from ppworkbench.analyses.compliance.compliance import ComplianceRequest, attributes_to_check
from ppworkbench.analyses.compliance.model_choices import first_compliance, fitting
from ppworkbench.analyses.estimates.list_item import ListItem
from ppworkbench.analyses.estimates.lists import fitting_inquiry
from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.analyses.survey.questions import (
    Question,
    attributes_for,
    group_labels,
    groups_for,
    problem_of,
    problem_with_parts,
    statistics,
    uses_sampling,
)
from ppworkbench.analyses.survey.regressions import can_be_used, first_model, why_no_variance
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.survey.conditions.condition import Condition, parse_condition
from ppworkbench.core.survey.estimates import JOINT
from ppworkbench.gui.language import translate
from ppworkbench.study.study import Study


class QuestionModel(QObject):
    """Chips, text and fields all show and change this one question.

    A text that cannot be read is kept beside the last condition that could, so that nobody loses
    what was typed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._question = Question()
        self._text = ""
        self._fault = ""

    @property
    def question(self) -> Question:
        return self._question

    @property
    def text(self) -> str:
        return self._text

    @property
    def fault(self) -> str:
        return self._fault

    @property
    def state(self) -> tuple[Question, str]:
        return self._question, self._text

    @state.setter
    def state(self, state: tuple[Question, str]) -> None:
        self.set(state[0])
        self.set_text(state[1])

    def set(self, question: Question) -> None:
        text = str(question.condition)
        if (question, text, "") != (self._question, self._text, self._fault):
            self._question, self._text, self._fault = question, text, ""
            self.changed.emit()

    def change(self, **changes: object) -> None:
        """Change some of it; a fault of the text stays unless the condition changes, too."""
        question = self._question.with_(**changes)
        if question.condition != self._question.condition:
            self.set(question)
        elif question != self._question:
            self._question = question
            self.changed.emit()

    def change_model(self, **changes: object) -> None:
        model = self._question.model
        if model is not None:
            options = dataclasses.replace(model.options, **changes)  # type: ignore[arg-type]
            self.change(model=dataclasses.replace(model, options=options))

    def set_condition(self, condition: Condition) -> None:
        self.set(self._question.with_(condition=condition))

    def set_text(self, text: str) -> None:
        """Take over what was typed; the condition follows where it can be read."""
        if text == self._text:
            return
        self._text = text
        try:
            condition = parse_condition(text)
        except WorkbenchError as error:
            self._fault = translate(error.message)
        else:
            self._fault = ""
            self._question = self._question.with_(condition=condition)
        self.changed.emit()

    def problem(self, study: Study) -> str:
        asked = self._question
        problem = problem_of(asked, study.design) or problem_with_parts(asked, study)
        return self._fault or translate(study.titled(problem))

    def fill_in(self, study: Study) -> None:
        """Choose attributes to tell about where none, or one that does not fit, is chosen."""
        self.change(**fitting_choices(self._question, study))


def fitting_choices(asked: Question, study: Study) -> dict[str, object]:
    """What a question asks about, as far as the study has it; else something that it has."""
    takes = asked.kind.takes
    offered = attributes_for(study, asked.statistic)
    of, by, value = asked.of, asked.by, asked.value
    if of not in offered:
        of = _first(study, [*offered], asked.statistic)
    groups = groups_for(study, asked.statistic)
    if "by" in takes and (by not in groups or by == of):
        by = _first(study, [name for name in groups if name != of], asked.statistic)
    if "value" in takes and of in study.design:
        attribute = study.design[of].attribute
        if value not in attribute.values:
            value = next(iter((*attribute.sensitive, *attribute.values)), "")
    # Another attribute, or other bins of a number, have other groups.
    reference = asked.reference if asked.reference in group_labels(study, by) else ""
    # The sequential method knows nothing of a sampling, of devices that differ, nor of parts.
    is_joint = uses_sampling(asked, study) or differs_by_arm(asked, study)
    is_joint |= study.has_reported_parts
    method = JOINT if is_joint else asked.method
    return {
        "of": of, "by": by, "value": value, "reference": reference, "method": method,
        "model": _fitting_model(asked, study), "inquiry": _fitting_list(asked, study),
        "compliance": _fitting_check(asked, study), **known_arms(asked, study),
    }  # fmt: skip


def _fitting_model(asked: Question, study: Study) -> Regress | None:
    model = asked.model
    if asked.kind.own_question != "model":
        return model
    if model is None:
        return first_model(study)
    # A model of attributes that are gone stays, so that people are told which are missing.
    return _with_known_errors(model, asked, study) if can_be_used(model, study) else model


def _fitting_list(asked: Question, study: Study) -> ListItem | None:
    is_list = asked.kind.own_question == "inquiry"
    return fitting_inquiry(asked.inquiry, study) if is_list else asked.inquiry


def _fitting_check(asked: Question, study: Study) -> ComplianceRequest | None:
    checked = asked.compliance
    if asked.kind.own_question != "compliance":
        return checked
    if checked is None:
        return first_compliance(study, next(iter(asked.condition.attributes), ""))
    is_there = checked.attribute in attributes_to_check(study.design)
    return fitting(checked, study.design) if is_there else checked


def known_arms(asked: Question, study: Study) -> dict[str, object]:
    """The choice of arms as far as the design has them; all of them are no choice."""
    names = study.design.versions.choices
    chosen = tuple(name for name in names if name in asked.arms)
    if len(chosen) == len(names):
        chosen = ()
    by_arm = asked.by_arm and len(chosen or names) > 1
    return {"arms": chosen, "by_arm": by_arm}


def differs_by_arm(asked: Question, study: Study) -> bool:
    design = study.design
    return any(name in design and design.perturbation(name).columns for name in asked.attributes)


def _with_known_errors(model: Regress, asked: Question, study: Study) -> Regress:
    if model.options.variance not in why_no_variance(asked, study):
        return model
    return dataclasses.replace(model, options=dataclasses.replace(model.options, variance=""))


def _first(study: Study, offered: list[str], statistic: str) -> str:
    """An attribute whose values can be overlooked, or a number for a mean."""

    def rank(name: str) -> tuple[int, int]:
        attribute: Attribute = study.design[name].attribute
        if statistics[statistic].only_numbers:
            return (attribute.kind is not Kind.CONTINUOUS, 0)
        return (not 2 <= attribute.k <= 12, 0)

    return min(offered, key=rank, default="")
