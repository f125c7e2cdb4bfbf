"""List experiments: people say only how many of some items apply to them."""

from __future__ import annotations


def list_variance(share: float, control_variance: float, long_share: float) -> float:
    """The variance of the difference in mean counts, times the number of all respondents.

    Parameters
    ----------
    share
        Of people with the sensitive item.
    control_variance
        Of the count of harmless items.
    long_share
        Of respondents who hear the list with the sensitive item.

    >>> round(list_variance(0.2, 0.75, 0.5), 4)
    3.32
    """
    long = control_variance + share * (1 - share)
    return control_variance / (1 - long_share) + long / long_share
