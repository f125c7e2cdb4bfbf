"""Trying a study out with invented respondents."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import StudyPath, check_arguments
from ppworkbench.analyses.collecting.rehearsal import Strength
from ppworkbench.analyses.inputs import refuse_export
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.result import Result
from ppworkbench.results.text import harmless

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.study.study import Study

STRENGTHS = tuple(str(one) for one in Strength)
ALL = ""
"""The key of a mapping of strengths for all questions."""


@check_arguments
def rehearse(
    study: StudyPath,
    out: str | os.PathLike[str],
    *,
    n: int | None = None,
    seed: int | None = None,
    strength: str | Mapping[str, str] | None = None,
    progress: Progress = silent,
) -> RehearsalResult:
    """Fill a study with invented answers, to try everything out before anybody is asked.

    Parameters
    ----------
    study
        A study without answers, or the path of a design.
    out
        The study (``.ppw``) with these answers, replaced if it exists; it says that they are
        invented wherever they are used.
    n
        How many people to invent; 500, or what the study was rehearsed with.
    seed
        Where the draw starts; that of the study if not given.
    strength
        How strongly questions go together: ``none``, ``some``, ``strong``, ``some-opposite`` or
        ``strong-opposite``, of all or by question; the key ``""`` stands for all.

    Examples
    --------
    >>> import tempfile
    >>> import ppworkbench as pp
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"smokes": {
    ...     "kind": "binary", "values": ["no", "yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.8}}}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pp.Design.from_dict(design).save(f"{folder}/design.json")
    ...     tried = pp.rehearse(f"{folder}/design.json", f"{folder}/trial.ppw", n=200, seed=1)
    >>> tried.to_dict()["rows"]
    200
    """
    from ppworkbench.analyses.collecting.rehearsal import RehearsalSettings
    from ppworkbench.analyses.collecting.rehearsal import rehearse as rehearse_study
    from ppworkbench.core.planning.questionnaire import planned_names
    from ppworkbench.fieldwork.opening import open_anything
    from ppworkbench.study.files.study_file import SUFFIX, save_study
    from ppworkbench.study.questionnaire.document import read_beside

    target = os.fspath(out)
    if not target.lower().endswith(SUFFIX):
        raise ParameterError(
            f"Invented answers are kept in a study; out must end in {SUFFIX}.", field="out"
        )
    refuse_export(study)
    opened = open_anything([Path(study)], progress=part(progress, 0, 0.2))
    if opened.table is None and opened.questionnaire is None:
        opened = opened.with_(questionnaire=read_beside(Path(study)))
    usual = RehearsalSettings.of(opened)
    start = opened.settings.seed if seed is None else seed
    given = {ALL: strength} if isinstance(strength, str) else strength or {}
    strengths = MappingProxyType({**usual.strengths, **_strengths(given, opened)})
    wanted = RehearsalSettings(usual.n if n is None else n, start, strengths)
    rehearsed = rehearse_study(opened, wanted, part(progress, 0.2, 0.8))
    save_study(rehearsed, target, part(progress, 0.8, 1.0))
    told = {name: str(wanted.strength(name)) for name in planned_names(opened.design)}
    return RehearsalResult(target, rehearsed, start, MappingProxyType(told))


@dataclass(frozen=True, eq=False, repr=False)
class RehearsalResult(Result):
    """The study that was written; ``strengths`` tell how its questions go together."""

    file: str
    study: Study
    seed: int
    strengths: Mapping[str, str]

    def _document(self) -> Mapping[str, Any]:
        return {"rows": self.study.rows, "seed": self.seed, "state": str(self.study.state)}

    def summary(self) -> str:
        """What was written, as the command line prints it."""
        from ppworkbench.study.answer_state import invented_sentence

        said = invented_sentence(self.study.rows)
        return f"{said}\nSeed {self.seed}. Wrote {harmless(self.file)}."

    def to_frame(self) -> pd.DataFrame:
        """One row per question: how strongly it goes with the others."""
        import pandas as pd

        return pd.DataFrame(list(self.strengths.items()), columns=["attribute", "strength"])


def _strengths(given: Mapping[str, str], study: Study) -> dict[str, Strength]:
    """How strongly questions go with the others, by their names."""
    from ppworkbench.core.planning.questionnaire import planned_names

    found: dict[str, Strength] = {}
    for name, word in given.items():
        if word not in STRENGTHS:
            known = ", ".join(STRENGTHS)
            raise ParameterError(
                f"strength must be one of {known}, not {word!r}.", field="strength"
            )
        names = (study.design.question(name).name,) if name else planned_names(study.design)
        found |= dict.fromkeys(names, Strength(word))
    return found
