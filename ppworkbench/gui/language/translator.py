"""What Qt asks for the text of a widget."""

from __future__ import annotations

import re

from PySide6.QtCore import QObject, QTranslator

from ppworkbench.study.language.catalogue import Catalogue

_OF_QT = re.compile(r"Q[A-Z]")
_KEYS = "QShortcut"


class CatalogueTranslator(QTranslator):
    """Answers every ``tr()`` from a catalogue, whichever widget asks."""

    def __init__(self, catalogue: Catalogue, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._catalogue = catalogue

    def translate(
        self,
        context: str,
        source: str,
        disambiguation: str | None = None,
        n: int = -1,  # noqa: ARG002
    ) -> str | None:
        """The text in the other language, or the source where nobody has translated it.

        None leaves Qt's own dialogs to Qt's own translation; the names of keys always, because
        a word such as Shift means something else on a page.
        """
        if _OF_QT.match(context):
            return None if context == _KEYS else self._catalogue.phrase(source)
        return self._catalogue.meant(source, disambiguation or "")

    def isEmpty(self) -> bool:  # noqa: N802
        """Qt leaves empty translators out."""
        return False
