"""From a study to its report."""

from __future__ import annotations

import datetime as dt
import json
import math
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import metadata

import numpy as np
from numpy.typing import NDArray

from ppworkbench import __version__
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.assess import BAND
from ppworkbench.core.compliance.band import SAFE
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_to_json
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.message import Message
from ppworkbench.core.models import Regression
from ppworkbench.core.models.families import LINEAR
from ppworkbench.core.models.results import exponential
from ppworkbench.core.params import Annotated, Info, Params
from ppworkbench.core.privacy.reading import Reading, percent
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.privacy.utility.noncompliance import usual_safe
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct import Reconstruction
from ppworkbench.core.sampling.results import describe_roles, interval_contents
from ppworkbench.study.analyses.compliance import (
    compliance_command,
    facts,
    in_words,
    second_arm,
)
from ppworkbench.study.analyses.compliance import rounded_rows as compliance_table
from ppworkbench.study.analyses.plan import PlanBuilder, PlanRow, limits_sentence, plan_command
from ppworkbench.study.analyses.regression import ModelResult
from ppworkbench.study.analyses.regression_tables import (
    TermRow,
    headline,
    model_command,
    model_methods,
    rounded_rows,
    term_rows,
)
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.language import ENGLISH_TONGUE, Language
from ppworkbench.study.plan_choices import HALF_WIDTH, PlanChoices
from ppworkbench.study.release import Point, devices_of, undistorted
from ppworkbench.study.report.blocks import (
    Block,
    Figure,
    Grid,
    Heat,
    Listing,
    Paragraph,
    Points,
    Report,
    Section,
)
from ppworkbench.study.report.evidence import CheckedQuestion, Evidence, RefusedModel, gather
from ppworkbench.study.report.figure import (
    ForestRow,
    Shares,
    bars_figure,
    curves_figure,
    forest_figure,
)
from ppworkbench.study.report.lists import list_sections
from ppworkbench.study.study import Study

MOST_CELLS = 12
"""A larger matrix is in the design file; on paper nobody could read it."""
MOST_BARS = 30


def attribute_section(evidence: Evidence, name: str) -> Section:
    """All about one attribute."""
    report = evidence.assessment[name]
    blocks: list[Block] = [Paragraph(evidence.explained(name), "lead")]
    asked = evidence.study.attribute(name)
    if asked.label and asked.label != asked.shown:
        blocks.insert(0, Paragraph(f"“{asked.label}”", "hint"))
    group = evidence.study.design.group_of(name)
    if group is not None:
        others = tuple(other for other in group.attributes if other != name)
        blocks.append(
            Paragraph(
                Message("Grouped with: {others}.", others=others or Message("no other attribute")),
                "hint",
            )
        )
    found = evidence.reconstructed.get(name)
    if found is not None and found.rows:
        blocks += _distribution(evidence, found)
    if name in evidence.refused:
        blocks.append(Paragraph(evidence.refused[name], "warning"))
    blocks += _by_arm(evidence, name)
    blocks += _matrix(report)
    blocks.append(_readings("Privacy", tuple(report.privacy)))
    blocks.append(_readings("Accuracy", tuple(report.utility.readings)))
    warned = dict.fromkeys([*report.warnings, *(found.warnings if found is not None else ())])
    blocks += [Paragraph(warning, "warning") for warning in warned]
    if name in evidence.sampled:
        blocks += [Paragraph(remark, "hint") for remark in evidence.sampled[name].remarks]
    return Section(evidence.heading(name), tuple(blocks), level=3)


