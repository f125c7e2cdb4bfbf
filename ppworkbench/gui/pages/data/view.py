"""What the cards of the page are given to show, and what they say about columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import (
    BOOTSTRAP,
    BRR,
    CLUSTER,
    FAY,
    JK1,
    JKN,
    PERSON,
    POPULATION,
    REPLICATES,
    STRATUM,
    WEIGHT,
    Sampling,
)
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.message import Message
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.study.data_checks import (
    ALIKE,
    MISSING,
    ColumnSummary,
    DataWarning,
    find_not_asked,
    show_spaces,
)
from ppworkbench.study.language import translatable
from ppworkbench.study.study import Study


def kind_word(kind: Kind) -> str:
    words = {
        Kind.BINARY: tr("binary"),
        Kind.NOMINAL: tr("nominal"),
        Kind.ORDINAL: tr("ordinal"),
        Kind.INTEGER: tr("integer"),
        Kind.CONTINUOUS: tr("continuous"),
        Kind.SET: tr("set"),
    }
    return words[kind]


def role_hint(role: str) -> str:
    return {
        WEIGHT: tr(
            "How many people a record stands for; not randomised. Weights computed from "
            "randomised answers are wrong."
        ),
        STRATUM: tr("People were drawn separately in each stratum; not randomised."),
        CLUSTER: tr("The unit that was drawn first, such as a school; not randomised."),
        PERSON: tr(
            "Who answered, where the same people are asked in several waves; not randomised."
        ),
        POPULATION: tr(
            "Units in the population of the stratum, or the sampled fraction; leave it out if "
            "people were drawn again inside clusters."
        ),
        REPLICATES: tr("Used instead of strata and clusters; not randomised."),
    }[role]


def method_word(method: str) -> str:
    return {
        BRR: tr("balanced half-samples (BRR)"),
        FAY: tr("BRR by Fay"),
        JK1: tr("jackknife (JK1)"),
        JKN: tr("stratified jackknife (JKn)"),
        BOOTSTRAP: tr("bootstrap"),
    }[method]


def short_doubt(doubt: str) -> str:
    return {
        "none": tr("no answers"),
        "one": tr("only 1 value"),
        "record": tr("identifier?"),
        "names": tr("names or free text?"),
        "text": tr("numbers, but read as text"),
        "order": tr("order unknown"),
        "few": tr("few distinct numbers"),
    }[doubt]


def warning_text(warning: DataWarning, shown: Callable[[str], str] = str) -> str:
    """A thing to look at, as a sentence about the attribute as people call it."""
    name, note = warning.attribute, warning.note
    if note is not None:
        said = translate(note)
        return said.replace(tr("“%s”") % name, tr("“%s”") % shown(name), 1) if name else said
    name = shown(name) if name else name
    if warning.code == MISSING:
        if warning.missing == 1:
            return tr("“%s” has 1 missing answer.") % name
        return tr("“%s” has %s missing answers.") % (name, number(warning.missing))
    if warning.code == ALIKE:
        values = ", ".join(tr("“%s”") % show_spaces(value) for value in warning.values)
        return tr("“%s” has similar values: %s.") % (name, values)
    return _doubt_text(warning.code, name)


def _doubt_text(doubt: str, name: str) -> str:
    sentences = {
        "none": tr("“%s” has no answers."),
        "one": tr("“%s” has only 1 value."),
        "record": tr("“%s” may be an identifier."),
        "names": tr("“%s” may be names or free text."),
        "text": tr("“%s” looks numeric but was read as text."),
        "order": tr("“%s” is ordinal, but its order is unknown."),
        "few": tr("“%s” could be ordinal."),
    }
    return sentences[doubt] % name


def refusal_text(reason: Message) -> str:
    args = reason.args
    if reason.code == "no-whole-numbers":
        # The record of the first decimal number is that of a shortened column.
        words = tr("%s answers are not whole numbers, e.g. %s.")
        return words % tuple(translate(Message("{n}", n=args[n])) for n in ("broken", "shown"))
    what = args.get("what")
    said = translate(what if isinstance(what, Message) else reason).removesuffix(".")
    return f"{said[:1].upper()}{said[1:]}."


def reason_words(reason: str) -> str:
    """The reason that the core gives; it calls scales by names of its own."""
    if isinstance(reason, Message) and reason.code == "scale":
        return tr("The answers form a scale (%s).") % _topic(str(reason.args["topic"]))
    return translate(reason)


_TOPICS = (
    translatable("frequency"), translatable("frequency in time"), translatable("quality"),
    translatable("degree"), translatable("level"), translatable("size"),
    translatable("temperature"), translatable("wrongness"), translatable("share"),
    translatable("education"), translatable("school grades"), translatable("agreement"),
    translatable("yes or no"), translatable("satisfaction"), translatable("likelihood"),
    translatable("importance"), translatable("attitude"), translatable("politics"),
    translatable("happiness"), translatable("safety"), translatable("difficulty"),
    translatable("comparison"), translatable("trust"), translatable("ranges of numbers"),
)  # fmt: skip
"""What scales are about, as the core calls them."""
_POLISH = {
    "ocena": "quality", "zgoda": "agreement", "tak lub nie": "yes or no",
    "zadowolenie": "satisfaction", "waznosc": "importance", "polityka": "politics",
    "szczescie": "happiness", "porownanie": "comparison", "nie ufam": "trust",
}  # fmt: skip


def _topic(name: str) -> str:
    name = _POLISH.get(name, name)
    return tr(name) if name in _TOPICS else name


AT_ONCE = 50_000
"""So many answers are looked through faster than anybody notices; more of them are a job."""


def known_missing(column: Column) -> int | None:
    """How many answers of a column are missing; None where they would have to be counted long."""
    if len(column) <= AT_ONCE or "missing_count" in vars(column):
        return column.missing_count
    return None


@dataclass(frozen=True, eq=False)
class Selection:
    """The selected attributes, the current one in detail.

    Parameters
    ----------
    summary
        What is known of the current column; None while it is being found out.
    impossible
        The kinds that the attributes cannot have, and why.
    opened
        How the current column was understood when the file was opened; None where that cannot be
        taken back.
    reason_against
        Why nothing can be corrected; empty when it can.
    sampling
        The roles that columns have.
    """

    table: Table
    names: tuple[str, ...]
    summary: ColumnSummary | None
    impossible: Mapping[Kind, str]
    opened: Column | None = None
    reason_against: str = ""
    sampling: Sampling | None = None

    @property
    def role(self) -> str:
        return "distorted" if self.reason_against else "original"

    @property
    def column(self) -> Column:
        return self.table[self.names[0]]

    @property
    def attribute(self) -> Attribute:
        return self.column.attribute

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def sampling_role(self) -> str:
        """The sampling role of all selected columns; empty where they have none or several."""
        roles = {(self.sampling or Sampling()).role_of(name) for name in self.names}
        return roles.pop() if len(roles) == 1 else ""

    @property
    def is_single(self) -> bool:
        """Whether only one attribute is selected."""
        return len(self.names) == 1

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        return tuple(self.table[name].attribute for name in self.names)

    @property
    def is_changed(self) -> bool:
        """Whether the only attribute is no longer what it was taken for, whatever the reason."""
        if self.opened is None or not self.is_single or self.reason_against:
            return False
        return self.opened.attribute.with_(reason="") != self.attribute.with_(reason="")


class SelectionEditor(QWidget):
    """A part of the inspector: it shows what is selected, and asks for edits of that."""

    edit_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._view: Selection | None = None

    def ask(self, edit: Callable[[Selection], object]) -> None:
        """Ask for an edit of what is selected."""
        if self._view is not None:
            self.edit_requested.emit(edit(self._view))


@dataclass(frozen=True, eq=False)
class DataView:
    """A study as the page shows it.

    Parameters
    ----------
    document
        Another object for every document that is opened.
    opened
        The table as it was understood when it was opened.
    selected
        The names of the selected attributes, the current one first.
    selection
        What is selected in detail; None without answers.
    warnings
        What there is to look at in the original answers.
    suggestions
        Sampling roles that the names of columns suggest, with these columns.
    """

    study: Study = field(default_factory=Study)
    document: object = None
    opened: Table | None = None
    selected: tuple[str, ...] = ()
    selection: Selection | None = None
    warnings: tuple[DataWarning, ...] = ()
    suggestions: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def table(self) -> Table | None:
        """The original answers, or the distorted ones where nobody has others."""
        return self.study.table

    @property
    def not_asked(self) -> Mapping[str, NDArray[np.bool_]]:
        """The cells that are empty because a version of the questionnaire does not ask."""
        return find_not_asked(self.study)

    def missing(self, column: Column) -> int | None:
        """How many answers of those who were asked are missing; None while that is not known."""
        found, silent = known_missing(column), self.not_asked.get(column.name)
        if found is None or silent is None:
            return found
        return found - int(np.count_nonzero(silent))

    @property
    def is_distorted(self) -> bool:
        """Whether there are only distorted answers."""
        return self.study.original is None and self.study.distorted is not None


def why_not_editable(study: Study) -> str:
    """Why nothing can be corrected now; empty when it can."""
    if study.original is not None:
        return ""
    return tr("These answers are distorted; their kinds and values come from the design.")
