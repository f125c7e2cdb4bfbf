"""What an attacker learns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.attack import (
    AttackOutcome,
    AttackRequest,
    linked_names,
    run_attack,
    usual_links,
)
from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.core.attacks import attacks
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.charts.chart_export import Rows
from ppworkbench.gui.charts.intervals import IntervalPlot
from ppworkbench.gui.charts.legend import PictureLegend
from ppworkbench.gui.charts.levels import LevelPlot, Levels
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import for_people
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.explore.attack_result import AttackView, build_view, share
from ppworkbench.gui.pages.explore.attack_settings import (
    MEMBERS,
    AttackCard,
    attacks_on,
    why_not,
)
from ppworkbench.gui.pages.explore.loss_table import StaticTable
from ppworkbench.gui.pages.explore.members_card import LikelyMembers
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.attribute_box import offer_attributes
from ppworkbench.gui.widgets.card import Card, EmptyReason, EmptyState
from ppworkbench.gui.widgets.controls import Button, IconLabel, Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import PageStack, column, named, row, scrolled, text
from ppworkbench.gui.widgets.splitter import Splitter
from ppworkbench.gui.widgets.table import TextModel
from ppworkbench.gui.workbench import Workbench

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


_EDGE, _PAD = 12, 5
"""From the card's edge to its text, and from a cell's; text of both stands in one line."""
_LEAST = 78
"""The least width of the words before the numbers."""


class AnswerCard(Card):
    """Says what happened before it shows numbers."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self.sentence = named(text("", "body", wrap=True), "attackSentence")
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.knows = named(text("", "captionHint", wrap=True), "attackKnows")
        self.model = TextModel(themes, parent=self)
        self._heads: Sequence[str] = ()
        self._rows: Sequence[Sequence[str]] = ()
        self.table = StaticTable("attackTable", self.tr("Attack table"))
        self.table.setModel(self.model)
        self.table.setTextElideMode(Qt.TextElideMode.ElideRight)
        # A long name takes a second line: nobody guesses what stands behind dots.
        self.table.setWordWrap(True)
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

    def show_result(self, shown: AttackView) -> None:
        """Show a sentence and its numbers."""
        self.sentence.setText(shown.sentence)
        self.knows.setText(shown.knows)
        self._heads, self._rows = shown.heads, shown.table
        self.model.show_rows(self._heads, self._rows)
        self._resize()

    def show_nothing(self) -> None:
        self.sentence.setText(self.tr("No attack yet."))
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
        self.table.verticalHeader().setMinimumSectionSize(theme.px(26))
        self._resize()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._resize()

    def _resize(self) -> None:
        """As wide as the numbers need; headings and intervals take two lines before it scrolls."""
        if not self.model.columnCount():
            return
        least = self._themes.theme.px(_LEAST)
        room = self._room_of(self._heads, self._rows)
        if room < least:
            room = self._room_of(
                [head.replace(" ", "\n", 1) for head in self._heads],
                [[cell.replace(" (", "\n(") for cell in cells] for cells in self._rows],
            )
        # Qt measures the lines of a cell without the padding of the sheet.
        self.table.setColumnWidth(0, max(room, least) - 2 * (_PAD - 3))
        self.table.resizeRowsToContents()
        self.table.setColumnWidth(0, max(room, least))

    def _room_of(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
        """The width that such headings and numbers leave to the first column."""
        if list(heads) != [column.title for column in self.model.columns]:
            self.model.show_rows(heads, rows)
        # Not what Qt asks for: it keeps room for a sign of the order beside every heading.
        metrics = QFontMetrics(self._themes.theme.font("caption", "semibold"))
        for section, head in enumerate(heads):
            words = max(metrics.horizontalAdvance(line) for line in head.split("\n"))
            needed = max(self.table.sizeHintForColumn(section), words + 2 * _PAD)
            self.table.setColumnWidth(section, needed)
        rest = sum(self.table.columnWidth(section) for section in range(1, len(heads)))
        bar = self.table.verticalScrollBar()
        room = self.width() - 2 * (_EDGE - _PAD) - 4 - rest
        return room - (bar.width() if bar.isVisible() else 0)


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
        head = [self.axis_words, "", self.tr("share"), self.tr("half-width of the interval")]
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
        return "; ".join(
            " ".join(for_people(part) for part in row[:3] if part) for row in self.rows()[1:]
        )


class AttackPicture(Card):
    """A title, the state of the work, and one of two pictures."""

    cancelled = Signal()
    action_requested = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=14)
        self.title = ElidedLabel("strong", lines=2)
        self.updating = text(self.tr("updating"), "badge")
        self.cancel = named(Button(themes, self.tr("Cancel"), "close"), "cancelAttack")
        self.cancel.clicked.connect(self.cancelled)
        self._themes = themes
        self.legend = PictureLegend(themes)
        self.curves = named(StepCurves(themes, self.tr("Shares by iteration")), "attackCurves")
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
        made = named(IntervalPlot(self._themes, self.tr("Shares by answer")), "attackMarks")
        self.stack.addWidget(made)
        return made

    def show_result(self, shown: AttackView) -> None:
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
            self.marks.show_rows(shown.rows, share, is_share=True)
            self.stack.setCurrentWidget(self.marks)

    def show_empty(self, reason: EmptyReason) -> None:
        """Say why there is nothing to draw."""
        self.title.setText("")
        self.legend.hide()
        self.axis.hide()
        self.empty.show_reason(reason)
        self.stack.setCurrentWidget(self.empty)

    def set_busy(self, busy: bool) -> None:
        """Show that newer numbers are on their way, and how to stop them."""
        self.updating.setVisible(busy)
        self.cancel.setVisible(busy)


