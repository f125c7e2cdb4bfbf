"""The right column: what goes into the bundle, how it is drawn, and what to look at."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QSizePolicy,
    QWidget,
)

from ppworkbench.core.data.sampling_roles import LEAST_ROWS
from ppworkbench.core.design import Design
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part
from ppworkbench.core.publish import DeniabilityTree, publish_with
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.sampling.release import RoleTreatment
from ppworkbench.gui.export_dialog import FORMATS, CheckList
from ppworkbench.gui.language import tongue, tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.publish.bundle_dialog import Subject
from ppworkbench.gui.pages.publish.texts import (
    PublishView,
    role_hint,
    role_releases,
    why_not_coarsened,
)
from ppworkbench.gui.pdf.report import print_report
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, Section, card_part
from ppworkbench.gui.widgets.controls import Button, IconLabel, Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel, role_word
from ppworkbench.gui.widgets.layout import column, line, named, row, scroll_area, show_words, text
from ppworkbench.gui.widgets.sheet_table import SheetTable
from ppworkbench.gui.workbench import Workbench
from ppworkbench.outputs.bundle import (
    BundleOptions,
    released_study,
    role_treatment,
    told_points,
    with_questions,
)
from ppworkbench.outputs.deniable import IDENTIFICATION_WARNING as DENIABLE_WARNING
from ppworkbench.outputs.deniable import deniable_table
from ppworkbench.outputs.handover.checklist import first_open, release_checklist
from ppworkbench.outputs.publication import (
    COARSEN,
    DISTORTED,
    Groups,
    ReleasePlan,
)
from ppworkbench.outputs.report import build_report, write_report
from ppworkbench.outputs.report.word import write_word
from ppworkbench.outputs.role_release import RoleCheck, check_denied_roles, check_roles
from ppworkbench.results.sheet import Column as SheetColumn
from ppworkbench.results.sheet import Kind, Sheet
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.release import (
    IDENTIFICATION_WARNING,
    Point,
    describe_device,
)
from ppworkbench.study.state import why_not_bundled, why_not_released
from ppworkbench.study.study import Study

_GAP = 6


class BundleCard(Card):
    """Shows what goes into a bundle and lets some of it be chosen; the rest is only said."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._title, self._mode, self._reason = "", DISTORTED, ""
        self._make_contents()
        self._make_release()
        self._arrange()

    def _make_contents(self) -> None:
        tr = self.tr
        self.table = self._part("partTable", tr("Released table"))
        self.codebook = self._part("partCodebook", tr("Codebook and design"))
        self.documents = self._part("partDocuments", tr("Documentation"))
        self.report = self._part("partReport", tr("Report"))
        for box, why in (
            (self.table, tr("A bundle always contains the table.")),
            (self.codebook, tr("The table cannot be read without it.")),
        ):
            box.setChecked(True)
            box.setEnabled(False)
            box.setToolTip(why)
        self.table_name = ElidedLabel("captionHint")
        self.table_reason = text("", "captionHint", wrap=True, hidden=True)
        self.codebook_words = text("", "captionHint", wrap=True)
        self.documents_words = text(
            tr("DDI, data package, text for analysts"), "captionHint", wrap=True
        )
        self.report_words = text(
            tr("privacy, accuracy, figures; HTML and PDF"), "captionHint", wrap=True
        )

    def _part(self, name: str, label: str) -> QCheckBox:
        box = named(QCheckBox(), name, label)
        box.setProperty("label", label)
        return box

    def _make_release(self) -> None:
        tr = self.tr
        self.format = named(QComboBox(), "publishFormat", tr("Format"))
        for suffix, label in FORMATS:
            self.format.addItem(tr(label), suffix)
        self.format.activated.connect(lambda _: self._show_parts())
        self.randomness = named(QComboBox(), "publishRandomness", tr("Randomness"))
        self.randomness.addItem(tr("secure, no seed"))
        self.randomness.setEnabled(False)
        # It may be cut where the column is narrow; its tooltip and the checklist say the same.
        self.randomness.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.randomness.setMinimumContentsLength(8)
        self.randomness.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        why = tr("A bundle is for release and has no seed: the seed reveals the true answers. For "
            "a seeded file use File, Export distorted data.")  # fmt: skip
        self.randomness.setToolTip(f"{self.randomness.currentText()}: {why}")
        self.shuffle = named(QCheckBox(tr("Shuffle the rows")), "publishShuffle")
        self.shuffle.setChecked(True)
        self.shuffle.setEnabled(False)
        self.shuffle.setToolTip(tr("The rows of a bundle are always in random order."))
        self.list = named(CheckList(self._themes, has_actions=True), "publishChecks")
        self.first = named(CheckList(self._themes, has_actions=True), "publishFirst")
        self.all_points = Section(self._themes, tr("All points"), "publishAllPoints")
        self.all_points.body.addWidget(self.list)
        self.note = text("", "secondary", wrap=True)
        self.note.setTextFormat(Qt.TextFormat.RichText)

    def _arrange(self) -> None:
        tr = self.tr
        shuffle_words = text(
            tr("row order can link people to other tables"), "captionHint", wrap=True
        )
        shuffle_words.setContentsMargins(26, 0, 0, 0)
        note = Card(padding=12)
        note.setProperty("look", "note")
        note.add(self.note)
        inner = QWidget()
        column(
            card_part(
                text(tr("Bundle contents"), "strong"), 2,
                self._entry(self.table, "data", self.table_name, self.table_reason), self._rule(),
                self._entry(self.codebook, "group", self.codebook_words), self._rule(),
                self._entry(self.documents, "learn", self.documents_words), self._rule(),
                self._entry(self.report, "file", self.report_words),
                spacing=_GAP,
            ),
            card_part(
                2, line(), 2,
                row(text(tr("Format"), "label"), None, self.format),
                row(text(tr("Randomness"), "label"), self.randomness, spacing=8),
                column(self.shuffle, shuffle_words, spacing=1),
                2, line(), 2, spacing=_GAP,
            ),
            card_part(
                text(tr("Before release"), "strong"), 2, self.first, self.all_points, 4, note,
                spacing=_GAP,
            ),
            None,
            parent=inner, spacing=_GAP, margin=(14, 12, 14, 12),
        )  # fmt: skip
        self.body.addWidget(scroll_area(inner), 1)

    def _entry(self, box: QCheckBox, icon: str, *words: QWidget) -> QWidget:
        holder = QWidget()
        label = text(str(box.property("label")), "label")
        label.setBuddy(box)
        described = column(label, *words, spacing=1)
        mark = IconLabel(self._themes, icon, "text2", 18)
        row(box, mark, described, parent=holder, spacing=10, stretch=2)
        box.setProperty("words", label)
        return holder

    def _rule(self) -> QWidget:
        holder = QWidget()
        column(line(), parent=holder).setContentsMargins(26, 0, 0, 0)
        return holder

    # What is shown

    @property
    def options(self) -> BundleOptions:
        return BundleOptions(
            format=str(self.format.currentData()),
            report=self.report.isChecked(),
            documents=self.documents.isChecked(),
        )

    @options.setter
    def options(self, options: BundleOptions) -> None:
        for box, on in ((self.report, options.report), (self.documents, options.documents)):
            with QSignalBlocker(box):
                box.setChecked(on)
        with QSignalBlocker(self.format):
            self.format.setCurrentIndex(self.format.findData(options.format))

    def set_view(self, view: PublishView) -> None:
        self._title, self._mode = view.study.title, view.plan.mode
        is_sample = view.study.has_parts
        why = why_not_bundled(view.study) if is_sample else why_not_released(view.study)
        self._reason = "" if why is None else translate(why)
        for box in (self.documents, self.report):
            box.setEnabled(not is_sample)
            box.setToolTip(self._reason if is_sample else "")
        self._show_parts()
        points = self._points(view)
        if points is not None:
            told = [one.titled(view.study) for one in points]
            self.list.say(told)
            found = first_open(told)
            settled = Point(True, self.tr("No point is open"))
            self.first.say([found or settled] if told else [])
            self.all_points.button.setText(self.tr("All %s points") % number(len(told)))
            note = translate(
                IDENTIFICATION_WARNING if view.plan.mode == DISTORTED else DENIABLE_WARNING
            )
            strong, _, rest = note.partition(". ")
            self.note.setText(f"<b>{strong}.</b> {rest}")

    def _show_parts(self) -> None:
        if self._mode == DISTORTED or self._reason:
            name, words = (
                self.tr("Codebook and design"),
                self.tr("everything a recipient needs for estimation"),
            )
        else:
            name, words = (
                self.tr("Codebook"), self.tr("kinds, values and questions of the columns"),
            )  # fmt: skip
        self.table.setChecked(not self._reason)
        always = self.tr("A bundle always contains the table.")
        self.table.setToolTip(self._reason or always)
        self.format.setEnabled(not self._reason)
        self.format.setToolTip(self._reason)
        file = f"{file_stem(self._title)}{self.options.format}"
        self.table_name.setText(file)
        self.table_name.setVisible(not self._reason)
        show_words(self.table_reason, self._reason)
        self.codebook.property("words").setText(name)
        self.codebook.setAccessibleName(name)
        self.codebook_words.setText(words)

    def _points(self, view: PublishView) -> list[Point] | None:
        """What is protected and what is not; None where there is nothing to say."""
        gone = view.plan.omitted(view.study)
        if view.plan.mode == DISTORTED or why_not_released(view.study) is not None:
            if not view.study.design.attributes:
                return None
            left_out = view.plan.left_out if view.plan.mode == DISTORTED else ()
            subject = Subject(view.study, role_check=view.role_check)
            return list(subject.points(BundleOptions(leave_out=left_out)))
        if view.groups is not None:
            groups = view.groups
            subject = Subject(view.study, groups.plan, groups.tree, view.role_check, groups.table)
            return list(subject.points(BundleOptions(leave_out=gone)))
        nothing = Point(False, self.tr("Cannot be released"))
        return [nothing] if view.refusal else []


