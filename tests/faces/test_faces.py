"""What every command and every call of Python says is what was recorded."""

from __future__ import annotations

import pytest
from transcripts import FILES, difference, read, replay, run, surroundings

QUICK = ("share", "mine", "designs", "signatures")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=() if path.stem in QUICK else pytest.mark.slow)
        for path in FILES
    ],
)
def test_that_what_was_recorded_is_still_said(path):
    differing = replay(path)
    assert not differing, "\n".join(differing)


def test_that_another_number_word_or_status_is_a_difference():
    with surroundings() as names:
        case = run("$ share told.csv --design design.json --where 'drug = yes'", names)
        assert not difference(case, run(case.line, names))
        for other in ("drug = no", "drug = maybe", "drug = yes and car = yes"):
            told = run(f"$ share told.csv --design design.json --where '{other}'", names)
            assert difference(case, told)


def test_that_every_command_and_public_name_is_recorded():
    import ppworkbench as pp
    from ppworkbench.cli.main import build_parser

    lines = [case.line for path in FILES for case in read(path)[1]]
    commands = set(build_parser()._subparsers._group_actions[0].choices)
    # These two take pictures of the window, or wait for people.
    assert commands - {line.split()[1] for line in lines if line[0] == "$"} <= {"tour", "serve"}
    said = "\n".join(line for line in lines if line[0] == ">")
    called = {name for name in pp.__all__ if f"pp.{name}" in said}
    assert not set(pp.__all__) - called - {"serve"}
