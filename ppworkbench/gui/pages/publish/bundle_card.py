"""The right column: what goes into the bundle, how it is drawn, and what to look at."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QSizePolicy,
    QTableView,
    QWidget,
)

from ppworkbench.core.data.sampling_roles import LEAST_ROWS
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Design, DesignedAttribute
from ppworkbench.core.progress import Progress, part
from ppworkbench.gui.charts.shares import MOST_BARS, Histogram, Shares
from ppworkbench.gui.export_dialog import FORMATS, CheckList
from ppworkbench.gui.language import tongue, tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.publish.bundle_dialog import Subject
from ppworkbench.gui.pages.publish.texts import role_hint, why_not_coarsened
from ppworkbench.gui.pages.publish.view import PublishView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import attribute_tip
from ppworkbench.gui.widgets.card import Card, Section, card_part
from ppworkbench.gui.widgets.cells import Column as TableColumn
from ppworkbench.gui.widgets.controls import Button, IconLabel, Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel, role_word
from ppworkbench.gui.widgets.layout import column, line, named, row, scroll_area, text
from ppworkbench.gui.widgets.table import ColumnModel, enable_copy
from ppworkbench.outputs.bundle import BundleOptions, released_study, role_treatment, told_points
from ppworkbench.outputs.deniable import IDENTIFICATION_WARNING as DENIABLE_WARNING
from ppworkbench.outputs.deniable import deniable_table
from ppworkbench.outputs.handover.checklist import first_open, release_checklist
from ppworkbench.outputs.publication import (
    COARSEN,
    DISTORTED,
    DROP,
    KEEP,
    ReleasePlan,
)
from ppworkbench.outputs.report import build_report, write_report
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.distorted_cache import Answers
from ppworkbench.study.release import (
    CONFIRM_VALUES,
    DESCRIBE,
    IDENTIFICATION_WARNING,
    OPEN_DESIGN,
    Point,
    describe_device,
)
from ppworkbench.study.state import why_not_bundled, why_not_released
from ppworkbench.study.study import Study

_GAP = 6


class BundleCard(Card):
    """Shows bundle options and announces changes; the rest is said, not chosen."""

    options_changed = Signal()
    bounds_confirmed = Signal()
    values_confirmed = Signal()
    """The bounds that were taken from the data are no secret."""
    design_requested = Signal(str)
    """What a point is about is to be changed on the Design page."""
    description_requested = Signal()
    """The survey is to be described."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._title, self._mode, self._reason = "", DISTORTED, ""
        self._make_contents()
        self._make_release()
        self._arrange()
        self.options_changed.connect(self._show_parts)

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
        self.table_reason = text("", "captionHint", wrap=True)
        self.table_reason.hide()
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
        box.toggled.connect(lambda *_: self.options_changed.emit())
        return box

    def _make_release(self) -> None:
        tr = self.tr
        self.format = named(QComboBox(), "publishFormat", tr("Format"))
        for suffix, label in FORMATS:
            self.format.addItem(tr(label), suffix)
        self.format.activated.connect(lambda *_: self.options_changed.emit())
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
        for checks in (self.list, self.first):
            checks.action_requested.connect(self._on_action)
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
        layout = column(
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
            parent=inner, spacing=_GAP,
        )  # fmt: skip
        layout.setContentsMargins(14, 12, 14, 12)
        self.body.addWidget(scroll_area(inner), 1)

    def _entry(self, box: QCheckBox, icon: str, *words: QWidget) -> QWidget:
        holder = QWidget()
        label = text(str(box.property("label")), "label")
        label.setBuddy(box)
        described = column(label, *words, spacing=1)
        mark = IconLabel(self._themes, icon, "text2", 18)
        layout = row(box, mark, described, parent=holder, spacing=10)
        layout.setStretch(2, 1)
        box.setProperty("words", label)
        return holder

    def _rule(self) -> QWidget:
        holder = QWidget()
        column(line(), parent=holder).setContentsMargins(26, 0, 0, 0)
        return holder

    # What is shown

    @property
    def options(self) -> BundleOptions:
        """What the controls say."""
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
        """Show what would go into the bundle, and what to look at before."""
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

    def _on_action(self, action: str, about: str) -> None:
        if action == OPEN_DESIGN:
            self.design_requested.emit(about)
            return
        wanted = {
            CONFIRM_VALUES: self.values_confirmed,
            DESCRIBE: self.description_requested,
        }.get(action, self.bounds_confirmed)
        wanted.emit()

    def _show_parts(self) -> None:
        """Name the table's file and say what describes it."""
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
        self.table_reason.setText(self._reason)
        self.table_reason.setVisible(bool(self._reason))
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


_SHARE, _WHOLE = QHeaderView.ResizeMode.Stretch, QHeaderView.ResizeMode.ResizeToContents
_WIDTHS = (_SHARE, _WHOLE, _SHARE)
"""The kind is seen as a whole; the other columns share what it leaves, however large type is."""


def design_columns(
    design: Design, plan: ReleasePlan, shown: Callable[[str], str] = str
) -> tuple[TableColumn[DesignedAttribute], ...]:
    """Attribute, kind and distortion of every designed attribute."""

    def becomes(designed: DesignedAttribute) -> str:
        if designed.name in plan.left_out:
            return tr("omitted")
        role = design.role_of(designed.name)
        if role:
            is_coarse = designed.name in plan.coarsened
            said = tr("%s, coarsened") if is_coarse else tr("%s, not randomised")
            return said % role_word(role)
        if designed.name in design.versions.columns:
            return tr("tells the arm, not randomised")
        perturbation = design.perturbation(designed.name)
        if perturbation.is_identity:
            return tr("not randomised")
        return translate(describe_device(designed.name, design))

    return (
        TableColumn(
            tr("attribute"),
            lambda designed: shown(designed.name),
            is_left=True,
            tip=lambda designed: attribute_tip(designed.name, "", shown(designed.name)),
        ),
        TableColumn(tr("kind"), lambda one: translate(one.attribute.kind.value), is_left=True),
        TableColumn(tr("reported answer"), becomes, is_left=True, tip=becomes),
    )


