"""An answer as cards: its sentence, its sheets and pictures, and what must be known to read them.

Cards show the result that commands and scripts tell, whatever it is of.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Qt, Signal, SignalInstance
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSizePolicy

from ppworkbench.analyses.survey.answers import SurveyError, SurveyResult
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.core.message import Message
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.pages.survey.beside import Beside
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import LEAST, AttributeBox, offer_attributes
from ppworkbench.gui.widgets.card import Card, CardArea, MarkedLines
from ppworkbench.gui.widgets.controls import IconButton
from ppworkbench.gui.widgets.layout import named, scroll_area, show_words, text
from ppworkbench.gui.widgets.provenance import invented_words
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable
from ppworkbench.results.picture import Axis, Picture
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Sheet
from ppworkbench.study.study import Study

Named = Callable[[str], str]
"""Gives a text the names that people have for the attributes."""
Sign = Callable[[int], tuple[str, str]]
Write = Callable[[float], str] | None


class AnswerActions(QObject):
    """What people ask for on the cards of an answer."""

    copy_requested = Signal()
    copied = Signal()
    """Something is on the clipboard."""
    split_chosen = Signal(str)
    sharper_requested = Signal()
    """The interval for narrower peaks of a number under noise is wanted."""
    predictor_chosen = Signal(str)
    variance_chosen = Signal(str)
    fit_requested = Signal()
    readings_toggled = Signal(bool)
    reach_changed = Signal(object)
    """The value whose tipping point is wanted, or None."""
    band_changed = Signal(object)
    """From which share to which the band of compliance goes."""
    safe_changed = Signal(str)
    """The answer that nobody minds giving."""


@dataclass(frozen=True, eq=False)
class SurveyView:
    """What stands below the question.

    Parameters
    ----------
    question
        The question of now.
    badge
        Why the answer is not one to the question and the study of now; empty if it is.
    is_coming
        Whether an answer to the question of now is on its way.
    can_ask
        Whether the question of now can be asked.
    uses_readings
        Whether Share tells the readings of the question whose compliance is shown.
    """

    question: Question = field(default_factory=Question)
    answer: SurveyResult | None = None
    error: SurveyError | None = None
    badge: str = ""
    beside: Beside = field(default_factory=Beside)
    is_coming: bool = False
    can_ask: bool = False
    uses_readings: bool = False


def named_picture(picture: Picture, titled: Named) -> Picture:
    """A picture with what people call the attributes."""

    def axis(one: Axis) -> Axis:
        return dataclasses.replace(one, title=Message.of(titled(one.title)))

    named = picture.said(titled)
    title, note = (Message.of(titled(one)) for one in (picture.title, picture.note))
    return dataclasses.replace(named, title=title, x=axis(named.x), y=axis(named.y), note=note)


def on_paper(answer: SurveyResult, numbers: Axis | None = None) -> Callable[[Picture], Picture]:
    """Adds to a picture what the page says around it: what intervals include, what is measured."""
    contents = answer.interval_contents
    said = "" if contents is None else answer.study.titled(contents)

    def added(picture: Picture) -> Picture:
        note = Message.joined([one for one in (picture.note, Message.of(said)) if one])
        x = picture.x if numbers is None else dataclasses.replace(
            picture.x, title=numbers.title, unit=numbers.unit
        )  # fmt: skip
        return dataclasses.replace(picture, x=x, note=note)

    return added


class AnswerCard(Card):
    """Shows a part of an answer; it hides where the result has none such."""

    is_wide = False
    """Whether it takes the place of two."""
    is_there = True
    """Whether the answer has what it shows."""

    def show_answer(self, answer: SurveyResult, told: Result) -> None:
        raise NotImplementedError

    def show_beside(self, answer: SurveyResult, view: SurveyView) -> None:
        """Show what is told beside the answer."""

    def set_stale(self, stale: bool) -> None:
        """Dim what belongs to another question or design."""


class SentenceCard(AnswerCard):
    """The answer in words, to be copied."""

    is_wide = True

    def __init__(self, themes: ThemeManager, name: str, actions: AnswerActions) -> None:
        super().__init__(padding=10)
        self._actions = actions
        self.label = named(text("", wrap=True), f"{name}Words")
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.stale_badge = named(text("", "warningBadge"), f"{name}Stale")
        self.stale_badge.hide()
        self.copy = named(IconButton(themes, "copy", self.tr("Copy sentence"), 16), f"{name}Copy")
        self.copy.clicked.connect(self._on_copy)
        self.head.addWidget(self.label, 1)
        self.head.addWidget(self.stale_badge)
        self.head.addWidget(self.copy)
        self.body.addLayout(self.head)

    @property
    def words(self) -> str:
        return self.label.text()

    def show_answer(self, answer: SurveyResult, told: Result) -> None:
        said = answer.told.headline(answer.study) or told.sentence()
        self.label.setText(translate(answer.titled(said)))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(f"{invented_words()} {self.words}".strip())
        self._actions.copied.emit()


class SheetCard(AnswerCard):
    """A sheet of the result as a table.

    Parameters
    ----------
    rows
        So many are seen without scrolling.
    details
        Keys of columns that are seen although they are for files.
    shares
        Keys of columns that are read as percentages.
    """

    def __init__(
        self,
        themes: ThemeManager,
        name: str,
        *,
        rows: int = 9,
        details: Sequence[str] = (),
        shares: Sequence[str] = (),
    ) -> None:
        super().__init__(" ", padding=0)
        self.setObjectName(f"{name}Card")
        self.body.setContentsMargins(1, 10, 1, 4)
        self.head.setContentsMargins(14, 0, 14, 0)
        self._name, self._shares = name, shares
        self.table = SheetTable(themes, f"{name}Table", "", hugs=rows, sorts=False)
        for key in details:
            self.table.turn_detail(key)
        self.add(self.table)
        self.body.addStretch(1)

    def show_answer(self, answer: SurveyResult, told: Result) -> None:
        sheet = next((one for one in told.tables() if one.name == self._name), None)
        self.is_there = sheet is not None
        if sheet is not None:
            title = translate(answer.study.titled(sheet.title))
            self.title_label.setText(title)
            self.table.setAccessibleName(title)
            looks = RowLooks(sign=self.sign(answer, sheet))
            self.table.set_sheet(self.read(sheet, answer), looks)

    def read(self, sheet: Sheet, answer: SurveyResult) -> Sheet:
        """The sheet as the window writes it."""
        return sheet.in_percent(*self._shares).titled(answer.study.titled)

    def sign(self, answer: SurveyResult, sheet: Sheet) -> Sign | None:  # noqa: ARG002
        """What stands behind the name of a row."""
        return None

    def set_stale(self, stale: bool) -> None:
        if self.table.sheet is not None and self.table.looks.is_stale != stale:
            looks = dataclasses.replace(self.table.looks, is_stale=stale)
            self.table.set_sheet(self.table.sheet, looks)


class PictureCard(AnswerCard):
    """A picture of the result as a chart below its legend.

    Parameters
    ----------
    scrolls
        Whether a picture of many rows scrolls within the card.
    """

    def __init__(
        self, themes: ThemeManager, name: str, *, is_wide: bool = False, scrolls: bool = False
    ) -> None:
        super().__init__(" ")
        self.setObjectName(f"{name}Card")
        self._name = name
        self.chart = PictureChart(themes, "", size=(340, 190), least=(240, 150), is_wide=is_wide)
        self.chart.setObjectName(f"{name}Chart")
        self.area = scroll_area(self.chart) if scrolls else self.chart
        self.add(self.chart.legend)
        self.add(self.area, 1)
        self.note = text("", "captionHint", wrap=True)
        self.note.hide()
        self.add(self.note)

    def show_answer(self, answer: SurveyResult, told: Result) -> None:
        picture = next((one for one in told.pictures() if one.name == self._name), None)
        self.is_there = picture is not None
        if picture is not None:
            self.chart.on_paper = on_paper(answer)
            self.show_picture(picture, answer.study.titled)

    def show_picture(self, picture: Picture, titled: Named, write: Write = None) -> None:
        title = translate(titled(picture.title))
        self.title_label.setText(title)
        self.chart.setAccessibleName(title)
        self.chart.set_picture(named_picture(picture, titled), write)
        show_words(self.note, "" if picture.handles else translate(titled(picture.note)))

    def set_stale(self, stale: bool) -> None:
        self.chart.set_stale(stale)


class ByCard(PictureCard):
    """A picture by an attribute that is chosen above it, or why there is none."""

    def __init__(
        self, themes: ThemeManager, name: str, words: str, chosen: SignalInstance, *,
        scrolls: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(themes, name, scrolls=scrolls)
        self.by = AttributeBox(themes, f"{name}By", words)
        self.by.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        # Room for the word before the title, too.
        self.by.setMinimumContentsLength(LEAST + 3)
        self.by.chosen.connect(chosen)
        self.busy = text(self.tr("updating"), "accentBadge")
        self.busy.hide()
        self.head.addWidget(self.busy)
        self.head.addWidget(self.by)
        self.absent = named(text("", "hint", wrap=True), f"{name}Absent")
        self.absent.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.absent.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.add(self.absent, 1)

    def offer(self, words: str, names: Sequence[str], current: str, study: Study) -> None:
        """Offer attributes, each as ``words`` tell it."""
        found = offer_attributes(study, names)
        offered = [(name, kind, asked, words % title) for name, kind, asked, title in found]
        self.by.offer(offered, current)
        self.by.setEnabled(bool(names))

    def show_absent(self, why: str) -> None:
        """Say why there is no picture; nothing where there is one."""
        show_words(self.absent, why)
        self.area.setVisible(not why)
        self.chart.legend.setVisible(not why)


class NotesCard(AnswerCard):
    """What the result says below its sheets, and what must be known to read the numbers."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(tr("Notes"))
        self._lines = MarkedLines(themes, 5)
        self.body.addLayout(self._lines)
        self.body.addStretch(1)

    @property
    def texts(self) -> list[str]:
        return self._lines.texts

    def show_answer(self, answer: SurveyResult, told: Result) -> None:
        # What intervals hold is said below all answers.
        lines = [("info", one) for one in told.readings() if one != answer.interval_contents]
        lines += [("doubt", one) for one in answer.remarks]
        titled = answer.study.titled
        self._lines.show_lines([(kind, translate(titled(words))) for kind, words in lines])
        self.is_there = bool(lines)


