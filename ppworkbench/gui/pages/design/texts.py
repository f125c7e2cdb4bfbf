"""What the page says about a design and its measures."""

from __future__ import annotations

import math

import numpy as np

from ppworkbench.analyses.designs.design import Z95, belief_of, sensitive_precision
from ppworkbench.analyses.designs.goals import MET, OPEN, PLAIN, Light
from ppworkbench.analyses.designs.places import BELIEF
from ppworkbench.analyses.estimates.lists import list_title
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Perturbation, perturbations
from ppworkbench.core.design.noises.distribution import Noise
from ppworkbench.core.design.procedures import is_page_only
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.belief import SensitiveBelief, listed
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.registry import Entry
from ppworkbench.gui.charts.trade_off_picture import half_width_words
from ppworkbench.gui.language import own_words, tr, translate
from ppworkbench.gui.numbers import in_unit, number, percent, probability, signed, significant
from ppworkbench.gui.widgets.labels import role_word
from ppworkbench.study.study import Study


def safe(words: str) -> str:
    """Words of others, for a text with marks."""
    return words.replace("&", "&amp;").replace("<", "&lt;")


def role_reason(study: Study, name: str) -> str:
    """Why a column that counts a list or tells of the sampling has no mechanism; else empty."""
    asked = next((one for one in study.design.lists if one.count == name), None)
    if asked is not None:
        return tr(
            "“%s” counts a list: people say how many of %s harmless items, and of “%s”, apply to "
            "them. Counts are not randomised; 0 and %s give the answer away."
        ) % (study.shown(name), asked.size, list_title(asked, study), asked.size + 1)
    role = study.design.role_of(name)
    if not role:
        return ""
    return tr(
        "“%s” tells how people were drawn (%s) and is not randomised: estimates need it as it is. "
        "To randomise it, take its role away on Data."
    ) % (study.shown(name), role_word(role))


def design_sentence(report: AttributeReport) -> str:
    """What is done to an answer, and how exactly the survey will be known."""
    perturbation = report.perturbation
    if perturbation.is_identity:
        return tr("Answers are not randomised; each is fully disclosed.")
    noise = perturbation.numbers.noise_of(report.attribute)
    intervals = perturbation.numbers.interval_edges(report.attribute)
    if report.matrix is not None:
        what = _matrix(report)
    elif noise is not None:
        what = _additive(report, noise)
    elif perturbation.is_factor:
        what = tr("Every number is multiplied by a random factor around 1.")
    elif perturbation.numbers.exact_share is not None:
        what = tr(
            "%s of numbers are kept; the rest are replaced by a random number from the domain."
        ) % (percent(perturbation.numbers.exact_share))
    elif intervals is not None:
        count = len(intervals) - 1
        what = tr("Only one of %s intervals is reported, never the number.") % count
    else:
        what = safe(translate(perturbation.in_words(report.attribute)))
    return " ".join(part for part in (what, _belief(report), _accuracy(report)) if part)


def light_words(light: Light) -> str:
    """Whether a question meets its goals, or what it misses; without goals how precise it is."""
    if light.state == PLAIN:
        return tr("not randomised")
    if light.state == MET:
        return tr("meets all goals")
    if light.state == OPEN:
        return precision_words(light)
    if light.privacy is not None:
        above = tr("belief %s") if light.measure == BELIEF else tr("attack success %s")
        return above % percent(light.privacy)
    if math.isinf(light.needed):
        return tr("biased; no n is enough") if light.is_biased else tr("cannot be estimated")
    return tr("needs %s people") % number(light.needed)


def precision_words(light: Light) -> str:
    """Half of the 95 % interval of a question without goals."""
    attribute = light.attribute
    if attribute is None or math.isinf(light.half_width):
        return tr("cannot be estimated")
    half = half_width_words(light.half_width, attribute.kind.is_numeric)
    if attribute.kind.is_numeric:
        return in_unit(half, own_words(attribute.unit))
    return tr("%s points") % half


def belief_label(belief: SensitiveBelief) -> str:
    """What the card of the belief is called; only one short answer is named there."""
    words = tr("Belief in %s") % translate(listed(belief.values))
    return words if len(belief.values) == 1 and len(words) <= _ROOM else tr("Belief", "short")


_ROOM = 20
"""Letters of a card's label that are never cut off."""


def _belief(report: AttributeReport) -> str:
    belief = belief_of(report)
    if belief is None:
        return ""
    meant = safe(translate(listed(belief.values)))
    before, after = probability(belief.before), probability(belief.after)
    if after == before:
        return tr("No report changes the chance of %s (%s).") % (meant, before)
    return tr("If someone reports “%s”, the chance of %s goes from %s to <b>%s</b>.") % (
        safe(belief.reported), meant, before, after
    )  # fmt: skip