def _by_arm(evidence: Evidence, name: str) -> list[Block]:
    """How every arm asks the question, and what its answers say."""
    arms = evidence.study.design.arms
    if arms is None:
        return []
    devices, found = devices_of(evidence.study.design, name), evidence.by_arm.get(name)
    rows = []
    for arm in arms.names:
        device = devices.get(arm, devices.get(""))
        how = Message("not asked") if device is None else device.summary()
        alone = None if found is None else found.arms.get(arm)
        if alone is None:
            rows.append((arm, how, "–", "–"))
            continue
        shares = tuple(
            Message("{value} {share:.1f} %", value=value, share=100 * float(share))
            for value, share in zip(alone.labels, alone.probability, strict=True)
        )
        listed = shares if len(shares) <= MOST_CELLS else (*shares[:MOST_CELLS], Message("…"))
        rows.append((arm, how, f"{alone.rows:,}", Message("{listed}", listed=listed)))
    heads = ("Arm", "Mechanism", "Answers", "Estimate")
    blocks: list[Block] = [Grid(heads, tuple(rows), right=("Answers",))]
    if found is not None and found.sentence:
        told = Message.joined((found.sentence, *found.remarks))
        blocks.append(Paragraph(told))
    return blocks


def _arms(evidence: Evidence) -> list[Section]:
    """The versions of the questionnaire, what each discloses, and how many had it."""
    arms, reports = evidence.study.design.arms, evidence.arms
    if arms is None or reports is None:
        return []
    counts: dict[str, int] = {}
    if arms.column in evidence.distorted:
        codes = arms.read(evidence.distorted)
        counts = {name: int((codes == place).sum()) for place, name in enumerate(arms.names)}
    rows = []
    for arm in arms.members:
        epsilon = next(r.text for r in reports.arms[arm.name].readings if r.name == "epsilon")
        own = Message("{attributes}", attributes=tuple(name for name, _ in arm.perturbations))
        silent = Message("{attributes}", attributes=arm.omit)
        told = f"{counts[arm.name]:,}" if arm.name in counts else "–"
        rows.append((arm.name, f"{100 * arm.share:.3g} %", told, own, silent, epsilon))
    heads = ("Arm", "Share", "People", "Own device", "Not asked", "Epsilon")
    blocks: list[Block] = [
        Paragraph(
            Message(
                "Respondents were drawn at random into {count} arms, which {column} tells. The "
                "measures below are those of the usual devices; estimates use the device of each "
                "answer's own arm.",
                count=len(arms.members),
                column=arms.column,
            )
        ),
        Grid(heads, tuple(rows), right=("Share", "People", "Epsilon")),
        Paragraph(reports.sentence),
    ]
    return [Section("Arms", tuple(blocks))]


def _readings(title: str, readings: tuple[Reading, ...]) -> Grid:
    rows = tuple((reading.label, reading.text, reading.sentence) for reading in readings)
    return Grid((title, "Value", "Interpretation"), rows, right=("Value",))


def _matrix(report: AttributeReport) -> list[Block]:
    matrix, values = report.matrix, report.attribute.values
    if matrix is None or len(values) < 2:
        return []
    if len(values) > MOST_CELLS:
        size = f"{len(values)} × {len(values)}"
        return [
            Paragraph(
                Message(
                    "The transition matrix has {size} cells; it follows from the design.", size=size
                ),
                "hint",
            )
        ]
    cells = tuple(tuple(float(cell) for cell in row) for row in matrix)
    texts = tuple(tuple(f"{cell:.3g}" for cell in row) for row in cells)
    return [Heat(values, values, cells, texts)]


def _distribution(evidence: Evidence, found: Reconstruction) -> list[Block]:
    name = found.attribute.name
    designed = evidence.study.design[name]
    distorted = evidence.distorted[name]
    original = None if evidence.original is None else evidence.original[name]
    if found.values is not None:
        weights = evidence.weights
        truth = None
        if original is not None:
            truth = _shares(fit_column(original, designed), found.k, weights)
        told = _shares(distorted.data, found.k, weights)
        labels = found.values
        series = _series(found, truth, told)
        drawn = len(labels) <= MOST_BARS
        picture = bars_figure(labels, series, evidence.tongue.say) if drawn else None
    else:
        series = _numbers(found, original, distorted, designed.attribute, evidence)
        labels = found.labels
        picture = curves_figure(series, evidence.tongue.say)
    return [*([picture] if picture is not None else []), _table(found, series, labels)]


