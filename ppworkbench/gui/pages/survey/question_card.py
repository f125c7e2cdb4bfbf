"""The question across the top: statistic, method, condition as chips and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QSizePolicy, QWidget

from ppworkbench.analyses.survey.questions import (
    NO_SEQUENTIAL_OF_PARTS,
    Question,
    attributes_for,
    group_labels,
    groups_for,
    statistics,
    uses_sampling,
)
from ppworkbench.analyses.survey.regressions import with_formula
from ppworkbench.core.data.sampling_roles import POPULATION, RESPONDENTS
from ppworkbench.core.models import Formula
from ppworkbench.core.survey.conditions.condition import Condition, Test
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import plain, read_number
from ppworkbench.gui.pages.survey.arms import ArmBar
from ppworkbench.gui.pages.survey.compliance_bar import ComplianceBar
from ppworkbench.gui.pages.survey.condition_bar import ConditionBar
from ppworkbench.gui.pages.survey.condition_editor import TestEditor
from ppworkbench.gui.pages.survey.list_bar import ListBar
from ppworkbench.gui.pages.survey.model_bar import ModelBar, ModelOptions
from ppworkbench.gui.pages.survey.question_model import (
    QuestionModel,
    differs_by_arm,
    fitting_choices,
)
from ppworkbench.gui.pages.survey.statistic_words import lead_of
from ppworkbench.gui.pages.survey.texts import label_words, method_hint, target_word
from ppworkbench.gui.store import Store
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import AttributeBox, offer_attributes
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import ChoiceBox, IconButton, Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import (
    Named,
    WrappingRow,
    named,
    reserve_width,
    row,
    show_fault,
    show_words,
    text,
)
from ppworkbench.outputs.help.topic import key_about
from ppworkbench.study.study import Study


def read_shares(words: str) -> tuple[float, ...] | None:
    """Shares that were typed as percentages; None where they are none.

    >>> read_shares("25; 50 75 %")
    (0.25, 0.5, 0.75)
    """
    typed = [word for word in words.replace("%", " ").replace(";", " ").split() if word]
    numbers = [read_number(word.rstrip(",")) for word in typed]
    shares = tuple(round(one / 100, 12) for one in numbers if one is not None)
    if not shares or len(shares) < len(numbers) or not all(0 < share < 1 for share in shares):
        return None
    return tuple(sorted(dict.fromkeys(shares)))


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
        self._set_aside: tuple[Test, ...] = ()
        """Tests that the statistic of now refuses."""
        self._lead_of: tuple[str, bool] = ("", False)
        self._lead_words: dict[str, QLabel] = {}
        self._make_choices()
        self._make_condition()
        self._make_model()
        self.body.setSpacing(7)
        about = QWidget()
        row(self.explanation, self.target_label, self.target, parent=about).setStretch(0, 1)
        first = WrappingRow(self.statistic, about, line_spacing=6, fills=True)
        self.body.addLayout(first)
        self.body.addWidget(self.model_bar)
        self.body.addWidget(self.list_bar)
        self.body.addWidget(self.compliance_bar)
        middle = row(self.bar, self.model_options)
        middle.setStretch(0, 1)
        middle.setAlignment(self.model_options, Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(middle)
        self.body.addWidget(self.arm_bar)
        second = row(
            self.text_label, self.text, self.hint, self.method_label, self.method, self.help,
            self.badges,
        )  # fmt: skip
        second.setStretch(1, 3)
        second.setStretch(2, 2)
        second.setStretch(6, 5)
        second.setAlignment(self.badges, Qt.AlignmentFlag.AlignVCenter)
        self.body.addLayout(second)
        self.body.addWidget(self.problem)

    def _make_choices(self) -> None:
        themes, model = self._themes, self._model
        self._statistics = [
            (name, translate(kind.short))
            for name, kind in statistics.items()
            if not kind.lists_people
        ]
        self.statistic = Segmented(themes, self.tr("Statistic"), self._statistics)
        self.statistic.setObjectName("statistic")
        self.statistic.chosen.connect(lambda name: self._ask_about(statistic=name))
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
        self.arm_bar = ArmBar(themes)
        self.arm_bar.changed.connect(lambda changes: model.change(**changes))
        self._make_target()
        self.of = self._attributes("surveyOf", self.tr("Attribute"))
        self.of.chosen.connect(lambda name: self._ask_about(of=name))
        self.by = self._attributes("surveyBy", self.tr("Column attribute"))
        self.by.chosen.connect(lambda name: self._ask_about(by=name))
        self.value = self._hidden(ChoiceBox(self.tr("Answer"), ()), "surveyValue")
        self.value.chosen.connect(lambda value: model.change(value=value))
        self.reference = self._hidden(ChoiceBox(self.tr("Reference group"), ()), "surveyReference")
        self.reference.setToolTip(
            self.tr("Compare all pairs of groups, or each group with one of them.")
        )
        self.reference.chosen.connect(lambda group: model.change(reference=group))
        shares = self.tr("Shares below the quantiles, in percent")
        self.at = self._hidden(QLineEdit(), "surveyAt", shares)
        self.at.setToolTip(shares)
        reserve_width(self.at, themes, 110)
        self.at.editingFinished.connect(self._on_shares)

    def _make_model(self) -> None:
        self.model_bar = ModelBar(self._themes)
        self.model_bar.hide()
        self.model_bar.formula_changed.connect(self._on_formula)
        self.model_options = ModelOptions(self._themes)
        self.model_options.hide()
        self.model_options.changed.connect(lambda changes: self._model.change_model(**changes))
        self.list_bar = ListBar(self._themes)
        self.list_bar.hide()
        self.list_bar.inquiry_changed.connect(lambda inquiry: self._model.change(inquiry=inquiry))
        self.compliance_bar = ComplianceBar(self._themes)
        self.compliance_bar.hide()
        self.compliance_bar.changed.connect(lambda asked: self._model.change(compliance=asked))
        self._own_bars: Mapping[str, QWidget] = {
            "model": self.model_bar, "inquiry": self.list_bar, "compliance": self.compliance_bar,
        }  # fmt: skip
        self._arm_rows: Mapping[str, int] = {}

    def _on_formula(self, formula: Formula) -> None:
        model = self._model.question.model
        if model is not None:
            changed = with_formula(model, formula, self._store.study.design)
            self._model.change(model=changed)

    def _make_target(self) -> None:
        self.target_label = text(self.tr("About", "target of an estimate"), "label")
        self.target = Segmented(
            self._themes,
            self.tr("Target", "of an estimate"),
            [(target, target_word(target)) for target in (POPULATION, RESPONDENTS)],
        )
        self.target.setObjectName("target")
        self.target.chosen.connect(lambda key: self._model.change(target=key))
        self.badges = named(QWidget(), "sampleBadges")
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.badges.setSizePolicy(policy)
        self._badge_row = WrappingRow(spacing=6, line_spacing=4)
        self.badges.setLayout(self._badge_row)
        self.badges.hide()
        self._chips: list[QLabel] = []

    def show_badges(self, words: Sequence[str]) -> None:
        """Say in small tags how people were drawn; nothing where nothing is known."""
        if [chip.text() for chip in self._chips] == list(words):
            return
        for chip in self._chips:
            self._badge_row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = [text(word, "badge") for word in words]
        for chip in self._chips:
            self._badge_row.addWidget(chip)
        self.badges.setAccessibleName(", ".join(words))
        self.badges.setVisible(bool(words))
        self._show_methods()

    def _show_methods(self) -> None:
        # Under a sampling there is one method only, and the tags take its place.
        own = self._model.question.kind.own_question
        for part in (self.hint, self.method_label, self.method, self.help):
            part.setVisible(not self._chips and not own)
        self.text_label.setVisible(not own)
        self.text.setVisible(not own)
        for name, bar in self._own_bars.items():
            bar.setVisible(name == own)
        self.model_options.setVisible(not self.model_bar.isHidden())
        self.bar.setVisible("condition" in self._model.question.kind.takes)

    def _on_shares(self) -> None:
        shares = read_shares(self.at.text())
        if shares is not None:
            self._model.change(at=shares)
        self._show_shares()

    def _show_shares(self) -> None:
        words = "; ".join(plain(100 * share) for share in self._model.question.at)
        if not self.at.hasFocus() or read_shares(self.at.text()) is None:
            self.at.setText(words)

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
        self.text = named(QLineEdit(), "conditionText", self.tr("The condition as text"))
        self.text.setPlaceholderText(
            self.tr("all respondents; for example: age < 30 and sex = female")
        )
        self.text.textEdited.connect(model.set_text)
        self.text.editingFinished.connect(self._tidy)
        self.text_label.setBuddy(self.text)
        self.hint = ElidedLabel("captionHint")
        self.hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.problem = named(text("", "error", wrap=True), "conditionProblem")
        self.problem.hide()

    def _hidden(self, field: Named, name: str, words: str = "") -> Named:
        """A field that a statistic may ask for; without a parent it would outlive the page."""
        field.setParent(self)
        field.hide()
        return named(field, name, words)

    def _attributes(self, name: str, words: str) -> AttributeBox:
        box = self._hidden(AttributeBox(self._themes, name, words), name)
        box.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        return box

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
        model, study = self._model, self._store.study
        asked = model.question
        kind, takes = asked.kind, asked.kind.takes
        self._offer_statistics(asked, study)
        self.explanation.setText(translate(kind.hint))
        why = self._why_only_joint(asked, study)
        only_joint = bool(why)
        self.method.set_current(JOINT if only_joint else asked.method)
        self.method.set_disabled({SEQUENTIAL: why} if only_joint else {})
        self.target.set_current(asked.essence.target)
        no_target = translate(kind.why_only_population)
        self.target.set_disabled({RESPONDENTS: no_target} if no_target else {})
        self._offer(self.of, attributes_for(study, asked.statistic), asked.of, study)
        if "by" in takes:
            self._offer(self.by, groups_for(study, asked.statistic), asked.by, study)
        values = study.design[asked.of].attribute.values if asked.of in study.design else ()
        self.value.set_choices([(one, one) for one in values])
        self.value.set_current(asked.value)
        if "reference" in takes:
            self._fill_references(study, asked)
        self._show_shares()
        self.arm_bar.show_question(asked, study)
        if "arms" not in takes:
            self.arm_bar.hide()
        self._show_model(asked, study)
        self._show_lead(asked.statistic, has_values=bool(values))
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

    def _offer_statistics(self, asked: Question, study: Study) -> None:
        """Offer what the design has, and what an old question asks for."""
        self.statistic.set_choices(
            [
                one
                for one in self._statistics
                if one[0] == asked.statistic or statistics[one[0]].is_offered(study.design)
            ]
        )
        self.statistic.set_current(asked.statistic)
        is_single = not study.has_reported_parts
        reasons = {name: translate(one.why_no_parts) for name, one in statistics.items()}
        refused = {} if is_single else {name: why for name, why in reasons.items() if why}
        self.statistic.set_disabled(refused)

    def _show_model(self, asked: Question, study: Study) -> None:
        own = asked.kind.own_question
        if own == "model" and asked.model is not None:
            self.model_bar.show_formula(asked.model.formula, study)
            self.model_options.show_model(asked.model, study.design)
        if own == "inquiry":
            self.list_bar.show_inquiry(asked.inquiry, study)
        if own == "compliance":
            self.compliance_bar.show_question(asked.compliance, study, self._arm_rows)
        if any(bar.isHidden() == (name == own) for name, bar in self._own_bars.items()):
            self._show_methods()

    def show_arm_rows(self, rows: Mapping[str, int]) -> None:
        if rows != self._arm_rows:
            self._arm_rows = rows
            self.compliance_bar.arms.show_people(rows)

    def _why_only_joint(self, asked: Question, study: Study) -> str:
        if "method" not in asked.kind.takes:
            return translate(asked.kind.why_only_joint)
        if uses_sampling(asked, study):
            return self.tr("The sequential method knows no sampling and no target.")
        if differs_by_arm(asked, study):
            return self.tr("The sequential method needs the same device in all arms.")
        if study.has_reported_parts:
            return translate(NO_SEQUENTIAL_OF_PARTS)
        return ""

    def _fill_references(self, study: Study, asked: Question) -> None:
        labels = group_labels(study, asked.by)
        shown = [self.tr("all pairs")]
        if asked.by in study.design:
            groups = label_words(labels, study.design[asked.by].attribute)
            shown += [self.tr("each against %s") % group for group in groups]
        self.reference.set_choices([*zip(("", *labels), shown, strict=True)])
        self.reference.set_current(asked.reference if asked.reference in labels else "")

    def _say(self, problem: str) -> None:
        show_words(self.problem, problem)
        show_fault(self.text, problem, is_drawn=bool(self._model.text))

    def _offer(self, box: AttributeBox, names: Sequence[str], current: str, study: Study) -> None:
        """As wide as the titles; thousands of them are not measured one by one."""
        offered = offer_attributes(study, names)
        policies = QComboBox.SizeAdjustPolicy
        many = len(names) > _MANY
        longest = max((len(title) for *_, title in offered), default=0)
        box.setMinimumContentsLength(min(longest, _LONG) if many else 0)
        box.setSizeAdjustPolicy(
            policies.AdjustToMinimumContentsLengthWithIcon if many else policies.AdjustToContents
        )
        box.offer(offered, current)

    def _show_lead(self, statistic: str, *, has_values: bool) -> None:
        if (statistic, has_values) == self._lead_of:
            return
        self._lead_of = statistic, has_values
        fields: Mapping[str, QWidget] = {
            "{of}": self.of, "{by}": self.by, "{at}": self.at, "{value}": self.value,
            "{reference}": self.reference,
        }  # fmt: skip
        lead = lead_of(statistic, has_values=has_values)
        words = [fields[one] if one in fields else self._word(one) for one in lead]
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

    def _ask_about(self, **changes: object) -> None:
        """Ask for something else; tests that it refuses come back with what does not."""
        before, study = self._model.question, self._store.study
        every = Condition((*self._set_aside, *before.condition.tests))
        asked = before.with_(condition=every, **changes)
        choices = fitting_choices(asked, study)
        refused = asked.with_(**choices).untestable(study.design)
        self._set_aside = tuple(test for test in every.tests if test.attribute in refused)
        kept = tuple(test for test in every.tests if test.attribute not in refused)
        self._model.change(**(changes | choices), condition=Condition(kept))

    def drop_set_aside(self) -> None:
        """Forget the tests that were set aside: they belong to another question or study."""
        self._set_aside = ()

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
