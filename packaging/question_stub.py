"""Write the stub of the questions, which editors and type checkers read."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from ppworkbench.analyses import QUESTIONS
from ppworkbench.api import calls
from ppworkbench.api.calls import function_of, method_of
from ppworkbench.core.params import declarations

_STANDARD = ("collections", "typing", "os")
_IMPORTS = (
    ("collections.abc", "Mapping"),
    ("collections.abc", "Sequence"),
    ("typing", "Any"),
    ("ppworkbench.analyses.arguments", "StudyPath"),
    ("ppworkbench.analyses.inputs", "Data"),
    ("ppworkbench.analyses.inputs", "DesignLike"),
    ("ppworkbench.core.data.options", "ReadOptions"),
    ("ppworkbench.core.data.sampling_roles", "ReplicateRole"),
    ("ppworkbench.core.data.sampling_roles", "Sampling"),
    ("ppworkbench.core.data.sampling_roles", "SamplingOptions"),
    ("ppworkbench.core.engines", "Engine"),
    ("ppworkbench.core.experiment", "Setting"),
    ("ppworkbench.core.models", "Formula"),
    ("ppworkbench.core.privacy.utility.noncompliance", "NonCompliance"),
    ("ppworkbench.core.progress", "Progress"),
    ("ppworkbench.core.survey.conditions.condition", "Condition"),
)
"""What annotations of declarations may name."""


def stub() -> str:
    """The text of ``questions.pyi``, which editors and type checkers read."""
    functions: list[str] = []
    methods: list[str] = []
    known = set(_IMPORTS)
    for place in QUESTIONS:
        made = method_of(place) if place.of_survey else function_of(place)
        signature = inspect.signature(made)
        found = place.load().finds
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
    return re.search(rf"\b{name}\b", text) is not None


def _shown(signature: inspect.Signature) -> str:
    """Parameters as a stub has them: defaults are three dots."""
    shown: list[str] = []
    for one in signature.parameters.values():
        if one.kind is inspect.Parameter.KEYWORD_ONLY and not any(
            word.startswith("*") for word in shown
        ):
            shown.append("*")
        stars = "*" if one.kind is inspect.Parameter.VAR_POSITIONAL else ""
        stars = "**" if one.kind is inspect.Parameter.VAR_KEYWORD else stars
        typed = "" if one.annotation is one.empty else f": {one.annotation}"
        shown.append(f"{stars}{one.name}{typed}{'' if one.default is one.empty else ' = ...'}")
    return ", ".join(shown)


if __name__ == "__main__":
    place = Path(calls.__file__).with_name("questions.pyi")
    place.write_text(stub(), encoding="utf-8")
