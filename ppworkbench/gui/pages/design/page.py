"""The Design page: what, how, and so what, from left to right."""

from __future__ import annotations

import html
import re

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QToolTip, QWidget

from ppworkbench.core.design.matrices import NEARLY_SINGULAR
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.keys import add_key
from ppworkbench.gui.language import translate
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.design.attribute_list import AttributeList
from ppworkbench.gui.pages.design.goals import AdviceLine, GoalRow
from ppworkbench.gui.pages.design.matrix_editor import MatrixEditor
from ppworkbench.gui.pages.design.noise_editor import NoiseEditor
from ppworkbench.gui.pages.design.people import PeopleView
from ppworkbench.gui.pages.design.pins import PinControl
from ppworkbench.gui.pages.design.preview import Preview
from ppworkbench.gui.pages.design.question_strip import QuestionStrip
from ppworkbench.gui.pages.design.readouts import NonComplianceCard, QuestionnaireSummary, Readouts
from ppworkbench.gui.pages.design.texts import design_sentence
from ppworkbench.gui.pages.design.trade_off import TradeOffView
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.card import Card, EmptyState
from ppworkbench.gui.widgets.controls import IconButton, IconLabel, Segmented
from ppworkbench.gui.widgets.labels import Announcer, LiveLabel
from ppworkbench.gui.widgets.layout import (
    WrappingRow,
    are_moved,
    column,
    is_large_text,
    preferred_height,
    row,
    scrolled,
    splitter,
)
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.analyses.design import report_of, simulated_loss
from ppworkbench.study.analyses.people import has_people
from ppworkbench.study.study import Study


class DesignSummary(QWidget):
    """A tinted strip with the sentence and a copy button."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._themes = workbench.themes
        self._workbench = workbench
        self._words = LiveLabel(2)
        self.label = self._words.label
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy = IconButton(workbench.themes, "copy", self.tr("Copy sentence"), 16)
        self.copy.setObjectName("copyWords")
        self.copy.clicked.connect(self._on_copy)
        self.help = IconButton(workbench.themes, "question", self.tr("About this mechanism"), 16)
        self.help.setObjectName("mechanismHelp")
        self.caution = IconButton(workbench.themes, "warning", "", 18)
        self.caution.setObjectName("cautions")
        self.caution.clicked.connect(self._on_caution)
        self.caution.hide()
        self.caution.show_icon(workbench.themes, "warning", "warningText")
        icon = IconLabel(workbench.themes, "info", "accentInk", 18)
        layout = row(icon, self._words, self.caution, self.help, self.copy, parent=self, spacing=8)
        layout.setStretch(1, 1)
        layout.setContentsMargins(14, 6, 10, 6)
        self._spoken = Announcer(self, self._plain)
        self.setMinimumHeight(workbench.theme.px(48))
        self._themes.theme_changed.connect(self.update)

    def show_report(self, report: AttributeReport) -> None:
        """Say what the design of the attribute means."""
        sentence = design_sentence(report)
        self._words.set_text(f"<b>{self.tr('In words.')}</b> {sentence}")
        self.setAccessibleDescription(self._plain())
        self._spoken.changed()

    def show_cautions(self, sentences: tuple[str, ...]) -> None:
        """Offer what should be kept in mind behind a triangle."""
        self.caution.setVisible(bool(sentences))
        joined = "\n".join(sentences)
        self.caution.setToolTip(joined)
        self.caution.setAccessibleName(self.tr("Note: %s") % joined)

    def _on_caution(self) -> None:
        spot = self.caution.mapToGlobal(self.caution.rect().bottomLeft())
        QToolTip.showText(spot, self.caution.toolTip(), self.caution)

    def _plain(self) -> str:
        return html.unescape(re.sub(r"<[^>]*>", "", self.label.text()))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._plain())
        self._workbench.toast_requested.emit(self.tr("Sentence copied."), False)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the tint."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._themes.theme.colour("accentTint"))
        painter.drawRoundedRect(QRectF(self.rect()), 8, 8)


class ViewCard(Card):
    """One picture at a time of what the design means; the goals stand above all of them."""

    def __init__(
        self,
        workbench: Workbench,
        goal: GoalRow,
        trade: TradeOffView,
        people: PeopleView,
        preview: Preview,
        advice: AdviceLine,
    ) -> None:
        super().__init__(padding=10)
        self.tabs = Segmented(
            workbench.themes, self.tr("Design view"),
            [("trade", self.tr("Trade-off")), ("people", self.tr("100 people")),
             ("shares", self.tr("Shares"))],
        )  # fmt: skip
        self.tabs.setObjectName("designViews")
        self.tabs.chosen.connect(self._show)
        self._trade = trade
        self._views: dict[str, QWidget] = {"trade": trade, "people": people, "shares": preview}
        self._controls = {"trade": trade.measure_row, "people": people.draw_row}
        self.stack = QStackedWidget()
        for view in self._views.values():
            self.stack.addWidget(view)
        # Long words go to a second line before they widen the column.
        head = QWidget()
        head.setLayout(WrappingRow(self.tabs, *self._controls.values(), line_spacing=6))
        self.add(head)
        self.add(goal)
        self.add(self.stack, 1)
        self.add(advice)
        self._show("trade")

    def show_report(self, report: AttributeReport) -> None:
        """Leave a view that the attribute does not have."""
        reason = self.tr("A number has no categories to count people by.")
        self.tabs.set_disabled({} if has_people(report) else {"people": reason})
        if not has_people(report) and self.tabs.current == "people":
            self.choose("trade")

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Name the measure's list only where it stays in the line of the tabs."""
        super().resizeEvent(event)
        wide = (self.tabs, self._trade.measure_label, self._trade.measure)
        needed = sum(part.sizeHint().width() for part in wide) + 48
        self._trade.measure_label.setVisible(needed <= self.width())

    def reveal(self, part: QWidget) -> None:
        """Show the view that holds a widget."""
        for key, view in self._views.items():
            if view is part or view.isAncestorOf(part):
                self.tabs.choose(key)

    def choose(self, key: str) -> None:
        """Show one of the views."""
        self.tabs.set_current(key)
        self._show(key)

    def _show(self, key: str) -> None:
        vertical = QSizePolicy.Policy
        for name, view in self._views.items():
            # A stack asks for the height of its highest view, in front or not.
            down = vertical.Expanding if name == key else vertical.Ignored
            view.setSizePolicy(vertical.Preferred, down)
        self.stack.setCurrentWidget(self._views[key])
        for name, control in self._controls.items():
            control.setVisible(name == key)


