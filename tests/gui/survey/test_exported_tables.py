"""“Export table…” of the Survey page in the hands of a person who is in a hurry."""

from __future__ import annotations

import pytest
from asking import CONDITION, ask, settle
from PySide6.QtWidgets import QFileDialog, QLineEdit

from ppworkbench.results.files import TABLES


@pytest.mark.parametrize("kind", TABLES, ids=lambda one: one.suffix)
def test_that_the_kind_that_is_chosen_is_the_kind_that_is_written(
    qtbot, page, dialogs, tmp_path, kind
):
    said = []
    page.workbench.toast_requested.connect(lambda words, *_: said.append(words))
    ask(qtbot, page, CONDITION)
    page.export_action.trigger()
    dialogs.cancel()
    page.export_action.trigger()
    dialogs.choose_kind(f"{kind.name} (*{kind.suffix})")
    field = dialogs.front(QFileDialog).findChild(QLineEdit, "fileNameEdit")
    assert field.text() == f"small-count{kind.suffix}"
    # Typed without an ending.
    dialogs.choose(tmp_path / "mine")
    settle(qtbot, page)
    assert [one.name for one in tmp_path.glob("mine*")] == [f"mine{kind.suffix}"]
    text = (tmp_path / f"mine{kind.suffix}").read_text("utf-8")
    assert ("confidence intervals in brackets" in text) != bool(kind.separator)
    assert said == [f"Saved as mine{kind.suffix}."]


def test_that_an_ending_that_is_no_table_gets_one(qtbot, page, dialogs, tmp_path):
    ask(qtbot, page, CONDITION)
    page.export_action.trigger()
    dialogs.choose(tmp_path / "mine.docx")
    settle(qtbot, page)
    assert [one.name for one in tmp_path.glob("mine*")] == ["mine.docx.csv"]
