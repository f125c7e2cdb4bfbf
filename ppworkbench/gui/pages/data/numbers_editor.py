"""The numbers of an attribute: their range and how they are spread over it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLineEdit, QSpinBox

from ppworkbench.core.data.attribute import CLIP, FROM_DATA, REFUSE, Kind, rounded_domain
from ppworkbench.core.data.table import Column
from ppworkbench.core.progress import Progress, silent
from ppworkbench.gui.charts.histogram import HistogramPlot
from ppworkbench.gui.charts.shares import Histogram
from ppworkbench.gui.language import own_words
from ppworkbench.gui.numbers import number, plain, read_number, with_unit
from ppworkbench.gui.pages.data import edits as data_edits
from ppworkbench.gui.pages.data.view import AT_ONCE, Selection, SelectionEditor
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import column, named, reserve_width, row, show_words, text
from ppworkbench.gui.widgets.provenance import marked_invented
from ppworkbench.gui.workbench import Workbench
from ppworkbench.results.picture import Shares, answers_note
from ppworkbench.study.data_checks import AUTOMATIC, ColumnSummary, bar_edges

_CHUNK = 1 << 18


def spread(
    column: Column, bars: int, role: str, word: str, progress: Progress = silent
) -> Histogram:
    """The histogram of a numeric column over its domain and whatever lies outside it."""
    low, high = column.attribute.domain or (0.0, 1.0)
    present = column.data[~column.missing]
    if not len(present):
        return Histogram()
    low, high = min(low, float(present.min())), max(high, float(present.max()))
    if column.attribute.kind is Kind.INTEGER:
        low, high = float(np.floor(low)), float(np.ceil(high))
    edges = bar_edges(column, low, high, bars)
    counts = np.zeros(len(edges) - 1)
    for start in range(0, len(present), _CHUNK):
        progress(start / len(present))
        counts += np.histogram(present[start : start + _CHUNK], edges)[0]
    shares = Shares(role, counts / len(present), edges)
    about = with_unit(column.attribute.shown, own_words(column.attribute.unit))
    note, domain = answers_note(len(present)), column.attribute.domain
    return Histogram((shares,), domain=domain, names={role: word}, about=about, note=note)


_MOST_BARS = 200


class NumbersSection(SelectionEditor):
    """Two fields for the ends of the range, a histogram, and how many bars it has."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench
        themes = workbench.themes
        self.low = self._field("domainLow", self.tr("Lowest possible number"))
        self.high = self._field("domainHigh", self.tr("Highest possible number"))
        self.fit_button = named(Button(themes, self.tr("Fit to data"), look="link"), "fitDomain")
        self.fit_button.clicked.connect(
            lambda: self.ask(lambda view: data_edits.fit_domain(view.name, self._show_problem))
        )
        self.source = text("", "captionHint", wrap=True)
        self.confirm_button = named(
            Button(themes, self.tr("Confirm as public"), look="link"), "confirmDomain"
        )
        self.confirm_button.setToolTip(
            self.tr("These bounds are known without the answers and may be published")
        )
        self.confirm_button.clicked.connect(
            lambda: self.ask(lambda view: data_edits.confirm_domain(view.name))
        )
        self.clip = named(QCheckBox(self.tr("Clip answers outside the range")), "clipOutside")
        self.clip.setToolTip(
            self.tr(
                "Randomise an answer outside the range as the nearest bound; else it is refused"
            )
        )
        self.clip.clicked.connect(self._on_clip)
        self.problem = text("", "error", wrap=True)
        self.outside = text("", "warning", wrap=True)
        self.plot = named(HistogramPlot(themes, self.tr("Histogram of the answers")), "histogram")
        self.plot.setFixedHeight(150)
        self.bars = named(QSpinBox(), "bars", self.tr("Number of bins"))
        self.bars.setRange(AUTOMATIC, _MOST_BARS)
        self.bars.setSpecialValueText(self.tr("automatic"))
        self.bars.setSingleStep(5)
        reserve_width(self.bars, themes, 104)
        self.bars.valueChanged.connect(self._draw)
        self.summary = text("", "captionHint", wrap=True)
        fields = row(
            self.low, text(self.tr("to"), "hint"), self.high, self.fit_button, None, spacing=8
        )
        where = row(self.source, self.confirm_button, spacing=6, stretch=0)
        column(
            row(
                text(self.tr("Range"), "strong"), None,
                text(self.tr("lowest and highest possible answer"), "captionHint"),
            ),
            fields,
            where,
            self.clip,
            self.problem,
            self.outside,
            6,
            row(text(self.tr("Answers"), "strong"), None, text(self.tr("Bins"), "hint"), self.bars),
            self.plot,
            self.summary,
            parent=self,
            spacing=6,
        )  # fmt: skip

    @property
    def figure_subject(self) -> str:
        """What the histogram is about, for the title of a figure."""
        return "" if self._view is None else self._view.attribute.shown

    def _field(self, object_name: str, name: str) -> QLineEdit:
        field = named(QLineEdit(), object_name, name)
        field.setAlignment(Qt.AlignmentFlag.AlignRight)
        reserve_width(field, self._workbench.themes, 96)
        field.editingFinished.connect(self._on_typed)
        return field

    def set_view(self, view: Selection) -> None:
        before, self._view = self._view, view
        is_other = before is None or before.column is not view.column
        if is_other:
            # News about the same column must not wipe out what somebody is typing.
            self._show_domain()
        for field in (self.low, self.high):
            field.setReadOnly(bool(view.reason_against))
            field.setToolTip(view.reason_against)
        self._show_source(view)
        self._show_summary(view, view.summary)
        if is_other:
            self._draw()

    def _show_domain(self) -> None:
        if self._view is not None and self._view.attribute.domain is not None:
            low, high = self._view.attribute.domain
            self.low.setText(plain(low))
            self.high.setText(plain(high))
        self._show_problem("")

    def _show_source(self, view: Selection) -> None:
        is_taken = view.attribute.domain_source == FROM_DATA
        self.source.setText(
            self.tr("Taken from the data, rounded.")
            if is_taken
            else self.tr("Limits known in advance.")
        )
        self.confirm_button.setVisible(is_taken and not view.reason_against)
        self.clip.setChecked(view.attribute.outside == CLIP)
        self.clip.setEnabled(not view.reason_against)

    def _show_problem(self, sentence: str) -> None:
        show_words(self.problem, sentence)

    def _show_summary(self, view: Selection, summary: ColumnSummary | None) -> None:
        self.outside.hide()
        against = view.reason_against
        if summary is None or not summary.present:
            self.summary.setText("" if summary is None else self.tr("There are no answers."))
            self.fit_button.setEnabled(False)
            self.fit_button.setToolTip(against or self.tr("There are no answers to fit to."))
            return
        low, high = view.attribute.domain or (summary.low, summary.high)
        ends = (plain(summary.low), plain(summary.high))
        numbers = (*ends, plain(summary.mean, 2), plain(summary.median, 2))
        self.summary.setText(
            self.tr("%s answers from %s to %s; mean %s, median %s.")
            % (number(summary.present), *numbers)
        )
        fits = (low, high) == rounded_domain(summary.low, summary.high)
        reason = self.tr("The range is that of the answers, rounded.") if fits else ""
        self.fit_button.setEnabled(not (against or reason))
        self.fit_button.setToolTip(against or reason)
        if summary.low < low or summary.high > high:
            sentence = self.tr("Answers range from %s to %s, beyond this range.") % ends
            if view.role == "distorted":
                sentence = self.tr("Distorted answers range from %s to %s.") % ends
            self.outside.setText(sentence)
            self.outside.show()

    def _on_typed(self) -> None:
        view = self._view
        typed = self._read_domain()
        if view is None or typed is None:
            return
        if typed == view.attribute.domain:
            self._show_domain()
            return
        self.ask(lambda view: data_edits.set_domain(view.name, *typed, self._show_problem))

    def _read_domain(self) -> tuple[float, float] | None:
        """The range that is typed; None after a sentence where it is none."""
        view = self._view
        if view is None or view.attribute.domain is None or self.low.isReadOnly():
            return None
        typed = []
        for field, known in zip((self.low, self.high), view.attribute.domain, strict=True):
            # A field that nobody touched stands for the exact number that it rounds.
            is_same = field.text() == plain(known)
            value = known if is_same else read_number(field.text())
            if value is None:
                self._show_problem(self.tr("“%s” is not a number.") % field.text().strip())
                return None
            typed.append(value)
        return typed[0], typed[1]

    def _on_clip(self, is_on: bool) -> None:
        outside = CLIP if is_on else REFUSE
        # A range that was refused for the answers outside of it is what clipping is for.
        typed = self._read_domain() if is_on else None

        def edit(view: Selection) -> object:
            domain = None if typed == view.attribute.domain else typed
            return data_edits.set_outside(view.name, outside, self._refuse_clip, domain)

        self.ask(edit)

    def _refuse_clip(self, why: str) -> None:
        if self._view is not None:
            self._show_source(self._view)
        self._show_problem(why)

    def _draw(self) -> None:
        view = self._view
        if view is None or view.column.is_categorical:
            return
        held, bars, role = view.column, self.bars.value(), view.role
        word = self.tr("original") if role == "original" else self.tr("reported")
        word = marked_invented(word)
        if len(held) <= AT_ONCE:
            self.plot.show_histogram(spread(held, bars, role, word))
            return

        def done(histogram: Histogram) -> None:
            if self._view is not None and self._view.column is held:
                self.plot.show_histogram(histogram)

        self._workbench.run(
            self.tr("Counting answers"),
            lambda progress: spread(held, bars, role, word, progress),
            done,
            key="data histogram",
            quiet=True,
        )
