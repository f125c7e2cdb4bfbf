"""What an attacker learns from reported answers, beside the true ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ppworkbench.api.inputs import AnswerSource, Data, DesignLike, refuse_reported, settings
from ppworkbench.api.result import Result
from ppworkbench.api.text import TRUE, aligned, harmless
from ppworkbench.core.attacks import (
    BestGuess,
    Filtering,
    Linkage,
    RepeatedQuestion,
    best_guess,
    filter_noise,
    link_records,
    repeated_question,
)
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.progress import Progress, part, silent

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design.design import Design

ATTACKS = ("guess", "repeat", "filter", "link")


def attack(  # noqa: PLR0913 (keywords with defaults)
    data: Data,
    design: DesignLike,
    original: Data,
    *,
    attack: str = "guess",
    attribute: str | None = None,
    known: Sequence[str] = (),
    seed: int = 0,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> AttackResult:
    """Attack reported answers whose true ones are at hand, and count how often that succeeds.

    Parameters
    ----------
    data, original
        The reported answers and the true ones, row by row of the same people.
    attack
        ``guess`` (the best guess from one answer), ``repeat`` (the question asked again and again),
        ``filter`` (noise filtered from several numbers) or ``link`` (records found again).
    attribute
        The attribute that ``guess`` and ``repeat`` are about.
    known
        The attributes that the attacker knows of everybody, for ``link``.
    seed
        Of what is drawn by ``repeat`` and ``link``.
    reading, progress
        As for :class:`Survey`.

    Examples
    --------
    >>> import pandas as pd
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"smokes": {
    ...     "kind": "binary", "values": ["no", "yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75}}}}
    >>> true = pd.DataFrame({"smokes": ["no"] * 60 + ["yes"] * 40})
    >>> told = pd.DataFrame({"smokes": ["no"] * 45 + ["yes"] * 15 + ["no"] * 10 + ["yes"] * 30})
    >>> attack(told, design, true, attribute="smokes").found.right.share
    0.75
    """
    chosen = as_design(design)
    if attack not in ATTACKS:
        raise ParameterError(
            f"attack must be one of {', '.join(ATTACKS)}, not {attack!r}.", field="attack"
        )
    if attack in ("guess", "repeat") and attribute is None:
        raise ParameterError("Name the attribute that is attacked.", field="attribute")
    if attack == "link" and not known:
        raise ParameterError("Name at least 1 attribute that the attacker knows.", field="known")
    how = reading if isinstance(reading, ReadOptions) else settings(ReadOptions, reading or {})
    reported = AnswerSource(data, how).whole(chosen.distorted_schema, part(progress, 0.0, 0.2))
    true = _true_answers(chosen, original, how, part(progress, 0.2, 0.4))
    if true.rows != reported.rows:
        raise DataError(
            f"There are {reported.rows:,} reported answers and {true.rows:,} true ones; both must "
            "be of the same people, row by row."
        )
    rest = part(progress, 0.4, 1.0)
    found: BestGuess | RepeatedQuestion | Filtering | Linkage
    if attack == "filter":
        found = filter_noise(true, reported, chosen, progress=rest)
    elif attack == "link":
        names = [chosen.question(name).name for name in known]
        found = link_records(true, reported, chosen, names, seed, rest)
    else:
        name = chosen.question(str(attribute)).name
        # In a group the coin of the group is the one that counts.
        one = dataclasses.replace(chosen[name], perturbation=chosen.perturbation(name))
        if attack == "repeat":
            found = repeated_question(true[name], reported[name], one, seed, rest)
        else:
            found = best_guess(true[name], reported[name], one, rest)
    return AttackResult(attack, found)


def _true_answers(design: Design, data: Data, reading: ReadOptions, progress: Progress) -> Table:
    """The true answers with missing ones treated as before they were randomised."""
    from ppworkbench.core.data.missing import apply_missing_policies

    source = AnswerSource(data, reading, name="original")
    refuse_reported(source.path)
    drawn = set(design.drawn_columns)
    schema = [one for one in design.original_schema if one.name not in drawn]
    table, arms = source.whole(schema, progress), design.arms
    not_asked = None if arms is None else arms.not_asked(table)
    return apply_missing_policies(table, not_asked=not_asked).table


@dataclass(frozen=True, eq=False, repr=False)
class AttackResult(Result):
    """What an attack found; ``found`` has it in full."""

    attack: str
    found: BestGuess | RepeatedQuestion | Filtering | Linkage
    state = TRUE

    def _document(self) -> Mapping[str, Any]:
        return {"attack": self.attack, **dataclasses.asdict(self.found)}

    def summary(self) -> str:
        """The attack for people."""
        rows = self._rows()
        heads = list(rows[0]) if rows else []
        cells = [[_cell(one[head]) for head in heads] for one in rows]
        return "\n".join([self._sentence(), "", aligned(heads, cells, right=heads[1:])])

    def _sentence(self) -> str:
        found = self.found
        if isinstance(found, BestGuess):
            low, high = found.right.interval
            return (
                f"{harmless(found.name)}: the best guess from a report is right for "
                f"{found.right.share:.1%} (95 % interval {low:.1%} to {high:.1%}), by the formula "
                f"for {found.expected:.1%}, without a report for {found.blind:.1%}."
            )
        if isinstance(found, RepeatedQuestion):
            asking = found.asking
            return (
                f"{harmless(found.name)}: after {asking.times[-1]} reports with fresh noise the "
                f"best guess is right for {asking.fresh[-1].value:.1%}, after one report for "
                f"{asking.memoised:.1%}, without any for {asking.blind:.1%}."
            )
        if isinstance(found, Filtering):
            removed = ", ".join(f"{name} {one.value:.1%}" for name, one in found.removed.items())
            return (
                f"Share of the noise variance that is removed from {len(found.attributes)} "
                f"numbers of {found.records:,} records: {removed}."
            )
        last = found.steps[-1]
        return (
            f"Who knows {len(last.names)} attributes links {last.linked.share:.1%} of the records "
            f"correctly, by lot {found.blind:.2%}, without randomisation {last.undistorted:.1%}."
        )

    def _rows(self) -> list[dict[str, Any]]:
        found = self.found
        if isinstance(found, BestGuess):
            return [
                {"guess": one.guess, "reported": one.reported, "before": one.before,
                 "expected": one.expected, "right": one.right.share, "n": one.right.n}
                for one in found.guesses
            ]  # fmt: skip
        if isinstance(found, RepeatedQuestion):
            pairs = zip(found.asking.times, found.asking.fresh, strict=True)
            return [
                {"reports": times, "right": one.value, "standard_error": one.error}
                for times, one in pairs
            ]
        if isinstance(found, Filtering):
            return [
                {"attribute": one.name, "noise": one.stated, "reported": one.published,
                 **{f"after {name}": value for name, value in one.rmse.items()}}
                for one in found.attributes
            ]  # fmt: skip
        return [
            {"known": ", ".join(one.names), "unique": one.unique_original,
             "unique_reported": one.unique_distorted, "linked": one.linked.share,
             "n": one.linked.n, "undistorted": one.undistorted}
            for one in found.steps
        ]  # fmt: skip

    def to_frame(self) -> pd.DataFrame:
        """One row per guess, number of reports, attribute or set of known attributes."""
        import pandas as pd

        return pd.DataFrame(self._rows())


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return harmless(str(value))
