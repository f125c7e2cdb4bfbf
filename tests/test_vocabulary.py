"""The words of the program: what it never says, in the window, on the command line, in reports."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

import pytest
from recipes import ROOT, load_recipe

WITHDRAWN = {
    "foretell": r"foret(ell|old)",
    "likeliest": r"likeliest",
    "whoever": r"\bwhoever\b",
    "truly": r"\btruly\b",
    "nameless": r"nameless",
    "uncorrected": r"at face value",
    "taken for true": r"taken? (the \w+ )?for (true|a guess)",
    "say the safe": r"\bsay the safe",
    "answers that move": r"answers? move|until nothing moves|still moving",
    "journey": r"journey",
    "one coin": r"\b(one|a|its|separate) coins?\b(?! that nobody)",
    "published as it is": r"published as (it is|they are)",
    "best trade": r"best trade",
    "suspicion": r"suspicion",
    "best guess as a measure": r"attacker's best guess$",
    "P-matrix": r"P-matri",
    "undone": r"\bundone\b|\bundo(es|ing)\b|\bundo (it|the distortion)\b",
    "read back": r"read back",
    "larger class": r"larger class",
    "fault": r"fault of the program",
}
"""Riddles, archaic words and names that something else has got, by what they were."""

CLAIM = re.compile(r"(?<!not )anonym", re.IGNORECASE)
"""The only thing to be said is what randomised answers are not."""


def command_line() -> Iterator[str]:
    """What the commands may say: every string that is not a docstring."""
    for file in sorted((ROOT / "ppworkbench/cli").glob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        documented = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(tree):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and id(node) not in documented:
                yield node.value


@pytest.fixture(scope="module")
def texts() -> set[str]:
    """All English texts of the program."""
    said = set(load_recipe("texts").texts(("gui", "core", "study"))) | set(command_line())
    for file in (ROOT / "resources/languages/pl").glob("*.json"):
        said |= set(json.loads(file.read_text("utf-8")))
    words = json.loads((ROOT / "resources/questionnaire/words.en.json").read_text("utf-8"))
    return said | set(words.values())


@pytest.mark.parametrize("withdrawn", WITHDRAWN.values(), ids=WITHDRAWN)
def test_that_withdrawn_words_do_not_come_back(withdrawn: str, texts: set[str]) -> None:
    assert [text for text in texts if re.search(withdrawn, text, re.IGNORECASE)] == []


def test_that_nobody_is_called_hidden_who_can_be_found(texts: set[str]) -> None:
    assert [text for text in texts if CLAIM.search(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "Whoever learns the seed can undo it",
        "The distortion cannot be undone.",
        "Always foretelling the larger class",
        "One coin for several questions",
    ],
)
def test_that_the_search_finds_what_it_is_for(text: str) -> None:
    assert any(re.search(withdrawn, text, re.IGNORECASE) for withdrawn in WITHDRAWN.values())
