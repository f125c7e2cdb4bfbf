"""The states of the window that a tour takes pictures of."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QApplication, QDialog, QSpinBox

from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.design import Additive, Binary, Ordinal, Uniform
from ppworkbench.core.experiment.engines import InProcess
from ppworkbench.core.files import make_temporary_folder, temporary_folder
from ppworkbench.core.progress import Progress
from ppworkbench.core.reconstruct.channel import NUMBERS
from ppworkbench.gui.charts.chart_export import NumbersDialog, pictures_of
from ppworkbench.gui.demonstrations import open_demonstration
from ppworkbench.gui.dialogs import ErrorDetails, show_dialog
from ppworkbench.gui.export_dialog import ExportDialog
from ppworkbench.gui.help_window import show_help
from ppworkbench.gui.language import speech
from ppworkbench.gui.pages.classify import ClassifyPage
from ppworkbench.gui.pages.data.import_dialog import ImportDialog
from ppworkbench.gui.pages.design.editors.matrix_editor import MatrixImportDialog
from ppworkbench.gui.pages.design.edits import GroupDialog
from ppworkbench.gui.pages.explore import ExplorePage
from ppworkbench.gui.pages.explore.attack_settings import MEMBERS
from ppworkbench.gui.pages.explore.attack_view import ATTACK, RECONSTRUCT
from ppworkbench.gui.pages.mine import MinePage
from ppworkbench.gui.pages.mine.item_dialog import ItemDialog
from ppworkbench.gui.tour.collect_stops import (
    leave_collecting,
    show_closing,
    show_collecting,
    show_monitoring,
    show_nobody_asked,
    show_stopped,
)
from ppworkbench.gui.tour.design_stops import (
    design_of,
    leave_arms,
    leave_plan,
    leave_share_out,
    leave_shares,
    show_arms,
    show_best_shares,
    show_budget,
    show_design_roles,
    show_drawn,
    show_list,
    show_no_arms,
    show_one_arm,
    show_over_budget,
    show_pinned,
    show_plan,
    show_share_out,
    show_shares,
)
from ppworkbench.gui.tour.question_stops import (
    leave_phone,
    show_adding,
    show_languages,
    show_no_questions,
    show_number_question,
    show_phone,
    show_questions,
    show_state,
    show_unfit,
)
from ppworkbench.gui.tour.result_stops import (
    show_deniable,
    show_distorted,
    show_publish_sampling,
    show_release,
    show_rules,
    show_runs,
    show_sets,
)
from ppworkbench.gui.tour.studies import (
    LONGEST_WAIT,
    Arrange,
    city_study,
    close_dialogs,
    open_city,
    open_sample,
    page_named,
    settle,
    wait_until,
    with_study,
)
from ppworkbench.gui.tour.survey_stops import (
    compliance_by,
    sampled_survey,
    show_list_answer,
    show_regression,
    show_sampled_regression,
    survey_of,
)
from ppworkbench.gui.window.about_dialog import AboutDialog
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.gui.window.palette import PaletteDialog
from ppworkbench.gui.window.shortcuts_dialog import ShortcutsDialog
from ppworkbench.outputs.demonstrations.catalogue import shipped_files
from ppworkbench.study.files.recent import remember
from ppworkbench.study.study import Study

_FILE = "age,sex,town\n30,F,Riverside\n41,M,Hillcrest\n"


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
    page = page_named(window, MinePage)
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


def _show_gallery(window: MainWindow) -> None:
    """Published surveys beside ours, worked out."""
    window.show_page("learn/gallery")
    wait_until(window)


def _leave_gallery(window: MainWindow) -> None:
    window.show_page("learn/demonstrations")


def _show_no_study(window: MainWindow) -> None:
    """A page before there is a study."""
    window.show_page("survey")


def _start(window: MainWindow) -> None:
    """The start screen, with a few studies that somebody had open before."""
    assert window.workbench.folder is not None  # noqa: S101 (the tour gives one)
    folder = window.workbench.folder
    distorted = city_study().with_(original=None)
    weather = Study.of_table(load_sample("weather"), "Saturday mornings")
    for study in (distorted.with_(title="Clinic waiting times"), weather, city_study()):
        path = folder / f"{study.title}.ppw"
        path.touch()
        remember(folder / "recent.json", study, path)
    window.files.recent_changed.emit()
    window.show_page("start")


def _data(window: MainWindow) -> None:
    open_city(window)
    window.show_page("data")
    window.store.select(["satisfaction_transport"])


def _scrub(window: MainWindow) -> None:
    """The same answers by EM, in the middle of its iterations."""
    page = page_named(window, ExplorePage)
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
        page = page_named(window, ExplorePage)
        page.show_half(ATTACK)
        assert page.lab is not None  # noqa: S101 (made by now)
        page.lab.choose(key)

    return with_study(arrange)


def _list_members(window: MainWindow) -> None:
    """The people who probably meet a condition."""
    _attack(MEMBERS)(window)
    lab = page_named(window, ExplorePage).lab
    assert lab is not None  # noqa: S101 (made by now)
    assert lab.members is not None  # noqa: S101 (chosen just now)
    lab.members.card.condition.setText(_RIDERS)
    lab.members.refresh()


def _show_roles(window: MainWindow) -> None:
    """A weight that was chosen, and a cluster that is offered."""
    open_sample(window, "data", Sampling("pw"))
    window.store.select(["pw"])


def _classify(window: MainWindow) -> None:
    """A finished sweep of two classifiers, on a part of the answers so that it is soon over."""
    part = load_sample("city-survey").take(slice(0, 1_000))
    window.store.forget_changes()
    window.store.open(Study.of_table(part, "city-survey, first 1,000"))
    window.show_page("classify")
    page = page_named(window, ClassifyPage)
    page.runs.engine = InProcess()
    page.choose(page.choices.with_(folds=3, steps=3))
    page.run()


def _export(window: MainWindow) -> None:
    open_city(window)
    dialog = ExportDialog(window.workbench, window)
    dialog.path.setText("city-survey-distorted.csv")
    show_dialog(dialog, window.workbench.themes)


def leave_attack(window: MainWindow) -> None:
    """Back to the other half of the page."""
    page_named(window, ExplorePage).show_half(RECONSTRUCT)


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


_RIDERS = "fare_evasion = yes and district in {Riverside, Harbour}"

STOPS = (
    Stop("start", _start),
    Stop("no-study", _show_no_study),
    Stop("data", _data),
    Stop("data-numbers", show_numbers),
    Stop("data-no-questions", show_no_questions),
    Stop("data-questions", show_questions),
    Stop("data-question-number", show_number_question),
    Stop("data-phone", show_phone, leave_phone),
    Stop("data-languages", show_languages, close_dialogs),
    Stop("data-questions-invented", show_state("invented")),
    Stop("data-questions-reported", show_state("reported")),
    Stop("data-questions-true", show_state("true")),
    Stop("add-responses", show_adding, close_dialogs),
    Stop("add-responses-unfit", show_unfit, close_dialogs),
    Stop("design-nominal", design_of("district", Uniform(keep=0.6))),
    Stop(
        "design-ordinal",
        design_of("satisfaction_transport", Ordinal(weights=(0.7, 0.15), loop=False)),
    ),
    Stop(
        "design-ordinal-loop",
        design_of("satisfaction_transport", Ordinal(weights=(0.7, 0.15), loop=True)),
    ),
    Stop("design-binary", design_of("fare_evasion", Binary(keep_one=0.8, keep_zero=0.8))),
    Stop("design-continuous", design_of("income", Additive(noise="normal", range_privacy=50))),
    Stop(
        "design-integer",
        design_of("age", Additive(noise="uniform", half_width=10, integer="staircase")),
    ),
    Stop("design-singular", design_of("fare_evasion", Uniform(keep=0.5))),
    Stop("design-pinned", show_pinned),
    Stop("design-shares", show_shares, leave_shares),
    Stop("design-drawn", show_drawn, leave_shares),
    Stop("design-plan", show_plan, leave_plan),
    Stop("design-budget", show_budget),
    Stop("design-over-budget", show_over_budget),
    Stop("design-share-out", show_share_out, leave_share_out),
    Stop("explore-nominal", design_of("district", Uniform(keep=0.3), "explore")),
    Stop(
        "explore-continuous",
        design_of("income", Additive(noise="normal", range_privacy=50), "explore"),
    ),
    Stop("explore-mid-iteration", _scrub),
    Stop("attack-guess", _attack("guess"), leave_attack),
    Stop("attack-repeat", _attack("repeat"), leave_attack),
    Stop("attack-filter", _attack("filter"), leave_attack),
    Stop("attack-link", _attack("link"), leave_attack),
    Stop("attack-members", _list_members, leave_attack),
    Stop("survey-mean", survey_of("mean", "education >= bachelor", of="income")),
    Stop("survey-distribution", survey_of("distribution", "fare_evasion = yes", of="district")),
    Stop("survey-cross-table", survey_of("crosstab", "", of="education", by="home")),
    Stop("survey-count", survey_of("count", _RIDERS)),
    Stop("data-roles", _show_roles),
    Stop("survey-sampling", sampled_survey("count", "fare_evasion = yes")),
    Stop("survey-quantiles", sampled_survey("quantile", "", of="income")),
    Stop(
        "survey-compare",
        sampled_survey("compare", "", of="fare_evasion", value="yes", by="education"),
    ),
    Stop("survey-regression", show_regression),
    Stop("survey-regression-sampling", show_sampled_regression),
    Stop("survey-compliance", compliance_by("A", "B")),
    Stop("survey-compliance-one-arm", compliance_by("A")),
    Stop("survey-list", show_list_answer),
    Stop("design-list", show_list, close_dialogs),
    Stop("survey-association", sampled_survey("crosstab", "", of="fare_evasion", by="education")),
    Stop("design-roles", show_design_roles),
    Stop("design-no-arms", with_study(show_no_arms), leave_arms),
    Stop("design-arms", show_arms, leave_arms),
    Stop("design-arm", show_one_arm, leave_arms),
    Stop("design-arm-shares", show_best_shares, leave_arms),
    Stop("publish-sampling", show_publish_sampling),
    Stop("mine", with_study(show_sets)),
    Stop("mine-rules", show_rules),
    Stop("mine-runs", show_runs),
    Stop("classify", _classify, lambda window: window.store.forget_changes()),
    Stop("publish", with_study(show_deniable)),
    Stop("publish-distorted", show_distorted),
    Stop("publish-bundle", show_release, close_dialogs),
    Stop("collect", show_nobody_asked),
    Stop("collect-open", show_collecting),
    Stop("collect-monitoring", show_monitoring),
    Stop("collect-closing", show_closing, close_dialogs),
    Stop("collect-stopped", show_stopped, leave_collecting),
    Stop("learn", lambda window: window.show_page("learn")),
    Stop("learn-gallery", _show_gallery, _leave_gallery),
    Stop("learn-step", show_step, MainWindow.end_demonstration),
    Stop("running-job", run_job, end_job, busy=True),
    Stop("error", fail, lambda window: window.banner.hide()),
    Stop("export", _export, close_dialogs),
    *(Stop(f"dialog-{name}", _show(make), close_dialogs) for name, make in DIALOGS.items()),
)
