"""What tests of the store share."""

from __future__ import annotations

import pytest
from studies import make_study

from ppworkbench.gui.store import Store


@pytest.fixture
def store(qapp) -> Store:
    made = Store()
    made.open(make_study(rows=40))
    return made
