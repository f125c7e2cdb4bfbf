"""How answers arrive: counts, days, the live estimate, and whether reports fit the design."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPaintEvent
from PySide6.QtWidgets import QHeaderView, QSizePolicy, QWidget

from ppworkbench.analyses.collecting import LiveEstimate, LiveTarget
from ppworkbench.analyses.monitoring import Monitoring, QuestionMonitor
from ppworkbench.gui.charts.collecting import DayChart, LiveChart
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import in_unit, number, percent, significant, trimmed
from ppworkbench.gui.theme import ThemeManager, set_fill, smooth_painter
from ppworkbench.gui.widgets.card import Card, MarkedLines
from ppworkbench.gui.widgets.cells import CellDelegate
from ppworkbench.gui.widgets.controls import Button, ChoiceBox
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import (
    column,
    named,
    row,
    show_words,
    text,
    vertical_line,
)
from ppworkbench.gui.widgets.table import TextModel, TextTable
from ppworkbench.study.language import translatable
from ppworkbench.study.study import Study

REASONS = {
    "answers": translatable("answers that the design cannot give"),
    "busy": translatable("database busy"),
    "closed": translatable("after closing"),
    "design": translatable("page of another design"),
    "host": translatable("under a name that is not this computer's"),
    "id": translatable("sent twice with other answers"),
    "often": translatable("too many at once"),
    "origin": translatable("from a foreign page"),
    "paused": translatable("during a pause"),
    "size": translatable("too large"),
    "slow": translatable("not complete in time"),
    "token": translatable("token unknown or used"),
    "type": translatable("no answer at all"),
}
"""Why the collector refuses a request, by its own names."""


def refused_words(refused: Sequence[tuple[str, int]]) -> str:
    """What was refused and why, in one line."""
    return "; ".join(
        f"{number(count)} {tr(REASONS[reason]) if reason in REASONS else reason}"
        for reason, count in refused
    )


class StateChip(QWidget):
    """A dot and a word: open, paused, not running or closed."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._state, self._words = "", ""
        self.setObjectName("collectState")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.updateGeometry)

    def show_state(self, state: str, words: str) -> None:
        """Show another state."""
        self._state, self._words = state, words
        self.setAccessibleName(words)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        theme = self._themes.theme
        width = QFontMetrics(theme.font("body", "semibold")).horizontalAdvance(self._words)
        return QSize(width + theme.px(40), theme.px(26))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw a tinted pill; the word says what the colour says."""
        theme = self._themes.theme
        painter = smooth_painter(self)
        waits = self._state in ("paused", "stopped")
        ink = "warningText" if waits else {"open": "good"}.get(self._state, "text2")
        ground = "warningBg" if waits else "sunken"
        box = QRectF(self.rect())
        set_fill(painter, theme.colour(ground))
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        set_fill(painter, theme.colour(ink))
        radius = theme.px(4.5)
        painter.drawEllipse(QRectF(theme.px(11), box.center().y() - radius, 2 * radius, 2 * radius))
        painter.setPen(theme.colour(ink))
        painter.setFont(theme.font("body", "semibold"))
        left = theme.px(26)
        painter.drawText(box.adjusted(left, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self._words)


class StatusStrip(Card):
    """One line: state, answers and how many are needed, true answers stored, refused."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=12)
        self._is_narrow = False
        self.setObjectName("collectStatus")
        self.chip = StateChip(themes)
        self.count = named(text("", "number"), "collectCount")
        self.count_words = text("", "secondary")
        zero = text("0", "number")
        self.refused = named(text("", "number"), "collectRefused")
        self.refused_words = text("", "secondary")
        self.total = named(text("", "secondary"), "collectTotal")
        self.note = named(
            text(tr("No address and no order of arrival is kept, only days."), "hint", wrap=True),
            "collectNote",
        )
        self.note.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.take_over = named(Button(themes, tr("Take over the answers"), "import"), "takeOver")
        self.closing = named(Button(themes, tr("Closing time…"), look="link"), "changeClosing")
        self._closing_parts = [vertical_line(), self.closing]
        self._refused_parts = [vertical_line(), self.refused, self.refused_words]
        layout = row(
            self.chip, 4, self.count, self.count_words, self.total,
            vertical_line(), zero, text(tr("true answers stored"), "secondary"),
            *self._refused_parts, *self._closing_parts, self.note, None, self.take_over,
            spacing=8,
        )  # fmt: skip
        # It takes a second line where one is not enough; nothing stretches beside it.
        layout.setStretchFactor(self.note, 1000)
        self.body.addLayout(layout)

    def set_narrow(self, is_narrow: bool) -> None:
        """Leave out what is also said elsewhere."""
        self._is_narrow = is_narrow
        self._show_total()

    def _show_total(self) -> None:
        self.total.setVisible(bool(self.total.text()) and not self._is_narrow)
        self.note.setVisible(not self._is_narrow)

    def show_closing(self, words: str, *, is_open: bool) -> None:
        """Say when the collection closes; a press changes it."""
        self.closing.setText(words or tr("Closing time…"))
        for part in self._closing_parts:
            part.setVisible(is_open)

    def show_collection(
        self, state: str, shown: int, found: Monitoring | None, round_: int
    ) -> None:
        """Show how things stand."""
        words = {
            "open": tr("Open", "collection"),
            "paused": tr("Paused"),
            "stopped": tr("Not running"),
            "closed": tr("Closed", "collection"),
        }.get(state, "")
        if round_ > 1:
            words = tr("%s, round %s") % (words, number(round_))
        self.chip.show_state(state, words)
        self.count.setText(number(shown))
        self.count_words.setText(tr("answer") if shown == 1 else tr("answers"))
        refused = () if found is None else found.refused
        count = sum(one for _, one in refused)
        self.refused.setText(number(count))
        self.refused_words.setText(tr("refused"))
        for part in self._refused_parts:
            part.setVisible(count > 0)
            part.setToolTip(refused_words(refused))
        self.refused.setAccessibleDescription(refused_words(refused))
        total = None if found is None else found.needed.total
        is_known = total is not None and total != float("inf")
        self.total.setText(tr("of %s needed") % number(total) if is_known and total else "")
        self.total.setToolTip(translate(found.needed.sentence()) if found and is_known else "")
        self._show_total()


