"""What is measured is remembered only while one question is answered."""

from __future__ import annotations

import pytest

from ppworkbench.gui.widgets.sizes import measured


class Box:
    """Asks its inside twice, as columns within columns do."""

    def __init__(self, inside: Box | None = None) -> None:
        self.inside = inside
        self.height = 1
        self.times = 0

    @measured
    def least(self) -> int:
        self.times += 1
        return self.height + (0 if self.inside is None else self.inside.least() + self.wanted())

    @measured
    def wanted(self) -> int:
        assert self.inside is not None
        return self.inside.least()


def test_that_each_is_asked_once() -> None:
    inside = Box()
    outside = Box(Box(Box(inside)))
    assert outside.least() == 15
    assert inside.times == 1


def test_that_nothing_is_remembered_afterwards() -> None:
    inside = Box()
    outside = Box(inside)
    assert outside.least() == 3
    inside.height = 5
    assert outside.least() == 11


def test_that_nothing_is_remembered_after_an_error() -> None:
    box = Box()
    with pytest.raises(AssertionError):
        box.wanted()
    box.inside = Box()
    assert box.wanted() == 1
    box.inside.height = 2
    assert box.wanted() == 2
