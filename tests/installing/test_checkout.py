"""The script that runs and tests a checkout."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from recipes import PACKAGING

from ppworkbench.cli.main import build_parser


@pytest.fixture
def dev(load, monkeypatch, tmp_path):
    """The commands of the script, set to work on an empty checkout."""
    module = load("checkout")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "STAMP", tmp_path / ".venv" / "stamp.json")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    for step in ("ensure", "ensure_browser"):
        monkeypatch.setattr(module.system_packages, step, lambda *args, **more: None)
    return module


@pytest.fixture
def installs(dev, monkeypatch):
    """What the script installs, while nothing is installed in truth."""
    seen = []

    def make_environment():
        python = Path(dev.program("python"))
        python.parent.mkdir(parents=True, exist_ok=True)
        python.touch()

    def run(command, **settings):
        seen.append(command[-1])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(dev, "make_environment", make_environment)
    monkeypatch.setattr(dev.subprocess, "run", run)
    return seen


def test_that_a_second_start_installs_nothing(dev, installs, tmp_path):
    dev.ensure_installed(frozenset({"test"}))
    dev.ensure_installed(frozenset({"test"}))
    assert installs == [f"{tmp_path}[test]"]


def test_that_a_run_after_a_test_installs_nothing(dev, installs):
    dev.ensure_installed(frozenset({"test"}))
    dev.ensure_installed(frozenset())
    assert len(installs) == 1


def test_that_a_test_after_a_run_installs_what_tests_need(dev, installs, tmp_path):
    dev.ensure_installed(frozenset())
    dev.ensure_installed(frozenset({"test"}))
    assert installs == [str(tmp_path), f"{tmp_path}[test]"]


def test_that_changed_requirements_are_installed_with_all_former_extras(dev, installs, tmp_path):
    dev.ensure_installed(frozenset({"test"}))
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'changed'\n")
    dev.ensure_installed(frozenset())
    assert installs == [f"{tmp_path}[test]"] * 2


def test_that_another_python_installs_anew(dev, installs, monkeypatch):
    dev.ensure_installed(frozenset())
    monkeypatch.setattr(dev.sys, "version", "3.99.0")
    dev.ensure_installed(frozenset())
    assert len(installs) == 2


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"fingerprint": "old"}'])
def test_that_a_damaged_stamp_installs_anew(dev, installs, damage):
    dev.ensure_installed(frozenset())
    dev.STAMP.write_text(damage)
    dev.ensure_installed(frozenset())
    assert len(installs) == 2


def test_that_a_deleted_environment_is_made_anew(dev, installs):
    dev.ensure_installed(frozenset())
    Path(dev.program("python")).unlink()
    dev.ensure_installed(frozenset())
    assert len(installs) == 2


def test_that_a_failed_installation_is_one_sentence_and_leaves_no_stamp(
    dev, installs, monkeypatch, capsys
):
    def run(command, **settings):
        return subprocess.CompletedProcess(
            command, 1, "", "error: x\n   ERROR: No matching distribution found for numba\n note: y"
        )

    monkeypatch.setattr(dev.subprocess, "run", run)
    assert dev.main(["run"]) == 1
    said = capsys.readouterr().err
    assert "No matching distribution found for numba" in said
    assert "network" in said
    assert said.count("\n") == 1
    assert not dev.STAMP.exists()


def test_that_an_old_python_is_refused_in_a_sentence(load, monkeypatch, capsys):
    source = (PACKAGING / "dev.py").read_bytes()
    ast.parse(source.decode("ascii"), feature_version=(3, 4))
    monkeypatch.setattr(sys, "version_info", (3, 6, 15))
    with pytest.raises(SystemExit) as caught:
        load("dev")
    assert caught.value.code == 2
    assert "needs Python 3.11 or newer; this is Python 3.6.15." in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "status"), [([], 2), (["dance"], 2), (["--help"], 0)])
def test_that_the_script_tells_its_usage(dev, capsys, arguments, status):
    assert dev.main(arguments) == status
    assert "run [arguments]" in capsys.readouterr().out


@pytest.mark.parametrize("broken", [[], ["mypy"], ["ruff check", "pytest"], ["pytest of times"]])
def test_that_failed_checks_are_named_and_end_with_1(dev, installs, monkeypatch, capsys, broken):
    def passes(command, environment, chosen=True):
        ran.append(Path(command[0]).stem)
        return checks[len(ran) - 1] not in broken

    checks = ["ruff check", "ruff format", "mypy", "lint-imports", "pytest", "pytest of times"]
    ran = []
    monkeypatch.setattr(dev, "passes", passes)
    monkeypatch.setattr(dev, "tests_pass", passes)
    monkeypatch.setenv("DISPLAY", ":9")
    assert dev.main(["test", "-k", "rng"]) == (1 if broken else 0)
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert ran == ["ruff", "ruff", "mypy", "lint-imports", "python", "python"]
    assert last.startswith(f"FAILED: {', '.join(broken)}" if broken else "All checks passed")


def test_that_a_failed_check_shows_what_it_said(dev, capfd):
    complain = "import sys; print('line 3 is wrong'); sys.exit(int(sys.argv[1]))"
    assert not dev.passes([sys.executable, "-c", complain, "1"], {})
    assert "line 3 is wrong" in capfd.readouterr().out
    assert dev.passes([sys.executable, "-c", complain, "0"], {})
    assert capfd.readouterr().out == ""


def test_that_every_test_runs_once_and_those_of_times_run_alone(dev):
    side_by_side, alone = dev.pytest_runs(["tests/gui"]).values()
    assert side_by_side[-3:] == ["-m", "not timed", "tests/gui"]
    assert alone[-3:] == ["-m", "timed", "tests/gui"]
    assert "-n" in side_by_side
    assert "-n" not in alone
    assert len(dev.pytest_runs(["-m", "slow"])) == 1


def test_that_tests_of_times_are_found_by_their_words(dev, tmp_path):
    folder = tmp_path / "tests" / "gui"
    folder.mkdir(parents=True)
    texts = {
        "test_a.py": "def test(max_block):",
        "test_b.py": "@pytest.mark.timed",
        "test_c.py": "",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    *_, alone = dev.pytest_runs([]).values()
    assert alone[-3:] == ["timed", str(folder / "test_a.py"), str(folder / "test_b.py")]


@pytest.mark.parametrize(
    ("status", "chosen", "passed"),
    [(0, False, True), (1, True, False), (5, True, True), (5, False, False)],
)
def test_that_only_a_choice_of_tests_may_be_empty(dev, status, chosen, passed):
    end = [sys.executable, "-c", f"raise SystemExit({status})"]
    assert dev.tests_pass(end, {}, chosen) is passed


@pytest.fixture
def started(dev, installs, monkeypatch):
    """What the script starts in its own place."""
    seen = []
    monkeypatch.setattr(dev.sys, "platform", "linux")
    monkeypatch.setattr(dev.os, "name", "posix")
    monkeypatch.setattr(dev.os, "execv", lambda path, command: seen.append(command[1:]))
    monkeypatch.setattr(dev.subprocess, "call", lambda command: 0)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    return seen


@pytest.mark.parametrize("screen", ["DISPLAY", "WAYLAND_DISPLAY"])
def test_that_the_window_opens_on_a_screen(dev, started, monkeypatch, screen):
    monkeypatch.setenv(screen, ":9")
    dev.main(["run"])
    assert started == [[]]


def test_that_without_a_screen_pictures_are_taken(dev, started, tmp_path, capsys):
    dev.main(["run"])
    assert started == [["tour", "--force", "--out", str(tmp_path / "build" / "tour")]]
    assert "There is no display" in capsys.readouterr().out
    assert build_parser().parse_args(started[0]).run


def test_that_arguments_go_to_the_program_with_or_without_a_screen(dev, started):
    dev.main(["run", "sample", "list"])
    assert started == [["sample", "list"]]


def test_that_a_stamp_tells_the_extras(dev, installs):
    dev.ensure_installed(frozenset({"test"}))
    assert json.loads(dev.STAMP.read_text())["extras"] == ["test"]
