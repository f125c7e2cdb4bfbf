"""Opening dialogs and menus: each is an instance with a parent that is deleted once it is done.

Nothing here waits in an event loop of its own: an answer arrives by a callback. Qt's static helpers
make windows that Python does not own and would touch after Qt has deleted them.
"""

from __future__ import annotations

import os
import re
import traceback
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QFontDatabase, QIcon
from PySide6.QtWidgets import (
    QAbstractButton,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QInputDialog,
    QMenu,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from ppworkbench.gui.application import log_path
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layout import column, named, text
from ppworkbench.gui.widgets.sizes import enlargement
from ppworkbench.results.files import TABLES

ButtonRole = QMessageBox.ButtonRole
_PRIMARY = (QDialogButtonBox.StandardButton.Ok, QDialogButtonBox.StandardButton.Save)
"""Standard buttons that lead on, and are filled for it."""


class FileMode(Enum):
    OPEN = "open"
    OPEN_SEVERAL = "open several"
    SAVE = "save"
    FOLDER = "folder"


class Choice(NamedTuple):
    """A button of a question; ``key`` is what the answer is called."""

    key: str
    label: str
    role: ButtonRole = ButtonRole.ActionRole


def show_dialog(
    dialog: QDialog,
    themes: ThemeManager | None = None,
    finished: Callable[[int], object] | None = None,
) -> None:
    """Open a dialog over its parent, in the look of the theme, and delete it when it is done.

    ``finished`` is given the result, ``QDialog.DialogCode.Accepted`` or ``Rejected``.
    """
    _style_buttons(dialog)
    _set_default_button(dialog)
    if themes is not None:
        themes.apply_theme(dialog)
    _widen_buttons(dialog)
    if finished is not None:
        dialog.finished.connect(finished)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def ask(
    parent: QWidget | None,
    themes: ThemeManager | None,
    title: str,
    question: str,
    choices: Sequence[Choice],
    answered: Callable[[str], object],
) -> QMessageBox:
    """Ask a question; ``answered`` is given the key of the button, the first is the default.

    Esc means the choice with the role to reject, which is "Cancel" (``cancel``) unless another one
    is given. A window that is closed in another way answers nothing.
    """
    if all(choice.role != ButtonRole.RejectRole for choice in choices):
        choices = (*choices, Choice("cancel", tr("Cancel"), ButtonRole.RejectRole))
    box = named(QMessageBox(_window_of(parent)), "question")
    box.setWindowTitle(title)
    box.setText(question)
    keys: dict[QAbstractButton, str] = {}
    for choice in choices:
        button = QPushButton(choice.label)
        box.addButton(button, choice.role)
        keys[button] = choice.key
        if choice.role == ButtonRole.RejectRole:
            box.setEscapeButton(button)
        if choice is choices[0]:
            button.setProperty("look", "primary")
            box.setDefaultButton(button)

    def on_finished(_: int) -> None:
        clicked = keys.get(box.clickedButton())
        if clicked is not None:
            answered(clicked)

    show_dialog(box, themes, on_finished)
    return box


def confirm(
    parent: QWidget | None,
    themes: ThemeManager | None,
    title: str,
    question: str,
    words: str,
    do: Callable[[], object],
) -> QMessageBox:
    """Ask whether to do something; ``words`` are those of the button that does it."""
    choices = (Choice("do", words, ButtonRole.AcceptRole),)
    return ask(parent, themes, title, question, choices, lambda key: do() if key == "do" else None)


def choose_file(
    parent: QWidget | None,
    title: str,
    start: str,
    filters: str,
    chosen: Callable[[Sequence[Path], str], object],
    mode: FileMode = FileMode.OPEN,
    selected_filter: str = "",
) -> QFileDialog:
    """Ask for files or a folder; ``chosen`` is given the paths and the filter that was selected.

    ``start`` is a folder, or for saving the suggested file. An existing file is confirmed by the
    dialog, with the suffix of the filter where the name has none.
    """
    dialog = named(QFileDialog(_window_of(parent), title), "chooseFile")
    if mode is FileMode.FOLDER:
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    elif mode is FileMode.SAVE:
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    else:
        several = mode is FileMode.OPEN_SEVERAL
        modes = QFileDialog.FileMode
        dialog.setFileMode(modes.ExistingFiles if several else modes.ExistingFile)
    if filters:
        dialog.setNameFilters(filters.split(";;"))
    if selected_filter:
        dialog.selectNameFilter(selected_filter)
    if mode is FileMode.SAVE:
        _follow_suffix(dialog)
    _start_at(dialog, start, mode)

    def on_finished(result: int) -> None:
        paths = [Path(name) for name in dialog.selectedFiles() if name]
        if result == QDialog.DialogCode.Accepted and paths:
            chosen(paths, dialog.selectedNameFilter())

    # It has the palette of the application but no style sheet: Qt builds it, or the system does.
    show_dialog(dialog, None, on_finished)
    return dialog


def save_file(
    parent: QWidget | None,
    title: str,
    start: str,
    filters: str,
    chosen: Callable[[Path], object],
    selected_filter: str = "",
) -> QFileDialog:
    """Ask where to save one file; it has a suffix of the filters."""

    def take(paths: Sequence[Path], selected: str) -> None:
        path, allowed = paths[0], _suffixes(filters)
        if path.suffix.lower() in allowed:
            chosen(path)
            return
        suffix = next(iter(_suffixes(selected)), allowed[0])
        path = path.with_name(path.name + suffix)
        if path.exists():
            # The dialog has asked about the name as it was typed.
            ask_to_replace(parent, None, path, lambda: chosen(path))
        else:
            chosen(path)

    return choose_file(parent, title, start, filters, take, FileMode.SAVE, selected_filter)


def save_table(
    parent: QWidget | None,
    title: str,
    start: str,
    chosen: Callable[[Path], object],
    *also: str,
) -> QFileDialog:
    """Ask where to save a table, in any of the kinds that tables are written as.

    ``also`` are filters of further files, which follow.
    """
    kinds = [f"{translate(one.name)} (*{one.suffix})" for one in TABLES]
    return save_file(parent, title, start, ";;".join([*kinds, *also]), chosen)


def ask_to_replace(
    parent: QWidget | None,
    themes: ThemeManager | None,
    path: Path,
    replace: Callable[[], object],
    *also: Path,
) -> None:
    names = ", ".join(one.name for one in (path, *also))
    words = (tr("%s exist. Replace them?") if also else tr("%s exists. Replace it?")) % names
    confirm(parent, themes, tr("Replace the file?"), words, tr("Replace"), replace)


def ask_number(
    parent: QWidget | None,
    themes: ThemeManager | None,
    title: str,
    label: str,
    value: float,
    limits: tuple[float, float],
    entered: Callable[[float], object],
) -> QInputDialog:
    dialog = QInputDialog(_window_of(parent))
    dialog.setWindowTitle(title)
    dialog.setLabelText(label)
    dialog.setInputMode(QInputDialog.InputMode.DoubleInput)
    dialog.setDoubleRange(*limits)
    dialog.setDoubleDecimals(1)
    dialog.setDoubleValue(value)

    def on_finished(result: int) -> None:
        if result == QDialog.DialogCode.Accepted:
            entered(dialog.doubleValue())

    show_dialog(dialog, themes, on_finished)
    return dialog


def show_menu(menu: QMenu, place: QPoint) -> None:
    """Open a context menu at a place of the screen; it is deleted when it closes."""
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.popup(place)


def _window_of(parent: QWidget | None) -> QWidget | None:
    return parent if parent is None else parent.window()


def _start_at(dialog: QFileDialog, start: str, mode: FileMode) -> None:
    path = Path(start) if start else Path()
    if mode is FileMode.SAVE:
        if path.parent != Path():
            dialog.setDirectory(str(path.parent))
        dialog.selectFile(path.name)
    elif start:
        dialog.setDirectory(start)


def _follow_suffix(dialog: QFileDialog) -> None:
    """Append the suffix of the filter inside the dialog, which then asks about the true file.

    Whoever chooses another filter means its kind of file, though the name has the suffix of one.
    """
    known = _suffixes(";;".join(dialog.nameFilters()))

    def follow(selected: str) -> None:
        allowed, named = _suffixes(selected), [Path(one) for one in dialog.selectedFiles()]
        dialog.setDefaultSuffix(next(iter(allowed), "").lstrip("."))
        if named and allowed and named[0].suffix.lower() in set(known) - set(allowed):
            dialog.selectFile(named[0].with_suffix(allowed[0]).name)

    follow(dialog.selectedNameFilter())
    dialog.filterSelected.connect(follow)


def _suffixes(filters: str) -> list[str]:
    """The endings that name filters such as ``CSV (*.csv);;Excel (*.xlsx)`` allow."""
    return [f".{suffix.lower()}" for suffix in re.findall(r"\*\.(\w+)", filters)]


def _style_buttons(dialog: QDialog) -> None:
    """Take the system's little pictures away from the buttons, and fill the one that leads on."""
    if isinstance(dialog, QFileDialog):
        return
    if isinstance(dialog, QMessageBox):
        dialog.setIcon(QMessageBox.Icon.NoIcon)
    boxes: Iterable[QDialogButtonBox] = dialog.findChildren(QDialogButtonBox)
    for box in boxes:
        for button in box.buttons():
            button.setIcon(QIcon())
            if box.standardButton(button) in _PRIMARY:
                button.setProperty("look", "primary")


def _set_default_button(dialog: QDialog) -> None:
    """Let Enter press the filled button; Qt would take the first one, such as "Choose…".

    A box of buttons does that by itself. If somebody else does, Tab goes past its other buttons.
    """
    buttons: Iterable[QPushButton] = dialog.findChildren(QPushButton)
    filled = [button for button in buttons if button.property("look") == "primary"]
    if len(filled) == 1 and not isinstance(filled[0].parentWidget(), QDialogButtonBox):
        # One that was made the default before it had a dialog would not tell the dialog.
        filled[0].setDefault(False)
        filled[0].setDefault(True)


def _widen_buttons(dialog: QDialog) -> None:
    """Show the labels of buttons whole: the least width of the style sheet is not their own."""
    if isinstance(dialog, QFileDialog):
        return
    boxes: Iterable[QDialogButtonBox] = dialog.findChildren(QDialogButtonBox)
    for button in (one for box in boxes for one in box.buttons()):
        button.ensurePolished()
        button.setMinimumWidth(max(button.minimumWidth(), button.sizeHint().width()))


def ok_cancel(dialog: QDialog, accept: Callable[[], object], words: str = "") -> QDialogButtonBox:
    """Two buttons, of which the first may say in its own words what it does."""
    standard = QDialogButtonBox.StandardButton
    buttons = QDialogButtonBox(standard.Ok | standard.Cancel)
    if words:
        buttons.button(standard.Ok).setText(words)
    buttons.accepted.connect(accept)
    buttons.rejected.connect(dialog.reject)
    return buttons


def close_buttons(dialog: QDialog) -> QDialogButtonBox:
    """One button that closes, in the language of the window; Fusion takes that of the system."""
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    buttons.button(QDialogButtonBox.StandardButton.Close).setText(tr("Close"))
    return buttons


def resize_dialog(dialog: QDialog, width: int, height: int) -> None:
    """Open at a size in pixels of normal text, larger by as much as text is larger.

    Enlarged text makes no dialog larger than the window it belongs to.
    """
    usual = QSize(width, height)
    scale = enlargement(dialog)
    wanted = QSize(round(width * scale), round(height * scale))
    parent = dialog.parentWidget()
    if parent is not None:
        wanted = wanted.boundedTo(parent.window().size() - QSize(32, 48))
    dialog.resize(wanted.expandedTo(usual))


class ErrorDetails(QDialog):
    """The trace of an error, to copy into a report, and where the log lies."""

    def __init__(self, error: object, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Error details"))
        trace = str(error)
        if isinstance(error, BaseException):
            trace = "".join(traceback.format_exception(error))
        box = named(QPlainTextEdit(trace), "trace")
        box.setReadOnly(True)
        box.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        box.setAccessibleName(self.tr("Traceback"))
        # A long path goes on in the next line after one of its folders.
        path = str(log_path()).replace(os.sep, f"{os.sep}\u200b")
        where = text(self.tr("Log file: %s") % path, "hint", wrap=True)
        column(where, box, close_buttons(self), parent=self, margin=16)
        resize_dialog(self, 760, 420)
