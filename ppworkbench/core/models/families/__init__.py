"""All families, each in a file of its own; the first that suits an outcome is the proposed one."""

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.models.families.categorical import Categorical
from ppworkbench.core.models.families.linear import Linear
from ppworkbench.core.models.families.multinomial import Logistic, Multinomial
from ppworkbench.core.models.families.ordinal import Ordinal
from ppworkbench.core.models.families.poisson import Poisson
from ppworkbench.core.models.family import Family

OF_VALUES: tuple[type[Categorical], ...] = (Logistic, Ordinal, Multinomial)
OF_NUMBERS: tuple[type[Family], ...] = (Poisson, Linear)
FAMILIES = {one.name: one for one in (*OF_VALUES, *OF_NUMBERS)}


def families_for(kind: Kind) -> tuple[str, ...]:
    """The models of outcomes of a kind, the proposed one first."""
    return tuple(name for name, one in FAMILIES.items() if kind in one.offered_for)
