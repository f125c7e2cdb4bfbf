"""Releasing a bundle: table, codebook, design and report in a folder or a zip."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.params import declarations
from ppworkbench.core.progress import Progress, part
from ppworkbench.core.publish import DeniabilityTree
from ppworkbench.gui.dialogs import ok_cancel, resize_dialog, save_file
from ppworkbench.gui.export_dialog import FolderWindow
from ppworkbench.gui.language import tongue, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pdf.report import print_report
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.controls import Segmented, TextArea
from ppworkbench.gui.widgets.layout import column, line, named, text
from ppworkbench.gui.workbench import Workbench
from ppworkbench.outputs.bundle import Bundle, BundleOptions, role_treatment, write_bundle
from ppworkbench.outputs.deniable import IDENTIFICATION_WARNING as DENIABLE_WARNING
from ppworkbench.outputs.deniable import (
    DenialPlan,
    about_names,
    deniable_points,
    deniable_table,
    naming_columns,
)
from ppworkbench.outputs.handover.checklist import RELEASES, release_checklist, releases_of
from ppworkbench.outputs.role_release import RoleCheck
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.description import SurveyDescription
from ppworkbench.study.release import (
    IDENTIFICATION_WARNING,
    Point,
    release_points,
    undistorted,
    without_attributes,
)
from ppworkbench.study.state import why_not_released
from ppworkbench.study.study import Study

_LONG = frozenset({"abstract"})
"""Fields of several lines."""


class DescriptionDialog(QDialog):
    """One field for everything that catalogues ask for; empty ones stay empty."""

    described = Signal(object)
    """The description as it was confirmed."""

    def __init__(self, themes: ThemeManager, now: SurveyDescription, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("About the survey"))
        self.setObjectName("descriptionDialog")
        self.fields: dict[str, QLineEdit | QPlainTextEdit] = {}
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        for place, one in enumerate(declarations(SurveyDescription)):
            label, hint = translate(one.info.label), translate(one.info.help)
            field = self._field(themes, one.name, getattr(now, one.name), hint)
            named(field, f"survey-{one.name}", label)
            caption = text(label, "label")
            caption.setBuddy(field)
            side = Qt.AlignmentFlag.AlignTop if one.name in _LONG else Qt.AlignmentFlag.AlignVCenter
            grid.addWidget(caption, place, 0, side)
            grid.addWidget(field, place, 1)
            self.fields[one.name] = field
        lead = self.tr(
            "Archives and readers ask for this. It goes into the DDI file, the data package and "
            "the report of a release; empty fields are left out."
        )
        column(
            text(lead, "secondary", wrap=True), grid, None, ok_cancel(self, self._on_accept),
            parent=self, margin=16, spacing=12,
        )  # fmt: skip
        resize_dialog(self, 560, 420)

    def _field(
        self, themes: ThemeManager, name: str, value: str, hint: str
    ) -> QLineEdit | QPlainTextEdit:
        if name not in _LONG:
            line = QLineEdit(value)
            line.setPlaceholderText(hint)
            return line
        area = TextArea(themes, "", "", 3)
        area.show_text(value)
        area.setPlaceholderText(hint)
        return area

    @property
    def description(self) -> SurveyDescription:
        typed = {
            name: field.text() if isinstance(field, QLineEdit) else field.toPlainText()
            for name, field in self.fields.items()
        }
        return SurveyDescription.from_json({name: said.strip() for name, said in typed.items()})

    def _on_accept(self) -> None:
        self.described.emit(self.description)
        self.accept()


FOLDER, ZIP = "folder", "zip"


@dataclass(frozen=True, eq=False)
class Subject:
    """What is released: the distorted table, or with a plan and its groups a deniable one.

    ``role_check`` tells what the columns of the sampling disclose. ``prepared`` is the table of
    the groups, where its missing answers were treated. A study without real answers has neither
    table nor groups: then design, codebook, report and page are released.
    """

    study: Study
    plan: DenialPlan | None = None
    tree: DeniabilityTree | None = None
    role_check: RoleCheck | None = None
    prepared: Table | None = None

    @property
    def why_no_table(self) -> str:
        """Why there is no table to release; empty where there is one."""
        return why_not_released(self.study) or ""

    def points(self, options: BundleOptions) -> tuple[Point, ...]:
        study, check = self.study, self.role_check
        drawn: Design | None = None
        if self.plan is None or self.tree is None or study.original is None:
            design = drawn = without_attributes(study.design, options.leave_out)
            has_table = not self.why_no_table
            original = study.original if has_table else None
            shown = study.distorted if has_table else None
            points = release_points(
                design, original, study=study, released=shown, has_table=has_table
            )
            bare = undistorted(design)
        else:
            gone, table = set(options.leave_out), self.prepared or study.original
            kept = table.select(name for name in table.names if name not in gone)
            named = naming_columns(table, self.plan.sensitive, study.sampling)
            points = (
                *deniable_points(self.tree, kept, self.plan),
                *about_names([name for name in named if name in gone]),
            )
            bare = tuple(name for name in kept.names if name != self.plan.sensitive)
        told = points if check is None else (*check.points(study), *points)
        return release_checklist(study, told, bare, design=drawn)

    def leave_outs(self) -> tuple[str, ...]:
        if self.plan is None:
            # Columns of the sampling are kept, coarsened or omitted one by one on the page.
            roles = self.study.design.roles
            bare = tuple(name for name in undistorted(self.study.design) if name not in roles)
            return bare if len(bare) + len(roles) < len(self.study.design.names) else ()
        return ()

    def given_away(self) -> tuple[str, ...]:
        return () if self.role_check is None else self.role_check.gives_away

    def about_given_away(self) -> tuple[Point, ...]:
        return () if self.role_check is None else self.role_check.about_given_away()


class ReleaseDialog(FolderWindow):
    """Where to and what at the left, what is protected and what is not at the right."""

    def __init__(
        self,
        workbench: Workbench,
        subject: Subject,
        options: BundleOptions | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(workbench, "", parent)
        self.setWindowTitle(self.tr("Export a bundle"))
        self.subject = subject
        self._start = options or BundleOptions()
        self._build_contents()
        self._build_confirmation()
        note = IDENTIFICATION_WARNING if subject.plan is None else DENIABLE_WARNING
        self.arrange(self._left(), translate(note), width=840, height=580)
        self.export.clicked.connect(self.export_now)
        self.changed.connect(self.refresh)
        self.refresh()

    # Building

    def _build_contents(self) -> None:
        tr = self.tr
        self.counts = self.tick(
            "bundleCounts", tr("Counts of reported answers in the DDI"), self._start.counts
        )
        self.counts.setToolTip(
            tr("How often every value was reported; readers easily take it for the true shares.")
        )
        self.counts.setEnabled(self._start.documents)
        self.counts.setVisible(not self.subject.why_no_table)
        self.escape = self.tick("bundleEscape", tr("Escape formulas"), self._start.escape_formulas)
        offered = self.subject.leave_outs()
        self._had_all = bool(offered) and set(offered) <= set(self._start.leave_out)
        self.leave_out = self.tick(
            "bundleLeaveOut",
            tr("Omit undistorted attributes"),
            self._had_all,
        )
        self.leave_out.setVisible(self.subject.plan is None)
        if not self.subject.leave_outs():
            self.leave_out.setEnabled(False)
            self.leave_out.setToolTip(
                tr("Either all attributes of the design are distorted, or none is.")
            )

    def _build_confirmation(self) -> None:
        """A word to type where the release would give answers away; a click would be too easy."""
        shown = self.subject.study.shown
        self._wanted = ", ".join(map(shown, self.subject.given_away()))
        said = [
            point.titled(self.subject.study).said(tongue())
            for point in self.subject.about_given_away()
        ]
        said.append(self.tr("Type “%s” to release them anyway.") % self._wanted)
        self.warning = named(text("\n".join(said), "error", wrap=True), "bundleWarning")
        self.confirm = named(QLineEdit(), "bundleConfirm", self.tr("Confirmation"))
        self.confirm.setPlaceholderText(self._wanted)
        self.confirm.textChanged.connect(self.refresh)
        self.gate.addWidget(self.warning)
        self.gate.addWidget(self.confirm)
        for part_ in (self.warning, self.confirm):
            part_.setVisible(bool(self._wanted))

    @property
    def is_confirmed(self) -> bool:
        return self.confirm.text().strip().casefold() == self._wanted.casefold()

    def _left_out(self) -> tuple[str, ...]:
        """What was left out on the page, and what is not distorted if that is ticked."""
        offered = self.subject.leave_outs()
        chosen = [name for name in self._start.leave_out if name not in offered]
        listed = {*chosen, *(offered if self.leave_out.isChecked() else ())}
        if not self.leave_out.isChecked() and not self._had_all:
            listed |= set(self._start.leave_out)
        # A deniable table has columns that no design knows.
        known = dict.fromkeys((*self.subject.study.design.names, *self._start.leave_out))
        return tuple(name for name in known if name in listed)

    def _left(self) -> QVBoxLayout:
        tr = self.tr
        choices = [(FOLDER, tr("Files in a folder")), (ZIP, tr("One zip file"))]
        self.form = Segmented(self.workbench.themes, tr("Save as"), choices)
        named(self.form, "bundleForm").chosen.connect(self._on_form)
        place = self.make_path("bundle", f"{file_stem(self.subject.study.title)}-release")
        study, drawn = self.subject.study, tr("The rows are in a new random order.")
        if study.original is not None:
            drawn = tr("Drawn with secure randomness, no seed; rows in random order.")
        randomness = text(drawn, "captionHint", wrap=True)
        if self.subject.why_no_table:
            randomness.hide()
        return column(
            text(self._summary(), "secondary", wrap=True), line(),
            text(tr("Save as"), "strong"), self.form, place,
            line(), self.counts, self.escape, self.leave_out, None, randomness,
            spacing=8,
        )  # fmt: skip

    def _summary(self) -> str:
        study, plan = self.subject.study, self.subject.plan
        if self.subject.why_no_table:
            return translate(self.subject.why_no_table)
        rows = number(study.rows)
        if plan is None or self.subject.tree is None:
            if study.original is None:
                return self.tr("%s rows of reported answers.") % rows
            return self.tr("%s rows, distorted by the design.") % rows
        groups = number(len(self.subject.tree.leaves))
        words = self.tr("%s rows; answers to “%s” exchanged within %s groups.")
        return words % (rows, study.shown(plan.sensitive), groups)

    # Following the user

    @property
    def options(self) -> BundleOptions:
        """Those of the page, with what is chosen here."""
        return replace(
            self._start,
            counts=self.counts.isChecked(),
            leave_out=self._left_out(),
            confirm=self.subject.given_away() if self.is_confirmed else (),
            escape_formulas=self.escape.isChecked(),
        )

    def refresh(self) -> None:
        points = self.subject.points(self.options)
        self.list.say([one.titled(self.subject.study) for one in points])
        is_zip = Path(self.path.text()).suffix.lower() == ".zip"
        self.form.set_current(ZIP if is_zip else FOLDER)
        why = self.why_no_place or ("" if self.is_confirmed else self.warning.text())
        self.export.setEnabled(not why and not self.is_running)
        self.export.setToolTip(why)

    def _on_form(self, form: str) -> None:
        path = Path(self.path.text())
        if path.name and (path.suffix.lower() == ".zip") != (form == ZIP):
            changed = path.with_name(path.name + ".zip") if form == ZIP else path.with_suffix("")
            self.path.setText(str(changed))

    @property
    def place_title(self) -> str:
        return self.tr("Bundle location")

    def choose_place(self) -> None:
        if self.form.current != ZIP:
            super().choose_place()
            return
        save_file(
            self, self.place_title, self.path.text(), "Zip (*.zip)",
            lambda chosen: self.path.setText(str(chosen)),
        )  # fmt: skip

    # Exporting

    def write(self, path: Path) -> None:
        subject, options = self.subject, self.options

        def work(progress: Progress) -> Bundle:
            published, share = None, progress
            if subject.plan is not None:
                published, _ = deniable_table(
                    subject.study,
                    subject.plan,
                    progress=part(progress, 0, 0.3),
                    treatment=role_treatment(subject.study, options),
                    leave_out=options.leave_out,
                )
                share = part(progress, 0.3, 1)
            return write_bundle(
                subject.study,
                path,
                options,
                published=published,
                print_pdf=print_report,
                tongue=tongue(),
                progress=share,
            )

        self.run(self.tr("Exporting %s") % path.name, work, self._on_done)

    def _on_done(self, bundle: Bundle) -> None:
        count = number(len(bundle.files))
        if self.subject.why_no_table:
            said = self.tr("%s files written to %s, without a table.")
            self.end_with(said % (count, bundle.path.name), ())
            return
        store, study = self.workbench.store, self.subject.study
        if study.original is not None and store.study.original is study.original:
            store.set_results(RELEASES, releases_of(store.study) + 1)
        said = self.tr("%s rows in %s files written to %s.")
        self.end_with(said % (number(bundle.rows), count, bundle.path.name), bundle.notes)
