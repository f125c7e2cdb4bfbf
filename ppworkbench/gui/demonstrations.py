"""The demonstrations that there are, and which were seen."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings, Qt

from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language import speech
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.controls import Clickable, IconLabel
from ppworkbench.gui.widgets.labels import Disc
from ppworkbench.gui.widgets.layout import column, row, text
from ppworkbench.gui.workbench import Workbench
from ppworkbench.outputs.demonstrations.catalogue import DemonstrationInfo, read_head, shipped_files


class DemonstrationRow(Clickable):
    def __init__(self, themes: ThemeManager, number: int, head: DemonstrationInfo) -> None:
        super().__init__(themes, head.title, head.line)
        self.head = head
        self.setObjectName(f"demonstration-{head.name}")
        self.setToolTip(head.line)
        self._mark = IconLabel(themes, "play", "text2", 13)
        title = text(head.title, "label", wrap=True)
        disc = Disc(themes, str(number))
        row(disc, title, self._mark, parent=self, spacing=8, margin=(2, 4, 2, 4), stretch=1)
        self.setMinimumHeight(32)

    def show_seen(self, was_seen: bool) -> None:
        self._mark.show_icon("check" if was_seen else "play", "good" if was_seen else "text2")


class DemonstrationCard(Clickable):
    def __init__(self, themes: ThemeManager, mark: str, head: DemonstrationInfo) -> None:
        super().__init__(themes, head.title, head.line, framed=True)
        self.head = head
        self.setObjectName(f"demonstration-{head.name}")
        self._done = IconLabel(themes, "check", "good", 16)
        minutes = text(self.tr("about %s minutes") % head.minutes, "captionHint")
        words = text(head.line, "secondary", wrap=True, align=Qt.AlignmentFlag.AlignTop)
        top = row(Disc(themes, mark), None, self._done, spacing=10)
        start = IconLabel(themes, "play", "accentInk", 13)
        bottom = row(minutes, None, start, spacing=8)
        title = text(head.title, "subtitle", wrap=True)
        column(top, title, words, None, bottom, parent=self, spacing=6, margin=(14, 12, 14, 11))
        self.setMinimumHeight(themes.theme.px(148))

    def show_seen(self, was_seen: bool) -> None:
        # A hidden icon would let the row jump.
        self._done.show_icon("check", "good" if was_seen else "surface")
        self._done.setAccessibleName(self.tr("seen") if was_seen else "")
        self._done.setVisible(was_seen)


_SEEN, _OWN = "learn/seen", "learn/own"
_MOST_OWN = 6


def seen(settings: QSettings) -> frozenset[str]:
    return frozenset(_texts(settings, _SEEN))


def remember_seen(settings: QSettings, name: str) -> None:
    settings.setValue(_SEEN, sorted({*seen(settings), name}))


def own_files(settings: QSettings) -> tuple[Path, ...]:
    """Files of one's own that are still there, the newest first."""
    return tuple(Path(name) for name in _texts(settings, _OWN) if Path(name).is_file())


def remember_own(settings: QSettings, path: Path) -> None:
    names = [str(path), *(str(one) for one in own_files(settings) if one != path)]
    settings.setValue(_OWN, names[:_MOST_OWN])


def _texts(settings: QSettings, key: str) -> list[str]:
    found = settings.value(key)
    if isinstance(found, str):
        # Qt gives a list of one as the one.
        return [found]
    return [str(one) for one in found] if isinstance(found, list) else []


def shipped_heads() -> tuple[DemonstrationInfo, ...]:
    """The demonstrations of the program, in the language of the window where there is one."""
    return tuple(read_head(path) for path in shipped_files(speech.language))


def open_demonstration(workbench: Workbench, path: Path) -> Job:
    """Read a file in the background and start it; a mistake in it becomes a sentence."""

    def work(progress: Progress) -> object:
        from ppworkbench.outputs.demonstrations.reader import read_demonstration

        progress(0.1)
        return read_demonstration(path)

    name = workbench.tr("Opening the demonstration")
    return workbench.run(
        name, work, workbench.demonstration_requested.emit, key="open demonstration", quiet=True
    )


def open_own_demonstration(workbench: Workbench, path: Path) -> Job:
    """Start a file of one's own, and list it from now on if it can be read."""
    job = open_demonstration(workbench, path)
    job.finished.connect(lambda _: remember_own(workbench.settings, path))
    return job
