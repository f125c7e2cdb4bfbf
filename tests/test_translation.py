"""Every text that the program says is there in every language it speaks."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from recipes import ROOT, load_recipe, program_texts

LANGUAGES = sorted(path.name for path in (ROOT / "resources/languages").iterdir() if path.is_dir())
UNSPOKEN = ROOT / "tests" / "language_unspoken"
_PLACES = re.compile(r"(?<!\{)\{\w+\}")
_FORMATS = re.compile(r"%[-+0-9.,]*[sdgfr%]")


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """All texts of the program and where they are said."""
    return program_texts().translated


@pytest.fixture(scope="module")
def unspoken() -> set[str]:
    """Texts of the core that nobody reads: words looked for in data, file formats, markup."""
    return {
        text for file in UNSPOKEN.glob("*.json") for text in json.loads(file.read_text("utf-8"))
    }


def pairs(language: str) -> list[tuple[str, str, str]]:
    return [
        (file.name, source, text)
        for file in sorted((ROOT / "resources/languages" / language).glob("*.json"))
        for source, text in json.loads(file.read_text("utf-8")).items()
    ]


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_that_nothing_around_the_pages_and_of_designs_is_left_untranslated(
    language: str, unspoken: set[str]
) -> None:
    # To read the sources takes seconds; these are some of the window and some of the core.
    recipe = load_recipe("texts")
    had = {source for _, source, text in pairs(language) if text}
    for folders, within in ((recipe.WINDOW, "gui/window/"), (recipe.CORE, "core/design/")):
        said = recipe.texts(folders, within)
        assert len(said) > 50
        assert {text: place for text, place in said.items() if text not in had | unspoken} == {}


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_that_nothing_is_left_untranslated(
    language: str, said: dict[str, str], unspoken: set[str]
) -> None:
    had = {source for _, source, text in pairs(language) if text}
    missing = {text: place for text, place in said.items() if text not in had | unspoken}
    assert missing == {}


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_that_nothing_is_translated_that_nobody_says(language: str, said: dict[str, str]) -> None:
    assert [source for _, source, _ in pairs(language) if source not in said] == []


@pytest.mark.slow
def test_that_only_texts_of_the_program_are_listed_as_unspoken(
    said: dict[str, str], unspoken: set[str]
) -> None:
    assert sorted(unspoken - set(said)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_that_a_text_is_translated_once(language: str) -> None:
    times = Counter(source for _, source, _ in pairs(language))
    assert [source for source, count in times.items() if count > 1] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_that_names_and_numbers_keep_their_places(language: str) -> None:
    wrong = [
        (source, text)
        for _, source, text in pairs(language)
        if Counter(_PLACES.findall(source)) != Counter(_PLACES.findall(text))
        or _FORMATS.findall(source) != _FORMATS.findall(text)
    ]
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_that_spaces_at_the_ends_and_markup_stay(language: str) -> None:
    def frame(text: str) -> tuple[bool, bool, Counter[str]]:
        tags = Counter(re.findall(r"</?[a-z]+", text))
        return text[:1].isspace(), text[-1:].isspace(), tags

    assert [(s, t) for _, s, t in pairs(language) if frame(s) != frame(t)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_that_menus_keep_one_mnemonic(language: str) -> None:
    def mnemonics(text: str) -> int:
        return len(re.findall(r"&(?=\w)(?![a-z]+;)", text))

    assert [(s, t) for _, s, t in pairs(language) if mnemonics(s) != mnemonics(t)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_that_no_promise_is_made_that_cannot_be_kept(language: str) -> None:
    claim = re.compile(r"(?<!nie oznacza )anonim", re.IGNORECASE)
    assert [t for _, _, t in pairs(language) if claim.search(t)] == []
