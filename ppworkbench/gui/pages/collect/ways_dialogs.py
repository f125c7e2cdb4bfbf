"""Writing a kit, and choosing devices that come nearest to questions which none does exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHeaderView,
    QVBoxLayout,
    QWidget,
)

from ppworkbench.analyses.collecting.ways_out import InexactQuestion, TargetFit
from ppworkbench.core.progress import Progress
from ppworkbench.fieldwork.kit.kit import KitOptions, KitResult, asked_in, write_kit
from ppworkbench.fieldwork.kit.nearest import NearestDevice
from ppworkbench.fieldwork.page.page import QuestionnaireOptions
from ppworkbench.gui.dialogs import ok_cancel, resize_dialog
from ppworkbench.gui.export_dialog import FolderWindow
from ppworkbench.gui.language import language_name, speech, tongue, translate
from ppworkbench.gui.numbers import number, trimmed
from ppworkbench.gui.pdf.kit import print_kit
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layout import WrappingRow, column, line, named, scrolled, text
from ppworkbench.gui.widgets.table import Column, ColumnModel, TextTable
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.release import Point
from ppworkbench.study.study import Study

_NONE = "–"


class NearestDialog(QDialog):
    """One row for each question, and below the devices for the one in front.

    The nearest device of each question is chosen to begin with; nothing changes before it is
    accepted.
    """

    chosen = Signal(object)
    """The devices that were accepted, by question."""

    def __init__(
        self,
        themes: ThemeManager,
        study: Study,
        questions: Sequence[InexactQuestion],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("nearestDevices")
        self.setWindowTitle(self.tr("Nearest devices"))
        self._study = study
        self._taken: dict[str, NearestDevice | None] = {
            one.name: one.offers[0] for one in questions
        }
        words = self.tr(
            "No device gives the probabilities of these questions exactly. Each of the nearest "
            "changes the design a little; Undo brings it back. Answers are counted for ± %s points."
        )
        points = trimmed(100 * questions[0].half_width, 2)
        said = text(words % points, "secondary", wrap=True)
        self.table = TextTable(themes, "nearestTable", self.tr("Questions and devices"))
        self.model: ColumnModel[InexactQuestion] = ColumnModel(
            themes,
            (
                Column(self.tr("Question"), lambda one: study.shown(one.name), is_left=True),
                Column(self.tr("Device"), self._device, is_left=True),
                Column(self.tr("Largest change"), self._change),
                Column("ε", self._epsilon),
                Column(self.tr("Answers needed"), self._needed),
            ),
            self.table,
        )
        self.table.setModel(self.model)
        self.model.set_rows(questions)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.devices = named(QComboBox(), "nearestDevice", self.tr("Device"))
        self.devices.activated.connect(self._on_device)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._show_offers())
        form = QFormLayout()
        form.addRow(self.tr("Device"), self.devices)
        buttons = ok_cancel(self, self._on_accept, self.tr("Change the design"))
        self.accept_button = buttons.button(QDialogButtonBox.StandardButton.Ok)
        column(said, self.table, form, buttons, parent=self, margin=16, spacing=10, stretch=1)
        resize_dialog(self, 760, 420)
        self.table.selectRow(0)
        self._show_offers()

    @property
    def _front(self) -> InexactQuestion | None:
        place = self.table.currentIndex().row()
        rows = self.model.rows
        return rows[place] if 0 <= place < len(rows) else None

    def _device(self, one: InexactQuestion) -> str:
        taken = self._taken[one.name]
        return self.tr("as it is") if taken is None else translate(taken.label)

    def _change(self, one: InexactQuestion) -> str:
        """How far a probability moves, in points; slips change a spread instead."""
        taken = self._taken[one.name]
        if taken is None or taken.device is None:
            return _NONE
        return self.tr("%s points") % trimmed(100 * taken.difference, 2)

    def _epsilon(self, one: InexactQuestion) -> str:
        taken = self._taken[one.name]
        if taken is None:
            return _NONE
        return "∞" if math.isinf(taken.epsilon) else trimmed(taken.epsilon, 2)

    def _needed(self, one: InexactQuestion) -> str:
        taken = self._taken[one.name]
        return _NONE if taken is None else _people(taken.respondents)

    def _show_offers(self) -> None:
        front = self._front
        self.devices.clear()
        self.devices.setEnabled(front is not None)
        if front is None:
            return
        for one in front.offers:
            self.devices.addItem(translate(one.label))
        self.devices.addItem(self.tr("as it is"))
        taken = self._taken[front.name]
        place = next((i for i, one in enumerate(front.offers) if one is taken), len(front.offers))
        self.devices.setCurrentIndex(place)

    def _on_device(self, place: int) -> None:
        front = self._front
        if front is None:
            return
        self._taken[front.name] = front.offers[place] if place < len(front.offers) else None
        row = self.table.currentIndex().row()
        self.model.dataChanged.emit(
            self.model.index(row, 0), self.model.index(row, self.model.columnCount() - 1)
        )
        self.accept_button.setEnabled(any(one is not None for one in self._taken.values()))

    def _on_accept(self) -> None:
        found = {name: one for name, one in self._taken.items() if one is not None}
        if found:
            self.chosen.emit(found)
            self.accept()


def _people(count: float) -> str:
    return number(math.ceil(count)) if math.isfinite(count) else _NONE


class KitDialog(FolderWindow):
    """Targets and languages at the left, what is refused and why at the right."""

    def __init__(
        self,
        workbench: Workbench,
        fits: Sequence[TargetFit],
        chosen: Sequence[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(workbench, "", parent)
        self.setWindowTitle(self.tr("Export questionnaire kit"))
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
        self.arrange(
            self._left(chosen),
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

    @property
    def place_title(self) -> str:
        return self.tr("Kit location")

    def _left(self, chosen: Sequence[str]) -> QVBoxLayout:
        end = chosen[0] if len(chosen) == 1 else "kit"
        place = self.make_path("kit", f"{file_stem(self._study.title)}-{end}")
        # Enter writes, wherever the focus is.
        self.choose.setAutoDefault(False)
        self.cancel.setAutoDefault(False)
        listed = QWidget()
        column(*self.targets.values(), None, parent=listed, spacing=6)
        spoken = QWidget()
        spoken.setLayout(WrappingRow(*self.languages.values()))
        return column(
            text(self.tr("New folder, or a file that ends in .zip"), "strong"), place, line(),
            text(self.tr("Targets"), "strong"), scrolled(listed), line(),
            text(self.tr("Languages"), "strong"), spoken,
            spacing=8, stretch=4,
        )  # fmt: skip

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
        reason = self.why_no_place
        if not options.targets:
            reason = self.tr("Choose at least one format.")
        elif not options.languages:
            reason = self.tr("Tick a language.")
        self.export.setEnabled(not reason and not self.is_running)
        self.export.setToolTip(reason)

    def write(self, path: Path) -> None:
        design, asked, options = self._study.asked_design, self._asked, self.options

        def work(progress: Progress) -> KitResult:
            return write_kit(design, asked, path, options, print_pdf=print_kit, progress=progress)

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
