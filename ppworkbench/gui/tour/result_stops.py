"""The pages Mine and Publish as a tour shows them."""

from __future__ import annotations

from dataclasses import replace

from ppworkbench.core.design import Uniform
from ppworkbench.core.publish import CurveOptions
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.pages.mine import MinePage
from ppworkbench.gui.pages.publish import PublishPage
from ppworkbench.gui.pages.publish.bundle_dialog import ReleaseDialog
from ppworkbench.gui.tour.studies import open_sample, page_named, wait_until
from ppworkbench.gui.window.main_window import MainWindow

_ASKED = ("sex", "home", "car", "fare_evasion", "cash_in_hand", "drug_use", "drink_driving")


def show_sets(window: MainWindow) -> None:
    """Itemsets of a survey, one of them chosen."""
    window.store.set_perturbations(dict.fromkeys(_ASKED, Uniform(keep=0.8)))
    page = _mine_page(window)
    items = tuple(item for item in page.offer.usual if item.attribute in _ASKED)
    page.choose(replace(page.settings.with_items(items), min_support=0.05))
    page.ask()
    wait_until(window)
    page.results.sets.selectRow(4)


def show_rules(window: MainWindow) -> None:
    """Rules between the same items."""
    page = _mine_page(window)
    page.look_at(replace(page.state, view="rules"))


def show_runs(window: MainWindow) -> None:
    """Three methods side by side."""
    page = _mine_page(window)
    for method in ("mask", "mmask"):
        page.choose(replace(page.settings, method=method))
        page.ask()
        wait_until(window)
    page.look_at(replace(page.state, view="runs"))


def _mine_page(window: MainWindow) -> MinePage:
    window.show_page("mine")
    wait_until(window)
    return page_named(window, MinePage)


_FEW = CurveOptions(minimums=(0.01, 0.1, 0.2, 0.4, 0.6), folds=2, most_people=1_500)
"""Enough for a picture, and soon over."""
_SPLITS = ("district", "age", "sex", "education", "home", "income")


def show_deniable(window: MainWindow) -> None:
    """Groups of a sensitive question, and what accuracy they leave."""
    page = _publish_page(window)
    page.settings_card.sensitive.chosen.emit("fare_evasion")
    table = window.store.study.original
    assert table is not None  # noqa: S101 (the tour opens a survey with answers)
    for name in table.names:
        if name not in (*_SPLITS, "fare_evasion"):
            page.settings_card.splits.tick(name, on=False)
    wait_until(window)
    page.measurement.start(_FEW)
    wait_until(window)


def show_distorted(window: MainWindow) -> None:
    """The table that the design makes."""
    _publish_page(window).settings_card.mode.choose("distorted")


def show_release(window: MainWindow) -> None:
    """The window that writes a bundle."""
    page = _publish_page(window)
    page.settings_card.mode.choose("deniable")
    wait_until(window)
    subject = page.subject
    assert subject is not None  # noqa: S101 (the groups are made)
    dialog = ReleaseDialog(window.workbench, subject, page.bundle.options, window)
    dialog.path.setText("city-survey-release")
    show_dialog(dialog, window.workbench.themes)


def _publish_page(window: MainWindow) -> PublishPage:
    window.show_page("publish")
    wait_until(window)
    return page_named(window, PublishPage)


def show_publish_sampling(window: MainWindow) -> None:
    """Weights in groups, and what the sampling would tell a recipient."""
    open_sample(window, "publish")
    page = _publish_page(window)
    page.settings_card.mode.choose("distorted")
    wait_until(window)
    window.store.select(["pw"])
    wait_until(window)
    page.distorted.edited.emit(lambda plan: plan.with_role("pw", "coarsen"))
    wait_until(window)
