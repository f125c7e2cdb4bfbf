"""Commands that call a function of the Python interface: its keywords are their options."""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import inspect
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from ppworkbench.cli.options import given_options, given_values, usage_of
from ppworkbench.cli.output import Answer, answer_of
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.cli.scripts import answer_script
from ppworkbench.core.data.options import ReadOptions, WriteOptions

_HERE = ("progress", "engine")
"""Keywords that are about this computer, which scripts leave out."""


@dataclass(frozen=True)
class Call:
    """What carries a command out: the function that is named, called with what was given.

    Parsers store options under the names of keywords, and as ``declared`` the class whose options
    are further ones.

    Parameters
    ----------
    usage
        What the command line says of wrong arguments; their own sentence where it is empty.
    finish
        What else is done with the result; returns the exit status.
    """

    module: str
    name: str
    usage: Mapping[str, str] = field(default_factory=dict)
    finish: Callable[[Any], int] = lambda _: 0

    def __call__(self, args: argparse.Namespace, **more: Any) -> Answer:
        """Call it, or print the script that does; ``more`` are further arguments."""
        module = importlib.import_module(f"ppworkbench.api.{self.module}")
        function = getattr(module, self.name)
        known = inspect.signature(function).parameters
        given = {name: getattr(args, name) for name in known if hasattr(args, name)} | more
        for name, options in (("reading", ReadOptions), ("writing", WriteOptions)):
            if name in known:
                given[name] = given_options(args, options)
        if hasattr(args, "declared"):
            given |= given_values(args, args.declared)
        if getattr(args, "script", None) is not None:
            asked = {name: one for name, one in given.items() if name not in _HERE}
            return answer_script(args, function, asked)
        with progress_bar() if "progress" in known else nullcontext() as progress:
            shown = {} if progress is None else {"progress": progress}
            with usage_of(**self.usage):
                found = function(**given, **shown)
        return dataclasses.replace(answer_of(found), status=int(self.finish(found)))
