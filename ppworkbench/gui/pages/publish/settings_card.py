"""The left column: which attribute, how deniable, which splits, and how answers are exchanged."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QRadioButton, QWidget

from ppworkbench.core.publish import DRAW, SHUFFLE
from ppworkbench.gui.pages.publish.plan import DENIABLE, DISTORTED
from ppworkbench.gui.pages.publish.split_list import SplitList
from ppworkbench.gui.pages.publish.words_box import WordsBox
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.attribute_box import AttributeBox
from ppworkbench.gui.widgets.card import Card, card_part
from ppworkbench.gui.widgets.count_box import CountBox
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.icon_button import Button, IconButton
from ppworkbench.gui.widgets.layouts import column, line, row, scroll_area, text
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.gui.widgets.slider_row import SliderRow
from ppworkbench.gui.words import percent
from ppworkbench.study.deniable import DenialPlan

WIDTH = 276
_GAP = 7


class SettingsCard(Card):
    """Knows no study: it shows what it is given and tells what a person does."""

    mode_chosen = Signal(str)
    sensitive_chosen = Signal(str)
    option_chosen = Signal(str, object)
    """An option of the plan and its new value."""
    design_requested = Signal()
    help_requested = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._make_controls()
        self._make_options()
        self._arrange()
        self._connect()

    def _make_controls(self) -> None:
        themes, tr = self._themes, self.tr
        choices = [(DENIABLE, tr("Deniable table")), (DISTORTED, tr("Distorted table"))]
        self.mode = Segmented(themes, tr("Kind of release"), choices)
        self.mode.setObjectName("publishMode")
        words = tr("Sensitive attribute")
        self.sensitive = AttributeBox(themes, "sensitiveAttribute", words)
        self.answers = text("", "captionHint", wrap=True)
        self.help = IconButton(themes, "question", tr("About deniability"), 15)
        self.help.setObjectName("deniabilityHelp")
        self.minimum = SliderRow(tr("Minimum deniability"), 0, 100, decimals=0, suffix=" %")
        self.minimum.set_names("minimumDeniability")
        self.minimum.label.hide()
        self.least, self.most = ElidedLabel("captionHint"), ElidedLabel("captionHint")
        self.least.setText(tr("0 %: answers are plain"))
        self.most.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.words = WordsBox(themes)
        self.words.setObjectName("promise")
        self.predicted = text("–", "strong")
        self.predicted.setObjectName("predictedAccuracy")
        self.predicted_words = text("", "captionHint", wrap=True)
        self.splits = SplitList(themes)

    def _make_options(self) -> None:
        tr = self.tr
        self.draw = QRadioButton(tr("draw new answers"))
        self.shuffle = QRadioButton(tr("shuffle the real answers"))
        self._manner = QButtonGroup(self)
        for button, name, tip in (
            (
                self.draw,
                "mannerDraw",
                tr("Each answer is a new draw from the shares of the group."),
            ),
            (self.shuffle, "mannerShuffle", tr("The counts of every group stay exactly.")),
        ):
            button.setObjectName(name)
            button.setToolTip(tip)
            self._manner.addButton(button)
        self.merge = QCheckBox(tr("Values may share a group"))
        self.merge.setObjectName("mergeValues")
        self.merge.setToolTip(
            tr("A value whose people all gave one answer may stand with others; accuracy gains.")
        )
        self.ahead = QCheckBox(tr("Search longer for better groups"))
        self.ahead.setObjectName("lookAhead")
        self.ahead.setToolTip(tr("Looks two splits ahead, for up to ten seconds."))
        self.smallest = CountBox("smallestGroup", tr("Smallest group"), 1, 1_000_000)
        self.cuts = CountBox("numberCuts", tr("Cuts per number"), 1, 2_000)

    def _arrange(self) -> None:
        tr = self.tr
        head = row(text(tr("Minimum deniability"), "strong"), self.help, None, spacing=4)
        ends = row(self.least, self.most, spacing=4)
        predicted = row(text(tr("Predicted accuracy"), "label"), None, self.predicted)
        deniable = QWidget()
        column(
            card_part(
                text(tr("Sensitive attribute"), "strong"), self.sensitive, self.answers,
                2, line(), head, self.minimum, ends, self.words, predicted, self.predicted_words,
                2, line(), spacing=_GAP,
            ),
            self.splits,
            card_part(
                2, line(), text(tr("In each group"), "strong"), self.draw, self.shuffle,
                2, line(), text(tr("Groups"), "strong"),
                row(text(tr("Smallest group"), "label"), None, self.smallest),
                row(text(tr("Cuts per number"), "label"), None, self.cuts),
                self.merge, self.ahead, spacing=_GAP,
            ),
            None, parent=deniable, spacing=_GAP,
        )  # fmt: skip
        self.go_to_design = Button(self._themes, tr("Go to Design"), "design", look="link")
        self.go_to_design.setObjectName("publishGoToDesign")
        self.distorted_words = text("", "secondary", wrap=True)
        distorted = QWidget()
        column(
            text(tr("As the design says"), "strong"), self.distorted_words,
            row(self.go_to_design, None), None, parent=distorted, spacing=8,
        )  # fmt: skip
        self._pages = {DENIABLE: deniable, DISTORTED: distorted}
        inner = QWidget()
        layout = column(self.mode, 2, deniable, distorted, parent=inner, spacing=8)
        layout.setContentsMargins(12, 12, 10, 10)
        for place in (2, 3):
            layout.setStretch(place, 1)
        self.content = deniable
        self.body.addWidget(scroll_area(inner), 1)

    def _connect(self) -> None:
        self.mode.chosen.connect(self.mode_chosen)
        self.sensitive.chosen.connect(self.sensitive_chosen)
        self.minimum.moved.connect(
            lambda value, _: self.option_chosen.emit("min_deniability", round(value / 100, 4))
        )
        self.draw.toggled.connect(
            lambda on: self.option_chosen.emit("manner", DRAW if on else SHUFFLE)
        )
        self.merge.toggled.connect(lambda on: self.option_chosen.emit("merge_values", on))
        self.ahead.toggled.connect(lambda on: self.option_chosen.emit("look_ahead", 2 if on else 0))
        self.smallest.valueChanged.connect(
            lambda value: self.option_chosen.emit("smallest_group", value)
        )
        self.cuts.valueChanged.connect(lambda value: self.option_chosen.emit("cuts", value))
        self.go_to_design.clicked.connect(self.design_requested)
        self.help.clicked.connect(lambda: self.help_requested.emit("deniability"))
        self._themes.theme_changed.connect(self._restyle)
        self._restyle()

    # What is shown

    def show_mode(self, mode: str, reasons: dict[str, str]) -> None:
        """Show the kind of release; kinds that are not possible with a reason."""
        self.mode.set_disabled(reasons)
        self.mode.set_current(mode)
        # No stack: the page behind would make the column taller than the one in front needs.
        for name, page in self._pages.items():
            page.setVisible(name == mode)

    def show_plan(self, plan: DenialPlan, outcomes: int) -> None:
        """Show the options of a plan without announcing them."""
        options = plan.options
        self.minimum.set_value(100 * options.min_deniability)
        even = (
            self.tr("100 %: coin toss") if outcomes == 2 else self.tr("100 %: all equally likely")
        )
        self.most.setText(even)
        for box, value in (
            (self.draw, options.manner == DRAW), (self.shuffle, options.manner != DRAW),
            (self.merge, options.merge_values), (self.ahead, options.look_ahead > 0),
        ):  # fmt: skip
            with QSignalBlocker(box):
                box.setChecked(value)
        for spin, number in ((self.smallest, options.smallest_group), (self.cuts, options.cuts)):
            with QSignalBlocker(spin):
                spin.setValue(number)

    def show_prediction(self, accuracy: float | None, words: str, *, is_final: bool) -> None:
        """Show the predicted accuracy; dimmed while a better prediction is on its way."""
        self.predicted.setText("–" if accuracy is None else percent(accuracy, 1))
        self.predicted.setEnabled(is_final)
        self.predicted_words.setText(words)

    def set_locked(self, reason: str) -> None:
        """Lock what a run needs as it is; empty unlocks. The minimum may move on."""
        for widget in (
            self.sensitive, self.splits, self.draw, self.shuffle, self.merge, self.ahead,
            self.smallest, self.cuts,
        ):  # fmt: skip
            widget.setEnabled(not reason)
            if reason or widget.property("locked"):
                widget.setProperty("locked", bool(reason))
        self.content.setToolTip(reason)

    def _restyle(self) -> None:
        theme = self._themes.theme
        self.keep_at_least(theme.px(248))
        for box in (self.smallest, self.cuts):
            box.setFixedWidth(theme.px(76))
        # The ends of the slider in the smallest type: both have to fit below it.
        for label in (self.least, self.most):
            set_rules(label, f"font-size: {theme.px(10.5)}px;")
