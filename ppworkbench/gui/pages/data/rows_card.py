"""The lower card of the Data page: the records themselves."""

from __future__ import annotations

from ppworkbench.gui.pages.data.rows_model import RowsModel
from ppworkbench.gui.pages.data.rows_view import RowsView
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.layouts import text
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.gui.words import number
from ppworkbench.gui.workbench import Workbench


class RowsCard(Card):
    """A title that tells which rows are seen, labels or codes, and the grid."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(padding=0)
        self._store = workbench.store
        self.heading = text(self.tr("First rows"), "strong")
        self.hint = text("", "captionHint")
        self.shown_as = Segmented(
            workbench.themes,
            self.tr("Show answers as"),
            [("labels", self.tr("Labels")), ("codes", self.tr("Codes"))],
        )
        self.shown_as.setObjectName("labelsOrCodes")
        self.model = RowsModel(self)
        self.view = RowsView(workbench.themes, self.model)
        self.head.setContentsMargins(14, 8, 14, 8)
        self.head.addWidget(self.heading)
        self.head.addWidget(self.hint)
        self.head.addStretch(1)
        self.head.addWidget(self.shown_as)
        self.body.setContentsMargins(1, 1, 1, 6)
        self.body.setSpacing(0)
        self.body.addLayout(self.head)
        self.body.addWidget(self.view, 1)
        self.shown_as.chosen.connect(lambda key: self.model.show_codes(key == "codes"))
        self.view.head.sectionClicked.connect(self._on_name_clicked)
        self.view.verticalScrollBar().valueChanged.connect(self._tell_rows)
        self.view.verticalScrollBar().rangeChanged.connect(self._tell_rows)
        self._store.data_changed.connect(self.refresh)
        self._store.selection_changed.connect(self._mark)
        self.refresh()

    def refresh(self) -> None:
        """Show the table as it is now."""
        table = self._store.study.table
        self.model.show_table(table)
        has_codes = table is not None and any(a.codes or a.missing_codes for a in table.attributes)
        reason = self.tr("The file holds no codes, only the answers themselves.")
        self.shown_as.set_disabled({} if has_codes else {"codes": reason})
        if not has_codes:
            self.shown_as.set_current("labels")
            self.model.show_codes(False)
        self._mark()
        self._tell_rows()

    def _mark(self) -> None:
        self.view.mark(self.model.places(self._store.selected))
        for place in self.model.places(self._store.selected[:1]):
            self.view.show_column(place)

    def _tell_rows(self) -> None:
        first, last = self.view.visible_rows()
        rows = self.model.rowCount()
        if not rows:
            self.hint.setText(self.tr("there are no records"))
        elif (first, last) == (1, rows):
            self.hint.setText(self.tr("all %s rows") % number(rows))
        else:
            parts = (number(first), number(last), number(rows))
            self.hint.setText(self.tr("rows %s–%s of %s; scroll for the rest") % parts)

    def _on_name_clicked(self, place: int) -> None:
        table = self._store.study.table
        if table is not None:
            self._store.select([table.columns[place].name])