_SLOW = 200
"""Milliseconds after which it is said that numbers are on their way."""


class AttackLab(QWidget):
    """Follows the study while it is in front; every change of it is attacked anew."""

    view_chosen = Signal(str)

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.store = workbench.store
        self.attack = attacks.ranked[0].name
        self.outcome: AttackOutcome | None = None
        self.members: LikelyMembers | None = None
        """The list of likely members; made when it is first asked for."""
        self._known: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._task: PageTask[AttackOutcome] = PageTask(workbench, "attack lab", self)
        self._asked: AttackRequest | None = None
        self._slow = single_shot(self, milliseconds=_SLOW)
        self._build()

    def _build(self) -> None:
        themes = self.workbench.themes
        self.switch = named(ViewSwitch(themes, ATTACK), "attackView")
        self.settings = AttackCard(themes)
        self.picture = AttackPicture(themes)
        self.answer = AnswerCard(themes)
        left = QWidget()
        left_layout = column(self.switch, scrolled(self.settings), parent=left, spacing=8)
        left_layout.setStretch(1, 1)
        self.columns = named(Splitter(Qt.Orientation.Horizontal), "attackColumns")
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
        self.picture.cancelled.connect(self._task.cancel)
        self.picture.action_requested.connect(self.refresh)
        self._slow.timeout.connect(lambda: self.picture.set_busy(self._task.is_running))
        self._task.finished.connect(self._on_done)
        self._task.failed.connect(self._on_stopped)
        self._task.stopped.connect(self._on_stopped)
        self._task.changed.connect(self._on_busy)
        self.workbench.themes.theme_changed.connect(self._restyle)

    def _restyle(self) -> None:
        px = self.workbench.themes.theme.px
        self.answer.setMinimumWidth(px(340))
        self.picture.setMinimumWidth(px(320))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        px = self.workbench.themes.theme.px
        wide = self.width() >= px(1190)
        left, right = (264, 460 if self.width() >= px(1500) else 440) if wide else (0, 0)
        self.columns.setSizes([px(left), self.width(), px(right), self.width()])

    # What is attacked

    @property
    def listed(self) -> SurveyResult | None:
        """The list of likely members that is shown."""
        is_shown = self.attack == MEMBERS and self.members is not None
        return self.members.answer if is_shown and self.members is not None else None

    @property
    def known(self) -> tuple[str, ...]:
        """What the attacker knows for linkage, in the order of the questionnaire."""
        study = self.store.study
        names = linked_names(study)
        return self._known.get(names, usual_links(study))

    @known.setter
    def known(self, known: tuple[str, ...]) -> None:
        self._known[linked_names(self.store.study)] = known

    def choose(self, key: str) -> None:
        """Choose another attack."""
        if key == MEMBERS or key in attacks:
            self.attack = key
        self.refresh()

    def _on_known(self, name: str, on: bool) -> None:
        names = linked_names(self.store.study)
        ticked = {*self.known, name} if on else set(self.known) - {name}
        self.known = tuple(one for one in names if one in ticked)
        self.refresh()

    def refresh(self) -> None:
        """Attack what the study says now; what is known already is not done again."""
        study, name = self.store.study, self.store.current
        self._show_settings()
        if self._show_members():
            return
        reason = why_not(study, self.attack, name)
        if not reason and attacks[self.attack].takes_known and not self.known:
            reason = self.tr("Select at least 1 known attribute.")
        if reason:
            self._drop()
            missing = self.tr("This attack does not apply here.")
            self.picture.show_empty(EmptyReason(missing, reason))
            self.answer.show_nothing()
            return
        request = AttackRequest(
            self.attack,
            study,
            name or "" if attacks[self.attack].takes_attribute else "",
            self.known if attacks[self.attack].takes_known else (),
        )
        if self.outcome is not None and request.is_as(self.outcome.request):
            self._task.drop()
            self._show(self.outcome)
        elif not (self._task.is_running and request.is_as(self._asked)):
            self._start(request)

    def _show_members(self) -> bool:
        """Whether the list of likely members takes the place of the numbers; it is shown then."""
        is_listed = self.attack == MEMBERS
        if is_listed and self.members is None:
            self.members = LikelyMembers(self.workbench)
            self.columns.addWidget(self.members)
            self.columns.setStretchFactor(self.columns.count() - 1, 1)
        for part in (self.picture, self.answer):
            part.setVisible(not is_listed)
        if self.members is not None:
            self.members.setVisible(is_listed)
        if is_listed and self.members is not None:
            self._drop()
            self.members.refresh()
        return is_listed

    def _show_settings(self) -> None:
        study, name = self.store.study, self.store.current
        names = [a.name for a in study.attributes if a.name in study.design]
        self.settings.attribute.offer(offer_attributes(study, names), name)
        self.settings.show_attacks(attacks_on(study, name), self.attack)
        self.settings.known.show_attributes(
            offer_attributes(study, linked_names(study)), self.known
        )

    def _start(self, request: AttackRequest) -> None:
        answers = self.workbench.answers
        # The old numbers stay until the new ones come, but not under another attack's name.
        if self.outcome is None or self.outcome.request.key != request.key:
            self.picture.show_empty(EmptyReason(self.tr("Attacking…")))
            self.answer.show_nothing()
        target = translate(attacks[request.key].target)
        shown = request.study.shown(request.name) if request.name else target
        name = self.tr("Attacking %s") % shown
        self._asked = request
        self._task.start(name, lambda progress: run_attack(request, answers, progress))

    def forget(self) -> None:
        """Another study is shown."""
        self._known.clear()
        self._drop()
        if self.members is not None:
            self.members.forget()

    def _drop(self) -> None:
        self._task.drop()
        self.outcome = None

    # What came of it

    def _on_busy(self) -> None:
        if self._task.is_running:
            self._slow.start()
        else:
            self._slow.stop()
            self.picture.set_busy(False)

    def _on_done(self, outcome: AttackOutcome) -> None:
        self.outcome = outcome
        self._show(outcome)

    def _on_stopped(self) -> None:
        self.outcome = None
        self.picture.show_empty(
            EmptyReason(
                self.tr("The attack was cancelled."),
                self.tr("Nothing was changed."),
                self.tr("Attack again"),
            )
        )
        self.answer.show_nothing()

    def _show(self, outcome: AttackOutcome) -> None:
        if outcome.found is None:
            words = self.tr("This attack is not possible.")
            why = translate(outcome.request.study.titled(outcome.fault))
            self.picture.show_empty(EmptyReason(words, why))
            self.answer.show_nothing()
            return
        shown = build_view(outcome.found, outcome.request.study.shown)
        self.picture.show_result(shown)
        self.answer.show_result(shown)
