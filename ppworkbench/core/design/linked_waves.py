"""Linked waves: the column in which pages tell which rows are of one person.

A device that keeps its reports for later waves keeps a random number with them, and sends it with
every row. It depends on no answer, so it tells nothing but that two rows are of one person.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import PERSON, Sampling, assign_role, without_roles
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.rng import SecureStreams

_NUMBERS = 1 << 39
"""So many persons can be told apart; the numbers have 12 digits, which every file keeps."""


def linking_column(design: Design) -> str | None:
    """Where pages say who answers; None where waves are not linked, or another column says it.

    >>> from ppworkbench.core.design.budget import DesignBudget
    >>> linking_column(Design((), budget=DesignBudget(waves=3, memoise=True, linked=True)))
    'person'
    """
    if design.budget is None or not design.budget.linked or not design.repeats_draws:
        return None
    known = (design.sampling or Sampling()).person or PERSON
    is_asked = known in design and design[known].attribute.domain != person_attribute(known).domain
    return None if is_asked or known != PERSON else known


def person_attribute(name: str) -> Attribute:
    """The numbers that devices draw for themselves."""
    return Attribute(name, Kind.INTEGER, domain=(0, _NUMBERS - 1))


def without_linking(design: Design) -> Design:
    """The design as it is before an answer has named a person."""
    name = linking_column(design)
    if name is None:
        return design
    listed = tuple(one for one in design if one.name != name)
    sampling = without_roles(design.sampling, (name,))
    return dataclasses.replace(design, attributes=listed, sampling=sampling)


def naming_persons(design: Design, columns: Iterable[str]) -> Design:
    """The design of answers with these columns, in which that of persons has its role."""
    name = linking_column(design)
    if name is None or name not in columns:
        return design
    plain = without_linking(design)
    added = DesignedAttribute(person_attribute(name), Identity())
    sampling = assign_role(plain.sampling, (name,), PERSON)
    return dataclasses.replace(plain, attributes=(*plain.attributes, added), sampling=sampling)


def with_persons(table: Table, name: str) -> Table:
    """The table with somebody in every row: who is not named comes once, under a fresh number."""
    known = table[name].data if name in table else np.full(table.rows, np.nan)
    absent = np.isnan(known)
    data = np.asarray(known, np.float64).copy()
    drawn = SecureStreams().stream("persons").random(int(absent.sum()))
    data[absent] = np.floor(drawn * _NUMBERS)
    column = Column(person_attribute(name), data)
    others = tuple(one for one in table if one.name != name)
    return table.with_(columns=(*others, column))
