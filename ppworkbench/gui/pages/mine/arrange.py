"""Which rows of a listing are shown, and in which order: on arrays, never row by row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.gui.pages.mine.listing import NAME, Listing, Order, Places

AT_ONCE = 20_000
"""So many rows are arranged faster than anybody notices; more of them are a job."""


@dataclass(frozen=True)
class Wish:
    """What a person asked to see.

    ``least`` and ``most`` bound the number of items; a ``most`` of 0 is no bound. Every word of
    ``text`` has to occur in the name of an item of the row.
    """

    text: str = ""
    least: int = 1
    most: int = 0
    column: str = ""
    descending: bool = True


@dataclass(frozen=True, eq=False)
class Arranged:
    """The rows that are shown, in order, and where the scale of their bars ends.

    The scale follows the sizes but not the words of the filter: it stays while somebody types.
    """

    order: Order
    reach: float


def arrange(listing: Listing, wish: Wish) -> Arranged:
    """Filter and sort."""
    return Arranged(_sorted(listing, wish), listing.reach(wish.least))


def _sorted(listing: Listing, wish: Wish) -> Order:
    rows = np.flatnonzero(_wanted(listing, wish))
    if wish.column == NAME:
        key = listing.name_rank[rows]
    elif wish.column:
        key = listing.numbers(wish.column)[rows]
    else:
        return rows
    # Rows that are not known stand last in either direction; ties keep the order they came in.
    known = ~np.isnan(key)
    order = np.argsort(-key[known] if wish.descending else key[known], kind="stable")
    return np.concatenate([rows[known][order], rows[~known]])


def _wanted(listing: Listing, wish: Wish) -> NDArray[np.bool_]:
    wanted = np.ones(listing.rows, bool)
    if wish.least > 1:
        wanted &= listing.size >= wish.least
    if wish.most:
        wanted &= listing.size <= wish.most
    for word in wish.text.lower().split():
        # One more place than items, so that the -1 of an empty place means "not in here".
        holds = np.array([word in name.lower() for name in listing.words] + [False])
        wanted &= _any(holds, listing.members) | _any(holds, listing.heads)
    return wanted


def _any(holds: NDArray[np.bool_], places: Places | None) -> NDArray[np.bool_] | bool:
    return False if places is None else holds[places].any(axis=1)
