"""Small tables to attack."""

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Identity, Uniform

TOWN = Attribute("town", Kind.NOMINAL, ("A", "B", "C"))
AGE = Attribute("age", Kind.INTEGER, domain=(0, 40))
PAY = Attribute("pay", Kind.CONTINUOUS, domain=(0.0, 100.0))
SPENT = Attribute("spent", Kind.CONTINUOUS, domain=(-50.0, 150.0))


def people(n=4000, seed=1):
    """Towns, ages, pay, and spending that follows pay closely."""
    dice = np.random.default_rng(seed)
    pay = dice.beta(2, 3, n) * 100
    spent = np.clip(pay + dice.normal(0, 3, n), -50, 150)
    columns = (
        Column(TOWN, dice.choice(3, n, p=(0.5, 0.3, 0.2))),
        Column(AGE, dice.integers(0, 41, n).astype(float)),
        Column(PAY, pay),
        Column(SPENT, spent),
    )
    return Table(columns)


def design_of(table, **perturbations):
    named = [DesignedAttribute(a, perturbations.get(a.name, Identity())) for a in table.attributes]
    return Design(tuple(named))


def noisy(table):
    return design_of(
        table,
        town=Uniform(keep=0.6),
        age=Additive(noise="uniform", half_width=5, integer="staircase"),
        pay=Additive(noise="normal", sigma=20.0),
        spent=Additive(noise="normal", sigma=20.0),
    )
