"""Walks through the pages with 100,000 rows and prints as JSON how long the window was deaf.

With the word ``first`` every page is made for the first time, with ``again`` all of them have been
seen, and with ``changes`` the window itself changes: its theme, its type, a demonstration over it.
``watch_tour.py`` walks through everything and says what the time went into.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from observed import Observed

ROWS = 100_000
PAGES = ("data", "design", "collect", "explore", "survey", "mine", "classify", "publish")
ATTRIBUTES = ("satisfaction_transport", "income", "age", "fare_evasion", "district")


def see_first(observed: Observed, study: object) -> None:
    """Every page for the first time."""
    from ppworkbench.gui.app import make_ready

    window = observed.window
    observed.step("get ready", lambda: make_ready(window))
    observed.step("first data", lambda: window.store.open(study))
    for page in PAGES[1:]:
        observed.step(f"first {page}", lambda page=page: window.show_page(page))


def see_again(observed: Observed) -> None:
    """Every page and some attributes, a drag, and back."""
    from ppworkbench.core.design import Ordinal

    window = observed.window
    for page in PAGES[3:]:
        observed.step(f"{page} again", lambda page=page: window.show_page(page))
        if page in ("survey", "mine"):
            observed.step(f"{page} at work", window.pages[page].primary.trigger)
    for page in PAGES[:3]:
        observed.step(f"{page} again", lambda page=page: window.show_page(page))
        for name in ATTRIBUTES:
            observed.step(f"{page}: {name}", lambda name=name: window.store.select([name]))
    window.show_page("design")
    window.store.select([ATTRIBUTES[0]])
    observed.settle()
    gesture = window.store.new_gesture("drag")
    for step in range(20):
        changed = Ordinal(weights=(0.5 + step / 100, 0.1))
        observed.step(
            f"drag {step}",
            lambda c=changed: window.store.set_perturbation([ATTRIBUTES[0]], c, gesture),
        )
    observed.step("undo", window.store.undo_stack.undo)
    observed.step("start", lambda: window.show_page("start"))


def see_changes(observed: Observed, study: object) -> None:
    """Another theme and size of type, a dialog, a demonstration, and another study."""
    from ppworkbench.gui.app import make_ready
    from ppworkbench.gui.demonstrations import open_demonstration
    from ppworkbench.outputs.demonstrations.catalogue import shipped_files

    window = observed.window
    actions = window.menus.actions
    observed.step("get ready", lambda: make_ready(window))
    observed.step("open", lambda: window.store.open(study))
    observed.step("design", lambda: window.show_page("design"))
    for name in ("theme-dark", "zoomIn", "zoomReset", "theme-light", "about", "shortcuts"):
        observed.step(name, actions[name].trigger)
    first = shipped_files()[0]
    observed.step("begin to learn", lambda: open_demonstration(window.workbench, first))
    observed.step("next step", lambda: window.stage.go(1))
    observed.step("end", window.end_demonstration)
    observed.step("close", window.files.close_study)


def main(folder: Path, word: str) -> None:
    """Walk through the pages."""
    observed = Observed(folder)
    from ppworkbench.core.data.samples import load_sample
    from ppworkbench.study.study import Study

    study = Study.of_table(load_sample("city-survey", rows=ROWS), "city")
    if word == "changes":
        see_changes(observed, study)
    else:
        see_first(observed, study)
    if word == "again":
        observed.steps.clear()
        see_again(observed)
    observed.end()
    document = {
        "platform": observed.app.platformName(),
        "steps": {name: {"work": stretch.work} for name, stretch in observed.steps.items()},
        "slowest": [str(stretch) for stretch in observed.app.slowest()],
    }
    sys.stdout.write(json.dumps(document) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
