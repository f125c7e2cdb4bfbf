"""Columns that may name people are not released unless somebody ticks that."""

from __future__ import annotations

import numpy as np
import pytest
from designs import classic_study
from publish_tables import smokers

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.table import Column
from ppworkbench.core.message import Message
from ppworkbench.gui.pages.publish.bundle_dialog import ReleaseDialog
from ppworkbench.outputs.publication import DENIABLE, ReleasePlan
from ppworkbench.study.study import Study


@pytest.fixture
def study() -> Study:
    rows = 200
    values = tuple(f"person{n}@example.org" for n in range(rows))
    why = Message("Text that is almost always distinct.", code="names")
    email = Attribute("email", Kind.NOMINAL, values, reason=why)
    table = smokers(rows)
    table = table.with_(columns=(Column(email, np.arange(rows)), *table))
    return classic_study(table, "smokers")


def test_that_the_design_to_start_from_has_no_names(study):
    assert "email" not in study.design


def test_that_names_are_released_only_when_that_is_ticked(page, act, qtbot, tmp_path):
    assert page.plan.mode == DENIABLE
    assert page.left_out == ("email",)
    box = page.settings_card.names
    assert box.isVisibleTo(page)
    assert not box.isChecked()
    assert "email" in box.toolTip()
    dialog = ReleaseDialog(page.workbench, page.subject, page._options)
    qtbot.addWidget(dialog)
    assert dialog.options.leave_out == ("email",)
    told = [str(point.sentence) for point in page.subject.points(dialog.options)]
    assert "email: omitted" in told
    dialog.path.setText(str(tmp_path / "out"))
    act(dialog.export_now)
    assert "email" not in read_table(tmp_path / "out" / "smokers.csv").names
    assert b"email" not in b"".join(one.read_bytes() for one in (tmp_path / "out").iterdir())
    # A second release of the same answers is warned of.
    assert "The true answers were released before" not in told
    told = [str(point.sentence) for point in page.subject.points(dialog.options)]
    assert "The true answers were released before" in told
    listed = (tmp_path / "out" / "README.txt").read_text(encoding="utf-8")
    assert "released before" not in listed
    act(box.click)
    assert page.left_out == ()
    assert ReleasePlan.of(page.store.study).with_names
