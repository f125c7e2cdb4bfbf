"""Commands and calls with what they said when they were recorded.

    python tests/transcripts.py [file …]            run again, and print what differs
    python tests/transcripts.py --record [file …]   take what they say now

A transcript is a text. ``$`` begins a command, ``>>>`` a line of Python; below it stand its output
(``|``), its errors (``!``) and an exit status other than 0 (``=``). All of a file run in one folder
after another, beside the files of :mod:`recorded_survey`. A case is added by writing its first
line and recording; what a change of the program does to the others is a difference that somebody
reviews.

Besides the program's commands there are ``head FILE``, ``words FILE`` (the text of a page) and
``names FILE`` (what a folder or zip file holds).
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import io
import json
import math
import os
import re
import shlex
import sys
import tempfile
import textwrap
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import takewhile
from pathlib import Path
from typing import Any

from recorded_survey import write_files

HERE = Path(__file__).resolve().parent
FILES = sorted((HERE / "faces").glob("*.txt"))
RELATIVE = 1e-6
"""What another processor or another version of numpy may change in a number."""
_NUMBER = re.compile(r"(?<![\w.])[-−+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_MOST_DECIMALS = 9
_WIDTH = 160


@dataclass(frozen=True)
class Case:
    """One command or call, and what it said."""

    line: str
    out: str = ""
    errors: str = ""
    status: int = 0

    @property
    def text(self) -> str:
        """The case as it stands in a transcript."""
        told = [self.line]
        for mark, said in (("|", self.out), ("!", self.errors)):
            told += [f"{mark} {line}".rstrip() for line in said.splitlines()]
        if self.status:
            told.append(f"= {self.status}")
        return "\n".join(told) + "\n"


def read(path: Path) -> tuple[str, list[Case]]:
    """What stands above the first case, and the cases."""
    above: list[str] = []
    found: list[dict[str, Any]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        if mark in ("$", ">>>"):
            found.append({"line": line, "|": [], "!": [], "=": 0})
        elif not found:
            above.append(line)
        elif mark in ("|", "!"):
            found[-1][mark].append(rest)
        elif mark == "=":
            found[-1]["="] = int(rest)
    cases = [Case(one["line"], "\n".join(one["|"]), "\n".join(one["!"]), one["="]) for one in found]
    return "\n".join(above).strip(), cases


def write(path: Path, above: str, cases: list[Case]) -> None:
    """The inverse of :func:`read`."""
    blocks = ([above + "\n"] if above else []) + [case.text for case in cases]
    path.write_text("\n".join(blocks), encoding="utf-8")


# Run


def run(line: str, names: dict[str, Any]) -> Case:
    """Carry out one line in the current folder."""
    mark, _, rest = line.partition(" ")
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        status = _command(shlex.split(rest)) if mark == "$" else _call(rest, names)
    return Case(line, _lasting(out.getvalue()), _lasting(errors.getvalue()), status)


def _command(words: list[str]) -> int:
    from ppworkbench.cli.main import main

    tools = {"head": _head, "words": _words, "names": _names}
    if words[0] in tools:
        print(tools[words[0]](Path(words[1])))
        return 0
    if words[-1] != "--help":
        return main(words)
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.suppress(SystemExit):
        main(words)
    # Python's versions break the lines of the usage at other places.
    _, _, text = told.getvalue().partition("\n\n")
    paragraphs = (" ".join(part.split()) for part in text.split("\n\n"))
    print("\n".join(textwrap.fill(part, 98, break_on_hyphens=False) for part in paragraphs))
    return 0


def _call(code: str, names: dict[str, Any]) -> int:
    from ppworkbench.core.errors import WorkbenchError

    try:
        try:
            value = eval(code, names)
        except SyntaxError:
            exec(code, names)
            return 0
        print(_told(value))
    except (WorkbenchError, TypeError) as error:
        print(f"{type(error).__name__}: {error} {getattr(error, 'field', '') or ''}".rstrip(),
              file=sys.stderr)  # fmt: skip
        return 1
    return 0


def _told(value: object) -> str:
    """A result with all it has; anything else as Python shows it."""
    import pandas as pd

    from ppworkbench.results.result import Result

    if isinstance(value, pd.DataFrame):
        value = value[[name for name in value if not name.endswith("seconds")]]
        return value.to_csv(index=False, lineterminator="\n").rstrip("\n")
    if not isinstance(value, Result):
        return value if isinstance(value, str) else repr(value)
    document = json.dumps(value.to_dict(), ensure_ascii=False)
    return "\n".join((repr(value), value.summary(), _told(value.to_frame()), document))


def _head(path: Path, lines: int = 8) -> str:
    return "\n".join(path.read_text(encoding="utf-8").splitlines()[:lines])


def _names(path: Path) -> str:
    if path.is_dir():
        return "\n".join(sorted(one.relative_to(path).as_posix() for one in path.rglob("*")))
    with zipfile.ZipFile(path) as archive:
        return "\n".join(sorted(archive.namelist()))


class _Text(HTMLParser):
    """The words of a page, without those of its scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        self._hidden += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._hidden:
            self.words.append(" ".join(data.split()))


