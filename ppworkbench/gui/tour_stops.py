"""The states of the window that a tour takes pictures of."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QDialog, QPushButton, QSpinBox, QTableView

from ppworkbench.core.compliance.assess_list import ListInquiry
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Binary,
    Design,
    Forced,
    Identity,
    Ordinal,
    Perturbation,
    Uniform,
)
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.design import DesignedAttribute
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.experiment.engines import InProcess
from ppworkbench.core.files import make_temporary_folder, temporary_folder
from ppworkbench.core.models import RegressionOptions, parse_formula
from ppworkbench.core.progress import Progress
from ppworkbench.core.publish import CurveOptions
from ppworkbench.core.reconstruct.channel import NUMBERS
from ppworkbench.core.survey.parser import parse_condition
from ppworkbench.gui.charts.chart_export import NumbersDialog, pictures_of
from ppworkbench.gui.demonstrations import open_demonstration
from ppworkbench.gui.dialogs import ErrorDetails, show_dialog
from ppworkbench.gui.export_dialog import ExportDialog
from ppworkbench.gui.help_window import show_help
from ppworkbench.gui.language import speech
from ppworkbench.gui.pages.classify import ClassifyPage
from ppworkbench.gui.pages.data.import_dialog import ImportDialog
from ppworkbench.gui.pages.design import DesignPage
from ppworkbench.gui.pages.design.group_dialog import GroupDialog
from ppworkbench.gui.pages.design.matrix_exchange import MatrixImportDialog
from ppworkbench.gui.pages.explore import ExplorePage
from ppworkbench.gui.pages.explore.attack_view import ATTACK, RECONSTRUCT
from ppworkbench.gui.pages.mine import MinePage
from ppworkbench.gui.pages.mine.item_dialog import ItemDialog
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.pages.publish import PublishPage
from ppworkbench.gui.pages.publish.bundle_dialog import ReleaseDialog
from ppworkbench.gui.pages.start.questions_dialog import QuestionsDialog
from ppworkbench.gui.pages.survey import SurveyPage
from ppworkbench.gui.window.about_dialogs import AboutDialog, ShortcutsDialog
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.gui.window.palette import PaletteDialog
from ppworkbench.study.analyses.compliance import first_compliance
from ppworkbench.study.analyses.design_arms import (
    DIRECT,
    OMITTED,
    question_names,
    start_arms,
    with_arm,
    with_name,
    with_own_devices,
    with_share,
    with_treatment,
)
from ppworkbench.study.analyses.lists import proposed_list, with_list
from ppworkbench.study.analyses.regression import ModelQuestion
from ppworkbench.study.analyses.survey import COMPLIANCE, LIST, REGRESSION, Question
from ppworkbench.study.demonstrations.catalogue import shipped_files
from ppworkbench.study.plan_choices import PlanChoices
from ppworkbench.study.recent import remember
from ppworkbench.study.study import PriorChoice, Study

Arrange = Callable[[MainWindow], None]
P = TypeVar("P", bound=Page)
_KEEPS = (0.8, 0.65, 0.5)
_FILE = "age,sex,town\n30,F,Riverside\n41,M,Hillcrest\n"


def show_pinned(window: MainWindow) -> None:
    """Three pinned designs around the current one in the trade-off."""
    window.show_page("design")
    page = _page(window, DesignPage)
    window.store.select(["home"])
    for keep in _KEEPS:
        window.store.set_perturbation(["home"], Uniform(keep=keep))
        page.pin_action.trigger()
    window.store.set_perturbation(["home"], Uniform(keep=0.7))


def show_shares(window: MainWindow) -> None:
    """The expected shares in place of the trade-off."""
    window.show_page("design")
    window.store.select(["district"])
    _page(window, DesignPage).views_card.choose("shares")


def leave_shares(window: MainWindow) -> None:
    """Show the trade-off again."""
    _page(window, DesignPage).views_card.choose("trade")


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
    window.store.open(_armed(_city()).with_(title="city-survey, in arms"))
    window.show_page("design")
    page = _page(window, DesignPage)
    page.show_sub_page("arms")
    table: QTableView | None = page.findChild(QTableView, "armTreatments")
    assert table is not None  # noqa: S101 (made with the page)
    names = question_names(window.store.study)
    table.setCurrentIndex(table.model().index(names.index("fare_evasion"), 2))


def show_no_arms(window: MainWindow) -> None:
    """What arms are for."""
    window.show_page("design")
    _page(window, DesignPage).show_sub_page("arms")


def show_one_arm(window: MainWindow) -> None:
    """A question as one of the arms asks it."""
    show_arms(window)
    page = _page(window, DesignPage)
    page.show_sub_page("questions")
    page.show_arm("B")
    window.store.select(["fare_evasion"])


def _best_shares(window: MainWindow) -> None:
    show_arms(window)
    button: QPushButton | None = window.page("design").findChild(QPushButton, "bestShares")
    assert button is not None  # noqa: S101 (made with the page)
    button.click()


def leave_arms(window: MainWindow) -> None:
    """Show the questions again."""
    _close_dialogs(window)
    _page(window, DesignPage).show_sub_page("questions")
    window.store.forget_changes()


def show_numbers(window: MainWindow) -> None:
    """A numeric attribute on the Data page."""
    window.show_page("data")
    window.store.select(["income"])


def _show(make: Callable[[MainWindow], QDialog]) -> Arrange:
    def show(window: MainWindow) -> None:
        dialog = make(window)
        if not dialog.isVisible():
            show_dialog(dialog, window.workbench.themes)
        QApplication.processEvents()

    return show


def _import(window: MainWindow) -> QDialog:
    folder = window.workbench.folder or make_temporary_folder()
    path = folder / "survey.csv"
    path.write_text(_FILE, encoding="utf-8")
    return ImportDialog(window.workbench, path, ReadOptions(), window)


def _items(window: MainWindow) -> QDialog:
    window.show_page("mine")
    page = _page(window, MinePage)
    # Else it knows the items of a study that was opened since only in a moment.
    page.refresh()
    return ItemDialog(window.workbench.themes, page.offer, page.offer.usual[:3], window)


def _palette(window: MainWindow) -> QDialog:
    palette = PaletteDialog(window)
    palette.open_anew()
    palette.type("p")
    return palette


def _numbers(window: MainWindow) -> QDialog:
    window.show_page("design")
    QApplication.processEvents()
    pictures = pictures_of(window.page("design"))
    return NumbersDialog(window.workbench.themes, pictures, pictures[0], window)


DIALOGS: dict[str, Callable[[MainWindow], QDialog]] = {
    "import": _import,
    "one-coin": lambda window: GroupDialog(
        window.workbench.theme, window.store.study, ("car", "drug_use"), window
    ),
    "matrix": lambda window: MatrixImportDialog("0.8 0.2\n0.2 0.8\n", ("no", "yes"), window),
    "items": _items,
    "questions": lambda window: QuestionsDialog(window.workbench, window),
    "help": lambda window: show_help("design", window.workbench, window),
    "about": lambda window: AboutDialog(window.workbench, window),
    "keys": ShortcutsDialog,
    "details": lambda window: ErrorDetails(RuntimeError("Nobody thought of this."), window),
    "palette": _palette,
    "numbers": _numbers,
}
"""Each of them over whatever page is in front."""


_gate = threading.Event()


def run_job(window: MainWindow) -> None:
    """A job in the middle of its work, until it is ended."""
    _gate.clear()

    def work(progress: Progress) -> None:
        while not _gate.wait(0.02):
            progress(0.62, "62 of 100")

    window.workbench.run(window.tr("Privacy sweep"), work, lambda _: None)


def end_job(window: MainWindow) -> None:
    """Let the job go."""
    _gate.set()
    for job in window.workbench.jobs.running:
        job.cancel()


def fail(window: MainWindow) -> None:
    """Open a file with a record that is too long."""
    lines = ["age,sex,town", *["30,F,Riverside"] * 416, "31,M,Hillcrest,extra"]
    with temporary_folder() as folder:
        path = folder / "survey.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        # Nobody is there to be asked about unsaved changes.
        window.store.forget_changes()
        window.files.open_paths([str(path)])
        while not window.workbench.jobs.is_idle:
            QApplication.processEvents()


def _nothing(window: MainWindow) -> None:
    """Leave everything as it is."""


@dataclass(frozen=True)
class Stop:
    """One state of the window; ``busy`` has a job that does not end before it is left."""

    name: str
    arrange: Arrange
    leave: Arrange = _nothing
    busy: bool = False


def _city() -> Study:
    return Study.of_table(load_sample("city-survey"), "city-survey")


def _open(window: MainWindow) -> None:
    if window.store.study.title != "city-survey":
        window.store.open(_city())


def _with_study(arrange: Arrange) -> Arrange:
    def open_first(window: MainWindow) -> None:
        _open(window)
        arrange(window)

    return open_first


def _page(window: MainWindow, kind: type[P]) -> P:
    page = window.page(kind.name)
    assert isinstance(page, kind)  # noqa: S101 (made under this name)
    return page


def _start(window: MainWindow) -> None:
    """The start screen, with a few studies that somebody had open before."""
    assert window.workbench.folder is not None  # noqa: S101 (the tour gives one)
    folder = window.workbench.folder
    distorted = _city().with_(original=None)
    weather = Study.of_table(load_sample("weather"), "Saturday mornings")
    for study in (distorted.with_(title="Clinic waiting times"), weather, _city()):
        path = folder / f"{study.title}.ppw"
        path.touch()
        remember(folder / "recent.json", study, path)
    window.files.recent_changed.emit()
    window.show_page("start")


def _data(window: MainWindow) -> None:
    _open(window)
    window.show_page("data")
    window.store.select(["satisfaction_transport"])


def _design(attribute: str, perturbation: Perturbation, page: str = "design") -> Arrange:
    def arrange(window: MainWindow) -> None:
        window.store.select([attribute])
        window.store.set_perturbation([attribute], perturbation)
        window.show_page(page)

    return _with_study(arrange)


def _drawn(window: MainWindow) -> None:
    """A questionnaire without data, whose answers somebody drew."""
    weights = (5.0, 15.0, 25.0, 35.0, 20.0)
    study = _city().with_(original=None, title="New questionnaire")
    study = study.with_choice("satisfaction_transport", PriorChoice("drawn", weights))
    window.store.open(study)
    show_shares(window)
    window.store.select(["satisfaction_transport"])


def show_plan(window: MainWindow) -> None:
    """The plan of six questions; one has a limit of its own, and interviews cost something."""
    names = ("fare_evasion", "cash_work", "satisfaction_transport", "district", "home", "age")
    study = _city()
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
    _page(window, DesignPage).show_sub_page("plan")


def leave_plan(window: MainWindow) -> None:
    """Back to the questions."""
    _page(window, DesignPage).show_sub_page("questions")
    window.store.forget_changes()


def _scrub(window: MainWindow) -> None:
    """The same answers by EM, in the middle of its iterations."""
    page = _page(window, ExplorePage)
    page.choose(page.settings.with_focus(NUMBERS, "em"))
    settle(window)
    box: QSpinBox | None = window.page("explore").findChild(QSpinBox, "iterationBox")
    assert box is not None  # noqa: S101 (made with the page)
    box.setValue(min(200, box.maximum() // 2))


def _attack(key: str) -> Arrange:
    """One of the attacks of the lab."""

    def arrange(window: MainWindow) -> None:
        window.store.select(["district"])
        window.show_page("explore")
        page = _page(window, ExplorePage)
        page.show_half(ATTACK)
        assert page.lab is not None  # noqa: S101 (made by now)
        page.lab.choose(key)

    return _with_study(arrange)


def _survey(statistic: str, condition: str, **more: object) -> Arrange:
    def arrange(window: MainWindow) -> None:
        window.show_page("survey")
        window.store.set_perturbations(
            {"fare_evasion": Uniform(keep=0.8), "district": Uniform(keep=0.7)}
        )
        _ask(window, statistic, condition, **more)

    return _with_study(arrange)


def _ask(window: MainWindow, statistic: str, condition: str, **more: object) -> None:
    asked = Question(statistic, parse_condition(condition))
    _page(window, SurveyPage).bring_back(asked.with_(**more))


_ROLES = Sampling("pw", ("district",), "psu")


def _open_sample(window: MainWindow, page: str, roles: Sampling = _ROLES) -> None:
    """A part of the city survey as if people had been drawn by district and by streets."""
    part = load_sample("city-survey").take(slice(0, 1_200))
    place = np.arange(part.rows)
    weights = 20.0 + 8.0 * part["district"].data + place % 5
    weight = Column(Attribute("pw", Kind.CONTINUOUS, domain=(0, 100)), weights)
    street = Column(Attribute("psu", Kind.INTEGER, domain=(0, 99)), 1.0 * (place % 60))
    table = Table((*part.columns, weight, street), part.class_name)
    study = Study.of_table(table, "city-survey, sampled").with_sampling(roles)
    window.store.open(study.with_perturbations({"fare_evasion": Uniform(keep=0.8)}))
    window.show_page(page)


def _show_roles(window: MainWindow) -> None:
    """A weight that was chosen, and a cluster that is offered."""
    _open_sample(window, "data", Sampling("pw"))
    window.store.select(["pw"])


def _sampled(statistic: str, condition: str, **more: object) -> Arrange:
    def arrange(window: MainWindow) -> None:
        _open_sample(window, "survey")
        _ask(window, statistic, condition, **more)

    return arrange


_EXPLAINED = "fare_evasion=yes ~ age + sex + home + drug_use"


def _asked_model(formula: str) -> Question:
    model = ModelQuestion(parse_formula(formula), RegressionOptions())
    return Question(REGRESSION, model=model)


def _regression(window: MainWindow) -> None:
    """Whom an answer goes together with; one predictor is randomised as well."""
    part = load_sample("city-survey")
    plain = dict.fromkeys(part.names, Identity())
    randomised = {"fare_evasion": Uniform(keep=0.8), "drug_use": Uniform(keep=0.8)}
    study = Study.of_table(part, "city-survey, explained")
    window.store.open(study.with_perturbations({**plain, **randomised}))
    window.show_page("survey")
    _page(window, SurveyPage).bring_back(_asked_model(_EXPLAINED))


def _open_list(window: MainWindow) -> None:
    """A question that is asked as one item of a list."""
    part = load_sample("city-survey")
    plain = dict.fromkeys(("age", "sex", "home"), Identity())
    study = Study.of_table(part, "city-survey, list").with_perturbations(plain)
    count, short, long = proposed_list(study, "drug_use")
    items = ("car", "supports_school", "drink_driving")
    asked = ListQuestion(study.design["drug_use"].attribute, count, items, short, long)
    window.store.open(with_list(study, asked))


def _design_list(window: MainWindow) -> None:
    """The counts of a list, and the dialog that makes it."""
    _open_list(window)
    window.show_page("design")
    window.store.select(["drug_use_count"])
    settle(window)
    _page(window, DesignPage).edit_list()


def _list(window: MainWindow) -> None:
    _open_list(window)
    window.show_page("survey")
    inquiry = ListInquiry("drug_use", predictors=("age", "sex"))
    _page(window, SurveyPage).bring_back(Question(LIST, inquiry=inquiry))


def _sampled_regression(window: MainWindow) -> None:
    _open_sample(window, "survey")
    _page(window, SurveyPage).bring_back(_asked_model("fare_evasion=yes ~ education"))


_YES = {"A": 476, "B": 906}
"""Reports of "yes" by 2,500 people in each of two arms."""
_FORCED = {"A": (0.25 / 0.3, 0.05 / 0.3), "B": (0.05 / 0.3, 0.25 / 0.3)}


def _open_arms(window: MainWindow, arms: Sequence[str]) -> None:
    """Answers that came distorted, by people who were told to say yes more or less often."""
    rode = Attribute(
        "fare_evasion", Kind.BINARY, ("no", "yes"), title="Rode without a ticket",
        sensitive=("yes",),
    )  # fmt: skip
    devices = [(name, Forced(0.7, _FORCED[name])) for name in arms]
    members = tuple(
        DesignArm(name, 1 / len(arms), (("fare_evasion", device),)) for name, device in devices
    )
    design = Design((DesignedAttribute(rode, devices[0][1]),), arms=Arms("version", members))
    version = Attribute("version", Kind.NOMINAL, tuple(arms))
    codes = np.repeat(np.arange(len(arms)), 2_500)
    reports = np.concatenate([np.arange(2_500) < _YES[name] for name in arms]).astype(np.int64)
    table = Table((Column(rode, reports), Column(version, codes)))
    window.store.open(Study.of_distorted(table, design, "City survey"))
    window.show_page("survey")


def _compliance(*arms: str) -> Arrange:
    def arrange(window: MainWindow) -> None:
        _open_arms(window, arms)
        page = _page(window, SurveyPage)
        page.bring_back(Question(COMPLIANCE, compliance=first_compliance(window.store.study)))

    return arrange


def _classify(window: MainWindow) -> None:
    """A finished sweep of two classifiers, on a part of the answers so that it is soon over."""
    part = load_sample("city-survey").take(slice(0, 1_000))
    window.store.forget_changes()
    window.store.open(Study.of_table(part, "city-survey, first 1,000"))
    window.show_page("classify")
    page = _page(window, ClassifyPage)
    page.runs.engine = InProcess()
    page.choose(page.choices.with_(folds=3, steps=3))
    page.run()


def _export(window: MainWindow) -> None:
    _open(window)
    dialog = ExportDialog(window.workbench, window)
    dialog.path.setText("city-survey-distorted.csv")
    show_dialog(dialog, window.workbench.themes)


def _close_dialogs(window: MainWindow) -> None:
    dialogs: Iterable[QDialog] = window.findChildren(QDialog)
    for dialog in dialogs:
        dialog.reject()
        dialog.deleteLater()


_SETTLED = 0.35
"""Seconds without a job after which a page has nothing more to draw."""
LONGEST_WAIT = 60.0
_ROUNDS = 6


def leave_attack(window: MainWindow) -> None:
    """Back to the other half of the page."""
    _page(window, ExplorePage).show_half(RECONSTRUCT)


def show_step(window: MainWindow) -> None:
    """The early stop of EM/AS, with badges on the live page."""
    shipped = shipped_files(speech.language)
    path = next(path for path in shipped if path.stem == "3-early-stop")
    open_demonstration(window.workbench, path)
    limit = time.monotonic() + LONGEST_WAIT
    while window.stage is None and time.monotonic() < limit:
        QApplication.processEvents()
    stage = window.stage
    assert stage is not None  # noqa: S101 (a shipped file is without mistakes)
    stage.go(2)
    while time.monotonic() < limit and not (
        stage.arrangement.is_over and stage.workbench.jobs.is_idle and not stage.calculator.is_busy
    ):
        QApplication.processEvents()
    stage.badges.follow()


_ASKED = ("sex", "home", "car", "fare_evasion", "cash_in_hand", "drug_use", "drink_driving")


def show_sets(window: MainWindow) -> None:
    """Itemsets of a survey, one of them chosen."""
    window.store.set_perturbations(dict.fromkeys(_ASKED, Uniform(keep=0.8)))
    page = _mine_page(window)
    items = tuple(item for item in page.offer.usual if item.attribute in _ASKED)
    page.choose(replace(page.settings.with_items(items), min_support=0.05))
    page.mine()
    _wait(window)
    page.results.sets.selectRow(4)


def show_rules(window: MainWindow) -> None:
    """Rules between the same items."""
    page = _mine_page(window)
    page.look_at(replace(page.table, view="rules"))


def show_runs(window: MainWindow) -> None:
    """Three methods side by side."""
    page = _mine_page(window)
    for method in ("mask", "mmask"):
        page.choose(replace(page.settings, method=method))
        page.mine()
        _wait(window)
    page.look_at(replace(page.table, view="runs"))


def _mine_page(window: MainWindow) -> MinePage:
    window.show_page("mine")
    _wait(window)
    return _page(window, MinePage)


def _wait(window: MainWindow) -> None:
    """Let jobs end and their results be shown."""
    QApplication.processEvents()
    while not window.workbench.jobs.is_idle:
        QApplication.processEvents()
    for _ in range(5):
        QApplication.processEvents()


_FEW = CurveOptions(minimums=(0.01, 0.1, 0.2, 0.4, 0.6), folds=2, most_people=1_500)
"""Enough for a picture, and soon over."""
_SPLITS = ("district", "age", "sex", "education", "home", "income")


def show_deniable(window: MainWindow) -> None:
    """Groups of a sensitive question, and what accuracy they leave."""
    page = _publish_page(window)
    page.settings_card.sensitive_chosen.emit("fare_evasion")
    table = window.store.study.original
    assert table is not None  # noqa: S101 (the tour opens a survey with answers)
    for name in table.names:
        if name not in (*_SPLITS, "fare_evasion"):
            page.settings_card.splits.ticked.emit(name, False)
    _wait(window)
    page.measure(_FEW)
    _wait(window)


def show_distorted(window: MainWindow) -> None:
    """The table that the design makes."""
    _publish_page(window).settings_card.mode.choose("distorted")


def show_release(window: MainWindow) -> None:
    """The window that writes a bundle."""
    page = _publish_page(window)
    page.settings_card.mode.choose("deniable")
    _wait(window)
    subject = page.subject
    assert subject is not None  # noqa: S101 (the groups are made)
    dialog = ReleaseDialog(window.workbench, subject, page.bundle.options, window)
    dialog.path.setText("city-survey-release")
    show_dialog(dialog, window.workbench.themes)


def _publish_page(window: MainWindow) -> PublishPage:
    window.show_page("publish")
    _wait(window)
    return _page(window, PublishPage)


def _design_roles(window: MainWindow) -> None:
    """A stratum, which has no mechanism."""
    _open_sample(window, "design")
    window.store.select(["district"])


def _publish_sampling(window: MainWindow) -> None:
    """Weights in groups, and what the sampling would tell a recipient."""
    _open_sample(window, "publish")
    page = _publish_page(window)
    page.settings_card.mode.choose("distorted")
    _wait(window)
    window.store.select(["pw"])
    _wait(window)
    page.distorted.role_release_changed.emit("pw", "coarsen")
    _wait(window)


_RIDERS = "fare_evasion = yes and district in {Riverside, Harbour}"


STOPS = (
    Stop("start", _start),
    Stop("data", _data),
    Stop("data-numbers", show_numbers),
    Stop("design-nominal", _design("district", Uniform(keep=0.6))),
    Stop(
        "design-ordinal",
        _design("satisfaction_transport", Ordinal(weights=(0.7, 0.15), loop=False)),
    ),
    Stop(
        "design-ordinal-loop",
        _design("satisfaction_transport", Ordinal(weights=(0.7, 0.15), loop=True)),
    ),
    Stop("design-binary", _design("fare_evasion", Binary(keep_one=0.8, keep_zero=0.8))),
    Stop("design-continuous", _design("income", Additive(noise="normal", range_privacy=50))),
    Stop(
        "design-integer",
        _design("age", Additive(noise="uniform", half_width=10, integer="staircase")),
    ),
    Stop("design-singular", _design("fare_evasion", Uniform(keep=0.5))),
    Stop("design-pinned", show_pinned),
    Stop("design-shares", show_shares, leave_shares),
    Stop("design-drawn", _drawn, leave_shares),
    Stop("design-plan", show_plan, leave_plan),
    Stop("explore-nominal", _design("district", Uniform(keep=0.3), "explore")),
    Stop(
        "explore-continuous",
        _design("income", Additive(noise="normal", range_privacy=50), "explore"),
    ),
    Stop("explore-mid-iteration", _scrub),
    Stop("attack-guess", _attack("guess"), leave_attack),
    Stop("attack-repeat", _attack("repeat"), leave_attack),
    Stop("attack-filter", _attack("filter"), leave_attack),
    Stop("attack-link", _attack("link"), leave_attack),
    Stop("survey-mean", _survey("mean", "education >= bachelor", of="income")),
    Stop("survey-distribution", _survey("distribution", "fare_evasion = yes", of="district")),
    Stop("survey-cross-table", _survey("crosstab", "", of="education", by="home")),
    Stop("survey-participants", _survey("participants", _RIDERS, size=150)),
    Stop("survey-count", _survey("count", _RIDERS)),
    Stop("data-roles", _show_roles),
    Stop("survey-sampling", _sampled("count", "fare_evasion = yes")),
    Stop("survey-quantiles", _sampled("quantile", "", of="income")),
    Stop(
        "survey-compare",
        _sampled("compare", "", of="fare_evasion", value="yes", by="education"),
    ),
    Stop("survey-regression", _regression),
    Stop("survey-regression-sampling", _sampled_regression),
    Stop("survey-compliance", _compliance("A", "B")),
    Stop("survey-compliance-one-arm", _compliance("A")),
    Stop("survey-list", _list),
    Stop("design-list", _design_list, _close_dialogs),
    Stop("survey-association", _sampled("crosstab", "", of="fare_evasion", by="education")),
    Stop("design-roles", _design_roles),
    Stop("design-no-arms", _with_study(show_no_arms), leave_arms),
    Stop("design-arms", show_arms, leave_arms),
    Stop("design-arm", show_one_arm, leave_arms),
    Stop("design-arm-shares", _best_shares, leave_arms),
    Stop("publish-sampling", _publish_sampling),
    Stop("mine", _with_study(show_sets)),
    Stop("mine-rules", show_rules),
    Stop("mine-runs", show_runs),
    Stop("classify", _classify, lambda window: window.store.forget_changes()),
    Stop("publish", _with_study(show_deniable)),
    Stop("publish-distorted", show_distorted),
    Stop("publish-bundle", show_release, _close_dialogs),
    Stop("learn", lambda window: window.show_page("learn")),
    Stop("learn-step", show_step, MainWindow.end_demonstration),
    Stop("running-job", run_job, end_job, busy=True),
    Stop("error", fail, lambda window: window.banner.hide()),
    Stop("export", _export, _close_dialogs),
    *(Stop(f"dialog-{name}", _show(make), _close_dialogs) for name, make in DIALOGS.items()),
)


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
