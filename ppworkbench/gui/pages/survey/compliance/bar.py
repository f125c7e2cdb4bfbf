"""Of which question it is asked who followed the instructions, by which model and which arms."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPaintEvent, QPen, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractButton, QComboBox, QSizePolicy, QWidget

from ppworkbench.analyses.compliance.model_choices import (
    anchor_columns,
    anchor_share_of_device,
    fitting,
    key_of,
    model_choices,
    question_arms,
    with_model,
)
from ppworkbench.analyses.compliance.questions import (
    attributes_to_check,
    check_question,
    has_named_arms,
)
from ppworkbench.core.compliance.models import ANCHOR
from ppworkbench.core.compliance.question import BAND, KNOWN, ComplianceQuestion
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager, icon, smooth_painter
from ppworkbench.gui.widgets.attribute_box import AttributeBox, offer_attributes
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import WrappingRow, column, named, row, text
from ppworkbench.gui.widgets.number_fields import NumberBox
from ppworkbench.study.study import Study

_HEIGHT = 30
_WIDEST_LIST = 560
"""Reasons in the list of models end with dots beyond this width; the tooltip has all of them."""


class ArmChip(QAbstractButton):
    """An arm with the number of people in it; pressed arms are used."""

    def __init__(self, themes: ThemeManager, arm: str) -> None:
        super().__init__()
        self._themes = themes
        self.arm = arm
        self.setObjectName(f"arm-{arm}")
        self.setCheckable(True)
        self.setChecked(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.updateGeometry)
        themes.theme_changed.connect(self.update)

    def show_rows(self, rows: int | None) -> None:
        """Say how many people are in it; nothing where that is not known yet."""
        words = self.arm if rows is None else f"{self.arm}: {number(rows)}"
        if words != self.text():
            self.setText(words)
            self.setAccessibleName(self.tr("Arm %s") % words)
            self.updateGeometry()

    def sizeHint(self) -> QSize:  # noqa: N802
        theme = self._themes.theme
        words = QFontMetricsF(theme.font("body", "medium")).horizontalAdvance(self.text())
        return QSize(round(words) + theme.px(46), theme.px(_HEIGHT))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The same: a chip is whole or in the next line."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the pill, the people and the words; an arm that is not used is empty."""
        theme = self._themes.theme
        painter = smooth_painter(self)
        edge = 1.0 if self.hasFocus() else 0.5
        box = QRectF(self.rect()).adjusted(edge, edge, -edge, -edge)
        used = self.isChecked()
        ring = "focus" if self.hasFocus() else "accentLine" if used else "outline"
        painter.setPen(QPen(theme.colour(ring), 2 * edge))
        painter.setBrush(theme.colour("accentTint" if used else "surface"))
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        size = theme.px(15)
        spot = QRectF(theme.px(11), (self.height() - size) / 2, size, size)
        ink = "accentInk" if used else "text3"
        icon("people", theme.colour(ink)).paint(painter, spot.toRect())
        painter.setFont(theme.font("body", "medium"))
        painter.setPen(theme.colour("text" if used else "text2"))
        line = QRectF(theme.px(32), 0, self.width() - theme.px(32), self.height())
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, self.text())


