"""The Data page: attributes over rows, the selected attribute at the right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QStackedLayout, QWidget

from ppworkbench.core.data.options import ReadOptions
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.keys import add_key
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.data.attribute_table import AttributeCard, AttributeModel
from ppworkbench.gui.pages.data.edits import (
    Changes,
    Corrections,
    KindMenu,
    SummaryCache,
    find_subject,
)
from ppworkbench.gui.pages.data.import_dialog import ImportDialog
from ppworkbench.gui.pages.data.inspector import Inspector
from ppworkbench.gui.pages.data.rows_table import RowsCard
from ppworkbench.gui.pages.data.texts import warning_text
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.card import EmptyState
from ppworkbench.gui.widgets.layout import column, restore_columns, splitter
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.data_checks import DataWarning, find_warnings

_TOLD = 2
_AT_ONCE = 200
"""So many attributes are judged faster than anybody notices; more of them are a job."""


class ConcernBanner(QWidget):
    """Hidden when all is clear; what was closed is not told again while the study is open."""

    import_requested = Signal()

    def __init__(self, workbench: Workbench, keeper: SummaryCache) -> None:
        super().__init__()
        self._workbench = workbench
        self._store = workbench.store
        self._keeper = keeper
        self._closed: set[DataWarning] = set()
        self._next = 0
        self.concerns: tuple[DataWarning, ...] = ()
        self.banner = Banner(workbench.themes)
        self.banner.setObjectName("concerns")
        self.banner.closed.connect(self._on_closed)
        column(self.banner, parent=self)
        self._store.study_opened.connect(self._on_opened)
        self._is_opening = False
        self._due = single_shot(self, self.refresh)
        self._store.data_changed.connect(self._on_data_changed)
        # Apart from what else is done when a job has counted them.
        keeper.missing_counted.connect(self._due.start)
        self.refresh()

    def refresh(self) -> None:
        """Look for things to look at."""
        study = self._store.study
        if study.original is None:
            self.concerns = ()
            self._tell_distorted() if study.distorted is not None else self._hide()
            return
        table, missing = study.original, self._keeper.missing
        if len(table.columns) <= _AT_ONCE:
            self._take_over(find_warnings(table, missing))
            return

        def done(found: tuple[DataWarning, ...]) -> None:
            if self._store.study.original is table:
                self._take_over(found)

        self._workbench.run(
            self.tr("Looking for doubts"),
            lambda _: find_warnings(table, missing),
            done,
            key="data concerns",
            quiet=True,
        )

    def _take_over(self, found: tuple[DataWarning, ...]) -> None:
        self.concerns = tuple(concern for concern in found if concern not in self._closed)
        self._next = min(self._next, max(len(self.concerns) - 1, 0))
        self._tell() if self.concerns else self._hide()

    def _tell(self) -> None:
        told = self.concerns[:_TOLD]
        sentences = " ".join(warning_text(concern) for concern in told)
        rest = len(self.concerns) - len(told)
        if rest == 1:
            sentences = self.tr("%s And one more.") % sentences
        elif rest:
            sentences = self.tr("%s And %s more.") % (sentences, number(rest))
        concern = self.concerns[self._next]
        words = self.tr("Show the first") if self._next == 0 else self.tr("Show the next")
        if concern.about_import:
            words = self.tr("Import settings…")
        action = (words, self._on_action) if self._leads_somewhere() else None
        self.banner.say("warning", self._title(), sentences, action)
        self.banner.setToolTip("\n".join(warning_text(concern) for concern in self.concerns[:20]))
        self.show()

    def _tell_distorted(self) -> None:
        self.banner.say(
            "info",
            self.tr("These answers are distorted."),
            self.tr("Kinds and values come from their design and cannot be changed here."),
            closable=False,
        )
        self.banner.setToolTip("")
        self.show()

    def _hide(self) -> None:
        self.banner.hide()
        self.hide()

    def _title(self) -> str:
        words = {
            1: self.tr("One thing to look at."),
            2: self.tr("Two things to look at."),
            3: self.tr("Three things to look at."),
            4: self.tr("Four things to look at."),
            5: self.tr("Five things to look at."),
        }
        count = len(self.concerns)
        return words.get(count, self.tr("%s things to look at.") % number(count))

    def _leads_somewhere(self) -> bool:
        return any(concern.attribute or concern.about_import for concern in self.concerns)

    def _on_action(self) -> None:
        count = len(self.concerns)
        for step in range(count):
            place = (self._next + step) % count
            concern = self.concerns[place]
            if concern.attribute or concern.about_import:
                self._next = (place + 1) % count
                if concern.about_import:
                    self.import_requested.emit()
                else:
                    self._store.select([concern.attribute])
                break
        self._tell()

    def _on_closed(self) -> None:
        self._closed.update(self.concerns)
        self.refresh()

    def _on_opened(self) -> None:
        # What there is to tell follows with the change of the data.
        self._closed.clear()
        self._next = 0
        self._is_opening = True

    def _on_data_changed(self) -> None:
        if self._is_opening:
            # After the tables, in an event of its own: together they would take too long.
            self._is_opening = False
            self._due.start()
        else:
            self.refresh()


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
        self.keeper = SummaryCache(workbench, self)
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
