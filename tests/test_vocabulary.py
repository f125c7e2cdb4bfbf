"""The words of the program: what it never says, in the window, on the command line, in reports."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from recipes import ROOT, command_strings, program_texts

from ppworkbench.cli.main import build_parser

WORDS = ROOT.parent / "shared" / "ui" / "words.md"
"""Where the wording is discussed, on computers that have it; the project does without."""

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

REPLACED = """
How answers move
becomes
%s say so
%s say “%s”
%s say something else
stays %s
What is added
what is sent
random shift
One answer's journey
Again
Throw the die again
If some ignore the device
Share of people who ignore the device
Everybody follows the instructions.
answer truly
say the safe
“%s” looks <b>%s points</b> too frequent.
“%s” looks <b>%s points</b> too rare.
The distortion cannot be undone, so nothing can be said.
this distortion cannot be undone
nothing can be read back
The average cannot be read back.
%s give their true answer; the others say another one.
%s give their true answer; the others move one step.
%s give their true answer; the others move up to %s steps.
Answers are published as they are. Whoever sees one knows it.
Answers are published as they are; nothing protects them.
published as it is
Devices
Best trade…
Best trade for %s
Searching for the matrices that lose least…
Aim for
What is aimed at
The value it shall have
Strongest suspicion
strongest suspicion
Largest rise of a belief
attacker's best guess
Mean known to
Needed for ± %s pts
as uncertain as a flat guess over %s
One coin for these…
One coin for several questions
Separate coins
The design of now
now
What the survey will show
Cut normal
evenly
Loop effect on or off
Asked so far
click a row to bring it back
At face value
at face value
Taking the reports at face value would give %s.
At face value nobody meets the condition.
ignores the distortion
Joint: undoes all conditions together; unbiased, with a valid interval.
Some cells were negative before they were brought to the likeliest table without negative cells;…
The estimate is negative, which only chance can make it; read it as 0.
…so take the result for a guess.
Choose the attribute to tell about.
Ask the distorted answers a question
Who probably meets all of these conditions?
Anything between nobody and everybody.
Choose a cell to read it out.
surely frequent
probably frequent
not surely infrequent
Count as frequent if it is
Recommended: MASK, steadied by what the smaller sets suggest.
Original answers are counted, not estimated: there is no doubt.
Find answers that go together
Who has these → also has
extra
Raw
Recovered against true support
Bring this run back
Forget this run
Tick all shown
Untick all shown
Only %s answers. Every interval is wider than the scale; show it, do not quote it.
What is to be foretold?
What shall be foretold?
Attribute to be foretold
attribute to foretell
Choose the attribute that is to be foretold.
Foretold “%s”, rightly.
Foretold “%s”, truly “%s”.
larger class
always the larger class
Largest class
Right and wrong
Panel of Bayes, patterns and trees
Voices
Caution
Pull
Test on
settings are fixed while it runs
The tree is being drawn…
Follow record
What accuracy is left
Deniable is not nameless. People can still be recognised by the other columns.
Distorted is not nameless…
0 %: answers are plain
100 %: coin toss
Measure it
Search longer for better groups
Values may share a group
Nothing is published like this.
Before you release it
look at this
in order
to know
Write formulas as harmless text
Leave out what is not distorted
The study's seed %s (repeatable, unsafe)
The operating system's randomness (for release)
Say where the bundle goes.
Keeping a copy
Means no answer
It is an answer
One thing to look at.
Five things to look at.
%s things to look at.
Check what was understood
Check what was understood before anything is randomised
Back to how the file was understood
set by hand or by a codebook
set by you
the design says so
Looking for doubts
“%s” may be a record number.
Drop the row
Fill in the most frequent answer
Fill in the mean
Tabulator
Bar
Read again
%s answers are one now: “%s”.
Fit to the answers
Keep it
made by code, no real people
A class to teach
Worked out now
Step before
One draw is luck…
What to see
goes on until nothing moves
stops after the same number every time
stops where held-out answers are predicted best
still moving
Steps on the scale
exact channel
mid-point distances
same answer, fewer steps
Distort, reconstruct, and watch how it gets there
Bring to the front
There is nothing to repeat yet.
Be the attacker
Asking again
Do correlated numbers betray the noise?
blind guess
only one
if open
Two ways to give a table away
Before it leaves
How frequent is frequent?
A fault of the program, please report it ({1}).
Something went wrong in the program.
Your study is as it was before.
an error in the program
Trace of the error
It takes {1} distorted answers to know as much as from 1 direct answer.
No number of distorted answers is worth a direct one.
The published answer tells nothing about the true one.
say what a data file holds
say what a design protects and costs
find the matrices that lose least at their privacy
true answers, to set the truth beside the estimate
whom it is about, as:
start of the random numbers, to repeat a result
show where in the program an error arose
True answer %s becomes %s with probability %s
Truly meets it
Whoever learns the seed can undo the distortion
Try it out
Design, apply and undo the random distortion of survey answers.
Right guesses
Working…
Number of bars
Smallest node
Smallest leaf
Smallest group
Longest set
Longest pattern
Least gain
Nothing has run yet.
Do not show hints
Kept numbers
Most time spent on looking ahead
""".strip().splitlines()  # fmt: skip
"""Texts that have been replaced by better ones: %s and {1} are values, … is the rest."""

AS_WHOLE = frozenset(
    {
        "%s say “%s”",
        "now",
        "becomes",
        "stays %s",
        "Again",
        "extra",
        "Raw",
        "Bar",
        "Devices",
        "Voices",
        "Pull",
        "Caution",
        "Test on",
        "in order",
        "to know",
        "look at this",
        "only one",
        "Keep it",
        "Means no answer",
        "Tabulator",
        "Smallest group",
        "Working…",
        "Kept numbers",
        "evenly",
        "if open",
        "what is sent",
        "attacker's best guess",
    }
)
"""Ordinary words of other sentences, wrong only as a label or a cell of their own.