def _shares(codes: NDArray[np.integer], k: int, weights: Numbers | None) -> Numbers:
    known = codes >= 0
    counted = None if weights is None else weights[known]
    counts = np.bincount(codes[known], counted, k).astype(np.float64)
    return np.asarray(counts / max(counts.sum(), 1.0), np.float64)


def _series(found: Reconstruction, truth: Numbers | None, told: Numbers) -> tuple[Shares, ...]:
    estimate = Shares("reconstructed", found.probability, found.low, found.high, found.edges)
    first = () if truth is None else (Shares("original", truth, edges=found.edges),)
    return (*first, Shares("distorted", told, edges=found.edges), estimate)


def _numbers(
    found: Reconstruction,
    original: Column | None,
    distorted: Column,
    attribute: Attribute,
    evidence: Evidence,
) -> tuple[Shares, ...]:
    edges = found.edges
    assert edges is not None  # noqa: S101 (numbers are estimated in intervals)
    wide = evidence.study.design.perturbation(attribute.name).interval_edges(attribute)
    if wide is not None:
        counts = _shares(distorted.data, len(wide) - 1, evidence.weights)
        told = Shares("distorted", counts, edges=wide)
    else:
        wide = _widened(edges, distorted.data[~distorted.missing])
        told = Shares("distorted", _histogram(distorted, wide, evidence.weights), edges=wide)
    estimate = Shares("reconstructed", found.probability, found.low, found.high, edges)
    if original is None:
        return told, estimate
    true = _histogram(original, edges, evidence.weights)
    return Shares("original", true, edges=edges), told, estimate


def _histogram(column: Column, edges: Numbers, weights: Numbers | None) -> Numbers:
    known = ~column.missing
    counted = None if weights is None else weights[known]
    counts = np.histogram(column.data[known], edges, weights=counted)[0].astype(np.float64)
    return np.asarray(counts / max(counts.sum(), 1.0), np.float64)


def _widened(edges: Numbers, data: Numbers) -> Numbers:
    """The intervals, continued to where distorted numbers lie."""
    if not len(data):
        return edges
    step = float(np.median(np.diff(edges)))
    before = min(int(np.ceil(max(float(edges[0] - data.min()), 0) / step)), 200)
    after = min(int(np.ceil(max(float(data.max() - edges[-1]), 0) / step)), 200)
    return np.concatenate(
        [
            edges[0] - step * np.arange(before, 0, -1),
            edges,
            edges[-1] + step * np.arange(1, after + 1),
        ]
    )


def _table(found: Reconstruction, series: tuple[Shares, ...], labels: tuple[str, ...]) -> Grid:
    same = [one for one in series if len(one.shares) == len(labels)]
    heads = ["Interval" if found.values is None else "Value"]
    heads += [one.role.capitalize() for one in same]
    rows = [
        [label, *(f"{100 * one.shares[i]:.1f} %" for one in same)] for i, label in enumerate(labels)
    ]
    if found.low is not None and found.high is not None:
        heads.append("95\u202f% interval")
        for i, row in enumerate(rows):
            row.append(
                Message(
                    "{low:.1f} to {high:.1f} %", low=100 * found.low[i], high=100 * found.high[i]
                )
            )
    caption = [
        Message(
            "Estimated by {algorithm} from {rows:,} answers.",
            algorithm=found.algorithm,
            rows=found.rows,
        )
    ]
    if found.missing:
        caption.append(Message("Missing answers: {missing:,}.", missing=found.missing))
    if found.information_loss is not None:
        wrong = percent(found.information_loss)
        caption.append(
            Message("Information loss: {wrong} of the answers at a wrong value.", wrong=wrong)
        )
    return Grid(
        tuple(heads),
        tuple(map(tuple, rows)),
        tuple(heads[1:]),
        Message.joined(caption),
        len(labels) > 12,
    )


