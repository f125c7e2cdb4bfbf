"""Watches the thread of the window over everything that can be seen of the program.

    python tests/benchmarks/limits/watch_tour.py FOLDER [PART ...] [--frames 6] [--above 25]

Prints a line per stop: the longest stretch of work in which nothing that a person does would be
noticed, in milliseconds of processor time without painting; painting in the same stretch; garbage
collection; and the lines of the program that most of the time went into. FOLDER is where the window
keeps what it remembers. The parts are those of ``PARTS``; all of them without a word.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path

from observed import Observed
from slow_events import Stretch
from watch import PAGES

ATTRIBUTES = ("satisfaction_transport", "income", "age", "fare_evasion", "district")


def see_ready(seen: Observed) -> None:
    """Pages are made while the start screen is looked at."""
    from ppworkbench.gui.app import make_ready

    seen.step("get ready", lambda: make_ready(seen.window))


def see_stops(seen: Observed) -> None:
    """All stops of the tour."""
    from ppworkbench.gui.tour import design_stops, stops, studies, survey_stops

    # In the program a job loads them.
    load_sample = functools.cache(studies.load_sample)
    city_study = functools.cache(studies.city_study)
    for module in (design_stops, stops, studies, survey_stops):
        for name, cached in (("load_sample", load_sample), ("city_study", city_study)):
            if hasattr(module, name):
                setattr(module, name, cached)
    city_study()
    load_sample("weather")
    window = seen.window
    store = window.store
    slowed = (
        (window, "show_page"), (store, "open"), (store, "select"), (store, "set_perturbation"),
        (store, "set_perturbations"),
    )  # fmt: skip
    for owner, name in slowed:
        setattr(owner, name, seen.one_by_one(getattr(owner, name)))
    for stop in stops.STOPS:
        seen.step(stop.name, lambda stop=stop: stop.arrange(window), busy=stop.busy)
        seen.step(f"{stop.name}, left", lambda stop=stop: stop.leave(window))
        if stop.name == "design-integer":
            see_history(seen, "design")
            see_pages(seen, "5,000 rows")
    for owner, name in slowed:
        delattr(owner, name)


def see_history(seen: Observed, where: str) -> None:
    """Undo and redo."""
    stack = seen.window.store.undo_stack
    for _ in range(3):
        seen.step(f"undo on {where}", stack.undo)
    for _ in range(3):
        seen.step(f"redo on {where}", stack.redo)


def see_pages(seen: Observed, what: str) -> None:
    """One page after the other, twice."""
    from ppworkbench.gui.window.shell import PAGES

    for round_ in ("first", "again"):
        for page in PAGES:
            seen.step(
                f"page {page.name} {round_}, {what}",
                lambda name=page.name: seen.window.show_page(name),
            )


def see_demonstrations(seen: Observed) -> None:
    """All demonstrations, step by step and back again."""
    from ppworkbench.gui.demonstrations import open_demonstration
    from ppworkbench.outputs.demonstrations.catalogue import shipped_files

    window = seen.window
    for path in shipped_files():
        name = path.stem
        if not name.startswith(seen.only):
            continue
        seen.step(f"{name}: start", lambda path=path: open_demonstration(window.workbench, path))
        stage = window.stage
        assert stage is not None
        for step, one in enumerate(stage.demonstration.steps):
            if step:
                seen.step(f"{name}: step {step + 1}", lambda s=step: window.stage.go(s))
            for place, offer in enumerate(one.tries, 1):
                seen.step(
                    f"{name}: step {step + 1} try {place}", lambda o=offer: window.stage.try_out(o)
                )
        seen.step(f"{name}: back", window.stage.panel.back.click)
        seen.step(f"{name}: end", window.end_demonstration)


def see_dialogs(seen: Observed) -> None:
    """Everything that opens over the window."""
    from ppworkbench.gui.tour.studies import city_study

    window = seen.window
    actions = window.menus.actions
    window.store.forget_changes()
    study = city_study()
    seen.step("open for dialogs", lambda: window.store.open(study))
    for time_ in ("first", "again"):
        seen.step(f"help {time_}", lambda: window.menus.show_help("design"))
        seen.step(f"about {time_}", actions["about"].trigger)
        seen.step(f"jobs {time_}", window.show_jobs)
        seen.step(f"export {time_}", actions["export"].trigger)
        seen.step("to design", lambda: window.show_page("design"))
        page = window.page("design")
        seen.step("ordinal", lambda: window.store.select(["satisfaction_transport"]))
        seen.step(f"measures {time_}", page.summary.all.click)
        window.store.select(["sex", "car"])
        seen.step(f"group {time_}", page.edits.group_selected)
        seen.step("to mine", lambda: window.show_page("mine"))
        seen.step(f"items {time_}", lambda: window.page("mine").choose_items())
        seen.step("to start", lambda: window.show_page("start"))
        seen.step(f"questions {time_}", window.page("start")._on_questions)


def see_looks(seen: Observed) -> None:
    """Light and dark, large and small, on every page."""
    from ppworkbench.gui.tour.studies import city_study
    from ppworkbench.gui.window.shell import PAGES

    window = seen.window
    actions = window.menus.actions
    window.store.forget_changes()
    study = city_study()
    seen.step("open for looks", lambda: window.store.open(study))
    for page in PAGES:
        seen.step(f"look at {page.name}", lambda name=page.name: window.show_page(name))
        seen.step(f"dark on {page.name}", actions["theme-dark"].trigger)
        seen.step(f"light on {page.name}", actions["theme-light"].trigger)
        seen.step(f"larger on {page.name}", actions["zoomIn"].trigger)
        seen.step(f"normal on {page.name}", actions["zoomReset"].trigger)


def see_languages(seen: Observed) -> None:
    """Another language and back, on every page, and the help in each of them."""
    from ppworkbench.gui.tour.studies import city_study
    from ppworkbench.gui.window.shell import PAGES

    window = seen.window
    window.store.forget_changes()
    study = city_study()
    seen.step("open for languages", lambda: window.store.open(study))
    for page in PAGES:
        seen.step(f"{page.name} before", lambda name=page.name: window.show_page(name))
        for language in ("pl", "en"):
            action = window.menus.actions[f"language-{language}"]
            seen.step(f"{language} on {page.name}", action.trigger)
            if page is PAGES[0]:
                seen.step(f"help in {language}", lambda: window.menus.show_help("design"))


def see_studies(seen: Observed) -> None:
    """Studies of several sizes are opened and closed on every page."""
    from ppworkbench.core.data.samples import load_sample
    from ppworkbench.study.study import Study

    window = seen.window
    for rows in (1_000, 100_000):
        study = Study.of_table(load_sample("city-survey", rows=rows), f"city {rows}")
        what = f"{rows:,} rows"
        for page in PAGES:
            seen.step(f"open {what} on {page}", lambda study=study: window.store.open(study))
            seen.step(f"{page}, {what}", lambda page=page: window.show_page(page))
            for name in ATTRIBUTES if page in ("data", "design", "explore") else ():
                seen.step(f"{page}: {name}, {what}", lambda n=name: window.store.select([n]))
            if page in ("survey", "mine"):
                seen.step(f"{page} at work, {what}", window.pages[page].primary.trigger)
            window.store.forget_changes()
            seen.step(f"close {what} on {page}", window.files.close_study)
        see_pages_of(seen, study, what)


def see_pages_of(seen: Observed, study: object, what: str) -> None:
    """The pages of a study, with nothing opened in between."""
    seen.step(f"open {what}", lambda: seen.window.store.open(study))
    see_pages(seen, what)
    seen.window.store.forget_changes()
    seen.step(f"close {what}", seen.window.files.close_study)


PARTS: dict[str, Callable[[Observed], None]] = {
    "ready": see_ready,
    "stops": see_stops,
    "demonstrations": see_demonstrations,
    "dialogs": see_dialogs,
    "looks": see_looks,
    "languages": see_languages,
    "studies": see_studies,
}


def line(name: str, stretch: Stretch, frames: int) -> str:
    """What is said of one step."""
    said = [f"{stretch.work:5.0f} {stretch.painting:8.0f} {stretch.rubbish:7.0f}  {name}"]
    said += [f"{'':16}{spent:5.0f}  {where}" for spent, where in stretch.frames(frames)]
    if frames:
        events = stretch.events.most_common(frames)
        said += [f"{'':16}{spent:5.0f}  {what}" for what, spent in events]
    return "\n".join(said)


def main() -> None:
    """Watch what was asked for."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("folder", type=Path)
    reader.add_argument("parts", nargs="*", choices=[*PARTS, []])
    reader.add_argument("--frames", type=int, default=4)
    reader.add_argument("--above", type=float, default=25.0, help="milliseconds worth their lines")
    reader.add_argument("--events", action="store_true", help="name them, which is slow")
    reader.add_argument("--only", default="", help="how the demonstrations to be seen begin: 3")
    reader.add_argument("--json", type=Path, help="a file for milliseconds by step")
    words = reader.parse_args()
    words.folder.mkdir(parents=True, exist_ok=True)
    seen = Observed(words.folder, stacks=words.frames > 0, events=words.events)
    seen.only = words.only
    sys.stdout.write(f"{seen.app.platformName()}\n work painting rubbish  step\n")
    for part in words.parts or PARTS:
        seen.steps.clear()
        PARTS[part](seen)
        for name, stretch in seen.steps.items():
            frames = words.frames if stretch.work >= words.above else 0
            sys.stdout.write(line(name, stretch, frames) + "\n")
        sys.stdout.flush()
    seen.end()
    largest = {name: stretch for name, stretch in seen.app.largest.items() if stretch.work >= 1}
    if words.json is not None:
        document = {
            name: [round(stretch.work, 1), round(stretch.painting, 1)]
            for name, stretch in largest.items()
        }
        words.json.write_text(json.dumps(document, indent=1), encoding="utf-8")
    slow = [stretch for stretch in seen.app.slow if stretch.work > 50]
    sys.stdout.write(f"{len(slow)} stretches above 50 ms\n")


if __name__ == "__main__":
    main()
