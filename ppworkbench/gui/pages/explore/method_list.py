"""The algorithms of the settings card: tick what is shown, point at what is in focus."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QWidget

from ppworkbench.gui.pages.explore.methods import Method
from ppworkbench.gui.pages.explore.radio_row import RadioRow
from ppworkbench.gui.plots.series import draw_line_sample, draw_marker, look_colour
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.layouts import column, row


class LineSample(QWidget):
    """A piece of the line by which a plot draws an algorithm."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.look = ""
        self.setFixedSize(28, 16)
        themes.theme_changed.connect(self.update)

    def show_look(self, look: str) -> None:
        """Show another line; none for an empty look."""
        self.look = look
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """The size that is drawn."""
        return QSize(28, 16)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw line and marker."""
        if not self.look:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1, 0, -1, 0)
        draw_line_sample(painter, self._themes.theme, self.look, box)
        if self.look == "reconstructed":
            ink = look_colour(self._themes.theme, self.look)
            draw_marker(painter, "circle", box.center(), 4.0, ink)


class MethodRow(RadioRow):
    """A checkbox, a hint, the line in the plots, and the radio button of the focus."""

    ticked = Signal(str, bool)
    focused = Signal(str)

    def __init__(self, themes: ThemeManager, method: Method) -> None:
        super().__init__(themes)
        self.method = method
        self.setProperty("helpTopic", method.name)
        self.check = QCheckBox(method.title)
        self.check.setObjectName(f"tick_{method.name}")
        self.check.setAccessibleName(self.tr("Reconstruct with %s") % method.title)
        self.check.setAccessibleDescription(method.reason or method.hint)
        self.hint = ElidedLabel("captionHint")
        self.hint.setText(method.hint)
        self.hint.setContentsMargins(24, 0, 0, 0)
        self.sample = LineSample(themes)
        self.radio.setObjectName(f"focus_{method.name}")
        self.radio.setAccessibleName(self.tr("Focus on %s") % method.title)
        self.radio.setToolTip(self.tr("Bring to the front"))
        words = column(self.check, self.hint, spacing=1)
        layout = row(words, self.sample, self.radio, parent=self, spacing=6)
        layout.setStretch(0, 1)
        layout.setContentsMargins(8, 4, 6, 5)
        for widget in (self.sample, self.radio):
            layout.setAlignment(widget, Qt.AlignmentFlag.AlignVCenter)
        self.check.toggled.connect(lambda on: self.ticked.emit(method.name, on))
        self.radio.clicked.connect(lambda: self.focused.emit(method.name))

    def show_state(self, on: bool, focus: bool, look: str, *, only: bool) -> None:
        """Show whether it is ticked and in focus; the only ticked one cannot be unticked."""
        reason = self.method.reason
        with QSignalBlocker(self.check), QSignalBlocker(self.radio):
            self.check.setChecked(on and not reason)
            self.radio.setChecked(focus)
        self.check.setEnabled(not reason and not only)
        self.radio.setEnabled(not reason)
        self.setToolTip(reason)
        why = self.tr("One algorithm at least is shown.") if only else reason
        self.check.setToolTip(why)
        font = self.check.font()
        font.setWeight(self._themes.theme.font("body", "semibold" if focus else "medium").weight())
        self.check.setFont(font)
        self.sample.show_look(look if on and not reason else "")
        self.update()


class MethodList(QWidget):
    """One row per algorithm."""

    ticked = Signal(str, bool)
    focused = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._methods: tuple[Method, ...] = ()
        self._group = QButtonGroup(self)
        self.rows: dict[str, MethodRow] = {}
        self._layout = column(parent=self, spacing=1)

    def show_methods(
        self, methods: Sequence[Method], ticked: Sequence[str], focus: str, looks: dict[str, str]
    ) -> None:
        """Show algorithms and their state; rows are only made anew where they differ."""
        if tuple(methods) != self._methods:
            self._rebuild(tuple(methods))
        shown = [m.name for m in methods if m.name in ticked and not m.reason]
        for name, one in self.rows.items():
            only = shown == [name]
            one.show_state(name in ticked, name == focus, looks.get(name, ""), only=only)

    def _rebuild(self, methods: tuple[Method, ...]) -> None:
        for old in self.rows.values():
            self._group.removeButton(old.radio)
            self._layout.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._methods, self.rows = methods, {}
        for method in methods:
            made = MethodRow(self._themes, method)
            made.ticked.connect(self.ticked)
            made.focused.connect(self.focused)
            self._group.addButton(made.radio)
            self._layout.addWidget(made)
            self.rows[method.name] = made
