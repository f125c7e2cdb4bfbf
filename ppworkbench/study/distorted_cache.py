"""The answers as an analyst would have them: distorted ones, with the truth where it is known."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from ppworkbench.core.data.attribute import MissingPolicy
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.core.survey.parted import PartedAnswers
    from ppworkbench.study.parts.counted import CountedAnswers

_KEPT = 2
"""Tables kept: that of now, and that before an undo."""


@dataclass(frozen=True, eq=False)
class Answers:
    """Distorted answers, the true ones row by row beside them, and what was done beforehand.

    ``original`` is None in a study that came distorted.
    """

    distorted: Table
    original: Table | None = None
    notes: tuple[str, ...] = ()


class DistortedCache:
    """Distorts the answers of a study once, however many pages ask for them.

    A study that came distorted has its answers already. One with original answers is distorted
    with its own seed, so that every page speaks of the same draw.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[tuple[int, int, int], tuple[Study, Answers]] = OrderedDict()
        self._counted: CountedAnswers | None = None

    def for_estimates(self, study: Study, progress: Progress = silent) -> Answers | PartedAnswers:
        """What estimates are made from: the parts where the table is a sample of reported ones.

        True answers are distorted for trials only, for which the sample is enough.
        """
        source = study.reported_parts
        if source is None:
            return self.of(study, progress)
        # What reads parts comes with libraries that the window need not wait for.
        from ppworkbench.study.parts.counted import CountedAnswers, CountedParts

        progress(0.0, Message("Looking at the parts"))
        with self._lock:
            counted = self._counted = self._counted or CountedAnswers()
        return CountedParts(source.open(), source.worker, progress=progress, counted=counted)

    def of(self, study: Study, progress: Progress = silent) -> Answers:
        """The answers of a study; call it in a job, since a large table takes seconds."""
        if study.original is None:
            if study.distorted is None:
                raise DataError("No answers yet. Open a table or a sample.")
            return Answers(study.distorted)
        # The study is kept beside the answers, so that no other object can take over an id.
        key = id(study.original), id(study.design), study.settings.seed
        # One at a time: two pages that ask at once must not do the work twice.
        with self._lock:
            if key not in self._kept:
                self._kept[key] = study, distorted_answers(study, progress)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key][1]


def distorted_of(answers: Answers | PartedAnswers) -> Table | PartedAnswers:
    return answers.distorted if isinstance(answers, Answers) else answers


def original_of(answers: Answers | PartedAnswers) -> Table | None:
    return answers.original if isinstance(answers, Answers) else None


def distorted_answers(study: Study, progress: Progress = silent) -> Answers:
    """Treat missing answers as the attributes say, then distort with the seed of the study.

    Where arms are drawn or items counted, the true answers beside the distorted ones tell it, too.
    """
    if study.original is None:
        raise DataError("There are no original answers to distort.")
    # Every window has this module from the start, but only needs pyarrow with the first answers.
    from ppworkbench.core.data.missing import apply_missing_policies

    original = study.original
    silent = study.design.versions.not_asked(original)
    prepared = apply_missing_policies(original, not_asked=silent)
    streams = SeededStreams(study.settings.seed)
    distorted = distort(prepared.table, study.design, streams, progress)
    table = prepared.table
    drawn = [distorted[name] for name in study.design.drawn_columns if name not in table]
    table = table.with_(columns=(*table.columns, *drawn))
    return Answers(distorted, table, tuple(prepared.sentences.values()))


def treated_missing(names: Sequence[str], study: Study) -> list[Message]:
    """What was done about missing answers to these attributes."""
    if study.original is None:
        return []
    from ppworkbench.core.data.missing import apply_missing_policies

    known = [name for name in names if name in study.original]
    silent = study.design.versions.not_asked(study.original)
    table = study.original.select(known)
    sentences = apply_missing_policies(table, not_asked=silent).sentences
    kept = MissingPolicy.LEAVE
    return [
        Message("{attribute}: {sentence}", attribute=name, sentence=Message.of(sentence))
        for name, sentence in sentences.items()
        # The statistics themselves tell about answers that stay missing.
        if study.original[name].attribute.missing is not kept
    ]
