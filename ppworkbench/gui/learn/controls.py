"""Widgets by object name: found, read, set and pressed as a person would."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from ppworkbench.core.errors import DataError
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.gui.widgets.slider_row import SliderRow
from ppworkbench.study.demonstrations.demonstration import Value


def find(places: Sequence[QWidget], name: str) -> QWidget | None:
    """The first widget of that name; a visible one if several are called so."""
    found = [widget for place in places for widget in place.findChildren(QWidget, name)]
    return next((one for one in found if one.isVisible()), found[0] if found else None)


def read(widget: QWidget) -> Value | None:
    """What a control shows; None if it is no control."""
    if isinstance(widget, SliderRow):
        return widget.value
    if isinstance(widget, QSpinBox | QDoubleSpinBox | QAbstractSlider):
        return widget.value()
    if isinstance(widget, Segmented):
        return widget.current
    if isinstance(widget, QAbstractButton) and widget.isCheckable():
        return widget.isChecked()
    if isinstance(widget, QComboBox):
        return widget.currentText()
    return widget.text() if isinstance(widget, QLineEdit) else None


def write(widget: QWidget, value: Value) -> None:
    """Set a control, so that it tells of it as if a person had done it."""
    name = widget.objectName()
    if isinstance(widget, SliderRow):
        write(widget.box, value)
    elif isinstance(widget, QDoubleSpinBox):
        widget.setValue(_number(name, value))
    elif isinstance(widget, QSpinBox | QAbstractSlider):
        widget.setValue(round(_number(name, value)))
    elif isinstance(widget, Segmented):
        _choose_segment(widget, str(value))
    elif isinstance(widget, QAbstractButton) and widget.isCheckable():
        _check(widget, value)
    elif isinstance(widget, QComboBox):
        _choose(widget, value)
    elif isinstance(widget, QLineEdit):
        widget.setText(str(value))
        widget.textEdited.emit(str(value))
        widget.editingFinished.emit()
    else:
        raise DataError(tr("%s is nothing that can be set.") % repr(name))


def press(places: Sequence[QWidget], name: str) -> bool:
    """Press a button or an action; False while there is none or it is disabled."""
    for place in places:
        for action in place.findChildren(QAction, name):
            if action.isEnabled():
                action.trigger()
                return True
        button = place.findChild(QAbstractButton, name)
        if button is not None and button.isEnabled():
            button.click()
            return True
    return False


def _number(name: str, value: Value) -> float:
    if isinstance(value, bool | str):
        raise DataError(tr("%s needs a number, not %s.") % (repr(name), repr(value)))
    return float(value)


def _choose_segment(widget: Segmented, key: str) -> None:
    if key not in widget.keys:
        raise _refused(widget.objectName(), key, widget.keys)
    widget.choose(key)


def _check(widget: QAbstractButton, value: Value) -> None:
    if not isinstance(value, bool):
        name = widget.objectName()
        refusal = tr("%s is on or off; set it to true or false, not %s.")
        raise DataError(refusal % (repr(name), repr(value)))
    if widget.isChecked() != value:
        widget.click()


def _choose(widget: QComboBox, value: Value) -> None:
    for place in range(widget.count()):
        if value in (widget.itemData(place), widget.itemText(place)):
            if place != widget.currentIndex():
                widget.setCurrentIndex(place)
                widget.activated.emit(place)
            return
    listed = [widget.itemText(place) for place in range(widget.count())]
    raise _refused(widget.objectName(), value, listed)


def _refused(name: str, value: Value, known: Sequence[str]) -> DataError:
    refusal = tr("%s has no choice %s; it has %s.")
    return DataError(refusal % (repr(name), repr(value), ", ".join(known)))
