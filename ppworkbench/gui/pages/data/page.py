"""The Data page: attributes over rows, the selected attribute at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QStackedLayout, QWidget

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.sampling_roles import REPLICATES
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.keys import add_key
from ppworkbench.gui.numbers import counted, number
from ppworkbench.gui.pages.data.attribute_table import AttributeCard, KindMenu
from ppworkbench.gui.pages.data.edits import EditQueue, SummaryCache, set_kind, set_role
from ppworkbench.gui.pages.data.import_dialog import ImportDialog
from ppworkbench.gui.pages.data.inspector import Inspector
from ppworkbench.gui.pages.data.questions import QuestionsPage
from ppworkbench.gui.pages.data.rows_table import RowsCard
from ppworkbench.gui.pages.data.view import (
    DataView,
    Selection,
    refusal_text,
    warning_text,
    why_not_editable,
)
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.card import EmptyState
from ppworkbench.gui.widgets.labels import role_word
from ppworkbench.gui.widgets.layout import column
from ppworkbench.gui.widgets.splitter import restore_columns, splitter
from ppworkbench.gui.widgets.table import open_filter
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.data_checks import DataWarning, find_not_asked, find_warnings
from ppworkbench.study.sampling import suggested_roles

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis
    from ppworkbench.study.study import Study

_TOLD = 2
_AT_ONCE = 200
"""So many attributes are judged faster than anybody notices; more of them are a job."""
_MOST_LOOKED_AT = 40
"""With more attributes selected than this, a kind is simply tried."""


class ConcernBanner(Banner):
    """Hidden when all is clear; what was closed is not told again while the study is open."""

    import_requested = Signal()
    name_chosen = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes)
        self._view = DataView()
        self._closed: set[DataWarning] = set()
        self._next = 0
        self.concerns: tuple[DataWarning, ...] = ()
        self.setObjectName("concerns")
        self.closed.connect(self._on_closed)

    def set_view(self, view: DataView) -> None:
        before, self._view = self._view, view
        if view.document is not before.document:
            self._closed.clear()
            self._next = 0
        elif view.table is before.table and (view.warnings, view.is_distorted) == (
            before.warnings,
            before.is_distorted,
        ):
            return
        self._refresh()

    def _refresh(self) -> None:
        self.concerns = tuple(one for one in self._view.warnings if one not in self._closed)
        self._next = min(self._next, max(len(self.concerns) - 1, 0))
        if self._view.is_distorted:
            self._tell_distorted()
        elif self.concerns:
            self._tell()
        else:
            self.hide()

    def _tell(self) -> None:
        told = self.concerns[:_TOLD]
        shown = self._view.study.shown
        sentences = " ".join(warning_text(concern, shown) for concern in told)
        rest = len(self.concerns) - len(told)
        if rest == 1:
            sentences = self.tr("%s 1 more.") % sentences
        elif rest:
            sentences = self.tr("%s %s more.") % (sentences, number(rest))
        concern = self.concerns[self._next]
        words = self.tr("Show the first") if self._next == 0 else self.tr("Show the next")
        if concern.about_import:
            words = self.tr("Import settings…")
        action = (words, self._on_action) if self._leads_somewhere() else None
        self.say("warning", self._title(), sentences, action)
        every = (warning_text(concern, shown) for concern in self.concerns[:20])
        self.setToolTip("\n".join(every))

    def _tell_distorted(self) -> None:
        self.say(
            "info",
            self.tr("These answers are distorted."),
            self.tr("Kinds and values come from their design and cannot be changed here."),
            closable=False,
        )
        self.setToolTip("")

    def _title(self) -> str:
        said = self.tr("1 thing to check."), self.tr("%s things to check.")
        return counted(len(self.concerns), *said)

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
                    self.name_chosen.emit(concern.attribute)
                break
        self._tell()

    def _on_closed(self) -> None:
        self._closed.update(self.concerns)
        self._refresh()


class RoleOffer(Banner):
    """One line that offers the sampling role which a name suggests; nothing is done unasked."""

    edit_requested = Signal(object)
    names_chosen = Signal(tuple)
    """These columns should be selected, because somebody has to choose how they were made."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes)
        self._view = DataView()
        self._is_closed = False
        self.setObjectName("roleOffer")
        self.closed.connect(self._on_closed)

    def set_view(self, view: DataView) -> None:
        if view.document is not self._view.document:
            self._is_closed = False
        self._view = view
        if self._is_closed or not view.suggestions:
            self.hide()
            return
        role, names = view.suggestions[0]
        which = names[0]
        if len(names) > 1:
            which = self.tr("%s to %s") % (names[0], names[-1])
        if role == REPLICATES:
            action = self.tr("Select %s columns") % number(len(names)), self._on_select
        else:
            action = self.tr("Use %s as %s") % (which, role_word(role)), self._on_use
        said = self.tr("“%s” may tell how people were drawn (%s).") % (which, role_word(role))
        self.say("info", self.tr("Sampling."), said, action)

    def _on_use(self) -> None:
        role, names = self._view.suggestions[0]
        self.edit_requested.emit(set_role(names, role))

    def _on_select(self) -> None:
        self.names_chosen.emit(self._view.suggestions[0][1])

    def _on_closed(self) -> None:
        self._is_closed = True


