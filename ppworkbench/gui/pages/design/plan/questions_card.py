"""The questions of a plan: their lights, limits and needed respondents."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QMenu, QWidget

from ppworkbench.analyses.planning.study_plan import PlanRow, PlanView
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, percent, read_number, significant, trimmed
from ppworkbench.gui.pages.design.cell_table import ENTER, NOTHING, CellModel, CellTable, Index
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import EDGE
from ppworkbench.gui.widgets.cells import Column as TableColumn
from ppworkbench.gui.widgets.layout import named, text
from ppworkbench.study.plan_choices import AGAINST, HALF_WIDTH, POWER, SKIPPED, is_limit

_OF_SHARES = ("belief", POWER, AGAINST)
"""Limits that numbers do not have."""
LIGHTS = {
    "ok": ("check", "good"),
    "more": ("plus", "warningText"),
    "breaks": ("warning", "warningText"),
    "impossible": ("error", "errorText"),
}
"""The icon of a light, and its colour."""


def limit_text(limit: str, value: float | None, *, is_share: bool = True) -> str:
    """A limit as it is read and typed; of a number, the half-width is percent of its range."""
    if value is None:
        return NOTHING
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
    return NOTHING if respondents is None else number(respondents)


def _parameter_text(row: PlanRow) -> str:
    """What the mechanism is tuned with; its name stands behind it where there is room."""
    if row.value is None:
        return tr("not randomised") if row.found.perturbation.is_identity else NOTHING
    return trimmed(row.value, 3)


def _whole(column: TableColumn[PlanRow], row: PlanRow) -> str:
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
        self._themes = themes
        self._columns_of: tuple[object, ...] = ()
        self._limits: tuple[str, ...] = ()
        """The limit of every column; empty for those that hold none."""
        self._is_following = False
        self.model: CellModel[PlanRow] = CellModel(
            themes, self, is_typed=lambda index: bool(self._limit_at(index))
        )
        keys = Qt.Key
        self.table = CellTable(
            themes, self.model, "planQuestions", self.tr("Questions of the plan"),
            widths=self._widths, menu=self.make_menu, field="limitField",
            keys=dict.fromkeys((keys.Key_Delete, keys.Key_Backspace), self._reset)
            | dict.fromkeys(ENTER, self._open),
        )  # fmt: skip
        self.body.setContentsMargins(1, 1, 1, 6)
        self.body.setSpacing(0)
        self.body.addWidget(limits)
        self.body.addWidget(self.table, 1)
        self.hint = text(
            self.tr("Type a limit or skips to override them for one question. Delete resets them."),
            "captionHint",
        )
        self.hint.setContentsMargins(EDGE, 4, EDGE, 0)
        self.hint.setWordWrap(True)
        self.body.addWidget(self.hint)
        self.model.typed.connect(self._on_typed)
        self.table.doubleClicked.connect(lambda index: self._limit_at(index) or self._open(index))
        self.table.selectionModel().currentRowChanged.connect(self._on_current)

    def set_view(self, view: PlanView, current: str | None) -> None:
        kind = view.choices.aim, view.choices.test
        self._limits, columns = _columns(view)
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
            self.table.fit()

    def _limit_at(self, index: Index) -> str:
        """The limit that a cell holds; empty for other cells."""
        if not index.isValid() or index.row() >= len(self.model.rows):
            return ""
        limit = self._limits[index.column()]
        has_share = self.model.rows[index.row()].has_share
        return limit if has_share or limit not in _OF_SHARES else ""

    def _reset(self, index: QModelIndex) -> bool:
        self.limit_reset.emit(self.model.rows[index.row()].name, self._limit_at(index))
        return True

    def _open(self, index: QModelIndex) -> bool:
        """Type a limit, or edit the question where there is none."""
        if self._limit_at(index):
            self.table.edit(index)
        else:
            self.question_opened.emit(self.model.rows[index.row()].name)
        return True

    def make_menu(self, index: QModelIndex) -> QMenu:
        row, limit = self.model.rows[index.row()], self._limit_at(index)
        menu = named(QMenu(self), "limitMenu")

        def offer(words: str, act: Callable[[], object], is_possible: bool = True) -> None:
            action = menu.addAction(words)
            action.setEnabled(is_possible)
            action.triggered.connect(lambda *_: act())

        if limit == SKIPPED:
            offer(self.tr("Change the share who skip it"), lambda: self._open(index))
            offer(self.tr("Use the share of all questions"), lambda: self._reset(index),
                  limit in row.own)  # fmt: skip
        elif limit:
            offer(self.tr("Change the limit"), lambda: self._open(index))
            offer(self.tr("Use the limit of all questions"), lambda: self._reset(index),
                  limit in row.own)  # fmt: skip
            offer(self.tr("No limit"), lambda: self.limit_chosen.emit(row.name, limit, None),
                  row.limits[limit] is not None)  # fmt: skip
        offer(self.tr("Reset all limits of this question"),
              lambda: self.limit_reset.emit(row.name, ""), bool(row.own))  # fmt: skip
        menu.addSeparator()
        offer(self.tr("Edit this question"), lambda: self.question_opened.emit(row.name))
        return menu

    def _widths(self, room: int) -> list[int]:
        """What the longest text of every column needs; what is left goes to the plan."""
        theme, columns, rows = self._themes.theme, self.model.columns, self.model.rows
        words = QFontMetrics(theme.font("body", "semibold"))
        widths = []
        for place, one in enumerate(columns):
            longest = max((words.horizontalAdvance(_whole(one, row)) for row in rows), default=0)
            has_icon = one.icon is not None
            inside = longest + theme.px(44 if has_icon else 20)
            head = words.horizontalAdvance(one.title) + theme.px(20)
            widths.append(max(inside + (EDGE if place == 0 else 0), head))
        if not widths:
            return []
        over = sum(widths) - room
        # What is cut first can be read elsewhere: the parameter, then a long question.
        for place, least in ((len(columns) - 2, 84), (0, 150), (1, 120), (0, 100)):
            cut = min(max(over, 0), max(0, widths[place] - theme.px(least)))
            widths[place] -= cut
            over -= cut
        if over < 0:
            spare = min(-over // len(widths), theme.px(24))
            widths = [width + spare for width in widths]
            widths[1] += room - sum(widths)
        return widths

    def _on_current(self, index: QModelIndex) -> None:
        if not self._is_following and index.isValid():
            self.question_chosen.emit(self.model.rows[index.row()].name)

    def _on_typed(self, index: QModelIndex, typed: str) -> None:
        if typed == self.model.data(index, Qt.ItemDataRole.EditRole):
            return
        name, limit = self.model.rows[index.row()].name, self._limit_at(index)
        words = typed.strip()
        is_nothing = words in (NOTHING, "-")
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
    study, choices = view.study, view.choices
    first = [
        TableColumn[PlanRow](
            tr("Question"), lambda row: study.shown(row.name), is_left=True,
            weight=lambda _: "medium", tip=lambda row: study.label(row.name),
        ),
        TableColumn[PlanRow](
            tr("Plan"), lambda row: translate(row.found.words), is_left=True,
            icon=lambda row: LIGHTS[row.found.light][0],
            ink=lambda row: "text2" if row.found.light == "more" and not view.is_for_goal
            else LIGHTS[row.found.light][1],
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
        if not row.has_share and limit in _OF_SHARES:
            return ""
        return limit_text(limit, row.limits[limit], is_share=row.has_share)

    def tip(row: PlanRow) -> str:
        if not row.has_share and limit in _OF_SHARES:
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
