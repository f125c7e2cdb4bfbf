"""The middle card: itemsets, rules or runs under one head."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QComboBox, QLineEdit, QSizePolicy, QStackedWidget, QWidget

from ppworkbench.gui.pages.mine.listing_model import ListingModel
from ppworkbench.gui.pages.mine.listing_view import ListingView
from ppworkbench.gui.pages.mine.runs_model import MEASURES, measure_words
from ppworkbench.gui.pages.mine.runs_view import RunsView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.theme.icons import icon
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.empty_state import EmptyState
from ppworkbench.gui.widgets.layouts import row, text
from ppworkbench.gui.widgets.progress_bar import ProgressBar
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.gui.words import number

SETS, RULES, RUNS = "sets", "rules", "runs"


class TableCard(Card):
    """Knows no study: it shows what it is given and tells what a person does."""

    view_chosen = Signal(str)
    filter_typed = Signal(str)
    size_chosen = Signal(int, int)
    measure_chosen = Signal(str)
    run_chosen = Signal(int)
    run_removed = Signal(int)
    action_requested = Signal()
    """The button of the empty state."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._make_head()
        self.set_model, self.rule_model = ListingModel(self), ListingModel(self)
        self.sets = ListingView(themes, self.set_model, self.tr("Itemsets"))
        self.sets.setObjectName("itemsets")
        self.rules = ListingView(themes, self.rule_model, self.tr("Rules"))
        self.rules.setObjectName("rules")
        self._runs: RunsView | None = None
        self.empty = EmptyState(themes, "mine", "", "", " ")
        self.empty.button.setObjectName("mineEmptyAction")
        self.empty.button.clicked.connect(self.action_requested)
        self.nothing = text("", "hint", wrap=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._arrange()

    def _make_head(self) -> None:
        themes = self._themes
        self.view = Segmented(themes, self.tr("Show"), self._segments(0, 0, 0))
        self.view.setObjectName("mineView")
        self.view.chosen.connect(self.view_chosen)
        self.filter = QLineEdit()
        self.filter.setObjectName("itemsetFilter")
        self.filter.setPlaceholderText(self.tr("Filter by item"))
        self.filter.setToolTip(self.filter.placeholderText())
        self.filter.setAccessibleName(self.tr("Filter by the names of items"))
        self.filter.setClearButtonEnabled(True)
        self.filter.setMinimumWidth(40)
        self._glass = QAction(self)
        self.filter.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.filter.textChanged.connect(self.filter_typed)
        find = QAction(self.tr("Filter the table"), self)
        find.setShortcut(QKeySequence(QKeySequence.StandardKey.Find))
        find.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        find.triggered.connect(self.filter.setFocus)
        self.addAction(find)
        self.size_box = QComboBox()
        self.size_box.setObjectName("sizeFilter")
        self.size_box.setAccessibleName(self.tr("How many items"))
        self.size_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        # In a small window the filter gives way first.
        self.size_box.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.size_box.activated.connect(self._on_size)
        self.size_box.currentTextChanged.connect(self.size_box.setToolTip)
        self.measure_box = QComboBox()
        self.measure_box.setObjectName("runMeasure")
        self.measure_box.setAccessibleName(self.tr("What is compared"))
        self.measure_box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.measure_box.setMinimumWidth(120)
        self.measure_box.currentTextChanged.connect(self.measure_box.setToolTip)
        for measure in MEASURES:
            self.measure_box.addItem(measure_words(measure), measure)
        self.measure_box.activated.connect(
            lambda place: self.measure_chosen.emit(self.measure_box.itemData(place))
        )
        themes.theme_changed.connect(self._colour)
        self._colour()

    def _arrange(self) -> None:
        self.progress_label = ElidedLabel("caption")
        self.progress_bar = ProgressBar(120)
        self.progress_bar.setObjectName("miningProgress")
        self.progress_bar.setAccessibleName(self.tr("Progress of the run"))
        self.strip = QWidget()
        strip = row(self.progress_label, self.progress_bar, parent=self.strip, spacing=10)
        strip.setContentsMargins(14, 0, 14, 8)
        strip.setStretch(0, 1)
        self.strip.hide()
        head = row(self.view, self.filter, self.size_box, self.measure_box, spacing=12)
        head.setContentsMargins(13, 10, 13, 10)
        head.setStretch(1, 1)
        self.head_row = QWidget()
        self.head_row.setLayout(head)
        self.stack = QStackedWidget()
        for widget in (self.empty, self.sets, self.rules, self.nothing):
            self.stack.addWidget(widget)
        self.foot_left = ElidedLabel("captionHint")
        self.foot_right = text("", "captionHint")
        self.foot = QWidget()
        foot = row(self.foot_left, self.foot_right, parent=self.foot)
        foot.setContentsMargins(14, 6, 14, 7)
        foot.setStretch(0, 1)
        self.body.setContentsMargins(1, 1, 1, 1)
        self.body.setSpacing(0)
        for widget in (self.head_row, self.strip):
            self.body.addWidget(widget)
        self.body.addWidget(self.stack, 1)
        self.body.addWidget(self.foot)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Names, bars and numbers."""
        return QSize(self._themes.theme.px(434), 200)

    def make_runs(self) -> None:
        """Make the comparison of runs, which takes a while."""
        if self._runs is None:
            self._runs = RunsView(self._themes)
            self._runs.table.run_chosen.connect(self.run_chosen)
            self._runs.table.run_removed.connect(self.run_removed)
            self.stack.addWidget(self._runs)

    @property
    def runs(self) -> RunsView:
        """The comparison of runs."""
        self.make_runs()
        assert self._runs is not None  # noqa: S101 (made above)
        return self._runs

    # What is shown

    def _segments(self, sets: int, rules: int, runs: int) -> list[tuple[str, str]]:
        def counted(words: str, count: int) -> str:
            return f"{words} {number(count)}" if count else words

        return [
            (SETS, counted(self.tr("Itemsets"), sets)),
            (RULES, counted(self.tr("Rules"), rules)),
            (RUNS, counted(self.tr("Runs"), runs)),
        ]

    def show_counts(self, sets: int, rules: int, runs: int) -> None:
        """Say how many there are of each."""
        self.view.set_choices(self._segments(sets, rules, runs))

    def show_view(self, view: str) -> None:
        """Show itemsets, rules or runs."""
        self.view.set_current(view)
        self.filter.setVisible(view != RUNS)
        self.size_box.setVisible(view != RUNS)
        self.measure_box.setVisible(view == RUNS)
        self.stack.setCurrentWidget(self.runs if view == RUNS else self.listing_view(view))

    def show_empty(self, missing: str, advice: str, action: str) -> None:
        """Say what is missing and what to do."""
        self.empty.heading.setText(missing)
        self.empty.advice.setText(advice)
        self.empty.button.setText(action)
        self.empty.button.setVisible(bool(action))
        self.stack.setCurrentWidget(self.empty)

    def show_nothing(self, words: str) -> None:
        """Say that the filter leaves nothing."""
        self.nothing.setText(words)
        self.stack.setCurrentWidget(self.nothing)

    def show_sizes(self, longest: int, least: int, most: int) -> None:
        """Offer the sizes that were found; a ``most`` of 0 is no bound."""
        offered = [(self.tr("Any size"), (1, 0)), (self.tr("2 or more items"), (2, 0))]
        if longest > 2:
            offered.append((self.tr("3 or more items"), (3, 0)))
        for size in range(1, longest + 1):
            words = self.tr("1 item") if size == 1 else self.tr("%s items") % number(size)
            offered.append((words, (size, size)))
        if (least, most) not in [bounds for _, bounds in offered]:
            offered.append((self.tr("%s items") % number(least), (least, most)))
        with QSignalBlocker(self.size_box):
            self.size_box.clear()
            for words, bounds in offered:
                self.size_box.addItem(words, bounds)
            places = [bounds for _, bounds in offered]
            self.size_box.setCurrentIndex(places.index((least, most)))

    def show_measure(self, measure: str, offered: tuple[str, ...], reason: str) -> None:
        """Show what is compared; measures of the truth are grey where it is not known."""
        with QSignalBlocker(self.measure_box):
            self.measure_box.setCurrentIndex(MEASURES.index(measure))
        model = self.measure_box.model()
        for place, name in enumerate(MEASURES):
            item = model.item(place)
            item.setEnabled(name in offered)
            item.setToolTip("" if name in offered else reason)

    def show_progress(self, words: str, done: float) -> None:
        """Show what a run is doing; no words hide the line."""
        self.strip.setVisible(bool(words))
        self.progress_label.setText(words)
        self.progress_bar.show_share(done)

    def show_foot(self, left: str, right: str) -> None:
        """What stands under the table."""
        self.foot_left.setText(left)
        self.foot_right.setText(right)
        self.foot.setVisible(bool(left or right))

    def listing_view(self, view: str) -> ListingView:
        """The table of a view."""
        return self.rules if view == RULES else self.sets

    def _on_size(self, place: int) -> None:
        least, most = self.size_box.itemData(place)
        self.size_chosen.emit(least, most)

    def _colour(self) -> None:
        self._glass.setIcon(icon("search", self._themes.theme.colour("text2")))
