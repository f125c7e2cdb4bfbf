"""The attack lab: attacks at the left, the picture in the middle, words and numbers beside it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language.text import told
from ppworkbench.gui.pages.explore.attack.answer_card import AnswerCard
from ppworkbench.gui.pages.explore.attack.attack_card import AttackCard
from ppworkbench.gui.pages.explore.attack.kinds import (
    ATTACKS,
    FILTER,
    GUESS,
    LINK,
    OF_ONE,
    attacks_on,
    linkable,
    usual_links,
    why_not,
)
from ppworkbench.gui.pages.explore.attack.picture_card import AttackPicture
from ppworkbench.gui.pages.explore.attack.showing import show
from ppworkbench.gui.pages.explore.attack.work import Outcome, Request, carry_out
from ppworkbench.gui.pages.explore.view_switch import ATTACK, ViewSwitch
from ppworkbench.gui.widgets.layouts import column, scrolled
from ppworkbench.gui.widgets.splitter import Splitter
from ppworkbench.gui.workbench import Workbench

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
            self.picture.show_words(words, told(outcome.fault))
            self.answer.show_nothing()
            return
        shown = show(outcome.found)
        self.picture.show_result(shown)
        self.answer.show_result(shown)
