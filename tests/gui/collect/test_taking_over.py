"""Taking answers over from a real collector into a study that has some already."""

from __future__ import annotations

from collections import Counter

import pytest
from asked_studies import reported_rows
from PySide6.QtCore import Qt
from window_hands import CTRL, press

from ppworkbench.study.answer_state import AnswerState


def answers(study):
    table = study.distorted
    columns = [[one.attribute.values[code] for code in one.data] for one in table]
    return Counter(zip(*columns, strict=True))


def sent(rows):
    return Counter(tuple(row.values()) for row in rows)


def take_over(field):
    field.click("takeOver")
    field.wait(lambda: not field.page.collecting.is_busy, "read")


def press_keys(field, key):
    """Press a key with Ctrl, in the window that is in front again after a dialog."""
    field.window.activateWindow()
    field.wait(field.window.isActiveWindow, "in front")
    press(field.window, key, CTRL)


@pytest.mark.slow
def test_that_only_answers_from_elsewhere_are_asked_about(field, dialogs):
    store = field.window.store
    rows = reported_rows(12)
    field.start()
    assert set(field.answer(rows)) == {204}
    take_over(field)
    field.wait(lambda: store.study.state is AnswerState.REPORTED, "taken over")
    assert not dialogs.is_open
    assert answers(store.study) == sent(rows)

    # More of the same collection comes without a question.
    more = reported_rows(3, seed=8)
    field.answer(more)
    take_over(field)
    field.wait(lambda: store.study.rows == 15, "more")
    assert not dialogs.is_open

    # As many answers as were taken over, but others: nobody must lose them unasked.
    field.answer(more)
    ours = store.study.distorted
    foreign = ours.with_(
        columns=tuple(
            one.with_(data=one.data[::-1] if one.name != "ticket" else 1 - one.data) for one in ours
        )
    )
    store.apply(store.study.with_(distorted=foreign), "Add 15 responses")
    for label in ("Cancel", "Replace"):
        take_over(field)
        assert "15 answers that were not imported" in dialogs.answer(label)
        field.wait(lambda: not field.page.collecting.is_busy, "asked")
        assert store.study.rows == (15 if label == "Cancel" else 18)
    assert answers(store.study) == sent([*rows, *more, *more])

    # What was replaced comes back by Undo, and is asked about again.
    press_keys(field, Qt.Key.Key_Z)
    field.wait(lambda: store.study.distorted is foreign, "undone")
    take_over(field)
    dialogs.answer("Cancel")
    press_keys(field, Qt.Key.Key_Y)
    field.wait(lambda: store.study.rows == 18, "done again")
    take_over(field)
    assert not dialogs.is_open
