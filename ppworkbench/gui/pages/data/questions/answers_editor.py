"""The answers of a question: their texts, marks and expected shares."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QCheckBox, QLineEdit, QVBoxLayout, QWidget

from ppworkbench.core.data.attribute import Kind
from ppworkbench.gui.language import tr
from ppworkbench.gui.pages.data.questions.view import QuestionEdit, QuestionsView
from ppworkbench.gui.store import Store
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.controls import Button, IconButton, IconLabel
from ppworkbench.gui.widgets.layout import column, named, reserve_width, row, show_words, text
from ppworkbench.gui.widgets.number_fields import NumberBox
from ppworkbench.study.questionnaire import edits
from ppworkbench.study.questionnaire.document import Answer, Question
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
        share = text(self.tr("expected share"), "captionHint")
        share.setAlignment(Qt.AlignmentFlag.AlignRight)
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

    def _emit(
        self, words: str, make: Callable[[Study], Study], gesture: str = "", *, typed: bool = False
    ) -> None:
        self.edit_requested.emit(QuestionEdit(words % self._shown, make, gesture, is_typed=typed))

    @property
    def _shown(self) -> str:
        return self._view.study.shown(self._view.name)

    def _on_typed(self, place: int, typed: str) -> None:
        view, name, value = self._view, self._view.name, self._value(place)
        if not typed.strip():
            return
        if self._gesture_place != (place, name):
            self._gesture_place = (place, name)
            self._gesture = Store.new_gesture("answer")
        self._emit(
            tr("Change an answer of %s"),
            lambda study: edits.set_answer_text(
                study, name, value, view.language, typed, view.language
            ),
            self._gesture,
            typed=True,
        )

    def _on_left(self) -> None:
        """Show the answer again that a field was emptied of, or that is another one's."""
        self.end_gesture()
        self.set_view(self._view)

    def end_gesture(self) -> None:
        """Let the next change of an answer be a step of its own."""
        self._gesture_place = (-1, "")

    def _on_marked(self, place: int, on: bool) -> None:
        name, value, language = self._view.name, self._value(place), self._view.language
        marked = [one.value for one in self._question.answers if one.sensitive]
        wanted = [*marked, value] if on else [one for one in marked if one != value]
        self._emit(
            tr("Mark sensitive answers of %s"),
            lambda study: edits.set_sensitive(study, name, wanted, language),
        )

    def _on_share(self, place: int, percent: float) -> None:
        name, value, language = self._view.name, self._value(place), self._view.language
        self._emit(
            tr("Change the expected answers of %s"),
            lambda study: edits.set_expected_share(study, name, value, percent / 100, language),
        )

    def _on_remove(self, place: int) -> None:
        name, value, language = self._view.name, self._value(place), self._view.language
        self._emit(
            tr("Remove an answer of %s"),
            lambda study: edits.remove_answer(study, name, value, language),
        )

    def _on_move(self, place: int, target: int) -> None:
        name, language = self._view.name, self._view.language
        target = min(max(target, 0), len(self.rows) - 1)
        if target == place:
            return
        value = self._value(place)
        self._emit(
            tr("Reorder the answers of %s"),
            lambda study: edits.move_answer(study, name, value, target, language),
        )
        self.rows[target].field.setFocus()

    def _on_entered(self, place: int) -> None:
        if place + 1 < len(self.rows):
            self.rows[place + 1].field.setFocus()
        elif not self.add_button.isHidden():
            self._add()

    def _add(self) -> None:
        name, language = self._view.name, self._view.language
        known = [one.value for one in self._question.answers]
        place = len(known)
        fresh = self.tr("answer %s") % (place + 1)
        while fresh in known:
            fresh += "'"
        self._emit(
            tr("Add an answer to %s"),
            lambda study: edits.add_answer(study, name, fresh, language),
        )
        if len(self.rows) > place:
            self.rows[place].field.setFocus()
            self.rows[place].field.selectAll()
