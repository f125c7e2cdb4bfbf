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
    QVBoxLayout,
    QWidget,
)

from ppworkbench.core.data.attribute import QUESTION_KINDS, Kind, MissingPolicy
from ppworkbench.core.data.numerals import code_text
from ppworkbench.core.data.sampling_roles import (
    FAY,
    REPLICATE_METHODS,
    REPLICATES,
    ROLES,
    STRATUM,
    Sampling,
)
from ppworkbench.gui.language import own_words
from ppworkbench.gui.numbers import counted, number, percent, plain
from ppworkbench.gui.pages.data import edits as data_edits
from ppworkbench.gui.pages.data.numbers_editor import NumbersSection
from ppworkbench.gui.pages.data.values_editor import ValuesSection
from ppworkbench.gui.pages.data.view import (
    DataView,
    Selection,
    SelectionEditor,
    kind_word,
    method_word,
    reason_words,
    role_hint,
)
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import (
    Button,
    ChoiceBox,
    IconButton,
    IconLabel,
    Segmented,
    Switch,
)
from ppworkbench.gui.widgets.labels import role_word
from ppworkbench.gui.widgets.layout import (
    clear,
    column,
    line,
    named,
    row,
    scroll_area,
    show_words,
    text,
)
from ppworkbench.gui.widgets.number_fields import NumberBox
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.data_checks import ColumnSummary, HeldCode, find_warning