class ComplianceBar(QWidget):
    """Question, model and arms in a line; below it what some models need."""

    changed = Signal(object)
    """Another :class:`ComplianceQuestion`."""
    arms_requested = Signal(bool)
    """Somebody wants to add an arm to the design; whether it asks directly."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._question: ComplianceQuestion | None = None
        self._study: Study | None = None
        self._chips: list[ArmChip] = []
        self.attribute = AttributeBox(themes, "complianceQuestion", self.tr("Question"))
        self.attribute.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.attribute.setMinimumContentsLength(20)
        self.attribute.chosen.connect(self._on_attribute)
        self.model = named(QComboBox(), "complianceModel", self.tr("Model"))
        self._models = QStandardItemModel(self.model)
        self.model.setModel(self._models)
        self.model.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.model.setMinimumContentsLength(22)
        self.model.view().setMinimumWidth(themes.theme.px(_WIDEST_LIST))
        self.model.view().setTextElideMode(Qt.TextElideMode.ElideRight)
        self.model.activated.connect(self._on_model)
        self.arms_label = text(self.tr("Arms"), "label")
        self.add = Button(themes, self.tr("Arm", "of a questionnaire"), "plus", "add")
        self.add.setObjectName("addArm")
        self.add.setToolTip(self.tr("Arms are edited on the Design page."))
        self.add.clicked.connect(lambda: self.arms_requested.emit(False))
        self._row = WrappingRow(spacing=8, line_spacing=6)
        self._chip_holder = QWidget()
        self._chip_holder.setLayout(self._row)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self._chip_holder.setSizePolicy(policy)
        self.direct = Button(themes, self.tr("Add a direct arm"), look="link")
        self.direct.setObjectName("addDirectArm")
        self.direct.clicked.connect(lambda: self.arms_requested.emit(True))
        self._row.addWidget(self.add)
        self._row.addWidget(self.direct)
        first = row(
            text(self.tr("Question"), "label"), self.attribute, 8,
            text(self.tr("Model"), "label"), self.model, 8, self.arms_label, self._chip_holder,
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
        self, question: ComplianceQuestion | None, study: Study, rows: Mapping[str, int]
    ) -> None:
        """Bring all fields in line with a question; ``rows`` tells how many people arms have."""
        self._question, self._study = question, study
        names = attributes_to_check(study.design)
        current = None if question is None else question.attribute
        self.attribute.offer(offer_attributes(study, names), current)
        is_known = question is not None and question.attribute in names
        for part in (self.model, self._chip_holder, self.arms_label):
            part.setEnabled(is_known)
        if question is None or not is_known:
            self.anchor_row.hide()
            self.known_row.hide()
            return
        self._show_models(question, study)
        self._show_arms(question, study, rows)
        self._show_needs(question, study)

    def _show_models(self, question: ComplianceQuestion, study: Study) -> None:
        choices = model_choices(question, study.design)
        with QSignalBlocker(self.model):
            self._models.clear()
            for choice in choices:
                label = translate(choice.label)
                reason = "" if choice.reason is None else translate(study.titled(choice.reason))
                item = QStandardItem(f"{label} – {reason}" if reason else label)
                item.setData(choice.key, Qt.ItemDataRole.UserRole)
                item.setToolTip(reason or label)
                item.setEnabled(not reason)
                self._models.appendRow(item)
            keys = [choice.key for choice in choices]
            key = key_of(question)
            self.model.setCurrentIndex(keys.index(key) if key in keys else -1)
        self.model.setToolTip(self.model.currentText())

    def _show_arms(
        self, question: ComplianceQuestion, study: Study, rows: Mapping[str, int]
    ) -> None:
        arms = question_arms(study.design, question.attribute)
        names = (
            [arm.name for arm in arms] if has_named_arms(study.design, question.attribute) else []
        )
        if [chip.arm for chip in self._chips] != names:
            self._make_chips(names)
        for chip in self._chips:
            with QSignalBlocker(chip):
                chip.setChecked(not question.arms or chip.arm in question.arms)
            chip.show_rows(rows.get(chip.arm))
        has_direct = any((arm.matrix.diagonal() == 1).all() for arm in arms)
        self.direct.setVisible(not has_direct)

    def _make_chips(self, names: Sequence[str]) -> None:
        for chip in (*self._chips, self.add, self.direct):
            self._row.removeWidget(chip)
        for chip in self._chips:
            chip.hide()
            chip.deleteLater()
        self._chips = [ArmChip(self._themes, name) for name in names]
        for chip in self._chips:
            chip.toggled.connect(self._on_arms)
            self._row.addWidget(chip)
        self._row.addWidget(self.add)
        self._row.addWidget(self.direct)

    @property
    def chips(self) -> tuple[ArmChip, ...]:
        """The arms that are seen."""
        return tuple(self._chips)

    def _show_needs(self, question: ComplianceQuestion, study: Study) -> None:
        key = key_of(question)
        self.anchor_row.setVisible(key == ANCHOR)
        self.known_row.setVisible(key == KNOWN)
        if question.anchor is not None:
            names = anchor_columns(study.design, question.attribute)
            self.anchor.offer(offer_attributes(study, names), question.anchor.column)
            self.anchor_p.show_value(question.anchor.p)
            self.anchor_share.show_value(question.anchor.share)
        if question.share is not None:
            self.known.show_value(question.share)
            self.known_error.show_value(question.share_error)

    # Changing

    def _on_attribute(self, name: str) -> None:
        if self._study is not None:
            self.changed.emit(fitting(ComplianceQuestion(name), self._study.design))

    def _on_model(self, place: int) -> None:
        if self._question is not None and self._study is not None:
            key = str(self.model.itemData(place))
            self.changed.emit(with_model(self._question, key, self._study.design))

    def _on_arms(self) -> None:
        if self._question is None or self._study is None:
            return
        used = tuple(chip.arm for chip in self._chips if chip.isChecked())
        if not used:
            # Somebody must have answered: the last arm stays.
            sender = next(chip for chip in self._chips if chip is self.sender())
            with QSignalBlocker(sender):
                sender.setChecked(True)
            return
        arms = () if len(used) == len(self._chips) else used
        changed = dataclasses.replace(self._question, arms=arms)
        if changed.model == BAND:
            # A band is what is left where nothing else can be asked; other arms may tell more.
            changed = dataclasses.replace(changed, model="")
        self.changed.emit(fitting(changed, self._study.design))

    def _on_anchor(self, column_name: str) -> None:
        question, study = self._question, self._study
        if question is not None and question.anchor is not None and study is not None:
            p = anchor_share_of_device(study.design, column_name)
            anchor = dataclasses.replace(question.anchor, column=column_name, p=p)
            self.changed.emit(dataclasses.replace(question, anchor=anchor))

    def _on_anchor_numbers(self) -> None:
        question = self._question
        if question is None or question.anchor is None:
            return
        p, share = self.anchor_p.value(), self.anchor_share.value()
        if abs(p - 0.5) < 1e-9 or abs(share - 0.5) < 1e-9:
            # One half says nothing; the field goes back.
            self.anchor_p.show_value(question.anchor.p)
            self.anchor_share.show_value(question.anchor.share)
            return
        anchor = dataclasses.replace(question.anchor, p=p, share=share)
        self.changed.emit(dataclasses.replace(question, anchor=anchor))

    def _on_known(self) -> None:
        if self._question is None or self._question.share is None:
            return
        changed = check_question(
            self._question, share=self.known.value(), share_error=self.known_error.value()
        )
        if changed is not None:
            self.changed.emit(changed)
