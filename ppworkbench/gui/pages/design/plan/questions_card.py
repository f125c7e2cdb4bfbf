"""The questions of a plan: their lights, limits and needed respondents."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QMenu,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from ppworkbench.analyses.plan import PlanRow, PlanView
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, percent, read_number, significant, trimmed
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import EDGE, CellDelegate
from ppworkbench.gui.widgets.cells import Column as TableColumn
from ppworkbench.gui.widgets.layout import named, text
from ppworkbench.gui.widgets.table import (
    ColumnModel,
    show_as_rows,
)
from ppworkbench.study.plan_choices import AGAINST, HALF_WIDTH, POWER, SKIPPED, is_limit

LIGHTS = {
    "ok": ("check", "good"),
    "more": ("plus", "warningText"),
    "breaks": ("warning", "warningText"),
    "impossible": ("error", "errorText"),
}
"""The icon of a light, and its colour."""

Index = QModelIndex | QPersistentModelIndex
_ROW = 29
_NOTHING = "–"


def limit_text(limit: str, value: float | None, *, is_share: bool = True) -> str:
    """A limit as it is read and typed; of a number, the half-width is percent of its range."""
    if value is None:
        return _NOTHING
    if limit == "epsilon":
        return trimmed(value, 3)
    if limit == HALF_WIDTH:
        return f"± {trimmed(100 * value, 2)}" + ("" if is_share else "\u202f%")
    return f"{trimmed(100 * value, 2)}\u202f%"


def read_limit(limit: str, typed: str) -> float | None:
    """The limit that somebody typed: shares in percent, with or without the sign."""
    bare = typed.replace("±", "").replace("%", "").replace("\u202f", "").strip()
    value = read_number(bare)
    if value is None or limit == "epsilon":
        return value
    is_fraction = limit != HALF_WIDTH and 0 < value < 1 and "%" not in typed
    return value if is_fraction else value / 100


def needed_text(respondents: float | None) -> str:
    """How many people a question needs."""
    return _NOTHING if respondents is None else number(respondents)


def _parameter_text(row: PlanRow) -> str:
    """What the mechanism is tuned with; its name stands behind it where there is room."""
    if row.value is None:
        return tr("not randomised") if row.found.perturbation.is_identity else _NOTHING
    return trimmed(row.value, 3)


class LimitModel(ColumnModel[PlanRow]):
    """Limits can be typed in their cells."""

    limit_typed = Signal(str, str, str)
    """The question, the limit, and what was typed."""

    limits: tuple[str, ...] = ()
    """The limit of every column; empty for those that hold none."""

    def limit_at(self, index: Index) -> str:
        """The limit that a cell holds; empty for other cells."""
        if not index.isValid() or index.row() >= len(self.rows):
            return ""
        limit = self.limits[index.column()]
        has_none = not self.rows[index.row()].has_share and limit in ("belief", POWER, AGAINST)
        return "" if has_none else limit

    def flags(self, index: Index) -> Qt.ItemFlag:
        found = super().flags(index)
        return found | Qt.ItemFlag.ItemIsEditable if self.limit_at(index) else found

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """One cell; a field begins with what the cell says."""
        if role == Qt.ItemDataRole.EditRole:
            shown = str(super().data(index))
            return "" if shown == _NOTHING else shown
        return super().data(index, role)

    def setData(  # noqa: N802
        self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        """Tell what was typed; the study changes, and then the cell."""
        limit = self.limit_at(index)
        if role != Qt.ItemDataRole.EditRole or not limit or value == self.data(index, role):
            return False
        self.limit_typed.emit(self.rows[index.row()].name, limit, str(value))
        return True


class _LimitDelegate(CellDelegate[PlanRow]):
    """Draws cells, and puts a field over the one that is typed into."""

    def createEditor(  # noqa: N802
        self,
        parent: QWidget,
        option: QStyleOptionViewItem,  # noqa: ARG002
        index: Index,
    ) -> QWidget:
        field = named(QLineEdit(parent), "limitField", str(index.model().headerData(
            index.column(), Qt.Orientation.Horizontal
        )))  # fmt: skip
        field.setAlignment(Qt.AlignmentFlag.AlignRight)
        return field

    def updateEditorGeometry(  # noqa: N802
        self,
        editor: QWidget,
        option: QStyleOptionViewItem,
        index: Index,  # noqa: ARG002
    ) -> None:
        cell: QRect = option.rect  # type: ignore[attr-defined]  # not in the stubs
        editor.setGeometry(cell.adjusted(1, 1, -1, -2))


class QuestionTable(QTableView):
    """Rows of questions; F2, typing or a double click changes a limit, Delete resets it."""

    reset_requested = Signal(str, str)
    """The question, and the limit that shall be the study's again; empty for all of them."""
    ignored = Signal(str, str)
    """The question, and the limit that shall not count."""
    opened = Signal(str)
    """The question that shall be edited."""

    def __init__(self, themes: ThemeManager, model: LimitModel) -> None:
        super().__init__()
        self._themes = themes
        self._model = model
        self.setObjectName("planQuestions")
        self.setAccessibleName(self.tr("Questions of the plan"))
        self._delegate = _LimitDelegate(themes, model, line="grid", edge=EDGE)
        head = show_as_rows(self, themes, model, self._delegate)
        head.setStretchLastSection(False)
        head.setMinimumSectionSize(20)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        trigger = QAbstractItemView.EditTrigger
        self.setEditTriggers(trigger.EditKeyPressed | trigger.AnyKeyPressed | trigger.DoubleClicked)
        themes.theme_changed.connect(self.fit_columns)
        self.fit_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.fit_columns()

    def fit_columns(self) -> None:
        """Give every column what its longest text needs, and what is left to the question."""
        theme = self._themes.theme
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        columns, rows = self._model.columns, self._model.rows
        if not columns:
            return
        words = QFontMetrics(theme.font("body", "semibold"))
        widths = []
        for place, one in enumerate(columns):
            longest = max((words.horizontalAdvance(_whole(one, row)) for row in rows), default=0)
            has_icon = one.icon is not None
            inside = longest + theme.px(44 if has_icon else 20)
            head = words.horizontalAdvance(one.title) + theme.px(20)
            widths.append(max(inside + (EDGE if place == 0 else 0), head))
        room, over = self.viewport().width(), sum(widths) - self.viewport().width()
        # What is cut first can be read elsewhere: the parameter, then a long question.
        for place, least in ((len(columns) - 2, 84), (0, 150), (1, 120), (0, 100)):
            cut = min(max(over, 0), max(0, widths[place] - theme.px(least)))
            widths[place] -= cut
            over -= cut
        if over < 0:
            spare = min(-over // len(widths), theme.px(24))
            widths = [width + spare for width in widths]
            widths[1] += room - sum(widths)
        for place, width in enumerate(widths):
            self.setColumnWidth(place, width)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Reset a limit with Delete; open the question with Enter."""
        index, plain = self.currentIndex(), event.modifiers() == Qt.KeyboardModifier.NoModifier
        if plain and index.isValid() and self.state() != self.State.EditingState:
            name, limit = self._model.rows[index.row()].name, self._model.limit_at(index)
            if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
                self.reset_requested.emit(name, limit)
                return
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if limit:
                    self.edit(index)
                else:
                    self.opened.emit(name)
                return
        super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        index = self.indexAt(event.position().toPoint())
        super().mouseDoubleClickEvent(event)
        if index.isValid() and not self._model.limit_at(index):
            self.opened.emit(self._model.rows[index.row()].name)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        index = self.currentIndex()
        if index.isValid():
            show_menu(self.make_menu(index), event.globalPos())

    def make_menu(self, index: Index) -> QMenu:
        """The menu of a cell."""
        row, limit = self._model.rows[index.row()], self._model.limit_at(index)
        menu = named(QMenu(self), "limitMenu")
        if limit:
            is_skipped = limit == SKIPPED
            edit = menu.addAction(
                self.tr("Change the share who skip it")
                if is_skipped
                else self.tr("Change the limit")
            )
            edit.triggered.connect(lambda: self.edit(self.currentIndex()))
            reset = menu.addAction(
                self.tr("Use the share of all questions")
                if is_skipped
                else self.tr("Use the limit of all questions")
            )
            reset.setEnabled(limit in row.own)
            reset.triggered.connect(lambda: self.reset_requested.emit(row.name, limit))
            if not is_skipped:
                ignore = menu.addAction(self.tr("No limit"))
                ignore.setEnabled(row.limits[limit] is not None)
                ignore.triggered.connect(lambda: self.ignored.emit(row.name, limit))
        every = menu.addAction(self.tr("Reset all limits of this question"))
        every.setEnabled(bool(row.own))
        every.triggered.connect(lambda: self.reset_requested.emit(row.name, ""))
        menu.addSeparator()
        show = menu.addAction(self.tr("Edit this question"))
        show.triggered.connect(lambda: self.opened.emit(row.name))
        return menu


def _whole(column: TableColumn[PlanRow], row: PlanRow) -> str:
    """All that a cell says."""
    caption = "" if column.caption is None else column.caption(row)
    return f"{column.text(row)} {caption}".strip()


class QuestionsCard(Card):
    """One row per question."""

    limit_chosen = Signal(str, str, object)
    """The question, the limit and its value; None where it does not count."""
    limit_reset = Signal(str, str)
    question_chosen = Signal(str)
    question_opened = Signal(str)
    refused = Signal(str)
    """Why a limit that was typed is none."""

    def __init__(self, themes: ThemeManager, limits: QWidget) -> None:
        super().__init__(padding=0)
        self._view: PlanView | None = None
        self._columns_of: tuple[object, ...] = ()
        self._is_following = False
        self.model = LimitModel(themes, (), self)
        self.table = QuestionTable(themes, self.model)
        self.body.setContentsMargins(1, 1, 1, 6)
        self.body.setSpacing(0)
        self.body.addWidget(limits)
        self.body.addWidget(self.table, 1)
        self.hint = text(
            self.tr("Type in a limit or skips to give a question its own; Delete resets it."),
            "captionHint",
        )
        self.hint.setContentsMargins(EDGE, 4, EDGE, 0)
        self.hint.setWordWrap(True)
        self.body.addWidget(self.hint)
        self.model.limit_typed.connect(self._on_typed)
        self.table.reset_requested.connect(self.limit_reset)
        self.table.ignored.connect(lambda name, limit: self.limit_chosen.emit(name, limit, None))
        self.table.opened.connect(self.question_opened)
        self.table.selectionModel().currentRowChanged.connect(self._on_current)

    def set_view(self, view: PlanView, current: str | None) -> None:
        """Show the questions, and which of them is selected."""
        self._view = view
        kind = view.choices.aim, view.choices.test
        limits, columns = _columns(view)
        self.model.limits = limits
        is_new = (kind, len(view.rows)) != self._columns_of
        self._columns_of = kind, len(view.rows)
        self._is_following = True
        self.model.set_rows(view.rows, columns)
        names = [row.name for row in view.rows]
        if current in names and self.table.currentIndex().row() != names.index(current):
            place = max(self.table.currentIndex().column(), 0)
            self.table.setCurrentIndex(self.model.index(names.index(current), place))
        self._is_following = False
        if is_new:
            self.table.fit_columns()

    def _on_current(self, index: QModelIndex) -> None:
        if not self._is_following and index.isValid():
            self.question_chosen.emit(self.model.rows[index.row()].name)

    def _on_typed(self, name: str, limit: str, typed: str) -> None:
        words = typed.strip()
        is_nothing = words in (_NOTHING, "-")
        if not words or (is_nothing and limit == SKIPPED):
            self.limit_reset.emit(name, limit)
            return
        if is_nothing:
            self.limit_chosen.emit(name, limit, None)
            return
        value = read_limit(limit, words)
        if value is None or not is_limit(limit, value):
            self.refused.emit(_refusal(limit, words))
            return
        self.limit_chosen.emit(name, limit, value)


def _refusal(limit: str, typed: str) -> str:
    if limit == SKIPPED:
        return tr("“%s” is not a share of skipped answers; type 0 to 95\u202f%%.") % typed
    if limit == "epsilon":
        return tr("“%s” is not an epsilon; type a number above 0, or – for no limit.") % typed
    if limit == HALF_WIDTH:
        words = tr("“%s” is not a half-width; type points such as 5, or – for no limit.")
        return words % typed
    return tr("“%s” is not a share; type e.g. 60\u202f%%, or – for no limit.") % typed


def _columns(view: PlanView) -> tuple[tuple[str, ...], Sequence[TableColumn[PlanRow]]]:
    """The limit that every column holds, and the columns."""
    study, choices = view.study, view.choices
    first = [
        TableColumn[PlanRow](
            tr("Question"), lambda row: study.shown(row.name), is_left=True,
            weight=lambda _: "medium", tip=lambda row: study.label(row.name),
        ),
        TableColumn[PlanRow](
            tr("Plan"), lambda row: translate(row.found.words), is_left=True,
            icon=lambda row: LIGHTS[row.found.light][0], ink=lambda row: LIGHTS[row.found.light][1],
        ),
    ]  # fmt: skip
    heads = [("belief", tr("Belief ≤")), ("epsilon", tr("ε ≤"))]
    if choices.aim == HALF_WIDTH:
        heads.append((HALF_WIDTH, tr("± points")))
    else:
        heads.append((POWER, tr("Power ≥")))
        if choices.test == AGAINST:
            heads.append((AGAINST, tr("Against")))
    heads.append((SKIPPED, tr("Skips")))
    limits = [_limit_column(view, limit, head) for limit, head in heads]
    last = [
        TableColumn[PlanRow](
            tr("Parameter"), _parameter_text, is_left=True, ink="text2",
            tip=lambda row: translate(row.found.perturbation.summary()),
            caption=lambda row: translate(row.parameter),
        ),
        TableColumn[PlanRow](
            tr("n needed"), lambda row: needed_text(view.needed(row)),
            weight=lambda row: "semibold" if _decides(view, row) else "regular",
            tip=lambda row: _needed_tip(view, row),
        ),
    ]  # fmt: skip
    kinds = ("", "", *(limit for limit, _ in heads), "", "")
    return kinds, (*first, *limits, *last)


def _decides(view: PlanView, row: PlanRow) -> bool:
    return view.total is not None and view.total.decisive == row.name


def _needed_tip(view: PlanView, row: PlanRow) -> str:
    """Whether the question decides, and how many answers it needs if some people skip it."""
    said = [tr("This question decides.")] if _decides(view, row) else []
    needed, share = row.found.respondents, row.limits[SKIPPED]
    if share and needed is not None and math.isfinite(needed):
        words = tr("%s answers, and %s skips.")
        said.append(words % (number(needed), limit_text(SKIPPED, share)))
    return " ".join(said)


def _limit_column(view: PlanView, limit: str, head: str) -> TableColumn[PlanRow]:
    def said(row: PlanRow) -> str:
        if not row.has_share and limit in ("belief", POWER, AGAINST):
            return ""
        return limit_text(limit, row.limits[limit], is_share=row.has_share)

    def tip(row: PlanRow) -> str:
        if not row.has_share and limit in ("belief", POWER, AGAINST):
            return tr("A number has no share of a sensitive answer.")
        if limit in row.own:
            if limit == SKIPPED:
                return tr("Share of this question alone. Delete resets it.")
            return tr("Limit of this question alone. Delete resets it.")
        if limit == SKIPPED:
            return tr("Share of respondents who are expected to skip this question")
        return _now(view, row, limit)

    return TableColumn(
        head, said, tip=tip, icon=lambda row: "edit" if limit in row.own and said(row) else "",
        weight=lambda row: "semibold" if limit in row.own else "regular",
        ink=lambda row: "accentInk" if limit in row.own else "text2",
    )  # fmt: skip


def _now(view: PlanView, row: PlanRow, limit: str) -> str:
    """What a limit is compared with."""
    found = row.found
    if limit == "belief" and found.belief is not None:
        return tr("Belief now: %s") % percent(found.belief.after, 1)
    if limit == "epsilon":
        return tr("Epsilon now: %s") % significant(found.epsilon)
    if limit == POWER and found.power is not None:
        return tr("Power with n = %s: %s") % (number(view.n), percent(found.power, 1))
    if limit == HALF_WIDTH and found.rmse is not None and math.isfinite(found.rmse):
        half = number(196 * found.rmse, 1)
        return tr("With n = %s: ± %s points") % (number(view.n), half)
    return ""