class AttributeHeader(SelectionEditor):
    """The pencil opens the fields; Enter keeps them, Esc leaves things as they were."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.icon = IconLabel(themes, "kind-nominal", "accentInk", 18)
        self.name = text("", "subtitle", wrap=True)
        self.column = text("", "captionHint", wrap=True)
        self.question = text("", "hint", wrap=True)
        self.edit_button = IconButton(themes, "edit", self.tr("Rename"), 15)
        self.edit_button.setObjectName("renameAttribute")
        self.edit_button.clicked.connect(self.start_editing)
        self.title_field = self._field("attributeTitle", self.tr("Label"))
        self.title_field.setToolTip(self.tr("A short name that lists, tables and charts show"))
        self.name_field = self._field("attributeName", self.tr("Name"))
        self.name_field.setToolTip(self.tr("Name of the column"))
        self.question_field = self._field("attributeQuestion", self.tr("Question wording"))
        self.unit_field = self._field("attributeUnit", self.tr("Unit"))
        self.unit_field.setToolTip(self.tr("What the number counts, such as euros or years"))
        self.problem = text("", "error", wrap=True)
        self.keep_button = named(Button(themes, self.tr("Keep", "verb")), "keepName")
        self.keep_button.clicked.connect(self._on_keep)
        self.cancel_button = named(Button(themes, self.tr("Cancel"), look="link"), "cancelName")
        self.cancel_button.clicked.connect(lambda *_: self._show_editor(False))
        self._reader = QWidget()
        line = row(self.icon, self.name, self.edit_button, spacing=8, stretch=1)
        column(line, self.column, self.question, parent=self._reader, spacing=4)
        self._editor = QWidget()
        column(
            self.name_field,
            self.title_field,
            self.question_field,
            self.unit_field,
            self.problem,
            row(self.keep_button, self.cancel_button, None),
            parent=self._editor,
            spacing=6,
        )
        column(self._reader, self._editor, parent=self, spacing=0)
        self._show_editor(False)

    def set_view(self, view: Selection) -> None:
        """Show another attribute; what was being typed about the last one is dropped."""
        if self._view is None or view.names != self._view.names:
            self._show_editor(False)
        self._view = view
        self.edit_button.setVisible(view.is_single)
        self.edit_button.setEnabled(not view.reason_against)
        self.edit_button.setToolTip(view.reason_against or self.tr("Rename"))
        if view.is_single:
            self.icon.show_icon(f"kind-{view.attribute.kind.value}")
            label, shown = view.attribute.label, own_words(view.attribute.shown)
            self.name.setText(shown)
            self.column.setText(self.tr("Column: %s") % view.name)
            self.column.setVisible(shown != view.name)
            label = "" if label == shown else label
            show_words(self.question, self.tr("“%s”") % label if label else "")
            return
        self.icon.show_icon("data")
        self.name.setText(self.tr("%s attributes") % number(len(view.names)))
        self.column.hide()
        listed = ", ".join(own_words(attribute.shown) for attribute in view.attributes[:6])
        rest = len(view.names) - 6
        more = self.tr("%s and %s more") % (listed, number(rest))
        self.question.setText(more if rest > 0 else listed)
        self.question.show()

    def start_editing(self) -> None:
        if self._view is not None and self.edit_button.isEnabled():
            self.name_field.setText(self._view.name)
            attribute = self._view.attribute
            self.title_field.setText(attribute.title)
            self.question_field.setText(attribute.label)
            self.unit_field.setText(attribute.unit)
            self.unit_field.setVisible(attribute.kind.is_numeric)
            self._show_editor(True)
            self.name_field.setFocus()
            self.name_field.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape and self._editor.isVisibleTo(self):
            self._show_editor(False)
        else:
            super().keyPressEvent(event)

    def _field(self, object_name: str, name: str) -> QLineEdit:
        field = named(QLineEdit(), object_name, name)
        field.setPlaceholderText(name)
        field.returnPressed.connect(self._on_keep)
        return field

    def _show_editor(self, shown: bool) -> None:
        self._reader.setVisible(not shown)
        self._editor.setVisible(shown)
        self.problem.setText("")
        self.problem.hide()

    def _on_keep(self) -> None:
        view = self._view
        if view is None:
            return
        new, attribute = self.name_field.text().strip(), view.attribute
        fields = (self.question_field, self.title_field, self.unit_field)
        words = tuple(field.text().strip() for field in fields)
        if words != (attribute.label, attribute.title, attribute.unit):
            self.edit_requested.emit(data_edits.describe_attribute(view.name, *words))
        if new != view.name:
            self.edit_requested.emit(data_edits.rename_attribute(view.name, new, self._refuse))
        if not self.problem.text():
            self._show_editor(False)

    def _refuse(self, why: str) -> None:
        self._show_editor(True)
        self.problem.setText(why)
        self.problem.show()


class KindSection(SelectionEditor):
    """Five segments; those that cannot be are grey and say why."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.kind = Segmented(
            themes, self.tr("Kind"), [(kind.value, kind_word(kind)) for kind in QUESTION_KINDS]
        )
        self.kind.setObjectName("kind")
        self.kind.chosen.connect(self._on_chosen)
        self.reason = text("", "captionHint", wrap=True)
        self.undo_button = named(Button(themes, self.tr("Undo"), look="link"), "undoKind")
        self.undo_button.setToolTip(self.tr("Reset to the file"))
        self.undo_button.clicked.connect(self._on_undo)
        self.keep_button = named(Button(themes, self.tr("Confirm"), look="link"), "keepKind")
        self.keep_button.setToolTip(self.tr("Confirm the kind and hide the warning"))
        self.keep_button.clicked.connect(
            lambda: self.ask(lambda view: data_edits.set_kind(view.names, view.attribute.kind))
        )
        line = row(self.reason, self.undo_button, self.keep_button, spacing=6, stretch=0)
        column(self.kind, line, parent=self, spacing=2)

    def set_view(self, view: Selection) -> None:
        self._view = view
        kinds = {attribute.kind for attribute in view.attributes}
        self.kind.set_current(next(iter(kinds)).value if len(kinds) == 1 else "")
        self.kind.set_disabled({k.value: why for k, why in view.impossible.items()})
        self.kind.setEnabled(not view.reason_against)
        self.kind.setToolTip(view.reason_against)
        doubt = find_warning(view.attribute) if view.is_single else ""
        self.undo_button.setVisible(view.is_changed)
        # A column without answers to tell apart stays odd whatever its kind is.
        can_keep = doubt not in ("", "none", "one") and bool(view.attribute.reason)
        self.keep_button.setVisible(can_keep and not view.reason_against)
        self.reason.setText(self._sentence(view))

    def _sentence(self, view: Selection) -> str:
        if not view.is_single:
            return self.tr("A change here applies to all of them.")
        if view.reason_against:
            return self.tr("From the design.")
        if view.is_changed:
            opened = view.opened
            if opened is not None and opened.attribute.kind is not view.attribute.kind:
                return self.tr("Changed manually; read as %s.") % kind_word(opened.attribute.kind)
            return self.tr("Changed manually.")
        if view.attribute.reason:
            return self.tr("Inferred: %s") % reason_words(view.attribute.reason)
        return self.tr("Set manually or by codebook.")

    def _on_chosen(self, key: str) -> None:
        self.ask(lambda view: data_edits.set_kind(view.names, Kind(key)))

    def _on_undo(self) -> None:
        if self._view is not None and self._view.opened is not None:
            self.edit_requested.emit(data_edits.take_back(self._view.opened))


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
        clear(self._list)
        for code, label, count in held[:_MOST_CODES]:
            self._list.addWidget(self._line(code, label, count, reason_against))
        self.setVisible(bool(held))

    def _line(self, code: float | str, label: str, count: int, reason_against: str) -> QWidget:
        shown = code_text(code)
        what = self.tr("%s “%s”") % (shown, label) if label and label != shown else shown
        words = self.tr("%s, once") % what
        if count != 1:
            words = self.tr("%s, %s times") % (what, number(count))
        button = Button(self._themes, self.tr("Mark as valid"), look="link")
        button.setObjectName(f"restore-{shown}")
        button.setAccessibleName(self.tr("Mark %s as valid") % shown)
        button.setEnabled(not reason_against)
        button.setToolTip(reason_against)
        button.clicked.connect(lambda *_: self.restore_requested.emit(code))
        line = QWidget()
        row(text(words, "caption"), None, button, parent=line)
        return line


