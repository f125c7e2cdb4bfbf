"""One answer on its way through the mechanism: three boxes, and a die that decides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number, signed
from ppworkbench.gui.pages.design.texts import interval_words
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.theme import ThemeManager, contrast, set_fill, set_rules, smooth_painter
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.labels import ElidedLabel, LiveLabel
from ppworkbench.gui.widgets.layout import column, line, named, row, text


class Example(QWidget):
    """Three boxes, from the true answer to what is reported; "Again" draws another one."""

    def __init__(
        self, themes: ThemeManager, names: tuple[str, str, str], signs: tuple[str, str], again: str
    ) -> None:
        super().__init__()
        self._themes = themes
        self.again = named(Button(themes, self.tr("New example"), "dice", look="link"), again)
        self.again.clicked.connect(self._on_again)
        self.true, self.middle, self.sent = map(JourneyBox, names)
        self.head = row(text(self.tr("Example"), "strong"), None, self.again)
        self.boxes = row(
            self.true, text(signs[0], "subtitle"), self.middle, text(signs[1], "subtitle"),
            self.sent, spacing=10,
        )  # fmt: skip
        themes.follow(self._colour)

    def _colour(self) -> None:
        theme = self._themes.theme
        for box, look in (
            (self.true, theme.role("original")),
            (self.sent, theme.role("distorted")),
        ):
            box.colour(look.tint.name(), look.line.name(), look.text.name())
        self.middle.colour(
            theme.hex("window"), theme.hex("outline"), theme.hex("text"), dashed=True
        )

    def _on_again(self) -> None:
        raise NotImplementedError


class AnswerExample(Example):
    """A number on its way; only the last box ever leaves the respondent."""

    def __init__(self, themes: ThemeManager) -> None:
        names = tr("true number"), tr("noise"), tr("reported number")
        super().__init__(themes, names, ("+", "→"), "journeyAgain")
        self._draw = 1
        self._view: DesignView | None = None
        for place in (0, 2, 4):
            self.boxes.setStretch(place, 1)
        note = text(self.tr("Only the last box is reported."), "captionHint")
        column(self.head, self.boxes, note, parent=self, spacing=6)

    def _on_again(self) -> None:
        self._draw += 1
        self._show()

    def set_view(self, view: DesignView) -> None:
        self._view = view
        self._show()

    def _show(self) -> None:
        view = self._view
        if view is None:
            return
        attribute, perturbation, prior = view.attribute, view.perturbation, view.report.prior
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
            self.middle.say(self.tr("its interval"))
            self.sent.say(interval_words(published.values[int(sent[0])]))
            return
        self.middle.say(signed(float(sent[0]) - true, digits))
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
        return self._value.text()

    def say(self, value: str) -> None:
        self._value.setText(value)

    def colour(self, ground: str, line: str, ink: str, dashed: bool = False) -> None:
        style = "dashed" if dashed else "solid"
        set_rules(
            self,
            f"#journeyBox {{ background: {ground}; border: 1px {style} {line};"
            " border-radius: 6px; }"
            f"QLabel {{ color: {ink}; }}",
        )


Chances = NDArray[np.float64]


class DieBar(QWidget):
    """Parts as wide as their probabilities; a needle points at the outcome."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._names: tuple[str, ...] = ()
        self._chances: Chances = np.ones(1)
        self.fell = 0.0
        self.setObjectName("dieStrip")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        themes.follow(self.updateGeometry, self.update)

    def show_outcomes(self, names: tuple[str, ...], chances: Chances, fell: float) -> None:
        """Show what the die may decide, in this order, and where in 0 to 1 it fell."""
        self._names, self._chances, self.fell = names, chances, fell
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """A line of small type, with room for the needle."""
        return QSize(200, self._themes.theme.px(34))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(80, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme = self._themes.theme
        painter = smooth_painter(self)
        strip = QRectF(0.5, theme.px(8), self.width() - 1, self.height() - theme.px(9))
        shape = QPainterPath()
        shape.addRoundedRect(strip, 5, 5)
        painter.save()
        painter.setClipPath(shape)
        self._draw_parts(painter, strip)
        painter.restore()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("outline"), 1))
        painter.drawRoundedRect(strip, 5, 5)
        self._draw_needle(painter, strip)

    def _draw_parts(self, painter: QPainter, strip: QRectF) -> None:
        theme = self._themes.theme
        painter.setFont(theme.font("caption", "medium"))
        metrics = painter.fontMetrics()
        left = strip.left()
        for name, chance in zip(self._names, self._chances.tolist(), strict=True):
            part = QRectF(left, strip.top(), chance * strip.width(), strip.height())
            fill = theme.heat_colour(chance)
            painter.fillRect(part, fill)
            painter.setPen(QPen(theme.colour("surface"), 1))
            painter.drawLine(part.topRight(), part.bottomRight())
            room = int(part.width()) - 6
            if room >= metrics.horizontalAdvance(name) or room > 40:
                painter.setPen(contrast(fill))
                words = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
                painter.drawText(part, Qt.AlignmentFlag.AlignCenter, words)
            left = part.right()

    def _draw_needle(self, painter: QPainter, strip: QRectF) -> None:
        theme = self._themes.theme
        half, tip = theme.px(5), strip.top() + 2
        at = strip.left() + self.fell * strip.width()
        at = min(max(at, strip.left() + 1.5), strip.right() - 1.5)
        head = QPolygonF([QPointF(at - half, 0.5), QPointF(at + half, 0.5), QPointF(at, tip)])
        painter.setPen(QPen(theme.colour("text"), 2))
        painter.drawLine(QPointF(at, tip), QPointF(at, strip.bottom()))
        set_fill(painter, theme.colour("text"))
        painter.drawPolygon(head)


