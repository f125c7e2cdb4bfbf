"""What holds the cards of the page: the pictures in tabs, and tabs for what has no room beside."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from ppworkbench.analyses.people import has_people
from ppworkbench.gui.pages.design.noncompliance import NonComplianceMark
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.pages.design.view_card.goals import AdviceLine, GoalRow
from ppworkbench.gui.pages.design.view_card.people import PeopleView
from ppworkbench.gui.pages.design.view_card.preview import Preview
from ppworkbench.gui.pages.design.view_card.trade_off import TradeOffView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Segmented
from ppworkbench.gui.widgets.layout import WrappingRow, row
from ppworkbench.gui.widgets.sizes import preferred_height


class ViewCard(Card):
    """One picture at a time of what the design means; the goals stand above all of them."""

    def __init__(
        self,
        themes: ThemeManager,
        goal: GoalRow,
        trade: TradeOffView,
        people: PeopleView,
        preview: Preview,
        advice: AdviceLine,
    ) -> None:
        super().__init__(padding=10)
        self.tabs = Segmented(
            themes, self.tr("Design view"),
            [("trade", self.tr("Trade-off")), ("people", self.tr("100 people")),
             ("shares", self.tr("Shares"))],
        )  # fmt: skip
        self.tabs.setObjectName("designViews")
        self.tabs.chosen.connect(self._show)
        self._trade = trade
        self._views: dict[str, QWidget] = {"trade": trade, "people": people, "shares": preview}
        self._controls = {"trade": trade.measure_row, "people": people.draw_row}
        self.stack = QStackedWidget()
        for view in self._views.values():
            self.stack.addWidget(view)
        # Long words go to a second line before they widen the column.
        self.mark = NonComplianceMark(themes, "markOfViews", is_bare=True)
        head = QWidget()
        head.setLayout(WrappingRow(self.tabs, *self._controls.values(), spacing=8, line_spacing=6))
        line = row(head, self.mark, spacing=2)
        line.setStretch(0, 1)
        line.setAlignment(self.mark, Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(line)
        self.add(goal)
        self.add(self.stack, 1)
        self.add(advice)
        self._show("trade")

    def set_view(self, view: DesignView) -> None:
        """Leave a picture that the attribute does not have."""
        self.mark.show_noncompliance(view.report.noncompliance)
        is_counted = has_people(view.report)
        reason = self.tr("A number has no categories to count people by.")
        if view.perturbation.reports_sets:
            reason = self.tr("A report names several answers; nobody can be counted by one.")
        self.tabs.set_disabled({} if is_counted else {"people": reason})
        if not is_counted and self.tabs.current == "people":
            self.choose("trade")

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Name the measure's list only where it stays in the line of the tabs."""
        super().resizeEvent(event)
        wide = (self.tabs, self._trade.measure_label, self._trade.measure)
        needed = sum(part.sizeHint().width() for part in wide) + 48
        self._trade.measure_label.setVisible(needed <= self.width())

    def reveal(self, part: QWidget) -> None:
        """Show the view that holds a widget."""
        for key, view in self._views.items():
            if view is part or view.isAncestorOf(part):
                self.tabs.choose(key)

    def choose(self, key: str) -> None:
        self.tabs.set_current(key)
        self._show(key)

    def _show(self, key: str) -> None:
        vertical = QSizePolicy.Policy
        for name, view in self._views.items():
            # A stack asks for the height of its highest view, in front or not.
            down = vertical.Expanding if name == key else vertical.Ignored
            view.setSizePolicy(vertical.Preferred, down)
        self.stack.setCurrentWidget(self._views[key])
        for name, control in self._controls.items():
            control.setVisible(name == key)


class PanelTabs(Card):
    """Holds what has no room beside the picture, one part at a time."""

    def __init__(self, themes: ThemeManager, *parts: QWidget) -> None:
        super().__init__(padding=8)
        self._parts = dict(zip(("editor", "readouts", "noncompliance"), parts, strict=True))
        self.is_open = False
        self.tabs = Segmented(
            themes, self.tr("Parts of the design"),
            [("editor", self.tr("Randomisation")),
             ("readouts", self.tr("Privacy and accuracy")),
             ("noncompliance", self.tr("Non-compliance"))],
        )  # fmt: skip
        self.tabs.setObjectName("designPanels")
        self.tabs.chosen.connect(self._show)
        self.body.addLayout(row(self.tabs, None))
        self.hide()

    def take(self) -> None:
        """Hold the parts and show one of them."""
        self.is_open = True
        for part in self._parts.values():
            self.body.addWidget(part)
        self._show(self.tabs.current)
        self.show()

    def release(self) -> None:
        """Let somebody else have the parts."""
        self.is_open = False
        for part in self._parts.values():
            self.body.removeWidget(part)
        self.hide()

    def fit_stack(self, stack: QStackedWidget, is_folded: bool) -> None:
        """Give a stack the height of what is in front, and more unless that is folded."""
        vertical = QSizePolicy.Policy
        # In a tab below the picture there is always room: the column is scrolled.
        usual = vertical.Minimum if self.is_open else vertical.Preferred
        for one in map(stack.widget, range(stack.count())):
            is_front = one is stack.currentWidget()
            one.setSizePolicy(vertical.Preferred, usual if is_front else vertical.Ignored)
        stack.setSizePolicy(vertical.Preferred, vertical.Maximum if is_folded else usual)
        stack.updateGeometry()

    def reserve_heights(self, *parts: QWidget) -> None:
        """Let no curve be squeezed in a tab; a stack does not ask for what its front needs."""
        for part in parts:
            # What was given to another tab or mechanism would be measured as still needed.
            part.setMinimumHeight(0)
            if self.is_open:
                # With words that wrap inside, a column gives this height but does not ask for it.
                part.setMinimumHeight(preferred_height(part, part.width()))

    def reveal(self, part: QWidget) -> None:
        """Show the part that holds a widget."""
        for key, one in self._parts.items():
            if self.is_open and (one is part or one.isAncestorOf(part)):
                self.tabs.choose(key)

    def _show(self, key: str) -> None:
        for name, part in self._parts.items():
            part.setVisible(name == key)
