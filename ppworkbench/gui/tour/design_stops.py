"""The Design page as a tour shows it: pins, shares, arms, plan, budget and lists."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QPushButton, QTableView

from ppworkbench.analyses.designs.arms import (
    DIRECT,
    OMITTED,
    start_arms,
    with_arm,
    with_name,
    with_own_devices,
    with_share,
    with_treatment,
)
from ppworkbench.analyses.designs.design import question_names
from ppworkbench.analyses.estimates.lists import proposed_list, with_list
from ppworkbench.analyses.planning.study_budget import make_finite, with_budget
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.design import Forced, Geometric, Identity, Perturbation, Uniform
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.gui.pages.design import DesignPage
from ppworkbench.gui.tour.studies import (
    Arrange,
    city_study,
    close_dialogs,
    open_sample,
    page_named,
    settle,
    wait_until,
    with_study,
)
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.study.plan_choices import PlanChoices
from ppworkbench.study.study import PriorChoice, Study

_KEEPS = (0.8, 0.65, 0.5)


def show_pinned(window: MainWindow) -> None:
    """Three pinned designs around the current one in the trade-off."""
    window.show_page("design")
    page = page_named(window, DesignPage)
    window.store.select(["home"])
    for keep in _KEEPS:
        window.store.set_perturbation(["home"], Uniform(keep=keep))
        page.pin_action.trigger()
    window.store.set_perturbation(["home"], Uniform(keep=0.7))


def show_shares(window: MainWindow) -> None:
    """The expected shares in place of the trade-off."""
    window.show_page("design")
    window.store.select(["district"])
    page_named(window, DesignPage).views_card.choose("shares")


def leave_shares(window: MainWindow) -> None:
    """Show the trade-off again."""
    page_named(window, DesignPage).views_card.choose("trade")


def _armed(study: Study) -> Study:
    """Three arms: other devices, a direct question, and short versions."""
    made = with_arm(start_arms(study))
    made = with_own_devices(made, "B", {"fare_evasion": Uniform(keep=0.65)})
    made = with_treatment(made, "C", "fare_evasion", DIRECT)
    made = with_treatment(made, "A", "drug_use", OMITTED)
    for arm in ("B", "C"):
        made = with_treatment(made, arm, "cash_in_hand", OMITTED)
    return with_share(with_name(made, 2, "direct"), 2, 0.15)


def show_arms(window: MainWindow) -> None:
    """The arms of a design."""
    window.store.open(_armed(city_study()).with_(title="city-survey, in arms"))
    window.show_page("design")
    page = page_named(window, DesignPage)
    page.show_sub_page("arms")
    table: QTableView | None = page.findChild(QTableView, "armTreatments")
    assert table is not None  # noqa: S101 (made with the page)
    names = question_names(window.store.study.design)
    table.setCurrentIndex(table.model().index(names.index("fare_evasion"), 2))


def show_no_arms(window: MainWindow) -> None:
    window.show_page("design")
    page_named(window, DesignPage).show_sub_page("arms")


def show_one_arm(window: MainWindow) -> None:
    """A question as one of the arms asks it."""
    show_arms(window)
    page = page_named(window, DesignPage)
    page.show_sub_page("questions")
    page.show_arm("B")
    window.store.select(["fare_evasion"])


def show_best_shares(window: MainWindow) -> None:
    """Open what proposes the shares of the arms."""
    show_arms(window)
    button: QPushButton | None = window.page("design").findChild(QPushButton, "bestShares")
    assert button is not None  # noqa: S101 (made with the page)
    button.click()


def leave_arms(window: MainWindow) -> None:
    """Show the questions again."""
    close_dialogs(window)
    page_named(window, DesignPage).show_sub_page("questions")
    window.store.forget_changes()


def design_of(attribute: str, perturbation: Perturbation, page: str = "design") -> Arrange:
    def arrange(window: MainWindow) -> None:
        window.store.select([attribute])
        window.store.set_perturbation([attribute], perturbation)
        window.show_page(page)

    return with_study(arrange)


def show_drawn(window: MainWindow) -> None:
    """A questionnaire without data, whose answers somebody drew."""
    weights = (5.0, 15.0, 25.0, 35.0, 20.0)
    study = city_study().with_(original=None, title="New questionnaire")
    study = study.with_choice("satisfaction_transport", PriorChoice("drawn", weights))
    window.store.open(study)
    show_shares(window)
    window.store.select(["satisfaction_transport"])


def show_plan(window: MainWindow) -> None:
    """The plan of six questions; one has a limit of its own, and interviews cost something."""
    names = ("fare_evasion", "cash_in_hand", "satisfaction_transport", "district", "home", "age")
    study = city_study()
    known = tuple(name for name in names if name in study.design)
    listed = tuple(study.design[name] for name in known)
    study = study.with_(design=replace(study.design, attributes=listed, class_name=None))
    study = study.with_sensitive("fare_evasion", ("yes",))
    study = study.with_perturbations({"fare_evasion": Forced(p_truth=0.7)})
    plan = PlanChoices(cost_direct=20.0, cost_randomised=30.0, budget=45_000.0)
    plan = plan.with_limit("district", "belief", 0.75)
    window.store.open(study.with_(plan=plan, title="city-survey, planned"))
    window.show_page("design")
    window.store.select(["fare_evasion"])
    page_named(window, DesignPage).show_sub_page("plan")


def _budgeted(window: MainWindow, total: float) -> None:
    """Six questions that share a budget; half of them are randomised."""
    mechanisms: dict[str, Perturbation] = {
        "fare_evasion": Forced(p_truth=0.7),
        "satisfaction_transport": Geometric(epsilon=0.98),
        "cash_in_hand": Uniform(keep=0.62),
    }
    plain = ("district", "age", "car")
    study = city_study()
    names = [name for name in (*mechanisms, *plain) if name in study.design]
    listed = tuple(study.design[name] for name in names)
    study = study.with_(design=replace(study.design, attributes=listed, class_name=None))
    study = study.with_sensitive("fare_evasion", ("yes",))
    changes = mechanisms | dict.fromkeys(plain, Identity())
    study = study.with_perturbations({name: changes[name] for name in names})
    study = with_budget(study, DesignBudget(total=total))
    window.store.open(study.with_(title="city-survey, budget"))
    window.show_page("design")
    window.store.select(["fare_evasion"])


def show_budget(window: MainWindow) -> None:
    """Six questions within their budget."""
    _budgeted(window, 4.0)


def show_over_budget(window: MainWindow) -> None:
    """The same questions spend more than they should."""
    _budgeted(window, 2.5)


def show_share_out(window: MainWindow) -> None:
    """One total shared out among all questions of the sample."""
    budget = DesignBudget(total=8.0, weights=(("fare_evasion", 4.0),), locked=("sex",))
    study = make_finite(city_study().with_sensitive("fare_evasion", ("yes",)))
    window.store.open(with_budget(study, budget).with_(title="city-survey, shared out"))
    window.show_page("design")
    window.store.select(["fare_evasion"])
    wait_until(window)
    settle(window)
    page_named(window, DesignPage).edits.share_out()
    wait_until(window)


def leave_share_out(window: MainWindow) -> None:
    """Close the dialog and forget what it changed."""
    close_dialogs(window)
    window.store.forget_changes()
    window.store.select(["fare_evasion"])
    wait_until(window)
    settle(window)


def leave_plan(window: MainWindow) -> None:
    """Back to the questions."""
    page_named(window, DesignPage).show_sub_page("questions")
    window.store.forget_changes()


def open_list(window: MainWindow) -> None:
    """A question that is asked as one item of a list."""
    part = load_sample("city-survey")
    plain = dict.fromkeys(("age", "sex", "home"), Identity())
    study = Study.of_table(part, "city-survey, list").with_perturbations(plain)
    count, short, long = proposed_list(study, "drug_use")
    items = ("car", "supports_school", "drink_driving")
    asked = ListQuestion(study.design["drug_use"].attribute, count, items, short, long)
    window.store.open(with_list(study, asked))


def show_list(window: MainWindow) -> None:
    """The counts of a list, and the dialog that makes it."""
    open_list(window)
    window.show_page("design")
    window.store.select(["drug_use_count"])
    settle(window)
    page_named(window, DesignPage).edits.edit_list()


def show_design_roles(window: MainWindow) -> None:
    """A stratum, which has no mechanism."""
    open_sample(window, "design")
    window.store.select(["district"])
