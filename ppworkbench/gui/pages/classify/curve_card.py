"""The picture of accuracy against privacy."""

from __future__ import annotations

from PySide6.QtWidgets import QSizePolicy, QStackedWidget

from ppworkbench.gui.plots.level_plot import LevelPlot, Levels
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.empty_state import EmptyState
from ppworkbench.gui.widgets.layouts import text


class CurveCard(Card):
    """The plot, or what to do to get one."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(" ", " ")
        self._themes = themes
        self.badge = text("", "badge")
        self.head.addWidget(self.badge)
        # The hint gives way where there is little room, not the title.
        self.hint_label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.head.setStretch(1, 1)
        self.head.setStretch(2, 0)
        self.plot = LevelPlot(themes, self.tr("Accuracy against privacy"))
        self.plot.setObjectName("accuracyPlot")
        self.empty = EmptyState(themes, "classify", " ", " ", " ")
        self.empty.button.setObjectName("classifyEmptyAction")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.plot)
        self.body.addWidget(self._stack, 1)
        themes.theme_changed.connect(self._colour)
        self._colour()

    @property
    def is_empty(self) -> bool:
        """Whether there is no picture."""
        return self._stack.currentWidget() is self.empty

    def show_levels(self, levels: Levels, badge: str) -> None:
        """Show curves; the badge says that they are not finished."""
        self._stack.setCurrentWidget(self.plot)
        swept = bool(levels.levels)
        self.title_label.setText(
            self.tr("Accuracy against privacy") if swept else self.tr("Accuracy with this design")
        )
        self.hint_label.setText(self.tr("mean ± sd of finished folds"))
        self.badge.setText(badge)
        self.badge.setVisible(bool(badge))
        self.plot.show_levels(levels)

    def show_empty(self, missing: str, advice: str, action: str) -> None:
        """Say what is missing, and what to do."""
        self._stack.setCurrentWidget(self.empty)
        self.title_label.setText(self.tr("Accuracy against privacy"))
        self.hint_label.setText("")
        self.badge.hide()
        self.empty.heading.setText(missing)
        self.empty.advice.setText(advice)
        self.empty.button.setText(action)
        self.empty.button.setVisible(bool(action))

    def _colour(self) -> None:
        theme = self._themes.theme
        set_rules(
            self.badge,
            f"background: {theme.hex('warningBg')}; color: {theme.hex('warningText')};"
            "font-weight: 600;",
        )
