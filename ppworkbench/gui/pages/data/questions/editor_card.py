"""One question: wording, label, name, kind, answers with their marks and expected shares."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QCheckBox, QLineEdit, QPlainTextEdit, QWidget

from ppworkbench.core.data.attribute import Kind
from ppworkbench.gui.language import own_words, tr, translate
from ppworkbench.gui.numbers import decimals_of
from ppworkbench.gui.pages.data.questions.answers_editor import AnswersEditor
from ppworkbench.gui.pages.data.questions.view import (
    QuestionEdit,
    QuestionsView,
    question_kind,
    usual_answers,
)
from ppworkbench.gui.store import Store
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.card import Card, Section
from ppworkbench.gui.widgets.controls import Button, IconLabel, Segmented, Switch
from ppworkbench.gui.widgets.layout import (
    column,
    line,
    named,
    row,
    scroll_area,
    show_words,
    text,
)
from ppworkbench.gui.widgets.number_fields import CountBox, NumberBox
from ppworkbench.study.questionnaire import edits
from ppworkbench.study.questionnaire.document import Question
from ppworkbench.study.questionnaire.pasted import free_name, name_of
from ppworkbench.study.study import Study

_KINDS = (Kind.BINARY, Kind.NOMINAL, Kind.ORDINAL, Kind.INTEGER)
_LARGEST = 1e9
_UNNAMED = "question"


class WordingEdit(QPlainTextEdit):
    """A few lines of text; Tab leads on, as in every other field."""

    text_edited = Signal()
    left = Signal()

    def __init__(self, themes: ThemeManager, name: str, words: str, lines: int) -> None:
        super().__init__()
        named(self, name, words)
        self._themes, self._lines = themes, lines
        self._is_filling = False
        self.setTabChangesFocus(True)
        self.textChanged.connect(self._on_changed)
        themes.theme_changed.connect(self._rescale)
        self._rescale()

    def _rescale(self) -> None:
        theme = self._themes.theme
        self.setFixedHeight(theme.px(20) * self._lines + theme.px(16))
        # Areas that scroll have no frame, but this is a field.
        set_rules(
            self,
            f"QPlainTextEdit {{ border: 1px solid {theme.hex('outline')}; border-radius: 6px; "
            f"background: {theme.hex('surface')}; padding: 1px 3px; }}"
            f"QPlainTextEdit:focus {{ border: 2px solid {theme.hex('focus')}; padding: 0 2px; }}",
        )

    def show_text(self, words: str) -> None:
        """Show a text without announcing it; what is being typed keeps its cursor."""
        if self.toPlainText() != words:
            self._is_filling = True
            self.setPlainText(words)
            self._is_filling = False

    def _on_changed(self) -> None:
        if not self._is_filling:
            self.text_edited.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        self.left.emit()


class EditorCard(Card):
    """Changes are kept as they are typed; what is typed into one field is one undo step."""

    edit_requested = Signal(object)
    design_requested = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes.tr("Question"), themes.tr("changes are kept as you type"))
        self._view = QuestionsView()
        self._gestures: dict[str, str] = {}
        self._make_fields(themes)
        self.numbers = self._number_part()
        self.answers = AnswersEditor(themes)
        self.answers.edit_requested.connect(self._on_answers)
        self.problem = named(text("", "error", wrap=True), "questionProblem")
        self.words = text("", "secondary", wrap=True)
        self.design_button = named(
            Button(themes, self.tr("Open in Design"), look="link"), "openInDesign"
        )
        self.design_button.clicked.connect(lambda *_: self.design_requested.emit())
        self.keys = text(self.tr("Alt+Up, Alt+Down: other questions"), "captionHint")
        self.blank = text(self.tr("Nothing to edit yet."), "hint")
        self.blank.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.area = self._arrange(themes)
        self.add(self.area, 1)
        self.add(self.blank, 1)
        self.body.addLayout(row(self.design_button, None, self.keys))

    def _make_fields(self, themes: ThemeManager) -> None:
        self.wording = WordingEdit(themes, "questionWording", self.tr("Wording"), 2)
        self.wording.text_edited.connect(lambda: self._on_words("text", self.wording))
        self.wording.left.connect(self._on_wording_left)
        self.label = self._field("questionLabel", self.tr("Label"))
        self.label.setToolTip(self.tr("A short name that lists, tables and charts show"))
        self.label.textEdited.connect(self._on_label)
        self.name = self._field("questionName", self.tr("Name"))
        self.name.setToolTip(self.tr("Name of the column"))
        self.name.editingFinished.connect(self._on_name)
        kinds = [(kind.value, question_kind(kind)) for kind in _KINDS]
        self.kind = Segmented(themes, self.tr("Kind"), kinds)
        self.kind.setObjectName("questionKind")
        self.kind.chosen.connect(self._on_kind)
        self.skip = Switch(themes, self.tr("May be skipped"))
        self.skip.setObjectName("maySkip")
        self.skip.clicked.connect(self._on_skip)
        self.help = WordingEdit(themes, "questionHelp", self.tr("Help below the wording"), 2)
        self.help.text_edited.connect(lambda: self._on_words("help", self.help))
        self.help.left.connect(self._end_gestures)
        self.page = CountBox("questionPage", self.tr("Page"), 1, 99)
        self.page.valueChanged.connect(self._on_page)
        self.short = self._field("questionShort", self.tr("Short name"))
        self.short.setToolTip(self.tr("The name of the column on survey platforms"))
        self.short.editingFinished.connect(self._on_short)
        self.more = Section(themes, self.tr("Help, page and short name"), "moreOfQuestion")

    def _field(self, name: str, words: str) -> QLineEdit:
        field = named(QLineEdit(), name, words)
        field.editingFinished.connect(self._end_gestures)
        return field

    def _number_part(self) -> QWidget:
        self.unit = self._field("questionUnit", self.tr("Unit"))
        self.unit.setToolTip(self.tr("What the number counts, such as euros or years"))
        self.unit.textEdited.connect(self._on_unit)
        self.low, self.high = NumberBox(), NumberBox()
        for box, name, words in (
            (self.low, "questionLow", self.tr("Lowest")),
            (self.high, "questionHigh", self.tr("Highest")),
        ):
            named(box, name, words)
            box.setRange(-_LARGEST, _LARGEST)
            box.valueChanged.connect(self._on_range)
        self.decimals = named(QCheckBox(self.tr("Decimals allowed")), "decimalsAllowed")
        self.decimals.clicked.connect(
            lambda on: self._set_kind(Kind.CONTINUOUS if on else Kind.INTEGER)
        )
        part = QWidget()
        ends = row(
            column(text(self.tr("Lowest"), "strong"), self.low, spacing=4),
            column(text(self.tr("Highest"), "strong"), self.high, spacing=4),
            column(text(self.tr("Unit"), "strong"), self.unit, spacing=4),
            spacing=10,
        )
        column(ends, self.decimals, parent=part, spacing=8)
        return part

    def _arrange(self, themes: ThemeManager) -> QWidget:
        names = row(
            column(text(self.tr("Label"), "strong"), self.label, spacing=4),
            column(text(self.tr("Name"), "strong"), self.name, spacing=4),
            spacing=10,
        )
        names.setStretch(0, 3)
        names.setStretch(1, 2)
        self.more.body.addWidget(text(self.tr("Help below the wording"), "strong"))
        self.more.body.addWidget(self.help)
        small = row(
            column(text(self.tr("Page"), "strong"), self.page, spacing=4),
            column(text(self.tr("Short name"), "strong"), self.short, spacing=4),
            spacing=10,
        )
        small.setStretch(1, 1)
        self.more.body.addLayout(small)
        skipping = column(
            text(self.tr("May be skipped")),
            text(self.tr("A skipped question can give an answer away."), "captionHint", wrap=True),
            spacing=2,
        )
        switch = row(self.skip, skipping, spacing=10)
        switch.setStretch(1, 1)
        self.form = QWidget()
        shield = row(IconLabel(themes, "shield", "warningText", 16), self.words, spacing=8)
        shield.setStretch(1, 1)
        self.shield = QWidget()
        shield.setContentsMargins(0, 0, 0, 0)
        self.shield.setLayout(shield)
        column(
            text(self.tr("Wording"), "strong"),
            self.wording,
            names,
            text(self.tr("Kind"), "strong"),
            self.kind,
            self.answers,
            self.numbers,
            self.problem,
            line(),
            switch,
            self.more,
            self.shield,
            None,
            parent=self.form,
            spacing=8,
        ).setContentsMargins(2, 2, 6, 2)
        return scroll_area(self.form)

    # What is shown

    def set_view(self, view: QuestionsView) -> None:
        """Show another question, or another state of it; the focused field keeps its cursor."""
        if view.name != self._view.name:
            self._end_gestures()
            show_words(self.problem, "")
        self._view = view
        question = view.question
        self.area.setVisible(question is not None)
        self.blank.setVisible(question is None)
        self.design_button.setEnabled(question is not None)
        place = self.tr("Question %s") % (view.place + 1) if question else self.tr("Question")
        self.title_label.setText(place)
        if question is None:
            return
        self.wording.show_text(question.text.get(view.language, ""))
        self.help.show_text(question.help.get(view.language, ""))
        attribute = view.study.design[question.name].attribute
        _fill(self.label, own_words(attribute.title))
        _fill(self.name, question.name)
        _fill(self.unit, question.unit.get(view.language, ""))
        _fill(self.short, view.asked.short_names()[question.name])
        shown = Kind.INTEGER if question.kind is Kind.CONTINUOUS else question.kind
        self.kind.set_current(shown.value)
        self.answers.setVisible(bool(question.answers))
        self.numbers.setVisible(question.domain is not None)
        self.answers.set_view(view)
        self._show_range(question)
        self.skip.setChecked(not question.required)
        with QSignalBlocker(self.page):
            self.page.setValue(question.page)
        self._lock(view)
        self._show_sensitive(question)

    def _show_range(self, question: Question) -> None:
        if question.domain is None:
            return
        self.decimals.setChecked(question.kind is Kind.CONTINUOUS)
        for box, end in zip((self.low, self.high), question.domain, strict=True):
            is_whole = question.kind is Kind.INTEGER
            box.setDecimals(0 if is_whole else max(decimals_of(end), 2))
            box.show_value(end)

    def _show_sensitive(self, question: Question) -> None:
        marked = [one for one in question.answers if one.sensitive]
        self.shield.setVisible(bool(marked))
        if marked:
            said = ", ".join(
                tr("“%s”") % one.text.get(self._view.language, one.value) for one in marked
            )
            words = self.tr(
                "Sensitive: %s. Design limits belief in it, Survey estimates it, Publish checks it."
            )
            self.words.setText(words % said)

    def _lock(self, view: QuestionsView) -> None:
        """Leave only words and marks where answers were randomised by the design."""
        is_reported = view.locked is not None and view.locked.code == "reported"
        reason = translate(view.locked) if is_reported and view.locked is not None else ""
        for field in (self.name, self.kind, self.low, self.high, self.decimals):
            field.setEnabled(not reason)
        for widget, words in (
            (self.name, self.tr("Name of the column")),
            (self.kind, ""),
            (self.numbers, ""),
        ):
            widget.setToolTip(reason or words)

    def refuse(self, why: str) -> None:
        """Say why a change was not made."""
        show_words(self.problem, why)

    def go_to(self, field: str) -> None:
        """Put the cursor into the field of this name, all of it chosen; else into the wording."""
        fields: dict[str, QLineEdit | WordingEdit] = {"name": self.name, "short": self.short}
        if self.answers.rows:
            fields["answers"] = self.answers.rows[0].field
        found = fields.get(field, self.wording)
        self.more.reveal(found)
        found.setFocus()
        found.selectAll()

    def start_writing(self) -> None:
        """Put the cursor into the wording, all of it chosen."""
        self.wording.setFocus()
        self.wording.selectAll()

    # What is changed

    def _emit(
        self,
        words: str,
        make: Callable[[Study], Study],
        gesture: str = "",
        renamed: tuple[str, str] | None = None,
        *,
        typed: bool = False,
    ) -> None:
        show_words(self.problem, "")
        shown = self._view.study.shown(self._view.name)
        named_gesture = self._gesture(gesture) if gesture else ""
        self.edit_requested.emit(
            QuestionEdit(words % shown, make, named_gesture, renamed, is_typed=typed)
        )

    def _on_answers(self, edit: QuestionEdit) -> None:
        show_words(self.problem, "")
        self.edit_requested.emit(edit)

    def _gesture(self, field: str) -> str:
        if field not in self._gestures:
            self._gestures = {field: Store.new_gesture(field)}
        return self._gestures[field]

    def _end_gestures(self) -> None:
        self._gestures = {}
        self.answers.end_gesture()

    def _on_words(self, what: str, field: WordingEdit) -> None:
        name, language, typed = self._view.name, self._view.language, field.toPlainText()
        self._emit(
            tr("Change the wording of %s"),
            lambda study: edits.set_text(study, name, what, language, typed, language),
            what,
        )

    def _on_wording_left(self) -> None:
        """Name a question after its wording, as long as nobody has named it."""
        self._end_gestures()
        question = self._view.question
        if question is None or not is_unnamed(question.name):
            return
        typed = self.wording.toPlainText().strip()
        if typed and self._view.locked is None:
            self._rename(free_name(name_of(typed), self._view.asked.names))

    def _on_label(self, typed: str) -> None:
        name, language = self._view.name, self._view.language
        self._emit(
            tr("Change the label of %s"),
            lambda study: edits.set_title(study, name, typed, language),
            "label",
        )

    def _on_unit(self, typed: str) -> None:
        name, language = self._view.name, self._view.language
        self._emit(
            tr("Change the unit of %s"),
            lambda study: edits.set_text(study, name, "unit", language, typed, language),
            "unit",
        )

    def _on_name(self) -> None:
        typed = self.name.text().strip()
        if self._view.name and typed != self._view.name:
            self._rename(typed)

    def _rename(self, new: str) -> None:
        name, language = self._view.name, self._view.language
        self._emit(
            tr("Rename %s"),
            lambda study: edits.rename_question(study, name, new, language),
            renamed=(name, new),
        )

    def _on_kind(self, key: str) -> None:
        kind, now = Kind(key), self._view.question
        if now is not None and now.kind is Kind.CONTINUOUS and kind is Kind.INTEGER:
            return
        self._set_kind(kind)

    def _set_kind(self, kind: Kind) -> None:
        name, language = self._view.name, self._view.language
        self._emit(
            tr("Change the kind of %s"),
            lambda study: edits.set_kind(study, name, kind, usual_answers(), language),
        )

    def _on_range(self) -> None:
        name, language = self._view.name, self._view.language
        low, high = self.low.value(), self.high.value()
        self._emit(
            tr("Change the range of %s"),
            lambda study: edits.set_domain(study, name, low, high, language),
            typed=True,
        )

    def _on_skip(self, on: bool) -> None:
        self._set_field(required=not on)

    def _on_page(self, number: int) -> None:
        self._set_field(page=number)

    def _on_short(self) -> None:
        typed = self.short.text().strip()
        if self._view.name and typed != self._view.asked.short_names()[self._view.name]:
            self._set_field(short=typed)

    def _set_field(self, **changes: object) -> None:
        name, language = self._view.name, self._view.language
        self._emit(
            tr("Change how %s is asked"),
            lambda study: edits.set_field(study, name, language, **changes),
        )


def unnamed(known: tuple[str, ...]) -> str:
    """A name for a question that nobody has worded yet."""
    return free_name(f"{_UNNAMED}_{len(known) + 1}", known)


def is_unnamed(name: str) -> bool:
    """Whether a name was given only because there must be one."""
    head, _, number = name.partition("_")
    return head == _UNNAMED and number.replace("_", "").isdigit()


def _fill(field: QLineEdit, words: str) -> None:
    """Show a text; a field that says it already keeps its cursor."""
    if field.text().strip() != words.strip():
        field.setText(words)
