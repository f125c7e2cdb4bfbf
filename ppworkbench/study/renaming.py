"""An attribute under another name, or gone: what pages keep about it goes along."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design
from ppworkbench.core.design.anchors import renamed_anchors
from ppworkbench.core.design.group import Group
from ppworkbench.study.study import Study

PINS = "design pins"
"""The results that hold pinned designs, by attribute."""
RELEASE = "publish"
"""The results that hold the plan of a release."""
REHEARSAL = "rehearsal"
"""The results that hold how a study was rehearsed, with a strength by attribute."""

COMPLIANCE = "compliance"
"""The results that hold the question whose three readings Share tells."""

_STRENGTHS = "strengths"

_BY_ATTRIBUTE = (PINS, REHEARSAL)
"""Results whose parts are independent of each other; a plan or a question is one piece."""

Renamed = tuple[str, str]
"""The old and the new name of an attribute."""

T = TypeVar("T")
Call = Callable[[str], str]
Change = Callable[[str], str | None]
"""What an attribute is called now; None where it is gone."""


def retyped(study: Study, table: Table, renamed: Renamed | None = None) -> Study:
    """The study with its answers typed in another way, or under another name of one attribute.

    A renamed attribute goes on being distorted and expected as it was. Results stay as they are:
    they are no part of the history, so they are renamed where a state is shown.
    """
    if renamed is None:
        return study.with_table(table)
    return renamed_study(study, renamed, original=table)


def renamed_study(study: Study, renamed: Renamed, **changes: object) -> Study:
    call = _exchange(*renamed)
    asked = study.questionnaire
    safe = tuple((call(name), answer) for name, answer in study.settings.safe_answers)
    return study.with_(
        settings=dataclasses.replace(study.settings, safe_answers=safe),
        design=_design(study.design, call),
        choices=MappingProxyType(_by_name(study.choices, call)),
        plan=study.plan.renamed(call),
        questionnaire=None if asked is None else asked.renamed(call),
        **changes,
    )


def renamed_design(design: Design, renamed: Renamed) -> Design:
    return _design(design, _exchange(*renamed))


def renamed_results(results: Mapping[str, object], renamed: Renamed) -> Mapping[str, object]:
    """What pages keep, with two names exchanged, so that doing it again takes it back.

    Runs and questions of the past keep the names under which they were asked.
    """
    return _changed(results, _exchange(*renamed))


def results_without(results: Mapping[str, object], gone: Collection[str]) -> Mapping[str, object]:
    """What pages keep, without attributes that are gone: a new one of that name is another."""
    return _changed(results, lambda name: None if name in gone else name)


def _changed(results: Mapping[str, object], call: Change) -> Mapping[str, object]:
    found = dict(results)
    for page, change in _KEPT.items():
        kept = results.get(page)
        if isinstance(kept, Mapping):
            found[page] = change(kept, call)
            if found[page] is None:
                del found[page]
    return results if found == results else MappingProxyType(found)


def results_restored(
    now: Mapping[str, object], before: Mapping[str, object], after: Mapping[str, object]
) -> Mapping[str, object]:
    """What pages keep now, with what a step from ``before`` to ``after`` took out of it.

    What was kept since then stays.
    """
    changed = dict(now)
    for page, kept in before.items():
        if kept == after.get(page):
            continue
        if now.get(page) == after.get(page):
            changed[page] = kept
        elif page in _BY_ATTRIBUTE:
            changed[page] = _with_taken(now.get(page), kept, after.get(page))
    return now if changed == now else MappingProxyType(changed)


def _with_taken(now: object, before: object, after: object) -> object:
    if not isinstance(now, Mapping) or not isinstance(before, Mapping):
        return now
    left = after if isinstance(after, Mapping) else {}
    taken = {name: value for name, value in before.items() if name not in left}
    both = {
        name: _with_taken(value, before.get(name), left.get(name)) for name, value in now.items()
    }
    return {**taken, **both}


def _exchange(old: str, new: str) -> Call:
    names = {old: new, new: old}
    return lambda name: names.get(name, name)


def _by_name(kept: Mapping[str, T], call: Change) -> dict[str, T]:
    called = ((call(name), value) for name, value in kept.items())
    return {name: value for name, value in called if name is not None}


def _design(design: Design, call: Call) -> Design:
    listed = tuple(
        dataclasses.replace(d, attribute=d.attribute.with_(name=call(d.name))) for d in design
    )
    groups = tuple(_group(group, call) for group in design.groups)
    sampling = None if design.sampling is None else design.sampling.renamed(call)
    arms = design.versions.renamed(call)
    lists = tuple(one.renamed(call) for one in design.lists)
    class_name = design.class_name and call(design.class_name)
    anchors = renamed_anchors(design.anchors, call)
    budget = None if design.budget is None else design.budget.renamed(call)
    return Design(listed, class_name, groups, sampling, arms, lists, anchors, budget)


def _group(group: Group, call: Call) -> Group:
    return dataclasses.replace(
        group,
        attributes=tuple(map(call, group.attributes)),
        personal=tuple((call(name), weights) for name, weights in group.personal),
    )


def _pins(kept: Mapping[str, object], call: Change) -> dict[str, object] | None:
    left = _by_name(kept, call)
    return left if left or not kept else None


def _rehearsal(kept: Mapping[str, object], call: Change) -> dict[str, object]:
    strengths = kept.get(_STRENGTHS)
    if not isinstance(strengths, Mapping):
        return dict(kept)
    return {**kept, _STRENGTHS: _by_name(strengths, call)}


def _release(kept: Mapping[str, object], call: Change) -> dict[str, object]:
    """The plan of a release; one that denies an attribute that is gone ends."""
    changed = dict(kept)
    plan, curve = kept.get("plan"), kept.get("curve")
    for field in ("left_out", "coarsened"):
        names = kept.get(field)
        if isinstance(names, list):
            changed[field] = _names(names, call)
    if isinstance(plan, Mapping):
        changed["plan"] = _plan(plan, call)
    if isinstance(curve, Mapping) and isinstance(curve.get("plan"), Mapping):
        left = _plan(curve["plan"], call)
        changed["curve"] = left and {**curve, "plan": left}
    return {
        field: value
        for field, value in changed.items()
        if value == kept[field] or value not in (None, [])
    }


def _plan(plan: Mapping[str, object], call: Change) -> dict[str, object] | None:
    changed = dict(plan)
    sensitive, excluded = plan.get("sensitive"), plan.get("excluded")
    if isinstance(sensitive, str):
        changed["sensitive"] = call(sensitive)
        if changed["sensitive"] is None:
            return None
    if isinstance(excluded, list):
        changed["excluded"] = sorted(_names(excluded, call))
    return changed


def _names(listed: list[object], call: Change) -> list[str]:
    return [name for name in map(call, map(str, listed)) if name is not None]


def _compliance(kept: Mapping[str, object], call: Change) -> dict[str, object] | None:
    changed = dict(kept)
    name, anchor = kept.get("attribute"), kept.get("anchor")
    if isinstance(name, str):
        changed["attribute"] = call(name)
    if isinstance(anchor, Mapping) and isinstance(anchor.get("column"), str):
        column = call(anchor["column"])
        changed["anchor"] = column and {**anchor, "column": column}
    is_gone = any(changed[one] is None and kept[one] is not None for one in changed)
    return None if is_gone else changed


_KEPT: Mapping[str, Callable[[Mapping[str, Any], Change], dict[str, object] | None]] = {
    PINS: _pins,
    REHEARSAL: _rehearsal,
    RELEASE: _release,
    COMPLIANCE: _compliance,
}
"""How what a page keeps follows the names of attributes; None where nothing is left of it."""
