"""Design and analyse randomised surveys.

>>> import ppworkbench as pp
>>> sorted(name for name in pp.__all__ if name[0].islower())[:3]
['distort', 'read', 'reconstruct']
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ppworkbench.api.data import distort, read
    from ppworkbench.api.designs import Design
    from ppworkbench.api.reconstruct import reconstruct
    from ppworkbench.api.result import Result
    from ppworkbench.api.survey import Survey
    from ppworkbench.core.data.sampling_roles import Sampling
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.errors import WorkbenchError

__version__ = "0.1.0"

__all__ = [
    "Design",
    "Result",
    "Sampling",
    "Survey",
    "Table",
    "WorkbenchError",
    "distort",
    "read",
    "reconstruct",
]

_PLACES = {
    "Design": "ppworkbench.api.designs",
    "Result": "ppworkbench.api.result",
    "Sampling": "ppworkbench.core.data.sampling_roles",
    "Survey": "ppworkbench.api.survey",
    "Table": "ppworkbench.core.data.table",
    "WorkbenchError": "ppworkbench.core.errors",
    "distort": "ppworkbench.api.data",
    "read": "ppworkbench.api.data",
    "reconstruct": "ppworkbench.api.reconstruct",
}
"""Where a public name lives; it is loaded when it is first used, so that commands start fast."""


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'ppworkbench' has no attribute {name!r}")
    import importlib

    found: object = getattr(importlib.import_module(_PLACES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
