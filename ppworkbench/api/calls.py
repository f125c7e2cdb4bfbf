"""Questions as functions and methods: signatures, documentation and stubs from declarations."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ppworkbench.analyses import QUESTIONS, Place
from ppworkbench.analyses.request import Request
from ppworkbench.analyses.source import UNCORRECTED, Source
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.params import Declaration, declarations
from ppworkbench.results.result import Result

_NAMED, _BY_PLACE = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
_REST = inspect.Parameter.VAR_POSITIONAL
_OF_SOURCE = {
    name: one
    for name, one in inspect.signature(Source.__init__).parameters.items()
    if name not in ("self", "data", "design")
}


class _Uncorrected(Source):
    """Answers that are counted as they are where they bring no design."""

    without_design = UNCORRECTED


def source_for(request: type[Request]) -> type[Source]:
    """What a question is asked of: some can do without a design."""
    return Source if request.needs_design else _Uncorrected


@functools.cache
def function_of(place: Place) -> Callable[..., Result]:
    """The function of ``pp`` that asks a question of data and their design."""
    request = place.load()
    kind = source_for(request)
    usable = {name: one for name, one in _OF_SOURCE.items() if name not in request.unused}

    # No default stands here, or the documentation would take it for one of the signature.
    def ask(data: Any, *given: Any, **keywords: Any) -> Result:
        if given and "design" in keywords:
            raise TypeError(f"{request.name}() got several values for 'design'.")
        design = given[0] if given else keywords.pop("design", None)
        named = _named(request, given[1:], keywords)
        of_source = {name: named.pop(name) for name in list(named) if name in usable}
        asked = request.given(named)
        source = kind(data, design, **of_source)
        return asked.run(source, source.progress)

    of_source = inspect.signature(Source.__init__).parameters
    first = [of_source[name] for name in ("data", "design")]
    first += [
        usable.pop(name).replace(kind=_BY_PLACE) for name in request.leading if name in usable
    ]
    return _made(ask, request, first, list(usable.values()))


@functools.cache
def method_of(place: Place) -> Callable[..., Result]:
    """The method of a survey that asks a question of it."""
    request = place.load()

    def ask(self: Source, *given: Any, **keywords: Any) -> Result:
        return request.given(_named(request, given, keywords)).run(self, self.progress)

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
    request: type[Request], given: Sequence[Any], keywords: Mapping[str, Any]
) -> dict[str, Any]:
    """All arguments under their names, without what was left at None."""
    if request.rest:
        keywords, given = {**keywords, request.rest: tuple(given)}, ()
    if len(given) > len(request.leading):
        raise TypeError(
            f"{request.name}() takes at most {len(request.leading)} arguments without a name, "
            f"not {len(given)}."
        )
    by_place = dict(zip(request.leading, given, strict=False))
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
        [*first, *by_place, *named, *rest, *more], return_annotation=result_of(request).__name__
    )
    ask.__signature__ = signature  # type: ignore[attr-defined]
    ask.__name__ = ask.__qualname__ = request.name
    ask.__doc__ = documentation(request)
    ask.__module__ = "ppworkbench"
    return ask


def result_of(request: type[Request]) -> type[Result]:
    """What a question finds."""
    return request.finds


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


def stub() -> str:
    """The text of ``questions.pyi``, which editors and type checkers read."""
    functions: list[str] = []
    methods: list[str] = []
    known = set(_IMPORTS)
    for place in QUESTIONS:
        made = method_of(place) if place.of_survey else function_of(place)
        signature = inspect.signature(made)
        found = result_of(place.load())
        known.add((found.__module__, found.__name__))
        for one in declarations(place.load()):
            if one.part is not None:
                known.add((one.type.__module__, one.type.__name__))
        line = f"def {place.name}({_shown(signature)}) -> {found.__name__}: ..."
        (methods if place.of_survey else functions).append(line)
    body = ["class SurveyMethods:", *(f"    {line}" for line in methods)]
    text = "\n".join([*functions, "", *body, ""])
    used = sorted((module, name) for module, name in known if _names(text, name))
    standard = [f"from {m} import {n}" for m, n in used if m.startswith(_STANDARD)]
    own = [f"from {m} import {n}" for m, n in used if not m.startswith(_STANDARD)]
    head = "# Made by `packaging/dev.py stubs`; a test compares."
    return "\n".join([head, *standard, "", *own, "", text])


def _names(text: str, name: str) -> bool:
    import re

    return re.search(rf"\b{name}\b", text) is not None


_STANDARD = ("collections", "typing", "os")
_IMPORTS = (
    ("collections.abc", "Mapping"),
    ("collections.abc", "Sequence"),
    ("typing", "Any"),
    ("ppworkbench.analyses.inputs", "Data"),
    ("ppworkbench.analyses.inputs", "DesignLike"),
    ("ppworkbench.core.data.options", "ReadOptions"),
    ("ppworkbench.core.data.sampling_roles", "ReplicateRole"),
    ("ppworkbench.core.data.sampling_roles", "Sampling"),
    ("ppworkbench.core.data.sampling_roles", "SamplingOptions"),
    ("ppworkbench.core.engines", "Engine"),
    ("ppworkbench.core.models", "Formula"),
    ("ppworkbench.core.progress", "Progress"),
    ("ppworkbench.core.survey.conditions.condition", "Condition"),
)
"""What annotations of declarations may name."""


def _shown(signature: inspect.Signature) -> str:
    """Parameters as a stub has them: defaults are three dots."""
    shown: list[str] = []
    for one in signature.parameters.values():
        if one.kind is _NAMED and not any(word.startswith("*") for word in shown):
            shown.append("*")
        stars = "*" if one.kind is _REST else ""
        stars = "**" if one.kind is inspect.Parameter.VAR_KEYWORD else stars
        typed = "" if one.annotation is one.empty else f": {one.annotation}"
        shown.append(f"{stars}{one.name}{typed}{'' if one.default is one.empty else ' = ...'}")
    return ", ".join(shown)