def _words(path: Path) -> str:
    page = _Text()
    page.feed(path.read_text(encoding="utf-8"))
    return "\n".join(page.words)


def _lasting(text: str) -> str:
    """What is said without that which changes by itself: version, day, folder, times."""
    from ppworkbench import __version__

    text = re.sub(r" at 0x[0-9a-f]+", "", text.replace(str(Path.cwd()), "FOLDER"))
    text = re.sub(r'(seconds": )[\d.e-]+', r"\1TIME", text)
    text = re.sub(r"\b\d+\.\d+ (s|seconds)\b", r"TIME \1", text)
    today = dt.datetime.now().astimezone().date()
    for found in (today.isoformat(), f"{today.day} {today:%B %Y}"):
        text = text.replace(found, "TODAY")
    return text.replace(__version__, "VERSION").rstrip("\n")


# Compare


def difference(recorded: Case, now: Case) -> str:
    """What of a case has changed; empty if nothing has."""
    parts = (("status", str(recorded.status), str(now.status)), ("output", recorded.out, now.out),
             ("errors", recorded.errors, now.errors))  # fmt: skip
    told = []
    for name, before, after in parts:
        first = _first_difference(_stripped(before), _stripped(after))
        if first:
            told.append(f"{recorded.line}\n  {name}, {first}")
    return "\n".join(told)


def _stripped(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def _first_difference(before: list[str], after: list[str]) -> str:
    for number, (old, new) in enumerate(zip(before, after, strict=False), start=1):
        if not _alike(old, new):
            same = takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
            start = max(sum(1 for _ in same) - _WIDTH // 2, 0)
            was, now = (line[start : start + _WIDTH] for line in (old, new))
            return f"line {number}\n    was {was}\n    is  {now}"
    if len(before) != len(after):
        line = (before if len(before) > len(after) else after)[min(len(before), len(after))]
        return f"{len(before)} lines were {len(after)}\n    {line}"
    return ""


def _alike(old: str, new: str) -> bool:
    if old == new:
        return True
    if _NUMBER.split(old) != _NUMBER.split(new):
        return False
    pairs = zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=True)
    return all(_same_number(one, other) for one, other in pairs)


def _same_number(old: str, new: str) -> bool:
    """Whole numbers are the same; others may differ by one in the last place that is printed."""
    if old == new:
        return True
    _, point, decimals = old.partition(".")
    if not point and "e" not in old.lower():
        return False
    step = 0.0
    if "e" not in decimals.lower() and len(decimals) <= _MOST_DECIMALS:
        step = 1.001 * 10.0 ** -len(decimals)
    one, other = (float(text.replace("−", "-")) for text in (old, new))
    return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=max(step, 1e-12))


# Files


@contextlib.contextmanager
def surroundings() -> Iterator[dict[str, Any]]:
    """The folder of the survey as the current one, and the names that lines of Python know."""
    import ppworkbench as pp

    before = Path.cwd()
    columns = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "100"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            write_files(Path(folder))
            yield {"pp": pp}
        finally:
            os.chdir(before)
            os.environ.pop("COLUMNS") if columns is None else os.environ.update(COLUMNS=columns)


def replay(path: Path) -> list[str]:
    """What differs from what was recorded, case by case."""
    _, cases = read(path)
    with surroundings() as names:
        told = (difference(case, run(case.line, names)) for case in cases)
        return [one for one in told if one]


def record(path: Path) -> None:
    """Write what the cases of a file say now."""
    above, cases = read(path)
    with surroundings() as names:
        cases = [run(case.line, names) for case in cases]
    write(path, above, cases)


def main(arguments: list[str]) -> int:
    """Replay or record transcripts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true")
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args(arguments)
    differing = 0
    for path in [one.resolve() for one in given.files] or FILES:
        if given.record:
            record(path)
            continue
        found = replay(path)
        differing += len(found)
        print(f"{path.name}: {len(found)} differ", *found, sep="\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
