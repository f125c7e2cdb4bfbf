"""How long one total takes to be shared out among 50 questions; the goal is 20 ms.

Run with ``python -m tests.benchmarks.sharing_out``. Curves of numbers are worked out once and kept,
as in the window, where the total is dragged; the first time stands beside the others. Times are
those of the processor.
"""

from __future__ import annotations

import time

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute
from ppworkbench.core.design.starting import starting_perturbation
from ppworkbench.core.planning.budget import share_design
from ppworkbench.core.planning.sharing import BudgetSettings

QUESTIONS = 50
REPEATS = 9


def questionnaire(numbers: int) -> Design:
    """Some numbers, then yes-or-no questions and scales in turn, as a starting design has them."""

    def asked(place: int) -> Attribute:
        name = f"q{place}"
        if place < numbers:
            return Attribute(name, Kind.INTEGER, domain=(0.0, 50.0 + place))
        if place % 2:
            return Attribute(name, Kind.BINARY, ("no", "yes"))
        return Attribute(name, Kind.ORDINAL, tuple("abcdefghij"[: 3 + place % 6]))

    attributes = map(asked, range(QUESTIONS))
    return Design(tuple(DesignedAttribute(a, starting_perturbation(a)) for a in attributes))


def main() -> None:
    for numbers in (0, 10):
        design = questionnaire(numbers)
        for rule in ("sum", "max"):
            taken = []
            for repeat in range(REPEATS):
                start = time.process_time()
                share_design(design, BudgetSettings(total=20.0 + repeat, rule=rule))
                taken.append(1e3 * (time.process_time() - start))
            print(
                f"{QUESTIONS} questions, {numbers} of them numbers, {rule}: first {taken[0]:.0f} "
                f"ms, then {min(taken[1:]):.0f} ms"
            )


if __name__ == "__main__":
    main()