class AnswerView(CardArea):
    """All cards of an answer, two beside each other where there is room."""

    narrow = 900

    def __init__(self, themes: ThemeManager, name: str, *cards: AnswerCard) -> None:
        super().__init__(themes)
        self.setObjectName(name)
        self.cards = cards
        self._seen: list[bool] = []
        self.arrange(is_narrow=False)

    def show_answer(self, answer: SurveyResult) -> None:
        told = answer.told
        for card in self.cards:
            card.show_answer(answer, told)
        seen = [card.is_there for card in self.cards]
        if seen != self._seen:
            self._seen = seen
            self._place(is_narrow=bool(self._is_narrow))

    def _place(self, *, is_narrow: bool) -> None:
        down = across = 0
        for card in self.cards:
            self._grid.removeWidget(card)
        for card in self.cards:
            is_wide = card.is_wide or is_narrow
            if is_wide and across:
                down, across = down + 1, 0
            self._grid.addWidget(card, down, across, 1, 2 if is_wide else 1)
            card.setVisible(card.is_there)
            if card.is_there:
                down, across = (down, 1) if not (is_wide or across) else (down + 1, 0)

    def show_beside(self, answer: SurveyResult, view: SurveyView) -> None:
        for card in self.cards:
            card.show_beside(answer, view)

    def set_stale(self, words: str) -> None:
        for card in self.cards:
            card.set_stale(bool(words))
            if isinstance(card, SentenceCard):
                show_words(card.stale_badge, words)
