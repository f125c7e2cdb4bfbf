"""The range of a numeric attribute and how its numbers are spread."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QSpinBox, QWidget

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.language.text import told
from ppworkbench.gui.pages.data.corrections import Corrections
from ppworkbench.gui.pages.data.facts import AT_ONCE, Facts
from ppworkbench.gui.pages.data.number_text import plain
from ppworkbench.gui.pages.data.spread import AUTOMATIC, spread
from ppworkbench.gui.pages.data.subject import Subject
from ppworkbench.gui.plots.histogram import Histogram, HistogramPlot
from ppworkbench.gui.widgets.icon_button import Button
from ppworkbench.gui.widgets.kept_width import keep_width
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.words import number, read_number
from ppworkbench.gui.workbench import Workbench

_MOST_BARS = 200


class NumbersSection(QWidget):
    """Two fields for the ends of the range, a histogram, and how many bars it has."""

    def __init__(self, workbench: Workbench, corrections: Corrections) -> None:
        super().__init__()
        self._workbench = workbench
        self._corrections = corrections
        self._subject: Subject | None = None
        themes = workbench.themes
        self.low = self._field("domainLow", self.tr("Lowest possible number"))
        self.high = self._field("domainHigh", self.tr("Highest possible number"))
        self.fit_button = Button(themes, self.tr("Fit to the answers"), look="link")
        self.fit_button.setObjectName("fitDomain")
        self.fit_button.clicked.connect(self._on_fit)
        self.problem = text("", "error", wrap=True)
        self.outside = text("", "warning", wrap=True)
        self.plot = HistogramPlot(themes, self.tr("Histogram of the answers"))
        self.plot.setObjectName("histogram")
        self.plot.setFixedHeight(150)
        self.bars = QSpinBox()
        self.bars.setObjectName("bars")
        self.bars.setAccessibleName(self.tr("Number of bars"))
        self.bars.setRange(AUTOMATIC, _MOST_BARS)
        self.bars.setSpecialValueText(self.tr("automatic"))
        self.bars.setSingleStep(5)
        keep_width(self.bars, themes, 104)
        self.bars.valueChanged.connect(self._draw)
        self.summary = text("", "captionHint", wrap=True)
        fields = row(
            self.low, text(self.tr("to"), "hint"), self.high, self.fit_button, None, spacing=8
        )
        column(
            row(
                text(self.tr("Range"), "strong"), None,
                text(self.tr("lowest and highest possible answer"), "captionHint"),
            ),
            fields,
            self.problem,
            self.outside,
            6,
            row(text(self.tr("Answers"), "strong"), None, text(self.tr("Bars"), "hint"), self.bars),
            self.plot,
            self.summary,
            parent=self,
            spacing=6,
        )  # fmt: skip

    def _field(self, object_name: str, name: str) -> QLineEdit:
        field = QLineEdit()
        field.setObjectName(object_name)
        field.setAccessibleName(name)
        field.setAlignment(Qt.AlignmentFlag.AlignRight)
        keep_width(field, self._workbench.themes, 96)
        field.editingFinished.connect(self._on_typed)
        return field

    def show_subject(self, subject: Subject) -> None:
        """Show another attribute, or the same one after a change."""
        before, self._subject = self._subject, subject
        is_other = before is None or before.column is not subject.column
        if is_other:
            # News about the same column must not wipe out what somebody is typing.
            self._show_domain()
        for field in (self.low, self.high):
            field.setReadOnly(bool(subject.reason_against))
            field.setToolTip(subject.reason_against)
        self._show_facts(subject, subject.facts)
        if is_other:
            self._draw()

    def _show_domain(self) -> None:
        if self._subject is not None and self._subject.attribute.domain is not None:
            low, high = self._subject.attribute.domain
            self.low.setText(plain(low))
            self.high.setText(plain(high))
        self._show_problem("")

    def _show_problem(self, sentence: str) -> None:
        self.problem.setText(sentence)
        self.problem.setVisible(bool(sentence))

    def _show_facts(self, subject: Subject, facts: Facts | None) -> None:
        self.outside.hide()
        against = subject.reason_against
        if facts is None or not facts.present:
            self.summary.setText("" if facts is None else self.tr("There are no answers."))
            self.fit_button.setEnabled(False)
            self.fit_button.setToolTip(against or self.tr("There are no answers to fit it to."))
            return
        low, high = subject.attribute.domain or (facts.low, facts.high)
        ends = (plain(facts.low), plain(facts.high))
        numbers = (*ends, plain(facts.mean, 2), plain(facts.median, 2))
        self.summary.setText(
            self.tr("%s answers from %s to %s; the mean is %s, the median %s.")
            % (number(facts.present), *numbers)
        )
        fits = (low, high) == (facts.low, facts.high)
        reason = self.tr("The range ends where the answers do.") if fits else ""
        self.fit_button.setEnabled(not (against or reason))
        self.fit_button.setToolTip(against or reason)
        if facts.low < low or facts.high > high:
            sentence = self.tr("Answers run from %s to %s, beyond this range.") % ends
            if subject.role == "distorted":
                sentence = self.tr("Distorted answers run from %s to %s.") % ends
            self.outside.setText(sentence)
            self.outside.show()

    def _on_typed(self) -> None:
        subject = self._subject
        if subject is None or subject.attribute.domain is None or self.low.isReadOnly():
            return
        typed = []
        for field, known in zip((self.low, self.high), subject.attribute.domain, strict=True):
            # A field that nobody touched stands for the exact number that it rounds.
            is_same = field.text() == plain(known)
            value = known if is_same else read_number(field.text())
            if value is None:
                self._show_problem(self.tr("“%s” is not a number.") % field.text().strip())
                return
            typed.append(value)
        if tuple(typed) == subject.attribute.domain:
            self._show_domain()
            return
        self._corrections.set_domain(subject.name, typed[0], typed[1], self._refuse)

    def _refuse(self, error: WorkbenchError) -> None:
        self._show_problem(told(error.message))

    def _on_fit(self) -> None:
        if self._subject is not None and self._subject.facts is not None:
            facts = self._subject.facts
            self._corrections.set_domain(self._subject.name, facts.low, facts.high, self._refuse)

    def _draw(self) -> None:
        subject = self._subject
        if subject is None or subject.column.is_categorical:
            return
        held, bars, role = subject.column, self.bars.value(), subject.role
        word = self.tr("original") if role == "original" else self.tr("distorted")
        if len(held) <= AT_ONCE:
            self.plot.show_histogram(spread(held, bars, role, word))
            return

        def done(histogram: Histogram) -> None:
            if self._subject is not None and self._subject.column is held:
                self.plot.show_histogram(histogram)

        self._workbench.run(
            self.tr("Counting answers"),
            lambda progress: spread(held, bars, role, word, progress),
            done,
            key="data histogram",
            quiet=True,
        )
