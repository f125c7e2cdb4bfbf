"""Which list is asked about, by which method and predictors."""

from __future__ import annotations

import dataclasses

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QSizePolicy, QWidget

from ppworkbench.analyses.lists import list_title, predictors_for, with_method
from ppworkbench.core.compliance.assess_list import DIFFERENCE, ML, NLS, ListInquiry
from ppworkbench.gui.pages.survey.regression.bar import AttributePicker, TermChip
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import attribute_tip, offer_attributes
from ppworkbench.gui.widgets.controls import Button, Segmented
from ppworkbench.gui.widgets.layout import WrappingRow, named, row, text
from ppworkbench.study.study import Study


class ListBar(QWidget):
    """Shows an inquiry, and asks for another one."""

    inquiry_changed = Signal(object)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._inquiry: ListInquiry | None = None
        self._study: Study | None = None
        self._picker: AttributePicker | None = None
        self.setObjectName("listBar")
        self.setAccessibleName(self.tr("List", "of items"))
        self.list = named(QComboBox(), "listQuestion", self.tr("Question"))
        self.list.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.list.activated.connect(self._on_list)
        self.method = Segmented(
            themes,
            self.tr("Method"),
            [
                (DIFFERENCE, self.tr("difference", "of means")),
                (NLS, self.tr("least squares")),
                (ML, self.tr("likelihood", "a method to fit")),
            ],
        )
        self.method.setObjectName("listMethod")
        self.method.chosen.connect(self._on_method)
        self.ceiling = named(
            QCheckBox(self.tr("all items")), "listCeiling",
            self.tr("Carriers with all of the items may leave the sensitive one out"),
        )  # fmt: skip
        self.floor = named(
            QCheckBox(self.tr("no item")), "listFloor",
            self.tr("Carriers with none of the items may leave the sensitive one out"),
        )  # fmt: skip
        for box in (self.ceiling, self.floor):
            box.setToolTip(box.accessibleName())
            box.clicked.connect(self._on_ends)
        # In one line also where the others wrap.
        self.ends = named(QWidget(), "listEnds")
        row(
            text(self.tr("Left out with"), "label"), self.ceiling, self.floor, parent=self.ends,
            spacing=8,
        )  # fmt: skip
        self._by = text(self.tr("explained by"), "label")
        self.terms: list[TermChip] = []
        self.add_button = Button(themes, self.tr("Add", "a predictor"), "plus", "add")
        self.add_button.setObjectName("addListPredictor")
        self.add_button.setAccessibleName(self.tr("Add a predictor"))
        self.add_button.clicked.connect(self._on_add)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._flow = WrappingRow(spacing=8, line_spacing=6)
        self.setLayout(self._flow)
        self._parts: tuple[QWidget, ...] = (
            text(self.tr("Question"), "label"), self.list,
            text(self.tr("Method"), "label"), self.method,
        )  # fmt: skip
        self._lay_out()

    def show_inquiry(self, inquiry: ListInquiry | None, study: Study) -> None:
        """Show another inquiry; nothing where the design has no list."""
        self._inquiry, self._study = inquiry, study
        with QSignalBlocker(self.list):
            shown = [(list_title(one, study), one.name) for one in study.design.lists]
            if [(self.list.itemText(i), self.list.itemData(i)) for i in range(self.list.count())] \
                    != shown:  # fmt: skip
                self.list.clear()
                for words, name in shown:
                    self.list.addItem(words, name)
            self.list.setCurrentIndex(-1 if inquiry is None else self.list.findData(
                inquiry.attribute))  # fmt: skip
        is_sampled = study.sampling is not None
        why = self.tr("Weights, strata and clusters are used by the difference in means alone.")
        self.method.set_disabled({ML: why, NLS: why} if is_sampled else {})
        method = DIFFERENCE if inquiry is None or is_sampled else inquiry.method
        self.method.set_current(method)
        self.ends.setVisible(method == ML)
        if inquiry is not None:
            with QSignalBlocker(self.ceiling), QSignalBlocker(self.floor):
                self.ceiling.setChecked(inquiry.ceiling)
                self.floor.setChecked(inquiry.floor)
        self._show_terms(() if inquiry is None else inquiry.predictors, study)
        offered = predictors_for(study)
        self.add_button.setEnabled(len(offered) > len(self.terms))
        none = self.tr("Predictors must not be randomised; this design has none.")
        self.add_button.setToolTip("" if offered else none)

    def _show_terms(self, names: tuple[str, ...], study: Study) -> None:
        for chip in self.terms[len(names) :]:
            chip.hide()
            chip.deleteLater()
        is_other = len(names) != len(self.terms)
        del self.terms[len(names) :]
        self.terms += [self._chip(place) for place in range(len(self.terms), len(names))]
        for chip, name in zip(self.terms, names, strict=True):
            attribute = study.design[name].attribute
            tip = attribute_tip(name, attribute.label, study.shown(name))
            kind = str(attribute.kind)
            chip.show_term(((study.shown(name), False),), kind, tip, is_randomised=False)
        if is_other:
            self._lay_out()
        self._flow.invalidate()
        self.updateGeometry()

    def _chip(self, place: int) -> TermChip:
        chip = TermChip(self._themes, can_be_removed=True)
        chip.setObjectName(f"listPredictor{place}")
        chip.remove_requested.connect(lambda: self._on_remove(place))
        chip.walk_requested.connect(lambda step: self._walk(place + step))
        return chip

    def _walk(self, place: int) -> None:
        stops: list[QWidget] = [*self.terms, self.add_button]
        stops[min(max(place, 0), len(stops) - 1)].setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        while self._flow.count():
            self._flow.takeAt(0)
        every = (*self._parts, self._by, *self.terms, self.add_button, self.ends)
        for part in every:
            self._flow.addWidget(part)
            part.show()

    # Changed by people

    def _change(self, **changes: object) -> None:
        if self._inquiry is not None:
            changed = dataclasses.replace(self._inquiry, **changes)  # type: ignore[arg-type]
            self.inquiry_changed.emit(changed)

    def _on_list(self) -> None:
        self._change(attribute=str(self.list.currentData()), second="", direct="")

    def _on_method(self, method: str) -> None:
        if self._inquiry is not None:
            self.inquiry_changed.emit(with_method(self._inquiry, method))

    def _on_ends(self) -> None:
        self._change(ceiling=self.ceiling.isChecked(), floor=self.floor.isChecked())

    def _on_remove(self, place: int) -> None:
        if self._inquiry is not None:
            names = self._inquiry.predictors
            had_focus = self.terms[place].hasFocus()
            self._change(predictors=(*names[:place], *names[place + 1 :]))
            if had_focus:
                self._walk(place)

    def _on_add(self) -> None:
        inquiry, study = self._inquiry, self._study
        if inquiry is None or study is None:
            return
        if self._picker is None:
            self._picker = AttributePicker(self._themes, self)
            self._picker.chosen.connect(self._add)
        names = [name for name in predictors_for(study) if name not in inquiry.predictors]
        self._picker.offer(offer_attributes(study, names), self.add_button)

    def _add(self, name: str) -> None:
        if self._inquiry is not None:
            self._change(predictors=(*self._inquiry.predictors, name))
            self.add_button.setFocus(Qt.FocusReason.OtherFocusReason)
