"""Copying and exporting what the page shows."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject

from ppworkbench.core.atomic import atomic_file
from ppworkbench.core.data.escapes import escape_formula
from ppworkbench.core.progress import Progress
from ppworkbench.gui.clipboard import copy_rows
from ppworkbench.gui.dialogs import save_file
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.mine.export import write_csv, write_json
from ppworkbench.gui.pages.mine.listing_view import MOST_COPIED
from ppworkbench.gui.pages.mine.run import Run
from ppworkbench.gui.pages.mine.runs_model import MEASURES, run_details, run_title, value_of
from ppworkbench.gui.pages.mine.table_card import RULES, RUNS
from ppworkbench.gui.words import number

if TYPE_CHECKING:
    from ppworkbench.gui.pages.mine.page import MinePage


class Exporting(QObject):
    """Belongs to the page."""

    def __init__(self, page: MinePage) -> None:
        super().__init__(page)
        self._page = page

    def update_actions(self) -> None:
        """Offer what can be done."""
        page = self._page
        reason = "" if self._has_rows() else tr("There is nothing to export yet; mine first.")
        for action in (page.copy_action, page.export_action):
            action.setEnabled(not reason)
        page.copy_action.setToolTip(reason or tr("Copy the selected rows, or all of them"))
        page.export_action.setToolTip(
            reason or tr("Write the table as CSV, or the whole run as JSON")
        )

    def _has_rows(self) -> bool:
        page = self._page
        if page.viewing.view == RUNS:
            return bool(page.mining.runs)
        listing = page.listing(page.viewing.view)
        return listing is not None and listing.rows > 0

    def copy(self) -> None:
        """Copy the selected rows of the table that is looked at, or all that are shown."""
        page, view = self._page, self._page.viewing.view
        if view == RUNS:
            rows = run_rows(page.mining.runs)
            copy_rows(rows)
            count = len(rows) - 1
        else:
            count = page.table_card.listing_view(view).copy()
        words = tr("Copied %s rows.") % number(count)
        if count == MOST_COPIED:
            words = tr("Copied the first %s rows; export the table to have all.") % number(count)
        page.workbench.toast_requested.emit(words, False)

    def ask(self) -> None:
        """Ask for a file and write it."""
        page = self._page
        folder = Path(str(page.workbench.settings.value("files/folder", "")))
        kind = {RUNS: "runs", RULES: "rules"}.get(page.viewing.view, "itemsets")
        name = str(folder / f"{page.store.study.title}-{kind}.csv")
        kinds = tr("Table (*.csv);;Whole run (*.json)")
        if page.viewing.view == RUNS:
            kinds = tr("Table (*.csv)")
        words = tr("Export", "title")
        save_file(page, words, name, kinds, self._writer())

    def write(self, path: Path) -> None:
        """Write what is looked at in the background: by the suffix the table or the whole run."""
        self._writer()(path)

    def _writer(self) -> Callable[[Path], None]:
        """What writes the table that is looked at now: another study may be open by then."""
        page, view = self._page, self._page.viewing.view
        runs, run, listing = page.mining.runs, page.mining.current, page.listing(view)
        model = page.table_card.rule_model if view == RULES else page.table_card.set_model
        order = model.order if listing is not None and model.listing is listing else None

        def write(path: Path) -> None:
            def work(progress: Progress) -> int:
                if view == RUNS:
                    return write_runs(runs, path)
                if run is None or listing is None:
                    return 0
                if path.suffix.lower() == ".json":
                    return write_json(run, path, progress)
                rows = np.arange(listing.rows) if order is None else order
                return write_csv(listing, rows, run.names, path, progress)

            self._start(path, work)

        return write

    def _start(self, path: Path, work: Callable[[Progress], int]) -> None:
        page = self._page

        def done(count: int) -> None:
            words = tr("%s written, %s rows.") % (path.name, number(count))
            page.workbench.toast_requested.emit(words, False)

        job = page.workbench.run(tr("Exporting %s") % path.name, work, done)
        job.outlives_study = True


def run_rows(runs: tuple[Run, ...]) -> list[list[str]]:
    """The comparison of the runs as a table, every measure at every size."""
    longest = max((max(len(run.found), len(run.errors)) for run in runs), default=0)
    sizes = range(1, longest + 1)
    head = ["run", "settings", "found", "rules", "seconds"]
    head += [f"{measure} {size}" for measure in MEASURES for size in sizes]
    rows = [head]
    for run in runs:
        own = [run_title(run), run_details(run), str(run.total), str(run.rule_count)]
        own.append(f"{run.seconds:.4g}")
        values = [value_of(run, measure, size) for measure in MEASURES for size in sizes]
        rows.append([*own, *("" if np.isnan(value) else f"{value:.6g}" for value in values)])
    return rows


def write_runs(runs: tuple[Run, ...], path: Path) -> int:
    """Write the comparison of the runs."""
    with atomic_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([escape_formula(c) for c in row] for row in run_rows(runs))
    return len(runs)