_INSPECTOR = 408
QUESTIONS, ANSWERS = "questions", "answers"


class DataPage(Page):
    """What people are asked, and how their answers were understood."""

    name = "data"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Data")
        self.sub_pages = [(QUESTIONS, self.tr("Questions")), (ANSWERS, self.tr("Answers"))]
        self.sub_page = self._usual_sub_page()
        self.question = self._hint(self.sub_page)
        self.questions: QuestionsPage | None = None
        """Made when somebody looks at the questions."""
        self._is_behind_data = False
        self._question_keys: list[QShortcut] = []
        self._options: dict[tuple[Path, ...], ReadOptions] = {}
        self.edits = EditQueue(workbench, self)
        self._summaries = SummaryCache(workbench, self)
        self._view = DataView()
        self._warnings: tuple[DataWarning, ...] = ()
        self._make_actions()
        self._build()
        self._make_shortcuts()
        self._listen()
        # The questions are made when the page is shown: by then it has its style and its size.
        self._look_at_data()

    def _listen(self) -> None:
        self.concerns.import_requested.connect(self.show_import)
        for card in (self.concerns, self.rows):
            card.name_chosen.connect(lambda name: self.store.select([name]))
        self.attributes.names_chosen.connect(self.store.select)
        self.attributes.kind_requested.connect(self.show_kinds)
        self.inspector.edit_requested.connect(self.edits.make)
        self.role_offer.edit_requested.connect(self.edits.make)
        self.role_offer.names_chosen.connect(self.store.select)
        self.edits.settled.connect(self.refresh)
        self.store.study_opened.connect(self._on_opened)
        self.store.data_changed.connect(self._on_data_changed)
        self.store.questionnaire_changed.connect(self._on_asked_changed)
        self.store.design_changed.connect(self._on_design_changed)
        self.store.selection_changed.connect(self._on_selection_changed)
        self._summaries.summary_arrived.connect(self.refresh)
        self._summaries.missing_counted.connect(self._find_warnings)

    def _make_actions(self) -> None:
        self.set_primary(
            "goToDesign", self.tr("Go to Design"), "arrow-right",
            lambda: self.workbench.page_requested.emit("design"),
        )  # fmt: skip
        self.open_action = self.action("openData", self.tr("Open…"), "open", self._on_open)
        self.import_action = self.action(
            "importSettings", self.tr("Import settings"), "gear", self.show_import
        )
        self.add_action = self.action(
            "addResponsesHere", self.tr("Add responses…"), "plus", self._on_add
        )
        self.read_action = self.action(
            "importQuestions", self.tr("Import…"), "import", self._on_import_questions
        )
        self.write_action = self.action(
            "exportQuestions", self.tr("Export…"), "export", self._on_export_questions
        )
        self.secondary = [
            self.open_action, self.add_action, self.import_action, self.read_action,
            self.write_action,
        ]  # fmt: skip
        self._show_actions()

    def _build(self) -> None:
        self.concerns = ConcernBanner(self.themes)
        self.role_offer = RoleOffer(self.themes)
        self.attributes = AttributeCard(self.themes)
        self.rows = RowsCard(self.themes)
        self.inspector = Inspector(self.workbench)
        self.left = splitter(Qt.Orientation.Vertical, "dataRows", self.attributes, self.rows)
        self.left.setSizes([300, 254])
        across = Qt.Orientation.Horizontal
        self.columns = splitter(across, "dataColumns", self.left, self.inspector)
        self.columns.setStretchFactor(0, 1)
        self.columns.setStretchFactor(1, 0)
        self.columns.setSizes([838, _INSPECTOR])
        content = QWidget()
        layout = column(self.concerns, self.role_offer, self.columns, parent=content, spacing=10)
        layout.setContentsMargins(16, 4, 16, 12)
        layout.setStretch(2, 1)
        self.empty = EmptyState(
            self.themes,
            "data",
            self.tr("There are no answers yet"),
            self.tr("Open a table, a sample or distorted answers with their design to see them "
                    "here."),
            self.tr("Go to Start"),
        )  # fmt: skip
        self.empty.button.setObjectName("backToStart")
        self.empty.button.clicked.connect(lambda *_: self.workbench.page_requested.emit("start"))
        self._stack = QStackedLayout(self)
        self._stack.addWidget(content)
        self._stack.addWidget(self.empty)
        restore_columns(self, self.workbench.settings)

    def _make_shortcuts(self) -> None:
        add_key(self, "Ctrl+F", self.tr("Filter attributes"), self._search)
        add_key(self, "Alt+Up", self.tr("Previous attribute"), lambda: self._step(-1))
        add_key(self, "Alt+Down", self.tr("Next attribute"), lambda: self._step(1))
        for keys, words, do in (
            ("Alt+Shift+Up", self.tr("Move question up"), lambda page: page.move_question(-1)),
            ("Alt+Shift+Down", self.tr("Move question down"), lambda page: page.move_question(1)),
            ("Ctrl+Shift+D", self.tr("Duplicate question"), QuestionsPage.duplicate_question),
            ("Ctrl+Shift+N", self.tr("Add question"), QuestionsPage.add_question),
        ):
            key = add_key(self, keys, words, partial(self._with_questions, do))
            self._question_keys.append(key)
        self._show_actions()

    def _search(self) -> None:
        if self.sub_page == QUESTIONS and self.questions is not None:
            open_filter(self.questions, self.themes)
        else:
            self.attributes.start_search()

    def _step(self, by: int) -> None:
        if self.sub_page == QUESTIONS and self.questions is not None:
            self.questions.step(by)
        else:
            self.attributes.move_selection(by)

    def _with_questions(self, do: Callable[[QuestionsPage], object]) -> None:
        if self.sub_page == QUESTIONS and self.questions is not None:
            do(self.questions)

    # Questions and answers

    def analysis(self) -> tuple[Analysis, Study] | None:
        from ppworkbench.outputs.scripts.results import table_analysis

        found = table_analysis(self.store.study) if self.sub_page == ANSWERS else None
        return None if found is None else (found, self.store.study)

    @property
    def why_no_script(self) -> str:
        if self.sub_page == QUESTIONS:
            return self.tr("Questions are no result; the answers have a script.")
        return super().why_no_script

    def _usual_sub_page(self) -> str:
        return QUESTIONS if self.store.study.table is None else ANSWERS

    def _hint(self, key: str) -> str:
        if key == QUESTIONS:
            return self.tr("What people are asked")
        return self.tr("Check how the file was read")

    def _on_opened(self) -> None:
        self.show_sub_page(self._usual_sub_page())

    def show_sub_page(self, key: str) -> None:
        if key not in (QUESTIONS, ANSWERS):
            return
        self.question = self._hint(key)
        super().show_sub_page(key)
        self._show_actions()
        self._show_part()

    def _show_actions(self) -> None:
        asks = self.sub_page == QUESTIONS
        for action, belongs in (
            (self.open_action, not asks), (self.add_action, not asks),
            (self.import_action, not asks),
            (self.read_action, asks), (self.write_action, asks),
        ):  # fmt: skip
            action.setVisible(belongs)
        for key in self._question_keys:
            # Values of an attribute are moved with the same keys.
            key.setEnabled(asks)

    def _show_part(self) -> None:
        if self.is_behind:
            return
        if self.sub_page == ANSWERS:
            self._stack.setCurrentIndex(0 if self.store.study.table is not None else 1)
            if self._is_behind_data:
                self._is_behind_data = False
                self._look_at_answers()
            elif self.store.selected != self._view.selected:
                self.refresh()
            return
        if self.questions is None:
            self.questions = QuestionsPage(self.workbench)
            self._stack.addWidget(self.questions)
            restore_columns(self, self.workbench.settings)
        self._stack.setCurrentWidget(self.questions)
        self.questions.refresh()

    def shown(self) -> None:
        """Show what the study has now; where nothing is asked yet, wait for the first question."""
        super().shown()
        self._show_part()
        if self.sub_page == QUESTIONS and self.questions is not None:
            self.questions.focus_first()

    def _on_asked_changed(self) -> None:
        self.write_action.setEnabled(bool(self.store.study.asked_attributes()))
        if self.sub_page == QUESTIONS:
            self._show_part()

    def _on_import_questions(self) -> None:
        if self.files is not None:
            self.files.questions.ask_for_import()

    def _on_export_questions(self) -> None:
        if self.files is not None:
            self.files.questions.ask_for_export()

    @property
    def optional_panels(self) -> tuple[QWidget, ...]:
        return (self.rows,)

    # What the cards show

    def refresh(self) -> None:
        study = self.store.study
        self._view = view = DataView(
            study, self.store.document, self.edits.opened, self.store.selected,
            self._find_selection(), self._warnings, self._find_suggestions(),
        )  # fmt: skip
        for card in (
            self.concerns, self.role_offer, self.attributes, self.rows, self.inspector,
        ):  # fmt: skip
            card.set_view(view)

    def _find_suggestions(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Roles that names suggest; thousands of names are read once, not at every selection."""
        before, study = self._view, self.store.study
        if before.table is study.table and before.study.sampling == study.sampling:
            return before.suggestions
        return suggested_roles(study)

    def _on_design_changed(self) -> None:
        if self.sub_page == QUESTIONS:
            self._show_part()
            return
        # Only the roles of columns are shown here; a dragged slider of Design changes nothing.
        if self.store.study.sampling != self._view.study.sampling:
            self.refresh()

    def _on_selection_changed(self) -> None:
        if self.sub_page == QUESTIONS:
            self._show_part()
            return
        # Another document comes with its selection, which is shown already. What is chosen on
        # another page is shown when this one comes back to the front.
        if not self.is_behind and self.store.selected != self._view.selected:
            self.refresh()

    def _find_selection(self) -> Selection | None:
        study = self.store.study
        table = study.table
        if table is None or not table.columns:
            return None
        names = tuple(name for name in self.store.selected if name in table) or table.names[:1]
        find = self._summaries.summary
        impossible: dict[Kind, str] = {}
        for name in names if len(names) <= _MOST_LOOKED_AT else names[:1]:
            summary = find(table[name])
            for kind, reason in ({} if summary is None else summary.impossible).items():
                words = refusal_text(reason)
                impossible.setdefault(kind, words if len(names) == 1 else f"{name}: {words}")
        first = self.edits.opened
        can_take_back = first is not None and names[0] in first and first.rows == table.rows
        opened = first[names[0]] if first is not None and can_take_back else None
        summary, silent = find(table[names[0]]), find_not_asked(study).get(names[0])
        if summary is not None and silent is not None:
            summary = summary.without_not_asked(int(np.count_nonzero(silent)))
        return Selection(
            table, names, summary, impossible, opened, why_not_editable(study), study.sampling
        )

    def _find_warnings(self) -> None:
        table, count = self.store.study.original, DataView(self.store.study).missing
        if self._view.document is not self.store.document:
            self._warnings = ()
        if table is None or len(table.columns) <= _AT_ONCE:
            self._warnings = () if table is None else find_warnings(table, count)
            self.refresh()
            return

        def done(found: tuple[DataWarning, ...]) -> None:
            if self.store.study.original is table:
                self._warnings = found
                self.refresh()

        self.workbench.run(
            self.tr("Checking the data"), lambda _: find_warnings(table, count), done,
            key="data concerns", quiet=True,
        )  # fmt: skip
        self.refresh()

    def show_kinds(self, place: QPoint) -> None:
        selection = self._view.selection
        if selection is None or selection.reason_against:
            return
        kinds = {attribute.kind for attribute in selection.attributes}
        current = next(iter(kinds)) if len(kinds) == 1 else None
        menu = KindMenu(
            self.themes,
            current,
            selection.impossible,
            lambda kind: self.edits.make(set_kind(selection.names, kind)),
            self,
        )
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)

    def show_import(self) -> ImportDialog | None:
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
        table = self.store.study.table
        if table is None or self.files is None:
            return None
        return next((p for p in self.files.last_paths if str(p) == table.source), None)

    def _look_at_answers(self) -> None:
        table = self.store.study.table
        if table is not None:
            self._summaries.count_missing(table)
        self._find_warnings()

    def _on_data_changed(self) -> None:
        self._look_at_data()
        self._show_part()

    def _look_at_data(self) -> None:
        if self.sub_page == ANSWERS:
            self._look_at_answers()
        else:
            # A wording that is typed would look through all answers with every letter.
            self._is_behind_data = True
        self.primary.setEnabled(not self.store.study.is_empty)
        self.open_action.setEnabled(self.files is not None)
        has_questions = bool(self.store.study.design.attributes)
        self.add_action.setEnabled(self.files is not None and has_questions)
        has_file = self._source() is not None
        self.import_action.setEnabled(has_file)
        self.import_action.setToolTip(
            ""
            if has_file
            else self.tr("These answers do not come from a file; there are no import settings.")
        )

    def column_stops(self) -> Sequence[QWidget]:
        """The two tables and the kind of the chosen attribute; list, wording and preview."""
        if self.sub_page == QUESTIONS and self.questions is not None:
            page = self.questions
            return [page.list.table, page.editor.wording, page.phone.language]
        return [self.attributes.view, self.rows.view, self.inspector.kind.kind]

    def _on_add(self) -> None:
        if self.files is not None:
            self.files.responses.add_dialog()

    def _on_open(self) -> None:
        if self.files is not None:
            self.files.open_dialog()