class DistortedCard(Card):
    """A list whose current attribute is compared below."""

    attribute_chosen = Signal(str)
    leaving_out_changed = Signal(str, bool)
    """An attribute shall be left out of the release, or not any more."""
    role_release_changed = Signal(str, str)
    """A column of the sampling shall be kept, coarsened or dropped."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(" ", " ")
        self.title_label.setText(self.tr("Attributes"))
        self._design = Design(())
        self._plan = ReleasePlan()
        self._least = LEAST_ROWS
        self.role = Segmented(
            themes,
            self.tr("Release of this column"),
            [
                (KEEP, self.tr("Keep", "a column")),
                (COARSEN, self.tr("Coarsen")),
                (DROP, self.tr("Omit")),
            ],
        )
        self.role.setObjectName("roleRelease")
        self.role.chosen.connect(self._on_role)
        self.role.hide()
        self.leave_out = named(Button(themes, self.tr("Omit"), look="link"), "leaveOut")
        self.leave_out.clicked.connect(self._on_leave_out)
        self.head.addWidget(self.leave_out)
        self.head.addWidget(self.role)
        self.model = ColumnModel(themes, design_columns(self._design, self._plan), self)
        self.view = QTableView()
        self.view.setTabKeyNavigation(False)
        self.view.setObjectName("distortedAttributes")
        self.view.setAccessibleName(self.tr("Released attributes"))
        self.view.setModel(self.model)
        enable_copy(self.view)
        self.view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.setShowGrid(False)
        self.view.verticalHeader().hide()
        self.view.verticalHeader().setDefaultSectionSize(themes.theme.px(28))
        header = self.view.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for place, mode in enumerate(_WIDTHS):
            header.setSectionResizeMode(place, mode)
        self.body.addWidget(self.view, 1)
        self.view.selectionModel().currentRowChanged.connect(self._on_row)

    def set_view(self, view: PublishView) -> None:
        """Show a design and the attribute that is compared, without announcing it."""
        if view.denial is not None:
            return
        design, plan = view.study.design, view.plan
        if design is not self._design or plan != self._plan:
            self._design, self._plan = design, plan
            self.model.set_rows(design.attributes, design_columns(design, plan, view.study.shown))
        row = design.names.index(view.attribute) if view.attribute in design.names else -1
        if row >= 0 and self.view.currentIndex().row() != row:
            self.view.selectionModel().blockSignals(True)
            self.view.selectRow(row)
            self.view.selectionModel().blockSignals(False)
            self.view.scrollTo(self.model.index(row, 0))
            self.view.viewport().update()
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
        row = self.view.currentIndex().row()
        if row >= 0:
            self.role_release_changed.emit(self.model.rows[row].name, how)

    def _on_leave_out(self) -> None:
        row = self.view.currentIndex().row()
        if row >= 0:
            name = self.model.rows[row].name
            self.leaving_out_changed.emit(name, name not in self._plan.left_out)

    def _on_row(self, now: QModelIndex) -> None:
        if now.isValid():
            self.attribute_chosen.emit(self.model.rows[now.row()].name)


_CELLS = 30


def before_and_after(answers: Answers, name: str, names: dict[str, str]) -> Histogram:
    """The true answers beside the distorted ones; only these where nobody knows the truth.

    Of reports that are sets, every value has the share of sets that name it.
    """
    distorted = answers.distorted[name]
    if distorted.is_set:
        names = names | {"distorted": tr("named in sets")}
    original = None
    if answers.original is not None and name in answers.original:
        original = answers.original[name]
    columns = {"original": original, "distorted": distorted}
    present = {role: column for role, column in columns.items() if column is not None}
    if all(_has_few_values(column) for column in present.values()):
        same = {column.attribute.values for column in present.values()}
        shown = present if len(same) == 1 else {"distorted": distorted}
        series = tuple(Shares(role, _value_shares(column)) for role, column in shown.items())
        return Histogram(series, distorted.attribute.values, names=names)
    numeric = {r: c for r, c in present.items() if c.attribute.kind.is_numeric}
    known = [column.data[~column.missing] for column in numeric.values()]
    known = [numbers for numbers in known if len(numbers)]
    if not known:
        return Histogram()
    low, high = min(x.min() for x in known), max(x.max() for x in known)
    edges = np.linspace(low, high if high > low else low + 1, _CELLS + 1)
    series = tuple(Shares(r, _number_shares(c, edges), edges) for r, c in numeric.items())
    return Histogram(series, domain=(float(edges[0]), float(edges[-1])), names=names)


def _has_few_values(column: Column) -> bool:
    return not column.attribute.kind.is_numeric and column.attribute.k <= MOST_BARS * 3


def _value_shares(column: Column) -> np.ndarray:
    return column.counts / max(int(np.count_nonzero(~column.missing)), 1)


def _number_shares(column: Column, edges: np.ndarray) -> np.ndarray:
    numbers = column.data[~column.missing]
    return np.histogram(numbers, edges)[0] / max(len(numbers), 1)


def write_preview(subject: Subject, options: BundleOptions, path: str, progress: Progress) -> str:
    """Write the report of a release drawn anew, and say where it lies."""
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
    report = build_report(
        study, points=points, method=method, tongue=tongue(), progress=part(progress, 0.4, 1)
    )
    write_report(report, path)
    return path
