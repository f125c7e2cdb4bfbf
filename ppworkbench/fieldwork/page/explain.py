"""What happens to an answer, in one or two plain sentences of the respondent's language."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Design
from ppworkbench.core.design.group import Group
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
# Frequencies are told exactly within half a tenth of a point, and roughly within two points.
_EXACT, _NEAR = 0.0005, 0.02
# Odds of 19 to 1 raise a belief from one half to 95 %: then nobody may promise too much.
_STRONG = 19.0


class Explainer:
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
        group = self._design.group_of(name)
        attribute = self._design[name].attribute
        perturbation = self._design.perturbation(name)
        if group is not None:
            said = self._group(group, name)
        else:
            key, values = perturbation.page_words(attribute)
            said = self._say(key, **values)
        if _leaves_all_possible(perturbation, attribute):
            key = "how_hint" if _odds(perturbation, attribute) > _STRONG else "how_possible"
            said = f"{said} {self._words[key]}"
        return said

    def cases(self, probability: float) -> str:
        """How often something happens, as people say it: of few cases, and of 100 at most.

        >>> english, polish = Explainer(Design(()), "en"), Explainer(Design(()), "pl")
        >>> english.cases(0.75), english.cases(0.731), english.cases(0.9993)
        ('3 of 4 cases', 'about 3 of 4 cases', 'more than 99 of 100 cases')
        >>> polish.cases(0.5), polish.cases(0.537)
        ('1 przypadku na 2', 'około 54 przypadkach na 100')
        """
        exact = [all_ for all_ in (2, 3, 4, 5, 6, 10, 100) if _misses(probability, all_) < _EXACT]
        near = [all_ for all_ in (2, 3, 4, 5, 6) if _misses(probability, all_) < _NEAR]
        near.sort(key=lambda all_: _misses(probability, all_))
        all_ = [*exact, *near, 100][0]
        count = round(all_ * probability)
        if not exact and count in (0, all_):
            return self._words["cases_hardly" if count == 0 else "cases_nearly"]
        key = "cases_one" if count == 1 else "cases"
        said = self._words[key].format(count=count, all=all_)
        return said if exact else self._words["cases_about"].format(cases=said)

    def _say(self, key: str, **values: float | str) -> str:
        shown = {k: v if isinstance(v, str) else _Quantity(v, self) for k, v in values.items()}
        return self._words[key].format(**shown)

    def _group(self, group: Group, name: str) -> str:
        key = "how_group" if group.type == "unrelated" else "how_group_reversed"
        return self._say(key, mark=self.mark(name), theta=group.theta)


class _Quantity:
    """A number in a sentence; its place says how: ``{keep:cases}``, ``{low:of_100}``, ``{low}``."""

    def __init__(self, value: float, explainer: Explainer) -> None:
        self._value, self._explainer = value, explainer

    def __format__(self, how: str) -> str:
        if how == "cases":
            return self._explainer.cases(self._value)
        return self._explainer.number(round(100 * self._value) if how == "of_100" else self._value)


def _misses(probability: float, cases: int) -> float:
    return abs(probability - round(cases * probability) / cases)


def _odds(perturbation: Perturbation, attribute: Attribute) -> float:
    """By how much a report can change the odds of two answers at most."""
    if perturbation.reports_sets:
        return math.exp(perturbation.epsilon_of(attribute))
    matrix = perturbation.values.matrix(attribute.k)
    return float((matrix.max(axis=1) / matrix.min(axis=1)).max())


def _leaves_all_possible(perturbation: Perturbation, attribute: Attribute) -> bool:
    if not attribute.kind.is_categorical or attribute.k < 2:
        return False
    matrix = perturbation.matrix_for(attribute)
    return matrix is None or bool((matrix > 0).all())
