"""Release a table whose sensitive column can be denied, or the distorted one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.core.data.table import Table
from ppworkbench.core.design.release import bounds_of_data, values_of_data
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.files import folder_of
from ppworkbench.core.progress import Progress
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.dialogs import save_file, show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language import translate
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.page import Page, add_attribute_keys, add_filter_key
from ppworkbench.gui.pages.publish.accuracy_card import (
    AccuracyCard,
    ComparisonCard,
    Measurement,
    TrialCard,
)
from ppworkbench.gui.pages.publish.bundle_card import (
    BundleCard,
    DistortedCard,
    RoleChecking,
    write_preview,
)
from ppworkbench.gui.pages.publish.bundle_dialog import DescriptionDialog, ReleaseDialog, Subject
from ppworkbench.gui.pages.publish.groups_card import TreeCard
from ppworkbench.gui.pages.publish.settings_card import WIDTH, SettingsCard
from ppworkbench.gui.pages.publish.texts import PlanEdit, PublishView
from ppworkbench.gui.scripts import ScriptButton
from ppworkbench.gui.widgets.layout import column, stack
from ppworkbench.gui.widgets.splitter import ThreeColumns, restore_columns, splitter
from ppworkbench.gui.workbench import Workbench
from ppworkbench.outputs.bundle import BundleOptions
from ppworkbench.outputs.deniable import DenialPlan
from ppworkbench.outputs.publication import (
    DENIABLE,
    PAGE,
    Groups,
    PreparedTable,
    ReleasePlan,
    kept_accuracies,
    kept_curve,
    make_groups,
    predict_better,
)
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.description import SurveyDescription
from ppworkbench.study.release import (
    CONFIRM_VALUES,
    DESCRIBE,
    OPEN_DESIGN,
    without_attributes,
)
from ppworkbench.study.state import why_not_bundled, why_not_released
from ppworkbench.study.study import Study, with_public_domains

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis


class _Card(Protocol):
    """A part of the page."""

    def set_view(self, view: PublishView) -> None: ...


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
        self._gesture = self.store.new_gesture("least rows")
        self._refusal = ""
        self._asked: tuple[Table, DenialPlan, int] | None = None
        """What the groups were asked for: table, plan and seed."""
        self._prepared = PreparedTable()
        self._grouping: PageTask[Groups | str] = PageTask(workbench, "publish", self, quiet=True)
        self._predicting: PageTask[Groups] = PageTask(
            workbench, "publish prediction", self, quiet=True
        )
        self.measurement = Measurement(workbench, self)
        self._curve_due = single_shot(self, lambda: self._show(self.accuracy), 150)
        self.checking = RoleChecking(workbench, self)
        self._previewing: PageTask[str] = PageTask(workbench, "publish preview", self)
        self._preview_folder: Path | None = None
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
        self.save_report_action = self.action(
            "saveReport", self.tr("Save report…"), "save", self.save_report
        )
        self.secondary = [self.describe_action, self.preview_action, self.save_report_action]

    def _make_parts(self) -> None:
        themes = self.themes
        self.settings_card = SettingsCard(themes)
        self.tree = TreeCard(themes)
        self.accuracy = AccuracyCard(themes)
        self.accuracy_script = ScriptButton(self.workbench, self.measurement.analysis)
        self.accuracy_script.setEnabled(False)
        self.accuracy_script.hide()
        self.accuracy.head.addWidget(self.accuracy_script)
        self.before_after = TrialCard(themes)
        self.distorted = DistortedCard(themes)
        self.distorted_bars = ComparisonCard(self.workbench)
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
        self.middle = stack(deniable, distorted)
        self.columns = ThreeColumns(
            self.themes, "publishColumns", self.settings_card, self.middle, self.bundle,
            {1190: (WIDTH, 340)},
        )  # fmt: skip
        self.bundle.keep_at_least(272, self.themes)
        column(self.columns, parent=self, margin=(16, 4, 16, 12))
        restore_columns(self, self.workbench.settings)

    def _listen(self) -> None:
        store, card = self.store, self.settings_card
        store.study_opened.connect(self._on_opened)
        self.follow(
            store.data_changed, store.settings_changed, store.file_changed, store.design_changed,
            store.selection_changed,
        )  # fmt: skip
        for one in (card, self.accuracy, self.distorted):
            one.edited.connect(self._edit)
        least = card.roles.least
        least.valueChanged.connect(lambda rows: store.set_settings(self._gesture, least_rows=rows))
        least.editingFinished.connect(self._new_gesture)
        card.go_to_design.clicked.connect(lambda: self.workbench.page_requested.emit("design"))
        card.help.clicked.connect(lambda: self.workbench.help_requested.emit("deniability"))
        self._grouping.finished.connect(self._on_groups)
        self._grouping.show_while_slow(self.tree.updating)
        self._predicting.finished.connect(self._on_predicted)
        measurement = self.measurement
        measurement.ended.connect(self._on_measured)
        measurement.progressed.connect(self._on_more_measured)
        measurement.task.changed.connect(self._show)
        self.checking.checked.connect(lambda: self._show(self.bundle))
        self.checking.task.changed.connect(self._update_actions)
        self._previewing.finished.connect(self._on_report)
        self._previewing.changed.connect(self._update_actions)
        for button in (self.accuracy.measure, self.accuracy.again):
            button.clicked.connect(lambda *_: measurement.start())
        self.accuracy.cancel.clicked.connect(measurement.task.cancel)
        self.distorted.attribute_chosen.connect(lambda name: store.select([name]))
        for checks in (self.bundle.list, self.bundle.first):
            checks.action_requested.connect(self._on_point)
        add_attribute_keys(self, self.settings_card.sensitive)
        add_filter_key(self)

    def _on_more_measured(self) -> None:
        if self._is_front and not self._curve_due.isActive():
            self._curve_due.start()

    def _new_gesture(self) -> None:
        """Make what is typed next a step of undo beside what was typed before."""
        self._gesture = self.store.new_gesture("least rows")

    # The study

    def _on_point(self, action: str, about: str) -> None:
        """Do something about a point of the checklist."""
        study, names = self.store.study, bounds_of_data(self.store.study.design)
        if action == OPEN_DESIGN:
            self.workbench.show_question(about)
        elif action == DESCRIBE:
            self.describe()
        else:
            words = self.tr("Confirm the bounds of numbers")
            if action == CONFIRM_VALUES:
                names, words = values_of_data(study.design), self.tr("Confirm the lists of values")
            self.store.apply(with_public_domains(study, names), words)

    @property
    def optional_panels(self) -> tuple[QWidget, ...]:
        return (self.settings_card, self.bundle)

    def kept(self) -> tuple[str, ...]:
        return ("bundle.options",)

    def _on_opened(self) -> None:
        self._drop_groups()
        self._prepared = PreparedTable()
        self.measurement.forget()

    def refresh(self) -> None:
        study = self.store.study
        self.plan = ReleasePlan.of(study)
        plan = self.plan.grouping(study)
        if self.plan.mode == DENIABLE and plan is not None and study.original is not None:
            self.distorted_bars.drop()
            self._ask_groups(study.original, plan)
        else:
            self._drop_groups()
            self.distorted_bars.compare(self._compared())
        self._check_roles()
        self._show()

    def _show(self, *only: _Card) -> None:
        """Bring the cards, or only these, and the actions in line with what is known."""
        study = self.store.study
        # What was asked for may come when the study has changed behind another page.
        self.plan = ReleasePlan.of(study)
        measurement = self.measurement
        accuracies = measurement.accuracies or kept_accuracies(study)
        can_repeat = accuracies is not None and accuracies.can_be_repeated
        self.accuracy_script.setEnabled(can_repeat and not measurement.task.is_running)
        self._fit_script()
        view = PublishView(
            study, self.plan, self.groups, self._refusal, accuracies,
            measurement.task.is_running, self._compared(), self.checking.found,
        )  # fmt: skip
        self.middle.setCurrentIndex(0 if self.plan.mode == DENIABLE else 1)
        for card in only or self._cards:
            card.set_view(view)
        self._update_actions()

    # The plan

    def _edit(self, edit: PlanEdit) -> None:
        plan = edit(self.plan)
        if plan != self.plan:
            self.plan = plan
            self._keep()
            self._due.start(0)

    def _keep(self) -> None:
        measured = self.measurement.accuracies
        curve = kept_curve(self.store.study) if measured is None else measured.to_json()
        self.store.set_results(PAGE, self.plan.to_json(curve))

    # Groups

    def _ask_groups(self, original: Table, plan: DenialPlan) -> None:
        """Make the groups of a plan, unless they are known already."""
        seed, asked, prepared = self.store.study.settings.seed, self._asked, self._prepared
        if asked is not None and asked[0] is original and asked[1:] == (plan, seed):
            return
        self.measurement.stop_other(plan)
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

    def _on_groups(self, found: Groups | str) -> None:
        if isinstance(found, str):
            self.groups, self._refusal = None, self.store.study.titled(found)
            self.checking.drop()
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

    def _compared(self) -> str | None:
        names = self.store.study.design.names
        if self.store.current in names:
            return self.store.current
        return names[0] if names else None

    def _on_measured(self) -> None:
        self._keep()
        self._show(self.accuracy)

    def _check_roles(self) -> None:
        """Look at what the columns of the sampling would tell of what is released."""
        is_deniable = self.plan.mode == DENIABLE
        if is_deniable and not self._has_current_groups:
            self.checking.drop()
        else:
            self.checking.ask(self._options, self.groups if is_deniable else None)

    # The release

    @property
    def _options(self) -> BundleOptions:
        return replace(self.bundle.options, leave_out=self.left_out, coarsen=self.plan.coarsened)

    @property
    def left_out(self) -> tuple[str, ...]:
        return self.plan.omitted(self.store.study)

    @property
    def _has_current_groups(self) -> bool:
        plan = self.plan.grouping(self.store.study)
        return self.groups is not None and self.groups.plan == plan

    @property
    def subject(self) -> Subject | None:
        """What would be released now; None while there is nothing."""
        study = self.store.study
        if study.has_parts:
            return None
        is_known = study.sampling is None or not self.checking.task.is_running
        if why_not_released(study) is not None:
            return Subject(study) if study.design.attributes else None
        if not is_known:
            return None
        if self.plan.mode != DENIABLE:
            return Subject(study, role_check=self.checking.found)
        if self.groups is None or not self._has_current_groups:
            return None
        groups = self.groups
        return Subject(study, groups.plan, groups.tree, self.checking.found, groups.table)

    def export(self) -> None:
        """Open the window that writes the bundle, or the parts that the table is a sample of."""
        subject = self.subject
        if self.store.study.has_parts:
            self.workbench.action_requested.emit("export")
        if subject is not None:
            dialog = ReleaseDialog(self.workbench, subject, self._options, self.window())
            show_dialog(dialog, self.themes)

    def describe(self) -> None:
        dialog = DescriptionDialog(self.themes, self.store.study.description, self.window())
        dialog.described.connect(self._on_described)
        show_dialog(dialog, self.themes)

    def _on_described(self, description: SurveyDescription) -> None:
        study = self.store.study
        if description != study.description:
            self.store.apply(study.with_(description=description), self.tr("Describe the survey"))

    def preview(self) -> None:
        if self._preview_folder is None:
            self._preview_folder = folder_of(self)
        self._write_report(self._preview_folder / "report.html")

    def save_report(self) -> None:
        """Ask where the report of a release goes, and as what kind of file."""
        kinds = ";;".join(
            (self.tr("Page (*.html)"), "PDF (*.pdf)", self.tr("Word document (*.docx)"))
        )
        start = f"{file_stem(self.store.study.title)}-report.html"
        save_file(self.window(), self.tr("Save report"), start, kinds, self._write_report)

    def _write_report(self, place: Path) -> None:
        subject, path = self.subject, str(place)
        if subject is None or self._previewing.is_running:
            return
        if self.left_out and subject.plan is None:
            design = without_attributes(subject.study.design, self.left_out)
            subject = replace(subject, study=subject.study.with_(design=design))
        shown, options = subject, self._options

        def work(progress: Progress) -> str:
            return write_preview(shown, options, path, progress)

        self._previewing.start(self.tr("Report preview"), work)

    def _on_report(self, path: str) -> None:
        if self._preview_folder is not None and Path(path).parent == self._preview_folder:
            self.workbench.open_outside(QUrl.fromLocalFile(path))
        else:
            self.workbench.show_toast(self.tr("Saved %s.") % Path(path).name)

    def _update_actions(self) -> None:
        subject, reason = self.subject, ""
        if subject is None:
            reason = translate(self._refusal) or self.tr("Computing groups…")
            if self.checking.task.is_running:
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
        for action in (self.preview_action, self.save_report_action):
            action.setEnabled(subject is not None and not self._previewing.is_running)
        self.preview_action.setToolTip(reason or self.tr("Preview in the browser"))
        self.save_report_action.setToolTip(reason or self.tr("As a page, a PDF or a Word document"))

    # Columns

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit_script()

    def _fit_script(self) -> None:
        script = self.accuracy_script
        script.setVisible(script.isEnabled() and self.columns.is_roomy)