class ValueJourney(Example):
    """Starts at the selected true answer; "Again" throws the die once more.

    The die keeps its outcome while the matrix changes, so that a drag shows when it decides
    otherwise.
    """

    def __init__(self, themes: ThemeManager) -> None:
        names = tr("true answer"), tr("die, 0 to 100"), tr("reported answer")
        super().__init__(themes, names, ("→", "→"), "valueJourneyAgain")
        self._throw = 0
        self.fell = 0.0
        """Where in 0 to 1 the die fell."""
        self._values: tuple[str, ...] = ("",)
        self._chances: Chances = np.ones(1)
        self._true = 0
        self.again.setAccessibleName(self.tr("Roll again"))
        self.strip = DieBar(themes)
        self.words = LiveLabel(1, "caption")
        for place, share in ((0, 3), (2, 2), (4, 3)):
            self.boxes.setStretch(place, share)
        column(line(), self.head, self.boxes, self.strip, self.words, parent=self, spacing=6)
        self._throw_die()

    def _throw_die(self) -> None:
        self._throw += 1
        self.fell = float(SeededStreams(self._throw).stream("journey").random(1)[0])

    def _on_again(self) -> None:
        self._throw_die()
        self._show()

    def show_column(self, values: tuple[str, ...], chances: Chances, true: int) -> None:
        self._values, self._chances, self._true = values, chances, true
        self._show()

    def _show(self) -> None:
        values, true, fell = self._values, self._true, self.fell
        # The true answer comes first, so that "up to 60" means that it is kept.
        order = [true, *(i for i in range(len(values)) if i != true and self._chances[i] > 0)]
        chances = np.array([self._chances[i] for i in order])
        last = int(np.flatnonzero(chances)[-1])
        place = min(int(np.searchsorted(np.cumsum(chances), fell, side="right")), last)
        reported = values[order[place]]
        self.true.say(values[true])
        self.middle.say(number(100 * fell, 1))
        self.sent.say(reported)
        self.strip.show_outcomes(tuple(values[i] for i in order), chances, fell)
        words = self._in_words(float(chances[0]), reported, kept=place == 0)
        self.words.set_text(words)
        self.strip.setAccessibleName(words)

    def _in_words(self, keep: float, reported: str, *, kept: bool) -> str:
        fell = number(100 * self.fell, 1)
        limit = number(100 * keep, 0 if abs(100 * keep - round(100 * keep)) < 0.05 else 1)
        if keep >= 1:
            return self.tr("The true answer is reported, whatever the roll.")
        if keep <= 0:
            return self.tr("The true answer is never reported; %s means “%s”.") % (fell, reported)
        if kept:
            return self.tr("Up to %s the true answer is reported; the roll is %s.") % (
                limit,
                fell,
            )
        words = self.tr("Above %s another answer is reported; %s means “%s”.")
        return words % (limit, fell, reported)
