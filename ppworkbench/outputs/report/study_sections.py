"""Sections about the whole study: data, sampling, arms, models, plan and estimation."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from ppworkbench.analyses.command_line import command_of
from ppworkbench.analyses.compliance.figures import facts
from ppworkbench.analyses.compliance.request import ComplianceRequest
from ppworkbench.analyses.compliance.sentences import in_words, second_arm
from ppworkbench.analyses.compliance.tables import rounded_rows as compliance_table
from ppworkbench.analyses.plan import (
    PlanBuilder,
    PlanRow,
    PlanView,
    limits_sentence,
    plan_command,
)
from ppworkbench.analyses.regress import Regress
from ppworkbench.analyses.regression.questions import ModelResult
from ppworkbench.analyses.regression.tables import (
    TermRow,
    headline,
    model_methods,
    rounded_rows,
    term_rows,
)
from ppworkbench.core.compliance.band import SAFE
from ppworkbench.core.compliance.question import BAND
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_to_json
from ppworkbench.core.message import Message
from ppworkbench.core.models import Regression
from ppworkbench.core.models.results import exponential
from ppworkbench.core.privacy.reading import percent
from ppworkbench.core.privacy.utility.noncompliance import usual_safe
from ppworkbench.core.sampling.results import describe_roles, interval_contents
from ppworkbench.outputs.report.attribute_section import MOST_BARS
from ppworkbench.outputs.report.evidence import CheckedQuestion, Evidence, RefusedModel
from ppworkbench.outputs.report.figure import Effect, drawn, effects_picture
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
    rows = []
    for arm in arms.members[:_MOST_ARMS]:
        epsilon = next(r.text for r in reports.arms[arm.name].readings if r.name == "epsilon")
        own = Message("{attributes}", attributes=tuple(name for name, _ in arm.perturbations))
        silent = Message("{attributes}", attributes=arm.omit)
        told = f"{counts[arm.name]:,}" if arm.name in counts else "–"
        rows.append((arm.name, f"{100 * arm.share:.3g} %", told, own, silent, epsilon))
    heads = ("Arm", "Share", "People", "Own device", "Not asked", "Epsilon")
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
        Grid(heads, tuple(rows), right=("Share", "People", "Epsilon")),
    ]


def estimation_commands(table: str, design: str) -> str:
    """The commands that estimate from a file of answers and that of their design."""
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
    """The attributes of the data, and how many answers are missing."""
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
    if sampling is not None:
        roles = Message.joined(describe_roles(sampling), ", ")
        said.append(Message("How people were drawn: {roles}.", roles=roles))
    whom = Message("This is about everybody whom the {n:,} people who answered stand for.", n=n)
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


def _checked(one: CheckedQuestion, evidence: Evidence) -> Section:
    name = one.question.attribute
    request = ComplianceRequest.of(one.question)
    command = command_of(request, evidence.table_file, evidence.design_file)
    listing = Listing(command, "Command line", folded=True)
    title = Message("Compliance: {attribute}", attribute=name)
    found = one.found
    if found is None:
        return Section(title, (Paragraph(one.sentence, "warning"), listing), level=3)
    heads, *rows = compliance_table(found)
    blocks: list[Block] = [Paragraph(in_words(found), "lead")]
    blocks.append(Grid(heads, tuple(rows), right=heads[1:]))
    for fact in facts(found):
        if fact.number.startswith("p "):
            said = Message(
                "{label}: {number}. {reading}.",
                label=fact.label,
                number=fact.number,
                reading=fact.reading,
            )
            blocks.append(Paragraph(said))
    if found.points:
        blocks.append(Paragraph(found.band_sentence(SAFE), "hint"))
    cost = second_arm(found) if found.model == BAND else None
    blocks += [] if cost is None else [Paragraph(cost, "hint")]
    blocks += [Paragraph(said, "warning") for said in found.remarks]
    blocks.append(listing)
    return Section(title, tuple(blocks), level=3)


def _regression(one: ModelResult | RefusedModel, evidence: Evidence) -> Section:
    formula = one.question.formula
    others = formula.predictors or Message("a constant")
    title = Message("{of} by {attributes}", of=formula.outcome, attributes=others)
    files = evidence.table_file, evidence.design_file
    request = Regress.of(one.question, one.arms)
    command = command_of(request, *files, target=one.question.target)
    listing = Listing(command, "Command line", folded=True)
    if isinstance(one, RefusedModel):
        blocks: list[Block] = [Paragraph(one.sentence, "warning"), listing]
        return Section(title, tuple(blocks), level=3)
    found, study = one.found, evidence.study
    heads, *rows = rounded_rows(found, study)
    left_out = Message("Records left out: {count:,}.", count=found.left_out)
    fitted = Message("Fitted to {n:,} records.", n=found.n)
    has_odds = any(one.odds_ratio is not None for one in found.terms)
    letters = (
        Message("B is the logarithm of the odds ratio, SE its standard error.")
        if has_odds
        else Message("SE is the standard error.")
    )
    caption = Message.joined((fitted, *((left_out,) if found.left_out else ()), letters))
    blocks = [Paragraph(headline(found, study), "lead")]
    if one.arms:
        blocks.append(Paragraph(Message("Only answers of the arms {names} count.", names=one.arms)))
    effects = [row for row in term_rows(found, study) if not row.is_constant]
    if effects and len(effects) <= MOST_BARS:
        blocks.append(_forest(effects, found, evidence))
    blocks.append(Grid(heads, tuple(rows), right=heads[1:], caption=caption))
    blocks += [Paragraph(said, "warning") for said in one.remarks]
    blocks.append(Paragraph(Message.joined(model_methods(one.question, found, study)), "hint"))
    return Section(title, (*blocks, listing), level=3)


def _forest(rows: Sequence[TermRow], found: Regression, evidence: Evidence) -> Figure:
    ratios = found.family.takes_ratios

    def shown(number: float) -> float:
        if not ratios:
            return number
        return exponential(number)

    say = evidence.tongue.say
    axis = Message("Coefficient")
    if ratios:
        axis = Message("Ratio of means (logarithmic axis)")
        if rows[0].coefficient.odds_ratio is not None:
            axis = Message("Odds ratio (logarithmic axis)")
    listed = []
    for row in rows:
        one = row.coefficient
        naive, true = (None if x is None else shown(x) for x in (one.naive, one.true))
        estimate, low, high = (shown(x) for x in (one.estimate, one.low, one.high))
        listed.append(Effect(say(row.full_label), estimate, low, high, naive, true))
    picture = effects_picture(
        Message("Effects"), axis, listed, found.confidence, ratios=ratios, zero=True
    )
    return drawn(picture, say)


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
    """The measures of the whole questionnaire."""
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
