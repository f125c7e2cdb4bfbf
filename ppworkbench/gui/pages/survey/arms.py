"""Arms of a questionnaire: which of them count, and each by itself beside the estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QWidget

from ppworkbench.analyses.survey.questions import Question, pools_arms
from ppworkbench.core.reconstruct.agreement import LIKELIHOOD, MEAN
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.controls import Switch
from ppworkbench.gui.widgets.layout import WrappingRow, named, row, text
from ppworkbench.study.study import Study


class ArmTicks(QWidget):
    """A tick for every arm, perhaps with the number of people in it; the last one stays."""

    chosen = Signal(object)
    """The names of the arms that count; none where all do, so that a new one counts as well."""

    def __init__(self, after: Sequence[QWidget] = ()) -> None:
        super().__init__()
        self.ticks: dict[str, QCheckBox] = {}
        self._after = after
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._row = WrappingRow(spacing=10, line_spacing=4)
        self.setLayout(self._row)
        self._offer(())

    def show_arms(
        self, names: Sequence[str], chosen: Sequence[str], people: Mapping[str, int]
    ) -> None:
        """Show which arms count; all where none is chosen."""
        if [*self.ticks] != [*names]:
            self._offer(names)
        shown = [name for name in names if not chosen or name in chosen]
        for name, tick in self.ticks.items():
            with QSignalBlocker(tick):
                tick.setChecked(name in shown)
            is_last = shown == [name]
            tick.setEnabled(not is_last)
            tick.setToolTip(tr("At least one arm must count.") if is_last else "")
        self.show_people(people)

    def show_people(self, people: Mapping[str, int]) -> None:
        """Say how many people are in the arms; nothing where that is not known yet."""
        for name, tick in self.ticks.items():
            words = f"{name}: {number(people[name])}" if name in people else name
            # Ampersands of names do not stand for keys.
            tick.setText(words.replace("&", "&&"))
            tick.setAccessibleName(tr("Arm %s") % words)

    def _offer(self, names: Sequence[str]) -> None:
        for widget in (*self.ticks.values(), *self._after):
            self._row.removeWidget(widget)
        for tick in self.ticks.values():
            tick.hide()
            tick.deleteLater()
        self.ticks = {name: named(QCheckBox(), f"arm-{name}") for name in names}
        for tick in self.ticks.values():
            tick.clicked.connect(self._on_ticked)
        for widget in (*self.ticks.values(), *self._after):
            self._row.addWidget(widget)

    def _on_ticked(self) -> None:
        chosen = tuple(name for name, tick in self.ticks.items() if tick.isChecked())
        self.chosen.emit(() if len(chosen) == len(self.ticks) else chosen)


class ArmBar(QWidget):
    """A tick for every arm, and switches that tell each of them by itself, or take their mean."""

    changed = Signal(dict)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.label = text(self.tr("Arms"), "label")
        self.chosen = named(ArmTicks(), "arms", self.tr("Arms"))
        self.chosen.chosen.connect(lambda arms: self.changed.emit({"arms": arms}))
        self.switch = named(Switch(themes, self.tr("By arm")), "byArm")
        self.switch.clicked.connect(lambda on: self.changed.emit({"by_arm": on}))
        self.switch_label = text(self.tr("By arm"), "label")
        self.mean = named(Switch(themes, self.tr("Mean of arms")), "meanOfArms")
        self.mean.setToolTip(
            self.tr("The mean of the arms' own estimates in place of one share for all of them")
        )
        self.mean.clicked.connect(
            lambda on: self.changed.emit({"pooling": MEAN if on else LIKELIHOOD})
        )
        self.mean_label = text(self.tr("Mean of arms"), "label")
        layout = row(
            self.label, self.chosen, self.mean_label, self.mean, self.switch_label, self.switch,
            parent=self,
        )  # fmt: skip
        layout.setStretch(1, 1)
        self.hide()

    def show_question(self, asked: Question, study: Study) -> None:
        names = study.design.versions.choices
        self.setVisible(bool(names))
        if not names:
            return
        chosen = asked.arms or names
        self.chosen.show_arms(names, chosen, {})
        why = ""
        if "by_arm" not in asked.kind.takes:
            why = self.tr("This statistic is not told arm by arm; choose one arm after another.")
        elif len(chosen) < 2:
            why = self.tr("One arm cannot be compared; choose another one as well.")
        with QSignalBlocker(self.switch):
            self.switch.setChecked(asked.by_arm and not why)
        self.switch.setEnabled(not why)
        self.switch.setToolTip(why or self.tr("Each arm by itself, and whether they agree"))
        with QSignalBlocker(self.mean):
            self.mean.setChecked(asked.pooling == MEAN)
        is_pooled = len(chosen) > 1 and pools_arms(asked, study.design)
        for widget in (self.mean, self.mean_label):
            widget.setVisible(is_pooled)
