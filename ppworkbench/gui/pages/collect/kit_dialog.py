"""Write the kit: which targets, in which languages, into which new folder or zip file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from ppworkbench.analyses.ways_out import TargetFit
from ppworkbench.core.progress import Progress
from ppworkbench.fieldwork.kit import KitOptions, KitResult, asked_in, write_kit
from ppworkbench.fieldwork.page.page import QuestionnaireOptions
from ppworkbench.gui.dialogs import FileMode, ask_to_replace, choose_file
from ppworkbench.gui.export_dialog import ExportWindow, typed_path
from ppworkbench.gui.language import language_name, speech, tongue, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pdf.kit import print_kit
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import WrappingRow, column, line, named, row, scrolled, text
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.release import Point


class KitDialog(ExportWindow):
    """Targets and languages at the left, what is refused and why at the right."""

    def __init__(
        self,
        workbench: Workbench,
        fits: Sequence[TargetFit],
        chosen: Sequence[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(workbench, "", parent)
        self.setWindowTitle(self.tr("Write the kit"))
        self._fits = tuple(fits)
        self._study = workbench.store.study
        self._asked = asked_in(self._study, speech.language)
        self.targets = {
            one.target: self.tick(f"kit-{one.target}", translate(one.label), one.target in chosen)
            for one in fits
        }
        for one in fits:
            if one.faults:
                self.targets[one.target].setChecked(False)
                self.targets[one.target].setEnabled(False)
                self.targets[one.target].setToolTip(self._why(one))
        self.languages = {
            code: self.tick(
                f"kitLanguage-{code}", language_name(code), code == self._asked.language
            )
            for code in self._asked.languages
        }
        self._build_path(chosen)
        self.arrange(
            self._left(),
            self.tr(
                "kit.json maps the columns and codes of every target back to the questions: "
                "keep it with the answers."
            ),
            width=840,
            height=600,
            heading=self.tr("Before writing"),
        )
        self.export.setText(self.tr("Write"))
        self.export.clicked.connect(self.export_now)
        self.changed.connect(self.refresh)
        self.refresh()

    def _why(self, fit: TargetFit) -> str:
        why = fit.why()
        return "" if why is None else translate(self._study.titled(why))

    def _build_path(self, chosen: Sequence[str]) -> None:
        folder = str(self.workbench.settings.value("files/folder", "") or Path.home())
        end = chosen[0] if len(chosen) == 1 else "kit"
        start = Path(folder) / f"{file_stem(self._study.title)}-{end}"
        self.path = named(QLineEdit(str(start)), "kitPath", self.tr("Output folder or file"))
        self.path.textChanged.connect(self.refresh)
        self.choose = named(Button(self.workbench.themes, self.tr("Choose…"), "open"), "kitChoose")
        self.choose.clicked.connect(self._on_choose)
        # Enter writes, wherever the focus is.
        self.choose.setAutoDefault(False)
        self.cancel.setAutoDefault(False)

    def _left(self) -> QVBoxLayout:
        place = row(self.path, self.choose)
        place.setStretch(0, 1)
        listed = QWidget()
        column(*self.targets.values(), None, parent=listed, spacing=6)
        spoken = QWidget()
        spoken.setLayout(WrappingRow(*self.languages.values()))
        layout = column(
            text(self.tr("New folder, or a file that ends in .zip"), "strong"), place, line(),
            text(self.tr("Targets"), "strong"), scrolled(listed), line(),
            text(self.tr("Languages"), "strong"), spoken,
            spacing=8,
        )  # fmt: skip
        layout.setStretch(4, 1)
        return layout

    @property
    def options(self) -> KitOptions:
        """What the boxes say; the main language first."""
        return KitOptions(
            tuple(name for name, box in self.targets.items() if box.isChecked()),
            tuple(code for code, box in self.languages.items() if box.isChecked()),
            QuestionnaireOptions(),
            tongue(),
        )

    def refresh(self) -> None:
        """Say what is refused, and whether there is anything to write."""
        points = [
            Point(False, translate(one.label), self._why(one)) for one in self._fits if one.faults
        ]
        options = self.options
        for code in options.languages:
            gaps = len(self._asked.gaps(code))
            if gaps:
                words = self.tr("%s texts have no translation; such a language is refused.")
                points.append(Point(False, language_name(code), words % number(gaps)))
        if not points:
            points = [Point(True, self.tr("Every target fits the design"))]
        self.list.say(points)
        reason = ""
        if not options.targets:
            reason = self.tr("Tick a target.")
        elif not options.languages:
            reason = self.tr("Tick a language.")
        elif not Path(self.path.text()).name:
            reason = self.tr("Choose a folder or file.")
        self.export.setEnabled(not reason and not self.is_running)
        self.export.setToolTip(reason)

    def _on_choose(self) -> None:
        path = Path(self.path.text())

        def take(paths: Sequence[Path], _: str) -> None:
            # The folder of the kit is new; what is chosen is the one around it.
            self.path.setText(str(paths[0] / path.name))

        choose_file(self, self.tr("Kit location"), str(path.parent), "", take, FileMode.FOLDER)

    def export_now(self) -> None:
        """Write, after asking about a zip that exists."""
        path = typed_path(self.path.text())
        if path.suffix.lower() == ".zip" and path.exists():
            ask_to_replace(self, self.workbench.themes, path, lambda: self._write(path))
        else:
            self._write(path)

    def _write(self, path: Path) -> None:
        design, asked, options = self._study.asked_design, self._asked, self.options

        def work(progress: Progress) -> KitResult:
            return write_kit(design, asked, path, options, print_pdf=print_kit, progress=progress)

        self.workbench.settings.setValue("files/folder", str(path.parent))
        self.run(self.tr("Writing %s") % path.name, work, self._on_done)

    def _on_done(self, result: KitResult) -> None:
        name = Path(self.path.text()).name
        notes = [self._study.titled(one) for one in result.notes]
        notes += [self._study.titled(one.why) for one in result.refused]
        if not result.files:
            self.end_with(self.tr("Nothing was written."), tuple(notes))
            return
        said = self.tr("%s files written to %s.") % (number(len(result.files)), name)
        self.end_with(said, tuple(notes))
