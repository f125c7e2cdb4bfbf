"""One walk through every page and dialog: is all text seen, has all a name, does Tab get there?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE, until

pytestmark = pytest.mark.slow

TESTS = Path(__file__).resolve().parents[1]
SMALL = [1366, 768]
LONGEST = 4 * PATIENCE
"""Seconds for the whole walk."""


CROWDED = (
    "design-nominal", "design-continuous", "attack-filter", "attack-members", "survey-count",
    "mine-rules",
)  # fmt: skip
"""Stops whose columns had no room for longer words in the smallest window."""


def look(*options: str) -> subprocess.CompletedProcess[str]:
    """Walk by a process of its own."""
    paths = os.pathsep.join((str(TESTS), str(TESTS.parent)))
    environment = os.environ | {"PYTHONPATH": paths, "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.run(
        [sys.executable, "-m", "layout_check", *options],
        env=environment, capture_output=True, text=True, check=False, timeout=LONGEST,
    )  # fmt: skip


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Every stop at two sizes, and every page in dark colours; one walk for all test processes."""
    own = tmp_path_factory.getbasetemp()
    # Test processes side by side have their folders in one.
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "walk"
    seen = shared / "seen.json"
    try:
        shared.mkdir()
    except FileExistsError:
        until(seen.exists, LONGEST)
    else:
        done = look("--larger", "1920x1080", "--dark-too", "--json")
        part = seen.with_suffix(".part")
        part.write_text(json.dumps([done.returncode, done.stdout, done.stderr]))
        part.rename(seen)
    status, told, errors = json.loads(seen.read_text())
    assert status == 0, errors
    return json.loads(told.splitlines()[-1])


def test_that_charts_leave_the_program_whole_and_with_their_words(walk):
    assert not walk["figures"]


def test_that_no_text_is_cut_and_nothing_is_out_of_place_or_without_a_name(walk):
    assert len(walk["sizes"]) > 40
    assert not walk["faults"]


def test_that_the_same_holds_in_dark_colours(walk):
    assert not walk["dark"]


def test_that_no_page_makes_the_window_larger_than_a_small_screen(walk):
    assert {name: size for name, size in walk["sizes"].items() if size != SMALL} == {}


def test_that_tab_reaches_every_control_and_is_kept_by_none(walk):
    assert not walk["unreached"]


def test_that_tab_goes_through_the_columns_of_a_page_from_left_to_right(walk):
    ways = walk["columns"]
    assert {"data", "design-nominal", "mine", "publish"} <= {n for n, w in ways.items() if set(w)}
    assert {name: way for name, way in ways.items() if way != sorted(way)} == {}


def test_that_no_keys_do_two_things(walk):
    assert not walk["twice"]


def test_that_the_list_of_keys_tells_those_of_menus_and_pages(walk):
    assert "Shift+F11" in walk["menu_keys"]
    assert set(walk["menu_keys"]) <= set(walk["listed_keys"])
    assert {"F6", "Esc", "Ctrl+L", "Ctrl+D", "Ctrl+F", "Alt+Up"} <= set(walk["listed_keys"])


def test_that_longer_words_have_room_in_the_smallest_window():
    stops = [word for name in CROWDED for word in ("--stop", name)]
    done = look("--size", "1100x700", "--language", "pl", *stops)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == f"0 faults at {len(CROWDED)} stops\n"


@pytest.mark.parametrize("language", ["en", "pl"])
def test_that_no_heading_or_reading_ends_in_dots(language):
    done = look("--shortened", "--language", language)
    told = [line for line in done.stdout.splitlines() if line.startswith("[")]
    assert "shortened texts" in done.stdout, done.stderr
    assert told == []
