"""The Python code of README and help runs, and what it says is true."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import ppworkbench as pp

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "resources/help/python.md", "resources/help/pl/python.md")
_FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def code_of(page: str) -> list[str]:
    return _FENCE.findall((ROOT / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES[:2])
def test_that_the_code_of_a_page_runs(page: str, capsys) -> None:
    for code in code_of(page):
        exec(compile(code, page, "exec"), {})
    assert capsys.readouterr().out


def test_that_both_languages_show_the_same_code() -> None:
    assert code_of(PAGES[1]) == code_of(PAGES[2])


@pytest.mark.parametrize("page", PAGES[1:])
def test_that_the_help_names_what_there_is(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`pp\.(\w+)", text)) - {"__all__"}
    assert named <= set(pp.__all__)
    functions = {name for name in pp.__all__ if name[0].islower()}
    assert functions <= named


@pytest.mark.slow
def test_that_a_wheel_in_an_empty_environment_runs_the_readme(tmp_path) -> None:
    wheel_builder = pytest.importorskip("hatchling.builders.wheel")
    [wheel] = wheel_builder.WheelBuilder(str(ROOT)).build(
        directory=str(tmp_path), versions=["standard"]
    )
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / ("Scripts" if os.name == "nt" else "bin") / "python"
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    locked = ["--require-hashes", "-r", str(ROOT / "requirements.lock")]
    for words in (locked, ["--no-deps", wheel]):
        done = subprocess.run(
            [python, "-m", "pip", "install", "-q", *words],
            capture_output=True, text=True, env=clean, cwd=tmp_path, check=False,
        )  # fmt: skip
        if done.returncode and words is locked:
            pytest.skip(f"The libraries cannot be fetched: {done.stderr[-200:]}")
        assert done.returncode == 0, done.stderr
    (code,) = code_of("README.md")
    ran = subprocess.run(
        [python, "-c", code], capture_output=True, text=True, env=clean, cwd=tmp_path, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "fare_evasion" in ran.stdout
    assert sys.executable != str(python)
