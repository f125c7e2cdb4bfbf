"""The demonstrations that there are, and which were seen."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRectF, QSettings, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language import speech
from ppworkbench.gui.theme import ThemeManager, set_fill, smooth_painter
from ppworkbench.gui.widgets.controls import Clickable, IconLabel
from ppworkbench.gui.widgets.layout import column, row, text
from ppworkbench.gui.workbench import Workbench
from ppworkbench.outputs.demonstrations.catalogue import DemonstrationInfo, read_head, shipped_files


class NumberDisc(QWidget):
    """The number of a demonstration."""

    def __init__(self, themes: ThemeManager, words: str) -> None:
        super().__init__()
        self._themes, self._words = themes, words
        self.setFixedSize(self.sizeHint())
        themes.theme_changed.connect(self._restyle)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._themes.theme.px(22), self._themes.theme.px(22))

    def _restyle(self) -> None:
        self.setFixedSize(self.sizeHint())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme = self._themes.theme
        painter = smooth_painter(self)
        set_fill(painter, theme.colour("accentTint"))
        painter.drawEllipse(QRectF(self.rect()))
        painter.setFont(theme.font("caption", "semibold"))
        painter.setPen(theme.colour("accentInk"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._words)


class DemonstrationRow(Clickable):
    """Number, title, and whether it was seen."""

    def __init__(self, themes: ThemeManager, number: int, head: DemonstrationInfo) -> None:
        super().__init__(themes, head.title, head.line)
        self.head = head
        self.setObjectName(f"demonstration-{head.name}")
        self.setToolTip(head.line)
        self._mark = IconLabel(themes, "play", "text2", 13)
        title = text(head.title, "label", wrap=True)
        disc = NumberDisc(themes, str(number))
        layout = row(disc, title, self._mark, parent=self, spacing=8)
        layout.setContentsMargins(2, 4, 2, 4)
        layout.setStretch(1, 1)
        self.setMinimumHeight(32)

    def show_seen(self, was_seen: bool) -> None:
        """Show a tick, or that it can be played."""
        self._mark.show_icon("check" if was_seen else "play", "good" if was_seen else "text2")


class DemonstrationCard(Clickable):
    """Number, title, what it is about, and how long it takes."""

    def __init__(self, themes: ThemeManager, mark: str, head: DemonstrationInfo) -> None:
        super().__init__(themes, head.title, head.line, framed=True)
        self.head = head
        self.setObjectName(f"demonstration-{head.name}")
        self._done = IconLabel(themes, "check", "good", 16)
        minutes = text(self.tr("about %s minutes") % head.minutes, "captionHint")
        words = text(head.line, "secondary", wrap=True)
        words.setAlignment(Qt.AlignmentFlag.AlignTop)
        top = row(NumberDisc(themes, mark), None, self._done, spacing=10)
        start = IconLabel(themes, "play", "accentInk", 13)
        bottom = row(minutes, None, start, spacing=8)
        title = text(head.title, "subtitle", wrap=True)
        layout = column(top, title, words, None, bottom, parent=self, spacing=6)
        layout.setContentsMargins(14, 12, 14, 11)
        self.setMinimumHeight(themes.theme.px(148))

    def show_seen(self, was_seen: bool) -> None:
        """Show a tick, or nothing."""
        # A hidden icon would let the row jump.
        self._done.show_icon("check", "good" if was_seen else "surface")
        self._done.setAccessibleName(self.tr("seen") if was_seen else "")
        self._done.setVisible(was_seen)


_SEEN, _OWN = "learn/seen", "learn/own"
_MOST_OWN = 6


def seen(settings: QSettings) -> frozenset[str]:
    """The names of the demonstrations that were seen to their end."""
    return frozenset(_texts(settings, _SEEN))


def remember_seen(settings: QSettings, name: str) -> None:
    """Remember that a demonstration was seen."""
    settings.setValue(_SEEN, sorted({*seen(settings), name}))


def own_files(settings: QSettings) -> tuple[Path, ...]:
    """Files of one's own that are still there, the newest first."""
    return tuple(Path(name) for name in _texts(settings, _OWN) if Path(name).is_file())


def remember_own(settings: QSettings, path: Path) -> None:
    """Remember a file of one's own."""
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
