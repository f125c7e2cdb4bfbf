"""The left column: which attribute, how deniable, which splits, and how answers are exchanged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from PySide6.QtCore import QObject, QSignalBlocker, QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QListView,
    QRadioButton,
    QSizePolicy,
    QWidget,
)

from ppworkbench.core.data.sampling_roles import MOST_LEAST_ROWS, REPLICATES, Sampling
from ppworkbench.core.data.table import Table
from ppworkbench.core.publish import DRAW, SHUFFLE
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.pages.publish.texts import (
    accuracy_words,
    answers_summary,
    promise,
    role_hint,
    why_not_coarsened,
)
from ppworkbench.gui.pages.publish.view import PublishView
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.attribute_box import (
    AttributeBox,
    Offered,
    attribute_tip,
    offer_attributes,
)
from ppworkbench.gui.widgets.card import Card, WordsBox, card_part
from ppworkbench.gui.widgets.controls import Button, IconButton, Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel, role_word
from ppworkbench.gui.widgets.layout import column, line, named, row, scroll_area, text
from ppworkbench.gui.widgets.number_fields import CountBox, SliderRow
from ppworkbench.outputs.deniable import DenialPlan
from ppworkbench.outputs.publication import (
    COARSEN,
    DENIABLE,
    DISTORTED,
    DROP,
    KEEP,
    sensitive_names,
)
from ppworkbench.study.release import undistorted
from ppworkbench.study.state import parts_meaning, why_not_released
from ppworkbench.study.study import Study

_TICK = Qt.ItemDataRole.CheckStateRole
_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable


class SplitModel(QStringListModel):
    """Qt knows the titles; ticks and questions are looked up, however many there are."""

    ticked = Signal(str, bool)
    """A person set or took away a tick; what is shown follows when it is shown again."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._features: list[Offered] = []
        self._excluded: frozenset[str] = frozenset()
        self._height = 0

    def show_features(self, features: Sequence[Offered], excluded: frozenset[str]) -> None:
        """Show attributes with their ticks."""
        is_new = self._features != list(features)
        changed = self._excluded != excluded
        self._features, self._excluded = list(features), excluded
        if is_new:
            self.setStringList([title or name for name, _, _, title in features])
        elif changed and features:
            self.dataChanged.emit(self.index(0), self.index(len(features) - 1), [_TICK])

    @property
    def names(self) -> list[str]:
        """The attributes by the names of their columns."""
        return [name for name, *_ in self._features]

    def set_height(self, height: int) -> int:
        """Make all lines so high."""
        if height != self._height:
            self._height = height
            self.layoutChanged.emit()
        return height

    def flags(self, index: Any) -> Qt.ItemFlag:  # noqa: ARG002
        return _FLAGS

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(10, self._height) if self._height else None
        if role not in (_TICK, Qt.ItemDataRole.ToolTipRole):
            return super().data(index, role)
        if not 0 <= index.row() < len(self._features):
            return None
        name, _, question, title = self._features[index.row()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return attribute_tip(name, question, title or name)
        return Qt.CheckState.Unchecked if name in self._excluded else Qt.CheckState.Checked

    def setData(  # noqa: N802
        self, index: Any, value: Any, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        if role != _TICK or not 0 <= index.row() < len(self._features):
            return False
        name = self._features[index.row()][0]
        on = Qt.CheckState(value) == Qt.CheckState.Checked
        if on == (name in self._excluded):
            self._excluded = self._excluded ^ {name}
            self.dataChanged.emit(index, index, [_TICK])
            self.ticked.emit(name, on)
        return True


_ROWS = 7
_GAP = 7


class SplitList(QWidget):
    """A list that scrolls beyond some rows; "all" and "none" stand beside its head."""

    ticked = Signal(str, bool)
    all_ticked = Signal(bool)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.model = SplitModel(self)
        self.view = named(QListView(), "maySplitOn", self.tr("Split by"))
        self.view.setModel(self.model)
        self.view.setUniformItemSizes(True)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.view.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.view.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.count = text("", "captionHint")
        self.all = Button(themes, self.tr("all"), look="link")
        self.none = Button(themes, self.tr("none"), look="link")
        self.all.setObjectName("splitAll")
        self.none.setObjectName("splitNone")
        self.all.setAccessibleName(self.tr("Allow all splits"))
        self.none.setAccessibleName(self.tr("Allow no splits"))
        head = row(
            text(self.tr("Split by"), "strong"),
            None,
            self.all,
            self.none,
            self.count,
            spacing=8,
        )
        column(head, self.view, parent=self, spacing=4)
        self.model.ticked.connect(self.ticked)
        self.all.clicked.connect(lambda: self.all_ticked.emit(True))
        self.none.clicked.connect(lambda: self.all_ticked.emit(False))
        themes.theme_changed.connect(self._resize)

    def show_features(self, features: Sequence[Offered], excluded: frozenset[str]) -> None:
        """Show (name, question) pairs with their ticks."""
        self.model.show_features(features, excluded)
        kept = sum(name not in excluded for name, *_ in features)
        self.count.setText(self.tr("%s of %s") % (number(kept), number(len(features))))
        self._resize()

    def tick(self, name: str, on: bool) -> None:
        """Tick as a person would."""
        if name in self.model.names:
            state = Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
            index = self.model.index(self.model.names.index(name))
            self.model.setData(index, state, Qt.ItemDataRole.CheckStateRole)

    def _resize(self) -> None:
        plain = self.view.sizeHintForIndex(self.model.index(0)).height()
        height = self.model.set_height(max(plain, self._themes.theme.px(24)))
        rows = min(max(self.model.rowCount(), 1), _ROWS)
        self.view.setFixedHeight(rows * height + 4)


class RoleSettings(QWidget):
    """What becomes of columns with a sampling role, and how many records a coarse value has.

    Columns are listed for a deniable table; a distorted one has them in its list of attributes.
    """

    release_chosen = Signal(object, str)
    """Columns of one role, and whether they are kept, coarsened or dropped."""
    least_chosen = Signal(int)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._entries: tuple[tuple[tuple[str, ...], str], ...] = ()
        self.boxes: dict[tuple[str, ...], QComboBox] = {}
        self._holder = QWidget()
        self.least = CountBox("leastRows", self.tr("Minimum records"), 2, MOST_LEAST_ROWS)
        self.least.setToolTip(
            self.tr("At least so many records share a coarsened weight or stratum.")
        )
        self.least.valueChanged.connect(self.least_chosen)
        self._rows = column(parent=self._holder, spacing=_GAP)
        least = row(text(self.tr("Minimum records"), "label"), None, self.least)
        column(
            2, line(), text(self.tr("Sampling columns"), "strong"), self._holder, least,
            parent=self, spacing=_GAP,
        )  # fmt: skip
        themes.theme_changed.connect(self._restyle)
        self._restyle()

    def set_view(self, view: PublishView) -> None:
        """Show roles of a study and what becomes of them, without announcing it."""
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
            items = cast("QStandardItemModel", box.model())
            items.item(box.findData(COARSEN)).setEnabled(not reason)
            box.setToolTip(reason or role_hint(role, view.study.settings.least_rows))
            with QSignalBlocker(box):
                box.setCurrentIndex(box.findData(view.plan.role_release(names[0])))

    def _list(self, entries: tuple[tuple[tuple[str, ...], str], ...]) -> None:
        for box in self.boxes.values():
            old = box.parentWidget()
            old.hide()
            old.deleteLater()
        self._entries, self.boxes = entries, {}
        for names, words in entries:
            box = QComboBox()
            box.setObjectName(f"roleRelease {names[0]}")
            box.setAccessibleName(self.tr("Release of %s") % words)
            for how, said in (
                (KEEP, self.tr("Keep", "a column")), (COARSEN, self.tr("Coarsen")),
                (DROP, self.tr("Omit")),
            ):  # fmt: skip
                box.addItem(said, how)
            box.activated.connect(lambda _, n=names, b=box: self._on_chosen(n, b))
            label = ElidedLabel("label", words)
            label.setBuddy(box)
            both = QWidget()
            row(label, box, parent=both, spacing=8).setStretch(0, 1)
            self._rows.addWidget(both)
            self.boxes[names] = box

    def _on_chosen(self, names: tuple[str, ...], box: QComboBox) -> None:
        self.release_chosen.emit(names, str(box.currentData()))

    def _restyle(self) -> None:
        self.least.setFixedWidth(self._themes.theme.px(76))


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

    mode_chosen = Signal(str)
    sensitive_chosen = Signal(str)
    option_chosen = Signal(str, object)
    names_chosen = Signal(bool)
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
        self.splits = SplitList(themes)
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
        self.mode.chosen.connect(self.mode_chosen)
        self.sensitive.chosen.connect(self.sensitive_chosen)
        self.minimum.moved.connect(
            lambda value, _: self.option_chosen.emit("min_deniability", round(value / 100, 4))
        )
        self.draw.toggled.connect(
            lambda on: self.option_chosen.emit("manner", DRAW if on else SHUFFLE)
        )
        self.names.toggled.connect(self.names_chosen)
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

    def set_view(self, view: PublishView) -> None:
        """Show how the study would be published, without announcing it."""
        study, plan = view.study, view.plan
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
        self.splits.show_features(others, plan.excluded)
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

    def _restyle(self) -> None:
        theme = self._themes.theme
        self.keep_at_least(theme.px(248))
        for box in (self.smallest, self.cuts):
            box.setFixedWidth(theme.px(76))
        # The ends of the slider in the smallest type: both have to fit below it.
        for label in (self.least, self.most):
            set_rules(label, f"font-size: {theme.px(10.5)}px;")
