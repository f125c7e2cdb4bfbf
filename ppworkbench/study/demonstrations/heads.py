"""What a list of demonstrations shows, read without anything that would slow a start."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.resources import resource
from ppworkbench.core.special_files import check_file
from ppworkbench.study.demonstrations.section import Section

FORMAT = "ppworkbench-demonstration"
VERSION = 1
SUFFIX = ".toml"
_LARGEST_FILE = 2**20
_FIRST_TABLE = re.compile(r"^\s*\[", re.MULTILINE)


@dataclass(frozen=True)
class Head:
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
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        translated = folder / language / path.name
        found.append(translated if translated.is_file() else path)
    return tuple(found)


def read_head(path: Path) -> Head:
    """Read only what stands above the first table of a file, for a list."""
    content = read_text(path)
    first = _FIRST_TABLE.search(content)
    return head_of(top_section(content if first is None else content[: first.start()], path))


def read_text(path: Path) -> str:
    """The text of a demonstration file."""
    check_file(path)
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise DataError(
                Message("{file} is too large for a demonstration.", file=path.name), file=path
            )
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise DataError(
            Message("{file} is not a text in UTF-8.", file=path.name), file=path
        ) from None
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
        raise DataError(
            Message("{file} cannot be understood: {error}.", file=path.name, error=error), file=path
        ) from None
    top = Section(fields, path)
    if fields.get("format") != FORMAT:
        raise top.fail(
            Message('this is no demonstration; it begins with format = "{format}".', format=FORMAT),
            "format",
        )
    version = top.whole("version", None, 1)
    if version > VERSION:
        raise top.fail(
            Message(
                "it has version {version}, made for a newer program; this one reads {version2}.",
                version=version,
                version2=VERSION,
            ),
            "version",
        )
    return top


def head_of(top: Section) -> Head:
    """Title, line and minutes."""
    title, line = top.text("title"), top.text("line", "")
    return Head(top.file, title, line, top.whole("minutes", 5, 1))
