"""Questions as command lines: what an option is called, and the options that a request needs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from ppworkbench.analyses import place_of
from ppworkbench.analyses.request import Request
from ppworkbench.core.data.sampling_roles import POPULATION
from ppworkbench.core.params import Declaration, Params, Part, declarations


def command_of(request: Request, data: str, design: str = "", *, target: str = POPULATION) -> str:
    """The command line that asks a question of files, about everybody or those who answered."""
    is_asked = "data" in request.asked_of
    words = ["ppworkbench", place_of(request.name).word, *([data] if is_asked else [])]
    words += ["--design", design] if design and "design" in request.asked_of else []
    words += ["--data", data] if data and not is_asked else []
    words += _words(type(request), request.changed())
    return shlex.join([*words, *([] if target == POPULATION else ["--target", target])])


def flag_of(one: Declaration) -> str:
    """What the option of a parameter is called, with its dashes."""
    return f"--{one.option.flag or one.name.replace('_', '-')}"


def _words(declared: type[Params], values: Mapping[str, Any]) -> Iterator[str]:
    """The options of a command that give these keywords."""
    known = declarations(declared)
    values = {**{one.name: one.default for one in known if one.option.is_required}, **values}
    for one in known:
        if one.member is not None:
            chosen = values.get(one.member.flag, one.default.name)
            if one.member.flag in values:
                yield from (f"--{one.member.flag}", str(chosen))
            yield from _words(one.member.family[chosen], values)
        elif one.part is not None and one.part.is_open:
            yield from _words(one.type, values)
        elif one.name not in values or not one.option.on_command_line:
            continue
        elif one.part is not None:
            if one.part.switch:
                yield f"--{one.part.switch}"
            yield from _words(one.type, _by_key(one.part, values[one.name]))
        else:
            yield from _option(one, values[one.name])


def _by_key(part: Part, given: Any) -> Mapping[str, Any]:
    """Parameters by name, whichever way they are given."""
    if isinstance(given, Mapping) or not part.keys:
        return given if isinstance(given, Mapping) else {}
    listed = given if isinstance(given, tuple | list) else (given,)
    return dict(zip(part.keys, listed, strict=True))


def _option(one: Declaration, value: Any) -> Iterator[str]:
    flag = flag_of(one)
    if isinstance(value, bool):
        yield flag if value else flag.replace("--", "--no-", 1)
    elif one.option.is_repeated:
        many = value if isinstance(value, tuple | list | Mapping) else (value,)
        for each in _pairs(many) if isinstance(many, Mapping) else many:
            yield from (flag, *(each if one.are_lists else (_shown(each),)))
    else:
        shown = ",".join(map(_shown, value)) if isinstance(value, tuple | list) else _shown(value)
        yield from (flag, shown)


def _pairs(values: Mapping[str, Any]) -> Iterator[str]:
    """What is given by name, as a command takes it."""
    for name, value in values.items():
        shown = ",".join(map(_shown, value)) if isinstance(value, tuple | list) else _shown(value)
        yield f"{name}={shown}" if name else shown


def _shown(value: Any) -> str:
    if isinstance(value, tuple | list):  # a pair
        return "=".join(filter(None, value))
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else repr(value)
    return "none" if value is None else str(value)
