"""About the program: its versions, its licence, how to cite it, and the papers behind it."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QLabel,
    QWidget,
)

from ppworkbench.gui.dialogs import resize_dialog
from ppworkbench.gui.language import translate
from ppworkbench.gui.widgets.controls import Button, IconLabel
from ppworkbench.gui.widgets.layout import column, line, named, row, scroll_area, text
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.about import PAPERS, Paper, how_to_cite, versions
from ppworkbench.version import __version__


class AboutDialog(QDialog):
    """Name and versions at the left, licence, citation and papers at the right."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("About ppworkbench"))
        self.setObjectName("aboutDialog")
        self._themes = workbench.themes
        self._versions = versions({"Qt": str(qVersion())})
        close = named(Button(self._themes, self.tr("Close"), look="primary"), "aboutClose")
        close.setDefault(True)
        close.clicked.connect(self.accept)
        middle = row(self._made_of(), self._owes(), spacing=16, stretch=1)
        column(
            self._heading(), middle, row(None, close), parent=self, spacing=16, margin=20, stretch=1
        )
        resize_dialog(self, 860, 580)

    def _heading(self) -> QWidget:
        holder = QWidget()
        says = column(
            text(f"ppworkbench {__version__}", "title"),
            text(
                self.tr("Design and analyse randomised surveys."),
                "secondary", wrap=True,
            ),
            text(self.tr("It works offline; nothing leaves this computer."), "hint", wrap=True),
            spacing=2,
        )  # fmt: skip
        row(IconLabel(self._themes, "app", "accent", 52), says, parent=holder, spacing=16)
        return holder

    def _made_of(self) -> QFrame:
        card, made_of = _card(), QWidget()
        area = scroll_area(made_of)
        grid = QGridLayout(made_of)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(6)
        for place, (name, version) in enumerate(self._versions.items()):
            grid.addWidget(text(name, "secondary"), place, 0)
            shown = text(version, wrap=True, selectable=True)
            grid.addWidget(shown, place, 1)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(len(self._versions), 1)
        self.copy_versions = Button(self._themes, self.tr("Copy versions"), "copy")
        self.copy_versions.setObjectName("aboutCopyVersions")
        self.copy_versions.clicked.connect(self._on_copy_versions)
        column(
            text(self.tr("Versions"), "strong"), area, self.copy_versions,
            parent=card, spacing=10, margin=14,
        ).setStretch(1, 1)  # fmt: skip
        area.setObjectName("aboutVersions")
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        area.setAccessibleName(self.tr("Versions"))
        card.setFixedWidth(self._themes.theme.px(280))
        return card

    def _owes(self) -> QFrame:
        card = _card()
        self.copy_citation = Button(self._themes, self.tr("Copy"), "copy", "link")
        self.copy_citation.setObjectName("aboutCopyCitation")
        self.copy_citation.setAccessibleName(self.tr("Copy citation"))
        self.copy_citation.clicked.connect(self._on_copy_citation)
        licence = self.tr(
            "Free software under the MIT licence: use, change and share it. No warranty."
        )
        said = QWidget()
        # Filled afterwards it is not measured before it has its type.
        area = scroll_area(said)
        column(
            text(self.tr("Licence"), "strong"),
            text(licence, "secondary", wrap=True),
            line(),
            row(text(self.tr("How to cite"), "strong"), None, self.copy_citation),
            text(how_to_cite(), wrap=True, selectable=True),
            text(
                self.tr("Please also cite the papers of the methods you use; the help names them."),
                "hint", wrap=True,
            ),
            line(),
            text(self.tr("Papers"), "strong"),
            self._papers(),
            None,
            parent=said, spacing=8,
        )  # fmt: skip
        said.layout().setContentsMargins(14, 14, 14, 14)
        area.setObjectName("aboutPapers")
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        area.setAccessibleName(self.tr("Licence, citation and papers"))
        column(area, parent=card, margin=1)
        return card

    def _papers(self) -> QLabel:
        """All of them in one label: many that wrap and can be selected take long to be laid out."""
        listed = "".join(self._paper(paper) for paper in PAPERS)
        papers = text(listed, wrap=True, selectable=True)
        papers.setTextFormat(Qt.TextFormat.RichText)
        return papers

    def _paper(self, paper: Paper) -> str:
        theme = self._themes.theme
        look = f"color: {theme.hex('text3')}; font-size: {theme.font('caption').pixelSize()}px;"
        used = self.tr("Used for: %s.") % translate(paper.used_for)
        return (
            f"<p style='margin: 0 0 8px 0'>{escape(paper.citation, quote=False)}<br>"
            f"<span style='{look}'>{escape(used, quote=False)}</span></p>"
        )

    def _on_copy_versions(self) -> None:
        lines = [f"{name} {version}" for name, version in self._versions.items()]
        self._copy(self.copy_versions, "\n".join(lines))

    def _on_copy_citation(self) -> None:
        self._copy(self.copy_citation, how_to_cite())

    def _copy(self, button: Button, words: str) -> None:
        QGuiApplication.clipboard().setText(words)
        button.setText(self.tr("Copied"))


def _card() -> QFrame:
    card = QFrame()
    card.setProperty("look", "card")
    return card
