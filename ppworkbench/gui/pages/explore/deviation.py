"""How much the estimates of an iteration vary, at every step of the way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct import estimators
from ppworkbench.core.reconstruct.estimator import IteratedEstimator
from ppworkbench.core.reconstruct.inversion import invert
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.language.text import later
from ppworkbench.gui.pages.explore.draw import Draw
from ppworkbench.gui.pages.explore.em_path import Path

Numbers = NDArray[np.float64]

MOST_RESAMPLES = 100
_FEWEST_RESAMPLES = 40
_MOST_WORK = 1.2e10
_REPORT_EVERY = 8
_STILL = 1e-7
_TINY = float(np.finfo(np.float64).tiny)


def deviation_along(method: str, draw: Draw, path: Path, progress: Progress = silent) -> Numbers:
    """Standard deviations of the kept estimates, by a bootstrap of the counts.

    The resamples are iterated together. Where the work would take too long the later steps stay
    unknown (NaN). The bias of an early stop is not in it.
    """
    estimator, counted = estimators[method](), draw.counted
    assert isinstance(estimator, IteratedEstimator)  # noqa: S101 (others have closed forms)
    matrix, counts = estimator.cells(counted)
    found = np.full(path.estimates.shape, np.nan)
    found[0] = 0.0
    hidden = invert(counted.matrix).hidden if draw.is_singular else np.zeros(counted.k, bool)
    n = round(float(counts.sum()))
    if n < 1:
        return found
    work = 4.0 * matrix.size
    resamples = int(
        np.clip(_MOST_WORK / (work * max(path.last, 1)), _FEWEST_RESAMPLES, MOST_RESAMPLES)
    )
    most = int(_MOST_WORK / (work * resamples))
    generator = SeededStreams(draw.seed).generator("explore bootstrap", draw.subject.name)
    shares = generator.multinomial(n, counts / counts.sum(), size=resamples) / n
    columns = np.ascontiguousarray(matrix.T)
    x = np.full((resamples, matrix.shape[1]), 1 / matrix.shape[1])
    iteration = 0
    for place, kept in enumerate(path.iterations.tolist()):
        if kept > most:
            break
        while iteration < kept:
            if iteration % _REPORT_EVERY == 0:
                progress(iteration / max(path.last, 1), later("resampling"))
            new = ((shares / np.maximum(x @ columns, _TINY)) @ matrix) * x
            iteration += 1
            if np.abs(new - x).sum(axis=1).max() < _STILL:
                # Nothing moves any more, so nothing would differ later on.
                found[place:] = new.std(axis=0, ddof=1)
                found[:, hidden] = np.inf
                return found
            x = new
        if kept:
            found[place] = x.std(axis=0, ddof=1)
    # What the matrix hides stays unknown however alike the resamples are.
    found[:, hidden] = np.inf
    return found
