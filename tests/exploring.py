"""Small studies and ways to wait, for the tests of the Explore page."""

from __future__ import annotations

import numpy as np
from designs import classic_study
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from window_hands import add_widget, is_waiting, picture, pixels

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Identity, Retention, Uniform
from ppworkbench.gui.charts.curves import CurvePlot
from ppworkbench.gui.pages.explore import ExplorePage
from ppworkbench.study.study import Study

PEOPLE = 600


def small_table(people: int = PEOPLE) -> Table:
    """A few attributes of every kind that matters here."""
    draw = np.random.default_rng(5)
    town = Attribute("town", Kind.NOMINAL, ("Ash", "Beech", "Cedar", "Oak"))
    vote = Attribute("vote", Kind.BINARY, ("yes", "no"))
    pay = Attribute("pay", Kind.CONTINUOUS, domain=(0.0, 100.0), label="Pay an hour?")
    age = Attribute("age", Kind.INTEGER, domain=(18, 60))
    only = Attribute("only", Kind.NOMINAL, ("same",))
    gone = Attribute("gone", Kind.ORDINAL, ("low", "middle", "high"))
    known = Attribute("known", Kind.BINARY, ("yes", "no"))
    return Table(
        (
            Column(town, draw.choice(4, people, p=(0.5, 0.3, 0.15, 0.05))),
            Column(vote, draw.choice(2, people, p=(0.3, 0.7))),
            Column(pay, np.clip(draw.normal(40, 12, people), 0, 100)),
            Column(age, draw.integers(18, 61, people).astype(float)),
            Column(only, np.zeros(people, int)),
            Column(gone, np.full(people, -1)),
            Column(known, draw.choice(2, people)),
        )
    )


def small_study(people: int = PEOPLE) -> Study:
    """The small table under a design in which one attribute is not distorted."""
    study = classic_study(small_table(people), "small")
    return study.with_perturbations(
        {
            "town": Uniform(keep=0.6),
            "vote": Uniform(keep=0.8),
            "pay": Additive(noise="normal", sigma=10.0),
            "age": Retention(keep=0.5),
            "known": Identity(),
        }
    )


def make_page(qtbot, workbench, study: Study) -> ExplorePage:
    """The page, shown, on a study."""
    workbench.store.open(study)
    page = ExplorePage(workbench)
    add_widget(qtbot, page)
    page.resize(1290, 660)
    page.show()
    page.shown()
    return page


def settle(qtbot, page: ExplorePage) -> None:
    """Wait until nothing is asked for and nothing is under way."""

    def is_quiet() -> bool:
        return not is_waiting(page) and page.workbench.jobs.is_idle

    qtbot.waitUntil(is_quiet)


def seen_iteration(plot: CurvePlot) -> float:
    """The iteration at which the cursor is drawn; a pixel is some per cent of it."""
    ink = QColor(plot.themes.theme.colour("accentInk"))
    shown = pixels(picture(plot.viewport()))
    parts = [(shown >> shift & 255).astype(int) for shift in (16, 8, 0)]
    far = sum(abs(part - own) for part, own in zip(parts, ink.getRgb(), strict=False))
    # The dashed line is thin and its colour mixed with the ground, but nothing has more of it.
    columns = np.clip(1 - far / 300, 0, 1).sum(axis=0)
    # The frame of a plot that has the focus is of that colour, too.
    columns[:4] = columns[-4:] = 0.0
    around = slice(max(int(columns.argmax()) - 1, 0), int(columns.argmax()) + 2)
    x = float(np.average(np.arange(len(columns))[around], weights=columns[around])) + 0.5
    start, end = (plot.mapToScene(at, 0) for at in (0, 100))
    scene = start.x() + (end.x() - start.x()) * x / 100
    return float(10 ** plot.getPlotItem().getViewBox().mapSceneToView(QPointF(scene, 0)).x())


def select(qtbot, page: ExplorePage, name: str) -> None:
    """Explore another attribute."""
    page.store.select([name])
    settle(qtbot, page)


def iterate(qtbot, page: ExplorePage) -> None:
    """Compare EM and AS, which iterate, in the place of the smoothed estimate of numbers."""
    rows = page.settings_card.methods.rows
    for box in (rows["em"].check, rows["em"].radio, rows["as"].check, rows["smooth"].check):
        box.click()
    settle(qtbot, page)


def shown_shares(page: ExplorePage, role: str) -> np.ndarray:
    """The shares that the picture shows in a role."""
    whole = page.picture.plot._shown
    return next(s.share for s in whole.series if s.role == role)


def offered(page: ExplorePage) -> list[str]:
    """The attributes to choose from."""
    box = page.settings_card.attribute
    return [box.itemData(i) for i in range(box.count())]
