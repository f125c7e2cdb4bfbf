"""The right column of the Data page: everything about the selected attribute."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QLineEdit,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ppworkbench.core.data.attribute import Kind, MissingPolicy
from ppworkbench.core.data.table import Column
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress, silent
from ppworkbench.gui.charts.histogram import HistogramPlot
from ppworkbench.gui.charts.shares import Histogram, Shares
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import number, percent, plain, read_number
from ppworkbench.gui.pages.data.edits import (
    AT_ONCE,
    Corrections,
    Subject,
    SummaryCache,
    find_subject,
    is_same_typing,
    kind_word,
)
from ppworkbench.gui.pages.data.texts import reason_words
from ppworkbench.gui.pages.data.values_editor import ValuesSection
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, IconButton, IconLabel, Segmented, Switch
from ppworkbench.gui.widgets.layout import column, line, reserve_width, row, scroll_area, text
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.data_checks import (
    AUTOMATIC,
    ColumnSummary,
    HeldCode,
    bar_edges,
    code_text,
    find_warning,
)


class AttributeHeader(QWidget):
    """The pencil opens two fields; Enter keeps them, Esc leaves things as they were."""

    def __init__(self, themes: ThemeManager, corrections: Corrections) -> None:
        super().__init__()
        self._corrections = corrections
        self._subject: Subject | None = None
        self.icon = IconLabel(themes, "kind-nominal", "accentInk", 18)
        self.name = text("", "subtitle", wrap=True)
        self.question = text("", "hint", wrap=True)
        self.edit_button = IconButton(themes, "edit", self.tr("Rename"), 15)
        self.edit_button.setObjectName("renameAttribute")
        self.edit_button.clicked.connect(self.start_editing)
        self.name_field = self._field("attributeName", self.tr("Name"))
        self.question_field = self._field("attributeQuestion", self.tr("Question as it was asked"))
        self.problem = text("", "error", wrap=True)
        self.keep_button = Button(themes, self.tr("Keep", "verb"))
        self.keep_button.setObjectName("keepName")
        self.keep_button.clicked.connect(self._on_keep)
        self.cancel_button = Button(themes, self.tr("Cancel"), look="link")
        self.cancel_button.setObjectName("cancelName")
        self.cancel_button.clicked.connect(lambda *_: self._show_editor(False))
        self._reader = QWidget()
        line = row(self.icon, self.name, self.edit_button, spacing=8)
        line.setStretch(1, 1)
        column(line, self.question, parent=self._reader, spacing=4)
        self._editor = QWidget()
        column(
            self.name_field,
            self.question_field,
            self.problem,
            row(self.keep_button, self.cancel_button, None),
            parent=self._editor,
            spacing=6,
        )
        column(self._reader, self._editor, parent=self, spacing=0)
        self._show_editor(False)

    def show_subject(self, subject: Subject) -> None:
        """Show another attribute; what was being typed about the last one is dropped."""
        if self._subject is None or subject.names != self._subject.names:
            self._show_editor(False)
        self._subject = subject
        self.edit_button.setVisible(subject.is_single)
        self.edit_button.setEnabled(not subject.reason_against)
        self.edit_button.setToolTip(subject.reason_against or self.tr("Rename"))
        if subject.is_single:
            self.icon.show_icon(f"kind-{subject.attribute.kind.value}")
            self.name.setText(subject.name)
            label = subject.attribute.label
            self.question.setText(self.tr("“%s”") % label if label else "")
            self.question.setVisible(bool(label))
            return
        self.icon.show_icon("data")
        self.name.setText(self.tr("%s attributes") % number(len(subject.names)))
        listed = ", ".join(subject.names[:6])
        rest = len(subject.names) - 6
        more = self.tr("%s and %s more") % (listed, number(rest))
        self.question.setText(more if rest > 0 else listed)
        self.question.show()

    def start_editing(self) -> None:
        """Open the fields."""
        if self._subject is not None and self.edit_button.isEnabled():
            self.name_field.setText(self._subject.name)
            self.question_field.setText(self._subject.attribute.label)
            self._show_editor(True)
            self.name_field.setFocus()
            self.name_field.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Esc leaves the fields."""
        if event.key() == Qt.Key.Key_Escape and self._editor.isVisibleTo(self):
            self._show_editor(False)
        else:
            super().keyPressEvent(event)

    def _field(self, object_name: str, name: str) -> QLineEdit:
        field = QLineEdit()
        field.setObjectName(object_name)
        field.setAccessibleName(name)
        field.setPlaceholderText(name)
        field.returnPressed.connect(self._on_keep)
        return field

    def _show_editor(self, shown: bool) -> None:
        self._reader.setVisible(not shown)
        self._editor.setVisible(shown)
        self.problem.setText("")
        self.problem.hide()

    def _on_keep(self) -> None:
        subject = self._subject
        if subject is None:
            return
        new, label = self.name_field.text().strip(), self.question_field.text().strip()
        if label != subject.attribute.label:
            self._corrections.set_label(subject.name, label)
        if new != subject.name:
            self._corrections.rename_attribute(subject.name, new, self._refuse)
        if not self.problem.text():
            self._show_editor(False)

    def _refuse(self, error: WorkbenchError) -> None:
        self._show_editor(True)
        self.problem.setText(translate(error.message))
        self.problem.show()


