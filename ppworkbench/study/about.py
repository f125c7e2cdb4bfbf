"""What the program is made of and whom it owes its methods to."""

from __future__ import annotations

import importlib
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata

from ppworkbench.core.kernels import library_lock
from ppworkbench.version import __version__

LIBRARIES = {
    "numpy": "numpy",
    "pandas": "pandas",
    "scipy": "scipy",
    "scikit-learn": "sklearn",
    "numba": "numba",
    "pyarrow": "pyarrow",
    "pyqtgraph": "pyqtgraph",
}
"""Libraries by the name of their distribution, with the module to ask where that is unknown."""


@dataclass(frozen=True)
class Paper:
    authors: str
    year: str
    title: str
    place: str
    used_for: str

    @property
    def citation(self) -> str:
        year = f" ({self.year})" if self.year else ""
        return ". ".join(filter(None, (f"{self.authors}{year}", self.title, self.place))) + "."


PAPERS = (
    Paper(
        "P. Andruszkiewicz", "2011",
        "Privacy preserving classification and association rules mining over centralised data",
        "Ph.D. thesis, Warsaw University of Technology",
        "transition matrices, loop effect, reconstruction, MMASK, emerging patterns, "
            "meta-learning",
    ),
    Paper(
        "P. Andruszkiewicz", "2008",
        "Probability distribution reconstruction for nominal attributes in privacy preserving "
        "classification",
        "International Conference on Convergence and Hybrid Information Technology",
        "EQ",
    ),
    Paper(
        "P. Andruszkiewicz", "2016",
        "Privacy preserving reconstruction-based techniques and randomisation-based methods for "
        "calculating surveys' statistics and participants sampling in deliberative consultations",
        "",
        "survey statistics, participants",
    ),
    Paper(
        "J. Zhan and S. Matwin", "2007",
        "Privacy-preserving data mining in electronic surveys",
        "International Journal of Network Security",
        "grouped questions, privacy of a single entry",
    ),
    Paper(
        "R. R. Haque and R. A. Rizvee", "",
        "Ensuring participant deniability in public datasets: an alternative approach",
        "University of Dhaka",
        "deniable tables",
    ),
    Paper(
        "R. Agrawal and R. Srikant", "2000",
        "Privacy-preserving data mining",
        "SIGMOD",
        "AS, the published stopping rule, range privacy",
    ),
    Paper(
        "D. Agrawal and C. C. Aggarwal", "2001",
        "On the design and quantification of privacy preserving data mining algorithms",
        "PODS",
        "EM, entropy privacy",
    ),
    Paper(
        "S. J. Rizvi and J. R. Haritsa", "2002",
        "Maintaining data privacy in association rule mining",
        "VLDB",
        "MASK, basic privacy",
    ),
    Paper(
        "S. L. Warner", "1965",
        "Randomized response: a survey technique for eliminating evasive answer bias",
        "Journal of the American Statistical Association 60",
        "the related question",
    ),
)  # fmt: skip
"""The papers that shaped the program; every page of the help names those of its own subject."""


def versions(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The versions that a report of a fault needs, by name; missing libraries are left out.

    >>> list(versions())[:2]
    ['ppworkbench', 'Python']
    """
    found = {"ppworkbench": __version__, "Python": platform.python_version(), **(more or {})}
    for name, module in LIBRARIES.items():
        version = _version(name, module)
        if version:
            found[name] = version
    return found | {"System": platform.platform(terse=True)}


@cache
def _version(name: str, module: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
    # A packed program has the library without what its installer wrote about it.
    try:
        with library_lock:
            return str(getattr(importlib.import_module(module), "__version__", ""))
    except ImportError:
        return ""


def how_to_cite() -> str:
    return (
        f"The ppworkbench authors. ppworkbench {__version__}: randomisation-based privacy "
        "preserving data mining of survey data. Computer program."
    )
