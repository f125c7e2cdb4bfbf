"""How a file is read, with a look at what that makes of its first records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QFrame,
    QLineEdit,
    QWidget,
)

from ppworkbench.core.data.options import NO_HEADER, ReadOptions
from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.dialogs import resize_dialog
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.data.rows_table import RowsView
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import column, named, row, show_words, text
from ppworkbench.gui.widgets.table import TextModel, TextTable
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.files.preview import (
    PreviewError,
    file_format,
    read_head,
    read_lines,
    sheet_names,
)

_WAIT = 250
_HEADER_ROWS = 10
_LINES_HIGH = 132
_ENCODINGS = ("utf-8", "cp1250", "cp1252", "iso-8859-1", "iso-8859-2", "utf-16")


class ImportDialog(QDialog):
    """What is not chosen is detected; every change shows at once in the preview."""

    def __init__(
        self,
        workbench: Workbench,
        path: Path,
        options: ReadOptions,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._path = path
        self.setObjectName("importDialog")
        self.setWindowTitle(self.tr("Import settings"))
        self._make_fields(options)
        self._make_preview()
        self._make_lines()
        self._lay_out()
        self._timer = single_shot(self, self.refresh, _WAIT)
        for combo in (self.separator, self.decimal, self.encoding, self.header, self.sheet):
            combo.currentTextChanged.connect(self._timer.start)
        for box in (self.keep_blanks, self.keep_remarks):
            box.toggled.connect(self._timer.start)
        self.missing.textChanged.connect(self._timer.start)
        self._open_fields()
        self.refresh()

    # Fields

    def _make_fields(self, options: ReadOptions) -> None:
        self.separator = self._combo(
            "separator", self.tr("Separator"),
            [
                (self.tr("Detected"), None), (self.tr("Comma"), ","),
                (self.tr("Semicolon"), ";"), (self.tr("Tab"), "tab"),
                (self.tr("Pipe"), "|"), (self.tr("Space"), " "),
            ],
            options.separator, is_editable=True,
        )  # fmt: skip
        self.decimal = self._combo(
            "decimalMark", self.tr("Decimal mark"),
            [(self.tr("Detected"), None), (self.tr("Point"), "."), (self.tr("Comma"), ",")],
            options.decimal,
        )  # fmt: skip
        self.encoding = self._combo(
            "encoding", self.tr("Encoding"),
            [(self.tr("Detected"), None), *((name, name) for name in _ENCODINGS)],
            options.encoding, is_editable=True,
        )  # fmt: skip
        rows = [str(number) for number in range(1, _HEADER_ROWS + 1)]
        if options.header_row is not None and options.header not in rows:
            rows.append(str(options.header))
        self.header = self._combo(
            "headerRow", self.tr("Header row"),
            [
                (self.tr("Detected"), None), (self.tr("No names"), NO_HEADER),
                *((number, number) for number in rows),
            ],
            options.header,
        )  # fmt: skip
        self.sheet = self._combo("sheet", self.tr("Sheet"), [(self.tr("First"), None)], None)
        self._asked_sheet = options.sheet
        self.keep_blanks = named(QCheckBox(self.tr("Keep leading spaces")), "keepBlanks")
        self.keep_blanks.setChecked(options.keep_blanks)
        self.keep_remarks = named(QCheckBox(self.tr("Keep rows after an empty row")), "keepRemarks")
        self.keep_remarks.setChecked(options.keep_remarks)
        self.missing = QLineEdit(", ".join(options.missing_codes))
        self.missing.setObjectName("missingCodes")
        self.missing.setAccessibleName(self.tr("Missing codes"))
        self.missing.setPlaceholderText(self.tr("e.g. 99, -9, refused"))

    def _combo(
        self,
        object_name: str,
        name: str,
        choices: Sequence[tuple[str, str | None]],
        chosen: str | None,
        *,
        is_editable: bool = False,
    ) -> QComboBox:
        combo = named(QComboBox(), object_name, name)
        combo.setEditable(is_editable)
        for words, data in choices:
            combo.addItem(words, data)
        place = combo.findData(chosen) if chosen is not None else 0
        if place >= 0:
            combo.setCurrentIndex(place)
        elif is_editable:
            combo.setEditText(chosen or "")
        return combo

    def _open_fields(self) -> None:
        try:
            name = file_format(self._path, ReadOptions()).name
        except WorkbenchError as error:
            self._show_problem(error)
            return
        is_text, is_book = name == "csv", name == "excel"
        for field in (self.separator, self.decimal, self.encoding):
            field.setEnabled(is_text)
            field.setToolTip("" if is_text else self.tr("For delimited text only."))
        self.header.setEnabled(is_text or is_book)
        self.header.setToolTip(
            "" if is_text or is_book else self.tr("For text files and workbooks only.")
        )
        self.keep_blanks.setEnabled(is_text)
        self.keep_remarks.setEnabled(is_text or is_book)
        self.lines.setVisible(is_text or is_book)
        self.lines_heading.setVisible(is_text or is_book)
        if is_text or is_book:
            self._read_lines()
            self.sheet.currentTextChanged.connect(self._read_lines)
        self.sheet.setEnabled(is_book)
        self.sheet.setToolTip("" if is_book else self.tr("For workbooks only."))
        if is_book:
            self._workbench.run(
                self.tr("Reading sheets"), lambda _: sheet_names(self._path),
                self._on_sheets, key="import sheets", quiet=True,
            )  # fmt: skip

    def _on_sheets(self, names: tuple[str, ...]) -> None:
        self.sheet.blockSignals(True)
        for name in names:
            self.sheet.addItem(name, name)
        if self._asked_sheet in names:
            self.sheet.setCurrentIndex(self.sheet.findData(self._asked_sheet))
        self.sheet.blockSignals(False)

    @property
    def options(self) -> ReadOptions:
        codes = (code.strip() for code in self.missing.text().split(","))
        sheet = self.sheet.currentData() if self.sheet.count() > 1 else self._asked_sheet
        return ReadOptions(
            separator=_chosen(self.separator),
            decimal=self.decimal.currentData(),
            encoding=_chosen(self.encoding),
            missing_codes=tuple(code for code in codes if code),
            sheet=sheet,
            header=self.header.currentData(),
            keep_blanks=self.keep_blanks.isChecked(),
            keep_remarks=self.keep_remarks.isChecked(),
        )

    # Rows as the file has them

    def _make_lines(self) -> None:
        words = self.tr("Click the row with the column names")
        self.lines_heading = text(words, "label")
        self.lines = TextTable(self._workbench.themes, "fileRows", words)
        self.lines.horizontalHeader().setStretchLastSection(True)
        self.lines.horizontalHeader().hide()
        self.lines.setSelectionMode(TextTable.SelectionMode.SingleSelection)
        self.line_model = TextModel(self._workbench.themes, parent=self.lines)
        self.line_model.left, self.line_model.grey = (0, 1), (0,)
        self.lines.setModel(self.line_model)
        self.lines.setMaximumHeight(_LINES_HIGH)
        self.lines.clicked.connect(lambda index: self._on_line(index.row()))
        self.lines.activated.connect(lambda index: self._on_line(index.row()))

    def _read_lines(self) -> None:
        path, sheet = self._path, self.options.sheet
        self._workbench.run(
            self.tr("Reading the first rows"), lambda _: read_lines(path, sheet),
            self._on_lines, key="import lines", quiet=True,
        )  # fmt: skip

    def _on_lines(self, rows: tuple[str, ...]) -> None:
        listed = [(number(place), words) for place, words in enumerate(rows, 1)]
        self.line_model.show_rows((self.tr("Row"), self.tr("Cells")), listed)
        self.lines.resizeColumnToContents(0)

    def _on_line(self, place: int) -> None:
        """Take a row for the names of the columns."""
        chosen = str(place + 1)
        if self.header.findData(chosen) < 0:
            self.header.addItem(chosen, chosen)
        self.header.setCurrentIndex(self.header.findData(chosen))

    # Preview

    def _make_preview(self) -> None:
        self.view = RowsView(self._workbench.themes)
        self.model = self.view.answers
        self.view.setObjectName("preview")
        self.view.setAccessibleName(self.tr("Preview"))
        self.heading = text(self.tr("Preview"), "strong")
        self.hint = text("", "captionHint")
        self.notes = text("", "caption", wrap=True)
        self.problem = text("", "error", wrap=True)

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(8)
        for words, field in (
            (self.tr("Separator"), self.separator), (self.tr("Decimal mark"), self.decimal),
            (self.tr("Encoding"), self.encoding),
        ):  # fmt: skip
            form.addRow(words, field)
        more = QFormLayout()
        more.setHorizontalSpacing(12)
        more.setVerticalSpacing(8)
        more.addRow(self.tr("Header row"), self.header)
        more.addRow(self.tr("Sheet"), self.sheet)
        more.addRow(self.tr("Missing codes"), self.missing)
        advice = self.tr("Codes for missing answers, separated by commas.")
        more.addRow("", text(advice, "captionHint", wrap=True))
        form.addRow("", self.keep_blanks)
        form.addRow("", self.keep_remarks)
        card = QFrame()
        card.setProperty("look", "card")
        inside = column(
            row(self.heading, self.hint, None), self.view, parent=card, spacing=6, margin=10
        )
        inside.setStretch(1, 1)
        themes = self._workbench.themes
        self.read_button = named(Button(themes, self.tr("Re-import"), look="primary"), "readAgain")
        self.read_button.setDefault(True)
        self.read_button.clicked.connect(self.accept)
        cancel = named(Button(themes, self.tr("Cancel")), "cancelImport")
        cancel.clicked.connect(self.reject)
        fields = row(form, more, spacing=32, stretch={0: 1, 1: 1})
        column(
            text(self._path.name, "subtitle"), fields, self.lines_heading, self.lines, card,
            self.notes, self.problem, row(None, cancel, self.read_button),
            parent=self, spacing=10, margin=16, stretch=4,
        )  # fmt: skip
        resize_dialog(self, 860, 680)

    def refresh(self) -> None:
        self._timer.stop()
        options = self.options

        def work(progress: Progress) -> Table | WorkbenchError:
            try:
                return read_head(self._path, options, progress)
            except WorkbenchError as error:
                return error

        self.hint.setText(self.tr("reading"))
        self._workbench.run(
            self.tr("Reading the first rows"), work, self._on_read, key="import preview", quiet=True
        )

    def _on_read(self, result: Table | WorkbenchError) -> None:
        if isinstance(result, WorkbenchError):
            self._show_problem(result)
            self.hint.setText("")
            return
        self._show_problem(None)
        self.view.show_table(result)
        parts = (number(result.rows), number(len(result.columns)))
        self.hint.setText(self.tr("%s rows, %s attributes") % parts)
        self.notes.setText(" ".join(map(translate, result.notes[:3])))

    def _show_problem(self, error: WorkbenchError | None) -> None:
        sentence = "" if error is None else translate(error.message)
        show_words(self.problem, sentence)
        self.read_button.setEnabled(error is None or isinstance(error, PreviewError))
        self.read_button.setToolTip(sentence)


def _chosen(combo: QComboBox) -> str | None:
    place = combo.findText(combo.currentText())
    if place >= 0:
        data = combo.itemData(place)
        return None if data is None else str(data)
    return combo.currentText() or None
