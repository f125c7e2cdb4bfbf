"""What pages, commands and the help write, on small results that are made once."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from asking import small_study
from designs import classic_study
from kits import small as small_kit
from mining_studies import many_rules, many_sets, mining_request
from part_files import write_parts
from publish_tables import FREE, smokers
from PySide6.QtGui import QImage

from ppworkbench.analyses.experiments import classify
from ppworkbench.analyses.mining.mine import Mine, length_sheet
from ppworkbench.analyses.mining.runs import FOUND, run_document, runs_sheet
from ppworkbench.analyses.regression.regress import Regress, RegressionResult
from ppworkbench.analyses.runs import Run
from ppworkbench.analyses.survey.answers import SurveyResult, answer_question, write_result
from ppworkbench.analyses.survey.questions import COUNT, PARTICIPANTS, REGRESSION, Question
from ppworkbench.api.releases import reports
from ppworkbench.api.survey import Survey
from ppworkbench.cli.questions import write_files
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.parts import open_parts
from ppworkbench.core.design import Design, DesignedAttribute, Forced, Identity, release
from ppworkbench.core.design.release import release_parts
from ppworkbench.core.engines import LocalEngine
from ppworkbench.core.message import Message
from ppworkbench.core.mining import miners
from ppworkbench.core.models import parse_formula
from ppworkbench.core.publish import publish
from ppworkbench.core.rng import SeededStreams
from ppworkbench.fieldwork.collector.tokens import write_tokens
from ppworkbench.fieldwork.kit.kit import KitOptions, write_kit
from ppworkbench.fieldwork.page.cards import Card, cards_of, write_cards
from ppworkbench.fieldwork.responses.mapping import ColumnChoice, Mapping, write_mapping
from ppworkbench.gui.pages.classify.tree_card import TreeCard
from ppworkbench.gui.pages.question_page import write_run
from ppworkbench.gui.pdf.kit import print_kit
from ppworkbench.gui.pdf.report import print_cards
from ppworkbench.gui.tour import pictures
from ppworkbench.outputs.demonstrations.catalogue import write_template
from ppworkbench.outputs.gallery.compare import compare_gallery
from ppworkbench.outputs.gallery.surveys import read_gallery
from ppworkbench.outputs.gallery.tables import write_gallery
from ppworkbench.outputs.handover.delivery import Delivery
from ppworkbench.outputs.handover.write import write_documents
from ppworkbench.outputs.help import guide
from ppworkbench.outputs.publish import Publish
from ppworkbench.outputs.scripts.folder import write_script_folder
from ppworkbench.outputs.scripts.results import survey_analysis
from ppworkbench.results.files import write_sheet
from ppworkbench.results.sheet import Column, Sheet
from ppworkbench.results.sheet import Kind as SheetKind
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.blocks import Report
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.questionnaire.document import (
    Answer,
    Questionnaire,
    write_document,
)
from ppworkbench.study.questionnaire.document import Question as AskedQuestion
from ppworkbench.study.questionnaire.sheet import write_questions_sheet

PAGE_WRITERS: dict[str, Callable[[Path], object]] = {}


def writer(name: str) -> Callable[[Callable[[Path], object]], Callable[[Path], object]]:
    """A function that writes below the folder it is given."""

    def note(write: Callable[[Path], object]) -> Callable[[Path], object]:
        PAGE_WRITERS[name] = write
        return write

    return note


@cache
def _run() -> Run[Mine]:
    sheets = {"itemsets": many_sets(300).whole, "rules": many_rules(300).whole}
    lengths = length_sheet({"length": range(1, 7), "found": [50] * 6})
    facts = {"records": 40, "seconds": 0.1, "chance": None, "reached": 300, "rules": 300}
    request = mining_request((), miners["apriori"]())
    return Run(1, request, "now", facts=facts, sheets=sheets | {"lengths": lengths})


@writer("mined.csv")
def _sets(folder: Path) -> None:
    write_sheet(_run().sheets["itemsets"], folder / "sets.csv")


@writer("mined.json")
def _whole_run(folder: Path) -> None:
    run = _run()
    write_run(
        run.sheets["itemsets"], lambda: run_document(run, AnswerState.REPORTED), folder / "run.json"
    )


@writer("runs.csv")
def _runs(folder: Path) -> None:
    write_sheet(runs_sheet((_run(),), FOUND), folder / "runs.csv")


@cache
def _answer(statistic: str) -> SurveyResult:
    found = answer_question(Question(statistic), small_study(), DistortedCache())
    assert isinstance(found, SurveyResult)
    return found


@writer("survey.csv")
def _count(folder: Path) -> None:
    write_result(_answer(COUNT), folder / "count.csv")


@writer("participants.csv")
def _participants(folder: Path) -> None:
    write_result(_answer(PARTICIPANTS), folder / "people.csv")


@writer("tree.json")
def _tree(folder: Path) -> None:
    fitted = SimpleNamespace(to_json=lambda: {"nodes": [*range(99)]}, to_text=lambda: "if\n" * 99)
    card: Any = SimpleNamespace(tree=SimpleNamespace(trained=SimpleNamespace(classifier=fitted)))
    TreeCard.save_tree(card, folder / "tree.json")


@writer("tree.txt")
def _tree_as_text(folder: Path) -> None:
    fitted = SimpleNamespace(to_json=lambda: {"nodes": [*range(99)]}, to_text=lambda: "if\n" * 99)
    card: Any = SimpleNamespace(tree=SimpleNamespace(trained=SimpleNamespace(classifier=fitted)))
    TreeCard.save_tree(card, folder / "tree.txt")


@cache
def _published() -> Any:
    return publish(smokers(60), "smokes", FREE, streams=SeededStreams(1))


@writer("deniable")
def _deniable(folder: Path) -> None:
    files = {"out": folder / "published.csv", "tree": folder / "tree.json"}
    Publish(sensitive="smokes", shuffle=True, **files).write(_published(), None, seed=1)


@cache
def _regression() -> RegressionResult:
    table = smokers(60)
    named = [one.attribute for one in table.columns]
    design = Design(tuple(DesignedAttribute(one, Identity()) for one in named))
    return Survey(table, design).regress("smokes ~ 1")


@writer("coefficients.tex")
def _coefficients(folder: Path) -> None:
    model = Regress(formula=parse_formula("vote=yes ~ 1"))
    found = answer_question(Question(REGRESSION, model=model), small_study(), DistortedCache())
    assert isinstance(found, SurveyResult)
    write_result(found, folder / "coefficients.tex")


@writer("regress")
def _regress(folder: Path) -> None:
    named = {"csv": str(folder / "terms.csv"), "latex": str(folder / "terms.tex")}
    saved = SimpleNamespace(save=[folder / "terms.md"], table="", picture="", figure_size="column")
    write_files(_regression(), named, saved)


@writer("figure")
def _figure(folder: Path) -> None:
    _regression().save(folder / "terms.svg")


@cache
def _cards() -> tuple[Card, ...]:
    attribute = Attribute("drug", Kind.BINARY, ("no", "yes"))
    return cards_of(Design((DesignedAttribute(attribute, Forced(p_truth=2 / 3)),)))


@writer("questions.json")
def _questions(folder: Path) -> None:
    write_document(_asked(), folder / "questions.json")


@writer("questions.csv")
def _questions_sheet(folder: Path) -> None:
    write_questions_sheet(_asked(), folder / "questions.csv")


@writer("questions.xlsx")
def _questions_workbook(folder: Path) -> None:
    write_questions_sheet(_asked(), folder / "questions.xlsx")


def _asked() -> Questionnaire:
    answers = (Answer("no", {"en": "No"}), Answer("yes", {"en": "Yes"}))
    return Questionnaire(
        ("en",), (AskedQuestion("drug", Kind.BINARY, {"en": "Q?"}, answers=answers),)
    )


@writer("mapping")
def _mapping(folder: Path) -> None:
    write_mapping(Mapping({"drug": ColumnChoice("Q1", "codes")}), folder / "mapping.json")


@writer("tokens.csv")
def _tokens_list(folder: Path) -> None:
    write_tokens(("first", "second"), folder / "tokens.csv")


@writer("tokens.html")
def _tokens_page(folder: Path) -> None:
    write_tokens(("first", "second"), folder / "tokens.html")


@writer("cards.html")
def _cards_page(folder: Path) -> None:
    write_cards(_cards(), folder / "cards.html")


@writer("cards.pdf")
def _cards_pdf(folder: Path) -> None:
    print_cards(_cards(), folder / "cards.pdf")


@writer("experiment")
def _experiment(folder: Path) -> None:
    with classify._kept(SimpleNamespace(fingerprint="a"), str(folder / "results.json")):
        pass


@cache
def _kept() -> tempfile.TemporaryDirectory[str]:
    """A folder that goes with the process, and is not watched."""
    folder = tempfile.TemporaryDirectory(prefix="ppworkbench-source-")
    write_table(smokers(60), Path(folder.name) / "in.csv")
    return folder


@writer("shuffled")
def _shuffled(folder: Path) -> None:
    """A release of many rows, which are put into another order on the disk."""
    source, design = Path(_kept().name) / "in.csv", classic_study(smokers(60), "smokers").design
    limit, release._IN_MEMORY_BYTES = release._IN_MEMORY_BYTES, 0
    tempfile.tempdir = str(folder)
    try:
        release.release_file(source, design, folder / "r.csv")
    finally:
        release._IN_MEMORY_BYTES, tempfile.tempdir = limit, None


_FOLDERS = itertools.count()


@writer("parts")
def _parts(folder: Path) -> None:
    """A release of a folder of parts, which appear together."""
    parts = Path(_kept().name) / "parts"
    if not parts.exists():
        write_parts(parts, smokers(60), [20])
    design = classic_study(smokers(60), "smokers").design
    # Parts go into a new folder.
    target = folder / f"released-{next(_FOLDERS)}"
    release_parts(open_parts(str(parts)), design, str(target), LocalEngine())


_guide_html = cache(guide.guide_html)


@writer("guide")
def _guide(folder: Path) -> None:
    # Making its pages takes most of the time, and nothing is written meanwhile.
    with mock.patch.object(guide, "guide_html", _guide_html):
        guide.write_guide(folder / "guide.html")


@writer("template of a demonstration")
def _template(folder: Path) -> None:
    write_template(folder / "mine.toml")


@writer("gallery")
def _gallery(folder: Path) -> None:
    found = compare_gallery(read_gallery()[:1])
    for end in (".csv", ".json", ".html"):
        write_gallery(found, folder / f"gallery{end}")


@writer("tour")
def _tour(folder: Path) -> None:
    picture = QImage(40, 30, QImage.Format.Format_RGB32)
    picture.fill(0)
    pictures._save(picture, folder / "01-start.png")


@writer("kit.zip")
def _kit(folder: Path) -> None:
    options = KitOptions(("paper", "xlsform", "redcap"))
    result = write_kit(*small_kit(), folder / "kit.zip", options, print_pdf=print_kit)
    assert not result.refused


@cache
def _delivery() -> Delivery:
    study = small_study()
    table = study.original or study.distorted
    return Delivery("Survey", table, study.design, study.state)


@writer("script")
def _script(folder: Path) -> None:
    answer = _answer(COUNT)
    analysis = survey_analysis(answer)
    write_script_folder(folder / "new.zip", "python", analysis, answer.study, DistortedCache())


@writer("descriptions of a table")
def _descriptions(folder: Path) -> None:
    write_documents(_delivery(), folder)


@writer("tables of a report")
def _report_tables(folder: Path) -> None:
    value = Column("value", Message("value"), SheetKind.TEXT, ["=1+1"])
    share = Column("share", Message("share"), SheetKind.SHARE, [0.5])
    table = Sheet("report-shares.csv", Message("Shares"), (value, share))
    made = Report("Survey", "2024-05-01", (), tables=(table,))
    reports.attach(made, folder / "tables.zip")