def undo_section(design: Design, table: str) -> Section:
    """How to estimate from the distorted answers; ``table`` is the name of their file."""
    file, rules = f"{table}-design.json", _rules(design)
    commands = (
        f"ppworkbench reconstruct {table}.csv --design {file}\n"
        f'ppworkbench count {table}.csv --design {file} --where "..."'
    )
    blocks: list[Block] = [
        Paragraph(
            "Estimation needs only the distorted answers and the design. P[r, c] is the "
            "probability that the true answer c is reported as r; every column sums to "
            "1. With y the shares of the reported answers, x = P⁻¹ y is an unbiased "
            "estimate of the true shares. A slightly negative estimate stays negative in "
            "sums."
        ),
        Grid(("Attribute", "Mechanism", "Estimation"), rules),
    ]
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
    blocks += [
        Listing(commands, "Command line"),
        Listing(
            json.dumps(design_to_json(design), indent=1, ensure_ascii=False, allow_nan=False),
            "Design file",
            folded=True,
        ),
    ]
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


Say = Callable[[str], str]


def spoken(report: Report, tongue: Language, study: Study) -> Report:
    """The report with every text said in a language, but for those of the study itself.

    Attributes are called what people call them.
    """
    own = _own_texts(study)

    def say(text: str) -> str:
        return text if text in own else tongue.say(study.titled(text))

    return replace(
        report,
        sections=tuple(_section(section, say) for section in report.sections),
        kind=say(report.kind),
        contents=say(report.contents),
        language=tongue.code,
    )


def _own_texts(study: Study) -> frozenset[str]:
    attributes = [designed.attribute for designed in study.design.attributes]
    if study.table is not None:
        attributes += study.table.attributes
    texts = {
        text
        for one in attributes
        for text in (one.name, one.label, one.title, one.unit, *one.values)
    }
    return frozenset(texts) | {study.title}


def _section(section: Section, say: Say) -> Section:
    blocks = tuple(_block(block, say) for block in section.blocks)
    return replace(section, title=say(section.title), blocks=blocks)


def _block(block: Block, say: Say) -> Block:
    if isinstance(block, Paragraph):
        return replace(block, text=say(block.text))
    if isinstance(block, Points):
        return Points(tuple((mark, say(text)) for mark, text in block.items))
    if isinstance(block, Grid):
        return replace(
            block,
            heads=tuple(map(say, block.heads)),
            right=tuple(map(say, block.right)),
            rows=tuple(tuple(map(say, row)) for row in block.rows),
            caption=say(block.caption),
        )
    if isinstance(block, Heat):
        texts = tuple(tuple(map(say, row)) for row in block.texts)
        return replace(block, corner=say(block.corner), texts=texts)
    if isinstance(block, Listing):
        return replace(block, title=say(block.title))
    # A figure is drawn in its language.
    return block


LIBRARIES = ("numpy", "scipy", "pandas", "pyarrow")
KEEP_IT = (
    "This report contains the true distribution and the seed. Seed and design together "
    "reveal the true answers: store it with them, and release the report of a bundle "
    "instead."
)
NO_SEED = (
    "This report contains no seed: the answers were drawn with secure randomness, or "
    "were already distorted. Nothing in it comes from the true answers."
)


@dataclass(frozen=True)
class ReportOptions(Params):
    """What a person may say about a report."""

    date: Annotated[str, Info("Date", "Date on the report; today if not set")] = ""