class DaysCard(Card):
    """Answers per day, and when the needed total is reached at this pace."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(tr("Answers per day"))
        self.setObjectName("daysCard")
        self.pace = named(text("", "hint"), "daysPace")
        self.head.addWidget(self.pace)
        self.chart = DayChart(themes)
        self.add(self.chart, 1)

    def show_monitoring(self, found: Monitoring | None, *, is_open: bool) -> None:
        """Show other days; only an open collection has a pace."""
        days = () if found is None else found.days
        self.chart.show_days(days)
        left = None if found is None or not is_open else found.days_to_go
        words = ""
        if left:
            words = (
                tr("1 day more at this pace")
                if left == 1
                else tr("%s days more at this pace") % number(left)
            )
        elif left == 0:
            words = tr("enough answers")
        self.pace.setText(words)


class EstimateCard(Card):
    """The estimate as answers arrive, in steps, with its interval and what is expected."""

    target_chosen = Signal(object)
    """A :class:`LiveTarget`."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=12)
        self.setObjectName("liveEstimate")
        self._targets: tuple[LiveTarget, ...] = ()
        self.heading = ElidedLabel("strong", "", hugs=True)
        self.live = text(tr("live"), "badge")
        self.choice = named(ChoiceBox(tr("Question to estimate"), []), "liveTarget")
        self.choice.chosen.connect(self._on_chosen)
        self.number = named(text("", "display"), "liveNumber")
        self.half = named(text("", "strong"), "liveHalf")
        self.interval = named(text("", "hint"), "liveInterval")
        self.goal = named(text("", "secondary", wrap=True), "liveGoal")
        self.goal.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.tiny = named(text("", "warning", wrap=True), "liveTiny")
        self.chart = named(LiveChart(themes), "liveChart")
        self.state = named(text("", "captionHint"), "liveState")
        head = row(self.heading, self.live, None, self.choice, spacing=8)
        beside = column(self.half, self.interval, spacing=0)
        numbers = row(self.number, beside, self.goal, spacing=10)
        numbers.setStretch(2, 1)
        self.body.addLayout(head)
        self.body.addWidget(self.tiny)
        self.body.addLayout(numbers)
        self.add(self.chart, 1)
        self.add(self.state)

    @property
    def target(self) -> LiveTarget | None:
        """What is chosen."""
        key = self.choice.current
        return next((one for one in self._targets if _key(one) == key), None)

    def offer(self, study: Study, targets: Sequence[LiveTarget]) -> None:
        """Offer what can be watched; the first is chosen to begin with."""
        if tuple(targets) == self._targets:
            return
        before = self.choice.current
        self._targets = tuple(targets)
        if not targets:
            return
        self.choice.set_choices([(_key(one), _label(study, one)) for one in targets])
        if before in self.choice.keys:
            self.choice.set_current(before)

    def _on_chosen(self, _: str) -> None:
        self.target_chosen.emit(self.target)

    def show_estimate(
        self, study: Study, found: LiveEstimate | None, *, is_open: bool, is_live: bool
    ) -> None:
        """Show another step."""
        now = None if found is None else found.now
        target = self.target
        self.heading.setText("" if target is None else study.shown(target.name))
        self.live.setVisible(is_live)
        self.state.setText(
            tr("reported answers, corrected by the design; moves in steps of 10 answers")
            if is_open
            else tr("reported answers, corrected by the design")
        )
        if found is None or now is None:
            self.number.setText("–")
            self.half.setText("")
            self.interval.setText("")
            self.goal.setText("")
            why = translate(found.why) if found is not None and found.why is not None else ""
            show_words(self.tiny, why or tr("The estimate begins with 10 answers."))
            self.chart.show_estimate(None, "")
            return
        is_share = bool(found.target.values)
        unit = study.unit(found.target.name)

        def said(value: float) -> str:
            return percent(value, 1) if is_share else in_unit(significant(value), unit)

        self.number.setText(said(now.estimate))
        half = (
            tr("± %s points") % number(100 * now.half_width, 1)
            if is_share
            else tr("± %s") % in_unit(significant(now.half_width), unit)
        )
        self.half.setText(half)
        self.interval.setText(tr("95 % interval {0} to {1}").format(said(now.low), said(now.high)))
        wanted = (
            tr("± %s points") % trimmed(100 * found.wanted, 1)
            if is_share
            else tr("± %s") % in_unit(significant(found.wanted), unit)
        )
        if found.needed is None:
            self.goal.setText("")
        elif found.needed <= now.answers:
            self.goal.setText(tr("%s is reached") % wanted)
        else:
            self.goal.setText(tr("%s at about %s answers") % (wanted, number(found.needed)))
        few = tr("Only %s answers: too few for a usable estimate.") % number(now.answers)
        show_words(self.tiny, few if found.is_tiny else "")
        self.chart.show_estimate(found, wanted)


