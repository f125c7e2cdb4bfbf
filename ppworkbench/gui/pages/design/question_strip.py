"""The question as a respondent reads it with its sensitive answers, and its design in words."""

from __future__ import annotations

import html
import re

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QMenu,
    QSizePolicy,
    QToolTip,
    QWidget,
)

from ppworkbench.analyses.designs.arms import AS_DESIGNED, DIRECT, OMITTED, OWN, treatment_of
from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute
from ppworkbench.core.privacy.belief import listed, meant_places
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import trimmed
from ppworkbench.gui.pages.design.noncompliance import NonComplianceMark
from ppworkbench.gui.pages.design.texts import design_sentence
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.theme import ThemeManager, icon, set_fill, set_outline, smooth_painter
from ppworkbench.gui.widgets.controls import Button, ChoiceBox, IconButton, IconLabel
from ppworkbench.gui.widgets.labels import Announcer, LiveLabel
from ppworkbench.gui.widgets.layout import column, named, reserve_width, row, text
from ppworkbench.study.study import Study


class ArmBar(QWidget):
    """Chooses whose version of the questionnaire the page shows and changes."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        label = text(self.tr("Arm"), "label")
        self.box = named(ChoiceBox(self.tr("Arm"), []), "designArm")
        reserve_width(self.box, themes, 170)
        label.setBuddy(self.box)
        self.words = named(LiveLabel(1, "secondary"), "armWords")
        self.words.label.setTextFormat(Qt.TextFormat.PlainText)
        layout = row(label, self.box, self.words, parent=self, spacing=10)
        layout.setStretch(2, 1)
        self.hide()

    def set_view(self, study: Study, chosen: str, name: str) -> None:
        """Offer the arms of a study, and say how the chosen one treats a question."""
        arms = study.design.versions
        self.setVisible(study.design.has_arms)
        if not study.design.has_arms:
            return
        self.box.set_choices([("", self.tr("all arms")), *((name, name) for name in arms.names)])
        self.box.set_current(chosen)
        if chosen:
            told = {
                AS_DESIGNED: self.tr("as the design; a change makes it the arm's own device"),
                OWN: self.tr("its own device"),
                DIRECT: self.tr("asked directly"),
                OMITTED: self.tr("not asked"),
            }
            self.words.set_text(told[treatment_of(arms[chosen], name)])
            return
        others = [arm.name for arm in arms.members if treatment_of(arm, name) != AS_DESIGNED]
        words = self.tr("asked differently in %s") % ", ".join(others)
        self.words.set_text(words if others else self.tr("the same in every arm"))


class AnswerChip(QAbstractButton):
    """One answer; checked means sensitive, which colour, shield and name tell."""

    def __init__(self, themes: ThemeManager, answer: str) -> None:
        super().__init__()
        self._themes = themes
        self.answer = answer
        self.setObjectName(f"answer-{answer}")
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        themes.follow(self.updateGeometry, self.update)

    def show_mark(self, marked: bool) -> None:
        self.setChecked(marked)
        state = self.tr("%s, sensitive") if marked else self.tr("%s, not sensitive")
        self.setAccessibleName(state % self.answer)
        self.setToolTip(
            self.tr("Sensitive. Click to remove the mark.")
            if marked
            else self.tr("Click to mark this answer as sensitive.")
        )
        self.update()

    def nextCheckState(self) -> None:  # noqa: N802
        """Leave the state to the study, which may refuse the mark."""

    def sizeHint(self) -> QSize:  # noqa: N802
        """Circle, answer and shield; the shield's room is kept, so that no chip moves."""
        theme = self._themes.theme
        words = QFontMetrics(theme.font("body", "semibold")).horizontalAdvance(self.answer)
        return QSize(words + theme.px(58), theme.px(30))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme, marked = self._themes.theme, self.isChecked()
        painter = smooth_painter(self)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        line = "focus" if self.hasFocus() else "warningLine" if marked else "outline"
        painter.setPen(QPen(theme.colour(line), 2 if self.hasFocus() else 1))
        ground = "warningBg" if marked else "hover" if self.underMouse() else "surface"
        painter.setBrush(theme.colour(ground))
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        ink = theme.colour("warningText" if marked else "text2")
        ring, middle = theme.px(11), box.center().y()
        set_outline(painter, QPen(ink, 1.3))
        painter.drawEllipse(QRectF(theme.px(11), middle - ring / 2, ring, ring))
        painter.setFont(theme.font("body", "semibold" if marked else "regular"))
        painter.setPen(theme.colour("warningText" if marked else "text"))
        left = theme.px(28)
        words = QRectF(left, 0, self.width() - left, self.height())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self.answer)
        if marked:
            side = theme.px(15)
            spot = QRectF(self.width() - side - theme.px(11), middle - side / 2, side, side)
            icon("shield", ink).paint(painter, spot.toRect())


