"""Release a table whose sensitive column can be denied, or the distorted one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from ppworkbench.core.data.table import Table
from ppworkbench.core.design.release import bounds_of_data, values_of_data
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.files import folder_of
from ppworkbench.core.progress import Progress, part
from ppworkbench.core.publish import AccuracyTally, CurveOptions, DeniabilityTree, publish_with
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.sampling.release import RoleTreatment
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.charts.shares import Histogram
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import with_unit
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.page import Page, add_attribute_keys, add_filter_key
from ppworkbench.gui.pages.publish.accuracy_card import AccuracyCard, BeforeAfterCard, TrialCard
from ppworkbench.gui.pages.publish.bundle_card import (
    BundleCard,
    DistortedCard,
    before_and_after,
    write_preview,
)
from ppworkbench.gui.pages.publish.bundle_dialog import ReleaseDialog, Subject
from ppworkbench.gui.pages.publish.description_dialog import DescriptionDialog
from ppworkbench.gui.pages.publish.groups_card import TreeCard
from ppworkbench.gui.pages.publish.settings_card import WIDTH, SettingsCard
from ppworkbench.gui.pages.publish.view import PublishView
from ppworkbench.gui.scripts import ScriptButton
from ppworkbench.gui.widgets.layout import column
from ppworkbench.gui.widgets.provenance import marked_invented
from ppworkbench.gui.widgets.splitter import are_moved, restore_columns, splitter, three_columns
from ppworkbench.gui.workbench import Workbench
from ppworkbench.outputs.bundle import BundleOptions, role_treatment
from ppworkbench.outputs.deniable import DenialPlan
from ppworkbench.outputs.publication import (
    DENIABLE,
    PAGE,
    Accuracies,
    Groups,
    PreparedTable,
    ReleasePlan,
    kept_accuracies,
    kept_curve,
    make_groups,
    mark_answers,
    measure_accuracies,
    predict_better,
    same_groups,
)
from ppworkbench.outputs.role_release import RoleCheck, check_denied_roles, check_roles
from ppworkbench.study.description import SurveyDescription
from ppworkbench.study.release import without_attributes
from ppworkbench.study.state import why_not_bundled, why_not_released
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis

_RIGHT = 340
_MINIMUMS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
_FOLDS = 5


def _has_same_sample(one: Study, other: Study) -> bool:
    """Whether two states of a study would have the same sampling checked."""
    return (
        one.original is other.original
        and one.distorted is other.distorted
        and one.design is other.design
        and one.settings.seed == other.settings.seed
        and one.results.get("survey") is other.results.get("survey")
    )


class _Card(Protocol):
    """A part of the page."""

    def set_view(self, view: PublishView) -> None:
        """Show it."""


class PublishPage(Page):
    """Settings at the left, groups and what they cost in the middle, the bundle at the right."""

    name = PAGE

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Publish")
        self.question = self.tr("Release a distorted or deniable table")
        self.plan = ReleasePlan()
        """How the study would be published now."""
        self.groups: Groups | None = None
        self._refusal = ""
        self._asked: tuple[Table, DenialPlan, int] | None = None
        """What the groups were asked for: table, plan and seed."""
        self._prepared = PreparedTable()
        self._gesture = self.store.new_gesture("least rows")
        self._tally: AccuracyTally | None = None
        self._measured: DenialPlan | None = None
        self._mark = ""
        """The mark of the answers that were measured; empty before all is measured."""
        self._marked: tuple[Table, str] | None = None
        """The table that was looked at last, and its mark: reading all of it takes a while."""
        self._grouping: PageTask[Groups | str] = PageTask(workbench, "publish", self, quiet=True)
        self._predicting: PageTask[Groups] = PageTask(
            workbench, "publish prediction", self, quiet=True
        )
        self._measuring: PageTask[tuple[Table, str]] = PageTask(workbench, "accuracy", self)
        self._comparing: PageTask[tuple[str, Histogram]] = PageTask(
            workbench, "publish compare", self, quiet=True
        )
        self._checking: PageTask[RoleCheck | None] = PageTask(
            workbench, "publish sampling", self, quiet=True
        )
        self._checked: tuple[Study, RoleTreatment, DeniabilityTree | None] | None = None
        """What the columns of the sampling were looked at for."""
        self.role_check: RoleCheck | None = None
        self._previewing: PageTask[str] = PageTask(workbench, "publish preview", self)
        self._preview_folder: Path | None = None
        # One change of a study comes as several signals, and boxes may be ticked one after the
        # other: they are answered once.
        self._due = single_shot(self, self.refresh)
        self._slow = single_shot(self, milliseconds=200)
        self._make_actions()
        self._make_parts()

    def analysis(self) -> tuple[Analysis, Study] | None:
        """The groups of a deniable table with their trial, or the release of a distorted one."""
        from ppworkbench.outputs.scripts.results import release_analysis

        study = self.store.study
        is_open = self.plan.mode == DENIABLE and not self._has_current_groups
        if is_open or not study.design.attributes or study.has_parts:
            return None
        found = release_analysis(study, self.plan)
        return None if found is None else (found, study)

    @property
    def why_no_script(self) -> str:
        """Why nothing can be copied as a script."""
        if self.store.study.has_parts:
            return self.tr("Parts are released by the command distort.")
        return super().why_no_script

    def _make_actions(self) -> None:
        self.set_primary("exportBundle", self.tr("Export bundle…"), "export", self.export)
        self.preview_action = self.action(
            "previewReport", self.tr("Preview report"), "file", self.preview
        )
        self.describe_action = self.action(
            "describeSurvey", self.tr("About the survey…"), "info", self.describe
        )
        self.secondary = [self.describe_action, self.preview_action]

    def _make_parts(self) -> None:
        themes = self.themes
        self.settings_card = SettingsCard(themes)
        self.tree = TreeCard(themes)
        self.accuracy = AccuracyCard(themes)
        self.accuracy_script = ScriptButton(self.workbench, self._curve_analysis)
        self.accuracy_script.setEnabled(False)
        self.accuracy_script.hide()
        self.accuracy.head.addWidget(self.accuracy_script)
        self.before_after = TrialCard(themes)
        self.distorted = DistortedCard(themes)
        self.distorted_bars = BeforeAfterCard(themes)
        self.bundle = BundleCard(themes)
        self.bundle.options = BundleOptions()
        self._cards: tuple[_Card, ...] = (
            self.settings_card, self.tree, self.accuracy, self.before_after, self.distorted,
            self.bundle,
        )  # fmt: skip
        self._arrange()
        self._listen()

    def _arrange(self) -> None:
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        below = splitter(across, "publishBelow", self.accuracy, self.before_after)
        deniable = splitter(down, "publishMiddle", self.tree, below)
        distorted = splitter(down, "publishDistorted", self.distorted, self.distorted_bars)
        for parts, shares in ((below, (58, 42)), (deniable, (60, 40)), (distorted, (52, 48))):
            for place, share in enumerate(shares):
                parts.setStretchFactor(place, share)
            parts.setSizes([share * 10 for share in shares])
        self.middle = QStackedWidget()
        self.middle.addWidget(deniable)
        self.middle.addWidget(distorted)
        self.columns = three_columns("publishColumns", self.settings_card, self.middle, self.bundle)
        self._restyle()
        layout = column(self.columns, parent=self)
        layout.setContentsMargins(16, 4, 16, 12)
        restore_columns(self, self.workbench.settings)

    def _restyle(self) -> None:
        self.bundle.keep_at_least(self.themes.theme.px(272))

    def _listen(self) -> None:
        store, card = self.store, self.settings_card
        store.study_opened.connect(self._on_opened)
        for signal in (store.data_changed, store.settings_changed, store.file_changed):
            signal.connect(self._on_study_changed)
        # A function of its own would outlive the page.
        store.design_changed.connect(self._on_study_changed)
        store.selection_changed.connect(self._on_study_changed)
        card.mode_chosen.connect(lambda mode: self._change(replace(self.plan, mode=mode)))
        card.sensitive_chosen.connect(self._on_sensitive)
        card.option_chosen.connect(self._on_option)
        card.splits.ticked.connect(
            lambda name, on: self._change(self.plan.with_split(name, allowed=on))
        )
        card.splits.all_ticked.connect(self._on_tick_all)
        card.names_chosen.connect(lambda on: self._change(replace(self.plan, with_names=on)))
        card.roles.release_chosen.connect(
            lambda names, how: self._change(self.plan.with_roles(names, how))
        )
        card.roles.least_chosen.connect(self._on_least)
        card.roles.least.editingFinished.connect(self._new_gesture)
        card.design_requested.connect(lambda: self.workbench.page_requested.emit("design"))
        card.help_requested.connect(self.workbench.help_requested)
        self._grouping.finished.connect(self._on_groups)
        self._grouping.changed.connect(self._on_grouping)
        self._predicting.finished.connect(self._on_predicted)
        self._measuring.finished.connect(self._on_measured)
        self._measuring.stopped.connect(self._on_stopped)
        self._measuring.progressed.connect(lambda: self._show(self.accuracy))
        self._measuring.changed.connect(self._show)
        self._comparing.finished.connect(self._on_compared)
        self._checking.finished.connect(self._on_checked)
        self._checking.failed.connect(lambda _: self._on_checked(None))
        self._checking.changed.connect(self._update_actions)
        self._previewing.finished.connect(self._on_preview)
        self._previewing.changed.connect(self._update_actions)
        self.accuracy.measure_requested.connect(self.measure)
        self.accuracy.cancel_requested.connect(self._measuring.cancel)
        self.accuracy.level_chosen.connect(
            lambda level: self._on_option("min_deniability", level / 100)
        )
        self.distorted.attribute_chosen.connect(lambda name: store.select([name]))
        self.distorted.leaving_out_changed.connect(
            lambda name, out: self._change(self.plan.with_left_out(name, out=out))
        )
        self.distorted.role_release_changed.connect(
            lambda name, how: self._change(self.plan.with_role(name, how))
        )
        self.bundle.bounds_confirmed.connect(self._on_bounds_confirmed)
        self.bundle.values_confirmed.connect(self._on_values_confirmed)
        self.bundle.description_requested.connect(self.describe)
        self.bundle.design_requested.connect(self.workbench.show_question)
        self._slow.timeout.connect(lambda: self.tree.updating.setVisible(self._grouping.is_running))
        add_attribute_keys(self, self.settings_card.sensitive)
        add_filter_key(self)
        self.themes.theme_changed.connect(self._restyle)

    # The study

    def _on_bounds_confirmed(self) -> None:
        study = self.store.study
        confirmed = study.with_public_domains(bounds_of_data(study.design))
        self.store.apply(confirmed, self.tr("Confirm the bounds of numbers"))

    def _on_values_confirmed(self) -> None:
        study = self.store.study
        confirmed = study.with_public_domains(values_of_data(study.design))
        self.store.apply(confirmed, self.tr("Confirm the lists of values"))

    @property
    def optional_panels(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without."""
        return (self.settings_card, self.bundle)

    def kept(self) -> tuple[str, ...]:
        """What was chosen and found here."""
        return ("bundle.options",)

    def shown(self) -> None:
        """Bring everything up to date."""
        super().shown()
        self._on_study_changed()

    def _on_opened(self) -> None:
        self._drop_groups()
        self._prepared = PreparedTable()
        self._stop_measuring()
        self._tally = self._measured = None

    def _on_study_changed(self, *_: object) -> None:
        if self._is_front:
            self._due.start()

    def refresh(self) -> None:
        """Show what the study says now, and ask for what is not known."""
        study = self.store.study
        self.plan = ReleasePlan.of(study)
        plan = self.plan.grouping(study)
        if self.plan.mode == DENIABLE and plan is not None and study.original is not None:
            self._comparing.drop()
            self._ask_groups(study.original, plan)
        else:
            self._drop_groups()
            self._compare()
        self._check_roles()
        self._show()

    def _show(self, *only: _Card) -> None:
        """Bring the cards, or only these, and the actions in line with what is known."""
        study = self.store.study
        # What was asked for may come when the study has changed behind another page.
        self.plan = ReleasePlan.of(study)
        accuracies = kept_accuracies(study)
        if self._tally is not None and self._measured is not None:
            accuracies = self._accuracies(self._tally, self._measured)
        can_repeat = accuracies is not None and accuracies.can_be_repeated
        self.accuracy_script.setEnabled(can_repeat and not self._measuring.is_running)
        self._fit_script()
        view = PublishView(
            study, self.plan, self.groups, self._refusal, accuracies,
            self._measuring.is_running, self._compared(), self.role_check,
        )  # fmt: skip
        self.middle.setCurrentIndex(0 if self.plan.mode == DENIABLE else 1)
        for card in only or self._cards:
            card.set_view(view)
        self._update_actions()

    # The plan

    def _change(self, plan: ReleasePlan) -> None:
        """Publish in another way from now on."""
        if plan != self.plan:
            self.plan = plan
            self._keep()
            self._due.start()

    def _keep(self) -> None:
        """Keep plan and accuracies with the study."""
        curve = kept_curve(self.store.study)
        if self._tally is not None and self._measured is not None:
            curve = self._accuracies(self._tally, self._measured).to_json()
        self.store.set_results(PAGE, self.plan.to_json(curve))

    def _on_option(self, name: str, value: object) -> None:
        self._change(self.plan.with_option(name, value))

    def _on_least(self, rows: int) -> None:
        self.store.set_settings(self._gesture, least_rows=rows)

    def _new_gesture(self) -> None:
        self._gesture = self.store.new_gesture("least rows")

    def _on_sensitive(self, name: str) -> None:
        table = self.store.study.original
        if table is not None:
            self._change(self.plan.with_sensitive(name, table))

    def _on_tick_all(self, on: bool) -> None:
        table = self.store.study.original
        if table is not None:
            self._change(self.plan.with_all_splits(table, allowed=on))

    # Groups

    def _ask_groups(self, original: Table, plan: DenialPlan) -> None:
        """Make the groups of a plan, unless they are known already."""
        seed, asked, prepared = self.store.study.settings.seed, self._asked, self._prepared
        if asked is not None and asked[0] is original and asked[1:] == (plan, seed):
            return
        if self._measuring.is_running and not same_groups(self._measured, plan):
            self._stop_measuring()
        self._asked = original, plan, seed
        self._predicting.drop()

        def work(progress: Progress) -> Groups | str:
            try:
                return make_groups(prepared.of(original), plan, seed, progress)
            except WorkbenchError as error:
                # A sentence beside the slider, not a banner for every step of a drag.
                return error.message

        self._grouping.start(self.tr("Groups of %s") % self.store.study.shown(plan.sensitive), work)

    def _drop_groups(self) -> None:
        """There is nothing to publish; what is on its way does not arrive."""
        self._grouping.drop()
        self._predicting.drop()
        self.groups, self._refusal, self._asked = None, "", None

    def _on_grouping(self) -> None:
        if self._grouping.is_running:
            self._slow.start()
        else:
            self._slow.stop()
            self.tree.updating.hide()

    def _on_groups(self, found: Groups | str) -> None:
        if isinstance(found, str):
            self.groups, self._refusal = None, self.store.study.titled(found)
            self._drop_check()
            self._show()
            return
        self.groups, self._refusal = found, ""
        self._check_roles()
        self._show()
        if found.can_predict_better:

            def work(progress: Progress) -> Groups:
                return predict_better(found, progress)

            self._predicting.start(self.tr("Predicting the accuracy"), work)

    def _on_predicted(self, groups: Groups) -> None:
        self.groups = groups
        self._show(self.settings_card)

    # Accuracies

    def measure(self, options: CurveOptions | None = None) -> None:
        """Measure the accuracies over minimum deniabilities; results come while it runs."""
        study, plan = self.store.study, self.plan.grouping(self.store.study)
        if plan is None or study.original is None or self._measuring.is_running:
            return
        tally = AccuracyTally(options or CurveOptions(minimums=_MINIMUMS, folds=_FOLDS))
        self._tally, self._measured, self._mark = tally, plan, ""
        original = study.original

        def work(progress: Progress) -> tuple[Table, str]:
            measure_accuracies(study, plan, tally, progress)
            return original, mark_answers(original)

        self._measuring.start(
            self.tr("Measuring accuracy of %s") % self.store.study.shown(plan.sensitive), work
        )

    def _accuracies(self, tally: AccuracyTally, plan: DenialPlan) -> Accuracies:
        return Accuracies.of_tally(tally, plan, self._mark)

    def _on_measured(self, marked: tuple[Table, str]) -> None:
        self._marked, self._mark = marked, marked[1]
        self._keep()
        self._show(self.accuracy)

    def _curve_analysis(self) -> tuple[Analysis, Study] | None:
        """The accuracies on the page as a call; a message says where the answers have changed."""
        from ppworkbench.outputs.scripts.results import accuracy_analysis

        study, accuracies = self.store.study, kept_accuracies(self.store.study)
        if accuracies is None or study.original is None:
            return None
        if self._marked is None or self._marked[0] is not study.original:
            self._marked = study.original, mark_answers(study.original)
        if self._marked[1] != accuracies.answers:
            words = self.tr("The answers have changed since the accuracy was measured.")
            self.workbench.toast_requested.emit(words, False)
            return None
        found = accuracy_analysis(study, accuracies)
        return None if found is None else (found, study)

    def _stop_measuring(self) -> None:
        if self._measuring.is_running:
            self._tally = self._measured = None
            self._measuring.drop()

    def _on_stopped(self) -> None:
        self._keep()
        if self._tally is not None:
            words = self.tr("Stopped. There are no results yet.")
            if self._tally.done:
                words = self.tr("Stopped after %s of %s; partial results are shown.")
                words %= self._tally.done, self._tally.wanted
            self.workbench.toast_requested.emit(words, False)

    # Distorted answers

    def _compared(self) -> str | None:
        """The attribute whose answers are compared with what the design makes of them."""
        names = self.store.study.design.names
        if self.store.current in names:
            return self.store.current
        return names[0] if names else None

    def _compare(self) -> None:
        study, name, source = self.store.study, self._compared(), self.workbench.answers
        if name is None or study.table is None:
            self._comparing.drop()
            self.distorted_bars.show_nothing(self.tr("There are no answers to compare."))
            return
        names = {
            "original": marked_invented(self.tr("original")),
            "distorted": (
                # Without the true answers these are what people reported.
                tr("reported") if study.original is None else marked_invented(tr("distorted"))
            ),
        }

        def work(progress: Progress) -> tuple[str, Histogram]:
            answers = source.of(study, progress)
            if name not in answers.distorted:
                return name, Histogram()
            return name, before_and_after(answers, name, names)

        self._comparing.start(self.tr("Distorting"), work)

    def _on_compared(self, found: tuple[str, Histogram]) -> None:
        name, histogram = found
        if not histogram.series:
            self.distorted_bars.show_nothing(self.tr("There are no answers to compare."))
            return
        words = self.tr("Preview with the study's seed; the release is drawn again.")
        if self.store.study.original is None:
            words = self.tr("The true answers are not known; Explore estimates their shares.")
        study = self.store.study
        shown = with_unit(study.shown(name), study.unit(name))
        self.distorted_bars.show_histogram(histogram, shown, words)

    # The sampling

    def _check_roles(self) -> None:
        """Look at what the columns of the sampling would tell, unless that is known already."""
        study = self.store.study
        groups = self.groups if self.plan.mode == DENIABLE else None
        is_open = self.plan.mode == DENIABLE and not self._has_current_groups
        if study.sampling is None or study.table is None or is_open:
            self._drop_check()
            return
        wanted = role_treatment(study, self._options)
        tree, asked = None if groups is None else groups.tree, self._checked
        if asked is not None and asked[1:] == (wanted, tree) and _has_same_sample(asked[0], study):
            return
        self._checked, source = (study, wanted, tree), self.workbench.answers

        def work(progress: Progress) -> RoleCheck | None:
            if groups is not None:
                streams = SeededStreams(study.settings.seed)
                made = publish_with(groups.tree, groups.table, groups.plan.options, streams)
                return check_denied_roles(study, groups.table, made, wanted, progress)
            answers = source.of(study, part(progress, 0, 0.3))
            return check_roles(study, wanted, answers, part(progress, 0.3, 1))

        self._checking.start(self.tr("Checking the sampling"), work)

    def _drop_check(self) -> None:
        self._checking.drop()
        self.role_check = self._checked = None

    def _on_checked(self, found: RoleCheck | None) -> None:
        self.role_check = found
        self._show(self.bundle)

    # The release

    @property
    def _options(self) -> BundleOptions:
        """What goes into the bundle, as the page says."""
        return replace(self.bundle.options, leave_out=self.left_out, coarsen=self.plan.coarsened)

    @property
    def left_out(self) -> tuple[str, ...]:
        """What would not be published."""
        return self.plan.omitted(self.store.study)

    @property
    def _has_current_groups(self) -> bool:
        """Whether the groups are those of the plan, not of an earlier one."""
        plan = self.plan.grouping(self.store.study)
        return self.groups is not None and self.groups.plan == plan

    @property
    def subject(self) -> Subject | None:
        """What would be released now; None while there is nothing."""
        study = self.store.study
        if study.has_parts:
            return None
        is_known = study.sampling is None or not self._checking.is_running
        if why_not_released(study) is not None:
            return Subject(study) if study.design.attributes else None
        if not is_known:
            return None
        if self.plan.mode != DENIABLE:
            return Subject(study, role_check=self.role_check)
        if self.groups is None or not self._has_current_groups:
            return None
        groups = self.groups
        return Subject(study, groups.plan, groups.tree, self.role_check, groups.table)

    def export(self) -> None:
        """Open the window that writes the bundle, or the parts that the table is a sample of."""
        subject = self.subject
        if self.store.study.has_parts:
            self.workbench.action_requested.emit("export")
        if subject is not None:
            dialog = ReleaseDialog(self.workbench, subject, self._options, self.window())
            show_dialog(dialog, self.themes)

    def describe(self) -> None:
        """Ask for author, distributor and what else catalogues want to know."""
        dialog = DescriptionDialog(self.themes, self.store.study.description, self.window())
        dialog.described.connect(self._on_described)
        show_dialog(dialog, self.themes)

    def _on_described(self, description: SurveyDescription) -> None:
        study = self.store.study
        if description != study.description:
            self.store.apply(study.with_(description=description), self.tr("Describe the survey"))

    def preview(self) -> None:
        """Write a trial report and show it in the browser."""
        subject = self.subject
        if subject is None or self._previewing.is_running:
            return
        if self._preview_folder is None:
            self._preview_folder = folder_of(self)
        path = str(self._preview_folder / "report.html")
        if self.left_out and subject.plan is None:
            design = without_attributes(subject.study.design, self.left_out)
            subject = replace(subject, study=subject.study.with_(design=design))
        shown, options = subject, self._options

        def work(progress: Progress) -> str:
            return write_preview(shown, options, path, progress)

        self._previewing.start(self.tr("Report preview"), work)

    def _on_preview(self, path: str) -> None:
        self.workbench.open_outside(QUrl.fromLocalFile(path))

    def _update_actions(self) -> None:
        subject, reason = self.subject, ""
        if subject is None:
            reason = translate(self._refusal) or self.tr("Computing groups…")
            if self._checking.is_running:
                reason = self.tr("Checking the sampling…")
            if why_not_released(self.store.study) is not None:
                reason = self.tr("There is nothing to release yet; write questions first.")
        study = self.store.study
        has_parts = study.has_parts
        can_distort = has_parts and study.original is not None
        if has_parts:
            reason = translate(why_not_bundled(study))
        words = self.tr("Export parts…") if has_parts else self.tr("Export bundle…")
        self.primary.setText(words)
        self.primary.setEnabled(subject is not None or can_distort)
        self.primary.setToolTip(
            reason or self.tr("Write everything a recipient needs (Ctrl+Enter)")
        )
        self.preview_action.setEnabled(subject is not None and not self._previewing.is_running)
        self.preview_action.setToolTip(reason or self.tr("Preview in the browser"))

    # Columns

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the middle what room there is, unless somebody moved the columns."""
        super().resizeEvent(event)
        if not are_moved(self.columns):
            px = self.themes.theme.px
            left, right = (WIDTH, _RIGHT) if self._is_roomy else (0, 0)
            self.columns.setSizes([px(left), self.width(), px(right)])
        self._fit_script()

    @property
    def _is_roomy(self) -> bool:
        return self.width() >= self.themes.theme.px(1190)

    def _fit_script(self) -> None:
        """Leave the script of the curves to their menu where it would push the title out."""
        script = self.accuracy_script
        script.setVisible(script.isEnabled() and self._is_roomy)