class MissingSection(SelectionEditor):
    """Four policies, and what the chosen one will do."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.count = text("", "captionHint")
        self.held = HeldCodes(themes)
        self.held.restore_requested.connect(
            lambda code: self.ask(lambda view: data_edits.restore_missing(view.name, code))
        )
        self.group = QButtonGroup(self)
        self.choices = {policy: QRadioButton() for policy in self._order}
        for place, (policy, radio) in enumerate(self.choices.items()):
            radio.setObjectName(f"missing-{policy.value}")
            self.group.addButton(radio, place)
        self.group.idClicked.connect(
            lambda at: self.ask(lambda view: data_edits.set_policy(view.names, self._order[at]))
        )
        self.effect = named(text("", "caption", wrap=True), "missingEffect")
        column(
            row(text(self.tr("Missing answers"), "strong"), None, self.count),
            self.held,
            *self.choices.values(),
            self.effect,
            _note(themes, self.tr("A missing answer can itself be sensitive.")),
            parent=self,
            spacing=7,
        )  # fmt: skip

    @property
    def _order(self) -> tuple[MissingPolicy, ...]:
        return (
            MissingPolicy.LEAVE, MissingPolicy.VALUE, MissingPolicy.IMPUTE, MissingPolicy.DROP,
        )  # fmt: skip

    def set_view(self, view: Selection) -> None:
        self._view = view
        attributes = view.attributes
        numeric = [a for a in attributes if a.kind.is_numeric]
        words = {
            MissingPolicy.LEAVE: self.tr("Keep as missing"),
            MissingPolicy.VALUE: self.tr("Treat “missing” as a value"),
            MissingPolicy.IMPUTE: self._impute_words(view),
            MissingPolicy.DROP: self.tr("Exclude the record"),
        }
        no_value = self.tr("Numbers cannot have the value “missing”; change the kind first.")
        chosen = {attribute.missing for attribute in attributes}
        self.group.setExclusive(False)
        for policy, radio in self.choices.items():
            reason = view.reason_against
            if policy is MissingPolicy.VALUE and numeric:
                reason = reason or no_value
            radio.setText(words[policy])
            radio.setChecked(chosen == {policy})
            radio.setEnabled(not reason)
            radio.setToolTip(reason)
        self.group.setExclusive(True)
        summary = view.summary if view.is_single else None
        self.held.show_codes(() if summary is None else summary.reasons, view.reason_against)
        self.count.setText(self._count_words(view))
        show_words(self.effect, self._effect_words(view, summary))

    def _impute_words(self, view: Selection) -> str:
        kinds = {attribute.kind.is_numeric for attribute in view.attributes}
        if kinds == {True}:
            return self.tr("Impute the mean")
        if kinds == {False}:
            return self.tr("Impute the mode")
        return self.tr("Impute the mean or the mode")

    def _count_words(self, view: Selection) -> str:
        if not view.is_single:
            return ""
        summary = view.summary
        if summary is None:
            return self.tr("counting")
        if summary.not_asked and not summary.missing:
            return self.tr("none, %s not asked") % number(summary.not_asked)
        if not summary.missing:
            return self.tr("none here")
        share = summary.missing / max(summary.rows, 1)
        parts = (number(summary.missing), number(summary.rows), percent(share, 1))
        said = self.tr("%s of %s, %s") % parts
        if summary.not_asked:
            return self.tr("%s; %s not asked") % (said, number(summary.not_asked))
        return said

    def _effect_words(self, view: Selection, summary: ColumnSummary | None) -> str:
        if summary is None or not summary.missing:
            return ""
        one, many = self._sentences(view, summary)[view.attribute.missing]
        sentence = counted(summary.missing, one, many)
        is_value = view.attribute.missing is MissingPolicy.VALUE
        if is_value and view.attribute.kind is Kind.ORDINAL:
            return self.tr("%s The order of the values is lost.") % sentence
        return sentence

    def _sentences(
        self, view: Selection, summary: ColumnSummary
    ) -> dict[MissingPolicy, tuple[str, str]]:
        left, filling = number(summary.rows - summary.missing), self._filling(view, summary)
        return {
            MissingPolicy.LEAVE: (
                self.tr("1 answer stays missing in all analyses."),
                self.tr("%s answers stay missing in all analyses."),
            ),
            MissingPolicy.DROP: (
                self.tr("1 record is excluded from all analyses; %s remain.") % left,
                self.tr("%s records are excluded from all analyses; %s remain.") % ("%s", left),
            ),
            MissingPolicy.VALUE: (
                self.tr("1 answer becomes the value “missing” and is randomised."),
                self.tr("%s answers become the value “missing” and are randomised."),
            ),
            MissingPolicy.IMPUTE: (
                self.tr("1 answer becomes %s.") % filling,
                self.tr("%s answers become %s.") % ("%s", filling.replace("%", "%%")),
            ),
        }

    def _filling(self, view: Selection, summary: ColumnSummary) -> str:
        if not summary.present:
            return self.tr("nothing: there are no answers")
        if view.attribute.kind.is_categorical:
            return self.tr("“%s”") % view.attribute.values[int(np.argmax(summary.counts))]
        is_whole = view.attribute.kind is Kind.INTEGER
        return number(round(summary.mean)) if is_whole else plain(summary.mean, 2)


def _note(themes: ThemeManager, sentence: str) -> QFrame:
    frame = QFrame()
    frame.setProperty("look", "note")
    words = text(sentence, "caption", wrap=True)
    layout = row(IconLabel(themes, "info", "infoText", 16), words, parent=frame, spacing=10)
    layout.setContentsMargins(10, 6, 10, 6)
    layout.setStretch(1, 1)
    return frame


class ClassRow(SelectionEditor):
    """Whether classifiers should predict the attribute."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.switch = named(Switch(themes, self.tr("Use as class")), "useAsClass")
        self.switch.clicked.connect(
            lambda on: self.ask(lambda view: data_edits.set_class(view.name if on else None))
        )
        label = text(self.tr("Use as class"), "strong")
        hint = text(self.tr("predicted by classifiers"), "captionHint")
        row(label, hint, None, self.switch, parent=self, spacing=8)

    def set_view(self, view: Selection) -> None:
        self._view = view
        reason = view.reason_against
        if not view.is_single:
            reason = reason or self.tr("Only one attribute can be the class.")
        elif view.attribute.kind.is_numeric:
            reason = reason or self.tr("A class is categorical; make it nominal or ordinal first.")
        is_class = view.is_single and view.table.class_name == view.name
        self.switch.setChecked(is_class)
        self.switch.setEnabled(not reason)
        self.switch.setToolTip(reason)
        self.switch.update()