class PanelTabs(Card):
    """Holds what has no room beside the picture, one part at a time."""

    def __init__(self, workbench: Workbench, *parts: QWidget) -> None:
        super().__init__(padding=8)
        self._parts = dict(zip(("editor", "readouts", "noncompliance"), parts, strict=True))
        self.is_open = False
        self.tabs = Segmented(
            workbench.themes, self.tr("Parts of the design"),
            [("editor", self.tr("Randomisation")),
             ("readouts", self.tr("Privacy and accuracy")),
             ("noncompliance", self.tr("Non-compliance"))],
        )  # fmt: skip
        self.tabs.setObjectName("designPanels")
        self.tabs.chosen.connect(self._show)
        self.body.addLayout(row(self.tabs, None))
        self.hide()

    def take(self) -> None:
        """Hold the parts and show one of them."""
        self.is_open = True
        for part in self._parts.values():
            self.body.addWidget(part)
        self._show(self.tabs.current)
        self.show()

    def release(self) -> None:
        """Let somebody else have the parts."""
        self.is_open = False
        for part in self._parts.values():
            self.body.removeWidget(part)
        self.hide()

    def reveal(self, part: QWidget) -> None:
        """Show the part that holds a widget."""
        for key, one in self._parts.items():
            if self.is_open and (one is part or one.isAncestorOf(part)):
                self.tabs.choose(key)

    def _show(self, key: str) -> None:
        for name, part in self._parts.items():
            part.setVisible(name == key)


LIST, LIST_ROOMY = 212, 264
NARROW = 1280
"""Below this width of the window there is one column beside the list, and tabs below it."""
FOLDED = 1120
"""Below this width of the window the list of attributes is folded to icons."""
ROOMY = 1600
"""From this width of the window on, cells are larger and an answer's journey is shown."""


