"""The joint distribution of an attribute and the class under shared coins.

Attributes of one group share a coin with each other, and with the class where that is in the group
too; then the coin must be undone for both at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.design.group import Group
from ppworkbench.core.errors import DesignError
from ppworkbench.core.reconstruct.inversion import invert

Numbers = NDArray[np.float64]

_HALF = 1e-9


def undo_shared_coin(shares: Numbers, group: Group, attribute: str, class_name: str) -> Numbers:
    """``Pr(attribute, class)`` from its published shares when one coin decided both.

    Unrelated: ``P* = theta P + (1 - theta) w_a w_c'`` with the personal answers w. Related: both
    answers are reversed together, ``P* = theta P + (1 - theta) J P J`` with J the reversal.

    Parameters
    ----------
    shares
        Published shares, one row per value of the attribute, one column per class.

    References
    ----------
    J. Zhan and S. Matwin (2007), "Privacy-preserving data mining in electronic surveys",
    equation 1.

    >>> coin = Group(("a", "c"), "related", 0.8)
    >>> undo_shared_coin(np.array([[0.38, 0.2], [0.2, 0.22]]), coin, "a", "c").round(3).tolist()
    [[0.433, 0.2], [0.2, 0.167]]
    """
    theta = group.theta
    if group.type == "related":
        if abs(2 * theta - 1) < _HALF:
            raise DesignError(
                "The related question with theta 0.5 tells nothing about anybody; choose another "
                "theta.",
                field="theta",
            )
        return np.asarray((theta * shares - (1 - theta) * shares[::-1, ::-1]) / (2 * theta - 1))
    if theta < _HALF:
        raise DesignError(
            "The unrelated question with theta 0 never asks the private question; choose a "
            "larger theta.",
            field="theta",
        )
    personal = dict(group.personal)
    rows, columns = shares.shape
    a = np.asarray(personal.get(attribute, np.full(rows, 1 / rows)))
    c = np.asarray(personal.get(class_name, np.full(columns, 1 / columns)))
    return np.asarray((shares - (1 - theta) * np.outer(a, c)) / theta)


def undo_two_coins(shares: Numbers, attribute: Numbers, classes: Numbers | None) -> Numbers:
    """``Pr(attribute, class)`` when each was distorted by its own coin: the product form.

    ``P* = A P C'`` with the P-matrices of the two; ``P = A^-1 P* C^-T``. With unrelated questions
    and personal answers w this solves
    ``P* = s t P + s (1 - t) P_a w_c' + (1 - s) t w_a P_c' + (1 - s)(1 - t) w_a w_c'``.

    >>> A = np.array([[0.8, 0.2], [0.2, 0.8]])
    >>> P = np.array([[0.6, 0.1], [0.1, 0.2]])
    >>> undo_two_coins(A @ P @ A.T, A, A).round(6).tolist()
    [[0.6, 0.1], [0.1, 0.2]]
    """
    once = invert(attribute).inverse @ shares
    return np.asarray(once if classes is None else once @ invert(classes).inverse.T)
