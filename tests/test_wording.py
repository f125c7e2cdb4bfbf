"""What the program never says: that anybody is anonymous, or words of commands in the window."""

from __future__ import annotations

import argparse
import json
import re

import pytest
from recipes import ROOT, command_strings, program_texts

from ppworkbench.cli.main import build_parser

CLAIM = re.compile(r"(?<!not )anonym", re.IGNORECASE)
"""The only thing to be said is what randomised answers are not."""


@pytest.fixture(scope="module")
def texts() -> set[str]:
    """All English texts of the program: what is translated, which is all of them, and commands."""
    said = set(command_strings())
    for file in (ROOT / "resources/languages/pl").glob("*.json"):
        said |= set(json.loads(file.read_text("utf-8")))
    words = json.loads((ROOT / "resources/questionnaire/words.en.json").read_text("utf-8"))
    return said | set(words.values())


def test_that_nobody_is_called_hidden_who_can_be_found(texts: set[str]) -> None:
    assert [text for text in texts if CLAIM.search(text)] == []


def test_that_the_search_for_such_a_claim_finds_one() -> None:
    assert CLAIM.search("Answers are anonymous.")
    assert not CLAIM.search("Randomised answers are not anonymous.")


def test_that_the_window_does_not_speak_of_options_commands_and_fields_of_files() -> None:
    parser = build_parser()
    groups = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    commands = "|".join(sorted(name for group in groups for name in group.choices))
    # The same text is printed by the command line, where the help tells the names.
    typed = re.compile(rf"(?<!\w)--[a-z]|'[a-z]+(_[a-z]+)+'|'({commands})( --[a-z]+)?'")
    files = re.compile(r"(field|fields|under) '\w+'")
    readers = ("outputs/demonstrations/", "study/questionnaire/texts.py")
    said = [
        text for text, place in program_texts().translated.items() if not place.startswith(readers)
    ]
    keys = set()
    for file in (ROOT / "resources/languages/pl").glob("*.json"):
        keys |= set(json.loads(file.read_text("utf-8")))
    found = [text for text in said if text in keys and typed.search(files.sub("", text))]
    assert found == []