def _key(target: LiveTarget) -> str:
    return "\0".join((target.name, *target.values))


def _label(study: Study, target: LiveTarget) -> str:
    shown = study.shown(target.name)
    if not target.values:
        return tr("%s: mean") % shown
    return f"{shown}: {', '.join(f'“{value}”' for value in target.values)}"


_INDENT = "\u2003"


class MonitoringCard(Card):
    """Reported shares beside what the design would give, skips, refusals, and what is odd."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(tr("Reported answers"), tr("beside what the design would give"))
        self.setObjectName("monitoringCard")
        self.lines = MarkedLines(themes, 4)
        self.model = TextModel(themes, parent=self)
        self.table = TextTable(themes, "monitoringTable", tr("Reported answers"))
        self.table.setModel(self.model)
        self._delegate = CellDelegate(themes, self.model, pad=TextTable.PAD)
        self.table.setItemDelegate(self._delegate)
        self.body.addLayout(self.lines)
        self.add(self.table, 1)

    def show_monitoring(self, study: Study, found: Monitoring | None) -> None:
        rows: list[tuple[str, ...]] = []
        for one in () if found is None else found.questions:
            rows += _rows(study, one)
        heads = (tr("Question"), tr("Reported"), tr("Expected"), tr("Skipped"))
        self.model.show_rows(heads, rows)
        head = self.table.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        lines = [("doubt", translate(study.titled(one))) for one in found.lines] if found else []
        if found is not None and found.refused:
            lines.append(("info", tr("Refused: %s.") % refused_words(found.refused)))
        if found is not None and not lines and found.questions:
            lines.append(("good", tr("The reported answers fit the design.")))
        self.lines.show_lines(lines)


def _rows(study: Study, one: QuestionMonitor) -> list[tuple[str, ...]]:
    """The question and its skips, then a row for each answer, so that no name is cut."""
    skipped = f"{number(one.skips)} ({percent(one.skipped)})" if one.skips else "0"
    rows: list[tuple[str, ...]] = [(study.shown(one.name), "", "", skipped)]
    for share in one.shares:
        value = share.value
        if share.low is not None and share.high is not None:
            value = tr("%s to %s") % (significant(share.low), significant(share.high))
        expected = "–" if share.expected is None else percent(share.expected, 1)
        rows.append((_INDENT + value, percent(share.share, 1), expected, ""))
    return rows
