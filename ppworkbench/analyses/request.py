"""A question as a value: its declaration is its options, keywords, JSON, script and form."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ppworkbench.core.message import Message
from ppworkbench.core.params import Params, declarations
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.result import Result

if TYPE_CHECKING:
    from ppworkbench.core.design.design import Design


STRATA = ("strata", "cluster", "person", "population", "replicates", "options")
SAMPLING = ("weights", "sampling", *STRATA)
"""Keywords of a source that tell how people were drawn."""


@dataclass(frozen=True, kw_only=True)
class Request(Params):
    """A question that can be asked of answers.

    ``leading`` are the parameters that a call gives without their names, after data and design,
    and the keywords of a source that it cannot do without; ``unused`` are those that mean nothing
    to it.
    """

    name: ClassVar[str]
    label: ClassVar[Message]
    leading: ClassVar[tuple[str, ...]] = ()
    rest: ClassVar[str] = ""
    """The list whose members a call gives one after the other, without their name."""
    asked_of: ClassVar[tuple[str, ...]] = ("data", "design")
    """What stands before them."""
    needs_design: ClassVar[bool] = True
    of_true: ClassVar[bool] = False
    """Whether it is asked of true answers, which it randomises itself."""
    unused: ClassVar[tuple[str, ...]] = ()
    only_here: ClassVar[tuple[str, ...]] = ()
    """Parameters that are about this computer, which scripts leave out."""
    finds: ClassVar[type[Result]]

    def why_not(self, design: Design) -> Message | None:  # noqa: ARG002 (for those that can fail)
        """Why it cannot be asked of a design; None if it can."""
        return None

    @abstractmethod
    def run(self, source: Any, progress: Progress = silent) -> Result:
        """Ask it of answers, or of a design."""

    headings: ClassVar[Mapping[str, str]] = {}
    """What help says below the headings of groups of options."""
    files: ClassVar[Mapping[str, str]] = {}
    """Files that a command writes besides, by their options; ``Result.files`` has the texts."""

    def beside(self) -> tuple[Path, ...]:
        """What it writes beside the files that its options name."""
        return ()

    keeps_partial: ClassVar[bool] = False
    """Whether what is there when somebody stops it is a result, too."""

    @classmethod
    def written_by_place(cls) -> tuple[str, ...]:
        """The parameters that a script writes without their names."""
        optional = {"", *(one.name for one in declarations(cls) if not one.required)}
        return tuple(name for name in (*cls.leading, cls.rest) if name not in optional)
