"""Plots of pyqtgraph without the panel of controls that each of them makes for its own menu.

Plots of this window have a menu of their own and never open that one; yet its forty widgets took a
third of the time that it takes to make a plot, and thousands of objects to be searched for rubbish.
"""

from __future__ import annotations

from collections.abc import Callable

from pyqtgraph.graphicsItems.PlotItem import plotConfigTemplate_generic as template
from PySide6.QtWidgets import QWidget

_GROUPS = {
    "transformGroup": False,
    "decimateGroup": False,
    "averageGroup": False,
    "alphaGroup": True,
    "gridGroup": False,
    "pointsGroup": True,
}
"""What pyqtgraph puts into its menu, and whether it is ticked."""
_VALUES = {
    "autoDownsampleCheck": (1, 1),
    "peakRadio": (1, 1),
    "autoPointsCheck": (1, 1),
    "alphaSlider": (1_000, 1_000),
    "gridAlphaSlider": (128, 255),
    "downsampleSpin": (1, 100_000),
}
"""Where controls stand that do not stand at nothing, and the most that they can say."""


class _Control:
    """The value of a control that there is no widget for; it calls who wants to know of it."""

    def __init__(self, value: int = 0, most: int = 1) -> None:
        self._value, self._most = value, most
        self._slots: list[Callable[[], object]] = []
        # Whatever the signal of such a widget is called.
        self.toggled = self.valueChanged = self.itemClicked = self

    def connect(self, slot: Callable[[], object]) -> None:
        """Call someone when the value changes."""
        self._slots.append(slot)

    def value(self) -> int:
        """Where it stands."""
        return self._value

    def maximum(self) -> int:
        """The most that it can say."""
        return self._most

    def isChecked(self) -> bool:  # noqa: N802
        """Whether it is ticked."""
        return bool(self._value)

    def setValue(self, value: int) -> None:  # noqa: N802
        """Stand elsewhere."""
        if value != self._value:
            self._value = value
            for slot in self._slots:
                slot()

    def setChecked(self, checked: bool) -> None:  # noqa: N802
        """Tick it or not."""
        self.setValue(int(checked))

    def clear(self) -> None:
        """Forget the lines of a list."""


class _Group(QWidget):
    """What stands in the menu; it has to be a widget."""

    def __init__(self, parent: QWidget, *, checked: bool) -> None:
        super().__init__(parent)
        control = _Control(int(checked))
        self.toggled, self.isChecked, self.setChecked = (
            control,
            control.isChecked,
            control.setChecked,
        )


class NoControls:
    """Takes the place of the panel."""

    def setupUi(self, form: QWidget) -> None:  # noqa: N802
        """Make what pyqtgraph asks for by name while it makes a plot."""
        for name, checked in _GROUPS.items():
            setattr(self, name, _Group(form, checked=checked))

    def __getattr__(self, name: str) -> _Control:
        if name.startswith("_"):
            raise AttributeError(name)
        control = _Control(*_VALUES.get(name, (0, 1)))
        setattr(self, name, control)
        return control


def leave_controls_out() -> None:
    """Let plots be made without them from now on."""
    template.Ui_Form = NoControls
