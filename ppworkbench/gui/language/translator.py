"""What Qt asks for the text of a widget."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTranslator

from ppworkbench.gui.language.catalogue import Catalogue


class CatalogueTranslator(QTranslator):
    """Answers every ``tr()`` from a catalogue, whichever widget asks."""

    def __init__(self, catalogue: Catalogue, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._catalogue = catalogue

    def translate(
        self,
        context: str,  # noqa: ARG002
        source: str,
        disambiguation: str | None = None,
        n: int = -1,  # noqa: ARG002
    ) -> str:
        """The text in the other language, or the source where nobody has translated it."""
        return self._catalogue.meant(source, disambiguation or "")

    def isEmpty(self) -> bool:  # noqa: N802
        """Qt leaves empty translators out."""
        return False
