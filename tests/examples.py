"""Which examples are tried: of a property some in every run, many more in the sweeps.

They are the same in every run, so that more of them in the quick tests would mostly hold what held
a minute ago. ``-m slow`` runs every property once more, on many more.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

_QUICK, _SWEEP = 8, 60

settings.register_profile(
    "quick",
    derandomize=True,
    deadline=None,
    max_examples=_QUICK,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("sweep", settings.get_profile("quick"), max_examples=_SWEEP)
settings.load_profile("quick")


def examples(share: float) -> settings:
    """A share of the usual number, for what takes long, or a multiple for what finds late."""
    return settings(max_examples=max(5, round(share * settings.default.max_examples)))


def sweep(cases: Iterable[Any], *, quick: int | Container[Any]) -> list[Any]:
    """Cases of a test of which only some are tried in every run, and the others in the sweeps.

    Parameters
    ----------
    cases
        What ``parametrize`` takes: values, or tuples of them where there are several arguments.
    quick
        The cases that are tried in every run, or how many from the first on.
    """
    made = []
    for place, case in enumerate(cases):
        is_quick = place < quick if isinstance(quick, int) else case in quick
        values = case if isinstance(case, tuple) else (case,)
        made.append(pytest.param(*values, marks=() if is_quick else pytest.mark.slow))
    return made


class _WrittenExamples:
    """Looks for examples in docstrings only where there are some.

    All modules would be imported otherwise, and each of their names be looked up, by every process
    that runs tests. A plugin is asked about files everywhere, a conftest only about those below it.
    """

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path) -> Iterator[None]:
        found = yield
        return [
            node
            for node in found
            if not isinstance(node, DoctestModule) or b">>>" in file_path.read_bytes()
        ]


def pytest_configure(config: pytest.Config) -> None:
    """Try more examples in the sweeps; tests are imported after this."""
    config.pluginmanager.register(_WrittenExamples())
    if _sweeps(config):
        settings.load_profile("sweep")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let the sweeps find every property, also one that is checked within its test."""
    is_property = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    if _sweeps(item.config) and (is_property or item.get_closest_marker("hypothesis")):
        item.add_marker(pytest.mark.slow)


def _sweeps(config: pytest.Config) -> bool:
    chosen = config.getoption("markexpr")
    return "slow" in chosen and "not slow" not in chosen
