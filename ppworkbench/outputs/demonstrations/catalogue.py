"""What a list of demonstrations shows, read without anything that would slow a start."""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.files import check_file, resource, write_text
from ppworkbench.core.message import Message

_NOUNS: dict[type, str] = {
    str: Message("a text in quotation marks"),
    int: Message("a whole number"),
    float: "a number",
    bool: Message("true or false"),
    dict: Message("a table of fields"),
    list: "a list",
}


class Section:
    """A table of a TOML file that knows where it stands.

    Parameters
    ----------
    place
        Where it is, in words, such as ``step 3``; empty for the top of the file.
    """

    def __init__(self, fields: Mapping[str, Any], file: Path, place: Message | None = None) -> None:
        self._fields = dict(fields)
        self.file = file
        self.place = place

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def fail(self, what: str, field: str | None = None) -> DataError:
        """The error that says what is wrong here; ``what`` is the rest of the sentence."""
        what = Message.of(what)
        if self.place is None:
            said = Message("{file}: {what}", file=self.file.name, what=what)
        else:
            said = Message(
                "{file}, {place}: {what}", file=self.file.name, place=self.place, what=what
            )
        return DataError(said, file=self.file, field=field)

    def saying(self, template: str, field: str | None = None, /, **values: object) -> DataError:
        """The error that says what is wrong with a field; ``name`` is that of the field."""
        return self.fail(Message(template, code="", **({"name": field} | values)), field)

    def only(self, *known: str) -> None:
        for name in self._fields:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = (
                    Message("did you mean {near!r}?", near=near[0])
                    if near
                    else Message("known are {entries}.", entries=", ".join(known))
                )
                raise self.saying("there is no field {name!r}; {hint}", name, hint=hint)

    def text(self, name: str, default: str | None = None) -> str:
        """A text; an error without it unless there is a default."""
        found = self._get(name, str, default)
        if default is None and not found.strip():
            raise self.saying("the field {name!r} is empty; write a text there.", name, name=name)
        return str(found).strip()

    def number(self, name: str, default: float | None = None) -> float:
        found = self._get(name, float, default)
        if not math.isfinite(found):
            raise self.saying("the field {name!r} is not a finite number.", name, name=name)
        return float(found)

    def whole(self, name: str, default: int | None = None, low: int = 0) -> int:
        """A whole number, not below ``low``."""
        found = int(self._get(name, int, default))
        if found < low:
            raise self.saying(
                "{name!r} is {found}; it must be at least {low}.", name, found=found, low=low
            )
        return found

    def flag(self, name: str, default: bool) -> bool:
        return bool(self._get(name, bool, default))

    def one_of(self, name: str, choices: tuple[str, ...], default: str = "") -> str:
        found = self.text(name, default)
        if found != default and found not in choices:
            raise self.saying(
                "{name!r} is {found!r}; it must be one of {choices}.",
                name,
                found=found,
                choices=", ".join(choices),
            )
        return found

    def table(self, name: str) -> dict[str, Any]:
        return dict(self._get(name, dict, {}))

    def numbers(self, name: str) -> tuple[float, ...]:
        found = self._get(name, list, [])
        for one in found:
            if isinstance(one, bool) or not isinstance(one, int | float) or not math.isfinite(one):
                raise self.saying(
                    "{name!r} must be a list of numbers; {one!r} is not a number.", name, one=one
                )
        return tuple(float(one) for one in found)

    def texts(self, name: str) -> tuple[str, ...]:
        found = self._get(name, list, [])
        for one in found:
            if not isinstance(one, str):
                raise self.saying(
                    "{name!r} must be a list of texts; {one!r} is not a text.", name, one=one
                )
        return tuple(found)

    def lines(self, name: str) -> Iterator[list[Any]]:
        for one in self._get(name, list, []):
            if not isinstance(one, list):
                raise self.saying(
                    "{name!r} must be a list of lists; {one!r} is not a list.", name, one=one
                )
            yield one

    def sections(self, name: str, word: str) -> Iterator[Section]:
        """The tables of a list, each with its place: ``[[step]]`` gives steps 1, 2, 3."""
        for number, fields in enumerate(self._get(name, list, []), 1):
            place = self._inside(Message("{word} {number}", word=word, number=number))
            if not isinstance(fields, dict):
                raise self.saying(
                    "write [[{name}]] over the fields of {word} {number}.",
                    name,
                    word=word,
                    number=number,
                )
            yield Section(fields, self.file, place)

    def section(self, name: str, word: str) -> Section | None:
        if name not in self._fields:
            return None
        return Section(self.table(name), self.file, self._inside(Message.of(word)))

    def _inside(self, place: Message) -> Message:
        if self.place is None:
            return place
        return Message("{place}, {part}", place=self.place, part=place)

    def attempt(self, error: WorkbenchError) -> DataError:
        return self.fail(error.message[:1].lower() + error.message[1:], error.field)

    def _get(self, name: str, wanted: type, default: Any) -> Any:
        if name not in self._fields:
            if default is None:
                raise self.saying("the field {name!r} is missing.", name, name=name)
            return default
        found = self._fields[name]
        good = isinstance(found, int | float) if wanted is float else isinstance(found, wanted)
        if not good or (isinstance(found, bool) and wanted is not bool):
            raise self.saying(
                "{name!r} is {found!r}; it must be {nouns}.",
                name,
                found=found,
                nouns=_NOUNS[wanted],
            )
        return found


