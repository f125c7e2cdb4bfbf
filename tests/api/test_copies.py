"""Every result can be saved with pickle and copied: notebooks and pools of processes do both."""

from __future__ import annotations

import copy
import importlib
import pickle
import pkgutil
from datetime import datetime, timedelta
from inspect import isabstract

import pandas as pd
import pytest
from studies import listed_study

import ppworkbench as pp
from ppworkbench import analyses, api
from ppworkbench.study.distorted_cache import DistortedCache

EVASION = "fare_evasion"
ARMS = {
    "column": "arm",
    "members": {
        "A": {"share": 0.5},
        "B": {"share": 0.5, "perturbations": {EVASION: {"type": "uniform", "keep": 0.2}}},
    },
}
TWO_NUMBERS = pd.DataFrame({"earned": [1.5, 2.0, 3.5, 4.0], "spent": [1.0, 2.5, 3.0, 3.5]})
OF_A_SURVEY = {
    "CountResult": lambda s: s.count(f"{EVASION} = yes"),
    "ShareResult": lambda s: s.share(EVASION),
    "MeanResult": lambda s: s.mean("age"),
    "DistributionResult": lambda s: s.distribution("district"),
    "TableResult": lambda s: s.table("sex", "district"),
    "QuantileResult": lambda s: s.quantile("age"),
    "RatioResult": lambda _: pp.Survey(TWO_NUMBERS).ratio("spent", "earned"),
    "ComparisonResult": lambda s: s.compare(f"{EVASION}=yes", "sex"),
    "ParticipantsResult": lambda s: s.participants(f"{EVASION} = yes", size=2),
    "RegressionResult": lambda s: s.regress(f"{EVASION}=yes ~ sex"),
    "CorrelationResult": lambda s: s.correlate("sex=F", EVASION),
    "ComplianceResult": lambda s: s.compliance(EVASION),
}
OF_ANSWERS = {
    "AttackResult": lambda a, d: pp.attack(a, d, a, attribute=EVASION),
    "ReconstructionResult": lambda a, d: pp.reconstruct(a, d, EVASION),
    "RepeatResult": lambda a, d: pp.repeat(a, d, "district", draws=2, seed=1),
    "MiningResult": lambda a, d: pp.mine(a, d, min_support=0.3, rules=True),
    "ClassificationResult": lambda *_: pp.classify(
        pp.sample("weather"),
        pp.Design.starting(pp.sample("weather")),
        ["naive-bayes"],
        class_name="class",
        folds=2,
    ),
    "PublishResult": lambda a, _: pp.publish(a, EVASION, seed=1, folds=2),
    "AccuracyResult": lambda a, _: pp.accuracy_curve(
        a, EVASION, minimums=[0.1], learners=["tree"], folds=2, seed=1
    ),
    "PrivacyResult": lambda _, d: pp.privacy(d),
    "PlanResult": lambda _, d: pp.plan(d, half_width=0.05, share=0.2),
    "OptimiseResult": lambda _, d: pp.optimise(d, EVASION, target=0.7),
    "TradeOffResult": lambda _, d: pp.trade_off(d, EVASION, limit=0.4, frontier=False),
    "BudgetResult": lambda _, d: pp.budget(d),
    "AllocationResult": lambda _, d: pp.allocate(
        d.to_dict() | {"version": 2, "arms": ARMS}, EVASION, serves="compliance", share=0.2
    ),
}
OF_FILES = {
    "Inspection": lambda: pp.inspect("true.csv"),
    "SamplesResult": pp.samples,
    "WrittenSample": lambda: pp.write_sample("city-survey", "s.csv", rows=40, seed=2),
    "ReleaseResult": lambda: pp.release("true.csv", "design.json", "released.csv", seed=1),
    "ReportResult": lambda: pp.report("trial.ppw", "r.html", date="2026-01-01"),
    "BundleResult": lambda: pp.bundle("reported.csv", "b.zip", report=False),
    "GalleryResult": pp.gallery,
    "DevicesResult": lambda: pp.devices(probability=0.7),
    "QuestionnaireResult": lambda: pp.questionnaire("design.json", "q.html"),
    "CardsResult": lambda: pp.cards("die.json", "cards.html"),
    "KitResult": lambda: pp.kit("die.json", "k.zip", targets=("text",), languages=("en",)),
    "CollectedResult": lambda: pp.collect("answers.jsonl", "design.json", "c.csv"),
    "AddedResult": lambda: pp.add_answers(
        "design.json", "reported.csv", state="reported", platform="table", out="a.csv"
    ),
    "RehearsalResult": lambda: pp.rehearse("design.json", "z.ppw", n=40, seed=5),
    "QuestionsResult": lambda: pp.check_questions("asked.json"),
    "ConvertedResult": lambda: pp.convert_questions("asked.json", "asked.xlsx"),
    "ServeResult": lambda: pp.serve(
        "design.json", "field.sqlite", port=0,
        until=datetime.now().astimezone() + timedelta(seconds=1),
    ),
}  # fmt: skip
SLOW = {"GalleryResult", "ReportResult"}


def assert_copied(found: pp.Result, name: str) -> None:
    assert type(found).__name__ == name
    frame = found.to_frame()
    for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert type(again) is type(found)
        assert again.summary() == found.summary()
        assert again.to_dict() == found.to_dict()
        pd.testing.assert_frame_equal(again.to_frame(), frame)


def test_that_no_result_is_forgotten_here() -> None:
    for package in (api, analyses):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    known, waiting = set(), [pp.Result]
    while waiting:
        one = waiting.pop()
        below = [
            each for each in one.__subclasses__() if each.__module__.startswith("ppworkbench.")
        ]
        waiting += below
        known |= set() if isabstract(one) else {one.__name__}
    # What these share is no result by itself.
    known -= {"SurveyResult"}
    made = {*OF_A_SURVEY, *OF_ANSWERS, *OF_FILES, "ListItemResult"}
    assert known == made


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_A_SURVEY)
def test_that_an_answer_of_a_survey_is_copied(name: str, answers, design) -> None:
    assert_copied(OF_A_SURVEY[name](pp.Survey(answers, design)), name)


def test_that_the_answer_of_a_list_is_copied() -> None:
    study = listed_study()
    survey = pp.Survey(DistortedCache().of(study).distorted, study.design)
    assert_copied(survey.list_item("theft"), "ListItemResult")


@pytest.mark.parametrize("name", OF_ANSWERS)
def test_that_a_result_of_a_design_or_its_answers_is_copied(name: str, answers, design) -> None:
    assert_copied(OF_ANSWERS[name](answers.drop(columns=["weight", "school"]), design), name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.slow) if one in SLOW else one for one in OF_FILES]
)
def test_that_a_result_that_was_written_is_copied(name: str, folder, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    assert_copied(OF_FILES[name](), name)
