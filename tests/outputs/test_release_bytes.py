"""What is written into a release follows from the released records and the design alone."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.data.attribute import PUBLIC, Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Identity,
    SquareWave,
    Uniform,
)
from ppworkbench.core.design import release as release_module
from ppworkbench.core.design.design_file import publishable
from ppworkbench.core.design.devices import exact_device
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.fieldwork.responses.add import (
    AddOptions,
    add_to_study,
    read_responses,
    study_questions,
)
from ppworkbench.outputs import bundle as bundle_module
from ppworkbench.outputs.bundle import FORMATS, BundleOptions, write_bundle
from ppworkbench.outputs.report import build_report
from ppworkbench.outputs.report.evidence import gather
from ppworkbench.study.answer_state import DIRECT, RESPONSES, SOURCES
from ppworkbench.study.blocks import report_html
from ppworkbench.study.state import sources_of
from ppworkbench.study.study import PriorChoice, Study

ROWS = 240
TOWN = Attribute("town", Kind.NOMINAL, ("Aa", "Bb", "Cc"), domain_source=PUBLIC)
WEIGHT = Attribute("weight", Kind.CONTINUOUS, domain=(0, 10))
DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",), domain_source=PUBLIC)
PARTY = Attribute("party", Kind.NOMINAL, ("left", "middle", "right"), domain_source=PUBLIC)
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90), domain_source=PUBLIC)
PAY = Attribute("pay", Kind.CONTINUOUS, domain=(0, 5_000), domain_source=PUBLIC)
DESIGN = Design(
    (
        DesignedAttribute(TOWN, Identity()),
        DesignedAttribute(WEIGHT, Identity()),
        DesignedAttribute(DRUG, Uniform(keep=0.7)),
        DesignedAttribute(PARTY, Uniform(keep=0.6)),
        DesignedAttribute(AGE, SquareWave(epsilon=2.0)),
        DesignedAttribute(PAY, Additive(noise="normal", sigma=400.0)),
    )
)


def true_study(seed: int, share: float) -> Study:
    """People whose town and weight are those of every such study; the rest is their own.

    With a large share nobody answers “right”, all are old, and all are paid alike: what is observed
    of a range or a list of values differs as well.
    """
    known, own = np.random.default_rng(3), np.random.default_rng(seed)
    drug = (own.random(ROWS) < share).astype(np.int64)
    few = share < 0.5
    party = own.choice(3, ROWS, p=[share, 0.9 - share, 0.1] if few else [share, 1 - share, 0])
    party[:20] = -1
    columns = (
        Column(TOWN, known.integers(0, 3, ROWS)),
        Column(WEIGHT, np.round(1 + 3 * known.random(ROWS), 1)),
        Column(DRUG, drug),
        Column(PARTY, party),
        Column(AGE, own.integers(*((18, 60) if few else (71, 83)), ROWS).astype(float)),
        Column(PAY, np.round(own.gamma(3, 400, ROWS).clip(0, 5_000 if few else 0.4), 1)),
        Column(Attribute("email", Kind.NOMINAL, ("x", "y")), own.integers(0, 2, ROWS)),
    )
    # The file that people's answers came from is nobody's business either.
    table = Table(columns, source=f"/home/owner/{seed}.arff")
    study = Study("Two towns", table, design=DESIGN)
    study = study.with_choice("drug", PriorChoice("drawn", (1 - share, share)))
    return study.with_sampling(Sampling("weight", ("town",)))


@pytest.fixture
def same_reports(monkeypatch):
    """Whatever people answer, the same reports are drawn."""
    study = true_study(1, 0.2)
    reports = distort(study.original, publishable(DESIGN), SeededStreams(4))
    reports = reports.with_(notes=(), source="")

    monkeypatch.setattr(release_module.Distorter, "apply", lambda *_: reports)
    monkeypatch.setattr(release_module, "shuffled", lambda table, _: table)
    monkeypatch.setattr(bundle_module, "shuffled", lambda table, _: table)


@pytest.mark.usefixtures("same_reports")
@pytest.mark.parametrize("suffix", FORMATS)
def test_that_other_true_answers_with_the_same_reports_give_the_same_bytes(tmp_path, suffix):
    # Report and page are made of the table that was read back; drawing takes its time.
    once = suffix == ".csv"
    options = BundleOptions(
        suffix, report=once, questionnaire=once, counts=True, confirm=("drug", "party")
    )
    held = []
    for place, study in enumerate((true_study(1, 0.2), true_study(2, 0.84))):
        folder = tmp_path / str(place)
        made = write_bundle(study, folder, options)
        # Their owner is told of the true answers; that stands in no file.
        assert any("email: omitted" in one.line() for one in made.points)
        assert any("standard error" in one.line() for one in made.points)
        held.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert held[0].keys() == held[1].keys()
    assert [name for name in held[0] if held[0][name] != held[1][name]] == []
    # Neither what was a temporary name, nor where the answers came from.
    assert [name for name in held[0] if b".tmp" in held[0][name]] == []
    assert [name for name in held[0] if b"/home/owner" in held[0][name]] == []
    listed = held[0]["README.txt"].decode()
    assert "email" not in listed
    assert "stays" not in listed
    assert "Missing answers of party stay missing" in listed
    # Town and weight are true answers of people.
    if not once:
        return
    report = held[0]["report.html"].decode()
    assert "Nothing in it comes from the true answers" not in report
    assert "As people answered: town, weight." in report


@pytest.mark.usefixtures("same_reports")
def test_that_a_belief_starts_from_what_is_expected_unless_true_answers_are_at_hand(tmp_path):
    true = true_study(2, 0.84)
    quick = BundleOptions(report=False, documents=False, confirm=("drug", "party"))
    write_bundle(true, tmp_path / "true", quick)
    listed = (tmp_path / "true" / "README.txt").read_text(encoding="utf-8")
    assert "50 % before it, if all answers are equally likely" in listed
    reports = distort(true.original, publishable(DESIGN), SeededStreams(4))
    asked = Study("Two towns", distorted=reports, design=publishable(DESIGN))
    asked = asked.with_choice("drug", PriorChoice("drawn", (0.92, 0.08)))
    write_bundle(asked, tmp_path / "asked", quick)
    listed = (tmp_path / "asked" / "README.txt").read_text(encoding="utf-8")
    # Of a hundred people 5.6 with it and 27.6 without it report it.
    assert "belief in “yes” is at most 17 % after a report: 8 % before it, as expected" in listed


def test_that_a_report_says_that_nothing_is_true_only_where_it_is_so():
    listed = tuple(one for one in DESIGN if one.name in ("drug", "party"))
    reports = distort(true_study(1, 0.2).original, Design(listed), SeededStreams(4))
    page = report_html(build_report(Study("x", distorted=reports, design=Design(listed))))
    assert "Nothing in it comes from the true answers" in page
    made = Study("x", distorted=reports, design=Design(()))
    assert "Nothing in it comes" not in report_html(build_report(made))


def test_that_a_report_tells_how_people_were_really_asked():
    device = Uniform(keep=0.75)
    designed = DesignedAttribute(DRUG, device, device=exact_device(device, DRUG))
    assert designed.device is not None
    design = Design((designed,))
    reports = distort(true_study(1, 0.2).original, design, SeededStreams(4))
    study = Study("x", distorted=reports, design=design)

    def page(source: str) -> str:
        return report_html(build_report(study.with_results(RESPONSES, {SOURCES: [source]})))

    assert "The card for drug" in report_html(build_report(study))
    assert "The card for drug" in page("qualtrics")
    assert "The answers come from Qualtrics." in page("qualtrics")
    for source, said in (("page", "a questionnaire page"), ("collector", "a collector")):
        told = page(source)
        assert f"The answers come from {said}." in told
        assert "The card for drug" not in told
        assert "What respondents read, for drug" in told
    told = page(DIRECT)
    assert "People were asked directly" in told
    assert "What respondents read" not in told


def test_that_a_study_remembers_where_its_answers_came_from(tmp_path):
    design = Design((DesignedAttribute(DRUG, Uniform(keep=0.7)),))
    file = tmp_path / "typed.csv"
    file.write_text("drug\nyes\nno\nno\n", encoding="utf-8")
    empty = Study(design=design)
    found = read_responses([file], design, study_questions(empty), AddOptions("reported"))
    study = add_to_study(empty, found, b"")
    assert sources_of(study) == ("table",)


def test_that_measures_of_a_report_start_from_the_expected_shares():
    design = Design((DESIGN["drug"],))
    reports = distort(true_study(2, 0.84).original, design, SeededStreams(4))
    study = Study("x", distorted=reports, design=design)
    study = study.with_choice("drug", PriorChoice("drawn", (0.92, 0.08)))
    evidence = gather(study)
    assert evidence.assessment["drug"].prior.probabilities == pytest.approx([0.92, 0.08])
    assert evidence.prior_sentence.startswith("an attacker knows the expected distribution")
