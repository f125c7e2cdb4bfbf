"""What an attacker learns from reported answers, beside the true ones."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import (
    AnswerSource,
    Data,
    DesignLike,
    design_for,
    given_options,
    refuse_reported,
)
from ppworkbench.core.attacks import AttackedAnswers, attacks
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.picture import Axis, Interval, Picture, intervals
from ppworkbench.results.result import Result
from ppworkbench.results.text import TRUE, aligned, harmless

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.core.attacks import Finding
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design.design import Design

__all__ = ["AttackResult", "attack", "attacks"]


@check_arguments
def attack(  # noqa: PLR0913 (keywords with defaults)
    data: Data,
    design: DesignLike | None = None,
    original: Data | None = None,
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
        The reported answers and the true ones, row by row of the same people; both are needed.
    design
        The design; that in the codebook of the reported answers if not given.
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
    if attack not in attacks:
        named = ", ".join(entry.name for entry in attacks.ranked)
        raise ParameterError(f"attack must be one of {named}, not {attack!r}.", field="attack")
    asked = attacks[attack]
    if asked.takes_attribute and attribute is None:
        raise ParameterError("Name the attribute that is attacked.", field="attribute")
    if asked.takes_known and not known:
        raise ParameterError("Name at least 1 attribute that the attacker knows.", field="known")
    how = given_options(ReadOptions, reading)
    if original is None:
        raise ParameterError("Give the true answers of the same people.", field="original")
    source = AnswerSource(data, how)
    chosen = design_for(source, design)
    reported = source.whole(chosen.distorted_schema, part(progress, 0.0, 0.2))
    true = _true_answers(chosen, original, how, part(progress, 0.2, 0.4))
    if true.rows != reported.rows:
        raise DataError(
            f"There are {reported.rows:,} reported answers and {true.rows:,} true ones; both must "
            "be of the same people, row by row."
        )
    name = "" if attribute is None else chosen.question(attribute).name
    names = [chosen.question(one).name for one in known]
    attacked = AttackedAnswers(true, reported, chosen, name, names, seed)
    return AttackResult(attack, asked.run(attacked, part(progress, 0.4, 1.0)))


def _true_answers(design: Design, data: Data, reading: ReadOptions, progress: Progress) -> Table:
    """The true answers with missing ones treated as before they were randomised."""
    from ppworkbench.core.data.missing import apply_missing_policies

    source = AnswerSource(data, reading, name="original")
    refuse_reported(source.path)
    drawn = set(design.drawn_columns)
    schema = [one for one in design.original_schema if one.name not in drawn]
    table = source.whole(schema, progress)
    return apply_missing_policies(table, not_asked=design.versions.not_asked(table)).table


@dataclass(frozen=True, eq=False, repr=False)
class AttackResult(Result):
    """What an attack found; ``found`` has it in full."""

    attack: str
    found: Finding
    state = TRUE

    def _document(self) -> Mapping[str, Any]:
        return {"attack": self.attack, **dataclasses.asdict(self.found)}

    def summary(self) -> str:
        """The attack for people."""
        rows = self.found.rows()
        heads = list(rows[0]) if rows else []
        cells = [[_cell(one[head]) for head in heads] for one in rows]
        sentence = harmless(str(self.found.sentence))
        return "\n".join([sentence, "", aligned(heads, cells, right=heads[1:])])

    def to_frame(self) -> pd.DataFrame:
        """One row per guess, number of reports, attribute or set of known attributes."""
        import pandas as pd

        return pd.DataFrame(self.found.rows())

    def pictures(self) -> tuple[Picture, ...]:
        """A point per guess, number of reports or attribute, with its interval."""
        points = self.found.points()
        listed = [Interval(value, *ends) for _, value, ends in points]
        title = Message("What an attack finds")
        axis = Axis(Message("{title}", title=self.found.measure))
        return (intervals("attack", title, axis, [label for label, _, _ in points], listed),)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "–" if math.isnan(value) else f"{value:.4g}"
    return harmless(str(value))
