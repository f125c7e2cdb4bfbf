"""An attribute under another name, or gone: what pages keep about it goes along."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import TypeVar

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


def retyped(study: Study, table: Table, renamed: Renamed | None = None) -> Study:
    """The study with its answers typed in another way, or under another name of one attribute.

    A renamed attribute goes on being distorted and expected as it was. Results stay as they are:
    they are no part of the history, so they are renamed where a state is shown.
    """
    if renamed is None:
        return study.with_table(table)
    return renamed_study(study, renamed, original=table)


def renamed_study(study: Study, renamed: Renamed, **changes: object) -> Study:
    """The study with one attribute called something else, and what changes with that."""
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
    """The design with one attribute called something else."""
    return _design(design, _exchange(*renamed))


def renamed_results(results: Mapping[str, object], renamed: Renamed) -> Mapping[str, object]:
    """What pages keep, with two names exchanged, so that doing it again takes it back.

    Runs and questions of the past keep the names under which they were asked.
    """
    call = _exchange(*renamed)
    changed = dict(results)
    pins, release, rehearsal = (results.get(page) for page in (PINS, RELEASE, REHEARSAL))
    compliance = results.get(COMPLIANCE)
    if isinstance(pins, Mapping):
        changed[PINS] = _by_name(pins, call)
    if isinstance(compliance, Mapping):
        changed[COMPLIANCE] = _compliance(compliance, call)
    if isinstance(release, Mapping):
        changed[RELEASE] = _release(release, call)
    if isinstance(rehearsal, Mapping) and isinstance(rehearsal.get(_STRENGTHS), Mapping):
        changed[REHEARSAL] = {**rehearsal, _STRENGTHS: _by_name(rehearsal[_STRENGTHS], call)}
    return results if changed == results else MappingProxyType(changed)


def results_without(results: Mapping[str, object], gone: Collection[str]) -> Mapping[str, object]:
    """What pages keep, without attributes that are gone: a new one of that name is another."""
    changed = dict(results)
    pins, rehearsal = results.get(PINS), results.get(REHEARSAL)
    if isinstance(pins, Mapping):
        left = _without(pins, gone)
        changed[PINS] = left
        if not left:
            del changed[PINS]
    if isinstance(rehearsal, Mapping) and isinstance(rehearsal.get(_STRENGTHS), Mapping):
        changed[REHEARSAL] = {**rehearsal, _STRENGTHS: _without(rehearsal[_STRENGTHS], gone)}
    release, compliance = results.get(RELEASE), results.get(COMPLIANCE)
    if isinstance(release, Mapping):
        changed[RELEASE] = _release_without(release, gone)
    if isinstance(compliance, Mapping) and _compliance_names(compliance).intersection(gone):
        del changed[COMPLIANCE]
    return results if changed == results else MappingProxyType(changed)


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


def _without(kept: Mapping[str, T], gone: Collection[str]) -> dict[str, T]:
    return {name: value for name, value in kept.items() if name not in gone}


def _exchange(old: str, new: str) -> Call:
    names = {old: new, new: old}
    return lambda name: names.get(name, name)


def _by_name(kept: Mapping[str, T], call: Call) -> dict[str, T]:
    return {call(name): value for name, value in kept.items()}


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


def _release(kept: Mapping[str, object], call: Call) -> dict[str, object]:
    """The plan of a release, and the one whose accuracies were measured."""
    changed = dict(kept)
    plan, curve = kept.get("plan"), kept.get("curve")
    for field in ("left_out", "coarsened"):
        names = kept.get(field)
        if isinstance(names, list):
            changed[field] = [call(str(name)) for name in names]
    if isinstance(plan, Mapping):
        changed["plan"] = _plan(plan, call)
    if isinstance(curve, Mapping) and isinstance(curve.get("plan"), Mapping):
        changed["curve"] = {**curve, "plan": _plan(curve["plan"], call)}
    return changed


def _plan(plan: Mapping[str, object], call: Call) -> dict[str, object]:
    changed = dict(plan)
    sensitive, excluded = plan.get("sensitive"), plan.get("excluded")
    if isinstance(sensitive, str):
        changed["sensitive"] = call(sensitive)
    if isinstance(excluded, list):
        changed["excluded"] = sorted(call(str(name)) for name in excluded)
    return changed


def _release_without(kept: Mapping[str, object], gone: Collection[str]) -> dict[str, object]:
    """The plan of a release without attributes; one that denies a gone one ends."""
    changed = dict(kept)
    for field in ("left_out", "coarsened"):
        names = kept.get(field)
        if isinstance(names, list):
            changed[field] = [name for name in names if name not in gone]
    plan, curve = kept.get("plan"), kept.get("curve")
    if isinstance(plan, Mapping):
        changed["plan"] = _plan_without(plan, gone)
    if isinstance(curve, Mapping) and isinstance(curve.get("plan"), Mapping):
        left = _plan_without(curve["plan"], gone)
        changed["curve"] = left and {**curve, "plan": left}
    return {field: value for field, value in changed.items() if value not in (None, [])}


def _plan_without(plan: Mapping[str, object], gone: Collection[str]) -> dict[str, object] | None:
    if plan.get("sensitive") in gone:
        return None
    excluded = plan.get("excluded")
    if not isinstance(excluded, list):
        return dict(plan)
    return {**plan, "excluded": [name for name in excluded if name not in gone]}


def _compliance_names(kept: Mapping[str, object]) -> set[object]:
    """The question whose answers are judged, and the one that tells how many followed."""
    anchor = kept.get("anchor")
    column = anchor.get("column") if isinstance(anchor, Mapping) else None
    return {kept.get("attribute"), column}


def _compliance(kept: Mapping[str, object], call: Call) -> dict[str, object]:
    changed = dict(kept)
    name, anchor = kept.get("attribute"), kept.get("anchor")
    if isinstance(name, str):
        changed["attribute"] = call(name)
    if isinstance(anchor, Mapping) and isinstance(anchor.get("column"), str):
        changed["anchor"] = {**anchor, "column": call(anchor["column"])}
    return changed
