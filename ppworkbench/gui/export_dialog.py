"""Exporting distorted answers with their codebook and design."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QLineEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from ppworkbench.core.data.files import written_files
from ppworkbench.core.data.formats import CSV, RELEASED
from ppworkbench.core.design import Design
from ppworkbench.core.progress import Progress, part
from ppworkbench.gui.dialogs import ask_to_replace, save_file
from ppworkbench.gui.export_checks import SEED_SENTENCE, checks
from ppworkbench.gui.export_window import ExportWindow, typed_path
from ppworkbench.gui.language.text import later
from ppworkbench.gui.widgets.icon_button import Button
from ppworkbench.gui.widgets.layouts import column, line, row, text
from ppworkbench.gui.words import number
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.leaving_out import leaving_out
from ppworkbench.study.release_checks import undistorted

FORMATS = tuple(
    (one.suffix, later("CSV + codebook") if one is CSV else one.title) for one in RELEASED
)


class ExportDialog(ExportWindow):
    """File and randomness at the left, what to look at before a release at the right."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, "", parent)
        self.setWindowTitle(self.tr("Export distorted data"))
        self._study = workbench.store.study
        self._build_file()
        self._build_randomness()
        self._build_options()
        nameless = self.tr(
            "Distorted is not nameless. People can still be recognised by what is published as it "
            "is, and by rare values."
        )
        self.arrange(self._left(), nameless)
        self.export.clicked.connect(self.export_now)
        self.changed.connect(self.refresh)
        self.refresh()

    # Building

    def _build_file(self) -> None:
        folder = str(self.workbench.settings.value("files/folder", "") or Path.home())
        start = Path(folder) / f"{self._study.title}-distorted.csv"
        self.path = QLineEdit(str(start))
        self.path.setObjectName("exportPath")
        self.path.setAccessibleName(self.tr("File to write"))
        self.path.textChanged.connect(self._on_path)
        self.choose = Button(self.workbench.themes, self.tr("Choose…"), "open")
        self.choose.setObjectName("exportChoose")
        self.choose.clicked.connect(self._on_choose)
        self.format = QComboBox()
        self.format.setObjectName("exportFormat")
        self.format.setAccessibleName(self.tr("Format"))
        for suffix, label in FORMATS:
            self.format.addItem(self.tr(label), suffix)
        self.format.activated.connect(self._on_format)
        self._confirmed = ""

    def _build_randomness(self) -> None:
        seed = self._study.settings.seed
        self.secure = QRadioButton(self.tr("The operating system's randomness (for release)"))
        self.seeded = QRadioButton(self.tr("The study's seed %s (repeatable, unsafe)") % seed)
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
        self.escape = self.tick("exportEscape", self.tr("Write formulas as harmless text"), True)
        self.design_file = self.tick(
            "exportDesign", self.tr("Write the design as a file of its own, too"), False
        )
        self.leave_out = self.tick(
            "exportLeaveOut", self.tr("Leave out what is not distorted"), False
        )
        bare = undistorted(self._study.design)
        self.leave_out.setEnabled(0 < len(bare) < len(self._study.design.names))
        if not bare:
            self.leave_out.setToolTip(self.tr("Every attribute of the design is distorted."))
        elif not self.leave_out.isEnabled():
            self.leave_out.setToolTip(self.tr("No attribute is distorted; nothing would be left."))

    def _left(self) -> QVBoxLayout:
        file = row(self.path, self.choose)
        file.setStretch(0, 1)
        hints = {
            self.shuffle: self.tr("row order links people to other tables"),
            self.escape: self.tr("a spreadsheet would run a cell that begins with ="),
        }
        options: list[QWidget | QVBoxLayout] = []
        for box in (self.shuffle, self.escape, self.design_file, self.leave_out):
            hint = text(hints.get(box, ""), "captionHint")
            hint.setContentsMargins(26, 0, 0, 0)
            options.append(column(box, hint, spacing=1) if box in hints else box)
        return column(
            text(self.tr("File"), "strong"), file,
            row(text(self.tr("Format"), "label"), None, self.format),
            line(), text(self.tr("Randomness"), "strong"), self.secure, self.seeded, self.unsafe,
            line(), *options, None, spacing=8,
        )  # fmt: skip

    # Following the user

    @property
    def design(self) -> Design:
        """The design as it would be used."""
        design = self._study.design
        return leaving_out(design, undistorted(design)) if self.leave_out.isChecked() else design

    def refresh(self) -> None:
        """Follow the settings."""
        seeded = self.seeded.isChecked()
        self.unsafe.setVisible(seeded)
        table = self._study.original
        if table is not None:
            points = checks(table, self.design, seeded=seeded, shuffled=self.shuffle.isChecked())
            self.list.say(points)
        known = Path(self.path.text()).suffix.lower() in dict(FORMATS)
        self.export.setEnabled(table is not None and known and not self.is_running)
        self.export.setToolTip("" if known else self.tr("The name of the file has an ending "
                                                        "that cannot be written."))  # fmt: skip

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
        # Codebooks go with their table.
        written = (path,) if path.exists() else written_files(path)
        others = (design_path(path),) if self.design_file.isChecked() else ()
        return [one for one in (*written, *others) if one.exists() and str(one) != self._confirmed]

    def _write(self, path: Path) -> None:
        from ppworkbench.core.design.release import Release, ReleaseOptions, release_table

        table, design = self._study.original, self.design
        assert table is not None  # noqa: S101 (the button is disabled without)
        options = ReleaseOptions(
            seed=self._study.settings.seed if self.seeded.isChecked() else None,
            shuffle=self.shuffle.isChecked(),
            escape_formulas=self.escape.isChecked(),
        )
        also_design = self.design_file.isChecked()

        def work(progress: Progress) -> Release:
            release = release_table(table, design, path, options, part(progress, 0, 0.95))
            if also_design:
                from ppworkbench.core.design.design_file import write_design

                write_design(release.design, design_path(path))
            return release

        self.workbench.settings.setValue("files/folder", str(path.parent))
        self.run(self.tr("Exporting %s") % path.name, work, self._on_done)

    def _on_done(self, release: object) -> None:
        rows, notes = release.rows, release.notes  # type: ignore[attr-defined]
        said = self.tr("%s distorted rows written to %s.")
        self.end_with(said % (number(rows), Path(self.path.text()).name), notes)


def design_path(path: Path) -> Path:
    """Where the design of an exported file goes."""
    return path.with_name(f"{path.stem}-design.json")