def build_report(
    study: Study,
    options: ReportOptions | None = None,
    *,
    points: Sequence[Point] = (),
    method: Sequence[str] = (),
    tongue: Language = ENGLISH_TONGUE,
    progress: Progress = silent,
) -> Report:
    """The report of a study; the same study gives the same report apart from its date.

    A study with original answers gives a report for those who may see them. One that came
    distorted, such as a released one, gives a report that may go along with the answers.

    Parameters
    ----------
    points
        What a release protects and what it does not.
    method
        Sentences about how the table was made, where the design does not tell.
    tongue
        The language it is written in; what comes from the study stays as it is.
    """
    options = options or ReportOptions()
    date = options.date or dt.datetime.now().astimezone().date().isoformat()
    evidence = gather(study, part(progress, 0, 0.8), tongue)
    sections = [_overview(evidence, method), *_protection(points, tongue), _data(evidence)]
    if evidence.distorted.rows and evidence.reconstructed:
        sections.append(_sampling(evidence))
    sections += _arms(evidence)
    if study.design.attributes:
        sections += _noncompliance(evidence)
        sections.append(Section("Attributes", (_given(evidence),)))
        names = study.design.without_arms().names
        for number, name in enumerate(names):
            progress(
                0.8 + 0.2 * number / len(names),
                Message("describing {attribute}", attribute=name),
            )
            sections.append(attribute_section(evidence, name))
        sections += [*list_sections(evidence), *_regressions(evidence), *_compliance(evidence)]
        sections += [_whole(evidence), *_plan(study)]
        sections.append(undo_section(study.design, file_stem(study.title)))
    sections.append(_versions(study))
    return spoken(Report(study.title, date, tuple(sections)), tongue, study)


def _overview(evidence: Evidence, method: Sequence[str]) -> Section:
    study = evidence.study
    people = (
        Message("{smallest:,} people", smallest=evidence.distorted.rows)
        if evidence.distorted.rows
        else Message("No respondents yet")
    )
    bare = undistorted(study.design)
    count = len(study.design.attributes)
    said = Message(
        "{people}, {count} attributes, {distorted} of them distorted.",
        people=people,
        count=count,
        distorted=count - len(bare),
    )
    blocks: list[Block] = [Paragraph(said, "lead"), *map(Paragraph, method)]
    if evidence.original is not None:
        blocks.append(Paragraph(KEEP_IT, "warning"))
    if count:
        heads = ("Attribute", "Mechanism", "Epsilon", "Attack success", "Information loss")
        rows = tuple(
            _short(one, evidence.heading(one.name)) for one in evidence.assessment.attributes
        )
        blocks.append(Grid(heads, rows, right=heads[2:]))
        told = (
            "Attack success: share of correct guesses of an attacker who sees the "
            "reported answer. Information loss: share of answers that the estimate puts "
            "at a wrong value."
        )
        blocks.append(Paragraph(told, "hint"))
    return Section("Summary", tuple(blocks))


def _short(report: AttributeReport, heading: str) -> tuple[str, ...]:
    readings = {reading.name: reading.text for reading in report.privacy}
    loss = next((r.text for r in report.utility.readings if r.name == "information_loss"), "–")
    return (
        heading,
        report.perturbation.summary(),
        readings.get("epsilon", "–"),
        readings.get("attack_success", "–"),
        loss,
    )


def _protection(points: Sequence[Point], tongue: Language) -> list[Section]:
    if not points:
        return []
    looks = {True: "good", False: "bad", None: "info"}
    items = tuple((looks[point.good], point.said(tongue)) for point in points)
    return [Section("What is protected and what is not", (Points(items),))]


