"""Which estimator and which stop rule suit an attribute."""

from __future__ import annotations

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.accelerated import Accelerated
from ppworkbench.core.reconstruct.as_noise import AsNoise
from ppworkbench.core.reconstruct.channel import NUMBERS, CountedChannel
from ppworkbench.core.reconstruct.em import Em
from ppworkbench.core.reconstruct.em_as import EmAs
from ppworkbench.core.reconstruct.eq import Eq
from ppworkbench.core.reconstruct.estimator import Estimator, estimators
from ppworkbench.core.reconstruct.smooth import Smooth
from ppworkbench.core.reconstruct.stopping import StopRule

DEFAULT = "default"
ALGORITHMS = (DEFAULT, *(one.name for one in (Eq, EmAs, AsNoise, Em, Accelerated, Smooth)))

_ROUNDING = 1e-12


def choose(
    counted: CountedChannel, algorithm: str, stop: StopRule | None
) -> tuple[Estimator, StopRule | None]:
    """The estimator of that name or the default, with the rule it stops by.

    A stop rule without an algorithm asks for the iteration: EM/AS for values, EM for numbers. An
    algorithm for the other kind of cells is exchanged for its counterpart, so that one name can
    be given for all attributes of a questionnaire.
    """
    if counted.is_undistorted:
        return Eq(), None
    if algorithm == DEFAULT:
        return _default(counted, stop)
    estimator = estimators[algorithm]()
    if counted.cells not in estimator.serves:
        estimator = estimators[estimator.counterpart]()
    if stop is not None and not estimator.iterates:
        raise ParameterError(
            Message(
                "The algorithm {name!r} does not iterate until a rule stops it; leave "
                "out the stop, or choose 'em' or 'em-as'.",
                name=estimator.name,
            ),
            field="stop",
        )
    return estimator, stop


def _default(counted: CountedChannel, stop: StopRule | None) -> tuple[Estimator, StopRule | None]:
    numbers = counted.cells == NUMBERS
    if stop is not None and stop.name == "converged":
        return (Accelerated() if numbers else _likeliest(counted)), None
    if stop is not None:
        return (Em() if numbers else EmAs()), stop
    return (Smooth() if numbers else _likeliest(counted)), None


def _likeliest(counted: CountedChannel) -> Estimator:
    # Without negative entries the solution has the largest likelihood: nothing to iterate.
    return Eq() if counted.solution.min() >= -_ROUNDING else Accelerated()
