"""No test fails because the machine is slow or busy: none compares a clock with a limit."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from patience import PATIENCE

TESTS = Path(__file__).parent
CLOCKS = {"monotonic", "perf_counter", "process_time", "thread_time", "time"}
CLOCKS |= {f"{name}_ns" for name in CLOCKS}
WAITS = {"acquire", "communicate", "get", "join", "result", "wait"}
SUSPECT = re.compile(rf"timeout=|\.({'|'.join(WAITS)})\(\d|\b({'|'.join(CLOCKS)})\(\)")
"""Most files need not be looked at more closely."""
SHORT = 60
"""Seconds; what gives up sooner may do so on a busy machine. Below one second it only looks."""


def files_of_tests() -> list[Path]:
    """All files of tests but those that measure times, and what measures for them."""
    return [file for file in sorted(TESTS.rglob("*.py")) if "benchmarks" not in file.parts]


def reads_clock(node: ast.AST, clocked: set[str]) -> bool:
    """Whether an expression reads a clock, or a name that was made of one."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and one.id in clocked:
            return True
        if isinstance(one, ast.Call):
            called = one.func
            if isinstance(called, ast.Attribute) and called.attr in CLOCKS:
                if isinstance(called.value, ast.Name) and called.value.id == "time":
                    return True
            elif isinstance(called, ast.Name) and called.id in CLOCKS:
                return True
    return False


def clocked_names(scope: ast.AST) -> set[str]:
    """The names in a function that hold a time, or something that was worked out of one."""
    names: set[str] = set()
    while True:
        before = len(names)
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
                if node.value is None or not reads_clock(node.value, names):
                    continue
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names |= {
                    one.id
                    for target in targets
                    for one in ast.walk(target)
                    if isinstance(one, ast.Name)
                }
            elif (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in {"append", "add"}
                and isinstance(node.func.value, ast.Name)
                and any(reads_clock(given, names) for given in node.args)
            ):
                names.add(node.func.value.id)
        if len(names) == before:
            return names


def faults(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The lines that make a test depend on how fast the machine is, and why."""
    for scope in ast.walk(tree):
        if not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        names = clocked_names(scope) if reads_clock(scope, set()) else set()
        for node in ast.walk(scope):
            if not isinstance(node, ast.Assert):
                continue
            compared = [one for one in ast.walk(node.test) if isinstance(one, ast.Compare)]
            orders = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
            if any(
                any(isinstance(op, orders) for op in one.ops) and reads_clock(one, names)
                for one in compared
            ):
                yield node.lineno, "compares a clock with a limit"
    for node in ast.walk(tree):
        for limit in limits_of(node):
            seconds = limit.value if isinstance(limit, ast.Constant) else None
            if isinstance(seconds, int | float) and 1 <= seconds < SHORT:
                yield limit.lineno, f"gives up after {seconds} seconds"


def limits_of(node: ast.AST) -> Iterator[ast.expr]:
    """After how many seconds somebody gives up who waits here."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        if isinstance(node.left, ast.Call) and reads_clock(node.left, set()):
            yield node.right
    elif isinstance(node, ast.Call):
        yield from (word.value for word in node.keywords if word.arg == "timeout")
        called = node.func
        is_wait = isinstance(called, ast.Attribute) and called.attr in WAITS
        if is_wait and len(node.args) == 1 and "qtbot" not in ast.unparse(called):
            yield node.args[0]


def test_that_no_test_depends_on_how_fast_the_machine_is():
    texts = {file.relative_to(TESTS): file.read_text(encoding="utf-8") for file in files_of_tests()}
    found = [
        f"{file}:{line} {why}"
        for file, text in texts.items()
        if SUSPECT.search(text)
        for line, why in faults(ast.parse(text))
    ]
    assert found == []
    assert PATIENCE > SHORT


@pytest.mark.parametrize(
    "lines",
    [
        "    start = time.monotonic()\n    act()\n    assert time.monotonic() - start < 0.5",
        "    start = perf_counter()\n    took = perf_counter() - start\n    assert took <= 2",
        "    times = []\n    times.append(time.thread_time())\n    assert max(times) < 1",
        "    worst = 0.0\n    worst = max(worst, time.process_time())\n    assert 3 > worst",
        "    child.communicate(timeout=20)",
        "    gate.wait(10)",
        "    limit = time.monotonic() + 20\n    while time.monotonic() < limit:\n        look()",
        "    thread.join(5.0)",
    ],
)
def test_that_a_test_that_depends_on_it_is_found(lines):
    assert list(faults(ast.parse(f"def test():\n{lines}\n")))


@pytest.mark.parametrize(
    "lines",
    [
        "    before = time.time()\n    assert row.stored_at == stamp(before)",
        "    began = time.monotonic()\n    print(time.monotonic() - began)",
        "    gate.wait(PATIENCE)",
        "    while not gate.wait(0.01):\n        look()",
        "    qtbot.wait(20)",
        "    assert ', '.join(names) == told",
    ],
)
def test_that_what_only_waits_or_notes_a_time_is_left_alone(lines):
    assert not list(faults(ast.parse(f"def test():\n{lines}\n")))


@pytest.mark.slow
def test_that_what_measures_times_is_found():
    """It is made of parts of these tests, and may miss its limits, but not its parts."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--collect-only", "tests/benchmarks/limits"],
        cwd=TESTS.parent, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
