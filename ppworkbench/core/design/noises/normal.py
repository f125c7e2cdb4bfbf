"""The standard normal distribution; SciPy is loaded when it is first asked for.

Every start of the program passes here, few of them need a normal distribution at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]


def normal_cdf(x: ArrayLike) -> Numbers:
    """Pr(N <= x).

    >>> float(normal_cdf(0.0))
    0.5
    """
    from scipy.special import ndtr

    return np.asarray(ndtr(x), np.float64)


def normal_quantile(u: ArrayLike) -> Numbers:
    """The x with Pr(N <= x) = u.

    >>> round(float(normal_quantile(0.975)), 4)
    1.96
    """
    from scipy.special import ndtri

    return np.asarray(ndtri(u), np.float64)
