"""The command line as a whole: its words, its errors, and when the window opens instead."""

from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import types

import pytest
from patience import PATIENCE

from ppworkbench import __main__ as start
from ppworkbench import __version__
from ppworkbench.cli import main as cli
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import add_command
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Cancelled


class Group:
    """A group of one command, ``do``, that does what the test wants."""

    def __init__(self, run):
        self._run = run

    def add_commands(self, subparsers):
        parser = add_command(subparsers, "do", self._run, "do what the test wants")
        parser.add_argument("things", nargs="*")


@pytest.fixture
def give(monkeypatch):
    """Run ``ppworkbench`` with a command ``do`` that is carried out by a function."""

    def give(run, *argv):
        monkeypatch.setattr(cli, "GROUPS", (Group(run),))
        return cli.main(list(argv))

    return give


def fail_with(error):
    def run(args):
        raise error

    return run


def test_that_the_version_is_told(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"ppworkbench {__version__}\n"


def test_that_help_names_every_command(capsys):
    assert cli.main(["--help"]) == 0
    told = capsys.readouterr().out
    [choices] = (
        action.choices
        for action in cli.build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    assert {"inspect", "sample", "guide"} <= set(choices)
    assert [name for name in choices if not re.search(rf"^ +{name}\b", told, re.MULTILINE)] == []


def test_that_help_loads_no_heavy_library():
    program = (
        "import sys; from ppworkbench.cli.main import main; main(['--help']);"
        "heavy = {'numpy', 'pandas', 'pyarrow', 'scipy', 'sklearn', 'numba'} & set(sys.modules);"
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["dance"], "invalid choice: 'dance'"),
        (["inspect"], "The following arguments are required: DATA."),
        (["inspect", "x.csv", "--colour"], "Unrecognized arguments: --colour."),
        (["inspect", "x.csv", "--decimal", ";"], "Decimal mark is ';'; it must be one of ., ,."),
        (["--seed", "x", "sample", "list"], "a seed must be a whole number of at least 0, not 'x'"),
        (
            ["inspect", "x.csv", "--seed", "-1"],
            "a seed must be a whole number of at least 0, not '-1'",
        ),
    ],
)
def test_that_a_wrong_command_line_ends_with_2_and_one_sentence(capsys, argv, sentence):
    assert cli.main(argv) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert sentence in said.err
    assert said.err.startswith("ppworkbench: ")
    assert said.err.count("\n") == 1
    assert "--help" in said.err


def test_that_a_wrong_command_line_answers_in_json_when_asked(capsys):
    assert cli.main(["inspect", "--json"]) == 2
    said = capsys.readouterr()
    assert json.loads(said.out)["error"].startswith("The following arguments are required")
    assert said.err == ""


@pytest.mark.parametrize(
    "argv",
    [
        ["--json", "--seed", "7", "--debug", "do"],
        ["do", "--json", "--seed", "7", "--debug"],
        ["--json", "do", "--seed", "7", "--debug"],
    ],
)
def test_that_shared_options_stand_before_or_after_the_command(give, capsys, argv):
    def run(args):
        return Answer({"seed": args.seed, "debug": args.debug}, "text")

    assert give(run, *argv) == 0
    assert json.loads(capsys.readouterr().out) == {"seed": 7, "debug": True}


def test_that_shared_options_are_off_unless_given(give, capsys):
    def run(args):
        return Answer({}, f"{args.seed} {args.debug} {args.json}")

    assert give(run, "do") == 0
    assert capsys.readouterr().out == "None False False\n"


def test_that_negative_codes_are_values_not_options(give, capsys):
    assert give(lambda args: Answer({}, str(args.things)), "do", "-9,-8", "-1.5") == 0
    assert capsys.readouterr().out == "['-9,-8', '-1.5']\n"


def test_that_a_failure_on_data_ends_with_1_and_its_sentence(give, capsys):
    error = DataError("Line 3 of a.csv has 4 fields instead of 5.", file="a.csv", row=3)
    assert give(fail_with(error), "do") == 1
    said = capsys.readouterr()
    assert said.err == "ppworkbench: Line 3 of a.csv has 4 fields instead of 5.\n"
    assert said.out == ""


def test_that_a_failure_on_data_is_json_on_stdout_when_asked(give, capsys):
    error = DataError("Bad cell.", file="a.csv", row=3, attribute="age")
    assert give(fail_with(error), "do", "--json") == 1
    said = capsys.readouterr()
    assert json.loads(said.out) == {
        "error": "Bad cell.",
        "file": "a.csv",
        "row": 3,
        "attribute": "age",
    }
    assert said.err == ""


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (ZeroDivisionError("division by zero"), 1, "ZeroDivisionError: division by zero"),
        (KeyError("age"), 1, "KeyError: 'age'"),
        (RuntimeError(), 1, "(RuntimeError)"),
        (MemoryError(), 1, "not enough memory"),
        (OSError(28, "No space left on device", "/full/x.csv"), 1, "No space left on device"),
        (KeyboardInterrupt(), 130, "Stopped"),
        (Cancelled(), 130, "Stopped"),
    ],
)
def test_that_no_error_shows_a_traceback(give, capsys, error, status, sentence):
    assert give(fail_with(error), "do") == status
    said = capsys.readouterr().err
    assert sentence in said
    assert said.startswith("ppworkbench: ")
    assert said.count("\n") == 1
    assert "Traceback" not in said