_MOST_CHIPS = 12
_FEW = 2


class QuestionStrip(QFrame):
    """Wording, column name and a chip per answer; where they do not fit, a menu marks them."""

    marks_chosen = Signal(object)
    """The answers that shall be marked as sensitive."""
    refused = Signal(str)
    """Why a mark is not possible."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.setProperty("look", "card")
        self._themes = themes
        self._attribute: Attribute | None = None
        self.chips: dict[str, AnswerChip] = {}
        self.column_name = LiveLabel(1, "captionHint")
        self.hint = named(LiveLabel(1, "captionHint"), "sensitiveHint")
        self.hint.label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.wording = named(LiveLabel(1, "strong"), "wording")
        for one in (self.column_name, self.hint, self.wording):
            one.label.setTextFormat(Qt.TextFormat.PlainText)
        self.scale = text("", "secondary")
        self.more = Button(self._themes, self.tr("Sensitive answers…"), "shield", look="link")
        self.more.setObjectName("sensitiveAnswers")
        self.more.clicked.connect(self._on_more)
        self._chip_row = row(spacing=6)
        head = row(
            text(self.tr("As the respondent reads it"), "captionHint"), self.column_name,
            self.hint, spacing=10,
        )  # fmt: skip
        head.setStretch(1, 1)
        head.setStretch(2, 3)
        below = row(self.wording, self.scale, self._chip_row, self.more, spacing=10)
        below.setStretch(0, 1)
        column(head, below, parent=self, spacing=3).setContentsMargins(14, 7, 10, 8)

    def set_view(self, view: DesignView) -> None:
        name, attribute = view.name, view.attribute
        label = view.study.label(name)
        self.wording.set_text(label)
        self.column_name.set_text("" if label == name else name)
        if attribute != self._attribute:
            self._show_answers(attribute)
        self.hint.set_text(self._hint(view.report))

    def _hint(self, report: AttributeReport) -> str:
        attribute = report.attribute
        if attribute.sensitive or attribute.k < 2:
            return ""
        places = meant_places(attribute, report.prior.probabilities)
        rarest = translate(listed(tuple(attribute.values[place] for place in places)))
        return self.tr("No sensitive answer marked; figures are for the rarest, %s.") % rarest

    def _show_answers(self, attribute: Attribute) -> None:
        before, self._attribute = self._attribute, attribute
        if before is None or before.values != attribute.values:
            self._make_chips(attribute)
        for answer, chip in self.chips.items():
            chip.show_mark(answer in attribute.sensitive)
        low, high = attribute.domain or (0.0, 0.0)
        numeric = attribute.kind.is_numeric
        words = self.tr("a number from %s to %s") % (trimmed(low), trimmed(high))
        self.scale.setText(words if numeric else "")
        self._fit()

    def _make_chips(self, attribute: Attribute) -> None:
        for chip in self.chips.values():
            self._chip_row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        answers = [value for value in attribute.values if value != MISSING_VALUE]
        shown = answers if 2 <= len(answers) <= _MOST_CHIPS else []
        self.chips = {answer: AnswerChip(self._themes, answer) for answer in shown}
        for answer, chip in self.chips.items():
            chip.clicked.connect(lambda _=False, answer=answer: self.toggle(answer))
            self._chip_row.addWidget(chip)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Offer the menu where the chips leave no room for the wording."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        attribute = self._attribute
        if attribute is None:
            return
        wanted = sum(chip.sizeHint().width() + 6 for chip in self.chips.values())
        fits = bool(self.chips) and wanted <= 0.6 * self.width()
        # What is marked stays in sight as long as it is no more than a few.
        keeps_marked = len(attribute.sensitive) <= _FEW
        for answer, chip in self.chips.items():
            chip.setVisible(fits or (keeps_marked and answer in attribute.sensitive))
        self.more.setVisible(attribute.k > 2 and not fits)

    # Marking

    def toggle(self, answer: str) -> None:
        """Mark an answer as sensitive, or take the mark away; one undo step."""
        attribute = self._attribute
        if attribute is None:
            return
        marked = set(attribute.sensitive) ^ {answer}
        if len(marked) >= attribute.k:
            self.refused.emit(self.tr("At least one answer stays unmarked."))
            return
        self.marks_chosen.emit(tuple(value for value in attribute.values if value in marked))

    def make_menu(self) -> QMenu:
        menu = QMenu(self)
        attribute = self._attribute
        for answer in () if attribute is None else attribute.values:
            if answer == MISSING_VALUE:
                continue
            action = menu.addAction(answer.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(attribute is not None and answer in attribute.sensitive)
            action.triggered.connect(lambda _=False, answer=answer: self.toggle(answer))
        return menu

    def _on_more(self) -> None:
        show_menu(self.make_menu(), self.more.mapToGlobal(QPoint(0, self.more.height())))


class DesignSummary(QWidget):
    """A tinted strip with the sentence and a copy button."""

    copied = Signal()
    """The sentence is on the clipboard."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._words = LiveLabel(2)
        self.label = self._words.label
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy = named(IconButton(themes, "copy", self.tr("Copy sentence"), 16), "copyWords")
        self.copy.clicked.connect(self._on_copy)
        self.help = IconButton(themes, "question", self.tr("About this mechanism"), 16)
        self.help.setObjectName("mechanismHelp")
        self.caution = named(IconButton(themes, "warning", "", 18), "cautions")
        self.caution.clicked.connect(self._on_caution)
        self.caution.hide()
        self.caution.show_icon(themes, "warning", "warningText")
        icon = IconLabel(themes, "info", "accentInk", 18)
        self.mark = NonComplianceMark(themes, "markOfWords", is_bare=True)
        layout = row(
            icon, self._words, self.mark, self.caution, self.help, self.copy, parent=self, spacing=8
        )
        layout.setStretch(1, 1)
        layout.setContentsMargins(14, 6, 10, 6)
        self._spoken = Announcer(self, self._plain)
        self.setMinimumHeight(themes.theme.px(48))
        self._themes.theme_changed.connect(self.update)

    def set_view(self, view: DesignView) -> None:
        sentence = design_sentence(view.report)
        # Else Qt takes the narrow space before a unit for one at which a line may end.
        kept = "<span style='white-space:pre-wrap'>"
        self._words.set_text(f"{kept}<b>{self.tr('In words.')}</b> {sentence}</span>")
        self.setAccessibleDescription(self._plain())
        self._spoken.changed()
        self.mark.show_noncompliance(view.report.noncompliance)
        warnings = () if view.is_hopeless else view.report.warnings
        self._show_cautions(tuple(translate(view.study.titled(one)) for one in warnings))

    def _show_cautions(self, warnings: tuple[str, ...]) -> None:
        self.caution.setVisible(bool(warnings))
        joined = "\n".join(warnings)
        self.caution.setToolTip(joined)
        self.caution.setAccessibleName(self.tr("Note: %s") % joined)

    def _on_caution(self) -> None:
        spot = self.caution.mapToGlobal(self.caution.rect().bottomLeft())
        QToolTip.showText(spot, self.caution.toolTip(), self.caution)

    def _plain(self) -> str:
        return html.unescape(re.sub(r"<[^>]*>", "", self.label.text()))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._plain())
        self.copied.emit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        painter = smooth_painter(self)
        set_fill(painter, self._themes.theme.colour("accentTint"))
        painter.drawRoundedRect(QRectF(self.rect()), 8, 8)
