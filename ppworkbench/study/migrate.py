"""Older versions of the study file, brought up to the one of today."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message

VERSION = 1

_STEPS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""For each old version, how its document becomes one of the next version."""


def migrated(given: Mapping[str, Any]) -> dict[str, Any]:
    """The document in the version of today; a newer one is refused.

    >>> migrated({"version": 1, "title": "x"})["title"]
    'x'
    """
    version = given.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise DataError("its version is not a number.")
    if version > VERSION:
        raise DataError(
            Message(
                "it has version {version}, made by a newer ppworkbench; this one reads "
                "version {version2}. Install the newer program.",
                version=version,
                version2=VERSION,
            )
        )
    document = dict(given)
    for step in range(version, VERSION):
        document = _STEPS[step](document)
    return document
