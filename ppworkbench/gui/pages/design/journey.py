"""One answer's journey: a true value, what happens to it, and what is sent."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.pages.design.interval_words import interval_words
from ppworkbench.gui.theme import set_rules
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.icon_button import Button
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.words import number, signed
from ppworkbench.gui.workbench import Workbench


class Journey(QWidget):
    """Three boxes; "Again" draws another answer. Only the last box ever leaves the respondent."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.store = workbench.store
        self._draw = 1
        self.again = Button(workbench.themes, self.tr("Again"), "dice", look="link")
        self.again.setObjectName("journeyAgain")
        self.again.clicked.connect(self._on_again)
        self.true = JourneyBox(self.tr("true answer"))
        self.shift = JourneyBox(self.tr("random shift"))
        self.sent = JourneyBox(self.tr("what is sent"))
        self.plus = text("+", "subtitle")
        boxes = row(self.true, self.plus, self.shift, text("→", "subtitle"), self.sent, spacing=10)
        for place in (0, 2, 4):
            boxes.setStretch(place, 1)
        note = self.tr("Only the last box ever leaves the respondent.")
        column(
            row(text(self.tr("One answer's journey"), "strong"), None, self.again),
            boxes,
            text(note, "captionHint"),
            parent=self,
            spacing=6,
        )
        workbench.themes.theme_changed.connect(self._colour)
        self._colour()

    def _colour(self) -> None:
        theme = self.workbench.theme
        original, distorted = theme.role("original"), theme.role("distorted")
        self.true.colour(original.tint.name(), original.line.name(), original.text.name())
        self.sent.colour(distorted.tint.name(), distorted.line.name(), distorted.text.name())
        self.shift.colour(theme.hex("window"), theme.hex("outline"), theme.hex("text"), dashed=True)

    def _on_again(self) -> None:
        self._draw += 1
        self.refresh()

    def refresh(self) -> None:
        """Send one answer through the noise of the study."""
        name = self.store.current
        study = self.store.study
        if name is None or name not in study.design:
            return
        attribute = study.design[name].attribute
        perturbation = study.design.perturbation(name)
        prior = study.prior(name)
        stream = SeededStreams(self._draw).stream("journey")
        u = float(stream.random(1)[0])
        edges = prior.edges
        if edges is None:
            return
        cumulated = np.concatenate([[0.0], np.cumsum(prior.probabilities)])
        true = float(np.interp(u, cumulated, edges))
        whole = attribute.kind is Kind.INTEGER
        low, high = attribute.domain or (0.0, 0.0)
        true = float(np.clip(np.rint(true) if whole else true, low, high))
        digits = 0 if whole or attribute.width >= 100 else 2
        try:
            sent = perturbation.distort(np.array([true]), attribute, stream)
        except WorkbenchError:
            return
        published = perturbation.distorted(attribute)
        self.true.say(number(true, digits))
        if published.kind.is_categorical:
            self.shift.say(self.tr("its interval"))
            self.sent.say(interval_words(published.values[int(sent[0])]))
            return
        self.shift.say(signed(float(sent[0]) - true, digits))
        self.sent.say(number(float(sent[0]), digits))


class JourneyBox(QFrame):
    """A caption over a value, in colours that say whose it is."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self.setObjectName("journeyBox")
        self._label = ElidedLabel("caption", label, hugs=True)
        self._value: QLabel = text("", "strong")
        layout = column(row(None, self._label, None), row(None, self._value, None), parent=self)
        layout.setSpacing(1)
        layout.setContentsMargins(8, 5, 8, 6)

    @property
    def value(self) -> str:
        """What is shown."""
        return self._value.text()

    def say(self, value: str) -> None:
        """Show another value."""
        if value != self._value.text():
            self._value.setText(value)

    def colour(self, ground: str, line: str, ink: str, dashed: bool = False) -> None:
        """Take these colours."""
        style = "dashed" if dashed else "solid"
        set_rules(
            self,
            f"#journeyBox {{ background: {ground}; border: 1px {style} {line};"
            " border-radius: 6px; }"
            f"QLabel {{ color: {ink}; }}",
        )