“Run again”, “1 answer becomes missing” and “the smallest group has 3 people” are good English;
a button “Again”, a column “becomes” and a field “Smallest group” were not.
"""

CLAIM = re.compile(r"(?<!not )anonym", re.IGNORECASE)
"""The only thing to be said is what randomised answers are not."""


PLACE = re.compile(r"%s|\\\{1\\\}")
PLACED = r"(?:%s|\{\w+\})"
PROSE = (".md", ".toml", ".html", ".js")
NAMED = re.compile(r"\*{1,2}([^*\n]+)\*{1,2}|^#+ +(.+)$|“([^”]+)”", re.MULTILINE)
"""What prose names as it stands in the window: emphasised, quoted, or a heading."""


def pattern_of(replaced: str) -> re.Pattern[str]:
    """A replaced text in small letters, with any value in its places."""
    is_whole = replaced in AS_WHOLE
    value = PLACED if is_whole else rf"(?:{PLACED}|\S+)"
    written = PLACE.sub(lambda _: value, re.escape(replaced.lower().strip("…")))
    written = written.replace("<b>", "(?:<b>)?").replace("</b>", "(?:</b>)?")
    around = ("^", "…?$") if is_whole else (r"(?<!\w)", r"(?!\w)")
    return re.compile(around[0] + written + around[1], re.MULTILINE)


def in_lines(texts: Iterable[str]) -> str:
    """Texts to be searched at once, in small letters, each on a line of its own."""
    return "\n".join(sorted({" ".join(text.lower().split()) for text in texts}))


def command_help(parser: argparse.ArgumentParser) -> Iterator[str]:
    """What ``--help`` says about a command, its options and the commands below it."""
    yield parser.description or ""
    yield parser.epilog or ""
    for action in parser._actions:
        yield action.help or ""
        if isinstance(action, argparse._SubParsersAction):
            yield from (choice.help or "" for choice in action._choices_actions)
            for command in action.choices.values():
                yield from command_help(command)


def prose_files() -> Iterator[Path]:
    """The help, demonstrations and pages in every language, and what introduces the project."""
    yield ROOT / "README.md"
    yield ROOT / "pyproject.toml"
    yield ROOT / "packaging/debian_package.py"
    yield from sorted((ROOT / "packaging/linux").iterdir())
    yield from (file for file in sorted((ROOT / "resources").rglob("*")) if file.suffix in PROSE)


@pytest.fixture(scope="module")
def texts() -> set[str]:
    """All English texts of the program: what is translated, which is all of them, and commands."""
    said = set(command_strings())
    for file in (ROOT / "resources/languages/pl").glob("*.json"):
        said |= set(json.loads(file.read_text("utf-8")))
    words = json.loads((ROOT / "resources/questionnaire/words.en.json").read_text("utf-8"))
    return said | set(words.values())


@pytest.fixture(scope="module")
def labels(texts: set[str]) -> str:
    """Texts that stand alone; single words of the command line name JSON fields and commands."""
    named = {
        found
        for file in prose_files()
        for match in NAMED.findall(file.read_text("utf-8"))
        for found in match
    }
    fields = {text for text in command_strings() if " " not in text}
    said = texts | set(program_texts().translated)
    return in_lines(((said | named) - fields) | set(command_help(build_parser())))


@pytest.fixture(scope="module")
def everything(labels: str) -> str:
    """Whatever a person may read: strings of all sources, and the paragraphs of prose."""
    found = {text for strings in program_texts().strings.values() for text in strings}
    for file in prose_files():
        found |= set(file.read_text("utf-8").split("\n\n"))
    for file in (ROOT / "resources/languages").rglob("*.json"):
        found |= set(json.loads(file.read_text("utf-8")).values())
    return labels + "\n" + in_lines(found)


@pytest.mark.slow
def test_that_replaced_texts_do_not_come_back(labels: str, everything: str) -> None:
    # One test for all: to read every text takes far longer than to search it.
    found = {}
    for replaced in REPLACED:
        searched = labels if replaced in AS_WHOLE else everything
        # Where the longest piece without places is not found, there is no need for a slow search.
        pieces = re.split(r"%s|\{1\}|</?b>", replaced.lower().strip("…"))
        if max(pieces, key=len) not in searched:
            continue
        places = [match.start() for match in pattern_of(replaced).finditer(searched)]
        if places:
            found[replaced] = [searched[max(place - 60, 0) : place + 90] for place in places]
    assert found == {}


def test_that_the_search_finds_every_replaced_text() -> None:
    for replaced in REPLACED:
        said = replaced.lower().replace("%s", "{share}").replace("{1}", "{error}").strip("…")
        assert pattern_of(replaced).search(said), replaced
        is_part = pattern_of(replaced).search(f"before, {said}, after.") is not None
        assert is_part == (replaced not in AS_WHOLE), replaced


def test_that_only_replaced_texts_are_searched_as_a_whole() -> None:
    assert sorted(AS_WHOLE - set(REPLACED)) == []


@pytest.mark.skipif(not WORDS.is_file(), reason="the list of words is not on this computer")
def test_that_the_replaced_texts_are_those_of_the_list_of_words() -> None:
    table = WORDS.read_text("utf-8").split("\nnow | better\n--- | ---\n")[1]
    # Further lists, of wordings that are still discussed, stand below a line without columns.
    first = table.split("\n\n")[0]
    listed = [row.split(" | ")[0] for row in first.splitlines() if " | " in row]
    assert sorted(set(listed) ^ set(REPLACED)) == []


def test_that_withdrawn_words_do_not_come_back(texts: set[str]) -> None:
    found = {
        name: said
        for name, withdrawn in WITHDRAWN.items()
        if (said := [text for text in texts if re.search(withdrawn, text, re.IGNORECASE)])
    }
    assert found == {}


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
