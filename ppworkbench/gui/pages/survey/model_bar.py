"""What a regression explains by what: as chips, or as a formula."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLayout, QLineEdit, QWidget

from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.analyses.survey.regressions import first_value, models_for, randomised
from ppworkbench.core.design import Design
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.models import Formula, parse_formula
from ppworkbench.core.models.estimating import CORRECTED, INVERSE, ML
from ppworkbench.core.models.formula import Term, Variable
from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.survey.term_chips import Popover, ShownTerm, TermChip, TermsRow
from ppworkbench.gui.pages.survey.texts import fit_method_word, model_word, outcome_phrase
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import (
    AttributeBox,
    Offered,
    attribute_tip,
    offer_attributes,
)
from ppworkbench.gui.widgets.controls import Button, ChoiceBox, Segmented
from ppworkbench.gui.widgets.labels import announce
from ppworkbench.gui.widgets.layout import column, named, row, show_fault, show_words, text
from ppworkbench.study.study import Study


class OutcomeEditor(Popover):
    """The attribute that is explained, and which answer of it."""

    chosen = Signal(str, str)
    """Attribute and answer; no answer where it is taken whole."""

    def __init__(self, themes: ThemeManager, parent: QWidget) -> None:
        super().__init__(parent, "outcomeEditor", "")
        self.setAccessibleName(self.tr("Outcome"))
        self._study: Study | None = None
        self.attribute = AttributeBox(themes, "outcomeAttribute", self.tr("Explained attribute"))
        self.attribute.setMinimumWidth(themes.theme.px(260))
        self.attribute.chosen.connect(self._on_attribute)
        self.value = named(ChoiceBox(self.tr("Explained answer"), ()), "outcomeValue")
        self.value.chosen.connect(self._tell)
        self.hint = text(self.tr("The share of this answer is explained."), "captionHint")
        done = named(Button(themes, self.tr("Done")), "doneOutcome")
        done.clicked.connect(self.close)
        layout = column(
            self.attribute, self.value, self.hint, row(None, done), parent=self, margin=12
        )
        layout.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)

    def edit(self, formula: Formula, study: Study, anchor: QWidget) -> None:
        self._study = study
        names = [one.name for one in study.design]
        self.attribute.offer(offer_attributes(study, names), formula.outcome)
        self._offer_values(formula.outcome, formula.value)
        self.open_below(anchor)
        self.attribute.setFocus()

    def _offer_values(self, name: str, value: str) -> None:
        known = self._study is not None and name in self._study.design
        values = self._study.design[name].attribute.values if known and self._study else ()
        whole = [("", self.tr("all answers"))] if len(values) != 2 else []
        self.value.set_choices(
            [*whole, *((one, self.tr("is %s", "an answer") % one) for one in values)]
        )
        # Of two answers the second is explained unless the formula says otherwise.
        self.value.set_current(value or (values[1] if len(values) == 2 else ""))
        self.value.setVisible(bool(values))
        self._show_hint()

    def _show_hint(self) -> None:
        self.hint.setVisible(not self.value.isHidden() and bool(self.value.current))

    def _on_attribute(self, name: str) -> None:
        if self._study is not None and name in self._study.design:
            self._offer_values(name, first_value(self._study.design[name].attribute))
            self._tell()

    def _tell(self) -> None:
        self._show_hint()
        value = "" if self.value.isHidden() else self.value.current
        self.chosen.emit(str(self.attribute.currentData()), value)


class ModelBar(QWidget):
    """Chips and formula say the same; a formula that cannot be read changes nothing."""

    formula_changed = Signal(object)
    """The user wants another formula."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._formula: Formula | None = None
        self._study: Study | None = None
        self._outcome_editor: OutcomeEditor | None = None
        self.setObjectName("modelBar")
        self.setAccessibleName(self.tr("Regression"))
        self.outcome = named(TermChip(themes, can_be_removed=False), "outcomeChip")
        self.outcome.open_requested.connect(self._on_outcome)
        self.chips = TermsRow(themes, "predictor", self._offered, [self.outcome])
        self.outcome.walk_requested.connect(lambda step: self.chips.focus_chip(-1 + step))
        self.chips.removed.connect(self._on_remove)
        self.chips.added.connect(self._add)
        self.field = named(QLineEdit(), "modelFormula", self.tr("Formula"))
        self.field.setPlaceholderText(self.tr("for example: answer=yes ~ age + sex + age:sex"))
        self.field.textEdited.connect(self._on_typed)
        self.field.editingFinished.connect(self._tidy)
        self.field.hide()
        self.switch = named(Button(themes, self.tr("as formula"), "", "link"), "asFormula")
        self.switch.clicked.connect(self._on_switch)
        self.problem = text("", "error", wrap=True)
        self.problem.setObjectName("formulaProblem")
        self.problem.hide()
        line = row(self.chips, self.field, self.switch)
        line.setStretch(0, 1)
        line.setStretch(1, 1)
        column(line, self.problem, parent=self, spacing=4)

    @property
    def is_formula(self) -> bool:
        """Whether the formula is seen instead of the chips."""
        return not self.field.isHidden()

    # Shown

    def show_formula(self, formula: Formula, study: Study) -> None:
        """Show another formula; what somebody is typing stays."""
        before, self._formula, self._study = self._formula, formula, study
        self._show_chips(formula, study)
        if formula != before and formula != self._read():
            self.field.setText(str(formula))
            self._say("")

    def _show_chips(self, formula: Formula, study: Study) -> None:
        outcome = formula.outcome
        self.outcome.show_term(
            ShownTerm(
                outcome_phrase(formula, study.shown), self._kind(outcome), self._tip(outcome),
                bool(randomised((outcome,), study.design)),
            )
        )  # fmt: skip
        self.chips.show_terms([self._shown_term(term, study) for term in formula.terms])

    def _shown_term(self, term: Term, study: Study) -> ShownTerm:
        names = tuple(one.name for one in term.variables)
        words = study.shown(names[0]) if _is_plain(term) else str(term)
        return ShownTerm(
            ((words, False),), self._kind(names[0]), "\n".join(map(self._tip, names)),
            bool(randomised(names, study.design)),
        )  # fmt: skip

    def _kind(self, name: str) -> str:
        known = self._study is not None and name in self._study.design
        return str(self._study.design[name].attribute.kind) if known and self._study else "nominal"

    def _tip(self, name: str) -> str:
        study = self._study
        if study is None or name not in study.design:
            return name
        return attribute_tip(name, study.design[name].attribute.label, study.shown(name))

    # Changed by chips

    def _on_remove(self, place: int) -> None:
        if self._formula is None or place >= len(self._formula.terms):
            return
        terms = (*self._formula.terms[:place], *self._formula.terms[place + 1 :])
        # Without an intercept nothing would be left.
        intercept = self._formula.intercept or not terms
        self._change(dataclasses.replace(self._formula, terms=terms, intercept=intercept))

    def _offered(self) -> Sequence[Offered]:
        formula, study = self._formula, self._study
        if formula is None or study is None:
            return ()
        used = {formula.outcome} | {
            term.variables[0].name for term in formula.terms if _is_plain(term)
        }
        return offer_attributes(study, [one.name for one in study.design if one.name not in used])

    def _add(self, name: str) -> None:
        if self._formula is not None:
            terms = (*self._formula.terms, Term((Variable(name),)))
            # As the formula is read: products stand behind.
            ordered = tuple(sorted(terms, key=lambda term: len(term.variables)))
            self._change(dataclasses.replace(self._formula, terms=ordered))

    def _on_outcome(self) -> None:
        if self._formula is None or self._study is None:
            return
        if self._outcome_editor is None:
            self._outcome_editor = OutcomeEditor(self._themes, self)
            self._outcome_editor.chosen.connect(self._explain)
        self._outcome_editor.edit(self._formula, self._study, self.outcome)

    def _explain(self, outcome: str, value: str) -> None:
        """Take another outcome; it cannot explain itself."""
        if self._formula is not None:
            kept = tuple(
                term
                for term in self._formula.terms
                if all(one.name != outcome for one in term.variables)
            )
            changed = dataclasses.replace(self._formula, outcome=outcome, value=value, terms=kept)
            self._change(dataclasses.replace(changed, intercept=changed.intercept or not kept))

    def _change(self, formula: Formula) -> None:
        if formula != self._formula:
            self.formula_changed.emit(formula)

    # Changed by the formula

    def _on_switch(self) -> None:
        to_formula = not self.is_formula
        if self._formula is not None and not to_formula:
            # What could not be read is given up with the field.
            self.field.setText(str(self._formula))
            self._say("")
        self.chips.setVisible(not to_formula)
        self.field.setVisible(to_formula)
        self.switch.setText(self.tr("as chips") if to_formula else self.tr("as formula"))
        (self.field if to_formula else self.outcome).setFocus(Qt.FocusReason.OtherFocusReason)

    def _read(self) -> Formula | None:
        """What the field says; None where it cannot be read."""
        try:
            return parse_formula(self.field.text())
        except WorkbenchError:
            return None

    def _on_typed(self) -> None:
        study = self._study
        try:
            formula = parse_formula(self.field.text())
        except WorkbenchError as error:
            self._say(translate(error.message))
            return
        unknown = [] if study is None else [n for n in formula.attributes if n not in study.design]
        if unknown:
            self._say(self.tr("There is no attribute “%s”.") % unknown[0])
            return
        self._say("")
        self._change(formula)

    def _tidy(self) -> None:
        """Write a formula that was typed as the program writes it."""
        if self._formula is not None and self._read() == self._formula:
            self.field.setText(str(self._formula))

    def _say(self, problem: str) -> None:
        if problem and problem != self.problem.text():
            announce(self.field, problem)
        show_words(self.problem, problem)
        show_fault(self.field, problem)