class KindSection(QWidget):
    """Five segments; those that cannot be are grey and say why."""

    def __init__(self, themes: ThemeManager, corrections: Corrections) -> None:
        super().__init__()
        self._corrections = corrections
        self._subject: Subject | None = None
        self.kind = Segmented(
            themes, self.tr("Kind"), [(kind.value, kind_word(kind)) for kind in Kind]
        )
        self.kind.setObjectName("kind")
        self.kind.chosen.connect(self._on_chosen)
        self.reason = text("", "captionHint", wrap=True)
        self.undo_button = Button(themes, self.tr("Undo"), look="link")
        self.undo_button.setObjectName("undoKind")
        self.undo_button.setToolTip(self.tr("Back to how the file was understood"))
        self.undo_button.clicked.connect(self._on_undo)
        self.keep_button = Button(themes, self.tr("Keep it"), look="link")
        self.keep_button.setObjectName("keepKind")
        self.keep_button.setToolTip(self.tr("The kind is right; do not ask again"))
        self.keep_button.clicked.connect(self._on_keep)
        line = row(self.reason, self.undo_button, self.keep_button, spacing=6)
        line.setStretch(0, 1)
        column(self.kind, line, parent=self, spacing=2)

    def show_subject(self, subject: Subject) -> None:
        """Show the kind of another attribute, or the one that several share."""
        self._subject = subject
        kinds = {attribute.kind for attribute in subject.attributes}
        self.kind.set_current(next(iter(kinds)).value if len(kinds) == 1 else "")
        self.kind.set_disabled({k.value: why for k, why in subject.impossible.items()})
        self.kind.setEnabled(not subject.reason_against)
        self.kind.setToolTip(subject.reason_against)
        opened = self._corrections.opened(subject.name)
        is_changed = opened is not None and not is_same_typing(opened.attribute, subject.attribute)
        is_changed = is_changed and subject.is_single and not subject.reason_against
        doubt = find_warning(subject.attribute) if subject.is_single else ""
        self.undo_button.setVisible(is_changed)
        # A column without answers to tell apart stays odd whatever its kind is.
        can_keep = doubt not in ("", "none", "one") and bool(subject.attribute.reason)
        self.keep_button.setVisible(can_keep and not subject.reason_against)
        self.reason.setText(self._sentence(subject, is_changed))

    def _sentence(self, subject: Subject, is_changed: bool) -> str:
        if not subject.is_single:
            return self.tr("A choice here holds for all of them.")
        if subject.reason_against:
            return self.tr("The design says so.")
        if is_changed:
            opened = self._corrections.opened(subject.name)
            if opened is not None and opened.attribute.kind is not subject.attribute.kind:
                return self.tr("Changed by you; it was read as %s.") % kind_word(
                    opened.attribute.kind
                )
            return self.tr("Changed by you since the file was opened.")
        if subject.attribute.reason:
            return self.tr("Guessed: %s") % reason_words(subject.attribute.reason)
        return self.tr("Set by hand or by a codebook.")

    def _on_chosen(self, key: str) -> None:
        if self._subject is not None:
            self._corrections.set_kind(self._subject.names, Kind(key))

    def _on_undo(self) -> None:
        if self._subject is not None:
            self._corrections.take_back(self._subject.name)

    def _on_keep(self) -> None:
        if self._subject is not None:
            self._corrections.set_kind([self._subject.name], self._subject.attribute.kind)


_MOST_CODES = 6


