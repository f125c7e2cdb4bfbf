"""How pinned designs compare."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QBrush, QKeyEvent, QKeySequence, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QTableView,
    QWidget,
)

from ppworkbench.core.design import Perturbation
from ppworkbench.core.privacy.assess import assess_attribute
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.gui.charts.chart import Plot, Rows
from ppworkbench.gui.language import tr
from ppworkbench.gui.pages.design.frontier import FrontierSearch
from ppworkbench.gui.pages.design.pins import LETTERS, PinBar, Pinned, PinnedDesigns, PinRows
from ppworkbench.gui.pages.design.readouts import Readouts
from ppworkbench.gui.pages.design.texts import measure_label, shown_measure
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, IconButton
from ppworkbench.gui.widgets.layout import line, scrolled, text
from ppworkbench.gui.widgets.table import copy_rows
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.analyses.design import (
    MORE_IS_BETTER,
    MOST_VALUES,
    FrontierCurves,
    measure_keys,
    measures_of,
)

NOW = "now"
Spots = Mapping[str, tuple[float, float]]
"""By letter, or "now": how often the best guess is right, and the information loss."""


class ComparePlot(Plot):
    """Further left is more private, lower is more accurate."""

    def __init__(self, themes: ThemeManager) -> None:
        self._curves: FrontierCurves | None = None
        self._spots: Spots = {}
        self._active = ""
        self._drawn_for: object = None
        self._range: tuple[float, float, float] | None = None
        self._anchor = (0.5, -0.3)
        self._letters: dict[str, pg.TextItem] = {}
        super().__init__(themes, tr("Information loss against attack success"))
        self.setObjectName("comparePlot")
        self.rows = self._table
        self.setMinimumHeight(150)
        for side in ("left", "bottom"):
            self.getAxis(side).setStyle(maxTickLevel=0)
        self.label_axes(
            bottom=self.tr("attack success, % (left: more private)"),
            left=self.tr("information loss"),
        )

    def furnish(self) -> None:
        """Make what is drawn; apart from the axes, because both together take too long."""
        self._lines = [pg.PlotCurveItem(antialias=True) for _ in range(2)]
        self._rings = pg.ScatterPlotItem()
        self._dot = pg.ScatterPlotItem()
        self._letters = {letter: pg.TextItem(letter, anchor=(0.5, 0.5)) for letter in LETTERS}
        self._now = pg.TextItem(tr("current"), anchor=self._anchor)
        self._now.setZValue(4)
        texts = (self._now, *self._letters.values())
        for item in (*self._lines, self._dot, self._rings, *texts):
            self.addItem(item, ignoreBounds=True)
        for item in texts:
            item.hide()
        self.retheme()

    def show_curves(self, curves: FrontierCurves | None) -> None:
        """Draw another frontier, or none."""
        if curves is self._curves:
            return
        self._curves = curves
        for item, curve in zip(self._lines, curves or (None, None), strict=True):
            points = () if curve is None else curve.points
            item.setData(
                np.array([100 * point.privacy for point in points]),
                np.array([point.information_loss for point in points]),
            )
            item.setVisible(bool(points))
        self._fit()

    def show_spots(self, spots: Spots, active: str) -> None:
        """Draw designs; one that loses everything has no place."""
        drawn = {name: spot for name, spot in spots.items() if all(map(math.isfinite, spot))}
        if (drawn, active) == (self._spots, self._active):
            return
        recolour = active != self._active
        self._spots, self._active = drawn, active
        for name, item in (*self._letters.items(), (NOW, self._now)):
            if item.isVisible() != (name in drawn):
                item.setVisible(name in drawn)
            if name in drawn:
                item.setPos(100 * drawn[name][0], drawn[name][1])
        if recolour:
            self._colour_letters()
        self._draw_dot()
        self._draw_rings()
        self._fit()

    def _draw_dot(self) -> None:
        """The design of now."""
        spots = [self._spots[NOW]] if NOW in self._spots else []
        self._dot.setData([100 * x for x, _ in spots], [y for _, y in spots])

    def _draw_rings(self) -> None:
        """Circles under the letters; one that is the design of now is larger."""
        theme, now = self.themes.theme, self._spots.get(NOW)
        pins = {name: spot for name, spot in self._spots.items() if name != NOW}
        equal = frozenset(name for name, spot in pins.items() if spot == now)
        drawn_for = pins, equal, self._active, theme
        if drawn_for == self._drawn_for:
            return
        self._drawn_for = drawn_for
        marks = []
        for name, (x, y) in pins.items():
            strong = name == self._active
            pen = pg.mkPen(theme.colour("accentInk" if strong else "outline"), width=1.5)
            ground = QBrush(theme.colour("accentTint" if strong else "surface"))
            size = 25 if name in equal else 19
            marks.append({"pos": (100 * x, y), "size": size, "pen": pen, "brush": ground})
        self._rings.setData(spots=marks)

    def _fit(self) -> None:
        """Axes that stay where they are while a slider moves within them."""
        x = [100 * spot[0] for spot in self._spots.values()]
        y = [spot[1] for spot in self._spots.values()]
        if self._curves is not None:
            points = [point for curve in self._curves for point in curve.points]
            x += [100 * point.privacy for point in points]
            losses = [point.information_loss for point in points]
            y.append(float(np.median(losses)) if losses else 0.0)
        if not x or not y:
            return
        low, high = 10 * math.floor(min(x) / 10 - 0.2), 10 * math.ceil(max(x) / 10 + 0.2)
        top = _round_up(1.2 * max(y))
        # Under the point, where no design can be; over it if that is outside of the picture.
        is_low = self._spots.get(NOW, (0, 0))[1] < 0.15 * top
        anchor = (0.5, 1.4) if is_low else (0.5, -0.3)
        if anchor != self._anchor:
            self._anchor = anchor
            self._now.setAnchor(anchor)
        if (low, high, top) != self._range:
            self._range = low, high, top
            self.setXRange(max(low, -4), min(high, 104), padding=0)
            self.setYRange(-0.04 * top, 1.06 * top, padding=0)

    def retheme(self) -> None:
        """Draw everything in the colours of the theme."""
        if not self._letters:
            return
        theme = self.themes.theme
        styles = ((theme.colour("outline"), Qt.PenStyle.DashLine),
                  (theme.colour("accentInk"), Qt.PenStyle.SolidLine))  # fmt: skip
        for item, (colour, style) in zip(self._lines, styles, strict=True):
            pen = QPen(colour, 2, style)
            pen.setCosmetic(True)
            item.setPen(pen)
        self._now.setColor(theme.colour("accentInk"))
        self._now.setFont(theme.font("caption", "semibold"))
        self._dot.setSize(13)
        self._dot.setPen(pg.mkPen(theme.colour("accentInk"), width=1.5))
        self._dot.setBrush(QBrush(theme.colour("accent")))
        self._colour_letters()
        self._draw_rings()

    def _colour_letters(self) -> None:
        theme = self.themes.theme
        for letter, item in self._letters.items():
            item.setFont(theme.font("caption", "semibold"))
            item.setColor(theme.colour("accentInk" if letter == self._active else "text"))
            item.setZValue(5)

    def _table(self) -> Rows:
        rows = [[self.tr("design"), self.tr("attack success"), self.tr("information loss")]]
        rows += [[name, f"{x:.4f}", f"{y:.4f}"] for name, (x, y) in self._spots.items()]
        for curve in self._curves or ():
            rows += [
                [curve.family, f"{point.privacy:.4f}", f"{point.information_loss:.4f}"]
                for point in curve.points
            ]
        return rows


def _round_up(value: float) -> float:
    """The next number of the form 1, 2, 3, 5 or 7.5 times a power of ten."""
    if value <= 0:
        return 0.01
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 3, 5, 7.5, 10) if step * power >= value * 0.999)


Index = QModelIndex | QPersistentModelIndex
Cells = dict[tuple[int, int], tuple[str, bool]]
"""By row and column: what stands there, and whether it is the best of its row."""


@dataclass(frozen=True)
class Comparison:
    """What the table shows: labels by measure, and numbers by letter (or "now") and measure."""

    labels: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, Mapping[str, float] | None] = field(default_factory=dict)
    active: str = ""
    numeric: bool = False

    def shown(self, design: str, key: str) -> str:
        """One cell."""
        numbers = self.numbers[design]
        return shown_measure(key, None if numbers is None else numbers.get(key), self.numeric)

    def is_best(self, design: str, key: str) -> bool:
        """Whether no other design is better in this measure and one is worse."""
        values = {one: found[key] for one, found in self.numbers.items() if found and key in found}
        if design not in values or not math.isfinite(values[design]):
            return False
        sign = -1 if key in MORE_IS_BETTER else 1
        # What looks alike is alike.
        best = self.shown(min(values, key=lambda one: sign * values[one]), key)
        return self.shown(design, key) == best and any(
            self.shown(one, key) != best for one in values
        )


class CompareModel(QAbstractTableModel):
    """A row for every measure; while a slider moves only the column of now changes."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.shown = Comparison()
        self._cells: Cells = {}

    def show(self, comparison: Comparison) -> None:
        """Show other numbers; only cells that look different are drawn again."""
        before, self.shown = self.shown, comparison
        cells, self._cells = self._cells, _cells(comparison)
        if list(before.numbers) != list(comparison.numbers) or before.labels != comparison.labels:
            self.beginResetModel()
            self.endResetModel()
            return
        for place, cell in self._cells.items():
            if cell != cells[place]:
                # One by one: a range would make the whole table be drawn again.
                self.dataChanged.emit(self.index(*place), self.index(*place))

    @property
    def designs(self) -> list[str]:
        """Letters in order, then "now"."""
        return list(self.shown.numbers)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """One for every measure."""
        return 0 if parent.isValid() else len(self.shown.labels)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The name of the measure, then the designs."""
        return 0 if parent.isValid() else 1 + len(self.shown.numbers)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Letters; the active one is said in the tooltip too."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        design = self.designs[section - 1] if 0 < section <= len(self.designs) else ""
        if role == Qt.ItemDataRole.DisplayRole:
            return self.tr("current") if design == NOW else design or self.tr("measure")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
            return int((side | Qt.AlignmentFlag.AlignVCenter).value)
        if role == Qt.ItemDataRole.ToolTipRole and design not in ("", NOW):
            is_active = design == self.shown.active
            words = self.tr("The cards show the difference from %s.") if is_active else self.tr(
                "Click to show the difference from %s on the cards."
            )  # fmt: skip
            return words % design
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Names and numbers; the best of a row is bold."""
        content, is_best = self._cells[index.row(), index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return content
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if index.column() else Qt.AlignmentFlag.AlignLeft
            return int((side | Qt.AlignmentFlag.AlignVCenter).value)
        if role == Qt.ItemDataRole.FontRole and is_best:
            return self._themes.theme.font("body", "semibold")
        if role == Qt.ItemDataRole.ForegroundRole and not index.column():
            return self._themes.theme.colour("text2")
        return None


def _cells(shown: Comparison) -> Cells:
    cells: Cells = {}
    for row, (key, label) in enumerate(shown.labels.items()):
        cells[row, 0] = label, False
        for place, design in enumerate(shown.numbers):
            cells[row, place + 1] = shown.shown(design, key), shown.is_best(design, key)
    return cells


class CompareTable(QTableView):
    """As high as its rows; Ctrl+C copies all of it."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.numbers = CompareModel(themes)
        self.setModel(self.numbers)
        self.setObjectName("compareTable")
        self.setAccessibleName(self.tr("Measures of the pinned designs"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head = self.horizontalHeader()
        head.setSectionsClickable(True)
        head.setHighlightSections(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        themes.theme_changed.connect(self._measure)
        self.numbers.modelReset.connect(self._measure)
        self._measure()

    def _measure(self) -> None:
        row = self._themes.theme.px(25)
        self.verticalHeader().setMinimumSectionSize(row)
        self.verticalHeader().setDefaultSectionSize(row)
        self.horizontalHeader().setFixedHeight(row + 2)
        if self.numbers.columnCount() > 1:
            head = self.horizontalHeader()
            head.setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
            head.resizeSection(0, self._themes.theme.px(152))
        self.setFixedHeight(self.sizeHint().height())

    def sizeHint(self) -> QSize:  # noqa: N802
        """All rows."""
        row = self._themes.theme.px(25)
        return QSize(300, row + 4 + row * self.numbers.rowCount())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Copy."""
        if event.matches(QKeySequence.StandardKey.Copy):
            shown = self.numbers.shown
            heads = ["", *self.numbers.designs]
            rows = [
                [label, *(shown.shown(design, key) for design in self.numbers.designs)]
                for key, label in shown.labels.items()
            ]
            copy_rows([heads, *rows])
        else:
            super().keyPressEvent(event)


Numbers = Mapping[str, Mapping[str, float] | None]


class ComparePanel(Card):
    """Follows the sliders: the column and the point of now move with them."""

    closed = Signal()

    def __init__(self, workbench: Workbench, board: PinnedDesigns, pin: QAction) -> None:
        super().__init__(workbench.tr("Compare designs"))
        themes = workbench.themes
        self.setObjectName("comparePanel")
        self._board = board
        self._themes = themes
        self.search = FrontierSearch(workbench, self)
        self.search.changed.connect(self._show_frontier)
        self.pin = Button(themes, self.tr("Pin this design"), "pin", look="link")
        self.pin.setObjectName("comparePin")
        self.pin.clicked.connect(pin.trigger)
        self.close_button = IconButton(themes, "close", self.tr("Close (Esc)"), 16)
        self.close_button.setObjectName("closeCompare")
        self.close_button.clicked.connect(self.closed)
        self.head.addWidget(self.pin)
        self.head.addWidget(self.close_button)
        hint = self.tr(
            "Pin up to 4 designs with Ctrl+D. Each gets a column here and a letter in "
            "the chart below."
        )
        self.hint = text(hint, "secondary", wrap=True)
        self._reason = ""
        self._lost: list[str] = []
        self.add(self.hint)

    def build(self) -> None:
        """Make the rows of pins, the table and the picture."""
        themes = self._themes
        self.pins = PinRows(themes, self._board)
        self.add(self.pins)
        self.table = CompareTable(themes)
        self.table.horizontalHeader().sectionClicked.connect(self._on_head)
        self.add(self.table)
        self.add(line())
        self.plot = ComparePlot(themes)
        self.plot.furnish()
        self.plot.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.state = text("", "captionHint", wrap=True)
        self.add(self.plot, 1)
        self.add(self.state)

    def show_report(
        self, report: AttributeReport, pinned: Pinned, numbers: Numbers, points: float
    ) -> None:
        """Show the design of now beside the pins, whose numbers are given by letter."""
        numeric = report.attribute.kind.is_numeric
        labels = {
            key: measure_label(key, numeric, points) for key in measure_keys(numeric)
        }  # fmt: skip
        self.table.numbers.show(Comparison(labels, numbers, pinned.active, numeric))
        if self.hint.isHidden() != bool(pinned.pins):
            self.hint.setHidden(bool(pinned.pins))
            self.pins.setHidden(not pinned.pins)
        self.pins.show_pins(pinned, report.perturbation)
        letter = pinned.letter_of(report.perturbation)
        words = self.tr("Unpin %s") % letter if letter else self.tr("Pin this design")
        if words != self.pin.text():
            self.pin.setText(words)
        self.pin.setEnabled(bool(letter or pinned.free_letter))
        spots = {
            design: (found["attack"], found["loss"])
            for design, found in numbers.items()
            if found is not None
        }
        self._lost = [name for name, spot in spots.items() if spot[1] == float("inf")]
        self.plot.show_spots(spots, pinned.active)
        self._ask(report)
        self._show_frontier()

    def _ask(self, report: AttributeReport) -> None:
        attribute = report.attribute
        self._reason = ""
        if attribute.kind.is_numeric:
            self._reason = self.tr("Optimising needs a categorical attribute.")
        elif not 2 <= attribute.k <= MOST_VALUES:
            self._reason = self.tr("“Optimise…” searches for better matrices.")
        if self._reason:
            self.search.stop()
        else:
            self.search.ask(attribute, report.prior, report.utility.n)

    def _show_frontier(self) -> None:
        curves = self.search.curves
        self.plot.show_curves(curves)
        if self._reason:
            words = self._reason
        elif self.search.is_searching:
            words = self.tr("Searching for optimal matrices…")
        elif curves is not None:
            words = self.tr(
                "Solid: optimal matrices. Dashed: uniform family. Lower is more accurate."
            )
        else:
            words = self.tr("The search was cancelled.")
        for name in self._lost:
            words += " " + self.tr("%s is not shown: singular matrix.") % (
                self.tr("Current design") if name == NOW else name
            )
        if words != self.state.text():
            self.state.setText(words)

    def _on_head(self, section: int) -> None:
        designs = self.table.numbers.designs
        if 0 < section <= len(designs) and designs[section - 1] != NOW:
            self._board.activate(self._board.store.current or "", designs[section - 1])


ALWAYS_OPEN = 2560
"""From this width of the window on there is room for the view beside all columns."""


class Comparing(QObject):
    """Keeps the pins; shows the change since the active one, and all of them when asked to."""

    def __init__(self, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self.workbench = workbench
        self.store = workbench.store
        self.board = PinnedDesigns(workbench, self)
        self.board.changed.connect(self.refresh)
        self.pin = QAction(self.tr("Pin the design"), parent)
        self.pin.setObjectName("pinDesign")
        self.pin.setShortcut(QKeySequence("Ctrl+D"))
        self.pin.triggered.connect(self._on_pin)
        parent.addAction(self.pin)
        self.action = QAction(self.tr("Compare"), parent)
        self.action.setObjectName("compare")
        self.action.setProperty("iconName", "pin")
        self.action.setCheckable(True)
        self.action.toggled.connect(self._on_toggled)
        self._say_what_it_does()
        self.bar = PinBar(workbench.themes, self.board, self.pin)
        self._report: AttributeReport | None = None
        self._measured: dict[object, dict[str, float]] = {}
        self._is_beside = False
        self._filling = single_shot(self, self.refresh)

    def make_panel(self) -> None:
        """Make the Compare view."""
        self.panel = ComparePanel(self.workbench, self.board, self.pin)
        self.panel.build()
        self.panel.closed.connect(lambda: self.action.setChecked(False))
        self.area: QScrollArea = scrolled(self.panel)
        self.area.setMinimumWidth(400)

    def stand_in(self, stack: QStackedWidget, columns: QSplitter, readouts: Readouts) -> None:
        """Take the place of the readouts when open, or a column of its own in a wide window."""
        self._stack, self._columns, self._readouts = stack, columns, readouts
        readouts.target_changed.connect(self.refresh)
        stack.addWidget(self.area)

    @property
    def is_open(self) -> bool:
        """Whether the view is to be seen."""
        return self.action.isChecked() or self._is_beside

    def fit(self, width: int) -> None:
        """Stand beside the other columns in a very wide window."""
        beside = width >= ALWAYS_OPEN
        if beside == self._is_beside:
            return
        self._is_beside = beside
        if beside:
            self._stack.setCurrentIndex(0)
            self._columns.addWidget(self.area)
            self._columns.setStretchFactor(2, 1)
            self._columns.setSizes([1000, 1000, 1000])
            self.area.show()
        else:
            self._stack.addWidget(self.area)
            self._stack.setCurrentIndex(1 if self.action.isChecked() else 0)
        self.panel.close_button.setHidden(beside)
        self.action.setEnabled(not beside)
        self._say_what_it_does()
        self._follow_open()

    def close(self) -> bool:
        """Close the view; False if there was nothing to close."""
        was_open = self.action.isChecked() and not self._is_beside
        if was_open:
            self.action.setChecked(False)
        return was_open

    def show_report(self, report: AttributeReport) -> None:
        """Show the change since the active pin; called with every frame of a drag."""
        self._report = report
        pinned = self.board.of(report.name)
        self.bar.show_pins(pinned, report.perturbation)
        active = pinned.active_pin
        before = None if active is None else self._numbers(report, active.perturbation)
        self._readouts.compare_with(before)
        if self.is_open:
            numbers = {
                pin.letter: self._numbers(report, pin.perturbation) for pin in pinned.pins
            }  # fmt: skip
            numbers[NOW] = measures_of(report, self._readouts.target)
            self.panel.show_report(report, pinned, numbers, self._readouts.points.value())

    def refresh(self) -> None:
        """Show other pins."""
        if self._report is not None and self._report.name == self.store.current:
            self.show_report(self._report)

    def _numbers(
        self, report: AttributeReport, perturbation: Perturbation | None
    ) -> dict[str, float] | None:
        """What a pin would mean for the answers that are expected now."""
        if perturbation is None:
            return None
        n, target = report.utility.n, self._readouts.target
        expected = report.prior.probabilities.tobytes()
        key = perturbation, report.attribute, expected, n, target, report.noncompliance
        if key not in self._measured:
            if len(self._measured) > 200:
                self._measured.clear()
            would = assess_attribute(
                (report.attribute, perturbation), report.prior, n, report.noncompliance
            )
            self._measured[key] = measures_of(would, target)
        return self._measured[key]

    # Actions

    def _on_pin(self) -> None:
        name = self.store.current
        if name is None or name not in self.store.study.design:
            return
        if not self.board.toggle(name):
            said = self.tr("4 designs are pinned. Remove one to pin another.")
            self.workbench.toast_requested.emit(said, False)

    def _on_toggled(self, is_open: bool) -> None:
        if not self._is_beside:
            self._stack.setCurrentIndex(1 if is_open else 0)
        self._say_what_it_does()
        self._follow_open()
        if is_open:
            self.panel.table.setFocus()

    def _follow_open(self) -> None:
        if self.is_open:
            # The view appears first; to lay it out and to fill it at a stroke could be felt.
            self._filling.start()
        else:
            self.panel.search.stop()

    def _say_what_it_does(self) -> None:
        is_open = self.action.isChecked()
        self.action.setText(self.tr("Close Compare") if is_open else self.tr("Compare"))
        if not self.action.isEnabled():
            words = self.tr("In a window this wide, Compare is always open.")
        elif is_open:
            words = self.tr("Back to the chart and the cards (Esc)")
        else:
            words = self.tr("Compare the pinned designs; Ctrl+D pins one")
        self.action.setToolTip(words)
