"""Every measure of every attribute with its sentence."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QDialog, QTextBrowser, QWidget

from ppworkbench.core.privacy.reading import Reading
from ppworkbench.core.privacy.report import QuestionnaireReport
from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.dialog_size import open_at
from ppworkbench.gui.widgets.layouts import column


class MeasuresDialog(QDialog):
    """Begins with the whole questionnaire; the attributes follow."""

    def __init__(self, report: QuestionnaireReport, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("All measures"))
        self.text = QTextBrowser()
        self.text.setObjectName("allMeasuresText")
        self.text.setAccessibleName(self.tr("All measures"))
        sections = [_section(self.tr("Whole questionnaire"), report.readings, report.warnings)]
        sections += [
            _section(one.name, (*one.privacy, *one.utility.readings), one.warnings)
            for one in report.attributes
        ]
        self.text.setHtml("".join(sections))
        card = Card(padding=8)
        card.add(self.text, 1)
        column(card, parent=self, margin=14)
        open_at(self, 900, 620)


def _section(title: str, readings: Iterable[Reading], warnings: tuple[str, ...]) -> str:
    rows = "".join(
        f"<tr><td style='padding-right:14px'>{_escaped(tr(reading.label, 'measure'))}</td>"
        f"<td align='right' style='padding-right:14px'><b>{_escaped(told(reading.text))}</b></td>"
        f"<td>{_escaped(told(reading.sentence))}</td></tr>"
        for reading in readings
    )
    said = "".join(f"<p>⚠ {_escaped(told(warning))}</p>" for warning in warnings)
    return f"<h3>{_escaped(title)}</h3><table cellpadding='3'>{rows}</table>{said}"


def _escaped(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;")
