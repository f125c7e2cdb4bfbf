"""The page Collect as a tour shows it: before anybody is asked, and while answers arrive."""

from __future__ import annotations

import datetime as dt
import hashlib
import time
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from PySide6.QtWidgets import QApplication

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.design.design_file import design_digest
from ppworkbench.core.files import make_temporary_folder
from ppworkbench.fieldwork.collector.control import (
    open_store,
    start_collection,
    start_server,
    stop_server,
)
from ppworkbench.fieldwork.collector.rows import RowCodec
from ppworkbench.fieldwork.collector.store import Submission
from ppworkbench.gui.collecting import RESULTS, StartRequest
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.pages.collect import CollectPage
from ppworkbench.gui.pages.collect.collection import ClosingDialog
from ppworkbench.gui.pages.collect.page import ESTIMATE, MONITORING
from ppworkbench.gui.tour.studies import LONGEST_WAIT, page_named, settle
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.study.study import PriorChoice, Study

_TICKET = Attribute(
    "ticket", Kind.BINARY, ("no", "yes"), title="Rode without a ticket", sensitive=("yes",)
)
_DISTRICT = Attribute("district", Kind.NOMINAL, ("Old Town", "Harbour", "Riverside", "Hillcrest"))
_AGE = Attribute("age group", Kind.ORDINAL, ("18-29", "30-49", "50 and over"))
_PER_DAY = (12, 21, 26, 34, 19, 17, 14)


def asked_study() -> Study:
    """Three questions that nobody has answered yet."""
    design = Design(
        (
            DesignedAttribute(_TICKET, Uniform(keep=0.75)),
            DesignedAttribute(_DISTRICT, Uniform(keep=0.625)),
            DesignedAttribute(_AGE, Uniform(keep=0.8)),
        )
    )
    drawn = {"ticket": PriorChoice("drawn", (0.8, 0.2))}
    study = Study("City survey", design=design, choices=MappingProxyType(drawn))
    return study.with_(
        settings=replace(study.settings, respondents=900),
        goals=MappingProxyType({"points": 5.0}),
    )


def show_nobody_asked(window: MainWindow) -> None:
    """All ways out of a questionnaire without answers."""
    window.store.forget_changes()
    window.store.open(asked_study())
    window.show_page("collect")


def show_collecting(window: MainWindow) -> None:
    """A running collector, some days on."""
    study = asked_study()
    window.store.forget_changes()
    folder = window.workbench.folder or make_temporary_folder()
    place = str(folder / f"answers-{time.monotonic_ns()}.sqlite")
    start_collection(place, study.design).disconnect()
    start_server(place, ["--port", "0"])
    request = StartRequest(place)
    window.store.open(study.with_results(RESULTS, request.to_json()))
    window.show_page("collect")
    page = page_named(window, CollectPage)
    page.view.choose(ESTIMATE)
    _await(window, 0)
    random = np.random.default_rng(17)
    arrived = 0
    for place_, count in enumerate(_PER_DAY):
        day = dt.date(2026, 11, 9) + dt.timedelta(days=place_)
        _send(study, place, _rows(random, count), day.isoformat(), arrived)
        arrived += count
        window.collecting.look()
        _await(window, arrived // 10 * 10)


def _rows(random: np.random.Generator, count: int) -> list[dict[str, str]]:
    """What people report: the truth is not needed for a picture."""
    shares = {"ticket": (0.64, 0.36), "district": (0.3, 0.25, 0.25, 0.2), "age group": (0.3,) * 2}
    rows = []
    for _ in range(count):
        row = {}
        for attribute in (_TICKET, _DISTRICT, _AGE):
            chances = np.array([*shares[attribute.name], 1.0])[: len(attribute.values)]
            chances[-1] = 1 - chances[:-1].sum()
            row[attribute.name] = str(random.choice(attribute.values, p=chances))
        rows.append(row)
    return rows


def _send(study: Study, place: str, rows: list[dict[str, str]], day: str, first: int) -> None:
    """Store rows of a past day, which no page could send."""
    codec, digest = RowCodec(study.design), design_digest(study.design)
    store = open_store(place)
    ids = (hashlib.sha256(str(first + at).encode()).digest()[:16] for at in range(len(rows)))
    batch = [
        Submission(one, digest, codec.encode(row) or "") for one, row in zip(ids, rows, strict=True)
    ]
    store.write(batch, day)
    store.close()


def _await(window: MainWindow, shown: int) -> None:
    """Wait until the page shows so many answers."""
    limit = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < limit:
        QApplication.processEvents()
        seen = window.collecting.seen
        if seen is not None and seen.status.shown >= shown and seen.status.address is not None:
            return
        window.collecting.look()
        time.sleep(0.02)


def show_monitoring(window: MainWindow) -> None:
    """Reported answers beside what the design would give."""
    page = page_named(window, CollectPage)
    page.view.choose(MONITORING)
    settle(window)


def show_closing(window: MainWindow) -> None:
    """When the collection closes by itself, asked over the estimate."""
    page = page_named(window, CollectPage)
    page.view.choose(ESTIMATE)
    show_dialog(ClosingDialog(page.themes, "2030-05-03T18:00", window), page.themes)


def show_stopped(window: MainWindow) -> None:
    """An open collection whose collector has ended."""
    window.collecting.stop()
    limit = time.monotonic() + LONGEST_WAIT
    while window.collecting.is_served and time.monotonic() < limit:
        QApplication.processEvents()
        time.sleep(0.02)


def leave_collecting(window: MainWindow) -> None:
    """End the collector; its database goes with the folder of the tour."""
    request = window.collecting.request
    window.store.forget_changes()
    window.store.open(Study())
    if request is not None:
        stop_server(request.database)
