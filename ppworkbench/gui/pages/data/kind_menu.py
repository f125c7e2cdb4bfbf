"""The five kinds to choose from, at the place of the kind that holds now."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QMenu, QWidget

from ppworkbench.core.data.attribute import Kind
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.theme.icons import icon


def kind_word(kind: Kind) -> str:
    """What people call a kind."""
    words = {
        Kind.BINARY: tr("binary"),
        Kind.NOMINAL: tr("nominal"),
        Kind.ORDINAL: tr("ordinal"),
        Kind.INTEGER: tr("integer"),
        Kind.CONTINUOUS: tr("continuous"),
    }
    return words[kind]


class KindMenu(QMenu):
    """Kinds that are not possible are grey and say why."""

    def __init__(
        self,
        themes: ThemeManager,
        current: Kind | None,
        impossible: Mapping[Kind, str],
        chosen: Callable[[Kind], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("kindMenu")
        self.setAccessibleName(self.tr("Kind"))
        self.setToolTipsVisible(True)
        theme = themes.theme
        for kind in Kind:
            picture = icon(
                f"kind-{kind.value}", theme.colour("text2"), theme.colour("textDisabled")
            )
            action = self.addAction(picture, kind_word(kind))
            action.setObjectName(f"kind-{kind.value}")
            action.setEnabled(kind not in impossible)
            action.setToolTip(impossible.get(kind, ""))
            action.triggered.connect(lambda _=False, kind=kind: chosen(kind))
            if kind is current:
                self.setDefaultAction(action)
                self.setActiveAction(action)
