"""Which list is asked about, by which method and predictors."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from ppworkbench.analyses.estimates.list_item import ListItem
from ppworkbench.analyses.estimates.lists import list_title, predictors_for
from ppworkbench.core.compliance.assess_list import DIFFERENCE, ML, NLS
from ppworkbench.gui.language import tr
from ppworkbench.gui.pages.survey.term_chips import ShownTerm, TermsRow
from ppworkbench.gui.pages.survey.texts import list_method_word
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import Offered, attribute_tip, offer_attributes
from ppworkbench.gui.widgets.controls import ChoiceBox, Segmented
from ppworkbench.gui.widgets.layout import named, row, text
from ppworkbench.study.study import Study


class ListBar(TermsRow):
    """Shows an inquiry, and asks for another one."""

    inquiry_changed = Signal(object)

    def __init__(self, themes: ThemeManager) -> None:
        self._inquiry: ListItem | None = None
        self._study: Study | None = None
        self.list = named(ChoiceBox(tr("Question"), ()), "listQuestion")
        methods = [(one, list_method_word(one)) for one in (DIFFERENCE, NLS, ML)]
        self.method = named(Segmented(themes, tr("Method"), methods), "listMethod")
        self.ceiling = named(
            QCheckBox(tr("all items")), "listCeiling",
            tr("People to whom everything applies may hide the sensitive item"),
        )  # fmt: skip
        self.floor = named(
            QCheckBox(tr("no item")), "listFloor",
            tr("Carriers with none of the items may leave the sensitive one out"),
        )  # fmt: skip
        # In one line also where the others wrap.
        self.ends = named(QWidget(), "listEnds")
        row(
            text(tr("Left out with"), "label"), self.ceiling, self.floor, parent=self.ends,
            spacing=8,
        )  # fmt: skip
        before = (
            text(tr("Question"), "label"), self.list, text(tr("Method"), "label"), self.method,
        )  # fmt: skip
        super().__init__(themes, "listPredictor", self._not_used, before, [self.ends])
        named(self, "listBar", tr("List", "of items"))
        self.list.chosen.connect(lambda name: self._change(attribute=name, second="", direct=""))
        self.method.chosen.connect(self._on_method)
        for box in (self.ceiling, self.floor):
            box.setToolTip(box.accessibleName())
            box.clicked.connect(self._on_ends)
        self.removed.connect(self._on_removed)
        self.added.connect(self._on_added)

    def show_inquiry(self, inquiry: ListItem | None, study: Study) -> None:
        """Show another inquiry; nothing where the design has no list."""
        self._inquiry, self._study = inquiry, study
        self.list.set_choices([(one.name, list_title(one, study)) for one in study.design.lists])
        self.list.set_current("" if inquiry is None else inquiry.attribute)
        is_sampled = study.sampling is not None
        why = tr("Weights, strata and clusters are used by the difference in means alone.")
        self.method.set_disabled({ML: why, NLS: why} if is_sampled else {})
        method = DIFFERENCE if inquiry is None or is_sampled else inquiry.way
        self.method.set_current(method)
        if inquiry is not None:
            with QSignalBlocker(self.ceiling), QSignalBlocker(self.floor):
                self.ceiling.setChecked(inquiry.ceiling)
                self.floor.setChecked(inquiry.floor)
        self.show_terms(
            [self._shown_term(name, study) for name in (inquiry.predictors if inquiry else ())]
        )
        self.ends.setVisible(method == ML)
        offered = predictors_for(study)
        self.add_button.setEnabled(len(offered) > len(self.terms))
        none = tr("Predictors must not be randomised; this design has none.")
        self.add_button.setToolTip("" if offered else none)

    @staticmethod
    def _shown_term(name: str, study: Study) -> ShownTerm:
        attribute, shown = study.design[name].attribute, study.shown(name)
        tip = attribute_tip(name, attribute.label, shown)
        return ShownTerm(((shown, False),), str(attribute.kind), tip)

    # Changed by people

    def _change(self, **changes: object) -> None:
        if self._inquiry is not None:
            changed = dataclasses.replace(self._inquiry, **changes)  # type: ignore[arg-type]
            self.inquiry_changed.emit(changed)

    def _on_method(self, method: str) -> None:
        if self._inquiry is not None:
            self.inquiry_changed.emit(self._inquiry.by(method))

    def _on_ends(self) -> None:
        ends = {"ceiling": self.ceiling.isChecked(), "floor": self.floor.isChecked()}
        self._change(method=ML, **ends)

    def _on_removed(self, place: int) -> None:
        if self._inquiry is not None:
            names = self._inquiry.predictors
            self._change(predictors=(*names[:place], *names[place + 1 :]))

    def _not_used(self) -> Sequence[Offered]:
        inquiry, study = self._inquiry, self._study
        if inquiry is None or study is None:
            return ()
        names = [name for name in predictors_for(study) if name not in inquiry.predictors]
        return offer_attributes(study, names)

    def _on_added(self, name: str) -> None:
        if self._inquiry is not None:
            self._change(predictors=(*self._inquiry.predictors, name))