def released_sheet(study: Study, plan: ReleasePlan) -> Sheet:
    """Attribute, kind and distortion of every designed attribute."""
    design = study.design

    def becomes(name: str) -> str:
        if name in plan.left_out:
            return tr("omitted")
        role = design.role_of(name)
        if role:
            is_coarse = name in plan.coarsened
            said = tr("%s, coarsened") if is_coarse else tr("%s, not randomised")
            return said % role_word(role)
        if name in design.versions.columns:
            return tr("tells the arm, not randomised")
        if design.perturbation(name).is_identity:
            return tr("not randomised")
        return describe_device(name, design)

    told: dict[str, list[str]] = {
        tr("attribute"): [study.shown(name) for name in design.names],
        tr("kind"): [Message.of(one.attribute.kind.value) for one in design],
        tr("reported answer"): [becomes(name) for name in design.names],
    }
    columns = (
        SheetColumn(f"c{at}", Message(head), Kind.TEXT, values)
        for at, (head, values) in enumerate(told.items())
    )
    return Sheet("released", Message(tr("Released attributes")), tuple(columns))


class DistortedCard(Card):
    """A list whose current attribute is compared below."""

    attribute_chosen = Signal(str)
    edited = Signal(object)
    """A :data:`PlanEdit`."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(" ", " ")
        self.title_label.setText(self.tr("Attributes"))
        self._design = Design(())
        self._plan = ReleasePlan()
        self._least = LEAST_ROWS
        words = self.tr("Release of this column")
        self.role = named(Segmented(themes, words, role_releases()), "roleRelease")
        self.role.chosen.connect(self._on_role)
        self.role.hide()
        self.leave_out = named(Button(themes, self.tr("Omit"), look="link"), "leaveOut")
        self.leave_out.clicked.connect(self._on_leave_out)
        self.head.addWidget(self.leave_out)
        self.head.addWidget(self.role)
        words = self.tr("Released attributes")
        self.view = SheetTable(themes, "distortedAttributes", words, sorts=False)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.model = self.view.sheet_model
        self.body.addWidget(self.view, 1)
        self.view.row_chosen.connect(self._on_row)

    def set_view(self, view: PublishView) -> None:
        """Show a design and the attribute that is compared, without announcing it."""
        if view.denial is not None:
            return
        design, plan = view.study.design, view.plan
        if design is not self._design or plan != self._plan:
            self._design, self._plan = design, plan
            self.view.set_sheet(released_sheet(view.study, plan))
        row = design.names.index(view.attribute) if view.attribute in design.names else -1
        if row >= 0 and self.view.place != row:
            with QSignalBlocker(self.view):
                self.view.select_place(row)
        self._least = view.study.settings.least_rows
        self._show_button(view.attribute)

    def _show_button(self, name: str | None) -> None:
        left_out, sampling = self._plan.left_out, self._design.sampling
        is_out = name in left_out
        self.leave_out.setText(self.tr("Include") if is_out else self.tr("Omit"))
        is_last = len(self._design.names) - len(left_out) <= 1
        is_arm = name in self._design.versions.columns
        possible = name in self._design.names and (is_out or not (is_last or is_arm))
        self.leave_out.setEnabled(possible)
        why = self.tr("A table needs at least one attribute.") if is_last and not is_out else ""
        if is_arm:
            why = self.tr("Nothing can be estimated without the arm of every row.")
        self.leave_out.setToolTip(why)
        role = "" if sampling is None or name is None else sampling.role_of(name)
        self.leave_out.setVisible(not role)
        self.role.setVisible(bool(role))
        if role and name is not None and sampling is not None:
            self.role.set_current(self._plan.role_release(name))
            reason = why_not_coarsened(role, sampling)
            self.role.set_disabled({COARSEN: reason} if reason else {})
            self.role.setToolTip(role_hint(role, self._least))

    def _on_role(self, how: str) -> None:
        if self.view.place >= 0:
            name = self._design.names[self.view.place]
            self.edited.emit(lambda plan: plan.with_role(name, how))

    def _on_leave_out(self) -> None:
        if self.view.place >= 0:
            name = self._design.names[self.view.place]
            out = name not in self._plan.left_out
            self.edited.emit(lambda plan: plan.with_left_out(name, out=out))

    def _on_row(self, place: int) -> None:
        if place >= 0:
            self.attribute_chosen.emit(self._design.names[place])


def write_preview(subject: Subject, options: BundleOptions, path: str, progress: Progress) -> str:
    """Write the report of a release drawn anew as its ending says, and say where it lies."""
    making, treatment = part(progress, 0, 0.4), role_treatment(subject.study, options)
    if subject.plan is None:
        study = released_study(subject.study, making, treatment)
        method: tuple[str, ...] = ()
        # What its owner sees may tell of true answers, the report of a release does not.
        points = told_points(subject.study, study, subject.role_check)
    else:
        made, _ = deniable_table(
            subject.study, subject.plan, progress=making, treatment=treatment,
            leave_out=options.leave_out,
        )  # fmt: skip
        study = Study(subject.study.title, distorted=made.table, design=Design(()))
        method = made.method
        points = release_checklist(subject.study, made.points, made.as_answered, made.table)
    study = with_questions(study, subject.study).with_(description=subject.study.description)
    report = build_report(
        study, points=points, method=method, tongue=tongue(), progress=part(progress, 0.4, 1)
    )
    writers = {".pdf": print_report, ".docx": write_word}
    writers.get(Path(path).suffix.lower(), write_report)(report, path)
    return path


def _has_same_sample(one: Study, other: Study) -> bool:
    return (
        one.original is other.original
        and one.distorted is other.distorted
        and one.design is other.design
        and one.settings.seed == other.settings.seed
        and one.results.get("survey") is other.results.get("survey")
    )


class RoleChecking(QObject):
    """What the columns of the sampling would tell of what is released, looked at in a job."""

    checked = Signal()

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.found: RoleCheck | None = None
        self._asked: tuple[Study, RoleTreatment, DeniabilityTree | None] | None = None
        self.task: PageTask[RoleCheck | None] = PageTask(
            workbench, "publish sampling", self, quiet=True
        )
        self.task.finished.connect(self._on_checked)
        self.task.failed.connect(lambda _: self._on_checked(None))

    def ask(self, options: BundleOptions, groups: Groups | None) -> None:
        """Look at a release, of groups where it can be denied, unless it is known already."""
        study, source = self._workbench.store.study, self._workbench.answers
        if study.sampling is None or study.table is None:
            self.drop()
            return
        wanted = role_treatment(study, options)
        tree, asked = None if groups is None else groups.tree, self._asked
        if asked is not None and asked[1:] == (wanted, tree) and _has_same_sample(asked[0], study):
            return
        self._asked = study, wanted, tree

        def work(progress: Progress) -> RoleCheck | None:
            if groups is not None:
                streams = SeededStreams(study.settings.seed)
                made = publish_with(groups.tree, groups.table, groups.plan.options, streams)
                return check_denied_roles(study, groups.table, made, wanted, progress)
            answers = source.of(study, part(progress, 0, 0.3))
            return check_roles(study, wanted, answers, part(progress, 0.3, 1))

        self.task.start(tr("Checking the sampling"), work)

    def drop(self) -> None:
        self.task.drop()
        self.found = self._asked = None

    def _on_checked(self, found: RoleCheck | None) -> None:
        self.found = found
        self.checked.emit()