def _matrix(report: AttributeReport) -> str:
    matrix = report.matrix
    assert matrix is not None  # noqa: S101 (it has a P-matrix)
    keep = float(np.diag(matrix) @ report.prior.probabilities)
    who = _in_ten(keep)
    reach = report.perturbation.values.reach
    if not reach:
        kept = tr("%s report the true answer, the rest a different value.") % who
    elif reach == 1:
        kept = tr("%s report the true answer, the rest a neighbouring value.") % who
    else:
        words = tr("%s report the true answer, the rest a value up to %s steps away.")
        kept = words % (who, reach)
    return kept + _ruled_out(report)


def _ruled_out(report: AttributeReport) -> str:
    matrix = report.matrix
    assert matrix is not None  # noqa: S101 (it has a P-matrix)
    zero = np.argwhere((matrix <= 0) & (matrix.max(axis=1, keepdims=True) > 0))
    if not len(zero):
        return ""
    row, column = zero[-1] if len(zero) else (0, 0)
    values = report.attribute.values
    return " " + tr("A reported “%s” rules out “%s”.") % (
        safe(values[int(row)]), safe(values[int(column)])
    )  # fmt: skip


def _additive(report: AttributeReport, noise: Noise) -> str:
    unit = safe(own_words(report.attribute.unit))
    width = report.perturbation.numbers.interval_width(0.95, report.attribute)
    assert width is not None  # noqa: S101 (noise has a width)
    if noise.name == "uniform":
        what = tr("A random number of at most %s is added to every answer.")
        return what % in_unit(significant(noise.scale), unit)
    inside = 0.683 if noise.name == "normal" else 1 - math.exp(-1)
    what = tr(
        "A random number is added to every answer; %s times in 100 it is below %s. A "
        "report places the true number in a range <b>%s wide</b> (95 times in 100)."
    )
    scale, wide = (in_unit(significant(one), unit) for one in (noise.scale, width))
    return what % (number(100 * inside), scale, wide)


def _accuracy(report: AttributeReport) -> str:
    utility = report.utility
    n = number(utility.n)
    if utility.mean_standard_error is not None:
        error = math.hypot(utility.mean_standard_error, utility.mean_bias)
        if not math.isfinite(error):
            return tr("The mean cannot be estimated.")
        half = in_unit(significant(Z95 * error), safe(own_words(report.attribute.unit)))
        return tr("The mean of %s respondents is estimated to <b>± %s</b>.") % (
            n,
            half,
        )
    # An interval around an estimate that is off does not tell how far the truth may be.
    precision = sensitive_precision(report)
    worst = Z95 * (float(utility.rmse.max()) if precision is None else precision.rmse)
    if not math.isfinite(worst):
        return tr("<b>The matrix is singular</b>; nothing can be estimated.")
    points = number(100 * worst, 1)
    if precision is None:
        return tr("With %s respondents every share is estimated to <b>± %s points</b>.") % (
            n, points
        )  # fmt: skip
    meant = safe(translate(listed(precision.values)))
    return tr("With %s respondents the share of %s is estimated to <b>± %s points</b>.") % (
        n, meant, points
    )  # fmt: skip


def _in_ten(share: float) -> str:
    tenths = share * 10
    whole = round(tenths)
    if abs(tenths - whole) < 0.06 and 1 <= whole <= 9:
        return tr("%s in 10") % whole
    return tr("%s in 100") % number(100 * share)


def change_words(key: str, change: float) -> str:
    if key in ("attack", "belief"):
        return tr("%s pts") % signed(100 * change)
    if key == "loss":
        return signed(change, 3)
    if key == "needed":
        return signed(change)
    return signed(change, 1 if abs(change) < 100 else 0)


def offered(kind: Kind) -> list[Entry[type[Perturbation]]]:
    """The mechanisms to choose from for attributes of a kind, in the order of the page."""
    return [entry for entry in perturbations.ranked if entry.item.is_offered(kind)]


def hints(kind: Kind) -> dict[str, str]:
    """Why somebody takes each of them, by name, and whether people can do it by hand."""
    page_only = tr("%s (page only)")
    return {
        entry.name: page_only % translate(entry.hint)
        if is_page_only(entry.item, kind)
        else translate(entry.hint)
        for entry in offered(kind)
    }


def refusals(attribute: Attribute) -> dict[str, str]:
    """Why some of them cannot be chosen for an attribute, by name."""
    reasons = {e.name: translate(e.item.why_not(attribute)) for e in offered(attribute.kind)}
    return {name: reason for name, reason in reasons.items() if reason}


def interval_words(label: str) -> str:
    """An interval in the language of the window, its borders without endless decimals.

    >>> interval_words(Message("{low:.15g} to {high:.15g}", low=0, high=15000 / 7))
    '0 to 2142.86'
    """
    if isinstance(label, Message):
        label = label.with_(**{name: _short(end) for name, end in label.args.items()})
    return translate(label)


def _short(end: object) -> object:
    is_short = not isinstance(end, float) or round(end, 3) == end
    return end if is_short else float(f"{end:.6g}")
