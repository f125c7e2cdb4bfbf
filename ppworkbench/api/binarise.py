"""Answers as yes-or-no questions, which are randomised one by one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import AnswerSource, Data
from ppworkbench.api.designs import Design
from ppworkbench.core.classify.binarisation import Binarisation
from ppworkbench.core.classify.binarisation import binarise as questions_of
from ppworkbench.core.data.table import Table

if TYPE_CHECKING:
    import pandas as pd


@check_arguments
def binarise(data: Data, *, class_name: str | None = None, bins: int = 5) -> YesNoQuestions:
    """Ask one yes-or-no question per value, so that each is randomised by itself.

    Usually an attribute is randomised as a whole, and patterns take its values as items
    afterwards. Here the items come first, as in surveys that ask "Is it so?" of every value.

    Parameters
    ----------
    data
        True answers: a frame, a table or a file.
    class_name
        The column to predict, which stays as it is.
    bins
        Into how many equally filled intervals numbers are divided.

    Returns
    -------
    YesNoQuestions
        ``names``, ``answers(data)`` for these and further records, and ``design()``.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"colour": ["red", "blue", "green"], "bought": ["no", "yes", "yes"]})
    >>> questions = binarise(frame, class_name="bought")
    >>> questions.names
    ('colour = blue', 'colour = green', 'colour = red')
    >>> questions.answers(frame)["colour = red"].tolist()
    ['yes', 'no', 'no']
    >>> questions.design(keep_yes=0.9, keep_no=0.8)["colour = red"].perturbation.summary()
    'keep ones 0.9, zeros 0.8'
    """
    table = AnswerSource(data).whole()
    if class_name is not None:
        table = table.with_(class_name=class_name)
    return YesNoQuestions(questions_of(table, bins))


@dataclass(frozen=True, eq=False)
class YesNoQuestions:
    """One yes-or-no question per value or interval; the class stays as it is."""

    made: Binarisation

    @property
    def names(self) -> tuple[str, ...]:
        """The questions, ``attribute = value``."""
        return tuple(question.name for question in self.made.questions)

    @overload
    def answers(self, data: pd.DataFrame) -> pd.DataFrame: ...

    @overload
    def answers(self, data: Table | str | os.PathLike[str]) -> Table: ...

    @check_arguments
    def answers(self, data: Data) -> pd.DataFrame | Table:
        """True answers to the questions: a frame for a frame, with the same index, else a table.

        A missing answer is missing in all questions of its attribute; intervals are those of the
        data that the questions were made from. New records need not have the class.
        """
        source, known = AnswerSource(data), self.made.class_attribute
        kept = () if known is None or known.name not in source.whole().names else (known,)
        table = self.made.apply(source.whole((*self.made.attributes, *kept)))
        if isinstance(data, Table | str | os.PathLike):
            return table
        return table.to_frame().set_axis(data.index)

    @check_arguments
    def design(self, *, keep_yes: float = 0.9, keep_no: float = 0.9) -> Design:
        """Every question randomised alike: the probabilities that a yes and a no are kept."""
        return Design.of(self.made.design(keep_yes, keep_no))
