"""Which pages there are, when they can be used, and how they are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ppworkbench.gui.language.text import later
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.gui.files import FileActions


def _always(study: Study) -> str:  # noqa: ARG001
    return ""


def _needs_something(study: Study) -> str:
    return later("Open data or start a questionnaire first.") if study.is_empty else ""


def _needs_answers(study: Study) -> str:
    if study.table is None:
        return later("There are no answers yet. Open a table or a sample.")
    return ""


@dataclass(frozen=True)
class PageEntry:
    """A page as the rail knows it before it is made."""

    name: str
    title: str
    icon_name: str
    hint: str
    missing: Callable[[Study], str] = _always
    apart: bool = False


START = PageEntry("start", later("Start"), "app", "")
PAGES = (
    PageEntry("data", later("Data"), "data", later("Check what was understood"), _needs_answers),
    PageEntry(
        "design",
        later("Design"),
        "design",
        later("Choose how answers are randomised"),
        _needs_something,
    ),
    PageEntry(
        "explore", later("Explore"), "explore", later("Distort and reconstruct"), _needs_answers
    ),
    PageEntry(
        "survey", later("Survey"), "survey", later("Ask the distorted answers"), _needs_answers
    ),
    PageEntry(
        "mine", later("Mine"), "mine", later("Find answers that go together"), _needs_answers
    ),
    PageEntry(
        "classify", later("Classify"), "classify", later("Compare classifiers"), _needs_answers
    ),
    PageEntry("publish", later("Publish"), "publish", later("Release a table"), _needs_answers),
    PageEntry("learn", later("Learn"), "learn", later("Demonstrations, step by step"), apart=True),
)


def make_page(name: str, workbench: Workbench, files: FileActions | None) -> Page:  # noqa: PLR0911 (one per page)
    """Make a page; its modules are imported only now."""
    if name == "start":
        from ppworkbench.gui.pages.start import StartPage

        assert files is not None  # noqa: S101 (nobody starts without files)
        return StartPage(workbench, files)
    if name == "data":
        from ppworkbench.gui.pages.data import DataPage

        return DataPage(workbench, files)
    if name == "design":
        from ppworkbench.gui.pages.design import DesignPage

        return DesignPage(workbench, files)
    if name == "explore":
        from ppworkbench.gui.pages.explore import ExplorePage

        return ExplorePage(workbench, files)
    if name == "survey":
        from ppworkbench.gui.pages.survey import SurveyPage

        return SurveyPage(workbench, files)
    if name == "mine":
        from ppworkbench.gui.pages.mine import MinePage

        return MinePage(workbench, files)
    if name == "classify":
        from ppworkbench.gui.pages.classify import ClassifyPage

        return ClassifyPage(workbench, files)
    if name == "publish":
        from ppworkbench.gui.pages.publish import PublishPage

        return PublishPage(workbench, files)
    if name == "learn":
        from ppworkbench.gui.pages.learn import LearnPage

        return LearnPage(workbench, files)
    raise ValueError(name)
