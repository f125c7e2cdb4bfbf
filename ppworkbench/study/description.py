"""What a survey says about itself: who made it, who has it, whom it asked and how."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from ppworkbench.core.params import Annotated, Info, Params, declarations

_LONGEST = 20_000
"""Letters of one field; a longer text is no description but a document."""


_OPTIONAL = frozenset({"title", "dates"})
"""Facts that catalogues do without: a study has a title in any case."""


@dataclass(frozen=True)
class SurveyDescription(Params):
    """Facts that catalogues ask for and that no table can tell; empty where nobody wrote them."""

    leading: ClassVar[tuple[str, ...]] = ("title",)

    author: Annotated[str, Info("Author", "People or institution")] = ""
    distributor: Annotated[
        str, Info("Distributor", "Archive or office that gives the data out")
    ] = ""
    identifier: Annotated[str, Info("Identifier", "Such as a DOI or a study number")] = ""
    language: Annotated[str, Info("Language", "Language of the questions, such as en or pl")] = ""
    abstract: Annotated[str, Info("Abstract", "What the survey is about, in a few sentences")] = ""
    population: Annotated[str, Info("Who was asked", "Population, place and time")] = ""
    mode: Annotated[
        str, Info("Mode of collection", "Such as interviews with cards, paper or a web page")
    ] = ""
    title: Annotated[str, Info("Title", "Title of the survey; that of the file if not set")] = ""
    dates: Annotated[str, Info("Dates", "When people were asked, such as 3 to 28 March 2026")] = ""

    def gaps(self) -> tuple[str, ...]:
        return tuple(
            one.info.label
            for one in declarations(type(self))
            if one.name not in _OPTIONAL and not getattr(self, one.name).strip()
        )

    def to_json(self) -> dict[str, Any]:
        return {name: value for name, value in super().to_json().items() if value}

    @classmethod
    def from_json(cls, given: object) -> Self:
        """What a file holds; whatever is no text says nothing."""
        kept = given if isinstance(given, Mapping) else {}
        names = {field.name for field in dataclasses.fields(cls)}
        return cls(
            **{
                name: value[:_LONGEST]
                for name, value in kept.items()
                if name in names and isinstance(value, str)
            }
        )
