"""First steps: a sample, a design and a page that show one thing each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ppworkbench.core.design import Additive, Ordinal, Perturbation, Related, Uniform
from ppworkbench.core.progress import Progress
from ppworkbench.study.study import Study


@dataclass(frozen=True)
class Scene:
    """What to set up, and what it is called."""

    name: str
    icon_name: str
    title: str
    line: str
    page: str
    attribute: str
    make: Callable[[Progress], Study]


def _city(title: str, attribute: str, perturbation: Perturbation) -> Callable[[Progress], Study]:
    def make(progress: Progress) -> Study:
        from ppworkbench.core.data.samples import load_sample

        progress(0.1)
        study = Study.of_table(load_sample("city-survey"), title)
        return study.with_perturbations({attribute: perturbation})

    return make


SCENES = (
    Scene(
        "coin",
        "dice",
        "The coin",
        "Warner's question: why nobody can be accused",
        "design",
        "fare_evasion",
        _city("The coin", "fare_evasion", Related(theta=0.7)),
    ),
    Scene(
        "loop",
        "kind-ordinal",
        "The loop effect",
        "an ordered scale with and without its ends joined",
        "design",
        "trust_council",
        _city("The loop effect", "trust_council", Ordinal(weights=(0.6, 0.2), loop=True)),
    ),
    Scene(
        "low-keep",
        "target",
        "Few true answers",
        "keep 0.3: what an early stop does to EM",
        "explore",
        "district",
        _city("Few true answers", "district", Uniform(keep=0.3)),
    ),
    Scene(
        "income",
        "kind-continuous",
        "Undoing noise on income",
        "watch AS and EM converge, and overshoot",
        "explore",
        "income",
        _city("Undoing noise", "income", Additive(noise="normal", range_privacy=50)),
    ),
    Scene(
        "ages",
        "kind-integer",
        "Ages stay whole",
        "staircase against rounding",
        "design",
        "age",
        _city("Ages stay whole", "age", Additive(noise="uniform", half_width=5, integer="round")),
    ),
)
