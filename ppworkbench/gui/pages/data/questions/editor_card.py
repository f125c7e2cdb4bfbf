"""One question: wording, label, name, kind, answers with their marks and expected shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QCheckBox, QLineEdit, QVBoxLayout, QWidget

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.formats.stored import free_name
from ppworkbench.gui.language import own_words, tr, translate
from ppworkbench.gui.numbers import decimals_of
from ppworkbench.gui.pages.data.questions.view import (
    QuestionEdit,
    QuestionsView,
    question_kind,
    usual_answers,
)
from ppworkbench.gui.store import Store
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, Section
from ppworkbench.gui.widgets.controls import (
    Button,
    IconButton,
    IconLabel,
    Segmented,
    Switch,
    TextArea,
)
from ppworkbench.gui.widgets.layout import (
    column,
    line,
    named,
    reserve_width,
    row,
    scroll_area,
    show_words,
    text,
)
from ppworkbench.gui.widgets.number_fields import CountBox, NumberBox
from ppworkbench.study.questionnaire import edits
from ppworkbench.study.questionnaire.document import Answer, Question
from ppworkbench.study.questionnaire.pasted import name_of
from ppworkbench.study.study import Study

_MOST_ANSWERS = 60
"""More answers are a list for a spreadsheet, not for fields."""
_ALT_SHIFT = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier


class AnswerRow(QWidget):
    """One answer: grip, text, whether it is sensitive, the share that is expected."""

    text_edited = Signal(int, str)
    marked = Signal(int, bool)
    share_typed = Signal(int, float)
    remove_requested = Signal(int)
    move_requested = Signal(int, int)
    """This place, and the place that it should have."""
    entered = Signal(int)

    def __init__(self, themes: ThemeManager, place: int) -> None:
        super().__init__()
        self.place = place
        self._dragged: QPoint | None = None
        self.grip = IconLabel(themes, "grip", "text3", 16)
        self.grip.setCursor(Qt.CursorShape.OpenHandCursor)
        self.grip.setToolTip(self.tr("Drag, or Alt+Shift with the arrow keys"))
        self.grip.installEventFilter(self)
        words = self.tr("Answer %s") % (place + 1)
        self.field = named(QLineEdit(), f"answer-{place}", words)
        self.field.textEdited.connect(lambda typed: self.text_edited.emit(self.place, typed))
        self.field.returnPressed.connect(lambda: self.entered.emit(self.place))
        self.field.installEventFilter(self)
        self.sensitive = named(
            QCheckBox(), f"sensitive-{place}", self.tr("Answer %s is sensitive") % (place + 1)
        )
        self.sensitive.clicked.connect(lambda on: self.marked.emit(self.place, on))
        self.share = named(
            NumberBox(), f"share-{place}", self.tr("Expected share of answer %s") % (place + 1)
        )
        self.share.setRange(0.0, 100.0)
        self.share.setDecimals(1)
        self.share.setSuffix(" %")
        reserve_width(self.share, themes, 92)
        self.share.valueChanged.connect(lambda value: self.share_typed.emit(self.place, value))
        self.remove = named(
            IconButton(themes, "delete", self.tr("Remove answer %s") % (place + 1), 14),
            f"removeAnswer-{place}",
        )
        self.remove.clicked.connect(lambda *_: self.remove_requested.emit(self.place))
        layout = row(
            self.grip, self.field, self.sensitive, self.share, self.remove, parent=self, spacing=8
        )
        layout.setStretch(1, 1)

    def show_answer(self, answer: Answer, words: str, share: float | None) -> None:
        """Show an answer; a field that says it already keeps its cursor."""
        if self.field.text().strip() != words:
            self.field.setText(words)
        self.field.setToolTip(
            "" if words == answer.value else self.tr("Stored as “%s”") % answer.value
        )
        self.sensitive.setChecked(answer.sensitive)
        if share is not None:
            self.share.show_value(100.0 * share)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Move by the grip, or with Alt+Shift and the arrows."""
        if watched is self.field and isinstance(event, QKeyEvent):
            step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
            if step is not None and event.modifiers() & _ALT_SHIFT == _ALT_SHIFT:
                # The keys of the page would move the whole question.
                if event.type() == QEvent.Type.KeyPress:
                    self.move_requested.emit(self.place, self.place + step)
                event.accept()
                return True
        if watched is self.grip and isinstance(event, QMouseEvent):
            return self._drag(event)
        return super().eventFilter(watched, event)

    def _drag(self, event: QMouseEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress:
            self._dragged = event.globalPosition().toPoint()
            return True
        if event.type() == QEvent.Type.MouseButtonRelease and self._dragged is not None:
            moved = event.globalPosition().toPoint().y() - self._dragged.y()
            self._dragged = None
            steps = round(moved / max(self.height() + 6, 1))
            if steps:
                self.move_requested.emit(self.place, self.place + steps)
            return True
        return False


class AnswersEditor(QWidget):
    """The answers of a question one below the other."""

    edit_requested = Signal(object)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._view = QuestionsView()
        self._gesture = ""
        self._gesture_place = (-1, "")
        self.rows: list[AnswerRow] = []
        self._spare: list[AnswerRow] = []
        """Rows that another question needs; the one with the lowest place is last."""
        self.title = text(self.tr("Answers"), "strong")
        sensitive = text(self.tr("sensitive"), "captionHint")
        share = text(self.tr("expected share"), "captionHint", align=Qt.AlignmentFlag.AlignRight)
        reserve_width(share, themes, 118)
        self.list: QVBoxLayout = column(spacing=6)
        self.add_button = named(
            Button(themes, self.tr("Add answer"), "plus", look="link"), "addAnswer"
        )
        self.add_button.clicked.connect(lambda *_: self._add())
        self.note = named(text("", "captionHint", wrap=True), "answersNote")
        column(
            row(self.title, None, sensitive, share),
            self.list,
            row(self.add_button, None),
            self.note,
            parent=self,
            spacing=6,
        )

    def set_view(self, view: QuestionsView) -> None:
        self._view = view
        question = view.question
        answers = () if question is None else question.answers[:_MOST_ANSWERS]
        while len(self.rows) > len(answers):
            spare = self.rows.pop()
            spare.hide()
            self._spare.append(spare)
        while len(self.rows) < len(answers):
            self._append()
        if question is None or not answers:
            return
        shares = self._shares(view, question)
        is_reported = view.locked is not None and view.locked.code == "reported"
        from_data = view.study.choice(view.name).source == "data"
        for one, answer, share in zip(self.rows, answers, shares, strict=True):
            one.show_answer(answer, answer.text.get(view.language, ""), share)
            one.share.setEnabled(not from_data)
            one.share.setToolTip(self.tr("Counted in the answers") if from_data else "")
            one.remove.setEnabled(len(answers) > 2 and not is_reported)
            one.remove.setVisible(question.kind is not Kind.BINARY)
            one.grip.setEnabled(not is_reported)
        is_binary = question.kind is Kind.BINARY
        too_many = len(question.answers) > _MOST_ANSWERS
        self.add_button.setVisible(not is_binary and not is_reported and not too_many)
        words = self.tr("A yes-or-no question has two answers.") if is_binary else ""
        if too_many:
            words = self.tr("Only the first %s answers are listed.") % _MOST_ANSWERS
        show_words(self.note, words)

    def _shares(self, view: QuestionsView, question: Question) -> list[float]:
        values = view.study.design[question.name].attribute.values
        found = dict(zip(values, view.study.prior(question.name).probabilities, strict=True))
        return [float(found.get(answer.value, 0.0)) for answer in question.answers[:_MOST_ANSWERS]]

    def _append(self) -> None:
        if self._spare:
            known = self._spare.pop()
            known.show()
            self.rows.append(known)
            return
        made = AnswerRow(self._themes, len(self.rows))
        made.text_edited.connect(self._on_typed)
        made.field.editingFinished.connect(self._on_left)
        made.marked.connect(self._on_marked)
        made.share_typed.connect(self._on_share)
        made.remove_requested.connect(self._on_remove)
        made.move_requested.connect(self._on_move)
        made.entered.connect(self._on_entered)
        self.list.addWidget(made)
        self.rows.append(made)

    @property
    def _question(self) -> Question:
        question = self._view.question
        assert question is not None  # noqa: S101 (rows are there for a question only)
        return question

    def _value(self, place: int) -> str:
        return self._question.answers[place].value

    def _emit(self, words: str, change: Callable[..., Study], *given: Any, **more: Any) -> None:
        self.edit_requested.emit(self._view.edit(words, change, *given, **more))

    def _on_typed(self, place: int, typed: str) -> None:
        view, name, value = self._view, self._view.name, self._value(place)
        if not typed.strip():
            return
        if self._gesture_place != (place, name):
            self._gesture_place = (place, name)
            self._gesture = Store.new_gesture("answer")
        self._emit(
            tr("Change an answer of %s"), edits.set_answer_text, value, view.language, typed,
            gesture=self._gesture, is_typed=True,
        )  # fmt: skip

    def _on_left(self) -> None:
        self.end_gesture()
        self.set_view(self._view)

    def end_gesture(self) -> None:
        self._gesture_place = (-1, "")

    def _on_marked(self, place: int, on: bool) -> None:
        value = self._value(place)
        marked = [one.value for one in self._question.answers if one.sensitive]
        wanted = [*marked, value] if on else [one for one in marked if one != value]
        self._emit(tr("Mark sensitive answers of %s"), edits.set_sensitive, wanted)

    def _on_share(self, place: int, percent: float) -> None:
        words = tr("Change the expected answers of %s")
        self._emit(words, edits.set_expected_share, self._value(place), percent / 100)

    def _on_remove(self, place: int) -> None:
        self._emit(tr("Remove an answer of %s"), edits.remove_answer, self._value(place))

    def _on_move(self, place: int, target: int) -> None:
        target = min(max(target, 0), len(self.rows) - 1)
        if target == place:
            return
        words = tr("Reorder the answers of %s")
        self._emit(words, edits.move_answer, self._value(place), target)
        self.rows[target].field.setFocus()

    def _on_entered(self, place: int) -> None:
        if place + 1 < len(self.rows):
            self.rows[place + 1].field.setFocus()
        elif not self.add_button.isHidden():
            self._add()

    def _add(self) -> None:
        known = [one.value for one in self._question.answers]
        place = len(known)
        fresh = self.tr("answer %s") % (place + 1)
        while fresh in known:
            fresh += "'"
        self._emit(tr("Add an answer to %s"), edits.add_answer, fresh)
        if len(self.rows) > place:
            self.rows[place].field.setFocus()
            self.rows[place].field.selectAll()


_KINDS = (Kind.BINARY, Kind.NOMINAL, Kind.ORDINAL, Kind.INTEGER)
_LARGEST = 1e9
_UNNAMED = "question"


class EditorCard(Card):
    """Changes are kept as they are typed; what is typed into one field is one undo step."""

    edit_requested = Signal(object)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes.tr("Question"), themes.tr("saved as you type"))
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
        self.keys = text(self.tr("Alt+Up, Alt+Down: other questions"), "captionHint")
        self.blank = text(self.tr("Nothing to edit yet."), "hint")
        self.blank.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.area = self._arrange(themes)
        self.add(self.area, 1)
        self.add(self.blank, 1)
        self.body.addLayout(row(self.design_button, None, self.keys))

    def _make_fields(self, themes: ThemeManager) -> None:
        self.wording = TextArea(themes, "questionWording", self.tr("Wording"), 2)
        self.wording.text_edited.connect(lambda: self._on_words("text", self.wording))
        self.wording.left.connect(self._on_wording_left)
        self.label = self._field("questionLabel", self.tr("Label"))
        self.label.setToolTip(self.tr("A short name that lists, tables and charts show"))
        self.label.textEdited.connect(self._on_label)
        self.name = self._field("questionName", self.tr("Name"))
        self.name.setToolTip(self.tr("Name of the column"))
        self.name.editingFinished.connect(self._on_name)
        kinds = [(kind.value, question_kind(kind)) for kind in _KINDS]
        self.kind = named(Segmented(themes, self.tr("Kind"), kinds), "questionKind")
        self.kind.chosen.connect(self._on_kind)
        self.skip = named(Switch(themes, self.tr("Optional")), "maySkip")
        self.skip.clicked.connect(self._on_skip)
        self.help = TextArea(themes, "questionHelp", self.tr("Help below the wording"), 2)
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
            stretch={0: 3, 1: 2},
        )
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
            text(self.tr("Optional")),
            text(self.tr("Skipping can itself reveal something."), "captionHint", wrap=True),
            spacing=2,
        )
        switch = row(self.skip, skipping, spacing=10, stretch=1)
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
        show_words(self.problem, why)

    def go_to(self, field: str) -> None:
        """Put the cursor into the field of this name, all of it chosen; else into the wording."""
        fields: dict[str, QLineEdit | TextArea] = {"name": self.name, "short": self.short}
        if self.answers.rows:
            fields["answers"] = self.answers.rows[0].field
        found = fields.get(field, self.wording)
        self.more.reveal(found)
        found.setFocus()
        found.selectAll()

    def start_writing(self) -> None:
        self.wording.setFocus()
        self.wording.selectAll()

    # What is changed

    def _emit(
        self, words: str, change: Callable[..., Study], *given: Any, gesture: str = "", **more: Any
    ) -> None:
        named_gesture = self._gesture(gesture) if gesture else ""
        self._on_answers(self._view.edit(words, change, *given, gesture=named_gesture, **more))

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

    def _on_words(self, what: str, field: TextArea) -> None:
        words, given = tr("Change the wording of %s"), (what, self._view.language)
        self._emit(words, edits.set_text, *given, field.toPlainText(), gesture=what)

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
        self._emit(tr("Change the label of %s"), edits.set_title, typed, gesture="label")

    def _on_unit(self, typed: str) -> None:
        words, given = tr("Change the unit of %s"), ("unit", self._view.language)
        self._emit(words, edits.set_text, *given, typed, gesture="unit")

    def _on_name(self) -> None:
        typed = self.name.text().strip()
        if self._view.name and typed != self._view.name:
            self._rename(typed)

    def _rename(self, new: str) -> None:
        renamed = self._view.name, new
        self._emit(tr("Rename %s"), edits.rename_question, new, renamed=renamed)

    def _on_kind(self, key: str) -> None:
        kind, now = Kind(key), self._view.question
        if now is not None and now.kind is Kind.CONTINUOUS and kind is Kind.INTEGER:
            return
        self._set_kind(kind)

    def _set_kind(self, kind: Kind) -> None:
        self._emit(tr("Change the kind of %s"), edits.set_kind, kind, usual_answers())

    def _on_range(self) -> None:
        ends = self.low.value(), self.high.value()
        self._emit(tr("Change the range of %s"), edits.set_domain, *ends, is_typed=True)

    def _on_skip(self, on: bool) -> None:
        self._set_field(required=not on)

    def _on_page(self, number: int) -> None:
        self._set_field(page=number)

    def _on_short(self) -> None:
        typed = self.short.text().strip()
        if self._view.name and typed != self._view.asked.short_names()[self._view.name]:
            self._set_field(short=typed)

    def _set_field(self, **changes: Any) -> None:
        self._emit(tr("Change how %s is asked"), edits.set_field, **changes)


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
