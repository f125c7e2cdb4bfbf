"""What a regression explains by what: as chips, or as a formula."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
)
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLayout,
    QLineEdit,
    QListView,
    QMenu,
    QSizePolicy,
    QWidget,
)

from ppworkbench.analyses.regression.answers import first_value, models_for, randomised
from ppworkbench.analyses.regression.questions import ModelQuestion
from ppworkbench.core.design import Design
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.models import Formula, parse_formula
from ppworkbench.core.models.estimating import CORRECTED, INVERSE, ML
from ppworkbench.core.models.formula import Term, Variable
from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.survey.phrase_chip import OPENING_KEYS, PhraseChip
from ppworkbench.gui.pages.survey.texts import (
    Phrase,
    fit_method_word,
    model_word,
    outcome_phrase,
)
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import (
    AttributeBox,
    Offered,
    OfferedModel,
    attribute_tip,
    offer_attributes,
)
from ppworkbench.gui.widgets.controls import Button, Segmented
from ppworkbench.gui.widgets.labels import announce
from ppworkbench.gui.widgets.layout import WrappingRow, column, row, text
from ppworkbench.study.study import Study

_WIDEST = 360


class TermChip(PhraseChip):
    """One side of a formula: a predictor can be removed, the outcome opens."""

    open_requested = Signal()

    def __init__(self, themes: ThemeManager, *, can_be_removed: bool) -> None:
        super().__init__(themes, _WIDEST, has_cross=can_be_removed)
        if can_be_removed:
            self.setAccessibleDescription(self.tr("Delete removes it."))
        else:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
            self.setAccessibleDescription(self.tr("Enter chooses another outcome."))

    def show_term(self, phrase: Phrase, kind: str, tip: str, *, is_randomised: bool) -> None:
        """Say something else; the tooltip tells about it."""
        self.show_phrase(phrase, kind, is_randomised=is_randomised)
        mask = self.tr("randomised") if is_randomised else ""
        self.setToolTip("\n".join(words for words in (tip, mask) if words))
        self.setAccessibleName(f"{self.words}, {mask}" if mask else self.words)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self._has_cross:
            self.open_requested.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        has_control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if event.key() in OPENING_KEYS and not self._has_cross and not has_control:
            self.open_requested.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        menu = QMenu(self)
        if self._has_cross:
            menu.addAction(self.tr("Remove"), self.remove_requested.emit)
        else:
            menu.addAction(self.tr("Edit…"), self.open_requested.emit)
        menu.popup(event.globalPos())


class _Popover(QFrame):
    """A small window below a control."""

    def __init__(self, parent: QWidget, name: str, words: str) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setObjectName(name)
        self.setProperty("look", "popover")
        self.setAccessibleName(words)

    def open_below(self, anchor: QWidget) -> None:
        """Show it, above its control where the screen ends."""
        self.adjustSize()
        corner = anchor.mapToGlobal(QPoint(0, anchor.height() + 4))
        area = anchor.screen().availableGeometry()
        y = corner.y()
        if y + self.height() > area.bottom():
            y = max(anchor.mapToGlobal(QPoint(0, -4)).y() - self.height(), area.top())
        self.move(min(corner.x(), area.right() - self.width()), y)
        self.show()


class AttributePicker(_Popover):
    """A list of attributes, of which those stay that fit what is typed above it."""

    chosen = Signal(str)

    def __init__(self, themes: ThemeManager, parent: QWidget) -> None:
        super().__init__(parent, "predictorPicker", "")
        self.setAccessibleName(self.tr("Add a predictor"))
        self._offered: list[Offered] = []
        self.field = QLineEdit()
        self.field.setObjectName("predictorFilter")
        self.field.setAccessibleName(self.tr("Filter attributes"))
        self.field.setPlaceholderText(self.tr("Filter attributes"))
        self.field.textChanged.connect(self._filter)
        self.field.returnPressed.connect(self._take)
        self.list = QListView()
        self.list.setObjectName("predictorList")
        self.list.setAccessibleName(self.tr("Attributes"))
        self.list.setUniformItemSizes(True)
        self._model = OfferedModel(themes, self)
        self.list.setModel(self._model)
        self.list.clicked.connect(lambda _: self._take())
        self.list.activated.connect(lambda _: self._take())
        px = themes.theme.px
        self.list.setFixedSize(px(280), px(220))
        column(self.field, self.list, parent=self, margin=10)

    def offer(self, attributes: Sequence[Offered], anchor: QWidget) -> None:
        """Let somebody choose one of these."""
        self._offered = list(attributes)
        with QSignalBlocker(self.field):
            self.field.clear()
        self._filter()
        self.open_below(anchor)
        self.field.setFocus()

    def _filter(self) -> None:
        typed = self.field.text().strip().casefold()
        shown = [one for one in self._offered if any(typed in word.casefold() for word in one)]
        self._model.offer(shown)
        self.list.setCurrentIndex(self._model.index(0))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            step = 1 if event.key() == Qt.Key.Key_Down else -1
            place = self.list.currentIndex().row() + step
            if 0 <= place < self._model.rowCount():
                self.list.setCurrentIndex(self._model.index(place))
        else:
            super().keyPressEvent(event)

    def _take(self) -> None:
        if not self.isVisible():
            # Where one click activates, the list tells of it twice.
            return
        name = self.list.currentIndex().data(Qt.ItemDataRole.UserRole)
        if name:
            self.close()
            self.chosen.emit(str(name))


class OutcomeEditor(_Popover):
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
        self.value = QComboBox()
        self.value.setObjectName("outcomeValue")
        self.value.setAccessibleName(self.tr("Explained answer"))
        self.value.activated.connect(self._tell)
        self.hint = text(self.tr("The share of this answer is explained."), "captionHint")
        done = Button(themes, self.tr("Done"))
        done.setObjectName("doneOutcome")
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
        with QSignalBlocker(self.value):
            self.value.clear()
            if len(values) != 2:
                self.value.addItem(self.tr("all answers"), "")
            for one in values:
                self.value.addItem(self.tr("is %s", "an answer") % one, one)
            # Of two answers the second is explained unless the formula says otherwise.
            shown = value or (values[1] if len(values) == 2 else "")
            self.value.setCurrentIndex(max(self.value.findData(shown), 0))
        self.value.setVisible(bool(values))
        self._show_hint()

    def _show_hint(self) -> None:
        self.hint.setVisible(not self.value.isHidden() and bool(self.value.currentData()))

    def _on_attribute(self, name: str) -> None:
        if self._study is not None and name in self._study.design:
            self._offer_values(name, first_value(self._study.design[name].attribute))
            self._tell()

    def _tell(self) -> None:
        self._show_hint()
        value = "" if self.value.isHidden() else str(self.value.currentData() or "")
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
        self._picker: AttributePicker | None = None
        self._outcome_editor: OutcomeEditor | None = None
        self.setObjectName("modelBar")
        self.setAccessibleName(self.tr("Regression"))
        self.outcome = TermChip(themes, can_be_removed=False)
        self.outcome.setObjectName("outcomeChip")
        self.outcome.open_requested.connect(self._on_outcome)
        self.outcome.walk_requested.connect(lambda step: self.focus_chip(-1 + step))
        self._by = text(self.tr("explained by"), "label")
        self.terms: list[TermChip] = []
        self.add_button = Button(themes, self.tr("Add", "a predictor"), "plus", "add")
        self.add_button.setObjectName("addPredictor")
        self.add_button.setAccessibleName(self.tr("Add a predictor"))
        self.add_button.clicked.connect(self._on_add)
        self.chips = QWidget()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.chips.setSizePolicy(policy)
        self._flow = WrappingRow(spacing=8, line_spacing=6)
        self.chips.setLayout(self._flow)
        self.field = QLineEdit()
        self.field.setObjectName("modelFormula")
        self.field.setAccessibleName(self.tr("Formula"))
        self.field.setPlaceholderText(self.tr("for example: answer=yes ~ age + sex + age:sex"))
        self.field.textEdited.connect(self._on_typed)
        self.field.editingFinished.connect(self._tidy)
        self.field.hide()
        self.switch = Button(themes, self.tr("as formula"), "", "link")
        self.switch.setObjectName("asFormula")
        self.switch.clicked.connect(self._on_switch)
        self.problem = text("", "error", wrap=True)
        self.problem.setObjectName("formulaProblem")
        self.problem.hide()
        line = row(self.chips, self.field, self.switch)
        line.setStretch(0, 1)
        line.setStretch(1, 1)
        column(line, self.problem, parent=self, spacing=4)
        self._lay_out()

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
            outcome_phrase(formula, study.shown), self._kind(outcome), self._tip(outcome),
            is_randomised=bool(randomised((outcome,), study.design)),
        )  # fmt: skip
        wanted = len(formula.terms)
        is_other = wanted != len(self.terms)
        for chip in self.terms[wanted:]:
            chip.hide()
            chip.deleteLater()
        del self.terms[wanted:]
        # New widgets are dear, so those that are there say something else.
        self.terms += [self._chip(place) for place in range(len(self.terms), wanted)]
        for chip, term in zip(self.terms, formula.terms, strict=True):
            names = tuple(one.name for one in term.variables)
            words = study.shown(names[0]) if _is_plain(term) else str(term)
            chip.show_term(
                ((words, False),), self._kind(names[0]), "\n".join(map(self._tip, names)),
                is_randomised=bool(randomised(names, study.design)),
            )  # fmt: skip
        if is_other:
            self._lay_out()
        self._flow.invalidate()
        self.chips.updateGeometry()

    def _kind(self, name: str) -> str:
        known = self._study is not None and name in self._study.design
        return str(self._study.design[name].attribute.kind) if known and self._study else "nominal"

    def _tip(self, name: str) -> str:
        study = self._study
        if study is None or name not in study.design:
            return name
        return attribute_tip(name, study.design[name].attribute.label, study.shown(name))

    def _chip(self, place: int) -> TermChip:
        chip = TermChip(self._themes, can_be_removed=True)
        chip.setObjectName(f"predictor{place}")
        # One stop for all chips: Tab reaches the outcome, arrows the others.
        chip.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        chip.remove_requested.connect(lambda: self._on_remove(place))
        chip.walk_requested.connect(lambda step: self.focus_chip(place + step))
        return chip

    def _lay_out(self) -> None:
        while self._flow.count():
            self._flow.takeAt(0)
        for item in (self.outcome, self._by, *self.terms, self.add_button):
            self._flow.addWidget(item)
            item.show()

    def focus_chip(self, place: int) -> None:
        """Give a chip the keyboard; before the first stands the outcome, behind the last Add."""
        chips: list[QWidget] = [self.outcome, *self.terms, self.add_button]
        chips[min(max(place + 1, 0), len(chips) - 1)].setFocus(Qt.FocusReason.OtherFocusReason)

    # Changed by chips

    def _on_remove(self, place: int) -> None:
        if self._formula is None or place >= len(self._formula.terms):
            return
        had_focus = self.terms[place].hasFocus()
        terms = (*self._formula.terms[:place], *self._formula.terms[place + 1 :])
        # Without an intercept nothing would be left.
        intercept = self._formula.intercept or not terms
        self._change(dataclasses.replace(self._formula, terms=terms, intercept=intercept))
        if had_focus:
            self.focus_chip(min(place, len(self.terms) - 1))

    def _on_add(self) -> None:
        formula, study = self._formula, self._study
        if formula is None or study is None:
            return
        if self._picker is None:
            self._picker = AttributePicker(self._themes, self)
            self._picker.chosen.connect(self._add)
        used = {formula.outcome} | {
            term.variables[0].name for term in formula.terms if _is_plain(term)
        }
        names = [one.name for one in study.design if one.name not in used]
        self._picker.offer(offer_attributes(study, names), self.add_button)

    def _add(self, name: str) -> None:
        if self._formula is not None:
            terms = (*self._formula.terms, Term((Variable(name),)))
            # As the formula is read: products stand behind.
            ordered = tuple(sorted(terms, key=lambda term: len(term.variables)))
            self._change(dataclasses.replace(self._formula, terms=ordered))
            self.add_button.setFocus(Qt.FocusReason.OtherFocusReason)

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
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.field.setProperty("state", "error" if problem else "")
        self.field.style().unpolish(self.field)
        self.field.style().polish(self.field)
        self.field.setAccessibleDescription(problem)


class ModelOptions(QWidget):
    """Which kind of regression is fitted, and how."""

    changed = Signal(dict)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.model = Segmented(themes, self.tr("Model"), [("", "")])
        self.model.setObjectName("regressionModel")
        self.model.chosen.connect(lambda key: self.changed.emit({"model": key}))
        self.method = QComboBox()
        self.method.setObjectName("regressionMethod")
        self.method.setAccessibleName(self.tr("Method"))
        self.method.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for place, (method, tip) in enumerate(
            (
                (ML, self.tr("Maximises the likelihood of the reported answers.")),
                (INVERSE, self.tr("Weights possible true answers; needs no model of predictors.")),
                (CORRECTED, self.tr("Removes the known noise from a numeric predictor.")),
            )
        ):
            self.method.addItem(fit_method_word(method), method)
            self.method.setItemData(place, tip, Qt.ItemDataRole.ToolTipRole)
        self.method.activated.connect(self._on_method)
        row(
            text(self.tr("Model"), "label"), self.model, 6,
            text(self.tr("Method"), "label"), self.method, parent=self,
        )  # fmt: skip

    def show_model(self, asked: ModelQuestion, design: Design) -> None:
        """Show the choices of a regression, and the models that suit its outcome."""
        offered = models_for(asked.formula, design)
        self.model.set_choices([(one, model_word(one)) for one in offered])
        self.model.set_current(asked.options.model or next(iter(offered), ""))
        with QSignalBlocker(self.method):
            self.method.setCurrentIndex(self.method.findData(asked.options.method))
        self.method.setToolTip(str(self.method.currentData(Qt.ItemDataRole.ToolTipRole)))

    def _on_method(self) -> None:
        # Errors of another method may not exist for this one, so they are chosen anew.
        self.changed.emit({"method": str(self.method.currentData()), "variance": ""})


def _is_plain(term: Term) -> bool:
    """Whether a term is an attribute as it is."""
    return len(term.variables) == 1 and str(term) == str(Variable(term.variables[0].name))
