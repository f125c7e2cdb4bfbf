"""What a respondent reads: question texts and answer texts, by the names in the design."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.codebook import FORMAT as CODEBOOK
from ppworkbench.core.data.codebook import Codebook
from ppworkbench.core.errors import DataError
from ppworkbench.core.json_values import parse_json
from ppworkbench.core.message import Message
from ppworkbench.core.special_files import check_file

_LARGEST = 16 * 2**20


@dataclass(frozen=True)
class Texts:
    """Texts that differ from the names and values of the design."""

    questions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    answers: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))

    def question(self, name: str) -> str:
        """The text of a question."""
        return self.questions.get(name) or name

    def answer(self, name: str, value: str) -> str:
        """The text of an answer."""
        return self.answers.get(name, {}).get(value) or value


def texts_of(attributes: Iterable[Attribute]) -> Texts:
    """The labels of attributes as question texts."""
    return Texts(MappingProxyType({a.name: a.label for a in attributes if a.label}))


def read_texts(path: str | Path) -> Texts:
    """Texts from a file: a codebook, or an object with ``questions`` and ``answers``."""
    path = Path(path)
    check_file(path)
    try:
        if path.stat().st_size > _LARGEST:
            raise DataError(
                Message("{file} is too large to be texts of a questionnaire.", file=path.name),
                file=path,
            )
        given = parse_json(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        why = error.strerror or Message("it cannot be opened")
        raise DataError(
            Message("{file} cannot be read: {strerror}.", file=path.name, strerror=why), file=path
        ) from None
    except ValueError:
        raise DataError(
            Message("{file} is not valid JSON in UTF-8.", file=path.name), file=path
        ) from None
    if isinstance(given, Mapping) and given.get("format") == CODEBOOK:
        return texts_of(Codebook.from_json(given).attributes)
    return _from_json(given, path)


def _from_json(given: Any, path: Path) -> Texts:
    questions, answers = _parts(given)
    if not _are_texts(questions) or not all(map(_are_texts, answers.values())):
        raise DataError(
            Message(
                "{file} holds no texts of a questionnaire; it needs an object with "
                "'questions' (name: text) or 'answers' (name: value: text).",
                file=path.name,
            ),
            file=path,
        )
    return Texts(MappingProxyType(dict(questions)), MappingProxyType(dict(answers)))


def _parts(given: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    nothing: tuple[Mapping[str, Any], Mapping[str, Any]] = {"": None}, {}
    if not isinstance(given, Mapping) or not given or set(given) - {"questions", "answers"}:
        return nothing
    questions, answers = given.get("questions", {}), given.get("answers", {})
    if not isinstance(questions, Mapping) or not isinstance(answers, Mapping):
        return nothing
    return questions, answers


def _are_texts(given: Any) -> bool:
    return isinstance(given, Mapping) and all(isinstance(text, str) for text in given.values())
