"""Reading a demonstration and asking the window to show it."""

from __future__ import annotations

from pathlib import Path

from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language.speech import speech
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.demonstrations.heads import Head, read_head, shipped_files


def shipped_heads() -> tuple[Head, ...]:
    """The demonstrations of the program, in the language of the window where there is one."""
    return tuple(read_head(path) for path in shipped_files(speech.language))


def open_demonstration(workbench: Workbench, path: Path) -> Job:
    """Read a file in the background and start it; a mistake in it becomes a sentence."""

    def work(progress: Progress) -> object:
        from ppworkbench.study.demonstrations.reader import read_demonstration

        progress(0.1)
        return read_demonstration(path)

    name = workbench.tr("Opening the demonstration")
    return workbench.run(
        name, work, workbench.demonstration_requested.emit, key="open demonstration", quiet=True
    )
