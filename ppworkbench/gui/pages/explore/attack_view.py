"""What an attacker learns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QButtonGroup, QListWidget, QListWidgetItem, QWidget

from ppworkbench.core.attacks import (
    BestGuess,
    Counted,
    Filtering,
    Linkage,
    Measured,
    RepeatedQuestion,
    best_guess,
    filter_noise,
    link_records,
    repeated_question,
)
from ppworkbench.core.attacks.filtering import ALONE, BAYES, METHODS, SPECTRAL, filterable
from ppworkbench.core.design import DesignedAttribute
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress, part
from ppworkbench.gui.charts.chart_export import Rows
from ppworkbench.gui.charts.intervals import IntervalPlot, IntervalRow, Mark, MarkLegend
from ppworkbench.gui.charts.levels import LevelLine, LevelPlot, LevelPoint, Levels, Reference
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import for_people, number, percent, significant
from ppworkbench.gui.pages.explore.loss_table import LossTable
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.card import Card, EmptyState
from ppworkbench.gui.widgets.controls import (
    AttributeBox,
    Button,
    IconButton,
    IconLabel,
    RadioRow,
    Segmented,
)
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import PageStack, Splitter, column, line, row, scrolled, text
from ppworkbench.gui.widgets.table import TextModel
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.help import key_about
from ppworkbench.study.study import Study

RECONSTRUCT, ATTACK = "reconstruct", "attack"


class ViewSwitch(Segmented):
    """Stands over the left column of either half, and always shows the half it stands in."""

    def __init__(self, themes: ThemeManager, own: str) -> None:
        super().__init__(themes, "", [])
        self.setAccessibleName(self.tr("View"))
        self.set_choices([(RECONSTRUCT, self.tr("Reconstruct")), (ATTACK, self.tr("Attack"))])
        self.set_current(own)
        self._own = own
        self.chosen.connect(lambda _: self.set_current(own))


@dataclass(frozen=True)
class StepLevels(Levels):
    """Shares on an axis that begins at nothing, in steps of ten in a hundred."""

    @property
    def y_range(self) -> tuple[float, float]:
        """From 0 to a bit above everything."""
        values = [point.mean for line in self.lines for point in line.points]
        highest = max(values + [one.value for one in self.references], default=1.0)
        return 0.0, min(max(math.ceil(highest * 10 + 0.2) / 10, 0.2), 1.0)


@dataclass(frozen=True)
class Shown:
    """Rows of marks or curves, never both; the first column of the table is words.

    Parameters
    ----------
    title, axis
        Over the picture, and below it.
    legend
        Looks and words of the marks.
    knows
        What the attacker is taken to know, and how the numbers came about.
    """

    title: str
    axis: str
    sentence: str
    knows: str
    heads: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]
    rows: tuple[IntervalRow, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    curves: StepLevels | None = None
    ticks: tuple[str, ...] = ()


_EDGE, _PAD = 12, 5
"""From the card's edge to its text, and from a cell's; text of both stands in one line."""
_LEAST = 62


class AnswerCard(Card):
    """Says what happened before it shows numbers."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self.sentence = text("", "body", wrap=True)
        self.sentence.setObjectName("attackSentence")
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.knows = text("", "captionHint", wrap=True)
        self.knows.setObjectName("attackKnows")
        self.model = TextModel(themes, parent=self)
        self.table = LossTable()
        self.table.setObjectName("attackTable")
        self.table.setAccessibleName(self.tr("Numbers of the attack"))
        self.table.setModel(self.model)
        self.table.setShowGrid(False)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.table.setWordWrap(False)
        self.table.verticalHeader().hide()
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.table.addAction(self.tr("Copy table")).triggered.connect(self.table.copy)
        self.table.horizontalHeader().setHighlightSections(False)
        head = row(
            IconLabel(themes, "shield", "accentInk", 16), text(self.tr("In words"), "strong"), None
        )
        for item in (head, row(self.sentence), row(self.knows)):
            item.setContentsMargins(_EDGE, 0, _EDGE, 0)
            self.body.addLayout(item)
        self.body.setContentsMargins(1, 11, 1, 8)
        inset = row(self.table)
        inset.setContentsMargins(_EDGE - _PAD, 0, _EDGE - _PAD, 0)
        self.body.addLayout(inset, 1)
        themes.theme_changed.connect(self._restyle)
        self._restyle()

    def show_result(self, shown: Shown) -> None:
        """Show a sentence and its numbers."""
        self.sentence.setText(shown.sentence)
        self.knows.setText(shown.knows)
        self.model.show_rows(shown.heads, shown.table)
        self._resize()

    def show_nothing(self) -> None:
        """There is no result."""
        self.sentence.setText(self.tr("No attack was carried out."))
        self.knows.setText("")
        self.model.show_rows((), ())

    def _restyle(self) -> None:
        theme = self._themes.theme
        size = theme.font("caption").pixelSize()
        # Qt adds three pixels to what is left beside the text of a cell.
        set_rules(
            self.table,
            f"QTableView {{ font-size: {size}px; }}QTableView::item {{ padding: 0 {_PAD - 3}px; }}",
        )
        set_rules(
            self.table.horizontalHeader(),
            f"QHeaderView::section {{ font-size: {size}px; padding: 5px {_PAD}px; }}",
        )
        self.table.verticalHeader().setDefaultSectionSize(theme.px(26))
        self._resize()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the words what the numbers leave."""
        super().resizeEvent(event)
        self._resize()

    def _resize(self) -> None:
        """As wide as the numbers need; where even that is too much, the table scrolls."""
        count = self.model.columnCount()
        if not count:
            return
        self.table.resizeColumnsToContents()
        rest = sum(self.table.columnWidth(section) for section in range(1, count))
        bar = self.table.verticalScrollBar()
        room = self.width() - 2 * (_EDGE - _PAD) - 4 - rest
        room -= bar.width() if bar.isVisible() else 0
        self.table.setColumnWidth(0, max(room, self._themes.theme.px(_LEAST)))


GUESS, REPEAT, FILTER, LINK = "guess", "repeat", "filter", "link"
ATTACKS = (GUESS, REPEAT, FILTER, LINK)
OF_ONE = (GUESS, REPEAT)
"""The attacks on a single attribute."""

_LINKED = 5
"""Attributes that somebody is taken to know unless others are ticked."""


@dataclass(frozen=True)
class Attack:
    """An attack in the list; ``reason`` says why it cannot be carried out, if it cannot."""

    key: str
    title: str
    hint: str
    reason: str = ""


def attacks_on(study: Study, name: str | None) -> tuple[Attack, ...]:
    """The attacks on a study, in order."""
    words = {
        GUESS: (tr("Best guess"), tr("What does one reported answer give away?")),
        REPEAT: (tr("Asking again"), tr("What if the same person is asked many times?")),
        FILTER: (tr("Noise filtering"), tr("Do correlated numbers betray the noise?")),
        LINK: (tr("Linkage"), tr("Can people with rare answers be found again?")),
    }
    return tuple(Attack(key, *words[key], why_not(study, key, name)) for key in ATTACKS)


def why_not(study: Study, key: str, name: str | None) -> str:
    """Why an attack cannot be carried out; empty if it can."""
    if study.original is None:
        return tr("These answers came distorted; without the true ones nobody can tell a hit.")
    if key in OF_ONE:
        if name is None or name not in study.original or name not in study.design:
            return tr("Choose an attribute that is part of the design.")
    elif key == FILTER:
        count = len(filterable(study.design))
        if count < 2:
            return tr("Needs two or more numbers under additive noise; this design has %s.") % count
    elif not linkable(study):
        return tr("The design has no attribute to link by.")
    return ""


def linkable(study: Study) -> tuple[str, ...]:
    """The attributes that an attacker may know."""
    table = study.original
    return tuple(name for name in study.design.names if table is not None and name in table)


def usual_links(study: Study) -> tuple[str, ...]:
    """The attributes that are ticked at the start: the first ones, where surveys ask who one is."""
    return linkable(study)[:_LINKED]


def designed_as(study: Study, name: str) -> DesignedAttribute:
    """An attribute with the perturbation in effect, that of its group where it is in one."""
    return replace(study.design[name], perturbation=study.design.perturbation(name))


class KnownList(QWidget):
    """Known attributes in the order of the questionnaire."""

    ticked = Signal(str, bool)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.count = text("", "captionHint")
        self.view = QListWidget()
        self.view.setObjectName("knownAttributes")
        self.view.setAccessibleName(self.tr("What the attacker knows"))
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.view.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setMinimumHeight(themes.theme.px(96))
        self._themes = themes
        themes.theme_changed.connect(self._resize)
        head = row(text(self.tr("The attacker knows"), "strong"), None, self.count)
        layout = column(head, self.view, parent=self, spacing=4)
        layout.setStretch(1, 1)
        self.view.itemChanged.connect(self._on_changed)

    def show_names(self, names: Sequence[str], known: Sequence[str]) -> None:
        """Show all attributes with their ticks."""
        with QSignalBlocker(self.view):
            if [self.view.item(i).text() for i in range(self.view.count())] != list(names):
                self.view.clear()
                for name in names:
                    item = QListWidgetItem(name)
                    item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable)
                    self.view.addItem(item)
                self._resize()
            for place, name in enumerate(names):
                state = Qt.CheckState.Checked if name in known else Qt.CheckState.Unchecked
                self.view.item(place).setCheckState(state)
        self.count.setText(self.tr("%s of %s") % (number(len(known)), number(len(names))))
        self.view.viewport().update()

    def tick(self, name: str, on: bool) -> None:
        """Tick as a person would."""
        for item in self.view.findItems(name, Qt.MatchFlag.MatchExactly):
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)

    def _resize(self) -> None:
        size = QSize(10, self._themes.theme.px(24))
        with QSignalBlocker(self.view):
            for place in range(self.view.count()):
                self.view.item(place).setSizeHint(size)

    def _on_changed(self, item: QListWidgetItem) -> None:
        self.ticked.emit(item.text(), item.checkState() == Qt.CheckState.Checked)


class AttackRow(RadioRow):
    """A radio button over a question; grey with its reason where the attack does not apply."""

    chosen = Signal(str)

    def __init__(self, themes: ThemeManager, key: str) -> None:
        super().__init__(themes)
        self.radio.setObjectName(f"attack_{key}")
        self.hint = text("", "captionHint", wrap=True)
        self.hint.setContentsMargins(24, 0, 0, 0)
        layout = column(self.radio, self.hint, parent=self, spacing=1)
        layout.setContentsMargins(8, 5, 6, 6)
        self.radio.clicked.connect(lambda: self.chosen.emit(key))

    def show_attack(self, attack: Attack, current: bool) -> None:
        """Show title, question and whether it is the chosen one."""
        self.radio.setText(attack.title)
        self.radio.setAccessibleName(attack.title)
        self.radio.setAccessibleDescription(attack.reason or attack.hint)
        self.hint.setText(attack.reason or attack.hint)
        with QSignalBlocker(self.radio):
            self.radio.setChecked(current)
        self.radio.setEnabled(not attack.reason)
        self.setToolTip(attack.reason)
        font = self.radio.font()
        weight = "semibold" if current else "medium"
        font.setWeight(self._themes.theme.font("body", weight).weight())
        self.radio.setFont(font)
        self.update()


class AttackCard(Card):
    """Knows no study: it shows what it is given and tells what a person does."""

    attack_chosen = Signal(str)
    attribute_chosen = Signal(str)
    known_ticked = Signal(str, bool)
    help_requested = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=12)
        self._themes = themes
        self.help = IconButton(themes, "question", self.tr("About the attacks"), 15)
        self.help.setObjectName("attackHelp")
        self.group = QButtonGroup(self)
        self.rows = {key: AttackRow(themes, key) for key in ATTACKS}
        for one in self.rows.values():
            self.group.addButton(one.radio)
            one.chosen.connect(self.attack_chosen)
        self.attribute = AttributeBox(themes, "attackAttribute", self.tr("Attacked attribute"))
        self.one = QWidget()
        column(text(self.tr("Attribute"), "strong"), self.attribute, parent=self.one, spacing=6)
        self.known = KnownList(themes)
        self.note = text(
            self.tr("All attacks see the draw of this study; “Distort again” takes another one."),
            "captionHint",
            wrap=True,
        )
        self.body.setSpacing(7)
        self.body.addLayout(row(text(self.tr("Attack by"), "strong"), self.help, None, spacing=4))
        attacks = column(*self.rows.values(), spacing=1)
        attacks.setContentsMargins(-6, 0, -6, 0)
        self.body.addLayout(attacks)
        self.body.addWidget(line())
        self.body.addWidget(self.one)
        self.body.addWidget(self.known, 1)
        self.rest = QWidget()
        self.body.addWidget(self.rest, 1)
        self.body.addWidget(line())
        self.body.addWidget(self.note)
        self.help.clicked.connect(self._on_help)
        self.attribute.chosen.connect(self.attribute_chosen)
        self.known.ticked.connect(self.known_ticked)
        themes.theme_changed.connect(self._restyle)
        self._restyle()

    def _on_help(self) -> None:
        chosen = next((key for key, one in self.rows.items() if one.radio.isChecked()), "")
        self.help_requested.emit(key_about("attack", chosen, "attack-lab"))

    def show_attacks(self, attacks: Sequence[Attack], current: str) -> None:
        """Show the list; what belongs to the chosen attack stands below it."""
        for attack in attacks:
            self.rows[attack.key].show_attack(attack, attack.key == current)
        self.one.setVisible(current in OF_ONE)
        self.known.setVisible(current == LINK)
        self.rest.setVisible(current != LINK)

    def _restyle(self) -> None:
        self.keep_at_least(self._themes.theme.px(248))


MOST_ROWS = 18
"""Rows that a picture shows; the table has all of them."""


def share(value: float, digits: int = 1) -> str:
    """A share as a percentage; rounding leaves no minus before a zero."""
    return percent(round(value, digits + 2) + 0.0, digits)


def in_100(value: float) -> str:
    """How many of 100, without decimals where there are enough digits."""
    digits = 0 if value >= 0.1 or value <= 0 else 1
    # 99.7 of 100 must not be told as all of them.
    digits = 1 if 0.995 <= value < 0.9995 else digits
    return number(100 * value, digits)


def span(low: float, high: float) -> str:
    """An interval of shares, in percent without the sign."""
    return tr("%s to %s") % (number(100 * low, 1), number(100 * high, 1))


def counted(right: Counted) -> str:
    """How often something was right; a dash where nothing was tried."""
    return "–" if not right.n else share(right.share)


def ends(right: Counted) -> str:
    """The interval of how often something was right."""
    return "–" if not right.n else span(*right.interval)


def in_slices(slices: int | None) -> str:
    """What counts as a guessed number; nothing for values."""
    if slices is None:
        return ""
    return " " + tr(
        "A number counts as guessed when its slice of the scale, one of %s, is hit."
    ) % (number(slices))


class StepCurves(LevelPlot):
    """The steps stand side by side at equal distances, whatever their names."""

    is_bounded = True

    def __init__(self, themes: ThemeManager, name: str) -> None:
        super().__init__(themes, name)
        self._ticks: tuple[str, ...] = ()

    def show_curves(self, curves: Levels, ticks: tuple[str, ...], axis: str) -> None:
        """Show other curves; ``ticks`` are the names of their levels."""
        self._ticks, self.axis_words = ticks, axis
        self.show_levels(curves)

    def _title(self, level: float) -> str:
        return f"{self._tick(level)} {self.axis_words}"

    def _tick(self, level: float) -> str:
        levels = self._shown.levels
        return self._ticks[levels.index(level)] if level in levels else f"{level:g}"

    def rows(self) -> Rows:
        """The numbers as a table."""
        head = [self.axis_words, "", self.tr("share"), self.tr("half of the interval")]
        lines = [
            [
                self._tick(p.level),
                line.name,
                f"{p.mean:.6g}",
                f"{p.sd:.6g}" if math.isfinite(p.sd) else "",
            ]
            for line in self._shown.lines
            for p in line.points
        ]
        lines += [["", one.name, f"{one.value:.6g}", ""] for one in self._shown.references]
        return [head, *lines]

    def summary(self) -> str:
        """The picture in words, for screen readers."""
        return "; ".join(
            " ".join(for_people(part) for part in row[:3] if part) for row in self.rows()[1:]
        )


class AttackPicture(Card):
    """A title, the state of the work, and one of two pictures."""

    cancelled = Signal()
    action_requested = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=14)
        self.title = ElidedLabel("strong")
        self.updating = text(self.tr("updating"), "badge")
        self.cancel = Button(themes, self.tr("Cancel"), "close")
        self.cancel.setObjectName("cancelAttack")
        self.cancel.clicked.connect(self.cancelled)
        self._themes = themes
        self.legend = MarkLegend(themes)
        self.curves = StepCurves(themes, self.tr("Shares step by step"))
        self.curves.setObjectName("attackCurves")
        self.empty = EmptyState(themes, "shield", "", "", self.tr("Attack"))
        self.empty.button.setObjectName("attackAgain")
        self.empty.button.clicked.connect(self.action_requested)
        self.axis = text("", "captionHint")
        self.axis.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.stack = PageStack()
        for widget in (self.curves, self.empty):
            self.stack.addWidget(widget)
        head = row(self.title, self.updating, self.cancel, spacing=10)
        head.setStretch(0, 1)
        self.body.setSpacing(6)
        self.body.addLayout(head)
        self.body.addWidget(self.legend)
        self.body.addWidget(self.stack, 1)
        self.body.addWidget(self.axis)
        self.set_busy(False)

    @cached_property
    def marks(self) -> IntervalPlot:
        """The rows of marks; made when first needed, since they take long to make."""
        made = IntervalPlot(self._themes, self.tr("Shares by answer"))
        made.setObjectName("attackMarks")
        self.stack.addWidget(made)
        return made

    def show_result(self, shown: Shown) -> None:
        """Draw."""
        self.title.setText(shown.title)
        self.legend.show_entries(shown.legend)
        self.legend.setVisible(bool(shown.legend))
        self.axis.setText(shown.axis)
        self.axis.setVisible(bool(shown.rows))
        if shown.curves is not None:
            self.curves.show_curves(shown.curves, shown.ticks, shown.axis)
            self.stack.setCurrentWidget(self.curves)
        else:
            self.marks.show_rows(shown.rows, share, scale=100.0, unit="\u202f%")
            self.stack.setCurrentWidget(self.marks)

    def show_words(self, missing: str, advice: str, action: str = "") -> None:
        """Say why there is nothing to draw."""
        self.title.setText("")
        self.legend.hide()
        self.axis.hide()
        self.empty.heading.setText(missing)
        self.empty.advice.setText(advice)
        self.empty.button.setText(action)
        self.empty.button.setVisible(bool(action))
        self.stack.setCurrentWidget(self.empty)

    def set_busy(self, busy: bool) -> None:
        """Show that newer numbers are on their way, and how to stop them."""
        self.updating.setVisible(busy)
        self.cancel.setVisible(busy)


def show_filter(found: Filtering) -> Shown:
    """The picture of filtered noise."""
    names = {ALONE: tr("alone"), SPECTRAL: tr("spectral"), BAYES: tr("together")}
    looks = {ALONE: "series 4", SPECTRAL: "series 2", BAYES: "series 0"}
    whole, alone = found.removed[BAYES], found.removed[ALONE]
    sentence = tr(
        "Using %s attributes together, an attacker removes %s of the noise variance (interval %s); "
        "from each attribute alone it would be %s."
    ) % (
        number(len(found.attributes)),
        share(whole.value),
        span(*whole.interval),
        share(alone.value),
    )
    if found.kept == len(found.attributes):
        sentence += " " + tr(
            "The spectral filter sees more than noise in every direction and removes nothing."
        )
    else:
        sentence += " " + tr("The spectral filter keeps %s of %s directions and removes %s.") % (
            number(found.kept),
            number(len(found.attributes)),
            share(found.removed[SPECTRAL].value),
        )
    rows = [
        IntervalRow(
            name,
            tuple(
                Mark(looks[m], names[m], removed[m].value, *_drawn(removed[m], bold or m == BAYES))
                for m in METHODS
            ),
            caption,
            bold=bold,
        )
        for name, caption, removed, bold in (
            (tr("all together"), "", found.removed, True),
            *(
                (one.name, tr("noise σ %s") % significant(one.stated, 3), one.removed, False)
                for one in found.attributes[: MOST_ROWS - 1]
            ),
        )
    ]
    table = tuple(
        (one.name, *(significant(v, 3) for v in (one.stated, one.published, *_errors(one.rmse))))
        for one in found.attributes
    )
    knows = tr(
        "The attacker knows the design only. The table has the noise as stated and the root mean "
        "square error of the numbers as published and after filtering, over %s records."
    ) % number(found.records)
    return Shown(
        tr("Share of the noise variance that filtering removes"),
        tr("share of the noise variance removed"),
        sentence,
        knows,
        (tr("attribute"), tr("noise"), tr("published"), *(names[m] for m in METHODS)),
        table,
        tuple(rows),
        tuple((looks[m], names[m]) for m in METHODS),
    )


def _drawn(removed: Measured, whole: bool) -> tuple[float, float]:
    """The interval where it would not lie over others."""
    return removed.interval if whole else (math.nan, math.nan)


def _errors(rmse: dict[str, float]) -> tuple[float, ...]:
    return tuple(rmse[m] for m in METHODS)


def show_guess(found: BestGuess) -> Shown:
    """The picture of a best guess."""
    seen = in_slices(found.slices)
    low, high = found.right.interval
    drawn, stated, blind = (in_100(v) for v in (found.right.share, found.expected, found.blind))
    if found.expected - found.blind < 1e-9:
        sentence = tr(
            "One reported answer to “%s” never changes the best guess: it is right %s times in "
            "100 with it or without it (in this draw %s, interval %s)."
        ) % (found.name, stated, drawn, span(low, high))
    else:
        sentence = tr(
            "An attacker who sees one reported answer to “%s” guesses right %s times in 100 in "
            "this draw (interval %s), by the formula %s; without it, %s."
        ) % (found.name, drawn, span(low, high), stated, blind)
    everything = IntervalRow(
        tr("all answers"),
        _guess_marks(found.blind, found.expected, found.right),
        bold=True,
    )
    rows = [
        IntervalRow(
            one.reported or translate(one.guess),
            _guess_marks(one.before, one.expected, one.right),
            tr("guess: %s") % one.guess if one.reported else "",
        )
        for one in [one for one in found.guesses if one.right.n][: MOST_ROWS - 1]
    ]
    first = tr("guess") if found.slices else tr("reported → guess")
    table = [
        (
            translate(one.guess)
            if found.slices
            else f"{one.reported} → {_same(one.reported, one.guess)}",
            counted(one.right),
            ends(one.right),
            share(one.expected),
        )
        for one in found.guesses
    ]
    whole = (tr("all answers"), counted(found.right), ends(found.right), share(found.expected))
    return Shown(
        tr("How often the best guess is right: %s") % found.name,
        tr("share of right guesses"),
        sentence,
        tr("The attacker knows the design and how often every true answer occurs.") + seen,
        (first, tr("this draw"), tr("95\u202f% interval"), tr("formula")),
        (whole, *table),
        (everything, *rows),
        (
            ("series 4", tr("before the report")),
            ("series 2", tr("by the formula")),
            ("series 0", tr("in this draw, 95\u202f% interval")),
        ),
    )


def _same(reported: str, guess: str) -> str:
    return tr("the same") if reported == guess else guess


def _guess_marks(before: float, expected: float, right: Counted) -> tuple[Mark, ...]:
    marks = [
        Mark("series 4", tr("before the report"), before),
        Mark("series 2", tr("by the formula"), expected),
    ]
    if right.n:
        marks.append(Mark("series 0", tr("in this draw"), right.share, *right.interval))
    return tuple(marks)


def show_link(found: Linkage) -> Shown:
    """The picture of linked records."""
    last = found.steps[-1]
    sentence = tr(
        "By %s attributes, %s of %s people are the only ones with their answers. Published as they "
        "are, %s of 100 links would be right; distorted, %s of 100 (interval %s)."
    ) % (
        number(len(last.names)),
        number(last.unique_original),
        number(found.records),
        in_100(last.undistorted),
        in_100(last.linked.share),
        span(*last.linked.interval),
    )
    knows = tr(
        "The attacker knows the design and the true answers to these attributes with names, and "
        "links %s records to whom they fit best; a tie is decided by lot."
    ) % number(last.linked.n)
    levels = tuple(float(place) for place in range(1, len(found.steps) + 1))
    n = found.records
    curves = (
        ("unique", tr("only one, original"), "original",
         [(s.unique_original / n, math.nan) for s in found.steps]),
        ("unique distorted", tr("only one, distorted"), "distorted",
         [(s.unique_distorted / n, math.nan) for s in found.steps]),
        ("open", tr("right if undistorted"), "series 1",
         [(s.undistorted, math.nan) for s in found.steps]),
        ("linked", tr("right if distorted"), "series 0",
         [(s.linked.share, _half(s.linked)) for s in found.steps]),
    )  # fmt: skip
    lines = tuple(
        LevelLine(
            key, name, look, tuple(LevelPoint(x, *y) for x, y in zip(levels, points, strict=True))
        )
        for key, name, look, points in curves
    )
    table = tuple(
        (
            f"+ {step.names[-1]}",
            number(step.unique_original),
            number(step.unique_distorted),
            tr("%s (%s)") % (number(100 * step.linked.share, 1), ends(step.linked)),
            share(step.undistorted),
        )
        for step in found.steps
    )
    return Shown(
        tr("Rare combinations and right links by what the attacker knows"),
        tr("number of known attributes"),
        sentence,
        knows,
        (
            tr("known"),
            tr("only one"),
            tr("distorted"),
            tr("right links,\u202f%"),
            tr("if open"),
        ),
        table,
        curves=StepLevels(lines, (), levels),
        ticks=tuple(number(len(step.names)) for step in found.steps),
    )


def _half(right: Counted) -> float:
    low, high = right.interval
    return (high - low) / 2


def show_repeat(found: RepeatedQuestion) -> Shown:
    """The picture of a repeated question."""
    asking = found.asking
    values = [point.value for point in asking.fresh]
    # The first time at which little is left to hide, else the last.
    place = next((i for i, value in enumerate(values) if value >= 0.95), len(values) - 1)
    sentence = tr(
        "Asked %s times with fresh randomness each time, the best guess about “%s” is right %s "
        "times in 100. Who keeps the first reported answer and repeats it stays at %s; blind "
        "guessing reaches %s."
    ) % (
        number(asking.times[place]),
        found.name,
        in_100(values[place]),
        in_100(asking.memoised),
        in_100(asking.blind),
    )
    if math.isfinite(found.epsilon) and asking.times[place] > 1:
        sentence += " " + tr("Epsilon adds up: %s for one answer, %s for %s fresh ones.") % (
            significant(found.epsilon, 2),
            significant(found.epsilon * asking.times[place], 2),
            number(asking.times[place]),
        )
    simulated = any(point.error > 0 for point in asking.fresh)
    knows = tr(
        "The attacker knows the design, how often every true answer occurs, and who answers."
    )
    knows += in_slices(found.slices)
    if simulated:
        knows += " " + tr("Numbers with ± come from simulated people, the others from all counts.")
    levels = tuple(float(place) for place in range(len(asking.times)))
    fresh = tuple(
        LevelPoint(level, point.value, 1.96 * point.error if point.error > 0 else math.nan)
        for level, point in zip(levels, asking.fresh, strict=True)
    )
    kept = tuple(LevelPoint(level, asking.memoised) for level in levels)
    lines = (
        LevelLine("fresh", tr("fresh each time"), "series 0", fresh),
        LevelLine("kept", tr("kept answer"), "series 1", kept),
    )
    table = tuple(
        (number(m), _measured(point), share(asking.memoised), _epsilon(found.epsilon * m))
        for m, point in zip(asking.times, asking.fresh, strict=True)
    )
    return Shown(
        tr("Right guesses by the number of times asked: %s") % found.name,
        tr("times asked"),
        sentence,
        knows,
        (tr("times"), tr("fresh"), tr("kept"), tr("fresh epsilon")),
        table,
        curves=StepLevels(
            lines, (Reference(tr("blind guess"), asking.blind, dotted=True),), levels
        ),
        ticks=tuple(number(m) for m in asking.times),
    )


def _measured(point: Measured) -> str:
    if 0.9995 <= point.value < 1 - 1e-12:
        return tr("over %s") % share(0.999)
    if point.error <= 0:
        return share(point.value)
    return f"{number(100 * point.value, 1)} ± {share(1.96 * point.error)}"


def _epsilon(value: float) -> str:
    return significant(value, 2) if math.isfinite(value) else "∞"


Found = BestGuess | RepeatedQuestion | Filtering | Linkage


@dataclass(frozen=True, eq=False)
class Request:
    """An attack on a study: by ``name`` on one attribute, or by several ``names``."""

    key: str
    study: Study
    name: str = ""
    names: tuple[str, ...] = ()

    def is_as(self, other: Request | None) -> bool:
        """Whether another request asks for the same numbers."""
        if other is None or (self.key, self.name, self.names) != (
            other.key,
            other.name,
            other.names,
        ):
            return False
        mine, its = self.study, other.study
        same_seed = mine.settings.seed == its.settings.seed
        return mine.original is its.original and mine.design is its.design and same_seed


@dataclass(frozen=True, eq=False)
class Outcome:
    """What an attack found, or the sentence that says why it could not be carried out."""

    request: Request
    found: Found | None
    fault: str = ""


def carry_out(request: Request, answers: DistortedCache, progress: Progress) -> Outcome:
    """Attack the draw of the study, the same that every page shows."""
    try:
        return Outcome(request, _attack(request, answers, progress))
    except WorkbenchError as error:
        return Outcome(request, None, error.message)


def _attack(request: Request, answers: DistortedCache, progress: Progress) -> Found:
    study, name = request.study, request.name
    seen = answers.of(study, part(progress, 0.0, 0.5))
    assert seen.original is not None  # noqa: S101 (the lab asks only where it is there)
    rest, seed = part(progress, 0.5, 1.0), study.settings.seed
    if request.key == FILTER:
        return filter_noise(seen.original, seen.distorted, study.design, progress=rest)
    if request.key == LINK:
        return link_records(seen.original, seen.distorted, study.design, request.names, seed, rest)
    columns = seen.original[name], seen.distorted[name]
    if request.key == REPEAT:
        return repeated_question(*columns, designed_as(study, name), seed, rest)
    assert request.key == GUESS  # noqa: S101 (there are four)
    return best_guess(*columns, designed_as(study, name), rest)


def show(found: Found) -> Shown:
    """The picture of a result."""
    if isinstance(found, BestGuess):
        return show_guess(found)
    if isinstance(found, RepeatedQuestion):
        return show_repeat(found)
    if isinstance(found, Filtering):
        return show_filter(found)
    return show_link(found)


_SLOW = 200
"""Milliseconds after which it is said that numbers are on their way."""


class AttackLab(QWidget):
    """Follows the study while it is in front; every change of it is attacked anew."""

    view_chosen = Signal(str)

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.store = workbench.store
        self.attack = GUESS
        self.outcome: Outcome | None = None
        self._known: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._job: Job | None = None
        self._asked: Request | None = None
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(_SLOW)
        self._build()

    def _build(self) -> None:
        themes = self.workbench.themes
        self.switch = ViewSwitch(themes, ATTACK)
        self.switch.setObjectName("attackView")
        self.settings = AttackCard(themes)
        self.picture = AttackPicture(themes)
        self.answer = AnswerCard(themes)
        left = QWidget()
        left_layout = column(self.switch, scrolled(self.settings), parent=left, spacing=8)
        left_layout.setStretch(1, 1)
        self.columns = Splitter(Qt.Orientation.Horizontal)
        self.columns.setObjectName("attackColumns")
        self.columns.setHandleWidth(12)
        self.columns.setChildrenCollapsible(False)
        for place, widget in enumerate((left, self.picture, self.answer)):
            self.columns.addWidget(widget)
            self.columns.setStretchFactor(place, int(place == 1))
        self.left = left
        self._restyle()
        column(self.columns, parent=self)
        self._listen()

    def _listen(self) -> None:
        self.switch.chosen.connect(self.view_chosen)
        self.settings.attack_chosen.connect(self.choose)
        self.settings.attribute_chosen.connect(lambda name: self.store.select([name]))
        self.settings.known_ticked.connect(self._on_known)
        self.settings.help_requested.connect(self.workbench.help_requested)
        self.picture.cancelled.connect(self.cancel)
        self.picture.action_requested.connect(self.refresh)
        self._slow.timeout.connect(lambda: self.picture.set_busy(self._job is not None))
        self.workbench.themes.theme_changed.connect(self._restyle)

    def _restyle(self) -> None:
        px = self.workbench.themes.theme.px
        self.answer.setMinimumWidth(px(340))
        self.picture.setMinimumWidth(px(320))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the picture what room there is."""
        super().resizeEvent(event)
        px = self.workbench.themes.theme.px
        wide = self.width() >= px(1190)
        left, right = (264, 460 if self.width() >= px(1500) else 440) if wide else (0, 0)
        self.columns.setSizes([px(left), self.width(), px(right)])

    # What is attacked

    @property
    def known(self) -> tuple[str, ...]:
        """What the attacker knows for linkage, in the order of the questionnaire."""
        study = self.store.study
        names = linkable(study)
        return self._known.get(names, usual_links(study))

    def choose(self, key: str) -> None:
        """Choose another attack."""
        if key != self.attack and key in ATTACKS:
            self.attack = key
        self.refresh()

    def _on_known(self, name: str, on: bool) -> None:
        names = linkable(self.store.study)
        ticked = {*self.known, name} if on else set(self.known) - {name}
        self._known[names] = tuple(one for one in names if one in ticked)
        self.refresh()

    def refresh(self) -> None:
        """Attack what the study says now; what is known already is not done again."""
        study, name = self.store.study, self.store.current
        self._show_settings()
        reason = why_not(study, self.attack, name)
        if not reason and self.attack == LINK and not self.known:
            reason = self.tr("Tick at least one attribute that the attacker knows.")
        if reason:
            self._drop()
            self.picture.show_words(self.tr("This attack does not apply here."), reason)
            self.answer.show_nothing()
            return
        request = Request(
            self.attack,
            study,
            name or "" if self.attack in OF_ONE else "",
            self.known if self.attack == LINK else (),
        )
        if self.outcome is not None and request.is_as(self.outcome.request):
            self._drop_job()
            self._show(self.outcome)
        elif not (self._job is not None and request.is_as(self._asked)):
            self._start(request)

    def _show_settings(self) -> None:
        study, name = self.store.study, self.store.current
        designed = [(a.name, str(a.kind), a.label) for a in study.attributes]
        designed = [one for one in designed if one[0] in study.design]
        self.settings.attribute.offer(designed, name)
        self.settings.show_attacks(attacks_on(study, name), self.attack)
        self.settings.known.show_names(linkable(study), self.known)

    def _start(self, request: Request) -> None:
        answers = self.workbench.answers

        def work(progress: Progress) -> Outcome:
            return carry_out(request, answers, progress)

        # The old numbers stay until the new ones come, but not under another attack's name.
        if self.outcome is None or self.outcome.request.key != request.key:
            self.picture.show_words(self.tr("Attacking…"), "")
            self.answer.show_nothing()
        name = self.tr("Attacking %s") % (request.name or self._subject(request))
        job = self.workbench.run(name, work, self._on_done, key="attack lab")
        job.ended.connect(lambda: self._on_ended(job))
        self._job, self._asked = job, request
        self._slow.start()

    def _subject(self, request: Request) -> str:
        return self.tr("numbers") if request.key == FILTER else self.tr("by linkage")

    def cancel(self) -> None:
        """Stop the attack that is under way."""
        if self._job is not None:
            self._job.cancel()

    def forget(self) -> None:
        """Another study is shown."""
        self._known.clear()
        self._drop()

    def _drop(self) -> None:
        self._drop_job()
        self.outcome = None

    def _drop_job(self) -> None:
        if self._job is not None:
            self._job.disown()
        self._job = None
        self._idle()

    def _idle(self) -> None:
        self._slow.stop()
        self.picture.set_busy(False)

    # What came of it

    def _on_done(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self._show(outcome)

    def _on_ended(self, job: Job) -> None:
        if job is not self._job:
            return
        self._job = None
        self._idle()
        if self.outcome is None or self.outcome.request is not self._asked:
            self.outcome = None
            self.picture.show_words(
                self.tr("The attack was stopped."),
                self.tr("Nothing was changed."),
                self.tr("Attack again"),
            )
            self.answer.show_nothing()

    def _show(self, outcome: Outcome) -> None:
        if outcome.found is None:
            words = self.tr("This attack cannot be carried out.")
            self.picture.show_words(words, translate(outcome.fault))
            self.answer.show_nothing()
            return
        shown = show(outcome.found)
        self.picture.show_result(shown)
        self.answer.show_result(shown)
