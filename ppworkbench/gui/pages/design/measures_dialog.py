"""Every measure of every attribute with its sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtGui import QShowEvent, QTextCursor
from PySide6.QtWidgets import QDialog, QTextBrowser, QWidget

from ppworkbench.core.privacy.reading import Reading
from ppworkbench.core.privacy.report import QuestionnaireReport
from ppworkbench.gui.gentle import gently
from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.dialog_size import open_at
from ppworkbench.gui.widgets.layouts import column


class MeasuresDialog(QDialog):
    """Begins with the whole questionnaire; the attributes follow while it is read already."""

    def __init__(self, report: QuestionnaireReport, parent: QWidget) -> None:
        super().__init__(parent)
        self._report = report
        self.setWindowTitle(self.tr("All measures"))
        self.text = QTextBrowser()
        self.text.setObjectName("allMeasuresText")
        self.text.setAccessibleName(self.tr("All measures"))
        whole = _section(self.tr("Whole questionnaire"), report.readings, report.warnings)
        self.text.setHtml(whole)
        self._rest = gently(self._add_attributes())
        self._more = single_shot(self, self._go_on)
        card = Card(padding=8)
        card.add(self.text, 1)
        column(card, parent=self, margin=14)
        open_at(self, 900, 620)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Begin to add the attributes."""
        super().showEvent(event)
        self._more.start()

    def _go_on(self) -> None:
        if next(self._rest, self) is not self:
            self._more.start()

    def _add_attributes(self) -> Iterator[None]:
        # Not at the reader's own cursor, which would lead the view to the end.
        end = QTextCursor(self.text.document())
        for one in self._report.attributes:
            end.movePosition(QTextCursor.MoveOperation.End)
            end.insertBlock()
            readings = (*one.privacy, *one.utility.readings)
            end.insertHtml(_section(one.name, readings, one.warnings))
            yield


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
