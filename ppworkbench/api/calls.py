"""Questions as functions and methods: signatures and documentation from declarations."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ppworkbench.analyses import Place
from ppworkbench.analyses.request import Request
from ppworkbench.analyses.source import UNCORRECTED, Source, TrueSource
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.params import Declaration, declarations
from ppworkbench.results.result import Result

_NAMED, _BY_PLACE = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
_REST = inspect.Parameter.VAR_POSITIONAL


class _Uncorrected(Source):
    """Answers that are counted as they are where they bring no design."""

    without_design = UNCORRECTED


def source_for(request: type[Request]) -> type[Any]:
    """What a question is asked of: some can do without a design, some without answers."""
    if "data" not in request.asked_of:
        from ppworkbench.analyses.planning.request import DesignSource

        return DesignSource
    if "design" not in request.asked_of:
        return TrueSource
    return Source if request.needs_design else _Uncorrected


@functools.cache
def function_of(place: Place) -> Callable[..., Result]:
    """The function of ``pp`` that asks a question of data and their design."""
    request = place.load()
    kind = source_for(request)
    usable = {
        name: one
        for name, one in inspect.signature(kind).parameters.items()
        if name not in request.unused
    }
    first = [one for one in usable.values() if one.kind is _BY_PLACE]
    names = [usable.pop(one.name).name for one in first]

    # No default stands here, or the documentation would take it for one of the signature.
    def ask(*given: Any, **keywords: Any) -> Result:
        named = _named(request, [*names, *request.leading], given, keywords)
        of_source = {name: named.pop(name) for name in list(named) if name in (*names, *usable)}
        asked = request.given(named)
        source = kind(**{names[0]: None} | of_source)
        return asked.run(source, source.progress)

    first += [usable[name].replace(kind=_BY_PLACE) for name in request.leading if name in usable]
    rest = [one for name, one in usable.items() if name not in request.leading]
    return _made(ask, request, first, rest)


@functools.cache
def method_of(place: Place) -> Callable[..., Result]:
    """The method of a survey that asks a question of it."""
    request = place.load()

    def ask(self: Source, *given: Any, **keywords: Any) -> Result:
        named = _named(request, request.leading, given, keywords)
        return request.given(named).run(self, self.progress)

    return _made(ask, request, [inspect.Parameter("self", _BY_PLACE)], [])


class Method:
    """A method of a survey whose question is loaded when it is first looked at."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def __get__(self, survey: object, owner: type | None = None) -> Callable[..., Result]:
        """The function, bound to its survey."""
        function = method_of(self._place)
        if survey is None:
            return function
        bound: Callable[..., Result] = function.__get__(survey, owner)
        return bound


def _named(
    request: type[Request],
    names: Sequence[str],
    given: Sequence[Any],
    keywords: Mapping[str, Any],
) -> dict[str, Any]:
    """All arguments under their names, without what was left at None."""
    if request.rest:
        keywords, given = {**keywords, request.rest: tuple(given)}, ()
    if len(given) > len(names):
        raise TypeError(
            f"{request.name}() takes at most {len(names)} arguments without a name, "
            f"not {len(given)}."
        )
    by_place = dict(zip(names, given, strict=False))
    twice = next((name for name in by_place if name in keywords), None)
    if twice is not None:
        raise TypeError(f"{request.name}() got several values for {twice!r}.")
    named = by_place | dict(keywords)
    required = {one.name: one for one in declarations(request) if one.required}
    for name, one in required.items():
        if named.get(name, one) is None:
            raise ParameterError.saying("{label} is missing.", label=one.info.label, field=name)
    return {name: one for name, one in named.items() if one is not None}


def _parameters(request: type[Request]) -> Iterator[inspect.Parameter]:
    """The parameters of a question, those that need no name first."""
    for one in _spread(request):
        kind = _BY_PLACE if one.name in request.leading else _NAMED
        if one.name == request.rest:
            yield inspect.Parameter(one.name, _REST, annotation=annotation(one))
            continue
        if one.member is not None:
            usual = one.default.name
            yield inspect.Parameter(one.member.flag, kind, default=usual, annotation="str")
            continue
        default = None if _has_default_object(one) else one.default
        default = inspect.Parameter.empty if one.required else default
        yield inspect.Parameter(one.name, kind, default=default, annotation=annotation(one))


def _spread(request: type[Request]) -> Iterator[Declaration]:
    """The declarations, those of open parts in their places."""
    for one in declarations(request):
        if one.part is not None and one.part.is_open:
            yield from declarations(one.type)
        else:
            yield one


def _has_default_object(one: Declaration) -> bool:
    """Whether the default is an object that people would have to import to write it."""
    is_plain = one.default is None or isinstance(one.default, str | int | float)
    return (one.read is not None or one.part is not None) and not is_plain


def annotation(one: Declaration) -> str:
    """The type of a parameter as a signature has it."""
    if one.part is not None:
        words = ["Mapping[str, Any]", one.type.__name__]
        if one.part.keys:
            words.append("float" if len(one.part.keys) == 1 else "Sequence[float]")
        words = ["bool", *words] if one.part.switch else words
    elif one.read is not None:
        words = [one.read.annotation or one.type.__name__]
    else:
        plain = {float: "float", int: "int", bool: "bool", str: "str"}
        word = plain.get(one.type, "str")
        for _ in range(one.depth):
            word = f"Sequence[{word}]"
        words = [word]
    is_optional = one.optional or one.default is None or _has_default_object(one)
    return " | ".join([*words, *(["None"] if is_optional and not one.required else [])])


def _made(
    ask: Callable[..., Result],
    request: type[Request],
    first: list[inspect.Parameter],
    rest: list[inspect.Parameter],
) -> Callable[..., Result]:
    """The function with the signature and the documentation of its declaration."""
    own = list(_parameters(request))
    by_place = [one for one in own if one.kind in (_BY_PLACE, _REST)]
    if any(one.default is not one.empty for one in first):
        # What follows a parameter with a default has one in the signature, too.
        by_place = [one.replace(default=None) if one.default is one.empty else one
                    for one in by_place]  # fmt: skip
    named = [one for one in own if one.kind is _NAMED]
    more = []
    if any(one.member for one in declarations(request)):
        more = [inspect.Parameter("parameters", inspect.Parameter.VAR_KEYWORD, annotation="Any")]
    signature = inspect.Signature(
        [*first, *by_place, *named, *rest, *more], return_annotation=request.finds.__name__
    )
    ask.__signature__ = signature  # type: ignore[attr-defined]
    ask.__name__ = ask.__qualname__ = request.name
    ask.__doc__ = documentation(request)
    ask.__module__ = "ppworkbench"
    return ask


def documentation(request: type[Request]) -> str:
    """The docstring of a request with a section for its parameters."""
    told, _, examples = inspect.cleandoc(request.__doc__ or "").partition("Examples\n--------\n")
    lines = [told.strip(), "", "Parameters", "----------"]
    for one in _spread(request):
        says = one.info.help or one.info.label
        if one.member is not None:
            listed = ", ".join(f"``{name}``" for name in one.member.family.names)
            says = f"{says}: one of {listed}."
        lines += [one.member.flag if one.member else one.name, f"    {_sentence(says)}"]
    if any(one.member for one in declarations(request)):
        lines += ["**parameters", "    Of the method, as the command lists them."]
    lines += ["", "Examples", "--------", examples] if examples else []
    return "\n".join(lines)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."
