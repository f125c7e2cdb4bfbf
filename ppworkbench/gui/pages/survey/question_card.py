"""The question across the top: statistic, method, condition as chips and as text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QSizePolicy, QWidget

from ppworkbench.core.survey.conditions import Condition, Test
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL
from ppworkbench.gui.pages.survey.condition_bar import ConditionBar
from ppworkbench.gui.pages.survey.question import (
    COUNT,
    CROSSTAB,
    DISTRIBUTION,
    MEAN,
    PARTICIPANTS,
)
from ppworkbench.gui.pages.survey.question_model import QuestionModel
from ppworkbench.gui.pages.survey.replies import attributes_for
from ppworkbench.gui.pages.survey.sentences import explanation, method_hint
from ppworkbench.gui.pages.survey.test_editor import TestEditor
from ppworkbench.gui.store import Store
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.icon_button import IconButton
from ppworkbench.gui.widgets.layouts import row, text
from ppworkbench.gui.widgets.offered_model import Offered, OfferedModel
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.study.help import key_about

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
                (COUNT, self.tr("Count")),
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
        self.help = IconButton(themes, "question", self.tr("What the methods do"), 16)
        self.help.setObjectName("methodHelp")
        self.help.clicked.connect(self._on_help)
        self.of = self._combo("surveyOf", self.tr("Attribute to tell about"))
        self.of.activated.connect(lambda: self._on_attribute("of", self.of))
        self.by = self._combo("surveyBy", self.tr("Attribute of the columns"))
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
        self.text.setPlaceholderText(self.tr("everyone; for example: age < 30 and sex = female"))
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
        offered = [(name, study.design[name].attribute.kind.value, "") for name in names]
        self._fill(self.of, offered, names, asked.of)
        self._fill(self.by, offered, names, asked.by)
        self._show_lead(asked.statistic)
        self.bar.show_condition(asked.condition, study)
        if self.text.text() != model.text:
            with QSignalBlocker(self.text):
                self.text.setText(model.text)
        sequential = asked.method == SEQUENTIAL and not only_joint
        if sequential and len(asked.condition.tests) > 1:
            self.hint.setText(self.tr("drag a chip to change the order; it matters here"))
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
                self._make_room(combo, names)
            combo.setCurrentIndex(names.index(current) if current in names else -1)

    def _make_room(self, combo: QComboBox, names: Sequence[str]) -> None:
        """By the names; thousands of them are not measured one by one."""
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
        words: list[QWidget] = {
            COUNT: [self._word(self.tr("Count people where"))],
            MEAN: [self._word(self.tr("Mean of")), self.of, self._word(self.tr("where"))],
            DISTRIBUTION: [
                self._word(self.tr("Distribution of")), self.of, self._word(self.tr("where")),
            ],
            CROSSTAB: [
                self._word(self.tr("Table of")), self.of, self._word(self.tr("by")), self.by,
                self._word(self.tr("where")),
            ],
            PARTICIPANTS: [self._word(self.tr("List people where"))],
        }[statistic]  # fmt: skip
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
            study.design[a.name].attribute.with_(label=a.label)
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

    def _on_removed(self) -> None:
        if self._edited is not None:
            self.bar.remove(self._edited)
            self._edited = None

    def _on_closed(self) -> None:
        if self._edited is not None:
            self.bar.focus_chip(self._edited)
        self._edited = None
