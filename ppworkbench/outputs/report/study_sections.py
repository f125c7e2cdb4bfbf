"""Sections about the whole study: data, sampling, arms, models, plan and estimation."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ppworkbench.analyses.command_line import command_of
from ppworkbench.analyses.planning.study_plan import (
    PlanBuilder,
    PlanRow,
    PlanView,
    limits_sentence,
    plan_command,
)
from ppworkbench.analyses.regression.tables import (
    headline,
    model_methods,
    rounded_rows,
    term_rows,
)
from ppworkbench.analyses.survey.answers import SurveyError, SurveyResult
from ppworkbench.core.compliance.band import SAFE
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_to_json
from ppworkbench.core.message import Message
from ppworkbench.core.models import Regression
from ppworkbench.core.privacy.reading import percent
from ppworkbench.core.privacy.utility.noncompliance import usual_safe
from ppworkbench.core.sampling.results import describe_roles, interval_contents
from ppworkbench.outputs.report.attribute_section import MOST_BARS
from ppworkbench.outputs.report.evidence import Evidence
from ppworkbench.outputs.report.figure import drawn, sheet_grid
from ppworkbench.results.result import Result
from ppworkbench.study.answer_state import state_words
from ppworkbench.study.blocks import Block, Figure, Grid, Listing, Paragraph, Section
from ppworkbench.study.plan_choices import HALF_WIDTH, PlanChoices
from ppworkbench.study.release import devices_of
from ppworkbench.study.study import Study

ESTIMATION = Message(
    "Estimation needs only the distorted answers and the design. P[r, c] is the probability that "
    "the true answer c is reported as r; every column sums to 1. With y the shares of the reported "
    "answers, x = P⁻¹ y is an unbiased estimate of the true shares. A slightly negative estimate "
    "stays negative in sums."
)
"""How everything is estimated, in a few sentences."""
_MOST_ARMS = 8


def arm_table(evidence: Evidence) -> list[Block]:
    """The versions of the questionnaire, what each discloses, and how many had it."""
    arms, reports = evidence.study.design.versions, evidence.arms
    if reports is None:
        return []
    counts: dict[str, int] = {}
    if arms.column in evidence.distorted:
        codes = arms.read(evidence.distorted)
        counts = {name: int((codes == place).sum()) for place, name in enumerate(arms.names)}
    shown = evidence.study.shown
    rows: list[tuple[str, ...]] = []
    for arm in arms.members[:_MOST_ARMS]:
        epsilon = next(r.text for r in reports.arms[arm.name].readings if r.name == "epsilon")
        own, silent = (
            Message("{listed}", listed=tuple(map(shown, names))) if names else "–"
            for names in ([name for name, _ in arm.perturbations], arm.omit)
        )
        told = f"{counts[arm.name]:,}" if arm.name in counts else "–"
        rows.append((arm.name, f"{100 * arm.share:.3g} %", told, epsilon, own, silent))
    heads: tuple[str, ...] = ("Arm", "Share", "People", "Epsilon", "Own device", "Not asked")
    if not any(arm.omit for arm in arms.members):
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    return [
        Paragraph(
            Message(
                "Respondents were drawn at random into {count} arms, which {column} tells. The "
                "measures are those of the usual devices; estimates use the device of each "
                "answer's own arm.",
                count=len(arms.members),
                column=arms.column,
            )
        ),
        Grid(heads, tuple(rows), heads[1:4], title=Message("Arms and what each of them discloses")),
    ]


def estimation_commands(table: str, design: str) -> str:
    return (
        f"ppworkbench reconstruct {table} --design {design}\n"
        f'ppworkbench count {table} --design {design} --where "..."'
    )


def undo_section(design: Design) -> Section:
    """How to estimate from the distorted answers, question by question."""
    blocks: list[Block] = [Grid(("Attribute", "Mechanism", "Estimation"), _rules(design))]
    blocks += [
        Paragraph(
            Message(
                "{attributes} form a group: the rule above holds for each alone, but "
                "cross tables of them need the group's joint probabilities.",
                attributes=tuple(group.attributes),
            )
        )
        for group in design.groups
    ]
    text = json.dumps(design_to_json(design), indent=1, ensure_ascii=False, allow_nan=False)
    blocks.append(Listing(text, "Design file", folded=True))
    return Section("Estimation", tuple(blocks))


def _rules(design: Design) -> tuple[tuple[str, ...], ...]:
    rules = []
    for name in design.without_arms().names:
        devices = devices_of(design, name)
        if len(set(devices.values())) == 1:
            perturbation = next(iter(devices.values()))
            rules.append((name, perturbation.summary(), perturbation.how_to_undo()))
            continue
        for arm, perturbation in devices.items():
            where = Message("{attribute}, arm {arm}", attribute=name, arm=arm)
            rules.append((where, perturbation.summary(), perturbation.how_to_undo()))
    return tuple(rules)


def data_section(evidence: Evidence) -> Section:
    study = evidence.study
    shown = evidence.original if evidence.original is not None else evidence.distorted
    rows = []
    for attribute in study.attributes or shown.attributes:
        if attribute.name not in study.design and attribute.name not in shown:
            continue
        possible = (
            Message("{low:g} to {high:g}", low=attribute.domain[0], high=attribute.domain[1])
            if attribute.domain is not None
            else ", ".join(attribute.values)
        )
        missing = f"{shown[attribute.name].missing_count:,}" if attribute.name in shown else "–"
        kind = str(attribute.kind)
        rows.append((attribute.heading, attribute.label, kind, possible, missing))
    heads = ("Attribute", "Question", "Kind", "Possible answers", "Missing")
    said = (
        Message("{rows:,} rows: {state}.", rows=shown.rows, state=state_words(study.state))
        if shown.rows
        else "No answers yet."
    )
    left_out = [name for name in shown.names if name not in study.design]
    blocks: list[Block] = [Paragraph(said), Grid(heads, tuple(rows), right=("Missing",))]
    if left_out and study.design.attributes:
        said = Message(
            "Not in the design and never released: {attributes}.", attributes=tuple(left_out)
        )
        blocks.append(Paragraph(said, "hint"))
    return Section("Data", tuple(blocks))


def interval_paragraphs(evidence: Evidence) -> list[str]:
    """Whom the distributions are about, and which errors their intervals hold."""
    n, sampling = evidence.distorted.rows, evidence.study.sampling
    said: list[str] = []
    if roles := Message.joined(describe_roles(sampling), ", "):
        said.append(Message("How people were drawn: {roles}.", roles=roles))
    whom = Message(
        "Results refer to the population from which the {n:,} respondents were sampled.", n=n
    )
    samples = [one.sample for one in evidence.sampled.values() if one.found.rows]
    if samples:
        # Where some left a question out, fewer stand for fewer: the whole sample is told.
        whom = max(samples, key=lambda sample: sample.n).sentence
    design = evidence.study.design
    contents = interval_contents(
        sampling,
        shared=bool(design.uncertain_shares(design.names)),
        undistorted=design.is_undistorted(design.names),
    ).sentence
    return [*said, whom, contents]


def regression_sections(evidence: Evidence) -> list[Section]:
    """The regressions that were asked on Survey, fitted to the answers of this report."""
    if not evidence.models:
        return []
    blocks: list[Block] = [
        Paragraph(
            "The regressions of the study's history, fitted to the answers of this report. "
            "Coefficients are corrected for the mechanisms; uncorrected ones take every reported "
            "answer as true.",
            "hint",
        )
    ]
    if evidence.more_models:
        said = Message("Older regressions not shown: {count:,}.", count=evidence.more_models)
        blocks.append(Paragraph(said, "hint"))
    sections = [Section("Regressions", tuple(blocks))]
    return [*sections, *(_regression(one, evidence) for one in evidence.models)]


def compliance_sections(evidence: Evidence) -> list[Section]:
    """Who followed the instructions, as it was asked on Survey."""
    if not evidence.checked:
        return []
    intro = Paragraph(
        "Did people follow the instructions? Classes of people who do not are estimated from the "
        "arms; what is true of these people is in no data, so the share has three readings.",
        "hint",
    )
    sections = [Section("Compliance", (intro,))]
    return [*sections, *(_checked(one, evidence) for one in evidence.checked)]


def _checked(one: SurveyResult | SurveyError, evidence: Evidence) -> Section:
    asked: Any = one.question.request
    title = Message("Compliance: {attribute}", attribute=asked.attribute)
    if isinstance(one, SurveyError):
        return _asked_section(title, [Paragraph(one.sentence, "warning")], one, evidence)
    found, told = one.result, one.told
    blocks: list[Block] = [Paragraph(found.sentence, "lead")]
    blocks += [sheet_grid(told.sheet(name), *_SHARES) for name in ("reported", "estimates")]
    blocks += [Paragraph(said, "hint") for said in told.readings()]
    if found.points:
        blocks.append(Paragraph(found.band_sentence(SAFE), "hint"))
    blocks += [Paragraph(said, "warning") for said in found.remarks]
    return _asked_section(title, blocks, one, evidence)


def _asked_section(
    title: Message, blocks: Sequence[Block], one: SurveyResult | SurveyError, evidence: Evidence
) -> Section:
    """What is told of a kept question, above the command that asks it."""
    asked, files = one.question, (evidence.table_file, evidence.design_file)
    command = command_of(asked.request, *files, target=asked.target)
    return Section(title, (*blocks, Listing(command, "Command line", folded=True)), level=3)


_SHARES = ("estimate", "low", "high", "standard_error")


def _regression(one: SurveyResult | SurveyError, evidence: Evidence) -> Section:
    asked: Any = one.question.request
    of, by = asked.formula.outcome, asked.formula.predictors or Message("a constant")
    title = Message("{of} by {attributes}", of=of, attributes=by)
    if isinstance(one, SurveyError):
        return _asked_section(title, [Paragraph(one.sentence, "warning")], one, evidence)
    found, study = one.result, evidence.study
    heads, *rows = rounded_rows(found, study)
    left_out = Message("Records left out: {count:,}.", count=found.left_out)
    fitted = Message("Fitted to {n:,} records.", n=found.n)
    caption = Message.joined((fitted, *((left_out,) if found.left_out else ()), letters(found)))
    blocks: list[Block] = [Paragraph(headline(found, study), "lead")]
    if asked.arms:
        said = Message("Only answers of the arms {names} count.", names=asked.arms)
        blocks.append(Paragraph(said))
    effects = [row for row in term_rows(found, study) if not row.is_constant]
    if effects and len(effects) <= MOST_BARS:
        blocks.append(_forest(one.told, evidence))
    blocks.append(Grid(heads, tuple(rows), right=heads[1:], caption=caption))
    blocks += [Paragraph(said, "warning") for said in one.remarks]
    methods = model_methods(asked.options, found, study, one.question.target)
    blocks.append(Paragraph(Message.joined(methods), "hint"))
    return _asked_section(title, blocks, one, evidence)


def letters(found: Regression) -> Message:
    """What the letters above the columns of a regression stand for."""
    if any(one.odds_ratio is not None for one in found.terms):
        return Message("B is the logarithm of the odds ratio, SE its standard error.")
    return Message("SE is the standard error.")


def _forest(told: Result, evidence: Evidence) -> Figure:
    picture, say = told.picture("coefficients"), evidence.tongue.say
    labels = tuple(map(say, picture.y.labels))
    return drawn(replace(picture, y=replace(picture.y, labels=labels)), say)


_BEHAVIOURS = {
    "truth": Message("answer truthfully"),
    "safe": Message("always give the safe answer"),
    "random": Message("answer at random"),
}


def noncompliance_sentences(evidence: Evidence) -> list[str]:
    """What is assumed of those who ignore the devices; nothing where everybody follows them."""
    ignoring = evidence.assessment.noncompliance
    if ignoring is None:
        return []
    told = Message(
        "The measures of this report assume that {share} of the respondents do not follow the "
        "instructions and {who} instead.",
        share=percent(ignoring.share),
        who=_BEHAVIOURS[ignoring.behaviour],
    )
    effect = (
        "The measures of accuracy are those of estimates that are corrected for it."
        if ignoring.corrected
        else "The measures of accuracy are those of estimates that are not corrected for it."
    )
    return [told, effect, "The estimates from the answers are not corrected for it."]


def noncompliance_sections(evidence: Evidence) -> list[Section]:
    """The same, with the safe answer of every question where people are assumed to give it."""
    ignoring = evidence.assessment.noncompliance
    if ignoring is None:
        return []
    blocks: list[Block] = [*map(Paragraph, noncompliance_sentences(evidence))]
    if ignoring.behaviour == "safe":
        rows = tuple(
            (evidence.heading(d.name), ignoring.safe_of(d.attribute) or usual_safe(d.attribute))
            for d in evidence.study.design
        )
        blocks.append(Grid(("Attribute", "Safe answer"), rows))
    return [Section("Non-compliance", tuple(blocks))]


def given_paragraph(evidence: Evidence) -> Paragraph:
    """What the measures of the attributes assume, and how their matrices are read."""
    n = evidence.distorted.rows or evidence.study.settings.respondents
    return Paragraph(
        Message(
            "The measures assume {n:,} respondents and that {prior_sentence}. In "
            "matrices a column is a true answer, a row a reported one.",
            n=n,
            prior_sentence=evidence.prior_sentence,
        ),
        "hint",
    )


def whole_section(evidence: Evidence) -> Section:
    assessment = evidence.assessment
    heads = ("Measure", "Value", "Interpretation")
    rows = tuple((r.label, r.text, r.sentence) for r in assessment.readings)
    blocks: list[Block] = [Grid(heads, rows, right=("Value",))]
    for group in assessment.groups:
        told = tuple((r.label, r.text, r.sentence) for r in group.readings)
        caption = Message("Group: {attributes}", attributes=tuple(group.attributes))
        blocks.append(Grid(heads, told, right=("Value",), caption=caption))
    blocks += [Paragraph(warning, "warning") for warning in assessment.warnings]
    return Section("Whole questionnaire", tuple(blocks))


def plan_sections(study: Study) -> list[Section]:
    """What the survey was planned for, where somebody chose limits, costs or goals."""
    if study.plan == PlanChoices() and not study.goals:
        return []
    view = PlanBuilder().build(study)
    if view.plan is None:
        return [Section("Plan", (Paragraph(view.problem, "warning"),))]
    pays = study.plan != PlanChoices()
    heads = ["Attribute", "Plan", "Belief limit", "Epsilon limit", "Parameter", "Respondents"]
    heads += ["Half-width"] if study.plan.aim == HALF_WIDTH else ["Power"]
    heads += ["Randomising pays from"] if pays else []
    rows = tuple(tuple(_plan_cells(row, view, pays=pays)) for row in view.rows)
    blocks: list[Block] = [Paragraph(view.sentence, "lead"), Paragraph(limits_sentence(view))]
    blocks.append(Grid(tuple(heads), rows, right=tuple(heads[2:])))
    warned = (*(() if view.breaking is None else (view.breaking,)), *view.notices)
    blocks += [Paragraph(notice, "warning") for notice in warned]
    blocks.append(Listing(plan_command(study), "Command line", folded=True))
    return [Section("Plan", tuple(blocks))]


def _plan_cells(row: PlanRow, view: PlanView, *, pays: bool) -> list[str]:
    def share(limit: str) -> str:
        value = row.limits[limit]
        return "–" if value is None else f"{100 * value:.3g} %"

    found, epsilon = row.found, row.limits["epsilon"]
    respondents = view.needed(row)
    needed = "–" if respondents is None else "∞"
    if respondents is not None and math.isfinite(respondents):
        needed = Message("{n:,}", n=int(respondents))
    cells = [
        found.attribute,
        found.words,
        share("belief") if row.has_share else "–",
        "–" if epsilon is None else f"{epsilon:.3g}",
        "–" if row.value is None else f"{row.value:.4g}",
        needed,
        share(view.choices.aim),
    ]
    if pays:
        start = found.break_even
        told = "–" if start is None else Message("never")
        if start is not None and math.isfinite(start):
            told = Message("{n:,}", n=max(1, math.ceil(start)))
        cells.append(told)
    return cells


# Lists


_LIST_COLUMNS = (
    "estimate", "low", "high", "standard_error", "with", "with_error", "without", "without_error",
)  # fmt: skip


def list_sections(evidence: Evidence) -> list[Section]:
    """What every list of the design tells, asked as it was last asked on Survey."""
    lists = evidence.study.design.lists
    if not lists:
        return []
    sections = [Section("Lists", tuple(Paragraph(one.disclosure) for one in lists))]
    return sections + [_list(one, evidence) for one in evidence.lists]


def list_sentences(evidence: Evidence) -> list[str]:
    # The item stands in no row of the results, so the sentence must name it.
    study = evidence.study
    return [
        Message(
            "{attribute}: {sentence}",
            attribute=study.shown(one.result.question.name),
            sentence=one.sentence,
        )
        for one in evidence.lists
        if isinstance(one, SurveyResult)
    ]


def _list(one: SurveyResult | SurveyError, evidence: Evidence) -> Section:
    asked: Any = one.question.request
    study, title = evidence.study, Message("{attribute}", attribute=asked.attribute)
    if isinstance(one, SurveyError):
        return _asked_section(title, [Paragraph(one.sentence, "warning")], one, evidence)
    found, told = one.result, one.told
    blocks: list[Block] = [Paragraph(one.sentence, "lead")]
    blocks += [sheet_grid(sheet, *_LIST_COLUMNS) for sheet in told.sheets()]
    blocks += [Paragraph(study.titled(said), "hint") for said in told.readings()]
    blocks += [Paragraph(study.titled(said), "warning") for said in found.remarks]
    blocks.append(Paragraph(Message.joined(told.own_methods(study)), "hint"))
    return _asked_section(title, blocks, one, evidence)
