"""What the tour shows of designs side by side, of empty pages, and of the window's dialogs."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QApplication, QDialog

from ppworkbench.core.atomic import make_temporary_folder
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.design import Uniform
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.main_window import MainWindow

_KEEPS = (0.8, 0.65, 0.5)
_FILE = "age,sex,town\n30,F,Riverside\n41,M,Hillcrest\n"


def show_compare(window: MainWindow) -> None:
    """Three pinned designs beside the current one."""
    from ppworkbench.gui.pages.design import DesignPage

    window.show_page("design")
    page = window.page("design")
    assert isinstance(page, DesignPage)  # noqa: S101 (made under this name)
    window.store.select(["home"])
    for keep in _KEEPS:
        window.store.set_perturbation(["home"], Uniform(keep=keep))
        if window.store.current is not None:
            page.comparing.board.toggle(window.store.current)
    window.store.set_perturbation(["home"], Uniform(keep=0.7))
    page.comparing.action.setChecked(True)


def leave_compare(window: MainWindow) -> None:
    """Show one design again."""
    from ppworkbench.gui.pages.design import DesignPage

    page = window.page("design")
    assert isinstance(page, DesignPage)  # noqa: S101 (made under this name)
    page.comparing.action.setChecked(False)


def show_numbers(window: MainWindow) -> None:
    """A numeric attribute on the Data page."""
    window.show_page("data")
    window.store.select(["income"])


def _dialog(make: Callable[[MainWindow], QDialog]) -> Callable[[MainWindow], None]:
    return lambda window: _show(window, make(window))


def _show(window: MainWindow, dialog: QDialog) -> None:
    if not dialog.isVisible():
        show_dialog(dialog, window.workbench.themes)
    QApplication.processEvents()


def _import(window: MainWindow) -> QDialog:
    from ppworkbench.gui.pages.data.import_dialog import ImportDialog

    folder = window.workbench.folder or make_temporary_folder()
    path = folder / "survey.csv"
    path.write_text(_FILE, encoding="utf-8")
    return ImportDialog(window.workbench, path, ReadOptions(), window)


def _frontier(window: MainWindow) -> QDialog:
    from ppworkbench.gui.pages.design.frontier_dialog import FrontierDialog

    return FrontierDialog(window.workbench, "car", window)


def _group(window: MainWindow) -> QDialog:
    from ppworkbench.gui.pages.design.group_dialog import GroupDialog

    return GroupDialog(window.workbench, ("car", "drug_use"), window)


def _matrix(window: MainWindow) -> QDialog:
    from ppworkbench.gui.pages.design.matrix_import import MatrixImportDialog

    return MatrixImportDialog("0.8 0.2\n0.2 0.8\n", ("no", "yes"), window)


def _items(window: MainWindow) -> QDialog:
    from ppworkbench.gui.pages.mine import MinePage
    from ppworkbench.gui.pages.mine.item_dialog import ItemDialog

    window.show_page("mine")
    page = window.page("mine")
    assert isinstance(page, MinePage)  # noqa: S101 (made under this name)
    # Else it knows the items of a study that was opened since only in a moment.
    page.refresh()
    return ItemDialog(window.workbench.themes, page.offer, page.offer.usual[:3], window)


def _questions(window: MainWindow) -> QDialog:
    from ppworkbench.gui.pages.start.questions_dialog import QuestionsDialog

    return QuestionsDialog(window.workbench, window)


def _help(window: MainWindow) -> QDialog:
    from ppworkbench.gui.help_viewer import show_help

    return show_help("design", window.workbench, window)


def _about(window: MainWindow) -> QDialog:
    from ppworkbench.gui.about_dialog import AboutDialog

    return AboutDialog(window.workbench, window)


def _keys(window: MainWindow) -> None:
    from ppworkbench.gui.shortcuts_dialog import ShortcutsDialog

    _show(window, ShortcutsDialog(window))


def _palette(window: MainWindow) -> QDialog:
    from ppworkbench.gui.palette.dialog import PaletteDialog

    palette = PaletteDialog(window)
    palette.open_anew()
    palette.type("p")
    return palette


def _numbers(window: MainWindow) -> QDialog:
    from ppworkbench.gui.plots.numbers_dialog import NumbersDialog
    from ppworkbench.gui.plots.pictures import pictures_of

    window.show_page("design")
    QApplication.processEvents()
    pictures = pictures_of(window.page("design"))
    return NumbersDialog(window.workbench.themes, pictures, pictures[0], window)


def _details(window: MainWindow) -> QDialog:
    from ppworkbench.gui.error_details import ErrorDetails

    return ErrorDetails(RuntimeError("Something that nobody thought of."), window)


DIALOGS: dict[str, Callable[[MainWindow], None]] = {
    "dialog-import": _dialog(_import),
    "dialog-best-trade": _dialog(_frontier),
    "dialog-one-coin": _dialog(_group),
    "dialog-matrix": _dialog(_matrix),
    "dialog-items": _dialog(_items),
    "dialog-questions": _dialog(_questions),
    "dialog-help": _dialog(_help),
    "dialog-about": _dialog(_about),
    "dialog-keys": _keys,
    "dialog-details": _dialog(_details),
    "dialog-palette": _dialog(_palette),
    "dialog-numbers": _dialog(_numbers),
}
"""Each of them over whatever page is in front."""