FORMAT = "ppworkbench-demonstration"
VERSION = 1
SUFFIX = ".toml"
_LARGEST_FILE = 2**20
_FIRST_TABLE = re.compile(r"^\s*\[", re.MULTILINE)
_HELP = "learn-page.md"
_EXAMPLE = re.compile(r"^```\n(format = .*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class DemonstrationInfo:
    """What a list of demonstrations shows of one."""

    file: Path
    title: str
    line: str
    minutes: int

    @property
    def name(self) -> str:
        """The file's name without its ending, by which it is remembered as done."""
        return self.file.stem


def shipped_files(language: str = "en") -> tuple[Path, ...]:
    """The demonstrations of the program in order; one translated into the language if there is."""
    folder = resource("demonstrations")
    found = []
    for path in sorted(folder.glob(f"*{SUFFIX}"), key=_place):
        translated = folder / language / path.name
        found.append(translated if translated.is_file() else path)
    return tuple(found)


def _place(path: Path) -> tuple[int, str]:
    """The number before the name, as a number: 10 comes after 9."""
    number = path.name.partition("-")[0]
    return (int(number) if number.isdecimal() else 0, path.name)


def template(language: str = "en") -> str:
    """The demonstration that the help shows as an example, to be changed into one's own."""
    folder = resource("help")
    translated = folder / language / _HELP
    page = translated if translated.is_file() else folder / _HELP
    found = _EXAMPLE.search(page.read_text(encoding="utf-8"))
    assert found is not None  # noqa: S101 (a test reads it in every language)
    return found[1]


def write_template(path: Path, language: str = "en") -> None:
    """Write the demonstration that is to be changed into one's own."""
    write_text(path, template(language))


def read_head(path: Path) -> DemonstrationInfo:
    """Read only what stands above the first table of a file, for a list."""
    content = read_text(path)
    first = _FIRST_TABLE.search(content)
    return head_of(top_section(content if first is None else content[: first.start()], path))


def read_text(path: Path) -> str:
    check_file(path)
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise DataError.saying("{file} is too large for a demonstration.", file=path)
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise DataError.saying("{file} is not text in UTF-8.", file=path) from None
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(
            Message("{file} cannot be read: {strerror}.", file=path, strerror=why), file=path
        ) from None


def top_section(content: str, path: Path) -> Section:
    """The fields at the top of a file that is a demonstration this program can read."""
    try:
        fields = tomllib.loads(content)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DataError.saying("{file} cannot be read: {error}.", error=error, file=path) from None
    top = Section(fields, path)
    if fields.get("format") != FORMAT:
        raise top.saying(
            'this is not a demonstration; it begins with format = "{format}".',
            "format",
            format=FORMAT,
        )
    version = top.whole("version", None, 1)
    if version > VERSION:
        raise top.saying(
            "it has version {version}, made for a newer program; this one reads {version2}.",
            "version",
            version=version,
            version2=VERSION,
        )
    return top


def head_of(top: Section) -> DemonstrationInfo:
    title, line = top.text("title"), top.text("line", "")
    return DemonstrationInfo(top.file, title, line, top.whole("minutes", 5, 1))
