"""Brings what the study and the work say onto the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from ppworkbench.core.progress import Progress
from ppworkbench.gui.language.text import told
from ppworkbench.gui.pages.publish.curves import is_curve, levels_of
from ppworkbench.gui.pages.publish.distortion_preview import before_and_after
from ppworkbench.gui.pages.publish.plan import DENIABLE, DISTORTED, PAGE, sensitive_names
from ppworkbench.gui.pages.publish.publisher import same_groups
from ppworkbench.gui.pages.publish.sentences import (
    accuracy_words,
    answers_summary,
    changed_words,
    promise,
)
from ppworkbench.gui.plots.histogram import Histogram, Shares
from ppworkbench.gui.words import number
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.deniable import NAMELESS as DENIABLE_NAMELESS
from ppworkbench.study.deniable import DenialPlan, deniable_points
from ppworkbench.study.release_checks import NAMELESS, Point, release_points, undistorted

if TYPE_CHECKING:
    from ppworkbench.gui.pages.publish.page import PublishPage


class Showing(QObject):
    """Reads the study, the plan and the publisher; keeps nothing of its own."""

    def __init__(self, page: PublishPage) -> None:
        super().__init__(page)
        self._page = page

    def show_settings(self) -> None:
        """The left column, and which cards are seen."""
        page, study = self._page, self._page.store.study
        plan = page.plan
        reasons = {}
        if study.original is None:
            reasons[DENIABLE] = self.tr("A deniable table is made of original answers; this study "
                                        "has only distorted ones.")  # fmt: skip
        elif plan.denial is None:
            reasons[DENIABLE] = self.tr("No attribute has values that could be denied.")
        page.settings_card.show_mode(plan.mode, reasons)
        page.middle.setCurrentIndex(0 if plan.mode == DENIABLE else 1)
        if plan.mode == DENIABLE and plan.denial is not None and study.original is not None:
            self._show_denial(plan.denial)
        else:
            self._show_distorted_settings()
        self.show_parts()

    def _show_denial(self, plan: DenialPlan) -> None:
        page = self._page
        table, card = page.store.study.original, page.settings_card
        assert table is not None  # noqa: S101 (seen by the caller)
        names = sensitive_names(table)
        card.sensitive.offer(
            [(n, table[n].attribute.kind.value, table[n].attribute.label) for n in names],
            plan.sensitive,
        )
        card.answers.setText(answers_summary(table, plan.sensitive))
        column = table[plan.sensitive]
        card.show_plan(plan, column.attribute.k + (column.missing_count > 0))
        others = [(c.name, c.attribute.label) for c in table if c.name != plan.sensitive]
        card.splits.show_features(others, plan.excluded)
        if not page.publisher.refusal:
            card.words.say(promise(plan, table))
        page.accuracy.plot.set_cursor(100 * plan.options.min_deniability)

    def _show_distorted_settings(self) -> None:
        page, study = self._page, self._page.store.study
        count = len(study.design.names)
        bare = undistorted(study.design)
        if study.original is None:
            words = self.tr("The answers came distorted. They are released with their design, "
                            "their rows in a new random order.")  # fmt: skip
        else:
            words = self.tr("%s of %s attributes are distorted, anew for the release. A recipient "
                            "who has the design can estimate the true shares.")  # fmt: skip
            words %= (number(count - len(bare)), number(count))
        page.settings_card.distorted_words.setText(words)
        page.distorted.show_design(study.design, self._compared(), "")

    def _compared(self) -> str | None:
        page = self._page
        names = page.store.study.design.names
        if page.store.current in names:
            return page.store.current
        return names[0] if names else None

    def show_parts(self) -> None:
        """The right column without the checklist."""
        page, study = self._page, self._page.store.study
        options = page.bundle.options
        name = f"{file_stem(study.title)}{options.format}"
        if page.plan.mode == DISTORTED:
            described = self.tr("Codebook and design"), self.tr("all a recipient needs to estimate")
        else:
            described = self.tr("Codebook"), self.tr("kinds, values and questions of the columns")
        page.bundle.show_parts(name, *described)
        empty = not study.design.attributes
        page.bundle.show_questionnaire(self.tr("There is no design to ask by.") if empty else "")

    # Groups

    def show_groups(self) -> None:
        """Tree, prediction and bars of the groups."""
        page, groups = self._page, self._page.publisher.groups
        if groups is None or page.plan.denial is None:
            return
        minimum = groups.plan.options.min_deniability
        count = len(groups.tree.leaves)
        hint = self.tr("1 group") if count == 1 else self.tr("%s groups") % number(count)
        page.tree.show_tree(groups.tree, minimum, hint)
        original = page.store.study.original
        if original is not None:
            page.settings_card.words.say(promise(groups.plan, original))
        self.show_prediction()
        names = {"original": self.tr("original"), "distorted": self.tr("published", "answers")}
        series = (Shares("original", groups.before), Shares("distorted", groups.after))
        bars = Histogram(series, groups.tree.outcomes, names=names)
        words = changed_words(groups.changed, groups.table.rows)
        page.before_after.show_histogram(bars, "", words)
        page.before_after.setToolTip(
            self.tr("A trial with the study's seed; the release is drawn anew.")
        )

    def show_prediction(self) -> None:
        """The predicted accuracy."""
        groups = self._page.publisher.groups
        if groups is not None:
            self._page.settings_card.show_prediction(
                groups.predicted, accuracy_words(groups.predicted), is_final=groups.is_final
            )

    def show_refusal(self, sentence: str) -> None:
        """Say beside the slider why there are no groups."""
        page = self._page
        page.settings_card.words.say(told(sentence), warns=True)
        page.settings_card.show_prediction(None, "", is_final=True)
        advice = self.tr("Lower the minimum deniability, or choose another attribute.")
        page.tree.show_empty(self.tr("No groups can be made."), advice)
        page.before_after.show_nothing(self.tr("Nothing is published like this."))
        self.show_points()

    def show_points(self) -> None:
        """The checklist of what would be released now."""
        page, study = self._page, self._page.store.study
        if page.plan.mode == DISTORTED:
            if study.design.attributes:
                points = list(release_points(study.design, study.original))
                page.bundle.show_points(points, told(NAMELESS))
            return
        groups = page.publisher.groups
        if groups is None:
            nothing = Point(False, self.tr("Nothing can be released like this"))
            points = [nothing] if page.publisher.refusal else []
        else:
            points = list(deniable_points(groups.tree, groups.table, groups.plan))
        page.bundle.show_points(points, told(DENIABLE_NAMELESS))

    # Accuracies

    def show_curve(self) -> None:
        """The accuracies found so far, or kept with the study, or an invitation."""
        page, publisher = self._page, self._page.publisher
        plan, running = page.plan.denial, publisher.is_measuring
        if plan is None:
            return
        found, stale = None, False
        if publisher.tally is not None:
            found = publisher.tally.to_json()
            stale = not same_groups(publisher.measured_plan, plan)
        else:
            kept = page.store.study.results.get(PAGE)
            curve = kept.get("curve") if isinstance(kept, dict) else None
            if isinstance(curve, dict) and is_curve(curve.get("accuracies")):
                found = curve["accuracies"]
                stale = not same_groups(DenialPlan.from_json(curve.get("plan")), plan)
        if found is None or not is_curve(found):
            words = self.tr("Publishes trial tables over minimum deniabilities from 1 to 60 %, "
                            "trains classifiers on them and tests these on the truth.")  # fmt: skip
            if running:
                words = self.tr("Measuring; the first results come soon.")
            page.accuracy.invite(words, told(publisher.refusal), running=running)
            return
        badge = self.tr("partial result") if running else ""
        if stale:
            badge = self.tr("other settings")
        elif publisher.tally is not None and not running and not _is_whole(publisher.tally):
            badge = self.tr("partial result")
        levels = levels_of(found, self._majority(plan), stale=stale)
        page.accuracy.show_levels(levels, badge, running=running)

    def _majority(self, plan: DenialPlan) -> float | None:
        groups = self._page.publisher.groups
        if groups is None or groups.plan.sensitive != plan.sensitive:
            return None
        return float(groups.before.max())

    # Distorted answers

    def compare(self) -> None:
        """Ask for the distorted answers of the current attribute."""
        page, study, name = self._page, self._page.store.study, self._compared()
        if name is None or study.table is None:
            page.distorted_bars.show_nothing(self.tr("There are no answers to compare."))
            return
        names = {"original": self.tr("original"), "distorted": self.tr("distorted")}

        def work(progress: Progress) -> tuple[str, Histogram]:
            answers = page.workbench.answers.of(study, progress)
            if name not in answers.distorted:
                return name, Histogram()
            return name, before_and_after(answers, name, names)

        page.workbench.run(
            self.tr("Distorting"), work, self._on_compared, key="publish compare", quiet=True
        )

    def _on_compared(self, found: tuple[str, Histogram]) -> None:
        name, histogram = found
        page = self._page
        if name != self._compared() or page.plan.mode != DISTORTED:
            return
        if not histogram.series:
            page.distorted_bars.show_nothing(self.tr("There are no answers to compare."))
            return
        words = self.tr("A trial with the study's seed; the release is drawn anew.")
        if page.store.study.original is None:
            words = self.tr("The true answers are not known here; Explore estimates their shares.")
        page.distorted_bars.show_histogram(histogram, name, words)


def _is_whole(tally: object) -> bool:
    return bool(tally.done >= tally.wanted)  # type: ignore[attr-defined]