class DesignPage(Page):
    """Reads the study whenever it changes; keeps no copy of it."""

    name = "design"

    def __init__(self, workbench: Workbench, files: FileActions | None = None) -> None:
        super().__init__(workbench)
        self.files = files
        self.title = self.tr("Design")
        self.question = self.tr("Choose a mechanism for each attribute")
        self.report: AttributeReport | None = None
        self._weighed: tuple[Study, str, AttributeReport] | None = None
        """A report that is shown in the next event, and what it is about."""
        self._make_actions()
        self._make_parts()

    def _make_parts(self) -> None:
        self._edited: tuple[QWidget, str] | None = None
        self._give_height = single_shot(self, self._give_editor_height)
        self._build()
        self._weighing = single_shot(self, self._weigh)
        self._due = single_shot(self, self._catch_up)
        self._check: PageTask[float] = PageTask(self.workbench, "check", self, quiet=True)
        self._check.finished.connect(self.readouts.show_simulation)
        self._later = single_shot(self, self.summary.refresh, 120)
        self._later.timeout.connect(self._check_by_simulation)
        self._is_opening = False
        self.store.study_opened.connect(self._on_opened)
        self.store.data_changed.connect(self._on_study_changed)
        self.store.settings_changed.connect(self._on_study_changed)
        self.store.selection_changed.connect(self._on_selection_changed)
        self.store.design_changed.connect(self._on_design_changed)
        self._fit()
        self._fit_editor()
        self.refresh()

    def _make_actions(self) -> None:
        self.name_primary(
            "tryOut", self.tr("Go to Explore"), "arrow-right",
            lambda: self.workbench.page_requested.emit("explore"),
        )  # fmt: skip
        self.pins = PinControl(self.workbench, self)
        self.secondary = [self.pins.action]
        add_key(self, "Ctrl+L", self.tr("Switch loop effect"), self._on_loop)
        add_key(self, "Ctrl+Shift+R", self.tr("Draw the 100 people again"), self._on_redraw)
        add_key(self, "Ctrl+F", self.tr("Filter attributes"), self._on_filter)
        add_key(self, "Alt+Up", self.tr("Previous attribute"), lambda: self._step(-1))
        add_key(self, "Alt+Down", self.tr("Next attribute"), lambda: self._step(1))

    def _build(self) -> None:
        workbench = self.workbench
        self.list = AttributeList(workbench)
        self.goal = GoalRow(workbench)
        self.summary = QuestionnaireSummary(workbench, self.goal)
        self.summary.assessed.connect(self.list.model.show_badges)
        self.summary.judged.connect(self.list.model.show_lights)
        measures = IconButton(workbench.themes, "data", self.tr("All measures"), 18)
        measures.setObjectName("allMeasuresFolded")
        measures.clicked.connect(self.summary.all.click)
        self.list.set_foot(self.summary, measures)
        self.strip = QuestionStrip(workbench)
        self.words = DesignSummary(workbench)
        self.banner = Banner(workbench.themes)
        self.matrix = MatrixEditor(workbench)
        self.noise = NoiseEditor(workbench)
        self.editor = QStackedWidget()
        self.editor.addWidget(self.matrix)
        self.editor.addWidget(self.noise)
        self.words.help.clicked.connect(self._on_help)
        self.preview = Preview(workbench)
        self.advice = AdviceLine(workbench)
        self.trade = TradeOffView(workbench, self.pins.board, self.goal, self.advice)
        self.people = PeopleView(workbench, self.goal)
        self.views_card = ViewCard(
            workbench, self.goal, self.trade, self.people, self.preview, self.advice
        )
        self.readouts = Readouts(workbench, self.pins.bar, self.goal)
        self.pins.tell(self.readouts.compare_with, lambda: self.goal.target)
        self.goal.changed.connect(self.pins.refresh)
        self.noncompliance = NonComplianceCard(workbench)
        self._arrange()

    def _on_help(self) -> None:
        editor = self.editor.currentWidget()
        if isinstance(editor, MatrixEditor | NoiseEditor):
            editor.ask_for_help()

    def _arrange(self) -> None:
        """Put what was made into its columns."""
        centre, right = QWidget(), QWidget()
        self.panels = PanelTabs(self.workbench, self.editor, self.readouts, self.noncompliance)
        self.panels.tabs.chosen.connect(lambda _: self._give_height.start())
        self._centre = column(
            self.views_card, self.noncompliance, self.panels, parent=centre, spacing=8
        )
        self._centre.setStretch(0, 1)
        self._right = column(self.editor, self.readouts, None, parent=right, spacing=8)
        self._right.setStretch(0, 1)
        self.matrix.section.toggled.connect(lambda _: self._fit_editor())
        columns = splitter(
            Qt.Orientation.Horizontal, "designColumns", scrolled(centre), scrolled(right)
        )
        columns.setSizes([530, 504])
        columns.setStretchFactor(0, 1)
        columns.setStretchFactor(1, 1)
        self.columns = columns
        work = QWidget()
        main = column(self.strip, self.words, self.banner, columns, parent=work, spacing=8)
        main.setStretch(3, 1)
        self.split = splitter(Qt.Orientation.Horizontal, "", self.list, work)
        self.split.setStretchFactor(1, 1)
        self.list.keep_at_least(148)
        self.list.folded.connect(self._on_folded)
        self._list_width = LIST
        self.split.setSizes([LIST, 1046])
        self.empty = EmptyState(
            self.themes, "design", self.tr("No attributes yet"),
            self.tr("Open a table or a sample, or list the questions of a new questionnaire."),
            self.tr("Go to Start"),
        )  # fmt: skip
        self.empty.button.clicked.connect(lambda: self.workbench.page_requested.emit("start"))
        self.views = QStackedWidget()
        self.views.addWidget(self.split)
        self.views.addWidget(self.empty)
        column(self.views, parent=self).setContentsMargins(16, 4, 16, 12)

    # Showing the study

    @property
    def asides(self) -> tuple[QWidget, ...]:
        """Parts that an audience does without."""
        return (self.list, self.noncompliance)

    def shown(self) -> None:
        """Bring everything up to date, in events of its own: all at a stroke would be felt."""
        super().shown()
        # It is not drawn as it was before.
        self.setUpdatesEnabled(False)
        self._weighing.start()

    @property
    def is_due(self) -> bool:
        """Whether the page is about to be brought up to date."""
        return self._weighing.isActive() or self._due.isActive()

    def _weigh(self) -> None:
        """Work out what is shown in a moment, which takes long with hundreds of values."""
        study, name = self.store.study, self.store.current
        if not self.is_behind and name is not None and name in study.design:
            self._weighed = study, name, report_of(study, name)
        self._due.start()

    def _catch_up(self) -> None:
        self.setUpdatesEnabled(True)
        self.refresh()
        self._weighed = None

    def refresh(self) -> None:
        """Show the current attribute as the study has it."""
        if self.is_behind:
            return
        design = self.store.study.design
        names = design.names
        self.views.setCurrentWidget(self.split if names else self.empty)
        if not names:
            return
        if self.store.current not in names:
            self.store.select([names[0]])
            return
        self._show_current()
        self._later.start()

    def _on_opened(self) -> None:
        self._is_opening = True

    def _on_selection_changed(self) -> None:
        # It is the last that is told of another study, which is enough work for one event.
        if self._is_opening:
            self._is_opening = False
            self._weighing.start()
        else:
            self.refresh()

    def _on_study_changed(self) -> None:
        if not self._is_opening:
            self.refresh()

    def _on_design_changed(self, name: str) -> None:
        if not self.isVisible() or self._is_opening:
            return
        if not name or name in self.store.selected:
            self.refresh()
        else:
            self._later.start()

    def _show_current(self) -> None:
        name = self.store.current
        assert name is not None  # noqa: S101 (chosen by refresh)
        study = self.store.study
        numeric = study.design[name].attribute.kind.is_numeric
        editor: MatrixEditor | NoiseEditor = self.noise if numeric else self.matrix
        edited = editor, study.design.perturbation(name).type_name
        if edited != self._edited:
            self._edited = edited
            self.editor.setCurrentWidget(editor)
            self._fit_editor()
        self.report = report = self._known_report() or report_of(study, name)
        editor.refresh()
        self.strip.show_report(report)
        self.words.show_report(report)
        self.preview.show_report(report)
        self.readouts.show_report(report)
        self.views_card.show_report(report)
        self.trade.show_report(report)
        self.people.show_report(report)
        self.pins.show_report(report)
        self.noncompliance.show_report(report)
        self._warn(report)

    def _fit_editor(self) -> None:
        """Take the height of the editor in front, and the rest only where a matrix can use it."""
        current, vertical = self.editor.currentWidget(), QSizePolicy.Policy
        # In a tab below the picture there is always room: the column is scrolled.
        usual = vertical.Minimum if self.panels.is_open else vertical.Preferred
        for one in (self.matrix, self.noise):
            one.setSizePolicy(vertical.Preferred, usual if one is current else vertical.Ignored)
        is_folded = current is self.matrix and not self.matrix.section.is_open
        down = vertical.Maximum if is_folded else usual
        self.editor.setSizePolicy(vertical.Preferred, down)
        self.editor.updateGeometry()
        self._give_height.start()

    def _give_editor_height(self) -> None:
        """Let no curve be squeezed in the tab; a stack does not ask for what its front needs."""
        for part in (self.editor, self.panels, self.views_card):
            # What was given to another tab or mechanism would be measured as still needed.
            part.setMinimumHeight(0)
            if self.panels.is_open:
                # With words that wrap inside, a column gives this height but does not ask for it.
                part.setMinimumHeight(preferred_height(part, part.width()))

    def _known_report(self) -> AttributeReport | None:
        """What was weighed, if nothing has changed since."""
        study, name, report = self._weighed or (None, None, None)
        return report if study is self.store.study and name == self.store.current else None

    def _check_by_simulation(self) -> None:
        """Check the closed form by 200 simulated surveys on counts."""
        report = self.report
        if report is None or report.matrix is None or report.noncompliance is not None:
            self.readouts.show_simulation(None)
            return
        name = self.tr("Checking by simulation")
        self._check.start(name, lambda progress: simulated_loss(report, progress))

    def _warn(self, report: AttributeReport) -> None:
        hopeless = report.utility.condition > NEARLY_SINGULAR and report.matrix is not None
        if hopeless and report.warnings:
            self.banner.say("warning", "", translate(report.warnings[0]), closable=False)
        else:
            self.banner.hide()
        self.words.show_cautions(
            () if hopeless else tuple(translate(warning) for warning in report.warnings)
        )

    # Room and keys

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Use the room of a wide window."""
        super().resizeEvent(event)
        self._fit()

    def _set_narrow(self, narrow: bool) -> None:
        """Put what stands beside the picture into tabs below it, or back."""
        if narrow == self.panels.is_open:
            return
        if narrow:
            self.panels.take()
        else:
            self.panels.release()
            self._centre.insertWidget(1, self.noncompliance)
            self._right.insertWidget(0, self.editor, 1)
            self._right.insertWidget(1, self.readouts)
            # Whoever gets another parent is hidden by Qt.
            for part in (self.noncompliance, self.editor, self.readouts):
                part.show()
        self.trade.set_narrow(narrow)
        self.columns.widget(1).setVisible(not narrow)
        self._fit_editor()

    def _fit(self) -> None:
        width = self.window().width()
        self.list.set_narrow(width < FOLDED and not is_large_text(self))
        self._set_narrow(width < NARROW)
        self.matrix.set_roomy(width >= ROOMY)
        self._fit_list(LIST_ROOMY if width >= ROOMY else LIST)
        if self.themes.theme.projected:
            # Else the editor would get no more than it needs, and the readouts all the rest.
            self.columns.setSizes([1_026, 974])

    def _on_folded(self) -> None:
        """Give what the list leaves to the rest of the page."""
        width = self.list.maximumWidth() if self.list.is_narrow else self._list_width
        self.split.setSizes([width, max(self.width() - width, 1)])

    def _fit_list(self, width: int) -> None:
        """Give long names more room in a wide window, unless somebody moved the columns."""
        if self.list.is_narrow:
            self._list_width = width
        elif width != self._list_width and not are_moved(self.split):
            self._list_width = width
            self.split.setSizes([width, max(self.width() - width, 1)])

    # Actions

    def _on_redraw(self) -> None:
        if self.people.isVisible():
            self.people.redraw()

    def _on_filter(self) -> None:
        self.list.search_button.toggle()

    def _on_loop(self) -> None:
        name = self.store.current
        if name is None:
            return
        perturbation = self.store.study.design[name].perturbation
        turned = perturbation.turn_loop()
        if turned is not None:
            self.store.set_perturbation([name], turned)
            said = self.tr("Loop effect switched on.") if turned.end_weights() is None else self.tr(
                "Loop effect switched off."
            )  # fmt: skip
            self.workbench.toast_requested.emit(said, True)

    def _step(self, step: int) -> None:
        names = self.store.study.design.names
        if self.store.current in names:
            place = names.index(self.store.current) + step
            self.store.select([names[min(max(place, 0), len(names) - 1)]])
