"""The validation gallery: published surveys as cards, the published number beside ours."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QScrollArea, QWidget

from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, IconLabel, Segmented
from ppworkbench.gui.widgets.layout import WrappingRow, column, line, named, row, text
from ppworkbench.gui.widgets.sheet_table import SheetTable
from ppworkbench.outputs.gallery.compare import (
    AGREES,
    DIFFERS,
    NOT_RECOMPUTED,
    OTHER_ERROR,
    Comparison,
    GalleryComparison,
)
from ppworkbench.outputs.gallery.surveys import FAMILIES, GallerySurvey
from ppworkbench.outputs.gallery.tables import figures_sheet

ALL = ""
_COLUMNS, _FEW_COLUMNS = 4, 2
_NARROW = 1150
"""The width below which there are fewer columns."""
_SIGNS = {
    AGREES: ("check", "good"),
    OTHER_ERROR: ("info", "good"),
    DIFFERS: ("warning", "warningText"),
    NOT_RECOMPUTED: ("minus", "text2"),
}


class SurveyCard(Card):
    """One survey: who published what, how it was asked, and both numbers."""

    open_requested = Signal(str)
    """Make a study of the survey of that name."""
    demonstration_requested = Signal(str)
    source_requested = Signal(str)

    def __init__(
        self, themes: ThemeManager, survey: GallerySurvey, demonstration: str, *, can_open: bool
    ) -> None:
        super().__init__(padding=13)
        self.survey = survey
        self.setObjectName(f"survey-{survey.name}")
        self.sign = IconLabel(themes, "minus", "surface", 18)
        title = text(survey.title, "strong", wrap=True)
        head = row(title, self.sign, spacing=6, stretch=0)
        head.setAlignment(self.sign, Qt.AlignmentFlag.AlignTop)
        self.counts = text(translate(survey.counts_line), "caption", wrap=True)
        self.figures = SheetTable(themes, "figures", "", chooses=False, hugs=2, sorts=False, pad=4)
        self.note = text("", "caption", wrap=True)
        self.source_button = self._link(themes, self.tr("Source"), "source")
        self.source_button.clicked.connect(lambda: self.source_requested.emit(survey.name))
        self.open_button = self._make_open(themes, demonstration, can_open=can_open)
        self.body.setSpacing(5)
        for part in (
            head, text(survey.source, "captionHint", wrap=True),
            row(text(survey.device, "badge"), None), self.counts, 2, line(), self.figures,
            self.note, None, row(self.open_button, None, self.source_button),
        ):  # fmt: skip
            self._add(part)
        self.set_view(None)

    def _add(self, part: object) -> None:
        if part is None:
            self.body.addStretch(1)
        elif isinstance(part, int):
            self.body.addSpacing(part)
        elif isinstance(part, QWidget):
            self.body.addWidget(part)
        else:
            self.body.addLayout(part)  # type: ignore[arg-type]

    def _link(self, themes: ThemeManager, words: str, name: str) -> Button:
        button = named(Button(themes, words, look="link"), f"{name}-{self.survey.name}")
        button.setAccessibleName(f"{words}: {self.survey.title}")
        return button

    def _make_open(self, themes: ThemeManager, demonstration: str, *, can_open: bool) -> Button:
        survey = self.survey
        if demonstration:
            button = self._link(themes, self.tr("Demonstration: %s") % demonstration, "open")
            button.clicked.connect(lambda: self.demonstration_requested.emit(survey.demonstration))
            return button
        button = self._link(themes, self.tr("Open as a study"), "open")
        button.setToolTip(self.tr("Rebuild the reported answers from the counts"))
        button.clicked.connect(lambda: self.open_requested.emit(survey.name))
        button.setVisible(can_open and survey.question is not None)
        return button

    def set_view(self, found: Comparison | None) -> None:
        """Show what was found; None before that."""
        survey = self.survey
        known = found or Comparison(survey, None, "")
        sheet = figures_sheet(known)
        self.figures.set_sheet(sheet)
        rows = zip(*(map(translate, sheet[key].values) for key in ("who", "told")), strict=True)
        self.figures.setAccessibleName("; ".join(map(": ".join, rows)))
        self.note.setText(translate(known.problem or f"{survey.note} {survey.missing}".strip()))
        icon_name, ink = _SIGNS.get(known.outcome, ("minus", "surface"))
        self.sign.show_icon(icon_name, ink)
        verdict = translate(known.verdict) if found is not None else ""
        self.sign.setToolTip(verdict)
        self.sign.setAccessibleName(verdict)


class GalleryPanel(QWidget):
    """A choice of families over cards in a grid that scrolls."""

    def __init__(
        self,
        themes: ThemeManager,
        surveys: tuple[GallerySurvey, ...],
        demonstrations: Mapping[str, str],
        *,
        can_open: bool,
    ) -> None:
        super().__init__()
        self._themes = themes
        self.surveys = {one.name: one for one in surveys}
        self.cards = {
            one.name: SurveyCard(
                themes, one, demonstrations.get(one.demonstration, ""), can_open=can_open
            )
            for one in surveys
        }
        self._columns = 0
        self._shown: GalleryComparison | None = None
        self._build()

    def _build(self) -> None:
        themes, count = self._themes, len(self.surveys)
        families = [(ALL, self.tr("All %s") % count)]
        families += [(key, translate(title)) for key, title in FAMILIES.items()]
        self.families = named(
            Segmented(themes, self.tr("Kind of survey"), families), "galleryFamilies"
        )
        self.families.chosen.connect(lambda _: self._place())
        self.mark = IconLabel(themes, "check", "surface", 16)
        self.status = named(text("", "label"), "galleryStatus")
        told = QWidget()
        row(self.mark, self.status, parent=told, spacing=6)
        head = QWidget()
        head.setLayout(WrappingRow(self.families, told, spacing=16, line_spacing=6))
        self.foot = named(text("", "captionHint", wrap=True), "galleryFoot")
        inner = QWidget()
        self._grid = QGridLayout()
        self._grid.setSpacing(12)
        column(self._grid, self.foot, None, parent=inner, spacing=10)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # The links of the cards take the keyboard, and bring themselves into sight.
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(inner)
        column(head, self._area, parent=self, spacing=10, margin=(16, 4, 16, 0))

    @property
    def columns(self) -> int:
        return self._columns

    @property
    def shown_cards(self) -> list[SurveyCard]:
        chosen = self.families.current
        return [card for card in self.cards.values() if chosen in (ALL, card.survey.family)]

    def show_found(
        self, found: GalleryComparison | None, busy: str | None, *, was_stopped: bool
    ) -> None:
        """Show what is known, what is worked out now if anything is, and why there is nothing."""
        if found is not None and found is not self._shown:
            self._shown = found
            for one in found.comparisons:
                self.cards[one.survey.name].set_view(one)
        if busy is not None:
            self._say("refresh", "text2", self.tr("Computing… %s") % busy)
        elif found is not None:
            is_fine = found.is_as_expected
            sign = ("check", "good") if is_fine else ("warning", "warningText")
            self._say(*sign, translate(found.sentence))
        elif was_stopped:
            self._say("minus", "text2", self.tr("Cancelled; “Compute again” starts over."))
        else:
            self._say("minus", "surface", "")
        parts = [self.tr("%s surveys, counts only, no rows of anybody's data") % len(self.surveys)]
        if found is not None:
            parts.append(self.tr("computed in %s s") % number(found.seconds, 1))
        self.foot.setText("; ".join(parts) + ".")

    def _say(self, icon_name: str, ink: str, words: str) -> None:
        self.mark.show_icon(icon_name, ink)
        self.status.setText(words)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        is_narrow = self.width() < self._themes.theme.px(_NARROW)
        columns = _FEW_COLUMNS if is_narrow else _COLUMNS
        if columns != self._columns:
            self._columns = columns
            self._place()

    def _place(self) -> None:
        shown = self.shown_cards
        for card in self.cards.values():
            self._grid.removeWidget(card)
            if card not in shown:
                card.hide()
        for place in range(_COLUMNS):
            self._grid.setColumnStretch(place, 1 if place < self._columns else 0)
        for place, card in enumerate(shown):
            self._grid.addWidget(card, place // self._columns, place % self._columns)
            card.show()
        self._area.verticalScrollBar().setValue(0)
