"""The left column: which attribute, how deniable, which splits, and how answers are exchanged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QRadioButton,
    QWidget,
)

from ppworkbench.core.data.sampling_roles import MOST_LEAST_ROWS, REPLICATES, Sampling
from ppworkbench.core.data.table import Table
from ppworkbench.core.publish import DRAW, SHUFFLE
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.pages.publish.texts import (
    PublishView,
    accuracy_words,
    answers_summary,
    promise,
    role_hint,
    role_releases,
    why_not_coarsened,
)
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import (
    AttributeBox,
    AttributeTicks,
    offer_attributes,
)
from ppworkbench.gui.widgets.card import Card, WordsBox, card_part
from ppworkbench.gui.widgets.controls import Button, ChoiceBox, IconButton, Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel, role_word
from ppworkbench.gui.widgets.layout import (
    column,
    line,
    named,
    reserve_width,
    row,
    scroll_area,
    text,
)
from ppworkbench.gui.widgets.number_fields import CountBox, SliderRow
from ppworkbench.outputs.deniable import DenialPlan
from ppworkbench.outputs.publication import (
    COARSEN,
    DENIABLE,
    DISTORTED,
    ReleasePlan,
    sensitive_names,
)
from ppworkbench.study.release import undistorted
from ppworkbench.study.state import parts_meaning, why_not_released
from ppworkbench.study.study import Study

_ROWS = 7
"""Splits beyond these are scrolled to."""
_GAP = 7


class RoleSettings(QWidget):
    """What becomes of columns with a sampling role, and how many records a coarse value has.

    Columns are listed for a deniable table; a distorted one has them in its list of attributes.
    """

    edited = Signal(object)
    """A :data:`PlanEdit`."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._entries: tuple[tuple[tuple[str, ...], str], ...] = ()
        self.boxes: dict[tuple[str, ...], ChoiceBox] = {}
        self._holder = QWidget()
        self.least = CountBox("leastRows", self.tr("Minimum records"), 2, MOST_LEAST_ROWS)
        self.least.setToolTip(
            self.tr("At least so many records share a coarsened weight or stratum.")
        )
        self._rows = column(parent=self._holder, spacing=_GAP)
        least = row(text(self.tr("Minimum records"), "label"), None, self.least)
        column(
            2, line(), text(self.tr("Sampling columns"), "strong"), self._holder, least,
            parent=self, spacing=_GAP,
        )  # fmt: skip
        reserve_width(self.least, themes, 76)

    def set_view(self, view: PublishView) -> None:
        sampling = view.study.sampling
        self.setVisible(bool(view.study.design.roles))
        if sampling is None:
            return
        is_listed = view.denial is not None
        self._holder.setVisible(is_listed)
        with QSignalBlocker(self.least):
            self.least.setValue(view.study.settings.least_rows)
        entries = tuple(
            (names, words) for names, words in _role_entries(sampling, view.study) if is_listed
        )
        if entries != self._entries:
            self._list(entries)
        for names, box in self.boxes.items():
            role = sampling.role_of(names[0])
            reason = why_not_coarsened(role, sampling)
            box.set_disabled({COARSEN: reason} if reason else {})
            box.setToolTip(reason or role_hint(role, view.study.settings.least_rows))
            box.set_current(view.plan.role_release(names[0]))

    def _list(self, entries: tuple[tuple[tuple[str, ...], str], ...]) -> None:
        for box in self.boxes.values():
            old = box.parentWidget()
            old.hide()
            old.deleteLater()
        self._entries, self.boxes = entries, {}
        for names, words in entries:
            box = ChoiceBox(self.tr("Release of %s") % words, role_releases())
            box.setObjectName(f"roleRelease {names[0]}")
            box.chosen.connect(
                lambda how, names=names: self.edited.emit(lambda plan: plan.with_roles(names, how))
            )
            label = ElidedLabel("label", words)
            label.setBuddy(box)
            both = QWidget()
            row(label, box, parent=both, spacing=8).setStretch(0, 1)
            self._rows.addWidget(both)
            self.boxes[names] = box


