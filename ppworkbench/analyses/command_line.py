"""Questions as command lines: what an option is called, and the options that a request needs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from ppworkbench.analyses import place_of
from ppworkbench.analyses.request import Request
from ppworkbench.core.data.sampling_roles import POPULATION
from ppworkbench.core.params import Declaration, Params, declarations


def command_of(request: Request, data: str, design: str = "", *, target: str = POPULATION) -> str:
    """The command line that asks a question of files, about everybody or those who answered."""
    words = ["ppworkbench", place_of(request.name).word, data]
    words += ["--design", design] if design else []
    words += _words(type(request), request.changed())
    return shlex.join([*words, *([] if target == POPULATION else ["--target", target])])


def flag_of(one: Declaration) -> str:
    """What the option of a parameter is called, with its dashes."""
    return f"--{one.option.flag or one.name.replace('_', '-')}"


def _words(declared: type[Params], values: Mapping[str, Any]) -> Iterator[str]:
    """The options of a command that give these keywords."""
    for one in declarations(declared):
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
            given = values[one.name]
            yield from _words(one.type, given if isinstance(given, Mapping) else {})
        else:
            yield from _option(one, values[one.name])


def _option(one: Declaration, value: Any) -> Iterator[str]:
    flag = flag_of(one)
    if isinstance(value, bool):
        yield flag if value else flag.replace("--", "--no-", 1)
    elif one.option.is_repeated:
        for each in value:
            yield from (flag, str(each))
    else:
        shown = ",".join(map(_shown, value)) if isinstance(value, tuple | list) else _shown(value)
        yield from (flag, shown)


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