class HeldCodes(QWidget):
    """The missing codes of the file that cells held; each can be taken for an answer."""

    restore_requested = Signal(object)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._list = QVBoxLayout(self)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(2)

    def show_codes(self, held: tuple[HeldCode, ...], reason_against: str) -> None:
        """Show other codes."""
        while self._list.count():
            item = self._list.takeAt(0)
            widget = item.widget()
            if widget is not None:
                widget.setParent(None)
                widget.deleteLater()
        for code, label, count in held[:_MOST_CODES]:
            self._list.addWidget(self._line(code, label, count, reason_against))
        self.setVisible(bool(held))

    def _line(self, code: float | str, label: str, count: int, reason_against: str) -> QWidget:
        shown = code_text(code)
        what = self.tr("%s “%s”") % (shown, label) if label and label != shown else shown
        words = self.tr("%s, once") % what
        if count != 1:
            words = self.tr("%s, %s times") % (what, number(count))
        button = Button(self._themes, self.tr("It is an answer"), look="link")
        button.setObjectName(f"restore-{shown}")
        button.setAccessibleName(self.tr("%s is an answer") % shown)
        button.setEnabled(not reason_against)
        button.setToolTip(reason_against)
        button.clicked.connect(lambda *_: self.restore_requested.emit(code))
        line = QWidget()
        row(text(words, "caption"), None, button, parent=line)
        return line


class MissingSection(QWidget):
    """Four policies, and what the chosen one will do."""

    def __init__(self, themes: ThemeManager, corrections: Corrections) -> None:
        super().__init__()
        self._corrections = corrections
        self._subject: Subject | None = None
        self.count = text("", "captionHint")
        self.held = HeldCodes(themes)
        self.held.restore_requested.connect(self._on_restore)
        self.group = QButtonGroup(self)
        self.choices = {policy: QRadioButton() for policy in self._order}
        for place, (policy, radio) in enumerate(self.choices.items()):
            radio.setObjectName(f"missing-{policy.value}")
            self.group.addButton(radio, place)
        self.group.idClicked.connect(self._on_clicked)
        self.effect = text("", "caption", wrap=True)
        self.effect.setObjectName("missingEffect")
        column(
            row(text(self.tr("Missing answers"), "strong"), None, self.count),
            self.held,
            *self.choices.values(),
            self.effect,
            _note(themes, self.tr("Whether someone skipped a question can itself give an answer "
                                  "away.")),
            parent=self,
            spacing=7,
        )  # fmt: skip

    @property
    def _order(self) -> tuple[MissingPolicy, ...]:
        return (
            MissingPolicy.LEAVE, MissingPolicy.VALUE, MissingPolicy.IMPUTE, MissingPolicy.DROP,
        )  # fmt: skip

    def show_subject(self, subject: Subject) -> None:
        """Show another attribute, or what several share."""
        self._subject = subject
        attributes = subject.attributes
        numeric = [a for a in attributes if a.kind.is_numeric]
        words = {
            MissingPolicy.LEAVE: self.tr("Leave missing and do not randomise"),
            MissingPolicy.VALUE: self.tr("Treat “missing” as one more answer"),
            MissingPolicy.IMPUTE: self._impute_words(subject),
            MissingPolicy.DROP: self.tr("Drop the row"),
        }
        no_value = self.tr("Numbers have no room for an answer “missing”; change the kind first.")
        chosen = {attribute.missing for attribute in attributes}
        self.group.setExclusive(False)
        for policy, radio in self.choices.items():
            reason = subject.reason_against
            if policy is MissingPolicy.VALUE and numeric:
                reason = reason or no_value
            radio.setText(words[policy])
            radio.setChecked(chosen == {policy})
            radio.setEnabled(not reason)
            radio.setToolTip(reason)
        self.group.setExclusive(True)
        summary = subject.summary if subject.is_single else None
        self.held.show_codes(() if summary is None else summary.reasons, subject.reason_against)
        self.count.setText(self._count_words(subject))
        self.effect.setText(self._effect_words(subject, summary))
        self.effect.setVisible(bool(self.effect.text()))

    def _impute_words(self, subject: Subject) -> str:
        kinds = {attribute.kind.is_numeric for attribute in subject.attributes}
        if kinds == {True}:
            return self.tr("Fill in the mean")
        if kinds == {False}:
            return self.tr("Fill in the most frequent answer")
        return self.tr("Fill in the mean or the most frequent answer")

    def _count_words(self, subject: Subject) -> str:
        if not subject.is_single:
            return ""
        summary = subject.summary
        if summary is None:
            return self.tr("counting")
        if not summary.missing:
            return self.tr("none here")
        share = summary.missing / max(summary.rows, 1)
        parts = (number(summary.missing), number(summary.rows), percent(share, 1))
        return self.tr("%s of %s, %s") % parts

    def _effect_words(self, subject: Subject, summary: ColumnSummary | None) -> str:
        """What will happen, in a sentence with the number it concerns."""
        if summary is None or not summary.missing:
            return ""
        one, many = self._sentences(subject, summary)[subject.attribute.missing]
        sentence = one if summary.missing == 1 else many % number(summary.missing)
        is_value = subject.attribute.missing is MissingPolicy.VALUE
        if is_value and subject.attribute.kind is Kind.ORDINAL:
            return self.tr("%s The order of the answers is lost.") % sentence
        return sentence

    def _sentences(
        self, subject: Subject, summary: ColumnSummary
    ) -> dict[MissingPolicy, tuple[str, str]]:
        """What each policy will do to one missing answer, and to so many."""
        left, filling = number(summary.rows - summary.missing), self._filling(subject, summary)
        return {
            MissingPolicy.LEAVE: (
                self.tr("One answer stays missing in everything that follows."),
                self.tr("%s answers stay missing in everything that follows."),
            ),
            MissingPolicy.DROP: (
                self.tr("One row is left out of every analysis; %s stay.") % left,
                self.tr("%s rows are left out of every analysis; %s stay.") % ("%s", left),
            ),
            MissingPolicy.VALUE: (
                self.tr("One answer becomes the value “missing” and is randomised."),
                self.tr("%s answers become the value “missing” and are randomised."),
            ),
            MissingPolicy.IMPUTE: (
                self.tr("One answer becomes %s.") % filling,
                self.tr("%s answers become %s.") % ("%s", filling.replace("%", "%%")),
            ),
        }

    def _filling(self, subject: Subject, summary: ColumnSummary) -> str:
        if not summary.present:
            return self.tr("nothing, since there is no answer to take")
        if subject.attribute.kind.is_categorical:
            return self.tr("“%s”") % subject.attribute.values[int(np.argmax(summary.counts))]
        is_whole = subject.attribute.kind is Kind.INTEGER
        return number(round(summary.mean)) if is_whole else plain(summary.mean, 2)

    def _on_clicked(self, place: int) -> None:
        if self._subject is not None:
            self._corrections.set_policy(self._subject.names, self._order[place])

    def _on_restore(self, code: float | str) -> None:
        if self._subject is not None:
            self._corrections.restore_missing(self._subject.name, code)


