"""One coin for several questions: making and changing a group."""

from __future__ import annotations

import dataclasses

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLayout, QRadioButton, QWidget

from ppworkbench.core.design import Group, Identity
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.language import told_error
from ppworkbench.gui.theme import Theme
from ppworkbench.gui.widgets.layout import column, text
from ppworkbench.gui.widgets.number_fields import SliderRow
from ppworkbench.study.study import Study


def grouped_study(study: Study, names: tuple[str, ...], manner: str, theta: float) -> Study:
    """The study with these attributes under one coin; an error says why they cannot be."""
    group = Group(names, manner, theta)
    free = study.without_groups_of(names)
    listed = tuple(
        dataclasses.replace(d, perturbation=Identity()) if d.name in names else d
        for d in free.design
    )
    design = dataclasses.replace(
        free.design, attributes=listed, groups=(*free.design.groups, group)
    )
    return free.with_(design=design)


class GroupDialog(QDialog):
    """The model and the probability of the truth, shared by all attributes of the group."""

    grouped = Signal(object)
    """The study with the group."""

    def __init__(self, theme: Theme, study: Study, names: tuple[str, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Group of questions"))
        self._study, self._names = study, names
        existing = study.design.group_of(names[0])
        self.unrelated = QRadioButton(
            self.tr("Unrelated: otherwise all answers are to harmless questions")
        )
        self.related = QRadioButton(self.tr("Related: otherwise all answers are reversed (yes/no)"))
        for button, name in ((self.unrelated, "groupUnrelated"), (self.related, "groupRelated")):
            button.setObjectName(name)
        is_related = existing is not None and existing.type == "related"
        (self.related if is_related else self.unrelated).setChecked(True)
        self.theta = SliderRow(
            self.tr("Truth probability"), 0.0, 1.0, is_share=True,
            ends=(self.tr("more private"), self.tr("more accurate")),
        )  # fmt: skip
        self.theta.set_names("groupTheta")
        self.theta.set_value(existing.theta if existing is not None else 0.7)
        self.problem = text("", "error", wrap=True)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self._on_accept)
        buttons.rejected.connect(self.reject)
        listed = ", ".join(map(study.shown, names))
        advice = self.tr(
            "One random draw per respondent decides for all of them: %s. Their "
            "association is estimated more precisely; separate draws protect more."
        )
        layout = column(
            text(advice % listed, "secondary", wrap=True), self.unrelated, self.related,
            self.theta, self.problem, buttons, parent=self, margin=16, spacing=10,
        )  # fmt: skip
        layout.addStrut(theme.px(448))
        # On a small screen Qt would grant less width, and the height of lines that are longer.
        layout.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)

    def _on_accept(self) -> None:
        manner = "related" if self.related.isChecked() else "unrelated"
        try:
            study = grouped_study(self._study, self._names, manner, self.theta.value)
        except WorkbenchError as error:
            self.problem.setText(told_error(error, self._study))
            return
        self.grouped.emit(study)
        self.accept()
