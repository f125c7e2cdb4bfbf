"""Every text of the program that a translator needs, read from its source.

    python packaging/texts.py missing pl [FOLDER]   texts of FOLDER that Polish lacks, as JSON
    python packaging/texts.py spare pl              Polish texts that nobody says any more

The window marks its texts with ``tr()`` and ``translatable()``. The core knows no translation:
whatever it may tell a person, a sentence or a label of at least two words, is taken from its
strings. Names and numbers have named places in the templates of its messages,
``Message("{count} rows", ...)``; an f-string that looks like a text is listed with numbered
places, ``{1}``, because nobody can translate it.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from string import Formatter

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "ppworkbench"
WINDOW = ("gui",)
CORE = ("core", "results", "study", "fieldwork", "analyses", "outputs")

SPOKEN_ENGLISH = {
    "analyses/__init__.py", "analyses/arguments.py", "analyses/inputs.py", "analyses/source.py",
    "analyses/planning/allocate.py", "analyses/planning/budget.py",
    "analyses/planning/optimise.py", "analyses/planning/privacy.py",
    "analyses/planning/request.py", "analyses/planning/trade_off.py",
    "outputs/accuracy_curve.py", "outputs/publish.py",
}  # fmt: skip
"""What only commands and calls of Python are told, who speak English; titles head scripts."""

_MARKS = {"tr", "_tr", "translatable"}
_SAYS_SOMETHING = re.compile(r"[A-Za-z“’]{2,}[,:;]? [A-Za-z{“(]|\} [a-z]{2,}|[a-z]{2,} \{")
_HEAD = re.compile(r"[A-Z][a-z]+$")
_HEADED = {"report", "help"}
"""The heads of the tables of a report and the chapters of the help are often single words."""
_MARKUP = re.compile(r"\s*[<:.@]|.*[a-z]=\"")
_FORMAT = re.compile(r"%[-+0-9.,]*[sdgfr]")
_INFO = {"Info", "Measure"}
_ENTRY = {"short", "hint"}
"""What people read of something that is registered, single words as well."""
_MESSAGES = {"Message", "saying", "unless_known"}
"""Messages, and errors with one."""
_PLACE = re.compile(r"(?<!\{)\{\w+\}")
_WORDS = re.compile(r"[^\W\d_]|, |“")
"""Names and numbers alone are the same in all languages, but not what separates or quotes them."""


def marked_texts(file: Path) -> Iterator[str]:
    """What a file says through ``tr()``, or marks for later."""
    return _marked(syntax_of(file))


def _marked(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Call) and _called(node) in _MARKS and node.args:
            meanings = list(_literals(node.args[1])) if len(node.args) > 1 else []
            for text in _literals(node.args[0]):
                yield f"{text} ({meanings[0]})" if meanings else text


def core_texts(file: Path) -> Iterator[str]:
    """What a file of the core may tell a person, marked or not."""
    nodes = syntax_of(file)
    yield from _marked(nodes)
    silent = _silent(nodes)
    for node in nodes:
        if id(node) in silent:
            continue
        if isinstance(node, ast.Call) and _called(node) in _MESSAGES and node.args:
            keys = (_key(text, node) for text in _literals(node.args[0]))
            yield from (key for key in keys if _WORDS.search(_PLACE.sub("", key)))
        if isinstance(node, ast.Call) and _called(node) in _INFO:
            yield from (text for argument in node.args for text in _literals(argument) if text)
        if isinstance(node, ast.Call) and _called(node) == "register":
            yield from _registered(node)
        text = _said(node)
        if text is None or _MARKUP.match(text):
            continue
        if _SAYS_SOMETHING.search(text) or (file.parent.name in _HEADED and _HEAD.match(text)):
            yield text


def _registered(call: ast.Call) -> Iterator[str]:
    """The short name and the hint of something that is registered.

    A short name that is the label itself is there for languages that have a shorter one.
    """
    label = list(_literals(call.args[1])) if len(call.args) > 1 else []
    for keyword in call.keywords:
        if keyword.arg in _ENTRY:
            for text in _literals(keyword.value):
                yield f"{text} (short)" if keyword.arg == "short" and [text] == label else text


def texts(folders: tuple[str, ...], within: str = "") -> dict[str, str]:
    """Text and the file it comes from, for all files of some folders."""
    found: dict[str, str] = {}
    for folder in folders:
        for file in sorted((PACKAGE / folder).rglob("*.py")):
            place = file.relative_to(PACKAGE).as_posix()
            if place.startswith(within):
                for text in texts_of(file):
                    found.setdefault(text, place)
    return found


def texts_of(file: Path) -> Iterator[str]:
    """What a file of the window or of the core says."""
    place = file.relative_to(PACKAGE)
    if place.as_posix() in SPOKEN_ENGLISH:
        return _titles(syntax_of(file))
    is_window = place.parts[0] in WINDOW
    return marked_texts(file) if is_window else core_texts(file)


def _titles(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """What the questions of a file are called."""
    for node in nodes:
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "label":
            yield from (text for one in getattr(node.value, "args", ()) for text in _literals(one))


def translated(language: str) -> dict[str, str]:
    """What a language has."""
    said: dict[str, str] = {}
    for file in sorted((ROOT / "resources" / "languages" / language).glob("*.json")):
        said |= json.loads(file.read_text(encoding="utf-8"))
    return said


@lru_cache(maxsize=1)
def syntax_of(file: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file that hold something, what is around a node before it.

    To read a file takes longest. ``ast.walk`` takes twice as long as this, and a third of what it
    finds only says how a name is used.
    """
    nodes: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
    for node in nodes:
        for name in node._fields:
            held = getattr(node, name, None)
            parts = held if isinstance(held, list) else (held,)
            nodes += [part for part in parts if isinstance(part, ast.AST) and part._fields]
    return tuple(nodes)