_REPLICATES = tuple(f"{REPLICATES} {method}" for method in REPLICATE_METHODS)


class RoleSection(SelectionEditor):
    """What the columns tell about the sampling, and how replicate weights were made.

    The method is a part of the choice: without it replicate weights give no variance.
    """

    def __init__(self) -> None:
        super().__init__()
        replicates = self.tr("replicate weights: %s")
        choices = [
            ("", self.tr("none", "sampling role")),
            *((role, role_word(role)) for role in ROLES if role != REPLICATES),
            *((key, replicates % method_word(key.split()[1])) for key in _REPLICATES),
        ]
        self.role = named(ChoiceBox(self.tr("Sampling role"), choices), "samplingRole")
        policy = ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.role.setSizeAdjustPolicy(policy)
        self.role.setMinimumContentsLength(14)
        self.role.chosen.connect(self._on_chosen)
        self.hint = text("", "captionHint", wrap=True)
        self.factor_label = text(self.tr("Fay's factor"), "label")
        self.factor = named(NumberBox(), "fayFactor", self.tr("Fay's factor"))
        self.factor.setRange(0.0, 0.99)
        self.factor.setSingleStep(0.1)
        self.factor.valueChanged.connect(self._on_factor)
        self._factor_row = QWidget()
        row(self.factor_label, None, self.factor, parent=self._factor_row)
        self.problem = named(text("", "error", wrap=True), "roleProblem")
        line = row(text(self.tr("Sampling role"), "label"), self.role, spacing=10, stretch=1)
        column(line, self.hint, self._factor_row, self.problem, parent=self, spacing=4)

    def set_view(self, view: Selection) -> None:
        before, self._view = self._view, view
        is_same = before is not None and (before.names, before.sampling) == (
            view.names,
            view.sampling,
        )
        if not is_same:
            self._say("")
        role = view.sampling_role
        replicates = (view.sampling or Sampling()).replicates
        key = f"{REPLICATES} {replicates.method}" if role == REPLICATES and replicates else role
        self.role.set_current(key)
        self.role.set_disabled(self._refused(view))
        show_words(self.hint, role_hint(role) if role else "")
        is_fay = replicates is not None and role == REPLICATES and replicates.method == FAY
        self._factor_row.setVisible(is_fay)
        if replicates is not None:
            self.factor.show_value(replicates.fay)

    def _refused(self, view: Selection) -> dict[str, str]:
        """Roles that what is selected cannot have, and why."""
        if not view.is_single:
            one = self.tr("Only one column can have this role.")
            several = ("", STRATUM, *_REPLICATES)
            return {role: one for role in self.role.keys if role not in several}
        if (view.sampling or Sampling()).replicates is not None:
            return {}
        return dict.fromkeys(_REPLICATES, self.tr("Select all replicate weights first."))

    def _on_chosen(self, key: str) -> None:
        role, _, method = key.partition(" ")
        self._say("")
        self.ask(lambda view: data_edits.set_role(view.names, role, self._say, method=method))

    def _on_factor(self, value: float) -> None:
        view = self._view
        if view is None or view.sampling is None or view.sampling.replicates is None:
            return
        known = view.sampling.replicates
        if abs(known.fay - value) > 1e-9:
            self.edit_requested.emit(
                data_edits.set_role(
                    known.columns, REPLICATES, self._say, method=known.method, fay=value
                )
            )

    def _say(self, problem: str) -> None:
        show_words(self.problem, problem)


