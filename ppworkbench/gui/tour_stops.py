"""The stops of the tour: what each of them sets up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QDialog, QSpinBox

from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.design import Additive, Binary, Ordinal, Perturbation, Uniform
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.main_window import MainWindow
from ppworkbench.gui.tour_dialogs import DIALOGS, leave_compare, show_compare, show_numbers
from ppworkbench.gui.tour_states import close_banner, end_job, fail, run_job
from ppworkbench.study.recent import remember
from ppworkbench.study.study import PriorChoice, Study

Arrange = Callable[[MainWindow], None]


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


def _design(attribute: str, perturbation: Perturbation | None = None) -> Arrange:
    def arrange(window: MainWindow) -> None:
        _open(window)
        window.show_page("design")
        window.store.select([attribute])
        if perturbation is not None:
            window.store.set_perturbation([attribute], perturbation)

    return arrange


def _drawn(window: MainWindow) -> None:
    """A questionnaire without data, whose answers somebody drew."""
    weights = (5.0, 15.0, 25.0, 35.0, 20.0)
    study = _city().with_(original=None, title="New questionnaire")
    study = study.with_choice("satisfaction_transport", PriorChoice("drawn", weights))
    window.store.open(study)
    window.show_page("design")
    window.store.select(["satisfaction_transport"])


def _explore(attribute: str, perturbation: Perturbation) -> Arrange:
    def arrange(window: MainWindow) -> None:
        _open(window)
        window.store.select([attribute])
        window.store.set_perturbation([attribute], perturbation)
        window.show_page("explore")

    return arrange


def _scrub(window: MainWindow) -> None:
    """The same picture in the middle of its iterations."""
    box = window.page("explore").findChild(QSpinBox, "iterationBox")
    box.setValue(min(200, box.maximum() // 2))


def _attack(key: str) -> Arrange:
    def arrange(window: MainWindow) -> None:
        from ppworkbench.gui.tour_attacks import show_attack

        _open(window)
        show_attack(window, key)

    return arrange


def _leave_attack(window: MainWindow) -> None:
    from ppworkbench.gui.tour_attacks import leave_attack

    leave_attack(window)


def _survey(statistic: str, condition: str, **more: object) -> Arrange:
    def arrange(window: MainWindow) -> None:
        from ppworkbench.core.survey.parser import parse_condition
        from ppworkbench.gui.pages.survey import SurveyPage
        from ppworkbench.gui.pages.survey.question import Question

        _open(window)
        window.show_page("survey")
        page = window.page("survey")
        assert isinstance(page, SurveyPage)  # noqa: S101 (made under this name)
        window.store.set_perturbations(
            {"fare_evasion": Uniform(keep=0.8), "district": Uniform(keep=0.7)}
        )
        asked = Question(statistic, parse_condition(condition))
        page.bring_back(asked.with_(**more))

    return arrange


def _mine(window: MainWindow) -> None:
    from ppworkbench.gui.tour_mine import show_sets

    _open(window)
    show_sets(window)


def _mine_rules(window: MainWindow) -> None:
    from ppworkbench.gui.tour_mine import show_rules

    show_rules(window)


def _mine_runs(window: MainWindow) -> None:
    from ppworkbench.gui.tour_mine import show_runs

    show_runs(window)


def _classify(window: MainWindow) -> None:
    """A finished sweep of two classifiers, on a part of the answers so that it is soon over."""
    from ppworkbench.core.experiment.engines import InProcess
    from ppworkbench.gui.pages.classify import ClassifyPage

    part = load_sample("city-survey").take(slice(0, 1_000))
    window.store.forget_changes()
    window.store.open(Study.of_table(part, "city-survey, first 1,000"))
    window.show_page("classify")
    page = window.page("classify")
    assert isinstance(page, ClassifyPage)  # noqa: S101 (made under this name)
    page.runs.engine = InProcess()
    page.choices.set(folds=3, steps=3)
    page.run()


def _leave_classify(window: MainWindow) -> None:
    window.store.forget_changes()


def _publish(window: MainWindow) -> None:
    from ppworkbench.gui.tour_publish import show_deniable

    _open(window)
    show_deniable(window)


def _publish_distorted(window: MainWindow) -> None:
    from ppworkbench.gui.tour_publish import show_distorted

    show_distorted(window)


def _publish_bundle(window: MainWindow) -> None:
    from ppworkbench.gui.tour_publish import show_release

    show_release(window)


def _learn(window: MainWindow) -> None:
    from ppworkbench.gui.tour_learn import show_list

    show_list(window)


def _learn_step(window: MainWindow) -> None:
    from ppworkbench.gui.tour_learn import show_step

    show_step(window)


def _end_demonstration(window: MainWindow) -> None:
    window.end_demonstration()


def _export(window: MainWindow) -> None:
    from ppworkbench.gui.export_dialog import ExportDialog

    _open(window)
    dialog = ExportDialog(window.workbench, window)
    dialog.path.setText("city-survey-distorted.csv")
    show_dialog(dialog, window.workbench.themes)


def _close_dialogs(window: MainWindow) -> None:
    for dialog in window.findChildren(QDialog):
        dialog.reject()
        dialog.deleteLater()


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
    Stop("design-compare", show_compare, leave_compare),
    Stop("design-drawn", _drawn),
    Stop("explore-nominal", _explore("district", Uniform(keep=0.3))),
    Stop("explore-continuous", _explore("income", Additive(noise="normal", range_privacy=50))),
    Stop("explore-mid-iteration", _scrub),
    Stop("attack-guess", _attack("guess"), _leave_attack),
    Stop("attack-repeat", _attack("repeat"), _leave_attack),
    Stop("attack-filter", _attack("filter"), _leave_attack),
    Stop("attack-link", _attack("link"), _leave_attack),
    Stop("survey-mean", _survey("mean", "education >= bachelor", of="income")),
    Stop("survey-distribution", _survey("distribution", "fare_evasion = yes", of="district")),
    Stop("survey-cross-table", _survey("crosstab", "", of="education", by="home")),
    Stop("survey-participants", _survey("participants", _RIDERS, size=150)),
    Stop("survey-count", _survey("count", _RIDERS)),
    Stop("mine", _mine),
    Stop("mine-rules", _mine_rules),
    Stop("mine-runs", _mine_runs),
    Stop("classify", _classify, _leave_classify),
    Stop("publish", _publish),
    Stop("publish-distorted", _publish_distorted),
    Stop("publish-bundle", _publish_bundle, _close_dialogs),
    Stop("learn", _learn),
    Stop("learn-step", _learn_step, _end_demonstration),
    Stop("running-job", run_job, end_job, busy=True),
    Stop("error", fail, close_banner),
    Stop("export", _export, _close_dialogs),
    *(Stop(name, show, _close_dialogs) for name, show in DIALOGS.items()),
)