def _called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _key(template: str, call: ast.Call) -> str:
    """The template of a message without how its values are written: ``{share}``."""
    if not any(keyword.arg != "code" for keyword in call.keywords):
        return template
    return "".join(
        before.replace("{", "{{").replace("}", "}}") + (f"{{{name}}}" if name is not None else "")
        for before, name, _, _ in Formatter().parse(template)
    )


def _literals(node: ast.expr) -> Iterator[str]:
    """The texts an argument can be: one, or one of two after an if."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)


def _said(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return _numbered(
            part.value if isinstance(part, ast.Constant) else None for part in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        pieces: list[str | None] = []
        for text in _literals(node.left):
            for piece in _FORMAT.split(text):
                pieces += [piece, None]
        return _numbered(iter(pieces[:-1])) if pieces else None
    return None


def _numbered(pieces: Iterator[object]) -> str:
    text, place = "", 0
    for piece in pieces:
        if piece is None:
            place += 1
        text += f"{{{place}}}" if piece is None else str(piece)
    return text


def _silent(nodes: Iterable[ast.AST]) -> set[int]:
    """Docstrings, and the pieces of sentences that are taken as a whole."""
    silent: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            silent.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            silent |= {id(part) for part in node.values if isinstance(part, ast.Constant)}
            silent |= {
                id(inner)
                for part in node.values
                if isinstance(part, ast.FormattedValue) and part.format_spec is not None
                for inner in ast.walk(part.format_spec)
            }
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            silent.add(id(node.left))
        elif isinstance(node, ast.Call) and _called(node) in _MESSAGES and node.args:
            silent |= {id(part) for part in ast.walk(node.args[0])}
    return silent


def main(arguments: list[str]) -> int:
    """Print what is missing or spare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("missing", "spare"))
    parser.add_argument("language")
    parser.add_argument("folder", nargs="?", default="")
    given = parser.parse_args(arguments)
    wanted = texts(WINDOW + CORE, given.folder)
    had = translated(given.language)
    if given.what == "missing":
        shown = {text: "" for text in wanted if text not in had}
    else:
        shown = {text: had[text] for text in had if text not in wanted}
    sys.stdout.write(json.dumps(shown, ensure_ascii=False, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