def _role_entries(sampling: Sampling, study: Study) -> list[tuple[tuple[str, ...], str]]:
    """Columns that are released alike, and what they are called: replicates are one entry."""
    replicates = () if sampling.replicates is None else sampling.replicates.columns
    entries: list[tuple[tuple[str, ...], str]] = [
        ((name,), tr("%s (%s)") % (study.shown(name), role_word(sampling.role_of(name))))
        for name in sampling.columns
        if name not in replicates
    ]
    if replicates:
        entries.append((replicates, role_word(REPLICATES)))
    return entries


WIDTH = 276


class SettingsCard(Card):
    """Knows no study: it shows what it is given and tells what a person does."""

    edited = Signal(object)
    """A :data:`PlanEdit`."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._original: Table | None = None
        self._make_controls()
        self._make_options()
        self._arrange()
        self._connect()

    def _make_controls(self) -> None:
        themes, tr = self._themes, self.tr
        choices = [(DENIABLE, tr("Deniable table")), (DISTORTED, tr("Distorted table"))]
        self.mode = named(Segmented(themes, tr("Kind of release"), choices), "publishMode")
        words = tr("Sensitive attribute")
        self.sensitive = AttributeBox(themes, "sensitiveAttribute", words)
        self.answers = text("", "captionHint", wrap=True)
        self.help = IconButton(themes, "question", tr("About deniability"), 15)
        self.help.setObjectName("deniabilityHelp")
        self.minimum = SliderRow(tr("Minimum deniability"), 0, 100, decimals=0, suffix=" %")
        self.minimum.set_names("minimumDeniability")
        self.minimum.label.hide()
        self.least, self.most = ElidedLabel("captionHint"), ElidedLabel("captionHint")
        self.least.setText(tr("0\u202f%: no protection"))
        self.most.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.words = named(WordsBox(themes), "promise")
        self.predicted = named(text("–", "strong"), "predictedAccuracy")
        self.predicted_words = text("", "captionHint", wrap=True)
        self.split_all = named(
            Button(themes, tr("all"), look="link"), "splitAll", tr("Allow all splits")
        )
        self.split_none = named(
            Button(themes, tr("none"), look="link"), "splitNone", tr("Allow no splits")
        )
        self.splits = AttributeTicks(
            themes, "maySplitOn", tr("Split by"), self.split_all, self.split_none, rows=_ROWS
        )
        self.roles = RoleSettings(themes)

    def _make_options(self) -> None:
        tr = self.tr
        self.draw = QRadioButton(tr("draw new answers"))
        self.shuffle = QRadioButton(tr("shuffle true answers"))
        self._manner = QButtonGroup(self)
        for button, name, tip in (
            (
                self.draw,
                "mannerDraw",
                tr("Each answer is drawn from the shares of its group."),
            ),
            (self.shuffle, "mannerShuffle", tr("The counts in each group stay exact.")),
        ):
            button.setObjectName(name)
            button.setToolTip(tip)
            self._manner.addButton(button)
        self.merge = named(QCheckBox(tr("Merge values")), "mergeValues")
        self.merge.setToolTip(
            tr("A value with only one answer may join other values; accuracy increases.")
        )
        self.ahead = named(QCheckBox(tr("Search longer")), "lookAhead")
        self.ahead.setToolTip(tr("Looks 2 splits ahead, for at most 10 s."))
        self.names = named(QCheckBox(tr("Release names and identifiers")), "releaseNames")
        self.smallest = CountBox("smallestGroup", tr("Minimum group size"), 1, 1_000_000)
        self.cuts = CountBox("numberCuts", tr("Cut points per number"), 1, 2_000)

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
            card_part(self.names, spacing=_GAP),
            card_part(
                2, line(), text(tr("In each group"), "strong"), self.draw, self.shuffle,
                2, line(), text(tr("Groups"), "strong"),
                row(text(tr("Minimum group size"), "label"), None, self.smallest),
                row(text(tr("Cut points per number"), "label"), None, self.cuts),
                self.merge, self.ahead, spacing=_GAP,
            ),
            None, parent=deniable, spacing=_GAP,
        )  # fmt: skip
        self.go_to_design = Button(self._themes, tr("Go to Design"), "design", look="link")
        self.go_to_design.setObjectName("publishGoToDesign")
        self.distorted_words = text("", "secondary", wrap=True)
        distorted = QWidget()
        column(
            text(tr("By the design"), "strong"), self.distorted_words,
            row(self.go_to_design, None), None, parent=distorted, spacing=8,
        )  # fmt: skip
        self._pages = {DENIABLE: deniable, DISTORTED: distorted}
        inner = QWidget()
        layout = column(
            self.mode, 2, deniable, distorted, self.roles, None, parent=inner, spacing=8
        )
        layout.setContentsMargins(12, 12, 10, 10)
        self.content = deniable
        self.body.addWidget(scroll_area(inner), 1)

    def _connect(self) -> None:
        edit, option, splits = self.edited.emit, self._set_option, self.splits
        self.mode.chosen.connect(lambda mode: edit(lambda plan: replace(plan, mode=mode)))
        self.sensitive.chosen.connect(
            lambda name: self._edit_by(lambda plan, table: plan.with_sensitive(name, table))
        )
        self.minimum.moved.connect(
            lambda value, _: option("min_deniability", round(value / 100, 4))
        )
        self.draw.toggled.connect(lambda on: option("manner", DRAW if on else SHUFFLE))
        self.names.toggled.connect(lambda on: edit(lambda plan: replace(plan, with_names=on)))
        self.merge.toggled.connect(lambda on: option("merge_values", on))
        self.ahead.toggled.connect(lambda on: option("look_ahead", 2 if on else 0))
        self.smallest.valueChanged.connect(lambda value: option("smallest_group", value))
        self.cuts.valueChanged.connect(lambda value: option("cuts", value))
        splits.ticked.connect(lambda name, on: edit(lambda plan: plan.with_split(name, allowed=on)))
        for button, allowed in ((self.split_all, True), (self.split_none, False)):
            button.clicked.connect(
                lambda *_, allowed=allowed: self._edit_by(
                    lambda plan, table: plan.with_all_splits(table, allowed=allowed)
                )
            )
        self.roles.edited.connect(self.edited)
        themes = self._themes
        self.keep_at_least(248, themes)
        for box in (self.smallest, self.cuts):
            reserve_width(box, themes, 76)
        # The ends of the slider in the smallest type: both have to fit below it.
        for label in (self.least, self.most):
            themes.follow_size(label, 10.5)

    def _set_option(self, name: str, value: object) -> None:
        self.edited.emit(lambda plan: plan.with_option(name, value))

    def _edit_by(self, edit: Callable[[ReleasePlan, Table], ReleasePlan]) -> None:
        """Publish in another way, which depends on the true answers."""
        table = self._original
        if table is not None:
            self.edited.emit(lambda plan: edit(plan, table))

    # What is shown

    def set_view(self, view: PublishView) -> None:
        study, plan = view.study, view.plan
        self._original = study.original
        reasons = {}
        if study.original is None:
            reasons[DENIABLE] = self.tr(
                "A deniable table needs original answers; this study has only distorted ones."
            )
        elif plan.denial is None:
            reasons[DENIABLE] = self.tr("No categorical attribute to protect.")
        self.mode.set_disabled(reasons)
        self.mode.set_current(plan.mode)
        # No stack: the page behind would make the column taller than the one in front needs.
        for name, page in self._pages.items():
            page.setVisible(name == plan.mode)
        if view.denial is not None and study.original is not None:
            self._show_denial(view, view.denial, study.original)
            self._show_promise(view, view.denial, study.original)
        else:
            self._show_distorted(study)
        self.roles.set_view(view)
        locked = self.tr("Locked during the measurement; cancel to change.")
        self._set_locked(locked if view.is_measuring else "")

    def _show_denial(self, view: PublishView, plan: DenialPlan, table: Table) -> None:
        study = view.study
        roles = study.design.roles
        offered = offer_attributes(study, sensitive_names(table, roles))
        self.sensitive.offer(offered, plan.sensitive)
        self.answers.setText(answers_summary(table, plan.sensitive))
        # Groups are not made by columns that a recipient does not have.
        gone = {plan.sensitive, *view.plan.omitted(study), *view.plan.coarsened}
        others = offer_attributes(study, (n for n in table.names if n not in gone))
        self.splits.show_attributes(others, {name for name, *_ in others} - plan.excluded)
        self._show_names(view)
        options, column = plan.options, table[plan.sensitive]
        self.minimum.set_value(100 * options.min_deniability)
        outcomes = column.attribute.k + (column.missing_count > 0)
        even = (
            self.tr("100\u202f%: 50:50")
            if outcomes == 2
            else self.tr("100\u202f%: all equally frequent")
        )
        self.most.setText(even)
        for box, value in (
            (self.draw, options.manner == DRAW), (self.shuffle, options.manner != DRAW),
            (self.merge, options.merge_values), (self.ahead, options.look_ahead > 0),
        ):  # fmt: skip
            with QSignalBlocker(box):
                box.setChecked(value)
        for spin, count in ((self.smallest, options.smallest_group), (self.cuts, options.cuts)):
            with QSignalBlocker(spin):
                spin.setValue(count)

    def _show_names(self, view: PublishView) -> None:
        """Whether columns that may name people go along; nothing where there are none."""
        found = [view.study.shown(name) for name in view.plan.naming(view.study)]
        self.names.setVisible(bool(found))
        words = self.tr("These columns look like identifiers, names or free text: %s.")
        self.names.setToolTip(words % ", ".join(found))
        with QSignalBlocker(self.names):
            self.names.setChecked(view.plan.with_names)

    def _show_promise(self, view: PublishView, plan: DenialPlan, table: Table) -> None:
        """What the minimum promises and costs; dimmed while a better prediction is on its way."""
        if view.refusal:
            self.words.say(translate(view.refusal), warns=True)
        else:
            self.words.say(promise(plan, table))
        groups = view.groups
        self.predicted.setText("–" if groups is None else percent(groups.predicted, 1))
        self.predicted.setEnabled(groups is None or groups.is_final)
        self.predicted_words.setText("" if groups is None else accuracy_words(groups.predicted))

    def _show_distorted(self, study: Study) -> None:
        count = len(study.design.names)
        if why_not_released(study) is not None:
            words = self.tr(
                "No table is released: design, codebook and report can be exported. Attributes "
                "in the design: %s."
            )
            words %= number(count)
        elif study.has_parts:
            words = translate(parts_meaning(study))
        elif study.original is None:
            words = self.tr(
                "The reported answers are already randomised. They are released with their "
                "design, in a new random order."
            )
        else:
            words = self.tr(
                "%s of %s attributes are distorted again for the release. A recipient with "
                "the design can estimate the true shares."
            )
            words %= (number(count - len(undistorted(study.design))), number(count))
        self.distorted_words.setText(words)

    def _set_locked(self, reason: str) -> None:
        """Lock what a run needs as it is; empty unlocks. The minimum may move on."""
        for widget in (
            self.sensitive, self.splits, self.names, self.draw, self.shuffle, self.merge,
            self.ahead, self.smallest, self.cuts, self.roles,
        ):  # fmt: skip
            widget.setEnabled(not reason)
            if reason or widget.property("locked"):
                widget.setProperty("locked", bool(reason))
        self.content.setToolTip(reason)