class Inspector(Card):
    """Scrolls on its own."""

    edit_requested = Signal(object)

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(padding=0)
        self.setObjectName("inspector")
        self._workbench = workbench
        self._themes = themes = workbench.themes
        self.heading = AttributeHeader(themes)
        self.kind = KindSection(themes)
        self.values = ValuesSection(themes)
        self._numbers: NumbersSection | None = None
        self.missing = MissingSection(themes)
        self.role = RoleSection()
        self.class_row = ClassRow(themes)
        sections = (
            self.heading, self.kind, self.role, self.values, self.missing, self.class_row,
        )  # fmt: skip
        for section in sections:
            section.edit_requested.connect(self.edit_requested)
        self._arrange()
        # Nothing is cut off at the right, however large the type is.
        self.keep_at_least(344, themes)

    def _arrange(self) -> None:
        self._rule = line()
        self._inside = QWidget()
        self._column = layout = column(
            self.heading, self.kind, self.role, self._rule, self.values, line(), self.missing,
            line(), self.class_row, None,
            parent=self._inside, spacing=10, margin=14,
        )  # fmt: skip
        # The list of values takes what is left, as far as it needs it.
        layout.setStretchFactor(self.values, 1000)
        layout.setStretch(layout.count() - 1, 1)
        scroll = named(scroll_area(self._inside), "inspectorScroll")
        self.body.setContentsMargins(1, 1, 1, 1)
        self.body.addWidget(scroll, 1)

    @property
    def numbers(self) -> NumbersSection:
        """What is said of a number, made for the first of them: its chart takes a moment."""
        if self._numbers is None:
            self._numbers = NumbersSection(self._workbench)
            self._numbers.edit_requested.connect(self.edit_requested)
            self._column.insertWidget(self._column.indexOf(self.values) + 1, self._numbers)
        return self._numbers

    def set_view(self, view: DataView) -> None:
        selection = view.selection
        if selection is None:
            return
        is_categorical = selection.column.is_categorical
        self.values.setVisible(selection.is_single and is_categorical)
        if selection.is_single and not is_categorical:
            self.numbers.show()
        elif self._numbers is not None:
            self._numbers.hide()
        self._rule.setVisible(selection.is_single)
        if selection.is_single:
            (self.values if is_categorical else self.numbers).set_view(selection)
        for section in (self.heading, self.kind, self.missing, self.role, self.class_row):
            section.set_view(selection)
