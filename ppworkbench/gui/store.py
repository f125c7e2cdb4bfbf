"""The one place that holds the study: pages read it, change it through methods, and listen."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Perturbation
from ppworkbench.study.answer_state import RESPONSES, AnswerState, without_findings
from ppworkbench.study.files.study_file import FileVersion
from ppworkbench.study.renaming import (
    Renamed,
    renamed_results,
    results_restored,
    results_without,
    retyped,
)
from ppworkbench.study.study import PriorChoice, Say, Study, StudySettings


def _following_responses(results: Mapping[str, object], study: Study) -> Mapping[str, object]:
    """Results with the ids of the responses that a state of the study has.

    They are part of the history: who takes responses back can add them again.
    """
    if results.get(RESPONSES) == study.results.get(RESPONSES):
        return results
    others = {page: kept for page, kept in results.items() if page != RESPONSES}
    held = study.results.get(RESPONSES)
    return MappingProxyType(others if held is None else {**others, RESPONSES: held})


class ReplaceStudy(QUndoCommand):
    """One step from a state of the study to the next.

    ``gesture`` names the drag it belongs to, ``renamed`` the attribute that it calls something
    else.
    """

    def __init__(
        self,
        store: Store,
        after: Study,
        text: str,
        gesture: str | None,
        renamed: Renamed | None = None,
    ) -> None:
        super().__init__(text)
        self._store = store
        self._before = store.study
        self._after = after
        self.gesture = gesture
        self._renamed = renamed
        self._kept: tuple[Mapping[str, object], Mapping[str, object]] | None = None
        """What pages kept before and after, if the step takes questions away."""

    def go_on_to(self, after: Study) -> None:
        """Let the same step end at a later state, as the next move of a drag does.

        Qt could merge commands itself, but PySide never frees those that were merged.
        """
        self._after = after
        self._store.show(after)

    def redo(self) -> None:
        before = self._store.study.results
        self._store.show(self._after, self._renamed)
        gone = set(self._before.design.names) - set(self._after.design.names)
        if gone and self._renamed is None:
            after = results_without(before, gone)
            self._kept = None if after is before else (before, after)

    def undo(self) -> None:
        self._store.show(self._before, self._renamed and self._renamed[::-1], self._kept)


_MANY = 50
_STEPS = 500
"""How many steps can be undone: every one holds a study, and a day of typing has thousands."""


class Store(QObject):
    """The study with its history, the selection and the file it lives in.

    A setter ignores an equal value, else pushes one undo step. ``gesture`` names a drag: all
    steps of one gesture are one undo step; take a fresh name from :meth:`new_gesture`.
    """

    study_opened = Signal()
    """Another document is shown; everything may differ."""
    data_changed = Signal()
    """Answers or their typing changed."""
    design_changed = Signal(str)
    """An attribute is distorted or expected differently; empty for all of them."""
    settings_changed = Signal()
    goals_changed = Signal()
    """What is wanted of the questions, or of the plan of the survey."""
    results_changed = Signal(str)
    """A page keeps other results; empty for all pages."""
    questionnaire_changed = Signal()
    """What people are asked, or in which words."""
    selection_changed = Signal()
    file_changed = Signal()
    """The path or whether there are unsaved changes."""
    lock_changed = Signal()
    """The design can be changed again, or no longer."""
    design_refused = Signal(str)
    """Somebody wanted another design although it is locked: why."""

    _gestures = itertools.count(1)

    def __init__(self, parent: QObject | None = None, say: Say = str) -> None:
        super().__init__(parent)
        self._say = say
        self._study = Study(say=say)
        self._selected: tuple[str, ...] = ()
        self._path: Path | None = None
        self._version: FileVersion | None = None
        self._saved_results = self._study.results
        self._document = object()
        self._lock = ""
        self._is_unlocked = False
        self.undo_stack = QUndoStack(self)
        self.undo_stack.setUndoLimit(_STEPS)
        self.undo_stack.cleanChanged.connect(self.file_changed)

    @property
    def study(self) -> Study:
        return self._study

    @property
    def path(self) -> Path | None:
        return self._path

    @property
    def version(self) -> FileVersion | None:
        """The version of that file that was read or written here, if it is known."""
        return self._version

    @property
    def is_modified(self) -> bool:
        return not self.undo_stack.isClean() or self._study.results is not self._saved_results

    def is_saved_with(self, name: str) -> bool:
        """Whether the file of the study has these results of a page as they are now."""
        kept = self._saved_results.get(name)
        return self._path is not None and kept == self._study.results.get(name)

    @property
    def document(self) -> object:
        """Another object for every document that is opened; equal to itself only."""
        return self._document

    @property
    def selected(self) -> tuple[str, ...]:
        """The selected attributes, the current one first."""
        return self._selected

    @property
    def current(self) -> str | None:
        """The attribute that editors show."""
        return self._selected[0] if self._selected else None

    @classmethod
    def new_gesture(cls, what: str) -> str:
        return f"{what} {next(cls._gestures)}"

    def open(
        self,
        study: Study,
        path: Path | None = None,
        *,
        unsaved: bool = False,
        version: FileVersion | None = None,
    ) -> None:
        """Show another document and forget the history of the last one.

        ``unsaved`` marks work that would be lost, although nothing was changed here yet.
        """
        self._document = object()
        study = study if study.say is self._say else study.with_(say=self._say)
        self._study = study
        self._is_unlocked = False
        self._path, self._version = path, version
        self._saved_results = study.results
        names = [a.name for a in study.attributes]
        self._selected = (names[0],) if names else ()
        self.undo_stack.clear()
        if unsaved:
            self.undo_stack.resetClean()
        self.study_opened.emit()
        self.data_changed.emit()
        self.design_changed.emit("")
        self.settings_changed.emit()
        self.goals_changed.emit()
        self.results_changed.emit("")
        self.questionnaire_changed.emit()
        self.selection_changed.emit()
        self.file_changed.emit()

    def mark_saved(self, path: Path, saved: Study, version: FileVersion | None = None) -> None:
        """Remember that a state of this document lies in a file, and call it by the file's name.

        Changes that were made while it was written stay unsaved.
        """
        if self._study is saved:
            self.undo_stack.setClean()
        self._saved_results = saved.results
        self._path, self._version = path, version
        self._study = self._study.with_(title=path.stem)
        self.file_changed.emit()

    def forget_changes(self) -> None:
        """Let nobody be asked about unsaved changes."""
        self._saved_results = self._study.results
        self.undo_stack.setClean()
        self.file_changed.emit()

    def select(self, names: Iterable[str]) -> None:
        """Select attributes, the current one first."""
        known = {a.name for a in self._study.attributes}
        chosen = tuple(name for name in dict.fromkeys(names) if name in known)
        if chosen != self._selected:
            self._selected = chosen
            self.selection_changed.emit()

    @property
    def design_lock(self) -> str:
        """Why the design cannot be changed now; empty if it can.

        It is locked while answers are collected for it, and as long as the study holds reported
        answers, unless somebody has unlocked it.
        """
        if self._lock or not self.is_held or self._is_unlocked:
            return self._lock
        return self.tr(
            "The reported answers of this study were randomised by this design, so it is locked."
        )

    def lock_of(self, name: str) -> str:
        """Why the device of a question cannot be changed; one that nobody has answered is free."""
        from ppworkbench.study.questionnaire.design_changes import is_answered

        is_free = not self._lock and self.is_held and not is_answered(self._study, name)
        return "" if is_free else self.design_lock

    @property
    def is_collected(self) -> bool:
        return bool(self._lock)

    @property
    def is_held(self) -> bool:
        """Whether the study holds answers that its design has randomised."""
        return self._study.state is AnswerState.REPORTED

    @property
    def is_unlocked(self) -> bool:
        return self.is_held and self._is_unlocked

    def unlock_held(self, is_unlocked: bool) -> None:
        """Allow other designs under reported answers, or refuse them again."""
        if is_unlocked != self._is_unlocked:
            self._is_unlocked = is_unlocked
            self.lock_changed.emit()

    def lock_design(self, why: str) -> None:
        """Refuse other designs while answers are collected; an empty reason ends that.

        The history goes when the lock comes: undoing would change the design as well.
        """
        if why == self._lock:
            return
        is_new, self._lock = not self._lock, why
        if is_new and self.undo_stack.count():
            was_clean = self.undo_stack.isClean()
            self.undo_stack.clear()
            if not was_clean:
                self.undo_stack.resetClean()
        self.lock_changed.emit()

    def _is_refused(self, study: Study, renamed: Renamed | None) -> bool:
        """Whether a state has another design although it is locked; what is seen is then reset."""
        why = self.design_lock
        if not why or study.design is self._study.design:
            return False
        # It brings libraries of tables, for which the window need not wait when it opens.
        from ppworkbench.core.design.design_file import design_digest
        from ppworkbench.fieldwork.responses.held import is_randomised_otherwise

        if self._lock:
            is_other = design_digest(study.design) != design_digest(self._study.design)
        else:
            is_other = is_randomised_otherwise(self._study, study, renamed)
        if not is_other:
            return False
        self.design_refused.emit(why)
        self.design_changed.emit("")
        return True

    def apply(
        self,
        study: Study,
        text: str,
        gesture: str | None = None,
        renamed: Renamed | None = None,
    ) -> None:
        """Replace the study by a new state, as one undo step or as part of a gesture.

        ``renamed`` tells which attribute is called something else in that state.
        """
        if self._is_refused(study, renamed):
            return
        step = self._open_step()
        if gesture is not None and step is not None and step.gesture == gesture:
            step.go_on_to(study)
        else:
            self.undo_stack.push(ReplaceStudy(self, study, text, gesture, renamed))

    def _open_step(self) -> ReplaceStudy | None:
        """The last step, if it can go on: nothing was undone and its end is not the saved state."""
        stack = self.undo_stack
        if stack.isClean() or not stack.count() or stack.index() < stack.count():
            return None
        last = stack.command(stack.count() - 1)
        return last if isinstance(last, ReplaceStudy) else None

    def set_perturbation(
        self, names: Iterable[str], perturbation: Perturbation, gesture: str | None = None
    ) -> None:
        self.set_perturbations(dict.fromkeys(names, perturbation), gesture)

    def set_perturbations(
        self, changes: Mapping[str, Perturbation], gesture: str | None = None
    ) -> None:
        """Distort each of some attributes in its own new way."""
        design = self._study.design
        # A column that tells how people were drawn is not distorted.
        kept = design.roles
        real = {n: p for n, p in changes.items() if design[n].perturbation != p and n not in kept}
        if real:
            if len(real) == 1:
                text = self.tr("Change the mechanism of %s") % self._study.shown(next(iter(real)))
            else:
                text = self.tr("Change the mechanisms of %s attributes") % len(real)
            self.apply(self._study.with_perturbations(real), text, gesture)

    def set_table(self, table: Table, text: str, renamed: Renamed | None = None) -> None:
        """Replace the original answers by another typing of them, perhaps one that renames."""
        if table is not self._study.original:
            self.apply(retyped(self._study, table, renamed), text, renamed=renamed)

    def set_choice(self, name: str, choice: PriorChoice, gesture: str | None = None) -> None:
        if self._study.choices.get(name, PriorChoice()) != choice:
            text = self.tr("Change the expected answers of %s") % self._study.shown(name)
            self.apply(self._study.with_choice(name, choice), text, gesture)

    def set_settings(self, gesture: str | None = None, **changes: object) -> None:
        settings: StudySettings = dataclasses.replace(self._study.settings, **changes)  # type: ignore[arg-type]
        if settings != self._study.settings:
            text = self.tr("Change the settings")
            self.apply(self._study.with_(settings=settings), text, gesture)

    def set_goals(self, goals: Mapping[str, float], gesture: str | None = None) -> None:
        if dict(goals) != dict(self._study.goals):
            kept = MappingProxyType(dict(goals))
            self.apply(self._study.with_(goals=kept), self.tr("Change the goals"), gesture)

    def set_results(self, name: str, value: object) -> None:
        """Keep results of one page: plain JSON values, not changed afterwards; None removes them.

        Results are no part of the history: undoing a change of the design leaves them alone.
        """
        if self._study.results.get(name) != value:
            self._study = self._study.with_results(name, value)
            self.results_changed.emit(name)
            self.file_changed.emit()

    def show(
        self,
        study: Study,
        renamed: Renamed | None = None,
        kept: tuple[Mapping[str, object], Mapping[str, object]] | None = None,
    ) -> None:
        """Take over a state and say what differs; only undo commands call this.

        ``kept`` are the results before and after a step that is taken back, where it took some.
        """
        now = self._study
        results = self._following_results(study, renamed)
        if kept is not None:
            results = results_restored(results, *kept)
        if study.title != now.title or study.results is not results:
            # The name of the file and the results are not part of the history.
            study = study.with_(title=now.title, results=results)
        lock_before = self.design_lock
        before, self._study = self._study, study
        # Answers that come later are locked anew.
        self._is_unlocked &= self.is_held
        is_asked_otherwise = study.questionnaire is not before.questionnaire
        is_same_data = study.original is before.original and study.distorted is before.distorted
        # Without data the questionnaire names and words the attributes.
        if not is_same_data or (is_asked_otherwise and study.attributes != before.attributes):
            self._keep_selection(dict([renamed] if renamed else []))
            self.data_changed.emit()
        self._announce_design(before, study)
        if is_asked_otherwise:
            self.questionnaire_changed.emit()
        if study.settings != before.settings:
            self.settings_changed.emit()
        is_same_goal = study.goals is before.goals or study.goals == before.goals
        if not is_same_goal or study.plan != before.plan:
            self.goals_changed.emit()
        if results is not before.results:
            pages = dict.fromkeys((*before.results, *results))
            for page in (page for page in pages if results.get(page) != before.results.get(page)):
                self.results_changed.emit(page)
        if self.design_lock != lock_before:
            self.lock_changed.emit()
        self.file_changed.emit()

    def _following_results(self, study: Study, renamed: Renamed | None) -> Mapping[str, object]:
        """What pages keep, as far as it is about the next state of the study."""
        now = self._study
        gone = set(now.design.names) - set(study.design.names)
        if renamed is not None:
            results = self._renamed_results(renamed)
        else:
            results = results_without(now.results, gone) if gone else now.results
        if (now.state is AnswerState.INVENTED) != (study.state is AnswerState.INVENTED):
            # What was found in invented answers must not stand beside what people said.
            results = without_findings(results)
        return _following_responses(results, study)

    def _renamed_results(self, renamed: Renamed) -> Mapping[str, object]:
        found = renamed_results(self._study.results, renamed)
        # What was saved stays saved when a rename is undone.
        return self._saved_results if found == self._saved_results else found

    def _keep_selection(self, renamed: Mapping[str, str]) -> None:
        names = [a.name for a in self._study.attributes]
        called = (renamed.get(name, name) for name in self._selected)
        known = set(names)
        kept = tuple(name for name in called if name in known)
        kept = kept or tuple(names[:1])
        if kept != self._selected:
            self._selected = kept
            self.selection_changed.emit()

    def _announce_design(self, before: Study, after: Study) -> None:
        if before.design is after.design and before.choices is after.choices:
            return
        same_shape = before.design.names == after.design.names
        same_shape &= before.sampling == after.sampling
        same_shape &= before.design.lists == after.design.lists
        same_shape &= before.design.anchors == after.design.anchors
        same_shape &= before.design.arms == after.design.arms
        same_shape &= before.design.budget == after.design.budget
        if not same_shape or before.design.groups != after.design.groups:
            self.design_changed.emit("")
            return
        changed = [
            new.name
            for old, new in zip(before.design, after.design, strict=True)
            if old != new or before.choices.get(new.name) != after.choices.get(new.name)
        ]
        # Beyond a screenful, one signal for all is less work than one for each.
        for name in changed if len(changed) <= _MANY else ("",):
            self.design_changed.emit(name)
