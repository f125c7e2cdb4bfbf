"""The question across the top: statistic, method, condition as chips and as text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPointF, QRect, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QSizePolicy, QWidget

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.survey.conditions import Condition, Test
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL
from ppworkbench.core.survey.parser import parse_condition
from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.survey.condition_editor import ConditionChip, TestEditor
from ppworkbench.gui.pages.survey.texts import explanation, method_hint
from ppworkbench.gui.store import Store
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import (
    Button,
    IconButton,
    Offered,
    OfferedModel,
    Segmented,
    attribute_tip,
    offer_attributes,
)
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import WrappingRow, row, text
from ppworkbench.study.analyses.survey import (
    COUNT,
    CROSSTAB,
    DISTRIBUTION,
    MEAN,
    PARTICIPANTS,
    Question,
    attributes_for,
    problem_of,
)
from ppworkbench.study.help import key_about
from ppworkbench.study.study import Study


class ConditionBar(QWidget):
    """One stop of the Tab key; arrows walk from chip to chip. It changes nothing itself."""

    condition_changed = Signal(object)
    """The user removed or moved a test."""
    edit_requested = Signal(int, QWidget)
    """A test should be edited beside this chip."""
    add_requested = Signal(QWidget)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._condition = Condition()
        self._known: dict[str, tuple[str, str, str]] = {}
        self._drop: int | None = None
        self.chips: list[ConditionChip] = []
        self._words: list[QWidget] = []
        self.setObjectName("conditionBar")
        self.setAccessibleName(self.tr("Conditions"))
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.row = WrappingRow(spacing=9, line_spacing=6)
        self.setLayout(self.row)
        self.lead: list[QWidget] = []
        self.add_button = Button(themes, self.tr("Add condition"), "plus", "add")
        self.add_button.setObjectName("addCondition")
        self.add_button.clicked.connect(lambda: self.add_requested.emit(self.add_button))
        self.row.addWidget(self.add_button)

    @property
    def condition(self) -> Condition:
        """What the chips say."""
        return self._condition

    @property
    def drop_place(self) -> int | None:
        """Before which chip a dragged one would go; None while nothing is dragged."""
        return self._drop

    def set_lead(self, widgets: list[QWidget]) -> None:
        """Put words and fields before the first chip."""
        if widgets != self.lead:
            self.lead = widgets
            self._lay_out()

    def show_condition(self, condition: Condition, study: Study) -> None:
        """Show other tests; the keyboard stays at its place."""
        known = {a.name: (str(a.kind), a.label, study.shown(a.name)) for a in study.attributes}
        if condition == self._condition and known == self._known:
            return
        focused = next((i for i, chip in enumerate(self.chips) if chip.hasFocus()), None)
        self._condition, self._known = condition, known
        wanted = len(condition.tests)
        for widget in (*self.chips[wanted:], *self._words[max(wanted - 1, 0) :]):
            widget.hide()
            widget.deleteLater()
        del self.chips[wanted:], self._words[max(wanted - 1, 0) :]
        # New widgets are dear, so those that are there say something else.
        self.chips += [self._chip(place) for place in range(len(self.chips), wanted)]
        self._words += [text(self.tr("and"), "secondary") for _ in self.chips[1:]][
            len(self._words) :
        ]
        for chip, test in zip(self.chips, condition.tests, strict=True):
            name = test.attribute
            kind, question, shown = known.get(name, ("nominal", "", name))
            chip.show_test(test, kind, shown, attribute_tip(name, question, shown))
        self._lay_out()
        if focused is not None:
            self.focus_chip(min(focused, len(self.chips) - 1))

    def _chip(self, place: int) -> ConditionChip:
        chip = ConditionChip(self._themes, self._condition.tests[place])
        chip.setObjectName(f"condition{place}")
        # One stop for all of them: Tab reaches the first, arrows the others.
        policy = Qt.FocusPolicy.StrongFocus if place == 0 else Qt.FocusPolicy.ClickFocus
        chip.setFocusPolicy(policy)
        chip.edit_requested.connect(lambda: self.edit_requested.emit(place, chip))
        chip.remove_requested.connect(lambda: self.remove(place))
        chip.move_requested.connect(lambda step: self.move_chip(place, place + step))
        chip.walk_requested.connect(lambda step: self.focus_chip(place + step))
        chip.dragged.connect(self._on_dragged)
        chip.dropped.connect(lambda point: self._on_dropped(place, point))
        chip.drag_ended.connect(self._forget_drop)
        return chip

    def _lay_out(self) -> None:
        while self.row.count():
            self.row.takeAt(0)
        items: list[QWidget] = [*self.lead]
        for place, chip in enumerate(self.chips):
            if place:
                items.append(self._words[place - 1])
            items.append(chip)
        items.append(self.add_button)
        # Else everything around is laid out with each of them.
        self.row.setEnabled(False)
        before: QWidget | None = None
        for item in items:
            self.row.addWidget(item)
            item.show()
            if before is not None:
                QWidget.setTabOrder(before, item)
            before = item
        self.row.setEnabled(True)
        self.row.invalidate()
        self.updateGeometry()

    def focus_chip(self, place: int) -> None:
        """Give a chip the keyboard; behind the last one stands the button."""
        if 0 <= place < len(self.chips):
            self.chips[place].setFocus(Qt.FocusReason.OtherFocusReason)
        elif place >= len(self.chips):
            self.add_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def remove(self, place: int) -> None:
        """Take a test away."""
        tests = list(self._condition.tests)
        del tests[place]
        had_focus = self.chips[place].hasFocus()
        self.condition_changed.emit(Condition(tuple(tests)))
        if had_focus and not self.chips:
            self.add_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def move_chip(self, place: int, target: int) -> None:
        """Put a test at another place."""
        if not 0 <= target < len(self.chips) or target == place:
            return
        tests = list(self._condition.tests)
        tests.insert(target, tests.pop(place))
        self.condition_changed.emit(Condition(tuple(tests)))
        self.focus_chip(target)

    # Dragging

    def _gap_at(self, point: QPointF) -> int:
        """The place before which a chip goes that is let go here."""
        for place, chip in enumerate(self.chips):
            box = chip.geometry()
            if point.y() < box.top() - 3:
                return place
            if point.y() <= box.bottom() + 3 and point.x() < box.center().x():
                return place
        return len(self.chips)

    def _on_dragged(self, point: QPointF) -> None:
        self._drop = self._gap_at(point)
        self.update()

    def _on_dropped(self, place: int, point: QPointF) -> None:
        gap = self._gap_at(point)
        self.move_chip(place, gap - 1 if gap > place else gap)

    def _forget_drop(self) -> None:
        self._drop = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the line where a dragged chip would go."""
        if self._drop is None or not self.chips:
            return
        last = self._drop >= len(self.chips)
        box: QRect = self.chips[-1 if last else self._drop].geometry()
        x = box.right() + 5 if last else box.left() - 5
        painter = QPainter(self)
        painter.setPen(QPen(self._themes.theme.colour("accent"), 3))
        painter.drawLine(x, box.top() + 2, x, box.bottom() - 2)


