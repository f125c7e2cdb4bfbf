"""Release a table whose sensitive column can be denied, or the distorted one."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTemporaryDir, QUrl
from PySide6.QtGui import QDesktopServices, QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from ppworkbench.core.progress import Progress
from ppworkbench.core.publish import CurveOptions
from ppworkbench.gui.columns import are_moved, restore_columns
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.pages.page_keys import add_attribute_keys, add_filter_key
from ppworkbench.gui.pages.publish.accuracy_card import AccuracyCard
from ppworkbench.gui.pages.publish.before_after_card import BeforeAfterCard
from ppworkbench.gui.pages.publish.bundle_card import BundleCard
from ppworkbench.gui.pages.publish.distorted_card import DistortedCard
from ppworkbench.gui.pages.publish.plan import DENIABLE, PAGE, PagePlan
from ppworkbench.gui.pages.publish.planning import Planning
from ppworkbench.gui.pages.publish.preview import write_preview
from ppworkbench.gui.pages.publish.publisher import Publisher
from ppworkbench.gui.pages.publish.settings_card import WIDTH, SettingsCard
from ppworkbench.gui.pages.publish.showing import Showing
from ppworkbench.gui.pages.publish.tree_card import TreeCard
from ppworkbench.gui.release_dialog import ReleaseDialog, Subject
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.widgets.layouts import column, splitter, three_columns
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.bundle import BundleOptions

_RIGHT = 340
_MINIMUMS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
_FOLDS = 5


class PublishPage(Page):
    """Settings at the left, groups and what they cost in the middle, the bundle at the right."""

    name = PAGE

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Publish")
        self.question = self.tr("Release a table whose sensitive column can be denied")
        self.publisher = Publisher(workbench, self)
        self.planning = Planning(self.store, self.publisher, self)
        self._preview_folder: QTemporaryDir | None = None
        self._previewing: Job | None = None
        self._due = single_shot(self, self.refresh)
        self._points_due = single_shot(self, self._show_points)
        self._slow = single_shot(self, milliseconds=200)
        self._make_actions()
        self._make_parts()

    def _make_actions(self) -> None:
        self.name_primary("exportBundle", self.tr("Export bundle…"), "export", self.export)
        self.preview_action = self.action(
            "previewReport", self.tr("Preview report"), "file", self.preview
        )
        self.secondary = [self.preview_action]

    def _make_parts(self) -> None:
        themes = self.themes
        self.settings_card = SettingsCard(themes)
        self.tree = TreeCard(themes)
        self.accuracy = AccuracyCard(themes)
        self.before_after = BeforeAfterCard(themes)
        self.distorted = DistortedCard(themes)
        self.distorted_bars = BeforeAfterCard(themes)
        self.bundle = BundleCard(themes)
        self.bundle.show_options(BundleOptions())
        self._arrange()
        self.showing = Showing(self)
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
        store, card, publisher = self.store, self.settings_card, self.publisher
        store.study_opened.connect(self._on_opened)
        for signal in (store.data_changed, store.settings_changed, store.file_changed):
            signal.connect(self._on_study_changed)
        # A function of its own would outlive the page.
        store.design_changed.connect(self._on_study_changed)
        store.selection_changed.connect(self._on_study_changed)
        self.planning.follow(card)
        # An event later: boxes may be ticked one after the other.
        self.planning.changed.connect(self._due.start)
        card.design_requested.connect(lambda: self.workbench.page_requested.emit("design"))
        card.help_requested.connect(self.workbench.help_requested)
        publisher.groups_changed.connect(self._on_groups)
        publisher.prediction_changed.connect(self.showing.show_prediction)
        publisher.refused.connect(self._on_refused)
        publisher.curve_changed.connect(self._on_curve)
        publisher.curve_finished.connect(self.planning.keep)
        publisher.stopped.connect(self._on_stopped)
        self.accuracy.measure_requested.connect(self.measure)
        self.accuracy.cancel_requested.connect(publisher.cancel_measuring)
        self.accuracy.level_chosen.connect(
            lambda level: self.planning.set_option("min_deniability", level / 100)
        )
        self.bundle.options_changed.connect(self.showing.show_parts)
        self.distorted.attribute_chosen.connect(lambda name: store.select([name]))
        self._slow.timeout.connect(lambda: self.tree.updating.setVisible(publisher.is_busy))
        add_attribute_keys(self, self.settings_card.sensitive)
        add_filter_key(self)
        self.themes.theme_changed.connect(self._restyle)

    @property
    def plan(self) -> PagePlan:
        """How the study would be published now."""
        return self.planning.plan

    # The study

    @property
    def asides(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without."""
        return (self.settings_card, self.bundle)

    def shown(self) -> None:
        """Bring everything up to date."""
        super().shown()
        self._on_study_changed()

    def _on_opened(self) -> None:
        self.publisher.forget()

    def _on_study_changed(self, *_: object) -> None:
        if self._is_front:
            self._due.start(0)

    def refresh(self) -> None:
        """Show what the study says now, and ask for what is not known."""
        study = self.store.study
        self.planning.read()
        if self.plan.mode == DENIABLE and self.plan.denial is not None:
            self.publisher.ask(study, self.plan.denial)
            if self.publisher.is_busy:
                self._slow.start()
            self.showing.show_settings()
            self.showing.show_curve()
        else:
            self.publisher.drop()
            self.showing.show_settings()
            self.showing.compare()
        # The list of points is made anew, and everything is laid out for it once more.
        self._points_due.start()
        self._update_actions()

    def _show_points(self) -> None:
        self.showing.show_points()

    # What a person does

    def measure(self) -> None:
        """Measure the accuracies over minimum deniabilities."""
        if self.plan.denial is not None:
            options = CurveOptions(minimums=_MINIMUMS, folds=_FOLDS)
            self.publisher.measure(self.store.study, self.plan.denial, options)
            self._update_actions()

    @property
    def subject(self) -> Subject | None:
        """What would be released now; None while there is nothing."""
        study = self.store.study
        if self.plan.mode != DENIABLE:
            return Subject(study) if study.table is not None else None
        groups = self.publisher.groups
        if groups is None or groups.plan != self.plan.denial:
            return None
        return Subject(study, groups.plan, groups.tree)

    def export(self) -> None:
        """Open the window that writes the bundle."""
        subject = self.subject
        if subject is not None:
            options = self.bundle.options
            dialog = ReleaseDialog(self.workbench, subject, options, self.window())
            show_dialog(dialog, self.themes)

    def preview(self) -> None:
        """Write a trial report and show it in the browser."""
        subject = self.subject
        if subject is None or self._previewing is not None:
            return
        if self._preview_folder is None:
            self._preview_folder = QTemporaryDir()
        path = self._preview_folder.filePath("report.html")

        def work(progress: Progress) -> str:
            return write_preview(subject, path, progress)

        job = self.workbench.run(self.tr("Preview of the report"), work, self._on_preview)
        job.ended.connect(self._on_preview_ended)
        self._previewing = job
        self._update_actions()

    def _on_preview(self, path: str) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(path))

    def _on_preview_ended(self) -> None:
        self._previewing = None
        self._update_actions()

    # What comes back

    def _on_groups(self) -> None:
        self._slow.stop()
        self.tree.updating.hide()
        self.showing.show_groups()
        self._points_due.start()
        self.showing.show_curve()
        self._update_actions()

    def _on_refused(self, sentence: str) -> None:
        self._slow.stop()
        self.tree.updating.hide()
        self.showing.show_refusal(sentence)
        self.showing.show_curve()
        self._update_actions()

    def _on_curve(self) -> None:
        self.showing.show_curve()
        self._update_actions()

    def _on_stopped(self, done: int, wanted: int) -> None:
        self.planning.keep()
        words = self.tr("Stopped after %s of %s. The finished part is shown.") % (done, wanted)
        self.workbench.toast_requested.emit(words, False)

    def _update_actions(self) -> None:
        subject, reason = self.subject, ""
        if subject is None:
            reason = self.publisher.refusal or self.tr("The groups are being made.")
            if self.store.study.table is None:
                reason = self.tr("There are no answers to release yet.")
        self.primary.setEnabled(subject is not None)
        self.primary.setToolTip(reason or self.tr("Write all that a recipient needs (Ctrl+Enter)"))
        self.preview_action.setEnabled(subject is not None and self._previewing is None)
        self.preview_action.setToolTip(reason or self.tr("A trial report in the browser"))
        locked = self.tr("Locked while accuracies are measured; cancel to change.")
        self.settings_card.set_locked(locked if self.publisher.is_measuring else "")

    # Columns

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the middle what room there is, unless somebody moved the columns."""
        super().resizeEvent(event)
        if not are_moved(self.columns):
            px = self.themes.theme.px
            left, right = (WIDTH, _RIGHT) if self.width() >= px(1190) else (0, 0)
            self.columns.setSizes([px(left), self.width(), px(right)])
