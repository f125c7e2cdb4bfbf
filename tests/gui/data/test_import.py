"""Import settings: a preview of a bounded head, and reading the file again."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.pages.data.import_dialog import ImportDialog

POLISH = "płeć,wiek\n" + "\n".join(
    f"{'MĘŻCZYZNA' if i % 2 else 'ŻÓŁĆ'},{20 + i}" for i in range(40)
)


@pytest.fixture
def polish(tmp_path):
    path = tmp_path / "polish.csv"
    path.write_bytes(POLISH.encode("cp1250"))
    return path


@pytest.fixture
def odd(tmp_path):
    """A file whose separator is a sign that nobody guesses."""
    path = tmp_path / "odd.csv"
    path.write_text("age#mood\n" + "\n".join(f"{20 + i}#{i % 3}" for i in range(30)))
    return path


@pytest.fixture
def show(page, wait_idle):
    """Open a file and show the dialog about it, both finished."""

    def opened(path) -> ImportDialog:
        page.files.open_paths([str(path)])
        wait_idle()
        dialog = page.show_import()
        wait_idle()
        return dialog

    return opened


def test_that_a_file_has_import_settings(page, polish, wait_idle):
    page.files.open_paths([str(polish)])
    wait_idle()
    assert page.import_action.isEnabled()
    page.files.open_sample("weather")
    wait_idle()
    assert not page.import_action.isEnabled()


def test_that_an_encoding_that_was_only_judged_is_offered_for_a_look(
    page, polish, qtbot, wait_idle
):
    page.files.open_paths([str(polish)])
    wait_idle()
    banner = page.concerns
    qtbot.waitUntil(lambda: "judged by its" in banner.label.text())
    assert banner.button.text() == "Import settings…"
    banner.button.click()
    wait_idle()
    dialog = page.findChild(ImportDialog) or page.window().findChild(ImportDialog)
    assert dialog is not None
    dialog.reject()


def test_that_the_preview_shows_the_first_rows(show, polish):
    dialog = show(polish)
    assert dialog.model.rowCount() == 40
    assert dialog.model.index(1, 0).data() == "MĘŻCZYZNA"
    assert "cp1250" in dialog.notes.text()
    assert dialog.hint.text() == "40 rows, 2 attributes"
    dialog.reject()


@pytest.mark.slow
def test_that_a_change_shows_in_the_preview(show, odd, qtbot, wait_idle):
    dialog = show(odd)
    assert dialog.model.columnCount() == 1
    dialog.separator.setEditText("#")
    qtbot.waitUntil(lambda: dialog.model.columnCount() == 2)
    dialog.missing.setText("2, 49")
    qtbot.waitUntil(lambda: dialog.model.index(2, 1).data() == "missing")
    wait_idle()
    dialog.reject()


def test_that_missing_codes_apply_beside_a_codebook(show, tmp_path, qtbot, wait_idle):
    path = tmp_path / "t.csv"
    attribute = Attribute("smokes", Kind.NOMINAL, ("no", "yes", "refused"))
    write_table(Table((Column(attribute, np.arange(9) % 3),)), path)
    dialog = show(path)
    assert dialog.model.index(2, 0).data() == "refused"
    dialog.missing.setText("refused")
    qtbot.waitUntil(lambda: dialog.model.index(2, 0).data() == "missing")
    wait_idle()
    dialog.reject()


@pytest.mark.slow
def test_that_an_impossible_setting_is_told_and_cannot_be_used(show, odd, qtbot, wait_idle):
    dialog = show(odd)
    dialog.encoding.setEditText("martian")
    qtbot.waitUntil(lambda: "no encoding “martian”" in dialog.problem.text())
    assert not dialog.read_button.isEnabled()
    dialog.encoding.setCurrentIndex(0)
    qtbot.waitUntil(dialog.read_button.isEnabled)
    wait_idle()
    dialog.reject()


@pytest.mark.slow
def test_that_read_again_reads_with_the_settings_and_remembers_them(
    page, show, odd, qtbot, wait_idle
):
    dialog = show(odd)
    dialog.separator.setEditText("#")
    qtbot.waitUntil(lambda: dialog.model.columnCount() == 2)
    dialog.findChild(QPushButton, "readAgain").click()
    qtbot.waitUntil(lambda: page.store.study.table.names == ("age", "mood"))
    assert page.store.study.table["age"].attribute.kind is Kind.INTEGER
    again = page.show_import()
    assert again.options.separator == "#"
    wait_idle()
    again.reject()


def test_that_cancel_changes_nothing(page, show, odd):
    dialog = show(odd)
    before = page.store.study
    dialog.separator.setEditText("#")
    dialog.findChild(QPushButton, "cancelImport").click()
    assert page.store.study is before


def test_that_a_workbook_has_sheets_and_no_separator(show, tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "first"
    book.active.append(["a"])
    book.active.append([1])
    second = book.create_sheet("second")
    second.append(["b"])
    second.append([2])
    path = tmp_path / "book.xlsx"
    book.save(path)
    dialog = show(path)
    assert not dialog.separator.isEnabled()
    assert dialog.separator.toolTip()
    assert dialog.sheet.isEnabled()
    names = [dialog.sheet.itemText(i) for i in range(dialog.sheet.count())]
    assert names == ["First", "first", "second"]
    dialog.sheet.setCurrentIndex(2)
    assert dialog.options == ReadOptions(sheet="second")
    dialog.reject()


def test_that_text_has_no_sheets(show, odd):
    dialog = show(odd)
    assert not dialog.sheet.isEnabled()
    assert dialog.sheet.toolTip() == "For workbooks only."
    dialog.reject()


@pytest.fixture
def nameless(tmp_path):
    """Records without a line of names."""
    path = tmp_path / "nameless.csv"
    path.write_text("".join(f"{30 + i}, {'Private' if i % 2 else 'State-gov'}\n" for i in range(9)))
    return path


@pytest.mark.slow
def test_that_a_file_without_names_is_told_of_and_its_header_row_can_be_chosen(
    page, show, nameless, qtbot, wait_idle
):
    dialog = show(nameless)
    assert page.store.study.table.rows == 9
    qtbot.waitUntil(lambda: "looks like a record" in page.concerns.label.text())
    assert dialog.header.isEnabled()
    assert dialog.header.currentText() == "Detected"
    dialog.header.setCurrentText("1")
    qtbot.waitUntil(lambda: dialog.hint.text() == "8 rows, 2 attributes")
    dialog.findChild(QPushButton, "readAgain").click()
    qtbot.waitUntil(lambda: page.store.study.table.names == ("30", "State-gov"))
    again = page.show_import()
    wait_idle()
    assert again.options.header == "1"
    again.header.setCurrentText("No names")
    qtbot.waitUntil(lambda: again.hint.text() == "9 rows, 2 attributes")
    again.findChild(QPushButton, "readAgain").click()
    qtbot.waitUntil(lambda: page.store.study.table.rows == 9)
    wait_idle()


def test_that_a_title_above_the_names_is_told_of(page, show, tmp_path, qtbot):
    path = tmp_path / "titled.csv"
    path.write_text("Survey of 2020\n\nage,mood\n31,good\n44,bad\n")
    dialog = show(path)
    assert page.store.study.table.names == ("age", "mood")
    qtbot.waitUntil(lambda: "read as its title" in page.concerns.label.text())
    dialog.reject()


def test_that_a_click_on_a_row_of_the_file_makes_it_the_names(show, tmp_path, qtbot, wait_idle):
    path = tmp_path / "titled.csv"
    path.write_text("Survey,of,2020\nid,age,town\n1,31,Oslo\n2,44,Rome\n", encoding="utf-8")
    dialog = show(path)
    assert dialog.line_model.as_texts()[2] == ["2", "id · age · town"]
    place = dialog.lines.visualRect(dialog.line_model.index(1, 1)).center()
    qtbot.mouseClick(dialog.lines.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert dialog.options.header == "2"
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 2)
    wait_idle()
    dialog.read_button.click()
    wait_idle()
    assert dialog.model.columnCount() == 3


@pytest.mark.slow
def test_that_remarks_and_blanks_can_be_kept(show, page, tmp_path, wait_idle, qtbot):
    path = tmp_path / "remarks.csv"
    path.write_text(
        "id, age, town\n1, 31, Oslo\n2, 44, Rome\n3, 52, Rome\n\nSource: us, ,\n", encoding="utf-8"
    )
    dialog = show(path)
    assert dialog.model.rowCount() == 3
    assert "remarks" in dialog.notes.text()
    dialog.keep_remarks.click()
    dialog.keep_blanks.click()
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 4)
    dialog.read_button.click()
    wait_idle()
    assert page.store.study.original.rows == 4
    assert " Rome" in page.store.study.original["town"].attribute.values
