"""The big picture: original, distorted and reconstructed, over the scrubber."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QStackedWidget, QWidget

from ppworkbench.gui.pages.explore.pictures import apart, cell_width, highest, x_range
from ppworkbench.gui.pages.explore.scrubber import Scrubber
from ppworkbench.gui.plots.comparison import Comparison, ComparisonPlot
from ppworkbench.gui.plots.series_legend import SeriesLegend
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.empty_state import EmptyState
from ppworkbench.gui.widgets.layouts import column, line, row, text
from ppworkbench.gui.widgets.segmented import Segmented

OVERLAID, SIDE = "overlaid", "side"


class SideBySide(QWidget):
    """One picture per distribution, all on the same scale; made when somebody asks for them."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._top = 0.0
        self.plots: list[ComparisonPlot] = []
        self.titles: list[QLabel] = []

    def _make(self) -> None:
        layout = row(parent=self, spacing=10)
        for role in ("original", "distorted", "reconstructed"):
            plot = ComparisonPlot(self._themes, role)
            plot.setObjectName(f"{role}Plot")
            title = text(role, "caption")
            self.plots.append(plot)
            self.titles.append(title)
            part = column(title, plot, spacing=2)
            part.setStretch(1, 1)
            layout.addLayout(part, 1)

    def show_comparison(self, whole: Comparison, words: dict[str, str], fresh: bool) -> None:
        """Show one picture per role; with ``fresh`` the scale may shrink."""
        if not self.plots:
            self._make()
        shown = {c.histogram.series[0].role: c for c in apart(whole)}
        self._top = max(highest(whole), 0.0 if fresh else self._top)
        reach = x_range(whole)
        for plot, title in zip(self.plots, self.titles, strict=True):
            role = plot.objectName().removesuffix("Plot")
            here = role in shown
            plot.setVisible(here)
            title.setVisible(here)
            if not here:
                continue
            title.setText(words.get(role, role))
            plot.setAccessibleName(words.get(role, role))
            plot.x_range, plot.cell_width = reach, cell_width(whole)
            plot.forget_scale(self._top)
            plot.show_comparison(shown[role])


class PictureCard(Card):
    """Switches between one picture, several, and words where there is nothing to draw."""

    layout_chosen = Signal(str)
    action_requested = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=14)
        self.title = ElidedLabel("strong")
        self.updating = text(self.tr("updating"), "badge")
        self.updating.hide()
        self.arrangement = Segmented(
            themes,
            self.tr("Arrangement"),
            [(OVERLAID, self.tr("Overlaid")), (SIDE, self.tr("Side by side"))],
        )
        self.arrangement.setObjectName("arrangement")
        self.arrangement.chosen.connect(self.layout_chosen)
        self.legend = SeriesLegend(themes)
        self.plot = ComparisonPlot(themes, self.tr("Original, distorted and reconstructed"))
        self.plot.setObjectName("comparisonPlot")
        self.side = SideBySide(themes)
        self.empty = EmptyState(themes, "explore", "", "", self.tr("Go to Design"))
        self.empty.button.setObjectName("exploreEmptyAction")
        self.empty.button.clicked.connect(self.action_requested)
        self.stack = QStackedWidget()
        for widget in (self.plot, self.side, self.empty):
            self.stack.addWidget(widget)
        self.scrubber = Scrubber(themes)
        self.rule = line()
        head = row(self.title, self.updating, self.arrangement, spacing=10)
        head.setStretch(0, 1)
        head.setAlignment(self.arrangement, Qt.AlignmentFlag.AlignTop)
        self.body.setSpacing(6)
        self.body.addLayout(head)
        self.body.addWidget(self.legend)
        self.body.addWidget(self.stack, 1)
        self.body.addWidget(self.rule)
        self.body.addWidget(self.scrubber)

    def show_picture(
        self,
        whole: Comparison,
        entries: tuple[tuple[str, str], ...],
        *,
        side: bool,
        fresh: bool,
    ) -> None:
        """Draw; with ``fresh`` the axis may shrink, else it only grows."""
        self.arrangement.set_current(SIDE if side else OVERLAID)
        self.legend.show_entries(entries, whole.histogram.is_numeric)
        self._show_frame(True)
        if side:
            self.side.show_comparison(whole, dict(entries), fresh)
            self.stack.setCurrentWidget(self.side)
            return
        if fresh:
            self.plot.forget_scale()
        self.plot.show_comparison(whole)
        self.stack.setCurrentWidget(self.plot)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Let keys that the pictures have no use for step through the iterations."""
        if self.scrubber.isHidden() or not self.scrubber.slider.take_key(event):
            super().keyPressEvent(event)

    def show_words(self, missing: str, advice: str, action: str = "") -> None:
        """Say why there is nothing to draw."""
        self.empty.heading.setText(missing)
        self.empty.advice.setText(advice)
        self.empty.button.setText(action)
        self.empty.button.setVisible(bool(action))
        self.stack.setCurrentWidget(self.empty)
        self._show_frame(False)

    def _show_frame(self, shown: bool) -> None:
        for widget in (self.legend, self.arrangement, self.rule, self.scrubber):
            widget.setVisible(shown)
