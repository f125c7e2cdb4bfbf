"""The Data page: attributes over rows, the selected attribute at the right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QStackedLayout, QWidget

from ppworkbench.core.data.options import ReadOptions
from ppworkbench.gui.columns import restore_columns
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.keys import add_key
from ppworkbench.gui.pages.data.attribute_card import AttributeCard
from ppworkbench.gui.pages.data.attribute_model import AttributeModel
from ppworkbench.gui.pages.data.changes import Changes
from ppworkbench.gui.pages.data.concern_banner import ConcernBanner
from ppworkbench.gui.pages.data.corrections import Corrections
from ppworkbench.gui.pages.data.facts import FactKeeper
from ppworkbench.gui.pages.data.import_dialog import ImportDialog
from ppworkbench.gui.pages.data.inspector import Inspector
from ppworkbench.gui.pages.data.kind_menu import KindMenu
from ppworkbench.gui.pages.data.rows_card import RowsCard
from ppworkbench.gui.pages.data.subject import find_subject
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.widgets.empty_state import EmptyState
from ppworkbench.gui.widgets.layouts import column, splitter
from ppworkbench.gui.workbench import Workbench

_INSPECTOR = 408


class DataPage(Page):
    """Check what was understood before anything is randomised."""

    name = "data"
    icon_name = "data"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Data")
        self.question = self.tr("Check what was understood before anything is randomised")
        self._options: dict[tuple[Path, ...], ReadOptions] = {}
        self.changes = Changes(workbench, self)
        self.corrections = Corrections(workbench, self.changes, self)
        self.keeper = FactKeeper(workbench, self)
        self._make_actions()
        self._make_parts()

    def _make_parts(self) -> None:
        self._build()
        self._make_shortcuts()
        self.store.study_opened.connect(self._follow)
        self.store.data_changed.connect(self._follow)
        self._follow()

    def _make_actions(self) -> None:
        self.name_primary(
            "goToDesign", self.tr("Go to Design"), "arrow-right",
            lambda: self.workbench.page_requested.emit("design"),
        )  # fmt: skip
        self.open_action = self.action("openData", self.tr("Open…"), "open", self._on_open)
        self.import_action = self.action(
            "importSettings", self.tr("Import settings"), "gear", self.show_import
        )
        self.secondary = [self.open_action, self.import_action]

    def _build(self) -> None:
        self.concerns = ConcernBanner(self.workbench, self.keeper)
        self.concerns.import_requested.connect(self.show_import)
        model = AttributeModel(self.store, self.keeper, self.changes, self)
        self.attributes = AttributeCard(self.workbench, model)
        self.attributes.kind_requested.connect(self.show_kinds)
        self.rows = RowsCard(self.workbench)
        self.inspector = Inspector(self.workbench, self.keeper, self.corrections)
        self.inspector.make_parts()
        self.left = splitter(Qt.Orientation.Vertical, "dataRows", self.attributes, self.rows)
        self.left.setSizes([300, 254])
        across = Qt.Orientation.Horizontal
        self.columns = splitter(across, "dataColumns", self.left, self.inspector)
        self.columns.setStretchFactor(0, 1)
        self.columns.setStretchFactor(1, 0)
        self.columns.setSizes([838, _INSPECTOR])
        content = QWidget()
        layout = column(self.concerns, self.columns, parent=content, spacing=10)
        layout.setContentsMargins(16, 4, 16, 12)
        layout.setStretch(1, 1)
        self.empty = EmptyState(
            self.themes,
            "data",
            self.tr("There are no answers yet"),
            self.tr("Open a table, a sample or distorted answers with their design to see them "
                    "here."),
            self.tr("Back to the start screen"),
        )  # fmt: skip
        self.empty.button.setObjectName("backToStart")
        self.empty.button.clicked.connect(lambda *_: self.workbench.page_requested.emit("start"))
        self._stack = QStackedLayout(self)
        self._stack.addWidget(content)
        self._stack.addWidget(self.empty)
        restore_columns(self, self.workbench.settings)

    def _make_shortcuts(self) -> None:
        move = self.attributes.move_selection
        add_key(self, "Ctrl+F", self.tr("Filter the attributes"), self.attributes.start_search)
        add_key(self, "Alt+Up", self.tr("Previous attribute"), lambda: move(-1))
        add_key(self, "Alt+Down", self.tr("Next attribute"), lambda: move(1))

    @property
    def asides(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without."""
        return (self.rows,)

    @property
    def missing(self) -> str:
        """Why the page cannot be used yet."""
        if self.store.study.table is not None:
            return ""
        return self.tr("There are no answers yet. Open a table or a sample.")

    def show_kinds(self, place: QPoint) -> None:
        """Offer the kinds for what is selected."""
        subject = find_subject(self.store, self.keeper, self.corrections)
        if subject is None or subject.reason_against:
            return
        kinds = {attribute.kind for attribute in subject.attributes}
        current = next(iter(kinds)) if len(kinds) == 1 else None
        menu = KindMenu(
            self.themes,
            current,
            subject.impossible,
            lambda kind: self.corrections.set_kind(subject.names, kind),
            self,
        )
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)

    def show_import(self) -> ImportDialog | None:
        """Ask how the file should be read, and read it again so."""
        path = self._source()
        if path is None or self.files is None:
            return None
        paths = self.files.last_paths
        options = self._options.get(paths, ReadOptions())
        dialog = ImportDialog(self.workbench, path, options, self.window())
        dialog.accepted.connect(lambda: self._read_again(paths, dialog.options))
        show_dialog(dialog, self.themes)
        return dialog

    def _read_again(self, paths: tuple[Path, ...], options: ReadOptions) -> None:
        if self.files is not None:
            self._options = {paths: options}
            self.files.open_paths([str(path) for path in paths], options)

    def _source(self) -> Path | None:
        """The file that the answers came from, if it is still known and there."""
        table = self.store.study.table
        if table is None or self.files is None:
            return None
        return next((p for p in self.files.last_paths if str(p) == table.source), None)

    def _follow(self) -> None:
        has_table = self.store.study.table is not None
        self._stack.setCurrentIndex(0 if has_table else 1)
        self.primary.setEnabled(not self.store.study.is_empty)
        self.attributes.set_read_only(bool(self.corrections.reason_against))
        self.open_action.setEnabled(self.files is not None)
        has_file = self._source() is not None
        self.import_action.setEnabled(has_file)
        self.import_action.setToolTip(
            ""
            if has_file
            else self.tr("These answers were not read from a file, so there is nothing to set.")
        )

    def column_stops(self) -> Sequence[QWidget]:
        """The two tables and the kind of the chosen attribute."""
        return [self.attributes.view, self.rows.view, self.inspector.kind.kind]

    def _on_open(self) -> None:
        if self.files is not None:
            self.files.open_dialog()