def _note(themes: ThemeManager, sentence: str) -> QFrame:
    frame = QFrame()
    frame.setProperty("look", "note")
    words = text(sentence, "caption", wrap=True)
    layout = row(IconLabel(themes, "info", "infoText", 16), words, parent=frame, spacing=10)
    layout.setContentsMargins(10, 6, 10, 6)
    layout.setStretch(1, 1)
    return frame


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
    return Histogram((shares,), domain=column.attribute.domain, names={role: word})


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
        reserve_width(self.bars, themes, 104)
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
        reserve_width(field, self._workbench.themes, 96)
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
        self._show_summary(subject, subject.summary)
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

    def _show_summary(self, subject: Subject, summary: ColumnSummary | None) -> None:
        self.outside.hide()
        against = subject.reason_against
        if summary is None or not summary.present:
            self.summary.setText("" if summary is None else self.tr("There are no answers."))
            self.fit_button.setEnabled(False)
            self.fit_button.setToolTip(against or self.tr("There are no answers to fit it to."))
            return
        low, high = subject.attribute.domain or (summary.low, summary.high)
        ends = (plain(summary.low), plain(summary.high))
        numbers = (*ends, plain(summary.mean, 2), plain(summary.median, 2))
        self.summary.setText(
            self.tr("%s answers from %s to %s; the mean is %s, the median %s.")
            % (number(summary.present), *numbers)
        )
        fits = (low, high) == (summary.low, summary.high)
        reason = self.tr("The range ends where the answers do.") if fits else ""
        self.fit_button.setEnabled(not (against or reason))
        self.fit_button.setToolTip(against or reason)
        if summary.low < low or summary.high > high:
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
        self._show_problem(translate(error.message))

    def _on_fit(self) -> None:
        if self._subject is not None and self._subject.summary is not None:
            summary = self._subject.summary
            self._corrections.set_domain(
                self._subject.name, summary.low, summary.high, self._refuse
            )

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


