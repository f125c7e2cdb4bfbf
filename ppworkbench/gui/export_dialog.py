"""Exporting distorted answers with their codebook and design."""

from __future__ import annotations

import os.path
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLayout,
    QLineEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from ppworkbench.core.data.files import written_files
from ppworkbench.core.data.formats import CSV, RELEASED
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.progress import Progress, part
from ppworkbench.gui.dialogs import (
    FileMode,
    ask_to_replace,
    choose_file,
    resize_dialog,
    save_file,
)
from ppworkbench.gui.jobs import Job, JobState, Work
from ppworkbench.gui.language import told_error, tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, IconLabel, ProgressBar
from ppworkbench.gui.widgets.layout import (
    clear,
    column,
    line,
    named,
    row,
    scroll_area,
    scrolled,
    set_type,
    text,
)
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.language import translatable
from ppworkbench.study.release import (
    CONFIRM_BOUNDS,
    CONFIRM_VALUES,
    DESCRIBE,
    IDENTIFICATION_WARNING,
    OPEN_DESIGN,
    Point,
    release_points,
    undistorted,
    without_attributes,
)

if TYPE_CHECKING:
    from ppworkbench.core.design.release import Release, ReleaseOptions
    from ppworkbench.study.parts.study_parts import StudyParts

SEED_SENTENCE = translatable(
    "Seed and design together reveal the true answers. Use secure randomness for release."
)
"""The sentence that stands wherever a seed can be chosen for an export."""

_ICONS = {
    True: ("check", "good", translatable("OK")),
    False: ("warning", "warningText", translatable("check")),
    None: ("info", "text3", translatable("note")),
}


_ACTIONS = {
    CONFIRM_BOUNDS: translatable("Confirm as public"),
    CONFIRM_VALUES: translatable("Confirm as public"),
    OPEN_DESIGN: translatable("Go to Design"),
    DESCRIBE: translatable("About the survey…"),
}
"""What presses about a point are called."""


class CheckList(QWidget):
    """The points under each other, with a tick or a triangle.

    Where ``has_actions``, those that something can be done about have a button for it.
    """

    action_requested = Signal(str, str)
    """What is to be done about a point, and the attribute that it is about."""

    def __init__(self, themes: ThemeManager, *, has_actions: bool = False) -> None:
        super().__init__()
        self._themes = themes
        self._has_actions = has_actions
        self.points: list[Point] = []
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(10)
        self.setAccessibleName(tr("Before release"))

    def say(self, points: list[Point]) -> None:
        if points == self.points:
            return
        self.points = points
        clear(self._rows)
        for point in points:
            self._rows.addWidget(self._row(point))
        self._rows.addStretch(1)
        spoken = (
            f"{tr(_ICONS[p.good][2])}: {translate(p.sentence)}. {translate(p.detail)}".strip()
            for p in points
        )
        self.setAccessibleDescription(" ".join(spoken))

    def _row(self, point: Point) -> QWidget:
        holder = QWidget()
        name, colour, _ = _ICONS[point.good]
        sentence = text(translate(point.sentence), "label", wrap=True)
        words = column(sentence, spacing=0)
        if point.detail:
            words.addWidget(text(translate(point.detail), "captionHint", wrap=True))
        if self._has_actions and point.action in _ACTIONS:
            button = Button(self._themes, tr(_ACTIONS[point.action]), look="link")
            named(button, point.action)
            button.clicked.connect(lambda *_: self.action_requested.emit(point.action, point.about))
            words.addLayout(row(button, None))
        icon = column(IconLabel(self._themes, name, colour, 16), None, spacing=0)
        icon.setContentsMargins(0, 1, 0, 0)
        row(icon, words, parent=holder, spacing=10).setStretch(1, 1)
        return holder


_LEFT = 400


