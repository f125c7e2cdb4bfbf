"""Information loss, method by method, and draws that are repeated while the page goes on."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from ppworkbench.analyses.experiments.draws import ExploredColumn
from ppworkbench.analyses.experiments.iterations import CONVERGED, FIXED, PUBLISHED, RULES
from ppworkbench.analyses.experiments.repeats import DRAWS, Losses, PartialResult, repeat
from ppworkbench.analyses.experiments.runs import Result
from ppworkbench.core.message import Message
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.explore.result_cards import SpreadCard
from ppworkbench.gui.pages.explore.view import (
    PageSettings,
    ResultView,
    iteration_words,
    rule_words,
    title_of,
    why_no_loss,
)
from ppworkbench.gui.scripts import ScriptButton
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.layout import show_words, text
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable
from ppworkbench.gui.workbench import Workbench
from ppworkbench.results.sheet import Column, Kind, Sheet

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis
    from ppworkbench.study.study import Study


_SAME = 5e-4
"""Losses that differ by less are equal in what is printed."""


@dataclass(frozen=True)
class Key:
    """An algorithm and a stop rule; an empty rule where nothing is iterated."""

    method: str
    rule: str


def keys_of(view: ResultView) -> list[Key]:
    """The algorithm in focus with every rule, the chosen one first; others with the chosen one."""
    runs, rule, found = view.result.runs, view.rule, []
    names = [view.focus, *view.others] if view.focus in runs else view.others
    for name in names:
        if not runs[name].iterates:
            found.append(Key(name, ""))
        elif name == view.focus:
            rest = [other for other in RULES if other != rule]
            found += [Key(name, one) for one in (rule, *rest)]
        else:
            found.append(Key(name, rule))
    return found


def loss_sheet(view: ResultView, tally: PartialResult | None) -> Sheet:
    """What every algorithm lost in this draw, and in all draws where there are others."""
    titles, words, losses, draws = [], [], [], []
    for key in keys_of(view):
        run, title = view.result.runs[key.method], title_of(key.method)
        at = run.stop(key.rule or CONVERGED, view.fixed)
        titles.append(f"{title}, {rule_words(key.rule)}" if key.rule else title)
        words.append(iteration_words(run, key.rule, at))
        losses.append(run.trace.loss_at(at))
        loss = np.array([]) if tally is None else tally.of(key.method, key.rule)
        draws.append(Losses(title, key.rule, loss))
    means = [one.mean for one in draws]
    best = _best(means if means and None not in means else losses)
    columns = [
        Column("algorithm", Message(tr("Algorithm, stop")), Kind.TEXT, titles, note="iterations",
               best=best),
        Column("iterations", Message(tr("Iterations")), Kind.TEXT, words),
        Column("loss", Message(tr("this draw")), Kind.NUMBER, losses, decimals=3, best=best),
    ]  # fmt: skip
    if any(mean is not None for mean in means):
        count = max(len(one.loss) for one in draws)
        columns += [
            Column("mean", Message(tr("%s draws") % number(count)), Kind.NUMBER, means, decimals=3,
                   spread="sd", best=best),
            Column("sd", Message(tr("standard deviation")), Kind.NUMBER,
                   [one.deviation for one in draws], decimals=3),
        ]  # fmt: skip
    return Sheet("losses", Message(tr("Information loss by algorithm")), tuple(columns))


def _best(measured: list[float | None]) -> frozenset[int]:
    known = [value for value in measured if value is not None]
    if len(known) < 2:
        return frozenset()
    least = min(known) + _SAME
    return frozenset(i for i, v in enumerate(measured) if v is not None and v <= least)


def losses_of(view: ResultView, tally: PartialResult) -> tuple[Losses, ...]:
    """The losses of all draws, by algorithm and rule in few words."""
    found = []
    short = {PUBLISHED: tr("publ."), CONVERGED: tr("conv.")}
    for key in keys_of(view):
        name = tr("EM acc.") if key.method == "accelerated" else title_of(key.method)
        rule = (short.get(key.rule) or rule_words(key.rule)) if key.rule else ""
        found.append(Losses(f"{name} {rule}".strip(), "", tally.of(key.method, key.rule)))
    return tuple(one for one in found if len(one.loss))


class LossCard(Card):
    """Smaller is better; the truth is known, else nothing could be said."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self.head.setContentsMargins(14, 11, 14, 3)
        self.head.addWidget(text(self.tr("Information loss by algorithm"), "strong"))
        self.head.addStretch(1)
        self.tag = text("", "accentBadge", hidden=True)
        self.head.addWidget(self.tag)
        self.body.addLayout(self.head)
        self.body.setContentsMargins(1, 1, 1, 7)
        self.table = SheetTable(
            themes, "losses", self.tr("Information loss by algorithm"), spare=("loss",),
            chooses=False, hugs=5, pad=4, sorts=False,
        )  # fmt: skip
        self.body.addWidget(self.table, 1)
        self.note = text("", "captionHint", wrap=True)
        self.note.setContentsMargins(14, 2, 14, 10)
        self.body.addWidget(self.note)

    def show_sheet(self, sheet: Sheet, *, stale: bool, tag: str, note: str) -> None:
        self.table.set_sheet(sheet, RowLooks(is_stale=stale))
        show_words(self.tag, tag)
        show_words(self.note, note)


