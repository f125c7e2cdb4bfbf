"""What is wrong with a widget, in words that lead to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget


@dataclass(frozen=True)
class Fault:
    """One thing that a person would notice."""

    kind: str
    path: str
    text: str = ""
    hint: tuple[int, int] = (0, 0)
    size: tuple[int, int] = (0, 0)

    def __str__(self) -> str:
        """One line of a report."""
        sizes = f" needs {self.hint[0]}x{self.hint[1]}, has {self.size[0]}x{self.size[1]}"
        return f"{self.kind}: {self.path} {self.text!r}{sizes if any(self.hint) else ''}"


def fault(
    kind: str, widget: QWidget, text: str = "", hint: QSize | None = None, size: QSize | None = None
) -> Fault:
    """A fault of a widget."""
    # A widget may have a part of its own that is called size.
    has = size or widget.geometry().size()
    needs = hint or QSize(0, 0)
    return Fault(
        kind, path_of(widget), text, (needs.width(), needs.height()), (has.width(), has.height())
    )


def path_of(widget: QWidget) -> str:
    """The way to a widget from its window, by class and name."""
    parts = []
    step: QWidget | None = widget
    while step is not None:
        name = step.objectName()
        own = type(step).__name__
        if name and not name.startswith("qt_"):
            own += f"#{name}"
        if own not in ("QWidget", "QStackedWidget"):
            parts.append(own)
        step = None if step.isWindow() else step.parentWidget()
    return " > ".join(reversed(parts))


def seen_in(root: QWidget) -> Iterator[QWidget]:
    """A widget and all that is shown inside of it, without windows of their own."""
    yield root
    for child in root.children():
        if isinstance(child, QWidget) and child.isVisible() and not child.isWindow():
            yield from seen_in(child)
