"""The script that runs and tests a checkout."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from recipes import PACKAGING

from ppworkbench.cli.main import build_parser

PROJECT = """
[build-system]
requires = ["hatchling>=1.25"]
[project]
dependencies = ["numpy>=2.1", "pyside6-essentials>=6.8.0.2,<6.8.1; python_version < '3.12'"]
[project.optional-dependencies]
test = ["dask[distributed]>=2024.6"]
"""


@pytest.fixture
def dev(load, monkeypatch, tmp_path):
    """The commands of the script, set to work on an empty checkout."""
    module = load("checkout")
    for one in (module, module.versions):
        monkeypatch.setattr(one, "ROOT", tmp_path)
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    for name in ("requirements.lock", "requirements-test.lock", "requirements-docs.lock"):
        (tmp_path / name).touch()
    for step in ("ensure", "ensure_browser"):
        monkeypatch.setattr(module.system_packages, step, lambda *args, **more: None)
    return module


@pytest.fixture
def installs(dev, monkeypatch):
    """What the script hands to pip, while nothing is installed in truth."""
    seen = []

    def make_environment(environment):
        python = Path(environment.program("python"))
        python.parent.mkdir(parents=True, exist_ok=True)
        python.touch()

    def run(command, **settings):
        assert command[1:5] == ["-m", "pip", "install", "--quiet"]
        seen.append(command[5:])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(dev, "make_environment", make_environment)
    monkeypatch.setattr(dev.subprocess, "run", run)
    return seen


@pytest.fixture
def home(dev, tmp_path):
    """The environment of ``run`` and ``test``."""
    return dev.Environment(tmp_path / ".venv")


def locked(tmp_path, *names):
    files = [argument for name in names for argument in ("-r", str(tmp_path / name))]
    return ["--only-binary", ":all:", "--require-hashes", *files]


def itself(tmp_path):
    return ["--no-deps", "--no-build-isolation", "--editable", str(tmp_path)]


def test_that_a_second_start_installs_nothing(dev, home, installs, tmp_path):
    dev.ensure_installed(home, frozenset({"test"}))
    dev.ensure_installed(home, frozenset({"test"}))
    assert installs == [
        locked(tmp_path, "requirements.lock", "requirements-test.lock"),
        itself(tmp_path),
    ]


def test_that_a_run_after_a_test_installs_nothing(dev, home, installs):
    dev.ensure_installed(home, frozenset({"test"}))
    dev.ensure_installed(home, frozenset())
    assert len(installs) == 2


def test_that_a_test_after_a_run_installs_what_tests_need(dev, home, installs, tmp_path):
    dev.ensure_installed(home, frozenset())
    dev.ensure_installed(home, frozenset({"test"}))
    assert installs[::2] == [
        locked(tmp_path, "requirements.lock"),
        locked(tmp_path, "requirements.lock", "requirements-test.lock"),
    ]


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements.lock", "requirements-test.lock"])
def test_that_changed_requirements_are_installed_with_all_former_extras(
    dev, home, installs, tmp_path, name
):
    dev.ensure_installed(home, frozenset({"test"}))
    with (tmp_path / name).open("a") as file:
        file.write("# changed\n")
    dev.ensure_installed(home, frozenset())
    assert installs[:2] == installs[2:]


def test_that_another_python_installs_anew(dev, home, installs, monkeypatch):
    dev.ensure_installed(home, frozenset())
    monkeypatch.setattr(dev.sys, "version", "3.99.0")
    dev.ensure_installed(home, frozenset())
    assert len(installs) == 4


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"fingerprint": "old"}'])
def test_that_a_damaged_stamp_installs_anew(dev, home, installs, damage):
    dev.ensure_installed(home, frozenset())
    home.stamp.write_text(damage)
    dev.ensure_installed(home, frozenset())
    assert len(installs) == 4


def test_that_a_deleted_environment_is_made_anew(dev, home, installs):
    dev.ensure_installed(home, frozenset())
    Path(home.program("python")).unlink()
    dev.ensure_installed(home, frozenset())
    assert len(installs) == 4


def test_that_the_lowest_versions_are_those_of_the_bounds(dev, installs, tmp_path):
    environment = dev.Environment(tmp_path / ".venv-lowest-3.11", "lowest")
    dev.ensure_installed(environment, frozenset({"test"}))
    dev.ensure_installed(environment, frozenset({"test"}))
    assert installs == [
        [
            "--only-binary", ":all:", "hatchling==1.25", "numpy==2.1",
            "pyside6-essentials==6.8.0.2; python_version < '3.12'", "dask[distributed]==2024.6",
        ],
        itself(tmp_path),
    ]  # fmt: skip


def test_that_the_newest_versions_are_asked_for_each_time(dev, installs, tmp_path):
    environment = dev.Environment(tmp_path / ".venv-newest-3.11", "newest")
    dev.ensure_installed(environment, frozenset())
    dev.ensure_installed(environment, frozenset())
    assert len(installs) == 4
    assert "--upgrade" in installs[2]
    assert "pyside6-essentials>=6.8.0.2,<6.8.1; python_version < '3.12'" in installs[2]


def test_that_each_choice_of_versions_and_python_has_an_environment(dev, monkeypatch, tmp_path):
    monkeypatch.setattr(dev.versions, "find_python", lambda version: f"/usr/bin/python{version}")
    running = "{}.{}".format(*sys.version_info[:2])
    chosen = {
        "-k rng": (".venv", "locked", ["-k", "rng"]),
        "--versions lowest tests/core": (f".venv-lowest-{running}", "lowest", ["tests/core"]),
        "--python 3.13 -n 0": (".venv-locked-3.13", "locked", ["-n", "0"]),
        "--python=3.12 --versions=newest": (".venv-newest-3.12", "newest", []),
    }
    for words, (name, versions, others) in chosen.items():
        environment, rest = dev.chosen_environment(words.split())
        assert (environment.folder, environment.versions) == (tmp_path / name, versions)
        assert rest == others
    assert environment.python == "/usr/bin/python3.12"


@pytest.mark.parametrize(
    ("version", "words"),
    [("3.10", "runs on Python 3.11, 3.12 or 3.13, not on '3.10'"), ("3.12", "no Python 3.12 here")],
)
def test_that_a_python_that_is_not_there_is_named(dev, monkeypatch, capsys, version, words):
    # A stand-in that finds no Python of its name, as some managers of versions put on the path.
    monkeypatch.setattr(dev.versions.shutil, "which", lambda name: sys.executable)
    monkeypatch.setattr(dev.versions.sys, "version_info", (3, 11, 0))
    monkeypatch.setattr(dev.versions, "PYTHONS", ("3.11", "3.12", "3.13"))
    failed = subprocess.CompletedProcess([], 127, "", "command not found")
    monkeypatch.setattr(dev.versions.subprocess, "run", lambda *args, **more: failed)
    assert dev.main(["test", "--python", version]) == 1
    assert words in capsys.readouterr().err


def test_that_other_versions_are_tested_in_an_environment_of_their_own(dev, installs, monkeypatch):
    ran = []
    monkeypatch.setattr(dev, "tests_pass", lambda command, *more, **others: ran.append(command))
    monkeypatch.setenv("DISPLAY", ":9")
    dev.main(["test", "--versions", "lowest"])
    [command] = ran
    assert ".venv-lowest-" in command[0]


@pytest.mark.parametrize("near", [["tests/test_a.py"], []])
def test_that_only_near_tests_run_when_they_are_asked_for(dev, installs, monkeypatch, near):
    ran = []
    monkeypatch.setattr(dev.near_tests, "changed_files", lambda root: [])
    monkeypatch.setattr(dev.near_tests, "near_tests", lambda root, changed: (near, ["README.md"]))
    monkeypatch.setattr(
        dev, "tests_pass", lambda command, *more, **others: ran.append(command) or True
    )
    monkeypatch.setenv("DISPLAY", ":9")
    assert dev.main(["test", "--near", "-x"]) == 0
    assert [command[-2:] for command in ran] == [["-x", *near]] * len(near)


def test_that_a_quick_test_leaves_out_what_takes_long(dev, installs, monkeypatch):
    ran = []
    monkeypatch.setattr(
        dev, "tests_pass", lambda command, *more, **others: ran.append(command) or True
    )
    monkeypatch.setenv("DISPLAY", ":9")
    assert dev.main(["test", "--quick", "-x"]) == 0
    [command] = ran
    assert command[-4:] == ["tests/core", "-m", "not slow and not thorough", "-x"]
    assert command.count("-m") == 2, "one of Python, one of pytest"


def test_that_the_lock_files_hold_every_system_and_serve_the_bounds(dev):
    root = PACKAGING.parent
    declared = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {"requirements.lock": declared["dependencies"]}
    for extra in dev.versions.EXTRAS:
        wanted[f"requirements-{extra}.lock"] = declared["optional-dependencies"][extra]
    held = {}
    for name, requirements in wanted.items():
        text = (root / name).read_text(encoding="utf-8")
        assert "://" not in text
        # Each entry goes on, over lines that end with a backslash, to at least one hash.
        for entry in re.split(r"(?m)^(?=[a-z])", text)[1:]:
            assert "--hash=sha256:" in entry
            found, version = re.match(r"([\w.-]+)==([\w.]+)", entry).groups()
            held.setdefault(found, []).append(version)
        for requirement in map(Requirement, requirements):
            assert all(map(requirement.specifier.contains, held[requirement.name]))
    assert held["pyside6-essentials"] == held["shiboken6"] == ["6.8.0.2"]


def test_that_a_failed_installation_is_one_sentence_and_leaves_no_stamp(
    dev, home, installs, monkeypatch, capsys
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
    assert not home.stamp.exists()


@pytest.mark.parametrize("version", [(3, 6, 15), (3, 10, 1), (3, 14, 0)])
def test_that_another_python_is_refused_in_a_sentence(load, monkeypatch, capsys, version):
    source = (PACKAGING / "dev.py").read_bytes()
    ast.parse(source.decode("ascii"), feature_version=(3, 4))
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(SystemExit) as caught:
        load("dev")
    assert caught.value.code == 2
    told = f"needs Python 3.11, 3.12 or 3.13; this is Python {'.'.join(map(str, version))}."
    assert told in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "status"), [([], 2), (["dance"], 2), (["--help"], 0)])
def test_that_the_script_tells_its_usage(dev, capsys, arguments, status):
    assert dev.main(arguments) == status
    assert "run [arguments]" in capsys.readouterr().out


@pytest.mark.parametrize("passed", [True, False])
def test_that_failed_tests_are_named_and_end_with_1(dev, installs, monkeypatch, capsys, passed):
    def tests_pass(command, environment, chosen):
        kept = {name: environment[name] for name in environment if "BYTECODE" in name}
        assert kept == {"PYTHONDONTWRITEBYTECODE": ""}
        return passed

    monkeypatch.setattr(dev, "fault_of", lambda command: pytest.fail(str(command)))
    monkeypatch.setattr(dev, "tests_pass", tests_pass)
    monkeypatch.setenv("DISPLAY", ":9")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert dev.main(["test", "-k", "rng"]) == (0 if passed else 1)
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert last.startswith("All checks passed: pytest (" if passed else "FAILED: pytest (")


@pytest.mark.parametrize("broken", [[], ["mypy"], ["ruff check", "lint-imports"]])
def test_that_faults_of_the_sources_are_shown_and_end_with_1(
    dev, installs, monkeypatch, capsys, broken
):
    def fault_of(command):
        name = " ".join([Path(command[0]).stem, *(w for w in command[1:2] if w[0] != "-")])
        ran.append(name)
        return f"{name} is at fault" if name in broken else None

    ran = []
    monkeypatch.setattr(dev, "fault_of", fault_of)
    assert dev.main(["lint"]) == (1 if broken else 0)
    said = capsys.readouterr().out
    assert sorted(ran) == ["lint-imports", "mypy", "ruff check", "ruff format"]
    last = said.strip().splitlines()[-1]
    assert last.startswith(f"FAILED: {', '.join(broken)} (" if broken else "All checks passed")
    assert all(f"{name} is at fault" in said for name in broken)


def test_that_all_sources_are_checked_or_none(dev, installs, capsys):
    assert dev.main(["lint", "ppworkbench/core"]) == 1
    assert "takes no arguments" in capsys.readouterr().err


def test_that_ci_checks_sources_tests_documentation_and_sweeps():
    lines = (PACKAGING.parent / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    called = [line.removeprefix("python3 packaging/dev.py ") for line in lines if "dev.py" in line]
    assert called == ["lint", 'test "$@"', "docs", "test -m slow", "bench || true"]


def test_that_the_site_is_built_with_what_it_needs(dev, installs, monkeypatch, tmp_path):
    called = []
    monkeypatch.setattr(dev.subprocess, "call", lambda command: called.append(command) or 0)
    assert dev.main(["docs", "--out", "here"]) == 0
    assert locked(tmp_path, "requirements.lock", "requirements-docs.lock") in installs
    [(python, builder, *arguments)] = called
    assert python.endswith("python")
    assert Path(builder).parts[-3:] == ("packaging", "docs", "build_site.py")
    assert arguments == ["--out", "here"]


def test_that_a_failed_check_shows_what_it_said(dev):
    complain = "import sys; print('line 3 is wrong'); sys.exit(int(sys.argv[1]))"
    assert dev.fault_of([sys.executable, "-c", complain, "1"]) == "line 3 is wrong\n"
    assert dev.fault_of([sys.executable, "-c", complain, "0"]) is None


def test_that_sweeps_run_only_when_they_are_asked_for(dev, home):
    assert dev.pytest_run(home, ["tests/gui"])[-3:] == ["-m", "not slow", "tests/gui"]
    sweeps = dev.pytest_run(home, ["-m", "slow or big", "tests"])
    assert sweeps[-3:] == ["-m", "slow or big", "tests"]
    assert "not slow" not in sweeps


@pytest.fixture
def benched(dev, installs, monkeypatch, tmp_path):
    """What ``bench`` calls, in a checkout with one benchmark; the second call fails."""
    (tmp_path / "tests" / "benchmarks" / "limits").mkdir(parents=True)
    (tmp_path / "tests" / "benchmarks" / "coverage.py").touch()
    seen = []
    monkeypatch.setattr(dev.subprocess, "call", lambda command, **_: seen.append(command) or 1)
    monkeypatch.setenv("DISPLAY", ":9")
    return seen


def test_that_times_are_measured_alone_beside_their_limits(dev, benched):
    assert dev.main(["bench", "-k", "mine"]) == 1
    assert benched == [[*benched[0][:2], "pytest", "-q", "-k", "mine", "tests/benchmarks/limits"]]


def test_that_a_benchmark_is_run_by_its_name(dev, benched, capsys):
    assert dev.main(["bench", "coverage", "--surveys", "9"]) == 1
    assert benched == [[*benched[0][:2], "tests.benchmarks.coverage", "--surveys", "9"]]
    assert dev.main(["bench", "speed"]) == 1
    assert "no benchmark 'speed'; there are coverage." in capsys.readouterr().err
    assert len(benched) == 1


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


def test_that_a_stamp_tells_the_extras(dev, home, installs):
    dev.ensure_installed(home, frozenset({"test"}))
    assert json.loads(home.stamp.read_text())["extras"] == ["test"]