_DRAWN_EVERY = 0.25
"""Seconds between two pictures of draws while they are repeated."""


class RepeatedDraws(QObject):
    """One repetition at a time; what was found stays with its attribute, and is shown on cards."""

    progressed = Signal()
    """There is more to be shown."""
    changed = Signal()
    """It began or is over."""

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.found: dict[str, PartialResult] = {}
        """The repeated draws, by attribute; one thread adds to them while they are repeated."""
        self.running: PartialResult | None = None
        self._shown_at, self._counted = 0.0, 0
        self._view: ResultView | None = None
        self.losses = LossCard(workbench.themes)
        self.spread = SpreadCard(workbench.themes)
        self.script = ScriptButton(workbench, self._analysis, short=True)
        self._offer_script(is_there=False)
        self.spread.top.addWidget(self.script)
        self.task: PageTask[PartialResult] = PageTask(workbench, "explore repeats", self)
        self.task.progressed.connect(self._on_progressed)
        self.task.finished.connect(self._set_name)
        self.task.failed.connect(self._on_stopped)
        self.task.stopped.connect(self._on_stopped)
        self.task.changed.connect(self._on_changed)

    def repeat(self, result: Result | None, settings: PageSettings) -> None:
        """Take a hundred draws like that of a result; the partial result fills up meanwhile."""
        if result is None or self.task.is_running:
            return
        draw, fixed = result.draw, settings.fixed
        methods = settings.ticked[draw.explored.cells]
        found = PartialResult(draw.explored, DRAWS, fixed)
        self.found[draw.explored.name] = self.running = found
        self._counted = 0
        self.task.start(self._name, lambda progress: repeat(draw, methods, fixed, found, progress))

    def end_other(self, explored: ExploredColumn) -> None:
        """Stop where the same attribute is distorted in another way now."""
        repeated = None if self.running is None else self.running.explored
        if repeated is not None and repeated.name == explored.name and repeated != explored:
            self.end()

    def end(self) -> None:
        """Stop; what was found so far stays."""
        if self.task.is_running:
            self._set_name()
            self.task.drop()

    def forget(self) -> None:
        self.end()
        self.found.clear()

    def of(self, view: ResultView | None) -> tuple[PartialResult | None, bool]:
        """The repeated draws of the attribute, and whether something has changed since."""
        if view is None:
            return None, False
        explored = view.result.draw.explored
        found = self.found.get(explored.name)
        if found is None or found.explored.column is not explored.column:
            return None, False
        is_other = view.rule == FIXED and found.fixed != view.fixed
        return found, is_other or found.explored != explored

    def show_view(self, view: ResultView | None) -> None:
        """Bring the table of losses and their spread up to date."""
        self._view = view
        if view is None:
            return
        found, stale = self.of(view)
        draws = DRAWS if found is None or not found.done else found.done
        is_partial = found is not None and found is self.running
        tag = self.tr("partial") if is_partial else ""
        why = why_no_loss(self._workbench.store.study)
        note = why or (self.tr("The draws are older than the last change.") if stale else "")
        self.losses.show_sheet(loss_sheet(view, found), stale=stale, tag=tag, note=note)
        shown = () if found is None else losses_of(view, found)
        self._offer_script(is_there=bool(shown) and self._analysis() is not None)
        if shown:
            self.spread.show_losses(shown, draws, stale=stale)
            return
        words = self.tr("One draw can mislead. “Repeat %s ×” shows the average loss.")
        words = self.tr("Computing the first draws…") if is_partial else words % number(DRAWS)
        self.spread.show_words(words if is_partial else why or words, DRAWS)

    def _offer_script(self, *, is_there: bool) -> None:
        self.script.setEnabled(is_there)
        self.script.setVisible(is_there)

    def _analysis(self) -> tuple[Analysis, Study] | None:
        """The draws on the page as a call of the Python interface."""
        from ppworkbench.outputs.scripts.results import repeats_analysis

        found, stale = self.of(self._view)
        if found is None or stale or not found.done or found is self.running:
            return None
        return repeats_analysis(self._workbench.store.study, found), self._workbench.store.study

    @property
    def _name(self) -> str:
        found = self.running
        return (
            "" if found is None else (self.tr("Repeating, %s of %s") % (found.done, found.wanted))
        )

    def _set_name(self) -> None:
        found = self.running
        if found is not None:
            shown = self._workbench.store.study.shown(found.explored.name)
            self.task.set_name(self.tr("Repeated %s × for %s") % (found.done, shown))

    def _on_progressed(self) -> None:
        found = self.running
        if found is None or found.done == self._counted:
            return
        self._counted = found.done
        self.task.set_name(self._name)
        # Reports come far more often than a picture can be drawn, and somebody may want to do
        # something else meanwhile.
        now = time.monotonic()
        if now - self._shown_at >= _DRAWN_EVERY:
            self._shown_at = now
            self.progressed.emit()

    def _on_stopped(self) -> None:
        self._set_name()
        found = self.running
        if found is not None and found.done < found.wanted:
            words = self.tr("Stopped after %s of %s; partial results are shown.")
            words %= (found.done, found.wanted)
            self._workbench.show_toast(words)

    def _on_changed(self) -> None:
        if not self.task.is_running:
            self.running = None
        self.changed.emit()