class ExportWindow(QDialog):
    """Settings at the left, what to look at before a release at the right, the job below."""

    changed = Signal()
    """A box was ticked, or a job began or ended."""

    def __init__(self, workbench: Workbench, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.workbench = workbench
        self._job: Job | None = None
        self.list = CheckList(workbench.themes)
        self.settings_area = QWidget()
        self.gate = column(spacing=6)
        """What has to be read and confirmed first, as wide as the window."""
        self._build_foot()

    def _build_foot(self) -> None:
        themes = self.workbench.themes
        self.bar = ProgressBar(140)
        self.state = text("", "hint", wrap=True)
        self.cancel = named(Button(themes, self.tr("Cancel")), "exportCancel")
        self.cancel.clicked.connect(self.reject)
        self.export = Button(themes, self.tr("Export"), "export", look="primary")
        self.export.setObjectName("exportNow")
        self.foot = QWidget()
        row(self.bar, self.state, self.cancel, self.export, parent=self.foot, spacing=10, stretch=1)
        self.bar.hide()

    def arrange(
        self,
        settings: QLayout,
        note: str,
        width: int = 800,
        height: int = 540,
        heading: str = "",
    ) -> None:
        """Put the settings beside the checklist, which ends with a note."""
        theme = self.workbench.theme
        left, right = Card(padding=16), Card(heading or self.tr("Before release"), padding=16)
        left.setFixedWidth(theme.px(_LEFT))
        if theme.scale > 1.0:
            # In enlarged type there may be more settings than the window is high.
            held = QWidget()
            held.setLayout(settings)
            left.add(scrolled(held), 1)
        else:
            left.body.addLayout(settings)
        right.add(scroll_area(self.list), 1)
        said = Card(padding=12)
        said.setProperty("look", "note")
        said.add(text(note, "secondary", wrap=True))
        right.add(said)
        row(left, right, parent=self.settings_area, spacing=12).setStretch(1, 1)
        whole = column(self.settings_area, self.gate, self.foot, parent=self, margin=16, spacing=12)
        whole.setStretch(0, 1)
        resize_dialog(self, width, height)

    @property
    def is_running(self) -> bool:
        return self._job is not None

    def tick(self, name: str, label: str, on: bool) -> QCheckBox:
        box = named(QCheckBox(label), name)
        box.setChecked(on)
        box.toggled.connect(self.changed)
        return box

    def run(self, name: str, work: Work, done: Callable[[Any], None]) -> None:
        job = self.workbench.run(name, work, done)
        job.outlives_study = job.tells_refusal = True
        job.progressed.connect(self._on_progressed)
        job.ended.connect(self._on_ended)
        self._job = job
        self.settings_area.setEnabled(False)
        self.bar.show_share(0.0)
        self.bar.show()
        self._say(self.tr("Exporting…"))
        self.changed.emit()

    def end_with(self, said: str, notes: tuple[str, ...]) -> None:
        """Close when all is said; stay open to show notes."""
        self.workbench.show_toast(said)
        if not notes:
            self.accept()
            return
        self._say(" ".join([said, *map(translate, notes)]))
        self.cancel.setText(self.tr("Close"))
        # The second half of a double click would write it once more.
        self.export.hide()

    def _on_progressed(self, done: float, message: str) -> None:  # noqa: ARG002
        self.bar.show_share(done)

    def _on_ended(self) -> None:
        job, self._job = self._job, None
        self.bar.hide()
        self.settings_area.setEnabled(True)
        if job is not None and job.state is JobState.CANCELLED:
            self._say(self.tr("Stopped. Nothing was written."))
        elif job is not None and job.state is JobState.FAILED:
            self._say(told_error(job.error, self.workbench.store.study), "error")
        self.changed.emit()

    def _say(self, words: str, look: str = "hint") -> None:
        self.state.setText(words)
        set_type(self.state, look)

    def reject(self) -> None:
        """Stop the export that runs; close the dialog if none does."""
        if self._job is not None:
            self._job.cancel()
            return
        super().reject()


def typed_path(typed: str) -> Path:
    # Path.expanduser() fails where there is none, which a file name may well look like.
    return Path(os.path.expanduser(typed))  # noqa: PTH111


class FolderWindow(ExportWindow):
    """An export into a new folder, or into a zip file where the name ends so."""

    def make_path(self, name: str, start: str) -> QHBoxLayout:
        """Fields for where it goes; ``start`` is the name that is suggested."""
        path = self.workbench.last_folder / start
        self.path = named(QLineEdit(str(path)), f"{name}Path", self.tr("Output folder or file"))
        self.path.textChanged.connect(lambda _: self.changed.emit())
        choose = Button(self.workbench.themes, self.tr("Choose…"), "open")
        self.choose = named(choose, f"{name}Choose")
        self.choose.clicked.connect(lambda *_: self.choose_place())
        return row(self.path, self.choose, stretch=0)

    def choose_place(self) -> None:
        """Ask for the folder around the one that is written, which is new."""
        path = Path(self.path.text())
        choose_file(
            self, self.place_title, str(path.parent), "",
            lambda paths, _: self.path.setText(str(paths[0] / path.name)), FileMode.FOLDER,
        )  # fmt: skip

    @property
    def place_title(self) -> str:
        raise NotImplementedError

    @property
    def why_no_place(self) -> str:
        """Why nothing can be written there; empty if something can."""
        return "" if Path(self.path.text()).name else self.tr("Choose a folder or file.")

    def export_now(self) -> None:
        """Write, after asking about a zip that exists."""
        path = typed_path(self.path.text())

        def write() -> None:
            self.workbench.remember_folder(path)
            self.write(path)

        if path.suffix.lower() == ".zip" and path.exists():
            ask_to_replace(self, self.workbench.themes, path, write)
        else:
            write()

    def write(self, path: Path) -> None:
        """Begin to write."""
        raise NotImplementedError


FORMATS = tuple(
    (one.suffix, translatable("CSV + codebook") if one is CSV else one.title) for one in RELEASED
)


class ExportDialog(ExportWindow):
    """File and randomness at the left, what to look at before a release at the right."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, "", parent)
        self.setWindowTitle(self.tr("Export distorted data"))
        self._study = workbench.store.study
        self._parts = self._study.parts
        """The folder whose parts are distorted instead of the sample that the study shows."""
        self._said_of: tuple[bool, bool, bool] | None = None
        self._build_file()
        self._build_randomness()
        self._build_options()
        self.arrange(self._left(), translate(IDENTIFICATION_WARNING))
        self.export.clicked.connect(self.export_now)
        self.changed.connect(self.refresh)
        self.refresh()

    # Building

    def _build_file(self) -> None:
        suffix, words = ".csv", self.tr("Output file")
        if self._parts is not None:
            suffix, words = "", self.tr("New folder for the distorted parts")
        start = self.workbench.last_folder / f"{self._study.title}-distorted{suffix}"
        self.path = named(QLineEdit(str(start)), "exportPath", words)
        self.path.textChanged.connect(self._on_path)
        self.choose = Button(self.workbench.themes, self.tr("Choose…"), "open")
        self.choose.setObjectName("exportChoose")
        self.choose.clicked.connect(self._on_choose)
        self.format = named(QComboBox(), "exportFormat", self.tr("Format"))
        for suffix, label in FORMATS:
            self.format.addItem(self.tr(label), suffix)
        self.format.activated.connect(self._on_format)
        self._confirmed = ""

    def _build_randomness(self) -> None:
        seed = self._study.settings.seed
        self.secure = QRadioButton(self.tr("Secure randomness (for release)"))
        self.seeded = QRadioButton(self.tr("Seed %s (reproducible, not for release)") % seed)
        self.secure.setObjectName("exportSecure")
        self.seeded.setObjectName("exportSeeded")
        self.secure.setChecked(True)
        self._randomness = QButtonGroup(self)
        for button in (self.secure, self.seeded):
            self._randomness.addButton(button)
        self.unsafe = text(self.tr(SEED_SENTENCE), "warning", wrap=True)
        self.seeded.toggled.connect(self._on_randomness)

    def _build_options(self) -> None:
        self.shuffle = self.tick("exportShuffle", self.tr("Shuffle the rows"), True)
        self.escape = self.tick("exportEscape", self.tr("Escape formulas"), True)
        self.design_file = self.tick("exportDesign", self.tr("Save the design as well"), False)
        self.leave_out = self.tick("exportLeaveOut", self.tr("Omit undistorted attributes"), False)
        bare = undistorted(self._study.design)
        self.leave_out.setEnabled(0 < len(bare) < len(self._study.design.names))
        if not bare:
            self.leave_out.setToolTip(self.tr("Every attribute of the design is distorted."))
        elif not self.leave_out.isEnabled():
            self.leave_out.setToolTip(
                self.tr("No attribute is distorted; the file would be empty.")
            )

    def _left(self) -> QVBoxLayout:
        file = row(self.path, self.choose, stretch=0)
        hints = {
            self.shuffle: self.tr("row order can link people to other tables"),
            self.escape: self.tr("spreadsheets execute cells that begin with ="),
        }
        options: list[QWidget | QVBoxLayout] = []
        shown = [self.shuffle, self.escape, self.design_file, self.leave_out]
        if self._parts is not None:
            # No spreadsheet opens Parquet, so nothing is to be escaped.
            shown.remove(self.escape)
            for unused in (self.escape, self.format):
                unused.setParent(self)
                unused.hide()
        for box in shown:
            hint = text(hints.get(box, ""), "captionHint")
            hint.setContentsMargins(26, 0, 0, 0)
            options.append(column(box, hint, spacing=1) if box in hints else box)
        kind: QLayout = row(text(self.tr("Format"), "label"), None, self.format)
        if self._parts is not None:
            rows = self.tr("All %s rows are distorted, not the sample.") % number(self._parts.rows)
            kind = row(text(rows, "captionHint", wrap=True))
        head = self.tr("File") if self._parts is None else self.path.accessibleName()
        return column(
            text(head, "strong"), file, kind, line(),
            text(self.tr("Randomness"), "strong"), self.secure, self.seeded, self.unsafe,
            line(), *options, None, spacing=8,
        )  # fmt: skip

    # Following the user

    @property
    def design(self) -> Design:
        design = self._study.design
        return (
            without_attributes(design, undistorted(design))
            if self.leave_out.isChecked()
            else design
        )

    def refresh(self) -> None:
        seeded = self.seeded.isChecked()
        self.unsafe.setVisible(seeded)
        table = self._study.original
        if table is not None:
            self._say_points(table, secure=not seeded)
        known = Path(self.path.text()).suffix.lower() in dict(FORMATS)
        if self._parts is not None:
            known = bool(Path(self.path.text()).name)
            # Rows of parts that can be drawn again keep their order.
            self.shuffle.setEnabled(not seeded)
        self.export.setEnabled(table is not None and known and not self.is_running)
        self.export.setToolTip("" if known else self.tr("This file format cannot be written."))

    def _say_points(self, table: Table, *, secure: bool) -> None:
        asked = self.leave_out.isChecked(), secure, self.shuffle.isChecked()
        if asked == self._said_of:
            # Another name of the file changes nothing of what it holds.
            return
        self._said_of = asked
        points = release_points(
            self.design, table, study=self._study, secure=secure, shuffled=asked[2]
        )
        self.list.say([one.titled(self._study) for one in points])

    def _on_randomness(self, seeded: bool) -> None:
        # A repeatable file is compared with the truth row by row.
        self.shuffle.setChecked(not seeded)
        self.refresh()

    def _on_path(self, typed: str) -> None:
        place = self.format.findData(Path(typed).suffix.lower())
        if place >= 0:
            with QSignalBlocker(self.format):
                self.format.setCurrentIndex(place)
        self.refresh()

    def _on_format(self) -> None:
        path = Path(self.path.text())
        if path.name:
            self.path.setText(str(path.with_suffix(str(self.format.currentData()))))

    def _on_choose(self) -> None:
        if self._parts is not None:
            choose_file(
                self, self.path.accessibleName(), str(Path(self.path.text()).parent), "",
                lambda paths, _: self.path.setText(str(paths[0])), FileMode.FOLDER,
            )  # fmt: skip
            return
        filters = {suffix: f"{self.tr(label)} (*{suffix})" for suffix, label in FORMATS}
        chosen = filters[str(self.format.currentData())]
        save_file(
            self, self.tr("Export distorted data"), self.path.text(), ";;".join(filters.values()),
            self._on_chosen, chosen,
        )  # fmt: skip

    def _on_chosen(self, path: Path) -> None:
        self.path.setText(str(path))
        # The dialog has asked about a file that exists.
        self._confirmed = str(path)

    # Exporting

    def export_now(self) -> None:
        """Distort and write, after asking about files that exist."""
        path = typed_path(self.path.text())
        replaced = self._replaced(path)
        if replaced:
            first, *others = replaced
            ask_to_replace(self, self.workbench.themes, first, lambda: self._write(path), *others)
        else:
            self._write(path)

    def _replaced(self, path: Path) -> list[Path]:
        """Files that would be written over although nobody has been asked about them."""
        # Codebooks go with their table; parts are never written over.
        written = (path,) if path.exists() else written_files(path)
        written = written if self._parts is None else ()
        others = (design_path(path),) if self.design_file.isChecked() else ()
        return [one for one in (*written, *others) if one.exists() and str(one) != self._confirmed]

    def _write(self, path: Path) -> None:
        from ppworkbench.core.design.release import ReleaseOptions, release_table

        table, design = self._study.original, self.design
        assert table is not None  # noqa: S101 (the button is disabled without)
        options = ReleaseOptions(
            seed=self._study.settings.seed if self.seeded.isChecked() else None,
            shuffle=self.shuffle.isChecked(),
            escape_formulas=self.escape.isChecked(),
        )
        also_design, parts = self.design_file.isChecked(), self._parts

        def work(progress: Progress) -> Release:
            share = part(progress, 0, 0.95)
            if parts is None:
                release = release_table(table, design, path, options, share)
            else:
                release = _release_parts(parts, design, path, options, share)
            if also_design:
                from ppworkbench.core.design.design_file import write_design

                write_design(release.design, design_path(path))
            return release

        self.workbench.remember_folder(path)
        self.run(self.tr("Exporting %s") % path.name, work, self._on_done)

    def _on_done(self, release: object) -> None:
        rows, notes = release.rows, release.notes  # type: ignore[attr-defined]
        said = self.tr("%s distorted rows written to %s.")
        self.end_with(said % (number(rows), Path(self.path.text()).name), notes)


def _release_parts(
    parts: StudyParts, design: Design, path: Path, options: ReleaseOptions, progress: Progress
) -> Release:
    """Distort all rows of a folder into a new one, as the command ``distort`` does."""
    from ppworkbench.core.design.release import release_parts

    return release_parts(parts.open(), design, str(path), parts.worker, options, progress=progress)


def design_path(path: Path) -> Path:
    return path.with_name(f"{path.stem}-design.json")
