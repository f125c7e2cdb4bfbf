r"""Fitted models in words and tables: for the window, the clipboard, files and papers.

Texts are messages, which each face says in its language; files for other programs have English
heads and all digits, as those of the other questions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ppworkbench.core.data.sampling_roles import BOOTSTRAP, POPULATION
from ppworkbench.core.message import Message
from ppworkbench.core.models import Coefficient, Regression, RegressionOptions
from ppworkbench.core.models.attention import ATTENTIVE
from ppworkbench.core.models.coding import INTERCEPT
from ppworkbench.core.models.estimating import CORRECTED, INVERSE, ML
from ppworkbench.core.models.family import OutcomeChange
from ppworkbench.core.models.formula import CENTER, LOG, SCALE, Term, Variable
from ppworkbench.core.models.regress import MODEL, ROBUST, SAMPLING
from ppworkbench.core.models.results import DeviceParameter, exponential
from ppworkbench.core.sampling.results import methods_of_sampling
from ppworkbench.study.release import describe_devices
from ppworkbench.study.study import Study

Say = Callable[[str], str]

NOTHING = Message("–")
"""Stands where there is no number."""
_SMALLEST_P = 0.001
_LARGEST_RATIO = 1000.0
"""Odds ratios beyond it are only told to be so: they say that a value hardly ever occurs."""
_MOST_DECIMALS = 8
_POWERS = "⁰¹²³⁴⁵⁶"


@dataclass(frozen=True)
class TermRow:
    """One coefficient as people read it.

    Parameters
    ----------
    label
        What people call the term.
    column
        The term as the formula has it, for a caption.
    level, reference
        The value that it stands for, and the one it is compared with; empty for a number.
    outcome
        The value of the outcome that it is about, where there are more than two.
    is_constant
        Whether it is an intercept or a threshold, of which no effect can be told.
    """

    coefficient: Coefficient
    label: Message
    column: str
    level: str
    reference: str
    outcome: str
    is_constant: bool

    @property
    def _decimals(self) -> int:
        """So many that the standard error has 2 digits."""
        one = self.coefficient
        return _decimals(one.standard_error, one.estimate)

    @property
    def estimate(self) -> Message:
        return _number(self.coefficient.estimate, self._decimals)

    @property
    def standard_error(self) -> Message:
        """The standard error with 2 digits; none where there are too few clusters for one."""
        if not self.has_error:
            return NOTHING
        return _number(self.coefficient.standard_error, self._decimals)

    @property
    def has_error(self) -> bool:
        """Whether a standard error can be told: with too few clusters it means nothing."""
        return self.coefficient.degrees_of_freedom > 0

    @property
    def interval(self) -> Message:
        if not self.has_error:
            return NOTHING
        return _interval(self.coefficient.low, self.coefficient.high, self._decimals)

    @property
    def p(self) -> Message:
        return p_value(self.coefficient.p)

    @property
    def odds_ratio(self) -> Message:
        odds = self.coefficient.odds_ratio
        return NOTHING if odds is None else _ratio(odds.estimate, self._odds_decimals)

    @property
    def odds_interval(self) -> Message:
        odds = self.coefficient.odds_ratio
        if odds is None or not self.has_error:
            return NOTHING
        return _interval(odds.low, odds.high, self._odds_decimals, _ratio)

    @property
    def _odds_decimals(self) -> int:
        odds = self.coefficient.odds_ratio
        # Of a ratio beyond the limits there are no digits to be seen.
        if odds is None or not 1 / _LARGEST_RATIO <= odds.estimate < _LARGEST_RATIO:
            return 2
        return max(_decimals((odds.high - odds.low) / 4, odds.estimate), 2)

    @property
    def uncorrected(self) -> Message:
        """The coefficient of the reported answers, rounded as the corrected one."""
        return _number(self.coefficient.naive, self._decimals)

    @property
    def uncorrected_odds(self) -> Message:
        return self._as_odds(self.coefficient.naive)

    @property
    def true(self) -> Message:
        return _number(self.coefficient.true, self._decimals)

    @property
    def true_odds(self) -> Message:
        return self._as_odds(self.coefficient.true)

    def _as_odds(self, coefficient: float | None) -> Message:
        if self.coefficient.odds_ratio is None or coefficient is None:
            return NOTHING
        return _ratio(exponential(coefficient), self._odds_decimals)

    @property
    def full_label(self) -> Message:
        """Term, value and reference in one line, as on the axis of a figure."""
        said = self.label
        if self.level and self.reference:
            said = Message(
                "{term}: {value} (reference: {reference})",
                term=said, value=self.level, reference=self.reference,
            )  # fmt: skip
        elif self.level:
            said = Message("{term}: {value}", term=said, value=self.level)
        if self.outcome:
            return Message("{outcome} – {term}", outcome=self.outcome, term=said)
        return said


def term_rows(found: Regression, study: Study) -> tuple[TermRow, ...]:
    """The coefficients as people read them, with what they call the attributes."""
    terms = {term.label: term for term in found.formula.terms}
    # A term that has a value for its own reference has all values, and is compared with none.
    whole = {
        one.term
        for one in found.terms
        if (term := terms.get(one.term)) is not None
        and set(_values_of(term, one.level, study)) & set(_references(term, study))
    }
    rows = []
    for one in found.terms:
        term = terms.get(one.term)
        if term is None:
            label = Message("Constant") if one.term == INTERCEPT else Message("Threshold")
            rows.append(TermRow(one, label, one.term, one.level, "", one.outcome, True))
            continue
        values = _values_of(term, one.level, study)
        has_reference = bool(values) and one.term not in whole
        rows.append(
            TermRow(
                one,
                _titled(_term_label(term), study),
                one.term,
                " × ".join(values),
                " × ".join(_references(term, study)) if has_reference else "",
                one.outcome,
                False,
            )
        )
    return tuple(rows)


def _values_of(term: Term, level: str, study: Study) -> list[str]:
    """The values of a product that a column stands for; they may hold colons themselves."""

    def split(rest: str, variables: Sequence[Variable]) -> list[str] | None:
        if not variables:
            return None if rest else []
        for value in _values(variables[0].name, study):
            if rest == value or rest.startswith(f"{value}:"):
                found = split(rest[len(value) + 1 :], variables[1:])
                if found is not None:
                    return [value, *found]
        return split(rest, variables[1:])

    return split(level, term.variables) or ([level] if level else [])


def _references(term: Term, study: Study) -> list[str]:
    return [
        one.reference or values[0] for one in term.variables if (values := _values(one.name, study))
    ]


def _values(name: str, study: Study) -> tuple[str, ...]:
    return study.design[name].attribute.values if name in study.design else ()


def _term_label(term: Term) -> Message:
    parts = [_variable_label(one) for one in term.variables]
    return parts[0] if len(parts) == 1 else Message.joined(parts, " × ")


def _variable_label(one: Variable) -> Message:
    said = Message("{attribute}", attribute=one.name)
    if one.function == LOG:
        said = Message("log({attribute})", attribute=one.name)
    elif one.function == CENTER:
        said = Message("{attribute} (centred)", attribute=one.name)
    elif one.function == SCALE:
        said = Message("{attribute} (standardised)", attribute=one.name)
    if one.power == 1:
        return said
    return Message("{base}{power}", base=said, power=_POWERS[one.power])


def _titled(said: Message, study: Study) -> Message:
    return Message.of(study.titled(said))


def _decimals(error: float | None, number: float) -> int:
    """So many decimals that an error has 2 digits; 3 digits of the number where there is none."""
    if error is not None and math.isfinite(error) and error > 0:
        return min(max(1 - math.floor(math.log10(error)), 0), _MOST_DECIMALS)
    if not math.isfinite(number) or number == 0:
        return 2
    return min(max(2 - math.floor(math.log10(abs(number))), 0), _MOST_DECIMALS)


def _number(number: float | None, decimals: int) -> Message:
    if number is None or not math.isfinite(number):
        return NOTHING
    rounded = round(number, decimals)
    # What rounds to 0 has no sign.
    return Message(f"{{number:,.{decimals}f}}", number=rounded or 0.0)


def _ratio(ratio: float, decimals: int) -> Message:
    if math.isfinite(ratio) and ratio >= _LARGEST_RATIO:
        return Message("> {limit:,g}", limit=_LARGEST_RATIO)
    if 0 < ratio < 1 / _LARGEST_RATIO:
        return Message("< {limit:g}", limit=1 / _LARGEST_RATIO)
    return _number(ratio, decimals)


def _interval(
    low: float, high: float, decimals: int, write: Callable[[float, int], Message] = _number
) -> Message:
    if math.isnan(low) or math.isnan(high):
        return NOTHING
    ends = {
        name: write(end, decimals) if math.isfinite(end) else Message("∞" if end > 0 else "-∞")
        for name, end in (("low", low), ("high", high))
    }
    return Message("{low} to {high}", **ends)


def p_value(p: float) -> Message:
    """A p value with 3 decimals; smaller ones are only told to be so.

    >>> p_value(0.0123), p_value(1e-9), p_value(float("nan"))
    ('0.012', '< 0.001', '–')
    """
    if not math.isfinite(p):
        return NOTHING
    if p < _SMALLEST_P:
        return Message("< {limit:g}", limit=_SMALLEST_P)
    return Message("{p:.3f}", p=p)


def device_numbers(device: DeviceParameter) -> tuple[Message, Message]:
    """The estimated parameter of a device and its interval, rounded by its error."""
    decimals = _decimals(device.standard_error, device.estimate)
    return _number(device.estimate, decimals), _interval(device.low, device.high, decimals)


# One sentence


def headline(found: Regression, study: Study) -> Message:
    """The clearest effect in one sentence for people."""
    rows = [row for row in term_rows(found, study) if math.isfinite(row.coefficient.p)]
    told = ((row, effect_sentence(row, found, study)) for row in rows if not row.is_constant)
    sentences = [(row.coefficient.p, said) for row, said in told if said is not None]
    if not sentences:
        return _titled(Message.of(found.sentence), study)
    return min(sentences, key=lambda pair: pair[0])[1]


def effect_sentence(row: TermRow, found: Regression, study: Study) -> Message | None:
    """What one coefficient says; None where a sentence would need the others to be true."""
    term = next((one for one in found.formula.terms if one.label == row.column), None)
    if term is None or not _stands_alone(term, found):
        return None
    variable, one = term.variables[0], row.coefficient
    step = 1.0
    if row.level:
        if not row.reference:
            return None
        whom = Message(
            "With {attribute} = “{value}” instead of “{reference}”",
            attribute=variable.name, value=row.level, reference=row.reference,
        )  # fmt: skip
    elif variable.function == SCALE:
        whom = Message("With {attribute} higher by a standard deviation", attribute=variable.name)
    else:
        step = _step(variable.name, study)
        whom = _higher(variable.name, step, study)
    said = Message(
        "{whom} {change} ({level:g} % interval {low} to {high}).",
        whom=whom,
        level=100 * found.confidence,
        **_change(row, found, study, step),
    )
    nothing = 1.0 if found.family.takes_ratios else 0.0
    if one.low < 0 < one.high:
        unclear = Message(
            "The interval includes {nothing:g}, so no difference is shown.", nothing=nothing
        )
        said = Message.joined((said, unclear))
    return _titled(said, study)


def _stands_alone(term: Term, found: Regression) -> bool:
    """Whether the attribute is in this term only, as it is or shifted."""
    if len(term.variables) != 1:
        return False
    name = term.variables[0].name
    used = sum(one.name == name for other in found.formula.terms for one in other.variables)
    return used == 1 and term.variables[0].power == 1 and term.variables[0].function != LOG


def _step(name: str, study: Study) -> float:
    """By how much more a number is told: a power of ten, about a tenth of its range."""
    width = study.design[name].attribute.width if name in study.design else 0.0
    return float(10.0 ** math.floor(math.log10(width / 10))) if width >= 10 else 1.0


def _higher(name: str, step: float, study: Study) -> Message:
    unit = study.unit(name)
    if unit:
        return Message(
            "With {attribute} higher by {step:,g} ({unit})", attribute=name, step=step, unit=unit
        )
    return Message("With {attribute} higher by {step:,g}", attribute=name, step=step)


def _change(row: TermRow, found: Regression, study: Study, step: float) -> dict[str, Message]:
    """What happens to the outcome, with the ends of the interval on the same scale."""
    one, of = row.coefficient, found.formula.outcome
    if found.family.takes_ratios:
        ratios = [exponential(x * step) for x in (one.estimate, one.low, one.high)]
        decimals = max(_decimals((ratios[2] - ratios[1]) / 4, ratios[0]), 2)
        change, low, high = (_number(x, decimals) for x in ratios)
    else:
        decimals = _decimals(one.standard_error * step, one.estimate * step)
        low, high = (_number(end * step, decimals) for end in (one.low, one.high))
        change = _number(abs(one.estimate) * step, decimals)
    value, base = row.outcome or explained_value(found, study), (*_values(of, study), "")[0]
    moved = OutcomeChange(of, change, value, base, is_more=one.estimate >= 0)
    return {"change": found.family.effect_message(moved), "low": low, "high": high}


def explained_value(found: Regression, study: Study) -> str:
    """The value that a model of one share is about; empty for several shares and for means."""
    if not found.family.gives_shares:
        return ""
    values = _values(found.formula.outcome, study)
    return found.formula.value or (values[-1] if len(values) == 2 else "")


# Words for a publication

_METHODS = {
    ML: Message(
        "The coefficients maximise the likelihood of the reported answers under the known "
        "probabilities of the mechanisms."
    ),
    INVERSE: Message(
        "The coefficients solve score equations weighted by the inverse of the known probabilities "
        "of the mechanisms."
    ),
    CORRECTED: Message(
        "The coefficients solve score equations from which the known variance of the noise was "
        "subtracted."
    ),
}
_UNDISTORTED_METHODS = {
    ML: Message("The coefficients maximise the likelihood of the answers."),
    INVERSE: Message("The coefficients solve the score equations of the answers."),
    CORRECTED: Message("The coefficients solve the score equations of the answers."),
}
VARIANCE_WORDS = {
    MODEL: Message("Standard errors come from the information of the likelihood."),
    ROBUST: Message("Standard errors are robust (sandwich estimator)."),
    SAMPLING: Message("Standard errors follow from the sampling (linearisation)."),
    BOOTSTRAP: Message("Standard errors come from a bootstrap."),
}


def model_methods(
    options: RegressionOptions, found: Regression, study: Study, target: str = POPULATION
) -> tuple[Message, ...]:
    """Sentences for a methods section: what was fitted, to what and how."""
    undistorted = study.design.is_undistorted(found.formula.attributes)
    parts = [
        Message(
            "A {model} of {of} on {attributes} was fitted to the answers of {n:,} respondents."
            if undistorted
            else "A {model} of {of} on {attributes} was fitted to the randomised answers of {n:,} "
            "respondents ({how}).",
            model=found.family.title,
            of=found.formula.outcome,
            attributes=found.formula.predictors or Message("a constant"),
            n=found.n,
            how=describe_devices(found.formula.attributes, study.design),
        )
    ]
    if found.condition.tests:
        whom = str(found.condition.titled(study.shown))
        parts.append(Message("It includes only respondents with {whom}.", whom=whom))
    methods = _UNDISTORTED_METHODS if undistorted else _METHODS
    parts += [methods[found.method], VARIANCE_WORDS[found.variance]]
    if options.penalty:
        parts.append(Message("Jeffreys' prior kept the coefficients finite."))
    if found.device is not None:
        parts.append(_device_words(found.device, found.confidence))
    if target == POPULATION:
        parts += methods_of_sampling(study.sampling)
    parts.append(found.contents.sentence)
    return tuple(_titled(one, study) for one in parts)


def _device_words(device: DeviceParameter, confidence: float) -> Message:
    estimate, interval = device_numbers(device)
    if device.parameter == ATTENTIVE:
        return Message(
            "The share of people who attend to {attribute} was estimated as well, from its check "
            "question: {estimate} ({level:g} % interval {interval}). The others were taken to "
            "answer at random.",
            attribute=device.attribute,
            estimate=estimate,
            level=100 * confidence,
            interval=interval,
        )
    return Message(
        "The {parameter} of the device of {attribute} was estimated as well: {estimate} "
        "({level:g} % interval {interval}).",
        parameter=device.parameter,
        attribute=device.attribute,
        estimate=estimate,
        level=100 * confidence,
        interval=interval,
    )


# Tables


def rounded_rows(found: Regression, study: Study) -> tuple[tuple[Message, ...], ...]:
    """Heads and rows for reading: rounded, as messages.

    Where there are odds ratios, the interval, the uncorrected and the true number are such, too.
    """
    rows = term_rows(found, study)
    has_odds = any(row.coefficient.odds_ratio is not None for row in rows)
    has_true = any(row.coefficient.true is not None for row in rows)
    has_people = any(row.coefficient.people is not None for row in rows)
    level = Message("{level:g} % interval", level=100 * found.confidence)
    heads = [Message("Term"), Message("Odds ratio") if has_odds else Message("Coefficient")]
    heads += [level, Message("Uncorrected"), *([Message("True")] if has_true else [])]
    heads += [Message("p"), *([Message("B")] if has_odds else [])]
    heads += [Message("SE"), *([Message("People")] if has_people else [])]
    table = [tuple(heads)]
    for row in rows:
        cells = [row.full_label]
        if has_odds:
            cells += [row.odds_ratio, row.odds_interval, row.uncorrected_odds]
        else:
            cells += [row.estimate, row.interval, row.uncorrected]
        if has_true:
            cells.append(row.true_odds if has_odds else row.true)
        cells += [row.p, *([row.estimate] if has_odds else []), row.standard_error]
        cells += [_number(row.coefficient.people, 0)] if has_people else []
        table.append(tuple(cells))
    return tuple(table)


def model_latex(found: Regression, study: Study, say: Say = str) -> str:
    r"""A ``tabular`` with the rules of booktabs, as all tables have; rounded for reading."""
    heads, *rows = rounded_rows(found, study)
    lines = [r"% \usepackage{booktabs}"]
    lines += [rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}", r"\toprule"]
    lines += [_latex_line(heads, say), r"\midrule"]
    lines += [_latex_line(row, say) for row in rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _latex_line(cells: Sequence[str], say: Say) -> str:
    return " & ".join(escape_latex(say(cell)) for cell in cells) + r" \\"


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"$<$", ">": r"$>$", "|": r"$|$", "×": r"$\times$", "∞": r"$\infty$",
    "–": "--", "−": "$-$",
    "“": "``", "”": "''", "„": ",,", "\u202f": r"\,", "\u00a0": "~",
    **{sign: f"$^{number}$" for number, sign in enumerate(_POWERS)},
}  # fmt: skip
_MINUS = re.compile(r"(?<![\w.-])-(?=[\d∞])")


def escape_latex(text: str) -> str:
    r"""The text as LaTeX prints it.

    >>> print(escape_latex("50 % of a_b"), escape_latex("-0.5"), escape_latex("<0.001"))
    50 \% of a\_b $-$0.5 $<$0.001
    """
    # Split by blanks only: a narrow space has a meaning of its own.
    words = " ".join(re.split(r"[ \t\r\n]+", text))
    marked = _MINUS.sub("−", words)
    return "".join(_LATEX.get(letter, letter) for letter in marked)