class QuestionModel(QObject):
    """Chips, text and fields all show and change this one question.

    A text that cannot be read is kept beside the last condition that could, so that nobody loses
    what was typed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._question = Question()
        self._text = ""
        self._fault = ""

    @property
    def question(self) -> Question:
        """The question of now."""
        return self._question

    @property
    def text(self) -> str:
        """The condition as text: as it was typed, else as the chips say it."""
        return self._text

    @property
    def fault(self) -> str:
        """Why the text cannot be read; empty if it can."""
        return self._fault

    def set(self, question: Question) -> None:
        """Take over a whole question."""
        text = str(question.condition)
        if (question, text, "") != (self._question, self._text, self._fault):
            self._question, self._text, self._fault = question, text, ""
            self.changed.emit()

    def change(self, **changes: object) -> None:
        """Change some of it; a fault of the text stays unless the condition is among them."""
        question = self._question.with_(**changes)
        if "condition" in changes:
            self.set(question)
        elif question != self._question:
            self._question = question
            self.changed.emit()

    def set_condition(self, condition: Condition) -> None:
        """Take over what the chips say."""
        self.set(self._question.with_(condition=condition))

    def set_text(self, text: str) -> None:
        """Take over what was typed; the condition follows where it can be read."""
        if text == self._text:
            return
        self._text = text
        try:
            condition = parse_condition(text)
        except WorkbenchError as error:
            self._fault = translate(error.message)
        else:
            self._fault = ""
            self._question = self._question.with_(condition=condition)
        self.changed.emit()

    def problem(self, study: Study) -> str:
        """Why the question cannot be asked; empty if it can."""
        return self._fault or translate(problem_of(self._question, study.design))

    def fill_in(self, study: Study) -> None:
        """Choose attributes to tell about where none, or one that does not fit, is chosen."""
        asked = self._question
        offered = attributes_for(study, asked.statistic)
        of, by = asked.of, asked.by
        if of not in offered:
            of = _first(study, [*offered], asked.statistic)
        if asked.statistic == CROSSTAB and (by not in offered or by == of):
            by = _first(study, [name for name in offered if name != of], asked.statistic)
        self.change(of=of, by=by)


def _first(study: Study, offered: list[str], statistic: str) -> str:
    """An attribute whose values can be overlooked, or a number for a mean."""

    def rank(name: str) -> tuple[int, int]:
        attribute: Attribute = study.design[name].attribute
        if statistic == MEAN:
            return (attribute.kind is not Kind.CONTINUOUS, 0)
        return (not 2 <= attribute.k <= 12, 0)

    return min(offered, key=rank, default="")


_MANY, _LONG = 100, 24
"""From so many attributes on, the fields of their names have room for so many letters."""


class QuestionCard(Card):
    """Everything in it shows and changes one :class:`QuestionModel`."""

    help_requested = Signal(str)

    def __init__(self, themes: ThemeManager, model: QuestionModel, store: Store) -> None:
        super().__init__()
        self._themes, self._model, self._store = themes, model, store
        self._editor: TestEditor | None = None
        self._edited: int | None = None
        self._lead_of = ""
        self._lead_words: dict[str, QLabel] = {}
        self._make_choices()
        self._make_condition()
        self.body.setSpacing(10)
        first = row(self.statistic, 4, self.explanation, self.method_label, self.method, self.help)
        first.setStretch(2, 1)
        self.body.addLayout(first)
        self.body.addWidget(self.bar)
        second = row(self.text_label, self.text, self.hint)
        second.setStretch(1, 3)
        second.setStretch(2, 2)
        self.body.addLayout(second)
        self.body.addWidget(self.problem)

    def _make_choices(self) -> None:
        themes, model = self._themes, self._model
        self.statistic = Segmented(
            themes,
            self.tr("Statistic"),
            [
                (COUNT, self.tr("Share")),
                (MEAN, self.tr("Mean")),
                (DISTRIBUTION, self.tr("Distribution")),
                (CROSSTAB, self.tr("Cross table")),
                (PARTICIPANTS, self.tr("Participants")),
            ],
        )
        self.statistic.setObjectName("statistic")
        self.statistic.chosen.connect(self._on_statistic)
        self.explanation = ElidedLabel("hint")
        self.method_label = text(self.tr("Method"), "label")
        self.method = Segmented(
            themes,
            self.tr("Method"),
            [(JOINT, self.tr("joint")), (SEQUENTIAL, self.tr("sequential"))],
        )
        self.method.setObjectName("method")
        self.method.chosen.connect(lambda key: model.change(method=key))
        self.help = IconButton(themes, "question", self.tr("About the methods"), 16)
        self.help.setObjectName("methodHelp")
        self.help.clicked.connect(self._on_help)
        self.of = self._combo("surveyOf", self.tr("Attribute"))
        self.of.activated.connect(lambda: self._on_attribute("of", self.of))
        self.by = self._combo("surveyBy", self.tr("Column attribute"))
        self.by.activated.connect(lambda: self._on_attribute("by", self.by))

    def _on_help(self) -> None:
        topic = key_about("survey method", self.method.current, "survey-statistics")
        self.help_requested.emit(topic)

    def _make_condition(self) -> None:
        model = self._model
        self.bar = ConditionBar(self._themes)
        self.bar.condition_changed.connect(model.set_condition)
        self.bar.edit_requested.connect(self._on_edit)
        self.bar.add_requested.connect(lambda anchor: self._on_edit(None, anchor))
        self.text_label = text(self.tr("As text"), "label")
        self.text = QLineEdit()
        self.text.setObjectName("conditionText")
        self.text.setAccessibleName(self.tr("The condition as text"))
        self.text.setPlaceholderText(
            self.tr("all respondents; for example: age < 30 and sex = female")
        )
        self.text.textEdited.connect(model.set_text)
        self.text.editingFinished.connect(self._tidy)
        self.text_label.setBuddy(self.text)
        self.hint = ElidedLabel("captionHint")
        self.hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.problem = text("", "error", wrap=True)
        self.problem.setObjectName("conditionProblem")
        self.problem.hide()

    def _combo(self, name: str, words: str) -> QComboBox:
        # Without a parent it would stay when the page goes, and the page and its study with it.
        combo = QComboBox(self)
        combo.hide()
        combo.setObjectName(name)
        combo.setAccessibleName(words)
        combo.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        combo.setModel(OfferedModel(self._themes, combo))
        return combo

    @property
    def editor(self) -> TestEditor:
        """The small window for one test; made when it is first needed."""
        if self._editor is None:
            self._editor = TestEditor(self._themes, self)
            self._editor.test_made.connect(self._on_test)
            self._editor.next_started.connect(self._on_next)
            self._editor.removed.connect(self._on_removed)
            self._editor.closed.connect(self._on_closed)
        return self._editor

    # The model changes the view

    def show_question(self) -> None:
        """Bring everything in line with the question and the study."""
        model, study = self._model, self._store.study
        asked = model.question
        self.statistic.set_current(asked.statistic)
        self.explanation.setText(explanation(asked.statistic))
        only_joint = asked.statistic == CROSSTAB
        self.method.set_current(JOINT if only_joint else asked.method)
        why = self.tr("A cross table has no sequential method.")
        self.method.set_disabled({SEQUENTIAL: why} if only_joint else {})
        names = tuple(attributes_for(study, asked.statistic))
        offered = offer_attributes(study, names)
        self._fill(self.of, offered, names, asked.of)
        self._fill(self.by, offered, names, asked.by)
        self._show_lead(asked.statistic)
        self.bar.show_condition(asked.condition, study)
        if self.text.text() != model.text:
            with QSignalBlocker(self.text):
                self.text.setText(model.text)
        sequential = asked.method == SEQUENTIAL and not only_joint
        if sequential and len(asked.condition.tests) > 1:
            self.hint.setText(self.tr("drag a condition to change the order; it matters here"))
        else:
            self.hint.setText(method_hint(SEQUENTIAL if sequential else JOINT))
        self._say(model.problem(study))

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.text.setProperty("state", "error" if problem and self._model.text else "")
        self.text.style().unpolish(self.text)
        self.text.style().polish(self.text)
        self.text.setAccessibleDescription(problem)

    def _fill(
        self, combo: QComboBox, offered: list[Offered], names: Sequence[str], current: str
    ) -> None:
        model = combo.model()
        assert isinstance(model, OfferedModel)  # noqa: S101 (its own)
        with QSignalBlocker(combo):
            if model.offer(offered):
                self._make_room(combo, [title for *_, title in offered])
            combo.setCurrentIndex(names.index(current) if current in names else -1)
        combo.setToolTip(str(combo.currentData(Qt.ItemDataRole.ToolTipRole) or ""))

    def _make_room(self, combo: QComboBox, names: Sequence[str]) -> None:
        """By the titles; thousands of them are not measured one by one."""
        policies = QComboBox.SizeAdjustPolicy
        many = len(names) > _MANY
        combo.setMinimumContentsLength(min(max(map(len, names), default=0), _LONG) if many else 0)
        combo.setSizeAdjustPolicy(
            policies.AdjustToMinimumContentsLengthWithIcon if many else policies.AdjustToContents
        )

    def _show_lead(self, statistic: str) -> None:
        """The words and fields before the chips."""
        if statistic == self._lead_of:
            return
        self._lead_of = statistic
        leads: dict[str, list[QWidget]] = {
            COUNT: [self._word(self.tr("Share with"))],
            MEAN: [self._word(self.tr("Mean of")), self.of, self._word(self.tr("where"))],
            DISTRIBUTION: [
                self._word(self.tr("Distribution of")), self.of, self._word(self.tr("where")),
            ],
            CROSSTAB: [
                self._word(self.tr("Table of")), self.of, self._word(self.tr("by")), self.by,
                self._word(self.tr("where")),
            ],
            PARTICIPANTS: [self._word(self.tr("List respondents where"))],
        }  # fmt: skip
        words = leads[statistic]
        for old in self.bar.lead:
            # What stays is not hidden first: showing it again takes long.
            old.setVisible(old in words)
        self.bar.set_lead(words)

    def _word(self, words: str) -> QLabel:
        """A word before the chips, made once."""
        if words not in self._lead_words:
            label = text(words, "label")
            label.setParent(self.bar)
            self._lead_words[words] = label
        return self._lead_words[words]

    # The view changes the model

    def _on_statistic(self, statistic: str) -> None:
        self._model.change(statistic=statistic)
        self._model.fill_in(self._store.study)

    def _on_attribute(self, field: str, combo: QComboBox) -> None:
        self._model.change(**{field: str(combo.currentData())})

    def _tidy(self) -> None:
        """Write a condition that was typed as the program writes it."""
        if not self._model.fault:
            self._model.set(self._model.question)

    def _on_edit(self, place: int | None, anchor: QWidget) -> None:
        self._edited = place
        tests = self._model.question.condition.tests
        study = self._store.study
        known = tuple(
            study.design[a.name].attribute.with_(label=a.label, title=study.shown(a.name))
            for a in study.attributes
            if a.name in study.design
        )
        self.editor.open_beside(anchor, known, None if place is None else tests[place])

    def _on_test(self, test: Test) -> None:
        tests = list(self._model.question.condition.tests)
        if self._edited is None:
            tests.append(test)
            self._edited = len(tests) - 1
        else:
            tests[self._edited] = test
        self._model.set_condition(Condition(tuple(tests)))

    def _on_next(self) -> None:
        self._edited = None

    def _on_removed(self) -> None:
        if self._edited is not None:
            self.bar.remove(self._edited)
            self._edited = None

    def _on_closed(self) -> None:
        if self._edited is not None:
            self.bar.focus_chip(self._edited)
        self._edited = None
