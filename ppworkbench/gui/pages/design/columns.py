"""The columns of the Design page, as many and as wide as the window has room for."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QStackedWidget, QWidget

from ppworkbench.gui.application import single_shot
from ppworkbench.gui.pages.design.attribute_list import AttributeList
from ppworkbench.gui.pages.design.editors.matrix_editor import MatrixEditor
from ppworkbench.gui.pages.design.noncompliance import NonComplianceLine
from ppworkbench.gui.pages.design.question_strip import ArmBar, DesignSummary, QuestionStrip
from ppworkbench.gui.pages.design.readouts import Readouts
from ppworkbench.gui.pages.design.view_card.panels import PanelTabs, ViewCard
from ppworkbench.gui.pages.design.view_card.trade_off import TradeOffView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.layout import column, scrolled
from ppworkbench.gui.widgets.sizes import is_large_text
from ppworkbench.gui.widgets.splitter import are_moved, splitter

LIST, LIST_ROOMY = 212, 264
NARROW = 1280
"""Below this width of the window there is one column beside the list, and tabs below it."""
FOLDED = 1120
"""Below this width of the window the list of attributes is folded to icons."""
ROOMY = 1600
"""From this width of the window on, cells are larger and an answer's journey is shown."""


@dataclass(frozen=True, eq=False)
class DesignParts:
    """What the columns hold: what, how, and so what."""

    list: AttributeList
    arm_bar: ArmBar
    strip: QuestionStrip
    words: DesignSummary
    banner: Banner
    views_card: ViewCard
    trade: TradeOffView
    editor: QStackedWidget
    matrix: MatrixEditor
    readouts: Readouts
    noncompliance: NonComplianceLine


class DesignColumns(QObject):
    """Puts the parts side by side, or into tabs below the picture in a narrow window."""

    def __init__(self, themes: ThemeManager, parts: DesignParts, page: QWidget) -> None:
        super().__init__(page)
        self._themes, self._parts, self._page = themes, parts, page
        self._give_height = single_shot(self, self._give_editor_height)
        centre, right = QWidget(), QWidget()
        self.panels = PanelTabs(themes, parts.editor, parts.readouts, parts.noncompliance)
        self.panels.tabs.chosen.connect(lambda _: self._give_height.start())
        column(parts.views_card, self.panels, parent=centre, spacing=8).setStretch(0, 1)
        self._right = column(parts.editor, parts.readouts, None, parent=right, spacing=8)
        self._right.setStretch(0, 1)
        parts.matrix.section.toggled.connect(lambda _: self.fit_editor())
        self.columns = splitter(
            Qt.Orientation.Horizontal, "designColumns", scrolled(centre), scrolled(right)
        )
        self.columns.setSizes([530, 504])
        self.columns.setStretchFactor(0, 1)
        self.columns.setStretchFactor(1, 1)
        work = QWidget()
        self._main = column(
            parts.arm_bar, parts.strip, parts.words, parts.banner, self.columns,
            parts.noncompliance, parent=work, spacing=8,
        )  # fmt: skip
        self._main.setStretch(4, 1)
        self.split = splitter(Qt.Orientation.Horizontal, "", parts.list, work)
        self.split.setStretchFactor(1, 1)
        parts.list.keep_at_least(148)
        parts.list.folded.connect(self._on_folded)
        self._list_width = LIST
        self.split.setSizes([LIST, 1046])

    def fit(self, width: int) -> None:
        """Arrange the parts for a window of this width."""
        parts = self._parts
        parts.list.set_narrow(width < FOLDED and not is_large_text(self._page))
        self._set_narrow(width < NARROW)
        parts.matrix.set_roomy(width >= ROOMY)
        self._fit_list(LIST_ROOMY if width >= ROOMY else LIST)
        if self._themes.theme.projected:
            # Else the editor would get no more than it needs, and the readouts all the rest.
            self.columns.setSizes([1_026, 974])

    def fit_editor(self) -> None:
        """Take the height of the editor in front, and the rest only where a matrix can use it."""
        editor, matrix = self._parts.editor, self._parts.matrix
        is_folded = editor.currentWidget() is matrix and not matrix.section.is_open
        self.panels.fit_stack(editor, is_folded)
        self._give_height.start()

    def _give_editor_height(self) -> None:
        self.panels.reserve_heights(self._parts.editor, self.panels, self._parts.views_card)

    def _set_narrow(self, narrow: bool) -> None:
        """Put what stands beside the picture into tabs below it, or back."""
        if narrow == self.panels.is_open:
            return
        parts = self._parts
        if narrow:
            self.panels.take()
        else:
            self.panels.release()
            self._main.addWidget(parts.noncompliance)
            self._right.insertWidget(0, parts.editor, 1)
            self._right.insertWidget(1, parts.readouts)
            # Whoever gets another parent is hidden by Qt.
            for part in (parts.noncompliance, parts.editor, parts.readouts):
                part.show()
        parts.trade.set_narrow(narrow)
        self.columns.widget(1).setVisible(not narrow)
        self.fit_editor()

    def _on_folded(self) -> None:
        """Give what the list leaves to the rest of the page."""
        names = self._parts.list
        self._give_list(names.maximumWidth() if names.is_narrow else self._list_width)

    def _fit_list(self, width: int) -> None:
        """Give long names more room in a wide window, unless somebody moved the columns."""
        if self._parts.list.is_narrow:
            self._list_width = width
        elif width != self._list_width and not are_moved(self.split):
            self._list_width = width
            self._give_list(width)

    def _give_list(self, width: int) -> None:
        self.split.setSizes([width, max(self._page.width() - width, 1)])
