"""A recipient estimates means of numbers with R or pandas, by what stands in the release."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Design,
    DesignedAttribute,
    Duchi,
    Hybrid,
    Identity,
    Laplace,
    Piecewise,
    SquareWave,
)
from ppworkbench.core.survey.means import mean
from ppworkbench.fieldwork.opening import open_anything
from ppworkbench.outputs.bundle import BundleOptions, write_bundle
from ppworkbench.study.study import Study

NAMES = ("square", "pieces", "two", "mixed")
DEVICES = (SquareWave(epsilon=1.0), Piecewise(epsilon=2.0), Duchi(epsilon=1.0), Hybrid(epsilon=2.0))


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "weighted"])
def released(tmp_path_factory, request):
    draw = np.random.default_rng(7)
    rows = 400
    listed, columns = [], []
    for name, device in zip((*NAMES, "plain"), (*DEVICES, Laplace(epsilon=1.0)), strict=True):
        attribute = Attribute(f"{name} number", Kind.INTEGER, domain=(0, 60))
        data = draw.integers(0, 61, rows).astype(float)
        data[:3] = np.nan
        listed.append(DesignedAttribute(attribute, device))
        columns.append(Column(attribute, data))
    weight = Attribute("w", Kind.CONTINUOUS, domain=(0, 9))
    listed.append(DesignedAttribute(weight, Identity()))
    columns.append(Column(weight, np.round(1 + 3 * draw.random(rows), 1)))
    study = Study("numbers", Table(tuple(columns)), design=Design(tuple(listed)))
    if request.param:
        study = study.with_sampling(Sampling("w"))
    folder = tmp_path_factory.mktemp("released") / "out"
    options = BundleOptions(report=False, confirm=tuple(one.name for one in listed))
    write_bundle(study, folder, options)
    return folder


def lines(folder, *starts):
    text = (folder / "FOR-ANALYSTS.txt").read_text(encoding="utf-8")
    part = text.split("Means of numbers without this program")[1].split("Where the design is")[0]
    return [one.strip() for one in part.splitlines() if one.strip().startswith(starts)]


def wanted(folder):
    received = open_anything([folder / "numbers.csv"])
    return [
        mean(
            received.distorted, received.design, f"{name} number", sampling=received.sampling
        ).value.estimate
        for name in NAMES
    ]


def test_that_the_lines_for_python_give_our_means(released, monkeypatch):
    monkeypatch.chdir(released)
    known: dict[str, object] = {}
    found = []
    for line in lines(released, "import", "answers =", "known =", "u =", "numpy.average"):
        if line.startswith("numpy."):
            found.append(eval(line, known))
        else:
            exec(line, known)
    assert found == pytest.approx(wanted(released))


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not here")
def test_that_the_lines_for_r_give_our_means(released):
    code = lines(released, "answers <-", "u <-", "mean(", "weighted.mean(")
    code = [f"cat({line}, '\\n')" if "mean(" in line else line for line in code]
    ran = subprocess.run(
        ["Rscript", "-e", "options(digits = 15)", "-e", "\n".join(code)],
        cwd=released, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert [float(one) for one in ran.stdout.split()] == pytest.approx(wanted(released))


def test_that_the_square_wave_has_its_formula(released):
    text = (released / "FOR-ANALYSTS.txt").read_text(encoding="utf-8")
    found = re.search(r"square number\n    u\(report\) = (\S+) \+ (\S+) \* report", text)
    start, slope = (float(one) for one in found.groups())
    attribute = Attribute("square number", Kind.INTEGER, domain=(0, 60))
    reports = np.arange(0.0, 61.0)
    ours = SquareWave(epsilon=1.0).unbiased(reports, attribute)
    assert start + slope * reports == pytest.approx(ours)
    assert "plain number\n    u" not in text