class ClassRow(QWidget):
    """Whether classifiers should predict the attribute."""

    def __init__(self, workbench: Workbench, corrections: Corrections) -> None:
        super().__init__()
        self._corrections = corrections
        self._name = ""
        self.switch = Switch(workbench.themes, self.tr("Use as class"))
        self.switch.setObjectName("useAsClass")
        self.switch.clicked.connect(self._on_clicked)
        label = text(self.tr("Use as class"), "strong")
        hint = text(self.tr("what a classifier should predict"), "captionHint")
        row(label, hint, None, self.switch, parent=self, spacing=8)

    def show_subject(self, subject: Subject) -> None:
        """Show whether another attribute is the class."""
        self._name = subject.name
        reason = subject.reason_against
        if not subject.is_single:
            reason = reason or self.tr("Only one attribute can be the class.")
        elif subject.attribute.kind.is_numeric:
            reason = reason or self.tr("A class has values; make it nominal or ordinal first.")
        is_class = subject.is_single and subject.table.class_name == subject.name
        self.switch.setChecked(is_class)
        self.switch.setEnabled(not reason)
        self.switch.setToolTip(reason)
        self.switch.update()

    def _on_clicked(self, checked: bool) -> None:
        self._corrections.set_class(self._name if checked else None)


class Inspector(Card):
    """Scrolls on its own; reads the study whenever something changed."""

    def __init__(
        self, workbench: Workbench, keeper: SummaryCache, corrections: Corrections
    ) -> None:
        super().__init__(padding=0)
        self.setObjectName("inspector")
        self._workbench = workbench
        self._store = workbench.store
        self._keeper = keeper
        self._corrections = corrections
        self._themes = workbench.themes
        self._is_opening = False

    def make_parts(self) -> None:
        """Make what it holds."""
        themes, corrections = self._themes, self._corrections
        self.heading = AttributeHeader(themes, corrections)
        self.kind = KindSection(themes, corrections)
        self.values = ValuesSection(themes, corrections)
        self.numbers = NumbersSection(self._workbench, corrections)
        self.missing = MissingSection(themes, corrections)
        self.class_row = ClassRow(self._workbench, corrections)
        self._arrange()
        self._store.study_opened.connect(self._on_opened)
        self._store.data_changed.connect(self._on_data_changed)
        self._store.selection_changed.connect(self._on_selection_changed)
        themes.theme_changed.connect(self._keep_width)
        # To open a study, and to be shown with it, is enough work for one event.
        self._due = single_shot(self, self.refresh)
        self._keeper.summary_arrived.connect(self._on_summary)
        corrections.settled.connect(self.refresh)
        self._keep_width()
        self.refresh()

    def _arrange(self) -> None:
        self._rule = line()
        self._inside = QWidget()
        layout = column(
            self.heading, self.kind, self._rule, self.values, self.numbers, line(), self.missing,
            line(), self.class_row, None, parent=self._inside, spacing=10, margin=14,
        )  # fmt: skip
        # The list of values takes what is left, as far as it needs it.
        layout.setStretchFactor(self.values, 1000)
        layout.setStretch(layout.count() - 1, 1)
        scroll = scroll_area(self._inside)
        scroll.setObjectName("inspectorScroll")
        self.body.setContentsMargins(1, 1, 1, 1)
        self.body.addWidget(scroll, 1)

    def _keep_width(self) -> None:
        """Nothing is cut off at the right, however large the type is."""
        self.keep_at_least(self._themes.theme.px(344))

    def _on_summary(self) -> None:
        self._due.start()

    def _on_opened(self) -> None:
        self._is_opening = True

    def _on_data_changed(self) -> None:
        # In another study something else is selected, which is told in a moment.
        if not self._is_opening:
            self.refresh()

    def _on_selection_changed(self) -> None:
        if self._is_opening and not self.isVisible():
            self._due.start()
        else:
            self.refresh()

    def refresh(self) -> None:
        """Show what is selected now."""
        self._is_opening = False
        subject = find_subject(self._store, self._keeper, self._corrections)
        if subject is None:
            return
        self.heading.show_subject(subject)
        self.kind.show_subject(subject)
        shows_values = subject.is_single and subject.column.is_categorical
        shows_numbers = subject.is_single and not subject.column.is_categorical
        self.values.setVisible(shows_values)
        self.numbers.setVisible(shows_numbers)
        self._rule.setVisible(subject.is_single)
        if shows_values:
            self.values.show_subject(subject)
        if shows_numbers:
            self.numbers.show_subject(subject)
        self.missing.show_subject(subject)
        self.class_row.show_subject(subject)
