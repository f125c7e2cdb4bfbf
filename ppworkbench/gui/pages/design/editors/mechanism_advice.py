"""Below the list of mechanisms: why the chosen one, and what another would bring."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.mechanisms import (
    MechanismFigures,
    advise,
    sets_advice,
)
from ppworkbench.core.design import perturbations
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, significant
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.controls import Button, Clickable
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, named, reserve_width, row, show_words, text
from ppworkbench.gui.widgets.number_fields import NumberBox


def reason_of(type_name: str) -> str:
    """Why somebody takes a mechanism, as a line of its own."""
    words = translate(perturbations.entry(type_name).hint) if type_name in perturbations else ""
    return words[:1].upper() + words[1:]


class _FiguresRow(Clickable):
    """One mechanism and its two figures; pressing it takes the mechanism."""

    def __init__(self, themes: ThemeManager, place: int) -> None:
        super().__init__(themes, "", "")
        self.setObjectName(f"comparedMechanism{place}")
        self.setMinimumHeight(themes.theme.px(24))
        self.title = ElidedLabel("body")
        self.share = text("", "body")
        self.mean = text("", "body")
        for one in (self.share, self.mean):
            reserve_width(one, themes, 96)
        line = row(self.title, self.share, self.mean, parent=self, spacing=8)
        line.setStretch(0, 1)
        line.setContentsMargins(6, 3, 6, 3)

    def show_figures(self, shown: MechanismFigures) -> None:
        """Show what a mechanism promises."""
        title = translate(shown.title)
        self.title.setText(tr("%s (chosen)") % title if shown.is_current else title)
        share = tr("± %s points") % number(100 * shown.share, 1)
        mean = tr("± %s") % significant(shown.mean)
        self.share.setText(share)
        self.mean.setText(mean)
        self.setAccessibleName(title)
        self.setAccessibleDescription(
            tr("%s: a share %s, the mean score %s.") % (title, share, mean)
        )


class MechanismAdviceLines(QWidget):
    """The reason for the chosen mechanism, figures of others, and presses that take them."""

    chosen = Signal(object)
    """A mechanism for the question is wanted."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._view: DesignView | None = None
        self._compared: tuple[MechanismFigures, ...] = ()
        self.reason = named(text("", "captionHint", wrap=True), "mechanismReason")
        self.sets = named(text("", "captionHint", wrap=True), "setsReason")
        self.rows = [_FiguresRow(themes, place) for place in range(2)]
        for place, one in enumerate(self.rows):
            one.clicked.connect(lambda place=place: self._on_row(place))
        self.heading = ElidedLabel("captionHint")
        heads = [text(words, "captionHint") for words in (tr("share"), tr("mean score"))]
        for head in heads:
            reserve_width(head, themes, 96)
        self.table = QWidget()
        top = row(self.heading, *heads, spacing=8)
        top.setStretch(0, 1)
        top.setContentsMargins(6, 0, 6, 0)
        column(top, *self.rows, parent=self.table, spacing=0)
        self.warning = text(
            tr("Some answers are ruled out, so epsilon is infinite."), "warning", wrap=True
        )
        self.epsilon = named(NumberBox(), "finiteEpsilon", tr("Wanted epsilon"))
        self.epsilon.setDecimals(2)
        self.epsilon.setRange(0.01, 20.0)
        self.epsilon.setSingleStep(0.1)
        self.epsilon.setPrefix("ε ")
        reserve_width(self.epsilon, themes, 90)
        self.epsilon.show_value(1.0)
        self.finite = Button(themes, tr("Make epsilon finite"))
        self.finite.setObjectName("makeFinite")
        self.finite.setToolTip(
            tr("Mixes the matrix with the even answer until it has the wanted epsilon")
        )
        self.finite.clicked.connect(self._on_finite)
        self.repair = QWidget()
        column(
            self.warning, row(self.finite, self.epsilon, None, spacing=8), parent=self.repair,
            spacing=4,
        )  # fmt: skip
        column(self.reason, self.sets, self.table, self.repair, parent=self, spacing=4)

    def set_view(self, view: DesignView, *, has_form: bool) -> None:
        """Show what helps to choose the mechanism of the question.

        A panel of its own tells already what a mechanism is for; a form of parameters does not.
        """
        self._view = view
        advice = advise(view.report)
        sets = sets_advice(view.report)
        show_words(self.reason, reason_of(view.perturbation.type_name) if has_form else "")
        show_words(self.sets, translate(sets.words) if sets.is_due else "")
        self.setToolTip(translate(sets.words))
        self._compared = advice.compared
        # Beside an open matrix there is room for the repair only, which matters more.
        self.table.setVisible(bool(advice.compared) and advice.finite is None)
        self.heading.setText(tr("At ε = %s") % number(advice.epsilon, 2))
        for one, shown in zip(self.rows, advice.compared, strict=False):
            one.show_figures(shown)
        self.repair.setVisible(advice.finite is not None)
        parts = (self.reason, self.sets, self.table, self.repair)
        self.setHidden(all(part.isHidden() for part in parts))
        self._reserve_lines()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._reserve_lines()

    def _reserve_lines(self) -> None:
        """Ask for the height of wrapped words; else the cards below would be squeezed."""
        for label in (self.reason, self.sets, self.warning):
            needed = label.heightForWidth(self.width()) if label.text() else 0
            if needed != label.minimumHeight():
                label.setMinimumHeight(max(needed, 0))

    def _on_row(self, place: int) -> None:
        if place < len(self._compared) and not self._compared[place].is_current:
            self.chosen.emit(self._compared[place].perturbation)

    def _on_finite(self) -> None:
        if self._view is None:
            return
        made = self._view.perturbation.made_finite(self._view.attribute.k, self.epsilon.value())
        if made is not None:
            self.chosen.emit(made)
