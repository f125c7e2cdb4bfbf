"""Questions of Survey whose answers are given again by scripts, and ways to run scripts."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ppworkbench.analyses.compliance.compliance import ComplianceRequest
from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.analyses.survey.answers import SurveyResult, answer_question
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.core.models import parse_formula
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.outputs.scripts import PYTHON
from ppworkbench.outputs.scripts.analysis import Analysis
from ppworkbench.outputs.scripts.folder import write_script_folder
from ppworkbench.results.result import Result
from ppworkbench.results.text import plain
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study

ROOT = Path(__file__).resolve().parents[1]

MODEL = Regress(formula=parse_formula("vote=yes ~ mood + age"))
WHERE = parse_condition("vote = yes")
QUESTIONS = {
    "share": Question("count", WHERE),
    "share of two": Question("count", parse_condition("vote = yes and age < 40")),
    "mean": Question("mean", WHERE, of="age"),
    "quantile": Question("quantile", of="age", at=(0.1, 0.5)),
    "distribution": Question("distribution", WHERE, of="town"),
    "sequential": Question("distribution", WHERE, method="sequential", of="town"),
    "table": Question("crosstab", of="town", by="vote"),
    "compare": Question("compare", of="vote", value="yes", by="town", reference="Ash"),
    "participants": Question("participants", WHERE, size=5, draw="random", seed=9),
    "regression": Question("regression", model=MODEL),
    "compliance": Question("compliance", compliance=ComplianceRequest("vote", band=(0.0, 0.2))),
}


def answered(question: Question, study: Study) -> SurveyResult:
    found = answer_question(question, study, DistortedCache())
    assert isinstance(found, SurveyResult), found
    return found


def run_python(script: Path) -> tuple[str, object]:
    """What a script prints, and its result as JSON."""
    code = script.read_text(encoding="utf-8")
    more = "import json\n\nprint('JSON' + json.dumps(found.to_dict()))\n"
    script.write_text(code + more, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, script.name], cwd=script.parent, env=environment, capture_output=True,
        encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told, _, document = done.stdout.partition("JSON")
    return told, json.loads(document)


def assert_same(found: object, expected: object, place: str = "") -> None:
    """Every number of a result is in another one; remarks about a study need not be."""
    if isinstance(expected, Mapping):
        assert isinstance(found, Mapping), place
        for name, value in expected.items():
            if name not in ("remarks", "true", "seconds"):
                assert_same(found[name], value, f"{place}/{name}")
    elif isinstance(expected, Sequence) and not isinstance(expected, str):
        assert isinstance(found, Sequence), place
        assert len(found) == len(expected), place
        for i, (one, other) in enumerate(zip(found, expected, strict=True)):
            assert_same(one, other, f"{place}/{i}")
    elif isinstance(expected, float) and isinstance(found, float):
        assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12), (place, found, expected)
    else:
        assert found == expected, place


def changed_numbers(document: object) -> object:
    """The same with every number a little larger: a comparison that passes it proves nothing."""
    if isinstance(document, Mapping):
        return {name: changed_numbers(value) for name, value in document.items()}
    if isinstance(document, Sequence) and not isinstance(document, str):
        return [changed_numbers(one) for one in document]
    return document * 1.001 + 0.001 if isinstance(document, float) else document


def check_python(folder: Path, analysis: Analysis, study: Study, expected: object) -> str:
    script = write_script_folder(folder, PYTHON, analysis, study, DistortedCache())
    told, document = run_python(script)
    assert_same(document, plain(expected))
    return told


def run_here(folder: Path, analysis: Analysis, study: Study, capsys) -> dict[str, object]:
    """The result of a script that is run in this process, in its folder."""
    script = write_script_folder(folder, PYTHON, analysis, study, DistortedCache())
    before = Path.cwd()
    os.chdir(folder)
    try:
        made: dict[str, object] = {"__name__": "__main__"}
        exec(compile(script.read_text(encoding="utf-8"), script.name, "exec"), made)
    finally:
        os.chdir(before)
    assert capsys.readouterr().out
    found = made["found"]
    assert isinstance(found, Result)
    return found.to_dict()
