"""The window that lists all keys."""

from __future__ import annotations

from ppworkbench.gui.gentle import get_ready
from ppworkbench.gui.shortcut_map import shortcut_map
from ppworkbench.gui.shortcuts_dialog import ShortcutsDialog


def test_that_all_keys_are_listed_in_two_columns_and_can_be_searched(window, qtbot):
    dialog = ShortcutsDialog(window)
    qtbot.addWidget(dialog)
    assert dialog.groups == []
    assert get_ready(dialog, window.workbench.themes, dialog.fill())
    dialog.show()
    titles = [group.title for group in shortcut_map(window)]
    assert [group._title for group in dialog.groups] == titles
    assert len({group.x() for group in dialog.groups}) == 2
    dialog.filter.setText("MATRIX copy")
    found = [group for group in dialog.groups if group.isVisible()]
    assert [group._title for group in found] == ["Probability matrix"]
    assert not dialog.nothing.isVisible()
    dialog.filter.setText("no key is called this")
    assert dialog.nothing.isVisible()
    dialog.filter.clear()
    assert all(group.isVisible() for group in dialog.groups)


def test_that_the_list_is_filled_piece_by_piece(window, qtbot):
    dialog = ShortcutsDialog(window)
    qtbot.addWidget(dialog)
    made = [len(dialog.groups) for _ in dialog.fill()]
    assert made == list(range(len(shortcut_map(window)) + 1))
