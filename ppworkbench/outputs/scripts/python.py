"""Python scripts: the call of the interface, and its summary."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from enum import Enum
from os import PathLike, fspath

from ppworkbench.core.params import Params
from ppworkbench.outputs.scripts import PYTHON
from ppworkbench.outputs.scripts.analysis import WIDTH, Analysis, Origin, head

_LEADING = {
    "bundle": ("study", "out"),
    "rehearse": ("study", "out"),
    "release": ("data", "design", "out"),
    "inspect": ("data",),
    "gallery": (),
}
"""The arguments that are written without their names."""

_INDENT = "    "


def python_script(analysis: Analysis, origin: Origin) -> str:
    """The script that gives a result again and prints its summary."""
    lines = comments(head(analysis, origin, PYTHON))
    lines += ["", "import ppworkbench as pp", ""]
    leading = _leading(analysis)
    if analysis.survey is None:
        work = [_call(f"found = pp.{analysis.function}", analysis.arguments, leading)]
    else:
        work = [
            _call("survey = pp.Survey", analysis.survey, ("data", "design")),
            _call(f"found = survey.{analysis.function}", analysis.arguments, leading),
        ]
    work.append("print(found.summary())")
    if analysis.function == "classify":
        # It works in several processes, which read the script again on some systems.
        body = textwrap.indent("\n".join(work), _INDENT)
        work = ['if __name__ == "__main__":', body]
    return "\n".join([*lines, *work, ""])


def _leading(analysis: Analysis) -> tuple[str, ...]:
    if analysis.place is None:
        return _LEADING[analysis.function]
    request = analysis.place.load()
    own = request.written_by_place()
    return own if analysis.survey is not None else (*request.asked_of, *own)


def comments(paragraphs: Sequence[str], mark: str = "#") -> list[str]:
    """Paragraphs as comments of a script; no text of somebody's can end one."""
    lines: list[str] = []
    for one in paragraphs:
        wrapped = textwrap.wrap(
            " ".join(one.split()), WIDTH - len(mark) - 1, break_long_words=False,
            break_on_hyphens=False,
        )  # fmt: skip
        lines += [f"{mark} {line}" for line in wrapped]
    return lines


def _call(function: str, arguments: Mapping[str, object], leading: Sequence[str]) -> str:
    given = [*leading_values(arguments, leading)]
    given += [
        f"{name}={literal(value)}" for name, value in arguments.items() if name not in leading
    ]
    line = f"{function}({', '.join(given)})"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{function}(", *(f"{_INDENT}{one}," for one in given), ")"])


def leading_values(arguments: Mapping[str, object], leading: Sequence[str]) -> list[str]:
    """The arguments without names; the first that is not there makes the others keep theirs."""
    given: list[str] = []
    is_gap = False
    for name in leading:
        if name not in arguments:
            is_gap = True
        elif name == "names":
            named = arguments[name]
            assert isinstance(named, Sequence)  # noqa: S101 (correlations have names)
            given += map(literal, named)
        else:
            value = literal(arguments[name])
            given.append(f"{name}={value}" if is_gap else value)
    return given


def literal(value: object) -> str:
    """A value as Python writes it; what the program has a class for, as people type it."""
    value = _plain(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if isinstance(value, Mapping):
        pairs = (f"{_text(str(name))}: {literal(one)}" for name, one in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, str) or not isinstance(value, Sequence):
        return _text(str(value))
    inside = ", ".join(map(literal, value))
    if isinstance(value, tuple):
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return f"[{inside}]"


def _plain(value: object) -> object:
    """The value in Python's own types where it has one there."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Params):
        return changed_values(value)
    listed = getattr(value, "tolist", None)
    return value if listed is None else listed()


def changed_values(params: Params) -> dict[str, object]:
    """The parameters that are not the usual ones; how many do not follow is always told."""
    usual = type(params)().to_json()  # without those that are usually not there
    return {
        name: one
        for name, one in params.to_json().items()
        if one != usual.get(name) or name == "share"
    }


def _text(text: str) -> str:
    """A text in double quotes, as most people write it; letters that nobody sees are escaped."""
    written = repr(text)
    if written.startswith("'") and '"' not in text:
        return f'"{written[1:-1]}"'
    return written
