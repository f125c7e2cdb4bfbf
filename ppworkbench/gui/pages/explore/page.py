"""Distort, reconstruct, and watch how the estimate comes about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from ppworkbench.gui.columns import are_moved, restore_columns
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.pages.explore.choices import Choices
from ppworkbench.gui.pages.explore.curve_cards import CurveCard
from ppworkbench.gui.pages.explore.explorer import Explorer
from ppworkbench.gui.pages.explore.loss_card import LossCard
from ppworkbench.gui.pages.explore.picture_card import SIDE, PictureCard
from ppworkbench.gui.pages.explore.reasons import why_not_distort, why_not_repeat
from ppworkbench.gui.pages.explore.repeats import DRAWS
from ppworkbench.gui.pages.explore.settings_card import WIDTH, SettingsCard
from ppworkbench.gui.pages.explore.showing import Showing
from ppworkbench.gui.pages.explore.side_cards import InsightCard, SpreadCard
from ppworkbench.gui.pages.explore.subject import Subject, subject_of
from ppworkbench.gui.pages.explore.view_switch import ATTACK, RECONSTRUCT, ViewSwitch
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.pages.page_keys import add_attribute_keys, add_filter_key
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.widgets.layouts import column, row, scroll_area, three_columns
from ppworkbench.gui.workbench import Workbench

if TYPE_CHECKING:
    from ppworkbench.gui.pages.explore.attack import AttackLab

_LARGEST_SEED = 2**53


class ExplorePage(Page):
    """Settings at the left, the picture with its scrubber in the middle, losses at the right."""

    name = "explore"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Explore")
        self.question = self.tr("Distort, reconstruct, and watch how it gets there")
        self.choices = Choices(self)
        self.explorer = Explorer(workbench, self)
        self.lab: AttackLab | None = None
        self._half = RECONSTRUCT
        self._gesture = self.store.new_gesture("seed")
        self._due = single_shot(self, self._explore)
        self._slow = single_shot(self, milliseconds=200)
        self._make_actions()
        self._make_parts()

    def _make_parts(self) -> None:
        self._build()
        self.showing = Showing(self)
        self._listen()

    def _make_actions(self) -> None:
        self.name_primary("distortAgain", self.tr("Distort again"), "dice", self.distort_again)
        self.repeat_action = self.action(
            "repeatDraws", self.tr("Repeat %s ×") % DRAWS, "refresh", self.repeat
        )
        self.cancel_action = self.action(
            "cancelRepeat", self.tr("Cancel"), "close", self.explorer.cancel_repeat
        )
        self.cancel_action.setVisible(False)
        self.secondary = [self.repeat_action, self.cancel_action]

    def _build(self) -> None:
        themes = self.themes
        self.settings_card = SettingsCard(themes)
        self.picture = PictureCard(themes)
        self.loss = CurveCard(themes, self.tr("Information loss"), "lossPlot", 3)
        self.likelihood = CurveCard(themes, self.tr("Log-likelihood"), "likelihoodPlot", None)
        self.losses = LossCard(themes)
        self.spread = SpreadCard(themes)
        self.insight = InsightCard(themes)
        middle = QWidget()
        self.curves = QWidget()
        curves = row(self.loss, self.likelihood, parent=self.curves, spacing=12)
        middle_layout = column(self.picture, self.curves, parent=middle, spacing=12)
        middle_layout.setStretch(0, 66)
        middle_layout.setStretch(1, 34)
        for place in (0, 1):
            curves.setStretch(place, 1)
        inner = QWidget()
        right_layout = column(
            self.losses, self.spread, self.insight, None, parent=inner, spacing=12
        )
        right_layout.setStretch(1, 100)
        # The last card ends where the other columns end.
        right_layout.setStretch(2, 50)
        self.right = scroll_area(inner)
        self.switch = ViewSwitch(themes, RECONSTRUCT)
        self.switch.setObjectName("exploreView")
        left = QWidget()
        column(self.switch, self.settings_card, parent=left).setStretch(1, 1)
        self.columns = three_columns("exploreColumns", left, middle, self.right)
        self._restyle()
        self.halves = QStackedWidget()
        self.halves.addWidget(self.columns)
        layout = column(self.halves, parent=self)
        layout.setContentsMargins(16, 4, 16, 12)
        restore_columns(self, self.workbench.settings)

    def _restyle(self) -> None:
        self.right.setMinimumWidth(self.themes.theme.px(272))

    def _listen(self) -> None:
        store, settings = self.store, self.settings_card
        store.study_opened.connect(self._on_opened)
        store.data_changed.connect(self._on_study_changed)
        store.design_changed.connect(self._on_design_changed)
        store.settings_changed.connect(self._on_study_changed)
        store.selection_changed.connect(self._on_study_changed)
        self.choices.work_changed.connect(self._on_study_changed)
        self.choices.view_changed.connect(self.showing.show_anew)
        self.explorer.result_changed.connect(self.showing.on_result)
        self.explorer.intervals_changed.connect(self.showing.show_intervals)
        self.explorer.failed.connect(self.showing.on_failed)
        # Draws that begin, go on and end at once are shown once.
        self._draws = single_shot(self, self.showing.show_draws)
        self.explorer.draws_changed.connect(self._draws.start)
        self.explorer.draws_changed.connect(self._update_actions)
        self.explorer.result_changed.connect(self._update_actions)
        self.explorer.busy_changed.connect(self._on_busy)
        self.explorer.stopped.connect(self._on_stopped)
        self._slow.timeout.connect(self._show_busy)
        settings.attribute_chosen.connect(lambda name: store.select([name]))
        settings.methods.ticked.connect(self._on_ticked)
        settings.methods.focused.connect(self._on_focused)
        settings.rule_chosen.connect(self._on_rule)
        settings.fixed_chosen.connect(self.choices.set_fixed)
        settings.steps_chosen.connect(self._on_steps)
        settings.seed_chosen.connect(self._on_seed)
        settings.seed.editingFinished.connect(self._new_gesture)
        settings.help_requested.connect(self.workbench.help_requested)
        self.picture.layout_chosen.connect(lambda key: self.choices.set_side_by_side(key == SIDE))
        self.picture.action_requested.connect(lambda: self.workbench.page_requested.emit("design"))
        self.switch.chosen.connect(self.show_half)
        add_attribute_keys(self, self.settings_card.attribute)
        add_filter_key(self)
        self.themes.theme_changed.connect(self._restyle)

    # The two halves

    @property
    def is_attacking(self) -> bool:
        """Whether the attack lab is in front."""
        return self._half == ATTACK

    def show_half(self, half: str) -> None:
        """Reconstruct, or attack; the lab is made when it is first asked for."""
        if half == ATTACK and self.lab is None:
            from ppworkbench.gui.pages.explore.attack import AttackLab

            self.lab = AttackLab(self.workbench)
            self.lab.view_chosen.connect(self.show_half)
            self.halves.addWidget(self.lab)
        self._half = half
        self._on_study_changed()

    # The study

    @property
    def subject(self) -> Subject | None:
        """What is explored; None where the current attribute has no answers or no design."""
        name = self.store.current
        steps = None if name is None else self.choices.steps(name)
        return subject_of(self.store.study, name, steps)

    @property
    def asides(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without."""
        attacks = () if self.lab is None else (self.lab.left,)
        return (self.columns.widget(0), self.spread, *attacks)

    def shown(self) -> None:
        """Bring everything up to date."""
        super().shown()
        self._on_study_changed()

    def _on_opened(self) -> None:
        self.choices.forget_steps()
        self.explorer.forget()
        self.showing.forget()
        if self.lab is not None:
            self.lab.forget()

    def _on_design_changed(self, name: str) -> None:
        if self.is_attacking or name in ("", self.store.current):
            self._on_study_changed()

    def _on_study_changed(self) -> None:
        if self._is_front:
            self._due.start(0)

    def _explore(self) -> None:
        """Ask for what the study and the choices say now."""
        if self.is_attacking and self.lab is not None:
            self.halves.setCurrentWidget(self.lab)
            self._update_actions()
            self.lab.refresh()
            return
        self.halves.setCurrentWidget(self.columns)
        subject = self.subject
        self.showing.show_settings()
        self._update_actions()
        if subject is None or not subject.is_distorted:
            self.explorer.drop_result()
            self.showing.show_results()
            self._update_actions()
            return
        methods = self.choices.ticked(subject.cells)
        self.explorer.explore(subject, self.store.study.settings.seed, methods)

    # What a person does

    def distort_again(self) -> None:
        """Take the next draw."""
        seed = self.store.study.settings.seed
        self.store.set_settings(seed=(seed + 1) % _LARGEST_SEED)

    def repeat(self) -> None:
        """Take a hundred draws."""
        result = self.explorer.result
        if result is not None:
            methods = self.choices.ticked(result.draw.subject.cells)
            self.explorer.repeat(methods, self.choices.fixed, DRAWS)

    def _on_ticked(self, method: str, on: bool) -> None:
        subject = self.subject
        if subject is not None:
            self.choices.tick(subject.cells, method, on)

    def _on_focused(self, method: str) -> None:
        subject = self.subject
        if subject is not None:
            self.choices.set_focus(subject.cells, method)

    def _on_rule(self, rule: str) -> None:
        subject = self.subject
        if subject is not None:
            self.showing.follow_stop()
            self.choices.set_rule(subject.cells, rule)

    def _on_steps(self, steps: int) -> None:
        if self.store.current is not None:
            self.choices.set_steps(self.store.current, steps)

    def _on_seed(self, seed: int) -> None:
        self.store.set_settings(gesture=self._gesture, seed=seed)

    def _new_gesture(self) -> None:
        self._gesture = self.store.new_gesture("seed")

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the picture what room there is, unless somebody moved the columns."""
        super().resizeEvent(event)
        if not are_moved(self.columns):
            px = self.themes.theme.px
            left, right = (WIDTH, 318) if self.width() >= px(1190) else (0, 0)
            self.columns.setSizes([px(left), self.width(), px(right)])

    # States

    def _on_busy(self) -> None:
        if self.explorer.is_busy:
            if not self._slow.isActive():
                self._slow.start()
        else:
            self._slow.stop()
            self.picture.updating.hide()

    def _show_busy(self) -> None:
        self.picture.updating.setVisible(self.explorer.is_busy)

    def _on_stopped(self, done: int, wanted: int) -> None:
        words = self.tr("Stopped after %s of %s. The finished part is shown.") % (done, wanted)
        self.workbench.toast_requested.emit(words, False)

    def _update_actions(self) -> None:
        running = self.explorer.is_repeating
        study, subject, result = self.store.study, self.subject, self.explorer.result
        attacking = self.is_attacking and study.original is not None
        why_not = "" if attacking else why_not_distort(study, subject)
        self.primary.setText(self.tr("Running…") if running else self.tr("Distort again"))
        self.primary.setEnabled(not running and not why_not)
        self.primary.setToolTip(why_not or self.tr("Take another draw (Ctrl+Enter)"))
        why_not = why_not_repeat(study, subject, result)
        self.repeat_action.setVisible(not running and not self.is_attacking)
        self.repeat_action.setEnabled(not why_not)
        self.repeat_action.setToolTip(
            why_not or self.tr("Distort and reconstruct %s times") % DRAWS
        )
        self.cancel_action.setVisible(running)
        locked = self.tr("Locked while the draws are repeated; cancel to change.")
        self.settings_card.set_locked(locked if running else "")
