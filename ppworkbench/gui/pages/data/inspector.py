"""The right column of the Data page: everything about the selected attribute."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ppworkbench.gui.pages.data.corrections import Corrections
from ppworkbench.gui.pages.data.facts import FactKeeper
from ppworkbench.gui.pages.data.heading import Heading
from ppworkbench.gui.pages.data.kind_section import KindSection
from ppworkbench.gui.pages.data.missing_section import MissingSection
from ppworkbench.gui.pages.data.numbers_section import NumbersSection
from ppworkbench.gui.pages.data.subject import Subject, find_subject
from ppworkbench.gui.pages.data.values_section import ValuesSection
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.layouts import column, line, row, scroll_area, text
from ppworkbench.gui.widgets.switch import Switch
from ppworkbench.gui.workbench import Workbench


class ClassRow(QWidget):
    """Whether classifiers should predict the attribute."""

    def __init__(self, workbench: Workbench, corrections: Corrections) -> None:
        super().__init__()
        self._corrections = corrections
        self._name = ""
        self.switch = Switch(workbench.themes, self.tr("Use as class"))
        self.switch.setObjectName("useAsClass")
        self.switch.clicked.connect(self._on_clicked)
        label = text(self.tr("Use as class"), "strong")
        hint = text(self.tr("what a classifier should predict"), "captionHint")
        row(label, hint, None, self.switch, parent=self, spacing=8)

    def show_subject(self, subject: Subject) -> None:
        """Show whether another attribute is the class."""
        self._name = subject.name
        reason = subject.reason_against
        if not subject.is_single:
            reason = reason or self.tr("Only one attribute can be the class.")
        elif subject.attribute.kind.is_numeric:
            reason = reason or self.tr("A class has values; make it nominal or ordinal first.")
        is_class = subject.is_single and subject.table.class_name == subject.name
        self.switch.setChecked(is_class)
        self.switch.setEnabled(not reason)
        self.switch.setToolTip(reason)
        self.switch.update()

    def _on_clicked(self, checked: bool) -> None:
        self._corrections.set_class(self._name if checked else None)


class Inspector(Card):
    """Scrolls on its own; reads the study whenever something changed."""

    def __init__(self, workbench: Workbench, keeper: FactKeeper, corrections: Corrections) -> None:
        super().__init__(padding=0)
        self.setObjectName("inspector")
        self._workbench = workbench
        self._store = workbench.store
        self._keeper = keeper
        self._corrections = corrections
        self._themes = workbench.themes
        self._is_opening = False

    def make_parts(self) -> None:
        """Make what it holds."""
        themes, corrections = self._themes, self._corrections
        self.heading = Heading(themes, corrections)
        self.kind = KindSection(themes, corrections)
        self.values = ValuesSection(themes, corrections)
        self.numbers = NumbersSection(self._workbench, corrections)
        self.missing = MissingSection(themes, corrections)
        self.class_row = ClassRow(self._workbench, corrections)
        self._arrange()
        self._store.study_opened.connect(self._on_opened)
        self._store.data_changed.connect(self._on_data_changed)
        self._store.selection_changed.connect(self._on_selection_changed)
        themes.theme_changed.connect(self._keep_width)
        # To open a study, and to be shown with it, is enough work for one event.
        self._due = single_shot(self, self.refresh)
        self._keeper.facts_arrived.connect(self._on_facts)
        corrections.settled.connect(self.refresh)
        self._keep_width()
        self.refresh()

    def _arrange(self) -> None:
        self._rule = line()
        self._inside = QWidget()
        layout = column(
            self.heading, self.kind, self._rule, self.values, self.numbers, line(), self.missing,
            line(), self.class_row, None, parent=self._inside, spacing=10, margin=14,
        )  # fmt: skip
        # The list of values takes what is left, as far as it needs it.
        layout.setStretchFactor(self.values, 1000)
        layout.setStretch(layout.count() - 1, 1)
        scroll = scroll_area(self._inside)
        scroll.setObjectName("inspectorScroll")
        self.body.setContentsMargins(1, 1, 1, 1)
        self.body.addWidget(scroll, 1)

    def _keep_width(self) -> None:
        """Nothing is cut off at the right, however large the type is."""
        self.keep_at_least(self._themes.theme.px(344))

    def _on_facts(self) -> None:
        self._due.start()

    def _on_opened(self) -> None:
        self._is_opening = True

    def _on_data_changed(self) -> None:
        # In another study something else is selected, which is told in a moment.
        if not self._is_opening:
            self.refresh()

    def _on_selection_changed(self) -> None:
        if self._is_opening and not self.isVisible():
            self._due.start()
        else:
            self.refresh()

    def refresh(self) -> None:
        """Show what is selected now."""
        self._is_opening = False
        subject = find_subject(self._store, self._keeper, self._corrections)
        if subject is None:
            return
        self.heading.show_subject(subject)
        self.kind.show_subject(subject)
        shows_values = subject.is_single and subject.column.is_categorical
        shows_numbers = subject.is_single and not subject.column.is_categorical
        self.values.setVisible(shows_values)
        self.numbers.setVisible(shows_numbers)
        self._rule.setVisible(subject.is_single)
        if shows_values:
            self.values.show_subject(subject)
        if shows_numbers:
            self.numbers.show_subject(subject)
        self.missing.show_subject(subject)
        self.class_row.show_subject(subject)