def test_that_a_fault_of_the_program_points_at_debug(give, capsys):
    give(fail_with(ZeroDivisionError("division by zero")), "do")
    assert "--debug" in capsys.readouterr().err


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), DataError("x")])
def test_that_debug_shows_where_an_error_arose(give, capsys, error):
    assert give(fail_with(error), "do", "--debug") == 1
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert "test_main.py" in said


def test_that_an_escape_sequence_in_an_error_does_not_reach_the_terminal(give, capsys):
    give(fail_with(DataError("Column '\x1b[2J' is empty.")), "do")
    assert capsys.readouterr().err == "ppworkbench: Column '\\x1b[2J' is empty.\n"


def test_that_letters_the_terminal_lacks_are_written_as_escapes(give, monkeypatch):
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(sys, stream, io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert give(lambda args: Answer({"x": "żółw"}, "żółw"), "do") == 0
    assert sys.stdout.buffer.getvalue() == b"\\u017c\\xf3\\u0142w\n"


def test_that_json_stays_valid_on_a_terminal_that_lacks_letters(give, monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert give(lambda args: Answer({"x": "żółw"}, ""), "do", "--json") == 0
    assert json.loads(sys.stdout.buffer.getvalue()) == {"x": "żółw"}


LONG_ANSWER = """
import sys
from ppworkbench.cli import main as cli
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import add_command

class Group:
    def add_commands(subparsers):
        add_command(subparsers, "do", lambda args: Answer({}, "line\\n" * 200_000), "answer long")

cli.GROUPS = (Group,)
sys.exit(cli.main(["do"]))
"""


def test_that_a_reader_who_leaves_is_no_error():
    program = LONG_ANSWER
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    child.stdout.readline()
    child.stdout.close()
    complaint = child.stderr.read()
    child.stderr.close()
    assert child.wait(PATIENCE) == 141
    assert complaint == b""


def test_that_without_qt_one_sentence_points_at_help(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert start.main([]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "ppworkbench --help" in said.err


def test_that_without_a_display_one_sentence_points_at_help_and_tour(monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert start.main([]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "no display" in said
    assert "ppworkbench --help" in said
    assert "ppworkbench tour" in said


@pytest.fixture
def opened(monkeypatch):
    """What the window was asked to open."""
    files = []
    window = types.ModuleType("ppworkbench.gui.app")
    window.__spec__ = importlib.machinery.ModuleSpec(window.__name__, None)
    window.run = lambda paths: files.append(list(paths)) or 7
    monkeypatch.setitem(sys.modules, window.__name__, window)
    monkeypatch.setenv("DISPLAY", ":9")
    return files


def test_that_without_arguments_the_window_opens_on_a_display(opened):
    assert start.main([]) == 7
    assert opened == [[]]


def test_that_files_are_opened_in_the_window(opened, tmp_path):
    study = tmp_path / "city.ppw"
    study.touch()
    assert start.main([str(study)]) == 7
    assert opened == [[str(study)]]


def test_that_arguments_go_to_the_command_line(capsys):
    assert start.main(["--version"]) == 0
    assert capsys.readouterr().out == f"ppworkbench {__version__}\n"


def test_that_python_dash_m_is_the_same_program():
    done = subprocess.run(
        [sys.executable, "-m", "ppworkbench", "inspect"], capture_output=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"ppworkbench: ")


@pytest.mark.slow
def test_that_no_locale_changes_what_a_command_writes(tmp_path):
    data = tmp_path / "pay.csv"
    data.write_text("pay,town\n" + "".join(f"{n + 1200}.5,T{n % 3}\n" for n in range(1500)))
    # Both forms in one process, as it takes longer to start than to answer.
    program = (
        "import sys; from ppworkbench.__main__ import main; words = ['inspect', sys.argv[1]];"
        "sys.exit(main(words) or main([*words, '--json']))"
    )
    said = []
    for name in ("C.UTF-8", "pl_PL.UTF-8"):
        done = subprocess.run(
            [sys.executable, "-c", program, str(data)],
            env=os.environ | {"LC_ALL": name, "LANG": name, "LANGUAGE": name[:2]},
            capture_output=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        said.append(done.stdout.decode())
    assert said == said[:1] * len(said)
    assert said[0].count("1200.5") > 1


@pytest.mark.parametrize(
    ("encoding", "space"),
    [("utf-8", "\u202f"), ("utf-16", "\u202f"), ("ascii", " "), ("iso-8859-2", " ")],
)
@pytest.mark.parametrize("written", ["12 %", "12\u202f%"], ids=["plain", "narrow"])
def test_that_the_space_before_a_unit_is_one_that_the_terminal_has(
    give, monkeypatch, encoding, space, written
):
    shown = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", shown)
    assert give(lambda args: Answer({}, f"About {written} of them."), "do") == 0
    shown.seek(0)
    assert shown.read() == f"About 12{space}% of them.\n"


def test_that_programs_get_numbers_and_sentences_as_they_are(give, capsys):
    assert give(lambda args: Answer({"sentence": "About 12 %."}, ""), "do", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"sentence": "About 12 %."}
