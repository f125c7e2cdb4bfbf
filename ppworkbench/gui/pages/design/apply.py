"""What can be applied to an attribute, and applying it to all that are selected."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Perturbation, perturbations
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.registry import Entry
from ppworkbench.gui.language.text import told
from ppworkbench.gui.workbench import Workbench

Build = Callable[[Attribute], Perturbation]


def offered(kind: Kind) -> list[Entry[type[Perturbation]]]:
    """The mechanisms to choose from for attributes of a kind, in the order of the page."""
    return [entry for entry in perturbations.ranked if entry.item.is_offered(kind)]


def refusals(attribute: Attribute) -> dict[str, str]:
    """Why some of them cannot be chosen for an attribute, by name."""
    reasons = {e.name: told(e.item.why_not(attribute)) for e in offered(attribute.kind)}
    return {name: reason for name, reason in reasons.items() if reason}


def apply_to_selection(workbench: Workbench, build: Build, gesture: str = "") -> str:
    """Distort the current attribute, and the others of the selection where it fits.

    Returns the sentence that says why the current attribute refused, empty if it did not.
    """
    return apply_to(workbench, workbench.store.selected, build, gesture)


def apply_to(workbench: Workbench, names: Iterable[str], build: Build, gesture: str = "") -> str:
    """Distort these attributes where it fits; see :func:`apply_to_selection`."""
    store = workbench.store
    design = store.study.design
    current = store.current
    changes: dict[str, Perturbation] = {}
    skipped: list[str] = []
    problem = ""
    for name in names:
        if name not in design:
            continue
        attribute = design[name].attribute
        try:
            perturbation = build(attribute)
            perturbation.check(attribute)
        except WorkbenchError as error:
            problem = told(error.message) if name == current else problem
            skipped.append(name)
            continue
        changes[name] = perturbation
    if problem:
        return problem
    grouped = [name for name in changes if design.group_of(name) is not None]
    if grouped:
        workbench.toast_requested.emit(
            workbench.tr("%s left its group.") % ", ".join(grouped), True
        )
        store.apply(
            store.study.without_groups_of(grouped).with_perturbations(changes),
            workbench.tr("Take attributes out of their group"),
            gesture or None,
        )
        return ""
    store.set_perturbations(changes, gesture or None)
    if skipped:
        listed = ", ".join(skipped[:3]) + ("…" if len(skipped) > 3 else "")
        workbench.toast_requested.emit(workbench.tr("Does not fit %s.") % listed, False)
    return ""