class ModelOptions(QWidget):
    """Which kind of regression is fitted, and how."""

    changed = Signal(dict)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.model = named(Segmented(themes, self.tr("Model"), [("", "")]), "regressionModel")
        self.model.chosen.connect(lambda key: self.changed.emit({"model": key}))
        methods = [(one, fit_method_word(one)) for one in (ML, INVERSE, CORRECTED)]
        self.method = named(ChoiceBox(self.tr("Method"), methods), "regressionMethod")
        self._hints = {
            ML: self.tr("Maximises the likelihood of the reported answers."),
            INVERSE: self.tr("Weights possible true answers; needs no model of predictors."),
            CORRECTED: self.tr("Removes the known noise from a numeric predictor."),
        }
        self.method.set_hints(self._hints)
        # Errors of another method may not exist for this one, so they are chosen anew.
        self.method.chosen.connect(lambda key: self.changed.emit({"method": key, "variance": ""}))
        row(
            text(self.tr("Model"), "label"), self.model, 6,
            text(self.tr("Method"), "label"), self.method, parent=self,
        )  # fmt: skip

    def show_model(self, asked: Regress, design: Design) -> None:
        """Show the choices of a regression, and the models that suit its outcome."""
        offered = models_for(asked.formula, design)
        self.model.set_choices([(one, model_word(one)) for one in offered])
        self.model.set_current(asked.options.model or next(iter(offered), ""))
        self.method.set_current(asked.options.method)
        self.method.setToolTip(self._hints.get(self.method.current, ""))


def _is_plain(term: Term) -> bool:
    """Whether a term is an attribute as it is."""
    return len(term.variables) == 1 and str(term) == str(Variable(term.variables[0].name))
