"""What the survey says about itself: author, distributor, who was asked and how."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from ppworkbench.core.params import declarations
from ppworkbench.gui.dialogs import resize_dialog
from ppworkbench.gui.language import translate
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.layout import column, named, text
from ppworkbench.study.description import SurveyDescription

_LONG = frozenset({"abstract"})
"""Fields of several lines."""


class DescriptionDialog(QDialog):
    """One field for everything that catalogues ask for; empty ones stay empty."""

    described = Signal(object)
    """The description as it was confirmed."""

    def __init__(self, themes: ThemeManager, now: SurveyDescription, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("About the survey"))
        self.setObjectName("descriptionDialog")
        self.fields: dict[str, QLineEdit | QPlainTextEdit] = {}
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        for place, one in enumerate(declarations(SurveyDescription)):
            label, hint = translate(one.info.label), translate(one.info.help)
            field = self._field(themes, one.name, getattr(now, one.name), hint)
            named(field, f"survey-{one.name}", label)
            caption = text(label, "label")
            caption.setBuddy(field)
            side = Qt.AlignmentFlag.AlignTop if one.name in _LONG else Qt.AlignmentFlag.AlignVCenter
            grid.addWidget(caption, place, 0, side)
            grid.addWidget(field, place, 1)
            self.fields[one.name] = field
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self._on_accept)
        buttons.rejected.connect(self.reject)
        lead = self.tr(
            "Archives and readers ask for this. It goes into the DDI file, the data package and "
            "the report of a release; empty fields are left out."
        )
        column(
            text(lead, "secondary", wrap=True), grid, None, buttons,
            parent=self, margin=16, spacing=12,
        )  # fmt: skip
        resize_dialog(self, 560, 420)

    def _field(
        self, themes: ThemeManager, name: str, value: str, hint: str
    ) -> QLineEdit | QPlainTextEdit:
        if name not in _LONG:
            line = QLineEdit(value)
            line.setPlaceholderText(hint)
            return line
        area = QPlainTextEdit(value)
        area.setPlaceholderText(hint)
        area.setTabChangesFocus(True)
        area.setFixedHeight(themes.theme.px(84))
        theme = themes.theme
        edge = f"border: 1px solid {theme.hex('outline')}; border-radius: 6px; padding: 2px;"
        ground = f"background: {theme.hex('surface')};"
        # A frame without an edge of its own would not be seen on the ground of a dialog.
        set_rules(area, f"QPlainTextEdit {{ {edge} {ground} }}")
        return area

    @property
    def description(self) -> SurveyDescription:
        """What the fields say."""
        typed = {
            name: field.text() if isinstance(field, QLineEdit) else field.toPlainText()
            for name, field in self.fields.items()
        }
        return SurveyDescription.from_json({name: said.strip() for name, said in typed.items()})

    def _on_accept(self) -> None:
        self.described.emit(self.description)
        self.accept()
