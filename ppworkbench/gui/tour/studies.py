"""What stops share: the studies that they open, the page in front, and waiting for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QDialog

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Uniform
from ppworkbench.core.design.starting import EPSILON_EACH
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.study.study import Study

Arrange = Callable[[MainWindow], None]
P = TypeVar("P", bound=Page)


def city_study() -> Study:
    """The sample that most stops show."""
    return Study.of_table(load_sample("city-survey"), "city-survey", EPSILON_EACH)


def open_city(window: MainWindow) -> None:
    """Open the sample, unless it is open."""
    if window.store.study.title != "city-survey":
        window.store.open(city_study())


def with_study(arrange: Arrange) -> Arrange:
    """Open the sample before something else."""

    def open_first(window: MainWindow) -> None:
        open_city(window)
        arrange(window)

    return open_first


def page_named(window: MainWindow, kind: type[P]) -> P:
    """A page of the window, by its class."""
    page = window.page(kind.name)
    assert isinstance(page, kind)  # noqa: S101 (made under this name)
    return page


_ROLES = Sampling("pw", ("district",), "psu")


def open_sample(window: MainWindow, page: str, roles: Sampling = _ROLES) -> None:
    """A part of the city survey as if people had been drawn by district and by streets."""
    part = load_sample("city-survey").take(slice(0, 1_200))
    place = np.arange(part.rows)
    weights = 20.0 + 8.0 * part["district"].data + place % 5
    weight = Column(Attribute("pw", Kind.CONTINUOUS, domain=(0, 100)), weights)
    street = Column(Attribute("psu", Kind.INTEGER, domain=(0, 99)), 1.0 * (place % 60))
    table = Table((*part.columns, weight, street), part.class_name)
    study = Study.of_table(table, "city-survey, sampled", EPSILON_EACH).with_sampling(roles)
    window.store.open(study.with_perturbations({"fare_evasion": Uniform(keep=0.8)}))
    window.show_page(page)


def close_dialogs(window: MainWindow) -> None:
    """Close whatever is open."""
    dialogs: Iterable[QDialog] = window.findChildren(QDialog)
    for dialog in dialogs:
        dialog.reject()
        dialog.deleteLater()


_SETTLED = 0.35
"""Seconds without a job after which a page has nothing more to draw."""
LONGEST_WAIT = 60.0
_ROUNDS = 6


def wait_until(window: MainWindow) -> None:
    """Let jobs end and their results be shown."""
    QApplication.processEvents()
    while not window.workbench.jobs.is_idle:
        QApplication.processEvents()
    for _ in range(5):
        QApplication.processEvents()


def settle(window: MainWindow, *, busy: bool = False, quiet: float = _SETTLED) -> None:
    """Let the window work until nothing moves any more; a busy stop has a job that stays."""
    limit = time.monotonic() + LONGEST_WAIT
    quiet_since = time.monotonic()
    while time.monotonic() < limit and time.monotonic() - quiet_since < quiet:
        QApplication.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        is_working = not busy and not window.workbench.jobs.is_idle
        if is_working:
            quiet_since = time.monotonic()
        time.sleep(0.005)
    # What changed last asks for another place, and what is around it for its own.
    for _ in range(_ROUNDS):
        QApplication.processEvents()
