"""Of which question it is asked who followed the instructions, by which model and which arms."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.analyses.compliance.compliance import ComplianceRequest, attributes_to_check
from ppworkbench.analyses.compliance.model_choices import (
    anchor_columns,
    anchor_share_of_device,
    changed_question,
    fitting,
    has_named_arms,
    key_of,
    model_choices,
    question_arms,
    with_model,
)
from ppworkbench.core.compliance.models import ANCHOR
from ppworkbench.core.compliance.question import BAND, KNOWN
from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.survey.arms import ArmTicks
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import AttributeBox, offer_attributes
from ppworkbench.gui.widgets.controls import Button, ChoiceBox
from ppworkbench.gui.widgets.layout import column, named, row, text
from ppworkbench.gui.widgets.number_fields import NumberBox
from ppworkbench.study.study import Study

_WIDEST_LIST = 560
"""Reasons in the list of models end with dots beyond this width; the tooltip has all of them."""


class ComplianceBar(QWidget):
    """Question, model and arms in a line; below it what some models need."""

    changed = Signal(object)
    """Another :class:`ComplianceRequest`."""
    arms_requested = Signal(bool)
    """Somebody wants to add an arm to the design; whether it asks directly."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._question: ComplianceRequest | None = None
        self._study: Study | None = None
        self.attribute = AttributeBox(themes, "complianceQuestion", self.tr("Question"))
        self.attribute.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.attribute.setMinimumContentsLength(20)
        self.attribute.chosen.connect(self._on_attribute)
        self.model = named(ChoiceBox(self.tr("Model"), ()), "complianceModel")
        self.model.setSizeAdjustPolicy(
            ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.model.setMinimumContentsLength(22)
        self.model.view().setMinimumWidth(themes.theme.px(_WIDEST_LIST))
        self.model.view().setTextElideMode(Qt.TextElideMode.ElideRight)
        self.model.chosen.connect(self._on_model)
        self.arms_label = text(self.tr("Arms"), "label")
        self.add = Button(themes, self.tr("Arm", "of a questionnaire"), "plus", "add")
        self.add.setObjectName("addArm")
        self.add.setToolTip(self.tr("Arms are edited on the Design page."))
        self.add.clicked.connect(lambda: self.arms_requested.emit(False))
        self.direct = Button(themes, self.tr("Add a direct arm"), look="link")
        self.direct.setObjectName("addDirectArm")
        self.direct.clicked.connect(lambda: self.arms_requested.emit(True))
        self.arms = ArmTicks([self.add, self.direct])
        self.arms.chosen.connect(self._on_arms)
        first = row(
            text(self.tr("Question"), "label"), self.attribute, 8,
            text(self.tr("Model"), "label"), self.model, 8, self.arms_label, self.arms,
        )  # fmt: skip
        first.setStretch(7, 1)
        self._make_anchor()
        self._make_known()
        column(first, self.anchor_row, self.known_row, parent=self, spacing=7)

    def _make_anchor(self) -> None:
        """What a check question needs."""
        self.anchor = AttributeBox(self._themes, "anchorColumn", self.tr("Check question"))
        self.anchor.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.anchor.setMinimumContentsLength(16)
        self.anchor.chosen.connect(self._on_anchor)
        self.anchor_p = self._share_box("anchorP", self.tr("Harmless share of the check question"))
        self.anchor_share = self._share_box("anchorShare", self.tr("True share in it"))
        for box in (self.anchor_p, self.anchor_share):
            box.valueChanged.connect(self._on_anchor_numbers)
        self.anchor_row = QWidget()
        row(
            text(self.tr("Check question"), "label"), self.anchor,
            text(self.tr("Harmless share"), "label"), self.anchor_p,
            text(self.tr("True share"), "label"), self.anchor_share, None,
            parent=self.anchor_row,
        )  # fmt: skip
        self.anchor_row.hide()

    def _make_known(self) -> None:
        """What a validation study tells."""
        self.known = self._share_box("knownShare", self.tr("Share who do not follow"))
        self.known_error = self._share_box("knownError", self.tr("Its standard error"))
        for box in (self.known, self.known_error):
            box.valueChanged.connect(self._on_known)
        self.known_row = QWidget()
        row(
            text(self.tr("Do not follow"), "label"), self.known, text("±"), self.known_error,
            text(self.tr("standard error, from a validation study"), "hint"), None,
            parent=self.known_row,
        )  # fmt: skip
        self.known_row.hide()

    def _share_box(self, name: str, words: str) -> NumberBox:
        box = named(NumberBox(is_share=True), name, words)
        box.setRange(0.0, 0.999)
        box.setDecimals(4)
        box.setSingleStep(0.01)
        box.setToolTip(words)
        return box

    # Showing

    def show_question(
        self, question: ComplianceRequest | None, study: Study, rows: Mapping[str, int]
    ) -> None:
        """Bring all fields in line with a question; ``rows`` tells how many people arms have."""
        self._question, self._study = question, study
        names = attributes_to_check(study.design)
        current = None if question is None else question.attribute
        self.attribute.offer(offer_attributes(study, names), current)
        is_known = question is not None and question.attribute in names
        for part in (self.model, self.arms, self.arms_label):
            part.setEnabled(is_known)
        if question is None or not is_known:
            self.anchor_row.hide()
            self.known_row.hide()
            return
        self._show_models(question, study)
        self._show_arms(question, study, rows)
        self._show_needs(question, study)

    def _show_models(self, question: ComplianceRequest, study: Study) -> None:
        choices = model_choices(question, study.design)
        why = {one.key: one.reason for one in choices if one.reason is not None}
        reasons = {key: translate(study.titled(reason)) for key, reason in why.items()}
        words = {one.key: translate(one.label) for one in choices}
        words |= {key: f"{words[key]} – {reason}" for key, reason in reasons.items()}
        self.model.set_choices([*words.items()])
        self.model.set_disabled(reasons)
        self.model.set_current(key_of(question))
        self.model.setToolTip(self.model.currentText())

    def _show_arms(
        self, question: ComplianceRequest, study: Study, rows: Mapping[str, int]
    ) -> None:
        arms = question_arms(study.design, question.attribute)
        names = (
            [arm.name for arm in arms] if has_named_arms(study.design, question.attribute) else []
        )
        self.arms.show_arms(names, question.arms, rows)
        has_direct = any((arm.matrix.diagonal() == 1).all() for arm in arms)
        self.direct.setVisible(not has_direct)

    def _show_needs(self, question: ComplianceRequest, study: Study) -> None:
        key = key_of(question)
        self.anchor_row.setVisible(key == ANCHOR)
        self.known_row.setVisible(key == KNOWN)
        if question.anchor:
            names = anchor_columns(study.design, question.attribute)
            self.anchor.offer(offer_attributes(study, names), str(question.anchor))
            self._show_anchor_numbers(question)
        if question.share is not None:
            self.known.show_value(question.share)
            self.known_error.show_value(question.share_error)

    def _show_anchor_numbers(self, question: ComplianceRequest) -> None:
        self.anchor_p.show_value(question.anchor_p or 0.0)
        self.anchor_share.show_value(question.anchor_share or 0.0)

    # Changing

    def _on_attribute(self, name: str) -> None:
        if self._study is not None:
            self.changed.emit(fitting(ComplianceRequest(attribute=name), self._study.design))

    def _on_model(self, key: str) -> None:
        if self._question is not None and self._study is not None:
            self.changed.emit(with_model(self._question, key, self._study.design))

    def _on_arms(self, arms: tuple[str, ...]) -> None:
        if self._question is None or self._study is None:
            return
        changed = dataclasses.replace(self._question, arms=arms)
        if changed.model == BAND:
            # A band is what is left where nothing else can be asked; other arms may tell more.
            changed = dataclasses.replace(changed, model="")
        self.changed.emit(fitting(changed, self._study.design))

    def _on_anchor(self, column_name: str) -> None:
        question, study = self._question, self._study
        if question is not None and question.anchor and study is not None:
            p = anchor_share_of_device(study.design, column_name)
            self.changed.emit(dataclasses.replace(question, anchor=column_name, anchor_p=p))

    def _on_anchor_numbers(self) -> None:
        question = self._question
        if question is None or not question.anchor:
            return
        p, share = self.anchor_p.value(), self.anchor_share.value()
        if abs(p - 0.5) < 1e-9 or abs(share - 0.5) < 1e-9:
            # One half says nothing; the field goes back.
            self._show_anchor_numbers(question)
            return
        changed = dataclasses.replace(question, anchor_p=p, anchor_share=share or None)
        self.changed.emit(changed)

    def _on_known(self) -> None:
        if self._question is None or self._question.share is None:
            return
        changed = changed_question(
            self._question, share=self.known.value(), share_error=self.known_error.value()
        )
        if changed is not None:
            self.changed.emit(changed)
