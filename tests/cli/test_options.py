"""Options of commands, made of declared parameters."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import pytest

from ppworkbench.cli.options import add_options, given_options
from ppworkbench.cli.parser import Parser, UsageError
from ppworkbench.core.params import Annotated, Info, OneOf, Params, Within


class Shade(StrEnum):
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True)
class Mixture(Params):
    keep: Annotated[float, Within(0, 1), Info("Keep", "Share of true answers, 100% at most")] = 0.5
    most_rounds: Annotated[int | None, Within(1), Info("Rounds")] = None
    method: Annotated[str, OneOf(("eq", "em")), Info("Method")] = "eq"
    codes: Annotated[tuple[str, ...], Info("Codes")] = ()
    separator: Annotated[str | None, Info("Separator")] = None
    loud: Annotated[bool, Info("Loud")] = True
    shade: Shade = Shade.LIGHT


@dataclass(frozen=True)
class Other(Params):
    keep_all: bool = False
    count: int = 3


def parsed(*argv: str) -> Mixture:
    parser = Parser(prog="mix")
    add_options(parser, Mixture, flags={"codes": "missing"})
    return given_options(parser.parse_args(argv), Mixture)


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ([], Mixture()),
        (["--keep", "0.25"], Mixture(keep=0.25)),
        (["--most-rounds", "9"], Mixture(most_rounds=9)),
        (["--method", "em"], Mixture(method="em")),
        (["--missing", "-9,-8"], Mixture(codes=("-9", "-8"))),
        (["--missing=-9,x y"], Mixture(codes=("-9", "x y"))),
        (["--missing", "-9", "--missing", "none"], Mixture(codes=("-9", "none"))),
        (["--separator", " "], Mixture(separator=" ")),
        (["--separator", "\t"], Mixture(separator="\t")),
        (["--no-loud"], Mixture(loud=False)),
        (["--shade", "dark"], Mixture(shade=Shade.DARK)),
    ],
)
def test_that_options_give_the_declared_parameters(argv, expected):
    assert parsed(*argv) == expected


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["--keep", "2"], "Argument --keep: Keep is 2; it must lie between 0 and 1. See mix"),
        (["--keep", "much"], "Keep is 'much'; it must be a number."),
        (["--method", "as"], "Method is 'as'; it must be one of eq, em."),
        (["--shade", "grey"], "shade is 'grey'; it must be one of light, dark."),
        (["--codes", "9"], "Unrecognized arguments: --codes 9"),
    ],
)
def test_that_a_value_outside_its_declaration_is_a_wrong_command_line(argv, sentence):
    with pytest.raises(UsageError) as caught:
        parsed(*argv)
    assert sentence in str(caught.value)


def test_that_the_help_tells_meaning_choices_range_and_default():
    parser = Parser(prog="mix")
    add_options(parser, Mixture, title="how to mix")
    told = " ".join(parser.format_help().split())
    assert "how to mix" in told
    assert "Share of true answers, 100% at most (must lie between 0 and 1; default 0.5)" in told
    assert "--method {eq|em} Method (default eq)" in told
    assert "--shade {light|dark} shade (default light)" in told
    assert "Loud (on by default)" in told


def test_that_two_declarations_of_one_command_do_not_mix():
    parser = Parser(prog="mix")
    add_options(parser, Mixture)
    add_options(parser, Other)
    args = parser.parse_args(["--keep", "0.1", "--count", "4"])
    assert given_options(args, Mixture) == Mixture(keep=0.1)
    assert given_options(args, Other, keep_all=True) == Other(keep_all=True, count=4)


def test_that_a_required_parameter_is_a_required_option():
    @dataclass(frozen=True)
    class Needy(Params):
        size: int

    parser = Parser(prog="mix")
    add_options(parser, Needy)
    with pytest.raises(UsageError, match="required: --size"):
        parser.parse_args([])
    assert given_options(parser.parse_args(["--size", "3"]), Needy).size == 3