def _data(evidence: Evidence) -> Section:
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
    kind = Message("original" if evidence.original is not None else "distorted")
    said = (
        Message("{rows:,} rows of {kind} answers.", rows=shown.rows, kind=kind)
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


def _sampling(evidence: Evidence) -> Section:
    """Whom the distributions are about, and which errors their intervals hold."""
    n, sampling = evidence.distorted.rows, evidence.study.sampling
    blocks: list[Block] = []
    if sampling is not None:
        roles = Message.joined(describe_roles(sampling), ", ")
        blocks.append(Paragraph(Message("How people were drawn: {roles}.", roles=roles)))
    whom = Message("This is about everybody whom the {n:,} people who answered stand for.", n=n)
    samples = [one.sample for one in evidence.sampled.values() if one.found.rows]
    if samples:
        # Where some left a question out, fewer stand for fewer: the whole sample is told.
        whom = max(samples, key=lambda sample: sample.n).sentence
    design = evidence.study.design
    contents = interval_contents(
        sampling, shared=bool(design.uncertain_shares(design.names))
    ).sentence
    blocks += [Paragraph(whom), Paragraph(contents)]
    return Section("Sampling", tuple(blocks))


def _regressions(evidence: Evidence) -> list[Section]:
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


def _compliance(evidence: Evidence) -> list[Section]:
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
    stem, name = file_stem(evidence.study.title), one.question.attribute
    command = compliance_command(one.question, f"{stem}.csv", f"{stem}-design.json")
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
    stem = file_stem(evidence.study.title)
    command = model_command(one.question, f"{stem}.csv", f"{stem}-design.json", one.arms)
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
    ratios = found.model != LINEAR

    def drawn(number: float) -> float:
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
        naive, true = (None if x is None else drawn(x) for x in (one.naive, one.true))
        estimate, low, high = (drawn(x) for x in (one.estimate, one.low, one.high))
        listed.append(ForestRow(say(row.full_label), estimate, low, high, naive, true))
    return forest_figure(listed, say(axis), found.confidence, ratios=ratios, say=say)


_BEHAVIOURS = {
    "truth": Message("answer truthfully"),
    "safe": Message("always give the safe answer"),
    "random": Message("answer at random"),
}


def _noncompliance(evidence: Evidence) -> list[Section]:
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
    blocks: list[Block] = [
        Paragraph(told),
        Paragraph(effect),
        Paragraph("The estimates from the answers are not corrected for it.", "hint"),
    ]
    if ignoring.behaviour == "safe":
        rows = tuple(
            (evidence.heading(d.name), ignoring.safe_of(d.attribute) or usual_safe(d.attribute))
            for d in evidence.study.design
        )
        blocks.append(Grid(("Attribute", "Safe answer"), rows))
    return [Section("Non-compliance", tuple(blocks))]


def _given(evidence: Evidence) -> Paragraph:
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


def _whole(evidence: Evidence) -> Section:
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


def _plan(study: Study) -> list[Section]:
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
    rows = tuple(tuple(_plan_cells(row, study.plan.aim, pays=pays)) for row in view.rows)
    blocks: list[Block] = [Paragraph(view.sentence, "lead"), Paragraph(limits_sentence(view))]
    blocks.append(Grid(tuple(heads), rows, right=tuple(heads[2:])))
    warned = (*(() if view.breaking is None else (view.breaking,)), *view.notices)
    blocks += [Paragraph(notice, "warning") for notice in warned]
    if study.design.arms is None:
        blocks.append(Listing(plan_command(study), "Command line", folded=True))
    return [Section("Plan", tuple(blocks))]


def _plan_cells(row: PlanRow, aim: str, *, pays: bool) -> list[str]:
    def share(limit: str) -> str:
        value = row.limits[limit]
        return "–" if value is None else f"{100 * value:.3g} %"

    found, epsilon = row.found, row.limits["epsilon"]
    respondents = found.respondents
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
        share(aim),
    ]
    if pays:
        start = found.break_even
        told = "–" if start is None else Message("never")
        if start is not None and math.isfinite(start):
            told = Message("{n:,}", n=max(1, math.ceil(start)))
        cells.append(told)
    return cells


def _versions(study: Study) -> Section:
    rows = [("ppworkbench", __version__), ("Python", platform.python_version())]
    rows += [(name, metadata.version(name)) for name in LIBRARIES]
    blocks: list[Block] = []
    if study.original is not None:
        rows.append(("seed of the study", str(study.settings.seed)))
        blocks.append(Paragraph("These versions and the seed reproduce the distorted answers."))
    else:
        blocks.append(Paragraph(NO_SEED))
    blocks.append(Grid(("Program", "Version"), tuple(rows)))
    return Section("Versions and seed" if study.original is not None else "Versions", tuple(blocks))
