"""Sentences of the window outside of its widgets, in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.language.speech import speech
from ppworkbench.study.language.marks import later
from ppworkbench.study.language.tongue import Tongue

__all__ = ["later", "told", "told_error", "tongue", "tr"]


def tr(words: str, meaning: str = "") -> str:
    """Translate a sentence; for functions and classes that Qt gives no ``tr`` of their own.

    ``meaning`` tells words apart that are the same only in English: to run, and a run.
    """
    return QCoreApplication.translate("ppworkbench", words, meaning)


def told(sentence: str) -> str:
    """What the core says (errors, readings, labels, notes), in the language of the window."""
    return speech.catalogue.sentence(sentence)


def told_error(error: BaseException | None) -> str:
    """Why something failed, in the language of the window."""
    return told(error.message if isinstance(error, WorkbenchError) else str(error))


def tongue() -> Tongue:
    """The language of the window, for what it writes: reports and checklists."""
    return Tongue(speech.language, told)
