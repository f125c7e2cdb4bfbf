"""A design without some of its attributes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from ppworkbench.core.design import Design
from ppworkbench.core.design.group import Group


def leaving_out(design: Design, names: Iterable[str]) -> Design:
    """The design without these attributes; what is left of a group goes on sharing its coin."""
    gone = set(names)
    for name in gone:
        design[name]
    shrunk = (_without(group, gone) for group in design.groups)
    return Design(
        tuple(designed for designed in design if designed.name not in gone),
        None if design.class_name in gone else design.class_name,
        tuple(group for group in shrunk if group is not None),
    )


def _without(group: Group, gone: set[str]) -> Group | None:
    left = tuple(name for name in group.attributes if name not in gone)
    if not left:
        return None
    personal = tuple(pair for pair in group.personal if pair[0] not in gone)
    return dataclasses.replace(group, attributes=left, personal=personal)
