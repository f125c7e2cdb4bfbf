"""Asking a question as one item of a list: its items, its arms and the column of its counts."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from ppworkbench.analyses.lists import (
    can_be_list,
    list_arms,
    list_title,
    proposed_list,
    with_list,
    without_list,
)
from ppworkbench.core.compliance.lists import exposed, independent_items
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.language import told_error
from ppworkbench.gui.numbers import percent
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.controls import Segmented
from ppworkbench.gui.widgets.layout import column, named, row, text
from ppworkbench.study.study import Study

SHORT, LONG, NONE = "short", "long", "none"


def list_at(study: Study, name: str) -> ListQuestion | None:
    """The list whose counts, or whose question, an attribute is."""
    return next((one for one in study.design.lists if name in (one.count, one.name)), None)


def can_ask_by_list(study: Study, name: str) -> bool:
    """Whether an attribute is a question that a list can ask, or the count of one."""
    if list_at(study, name) is not None:
        return True
    if name not in study.design or name in study.undistorted_columns:
        return False
    return can_be_list(study.design[name].attribute)


class ListDialog(QDialog):
    """Makes a list of a question with two answers, changes it, or takes it back."""

    made = Signal(object, str)
    """The changed study, and the attribute to be shown in it."""

    def __init__(self, themes: ThemeManager, study: Study, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Ask by a list"))
        self.setObjectName("listDialog")
        self._study = study
        self._before = list_at(study, name)
        before = self._before
        attribute = study.design[name].attribute if before is None else before.attribute
        self._attribute = attribute
        count, short, long = proposed_list(study, attribute.name)
        if before is not None:
            count, short, long = before.count, before.short, before.long
        shown = study.shown(name) if before is None else list_title(before, study)
        sensitive = (attribute.sensitive or attribute.values[-1:])[0]
        self.items = named(QPlainTextEdit(), "listItems", self.tr("Harmless items, one in a line"))
        self.items.setPlaceholderText(self.tr("One sentence in a line, for example: I have a car."))
        self.items.setPlainText("" if before is None else "\n".join(before.items))
        self.items.setMinimumHeight(themes.theme.px(110))
        self.items.setTabChangesFocus(True)
        self.items.textChanged.connect(self._advise)
        self.columns = named(QComboBox(), "listColumns", self.tr("Add a question of the data"))
        self.columns.addItem(self.tr("Add a question of the data…"), "")
        for one in study.attributes:
            if can_be_list(one) and one.name != attribute.name:
                self.columns.addItem(study.shown(one.name), one.name)
        self.columns.activated.connect(self._on_column)
        self.columns.setVisible(self.columns.count() > 1)
        self.arms: dict[str, Segmented] = {}
        grid = self._arm_rows(themes, short, long)
        self.count = named(QLineEdit(count), "listCount", self.tr("Column of the counts"))
        self.advice = named(text("", "captionHint", wrap=True), "listAdvice")
        self.problem = named(text("", "error", wrap=True), "listProblem")
        self.problem.hide()
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        if before is not None:
            self.remove = QPushButton(self.tr("Ask by itself again"))
            self.remove.setObjectName("removeList")
            self.remove.clicked.connect(self._on_remove)
            buttons.addButton(self.remove, QDialogButtonBox.ButtonRole.DestructiveRole)
        buttons.accepted.connect(self._on_accept)
        buttons.rejected.connect(self.reject)
        lead = self.tr(
            "People say only how many of the sentences are true for them. One part hears the "
            "harmless ones alone, the other also “%s: %s”; the difference of the mean counts is "
            "its share."
        )
        body = column(
            text(lead % (shown, sensitive), "secondary", wrap=True),
            text(self.tr("Harmless items, one in a line"), "label"), self.items,
            row(self.columns, None), self.advice,
            text(self.tr("Who hears which list"), "label"), grid,
            row(text(self.tr("Column of the counts"), "label"), self.count),
            self.problem, buttons, parent=self, margin=16, spacing=9,
        )  # fmt: skip
        body.addStrut(themes.theme.px(500))
        self._advise()

    def _arm_rows(
        self, themes: ThemeManager, short: tuple[str, ...], long: tuple[str, ...]
    ) -> QGridLayout:
        grid = QGridLayout()
        grid.setColumnStretch(2, 1)
        choices = [
            (SHORT, self.tr("short list")), (LONG, self.tr("long list")),
            (NONE, self.tr("no list")),
        ]  # fmt: skip
        for place, arm in enumerate(list_arms(self._study).names):
            hears = Segmented(themes, self.tr("List of the arm %s") % arm, choices)
            hears.setObjectName(f"listArm{place}")
            hears.set_current(SHORT if arm in short else LONG if arm in long else NONE)
            self.arms[arm] = hears
            grid.addWidget(text(arm, "body"), place, 0)
            grid.addWidget(hears, place, 1)
        return grid

    def _listed(self) -> tuple[str, ...]:
        lines = (line.strip() for line in self.items.toPlainText().splitlines())
        return tuple(line for line in lines if line)

    def _on_column(self) -> None:
        name = str(self.columns.currentData() or "")
        self.columns.setCurrentIndex(0)
        if name and name not in self._listed():
            self.items.appendPlainText(name)

    def _advise(self) -> None:
        """Say what makes a good list, and what this one gives away where the data tell it."""
        said = [
            self.tr(
                "Good lists have one rare and one common item, and two that exclude each other: "
                "then hardly anybody has all or none of them."
            )
        ]
        table, items = self._study.original, self._listed()
        if table is not None and items and all(item in table for item in items):
            shares = []
            for item in items:
                answers = table[item].data[~table[item].missing]
                shares.append(float((answers == 1).mean()) if len(answers) else 0.5)
            no, yes = exposed(0.5, independent_items(shares))
            none, every = percent(2 * no, 1), percent(2 * yes, 1)
            said.append(
                self.tr("If these items were independent, %s would have none and %s all of them.")
                % (none, every)
            )
        self.advice.setText(" ".join(said))

    def _on_accept(self) -> None:
        hear = {key: tuple(a for a, one in self.arms.items() if one.current == key)
                for key in (SHORT, LONG)}  # fmt: skip
        try:
            asked = ListQuestion(
                self._attribute, self.count.text().strip(), self._listed(), hear[SHORT], hear[LONG]
            )
            study = with_list(self._study, asked)
        except WorkbenchError as error:
            self.problem.setText(told_error(error, self._study))
            self.problem.show()
            return
        self.made.emit(study, asked.count)
        self.accept()

    def _on_remove(self) -> None:
        if self._before is not None:
            self.made.emit(without_list(self._study, self._before.name), self._before.name)
            self.accept()
