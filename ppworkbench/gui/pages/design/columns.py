"""The cards of the Design page, in as many and as wide columns as the window has room for."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from ppworkbench.analyses.designs.people import has_people
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.pages.design.attribute_list import AttributeList
from ppworkbench.gui.pages.design.budget.summary import QuestionnaireSummary
from ppworkbench.gui.pages.design.editors.matrix_editor import MatrixEditor
from ppworkbench.gui.pages.design.noncompliance import NonComplianceLine, NonComplianceMark
from ppworkbench.gui.pages.design.pins import PinBar
from ppworkbench.gui.pages.design.question_strip import ArmBar, DesignSummary, QuestionStrip
from ppworkbench.gui.pages.design.readouts import Readouts
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.pages.design.view_card.goals import AdviceLine, GoalRow
from ppworkbench.gui.pages.design.view_card.people import PeopleView
from ppworkbench.gui.pages.design.view_card.preview import Preview
from ppworkbench.gui.pages.design.view_card.trade_off import TradeOffView
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.card import Card, EmptyState
from ppworkbench.gui.widgets.controls import IconButton, Segmented
from ppworkbench.gui.widgets.layout import WrappingRow, column, row, scrolled
from ppworkbench.gui.widgets.sizes import is_large_text, preferred_height
from ppworkbench.gui.widgets.splitter import are_moved, splitter

LIST, LIST_ROOMY = 212, 264
NARROW = 1280
"""Below this width of the window there is one column beside the list, and tabs below it."""
FOLDED = 1120
"""Below this width of the window the list of attributes is folded to icons."""
ROOMY = 1600
"""From this width of the window on, cells are larger and an answer's journey is shown."""


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
        for key, one in self._parts.items():
            if self.is_open and (one is part or one.isAncestorOf(part)):
                self.tabs.choose(key)

    def _show(self, key: str) -> None:
        for name, part in self._parts.items():
            part.setVisible(name == key)


class DesignCards(Page):
    """The page as it is made and arranged: side by side, or in tabs below the picture.

    What happens on it is :class:`DesignPage`.
    """

    def _make_cards(self) -> None:
        themes = self.themes
        self.list = AttributeList(themes)
        self.summary = QuestionnaireSummary(themes)
        measures = IconButton(themes, "data", self.tr("All measures"), 18)
        measures.setObjectName("allMeasuresFolded")
        measures.clicked.connect(self.summary.all.click)
        budget = IconButton(themes, "scales", self.tr("Divide the privacy budget"), 18)
        budget.setObjectName("shareOutFolded")
        budget.clicked.connect(self.summary.share_out.click)
        self._folded_budget = budget
        self.list.set_foot(self.summary, budget, measures)
        self.arm_bar = ArmBar(themes)
        self.strip = QuestionStrip(themes)
        self.words = DesignSummary(themes)
        self.banner = Banner(themes)
        self.matrix = MatrixEditor(themes)
        self.editor = QStackedWidget()
        self.editor.addWidget(self.matrix)
        self.goal = GoalRow(themes)
        self.trade = TradeOffView(themes)
        self.people = PeopleView(themes)
        self.preview = Preview(themes)
        self.advice = AdviceLine(themes)
        self.views_card = ViewCard(
            themes, self.goal, self.trade, self.people, self.preview, self.advice
        )
        self.pin_bar = PinBar(themes)
        self.readouts = Readouts(themes, self.pin_bar)
        self.noncompliance = NonComplianceLine(themes)

    def _arrange(self) -> None:
        self._give_height = single_shot(self, self._give_editor_height)
        centre, right = QWidget(), QWidget()
        self.panels = PanelTabs(self.themes, self.editor, self.readouts, self.noncompliance)
        self.panels.tabs.chosen.connect(lambda _: self._give_height.start())
        column(self.views_card, self.panels, parent=centre, spacing=8).setStretch(0, 1)
        self._right = column(self.editor, self.readouts, None, parent=right, spacing=8)
        self._right.setStretch(0, 1)
        self.matrix.section.toggled.connect(lambda _: self.fit_editor())
        self.columns = splitter(
            Qt.Orientation.Horizontal, "designColumns", scrolled(centre), scrolled(right)
        )
        self.columns.setSizes([530, 504])
        self.columns.setStretchFactor(0, 1)
        self.columns.setStretchFactor(1, 1)
        work = QWidget()
        self._main = column(
            self.arm_bar, self.strip, self.words, self.banner, self.columns,
            self.noncompliance, parent=work, spacing=8,
        )  # fmt: skip
        self._main.setStretch(4, 1)
        self.split = splitter(Qt.Orientation.Horizontal, "", self.list, work)
        self.split.setStretchFactor(1, 1)
        self.list.keep_at_least(148)
        self.list.folded.connect(self._on_folded)
        self._list_width = LIST
        self.split.setSizes([LIST, 1046])
        self.empty = EmptyState(
            self.themes, "design", self.tr("No attributes yet"),
            self.tr("Open a table or a sample, or list the questions of a new questionnaire."),
            self.tr("Go to Start"),
        )  # fmt: skip
        self.views = QStackedWidget()
        self.views.addWidget(self.split)
        self.views.addWidget(self.empty)
        column(self.views, parent=self).setContentsMargins(16, 4, 16, 12)

    def fit(self, width: int) -> None:
        """Arrange the parts for a window of this width."""
        self.list.set_narrow(width < FOLDED and not is_large_text(self))
        self._set_narrow(width < NARROW)
        self.matrix.set_roomy(width >= ROOMY)
        self._fit_list(LIST_ROOMY if width >= ROOMY else LIST)
        if self.themes.theme.projected:
            # Else the editor would get no more than it needs, and the readouts all the rest.
            self.columns.setSizes([1_026, 974])

    def fit_editor(self) -> None:
        """Take the height of the editor in front, and the rest only where a matrix can use it."""
        editor, matrix = self.editor, self.matrix
        is_folded = editor.currentWidget() is matrix and not matrix.section.is_open
        self.panels.fit_stack(editor, is_folded)
        self._give_height.start()

    def _give_editor_height(self) -> None:
        self.panels.reserve_heights(self.editor, self.panels, self.views_card)

    def _set_narrow(self, narrow: bool) -> None:
        """Put what stands beside the picture into tabs below it, or back."""
        if narrow == self.panels.is_open:
            return
        if narrow:
            self.panels.take()
        else:
            self.panels.release()
            self._main.addWidget(self.noncompliance)
            self._right.insertWidget(0, self.editor, 1)
            self._right.insertWidget(1, self.readouts)
            # Whoever gets another parent is hidden by Qt.
            for part in (self.noncompliance, self.editor, self.readouts):
                part.show()
        self.trade.set_narrow(narrow)
        self.columns.widget(1).setVisible(not narrow)
        self.fit_editor()

    def _on_folded(self) -> None:
        """Give what the list leaves to the rest of the page."""
        names = self.list
        self._give_list(names.maximumWidth() if names.is_narrow else self._list_width)

    def _fit_list(self, width: int) -> None:
        """Give long names more room in a wide window, unless somebody moved the columns."""
        if self.list.is_narrow:
            self._list_width = width
        elif width != self._list_width and not are_moved(self.split):
            self._list_width = width
            self._give_list(width)

    def _give_list(self, width: int) -> None:
        self.split.setSizes([width, max(self.width() - width, 1)])
