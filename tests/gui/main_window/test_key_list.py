"""The window that lists all keys."""

from __future__ import annotations

from ppworkbench.gui.window.shortcuts_dialog import ShortcutsDialog, shortcut_map


def test_that_all_keys_are_listed_in_two_columns_and_can_be_searched(window, qtbot):
    dialog = ShortcutsDialog(window)
    qtbot.addWidget(dialog)
    dialog.show()
    titles = [group.title for group in shortcut_map(window)]
    assert [group._title for group in dialog.groups] == titles
    assert len({group.x() for group in dialog.groups}) == 2
    dialog.filter.setText("MATRIX copy")
    found = [group for group in dialog.groups if group.isVisible()]
    assert [group._title for group in found] == ["Transition matrix"]
    assert not dialog.nothing.isVisible()
    dialog.filter.setText("no key is called this")
    assert dialog.nothing.isVisible()
    dialog.filter.clear()
    assert all(group.isVisible() for group in dialog.groups)
