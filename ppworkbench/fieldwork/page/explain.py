"""What happens to an answer, in one or two plain sentences of the respondent's language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Design
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.matrices.base import of_100
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.files import resource

FOLDER = "questionnaire"


@cache
def languages() -> Mapping[str, str]:
    """Codes of all languages with the names they call themselves by.

    >>> dict(languages())
    {'en': 'English', 'pl': 'polski'}
    """
    files = sorted(resource(FOLDER).glob("words.*.json"))
    return MappingProxyType({path.name.split(".")[1]: _read(path.name)["name"] for path in files})


@cache
def words_of(language: str) -> Mapping[str, str]:
    if language not in languages():
        raise ParameterError.saying(
            "There are no texts in the language {language!r}.", language=language, field="language"
        )
    return MappingProxyType(_read(f"words.{language}.json"))


def _read(name: str) -> dict[str, str]:
    words: dict[str, str] = json.loads(resource(FOLDER, name).read_text(encoding="utf-8"))
    return words


MARKS = "◆●▲■★✚"


class Explainer:
    """Explains the questions of a design in one language."""

    def __init__(self, design: Design, language: str) -> None:
        self._design = design
        self._words = words_of(language)

    def number(self, value: float) -> str:
        """A number as it is written in the language, with at most six digits.

        >>> Explainer(Design(()), "pl").number(0.25)
        '0,25'
        """
        rounded = f"{value:.6g}" if abs(value) < 1e6 else f"{value:.0f}"
        return rounded.replace("-", "−").replace(".", self._words["decimal"])

    def mark(self, name: str) -> str:
        """The sign of the attribute's group; empty for an attribute that is in none."""
        group = self._design.group_of(name)
        return "" if group is None else MARKS[self._design.groups.index(group) % len(MARKS)]

    def sentence(self, name: str) -> str:
        """What happens to the answers of an attribute."""
        group = self._design.group_of(name)
        attribute = self._design[name].attribute
        perturbation = self._design.perturbation(name)
        if group is not None:
            said = self._group(group, name)
        else:
            key, values = perturbation.page_words(attribute)
            said = self._say(key, **values)
        if _leaves_all_possible(perturbation, attribute):
            said = f"{said} {self._words['how_possible']}"
        return said

    def _say(self, key: str, **values: float | str) -> str:
        shown = {k: v if isinstance(v, str) else self.number(v) for k, v in values.items()}
        return self._words[key].format(**shown)

    def _group(self, group: Group, name: str) -> str:
        key = "how_group" if group.type == "unrelated" else "how_group_reversed"
        return self._say(key, mark=self.mark(name), theta=of_100(group.theta))


def _leaves_all_possible(perturbation: Perturbation, attribute: Attribute) -> bool:
    if not attribute.kind.is_categorical or attribute.k < 2:
        return False
    if perturbation.reports_sets:
        return True
    return bool((perturbation.values.matrix(attribute.k) > 0).all())
