"""The limits of a test of a number: below, at least, between …"""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.survey.conditions import Comparison, Membership, Operator, Range, Test
from ppworkbench.gui.pages.survey.phrases import limit_words
from ppworkbench.gui.plots.ticks import short_number
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.words import read_number

BETWEEN, FROM_BELOW = "between", "from"
_ONE_LIMIT = ("<", "<=", ">=", ">", "=", "!=")


class NumberLimits(QWidget):
    """How the number is compared, and one or two limits."""

    test_made = Signal(object)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._attribute: Attribute | None = None
        self.manner = QComboBox()
        self.manner.setObjectName("limitManner")
        self.manner.setAccessibleName(self.tr("How the number is compared"))
        for key, words in (
            ("<", self.tr("below")),
            ("<=", self.tr("at most")),
            (">=", self.tr("at least")),
            (">", self.tr("above")),
            (FROM_BELOW, self.tr("from … to below …")),
            (BETWEEN, self.tr("from … to …")),
            ("=", self.tr("exactly")),
            ("!=", self.tr("not")),
        ):
            self.manner.addItem(words, key)
        self.manner.activated.connect(self._on_manner)
        self.low = self._field("lowLimit", self.tr("Limit"))
        self.high = self._field("highLimit", self.tr("Upper limit"))
        self.word = text(self.tr("to below"), "secondary")
        self.hint = text("", "captionHint")
        self.problem = text("", "error", wrap=True)
        self.problem.setObjectName("limitsProblem")
        column(
            self.manner, row(self.low, self.word, self.high), self.hint, self.problem,
            parent=self, spacing=8,
        )  # fmt: skip
        self.low.setMinimumWidth(themes.theme.px(90))
        self.high.setMinimumWidth(themes.theme.px(90))
        self.setFocusProxy(self.low)

    def _field(self, name: str, words: str) -> QLineEdit:
        field = QLineEdit()
        field.setObjectName(name)
        field.setAccessibleName(words)
        field.textEdited.connect(self._emit)
        return field

    def show_test(self, attribute: Attribute, test: Test | None) -> None:
        """Show the limits of a test, or the middle of nothing for a new one."""
        self._attribute = attribute
        low, high = attribute.domain or (0.0, 0.0)
        self.hint.setText(
            self.tr("possible answers: %s to %s") % (short_number(low), short_number(high))
        )
        manner, first, second = _read(test if _is_about(test, attribute) else None)
        with QSignalBlocker(self.manner):
            self.manner.setCurrentIndex(self.manner.findData(manner))
        self.low.setText(limit_words(first))
        self.high.setText(limit_words(second))
        self._follow()
        self._say("")

    def _on_manner(self) -> None:
        self._follow()
        self._emit()

    def _follow(self) -> None:
        manner = self.manner.currentData()
        two = manner in (BETWEEN, FROM_BELOW)
        self.word.setText(self.tr("to") if manner == BETWEEN else self.tr("to below"))
        self.word.setVisible(two)
        self.high.setVisible(two)

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))

    def _emit(self) -> None:
        attribute, manner = self._attribute, str(self.manner.currentData())
        if attribute is None:
            return
        two = manner in (BETWEEN, FROM_BELOW)
        limits = [
            read_number(field.text()) for field in ((self.low, self.high) if two else (self.low,))
        ]
        if any(limit is None for limit in limits):
            empty = not self.low.text().strip() or (two and not self.high.text().strip())
            self._say("" if empty else self.tr("A limit is a number, such as 30 or 2.5."))
            return
        problem = self._problem([limit for limit in limits if limit is not None], manner)
        self._say(problem)
        if problem:
            return
        words = [_plain(limit) for limit in limits if limit is not None]
        if two:
            included = manner == BETWEEN
            self.test_made.emit(Range(attribute.name, *words, high_included=included))
        else:
            self.test_made.emit(Comparison(attribute.name, Operator(manner), words[0]))

    def _problem(self, limits: list[float], manner: str) -> str:
        if len(limits) == 2:
            first, second = limits
            if second < first or (second == first and manner == FROM_BELOW):
                return self.tr("The second limit must be above the first.")
        if manner == "=" and self._attribute is not None:
            whole = limits[0].is_integer()
            if self._attribute.kind is Kind.INTEGER and not whole:
                return self.tr("The answers are whole numbers, so none is exactly that.")
        return ""

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """The first field has the keyboard."""
        super().focusInEvent(event)
        self.low.setFocus()


def _is_about(test: Test | None, attribute: Attribute) -> bool:
    return test is not None and test.attribute == attribute.name


def _read(test: Test | None) -> tuple[str, str, str]:
    """The manner of a test and its limits as texts."""
    if isinstance(test, Comparison):
        return str(test.operator), test.value, ""
    if isinstance(test, Range):
        return (BETWEEN if test.high_included else FROM_BELOW), test.low, test.high
    if isinstance(test, Membership) and len(test.values) == 1:
        return ("!=" if test.negated else "="), test.values[0], ""
    return "<", "", ""


def _plain(value: float) -> str:
    """A number as the text form of a condition writes it."""
    return f"{value:.15g}"
