"""Release a table whose sensitive column can be denied, or the distorted one."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTemporaryDir, QUrl
from PySide6.QtGui import QDesktopServices, QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from ppworkbench.core.progress import Progress
from ppworkbench.core.publish import CurveOptions
from ppworkbench.gui.bundle_dialog import ReleaseDialog, Subject
from ppworkbench.gui.charts.shares import Histogram, Shares
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.page import Page, add_attribute_keys, add_filter_key
from ppworkbench.gui.pages.publish.accuracy_card import (
    AccuracyCard,
    BeforeAfterCard,
    is_curve,
    levels_of,
)
from ppworkbench.gui.pages.publish.bundle_card import (
    BundleCard,
    DistortedCard,
    before_and_after,
    write_preview,
)
from ppworkbench.gui.pages.publish.groups_card import TreeCard
from ppworkbench.gui.pages.publish.publication import (
    DENIABLE,
    DISTORTED,
    PAGE,
    PagePlan,
    Planning,
    Publisher,
    accuracy_words,
    answers_summary,
    changed_words,
    promise,
    same_groups,
    sensitive_names,
)
from ppworkbench.gui.pages.publish.settings_card import WIDTH, SettingsCard
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.widgets.layout import (
    are_moved,
    column,
    restore_columns,
    splitter,
    three_columns,
)
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.bundle import BundleOptions
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.deniable import NAMELESS as DENIABLE_NAMELESS
from ppworkbench.study.deniable import DenialPlan, deniable_points
from ppworkbench.study.release import NAMELESS, Point, release_points, undistorted


class Showing(QObject):
    """Reads the study, the plan and the publisher; keeps nothing of its own."""

    def __init__(self, page: PublishPage) -> None:
        super().__init__(page)
        self._page = page

    def show_settings(self) -> None:
        """The left column, and which cards are seen."""
        page, study = self._page, self._page.store.study
        plan = page.plan
        reasons = {}
        if study.original is None:
            reasons[DENIABLE] = self.tr("A deniable table is made of original answers; this study "
                                        "has only distorted ones.")  # fmt: skip
        elif plan.denial is None:
            reasons[DENIABLE] = self.tr("No attribute has values that could be denied.")
        page.settings_card.show_mode(plan.mode, reasons)
        page.middle.setCurrentIndex(0 if plan.mode == DENIABLE else 1)
        if plan.mode == DENIABLE and plan.denial is not None and study.original is not None:
            self._show_denial(plan.denial)
        else:
            self._show_distorted_settings()
        self.show_parts()

    def _show_denial(self, plan: DenialPlan) -> None:
        page = self._page
        table, card = page.store.study.original, page.settings_card
        assert table is not None  # noqa: S101 (seen by the caller)
        names = sensitive_names(table)
        card.sensitive.offer(
            [(n, table[n].attribute.kind.value, table[n].attribute.label) for n in names],
            plan.sensitive,
        )
        card.answers.setText(answers_summary(table, plan.sensitive))
        column = table[plan.sensitive]
        card.show_plan(plan, column.attribute.k + (column.missing_count > 0))
        others = [(c.name, c.attribute.label) for c in table if c.name != plan.sensitive]
        card.splits.show_features(others, plan.excluded)
        if not page.publisher.refusal:
            card.words.say(promise(plan, table))
        page.accuracy.plot.set_cursor(100 * plan.options.min_deniability)

    def _show_distorted_settings(self) -> None:
        page, study = self._page, self._page.store.study
        count = len(study.design.names)
        bare = undistorted(study.design)
        if study.original is None:
            words = self.tr("The answers came distorted. They are released with their design, "
                            "their rows in a new random order.")  # fmt: skip
        else:
            words = self.tr("%s of %s attributes are distorted, anew for the release. A recipient "
                            "who has the design can estimate the true shares.")  # fmt: skip
            words %= (number(count - len(bare)), number(count))
        page.settings_card.distorted_words.setText(words)
        page.distorted.show_design(study.design, self._compared(), "")

    def _compared(self) -> str | None:
        page = self._page
        names = page.store.study.design.names
        if page.store.current in names:
            return page.store.current
        return names[0] if names else None

    def show_parts(self) -> None:
        """The right column without the checklist."""
        page, study = self._page, self._page.store.study
        options = page.bundle.options
        name = f"{file_stem(study.title)}{options.format}"
        if page.plan.mode == DISTORTED:
            described = self.tr("Codebook and design"), self.tr("all a recipient needs to estimate")
        else:
            described = self.tr("Codebook"), self.tr("kinds, values and questions of the columns")
        page.bundle.show_parts(name, *described)
        empty = not study.design.attributes
        page.bundle.show_questionnaire(self.tr("There is no design to ask by.") if empty else "")

    # Groups

    def show_groups(self) -> None:
        """Tree, prediction and bars of the groups."""
        page, groups = self._page, self._page.publisher.groups
        if groups is None or page.plan.denial is None:
            return
        minimum = groups.plan.options.min_deniability
        count = len(groups.tree.leaves)
        hint = self.tr("1 group") if count == 1 else self.tr("%s groups") % number(count)
        page.tree.show_tree(groups.tree, minimum, hint)
        original = page.store.study.original
        if original is not None:
            page.settings_card.words.say(promise(groups.plan, original))
        self.show_prediction()
        names = {"original": self.tr("original"), "distorted": self.tr("published", "answers")}
        series = (Shares("original", groups.before), Shares("distorted", groups.after))
        bars = Histogram(series, groups.tree.outcomes, names=names)
        words = changed_words(groups.changed, groups.table.rows)
        page.before_after.show_histogram(bars, "", words)
        page.before_after.setToolTip(
            self.tr("A trial with the study's seed; the release is drawn anew.")
        )

    def show_prediction(self) -> None:
        """The predicted accuracy."""
        groups = self._page.publisher.groups
        if groups is not None:
            self._page.settings_card.show_prediction(
                groups.predicted, accuracy_words(groups.predicted), is_final=groups.is_final
            )

    def show_refusal(self, sentence: str) -> None:
        """Say beside the slider why there are no groups."""
        page = self._page
        page.settings_card.words.say(translate(sentence), warns=True)
        page.settings_card.show_prediction(None, "", is_final=True)
        advice = self.tr("Lower the minimum deniability, or choose another attribute.")
        page.tree.show_empty(self.tr("No groups can be made."), advice)
        page.before_after.show_nothing(self.tr("Nothing is published like this."))
        self.show_points()

    def show_points(self) -> None:
        """The checklist of what would be released now."""
        page, study = self._page, self._page.store.study
        if page.plan.mode == DISTORTED:
            if study.design.attributes:
                points = list(release_points(study.design, study.original))
                page.bundle.show_points(points, translate(NAMELESS))
            return
        groups = page.publisher.groups
        if groups is None:
            nothing = Point(False, self.tr("Nothing can be released like this"))
            points = [nothing] if page.publisher.refusal else []
        else:
            points = list(deniable_points(groups.tree, groups.table, groups.plan))
        page.bundle.show_points(points, translate(DENIABLE_NAMELESS))

    # Accuracies

    def show_curve(self) -> None:
        """The accuracies found so far, or kept with the study, or an invitation."""
        page, publisher = self._page, self._page.publisher
        plan, running = page.plan.denial, publisher.is_measuring
        if plan is None:
            return
        found, stale = None, False
        if publisher.tally is not None:
            found = publisher.tally.to_json()
            stale = not same_groups(publisher.measured_plan, plan)
        else:
            kept = page.store.study.results.get(PAGE)
            curve = kept.get("curve") if isinstance(kept, dict) else None
            if isinstance(curve, dict) and is_curve(curve.get("accuracies")):
                found = curve["accuracies"]
                stale = not same_groups(DenialPlan.from_json(curve.get("plan")), plan)
        if found is None or not is_curve(found):
            words = self.tr("Publishes trial tables over minimum deniabilities from 1 to 60 %, "
                            "trains classifiers on them and tests these on the truth.")  # fmt: skip
            if running:
                words = self.tr("Measuring; the first results come soon.")
            page.accuracy.invite(words, translate(publisher.refusal), running=running)
            return
        badge = self.tr("partial result") if running else ""
        if stale:
            badge = self.tr("other settings")
        elif publisher.tally is not None and not running and not _is_whole(publisher.tally):
            badge = self.tr("partial result")
        levels = levels_of(found, self._majority(plan), stale=stale)
        page.accuracy.show_levels(levels, badge, running=running)

    def _majority(self, plan: DenialPlan) -> float | None:
        groups = self._page.publisher.groups
        if groups is None or groups.plan.sensitive != plan.sensitive:
            return None
        return float(groups.before.max())

    # Distorted answers

    def compare(self) -> None:
        """Ask for the distorted answers of the current attribute."""
        page, study, name = self._page, self._page.store.study, self._compared()
        if name is None or study.table is None:
            page.distorted_bars.show_nothing(self.tr("There are no answers to compare."))
            return
        names = {"original": self.tr("original"), "distorted": self.tr("distorted")}

        def work(progress: Progress) -> tuple[str, Histogram]:
            answers = page.workbench.answers.of(study, progress)
            if name not in answers.distorted:
                return name, Histogram()
            return name, before_and_after(answers, name, names)

        page.workbench.run(
            self.tr("Distorting"), work, self._on_compared, key="publish compare", quiet=True
        )

    def _on_compared(self, found: tuple[str, Histogram]) -> None:
        name, histogram = found
        page = self._page
        if name != self._compared() or page.plan.mode != DISTORTED:
            return
        if not histogram.series:
            page.distorted_bars.show_nothing(self.tr("There are no answers to compare."))
            return
        words = self.tr("A trial with the study's seed; the release is drawn anew.")
        if page.store.study.original is None:
            words = self.tr("The true answers are not known here; Explore estimates their shares.")
        page.distorted_bars.show_histogram(histogram, name, words)


def _is_whole(tally: object) -> bool:
    return bool(tally.done >= tally.wanted)  # type: ignore[attr-defined]


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
