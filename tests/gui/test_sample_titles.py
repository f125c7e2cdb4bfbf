"""Titles of the built-in samples are said in the language of the window, data keep their own."""

from __future__ import annotations

import json

import pytest
from designs import classic_study

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.codebook import attribute_to_json
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.samples import load_sample, samples
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.message import Message
from ppworkbench.gui.language import speech, translate
from ppworkbench.gui.pages.data import DataPage
from ppworkbench.study.files.study_file import open_study, save_study


@pytest.fixture
def _polish():
    speech.choose("pl")


@pytest.fixture
def city(workbench, _polish):
    workbench.store.open(classic_study(load_sample("city-survey", rows=200), "city-survey"))
    return workbench.store


def test_that_a_sample_is_called_in_the_language_of_the_window(city):
    assert city.study.shown("fare_evasion") == "Jazda bez biletu"
    assert city.study.unit("age") == "lat"
    said = city.study.titled(Message("{attribute!r} has no mean.", attribute="home"))
    assert "'Forma zamieszkania'" in said


def test_that_the_data_page_says_titles_and_keeps_what_is_stored(qtbot, workbench, files, city):
    page = DataPage(workbench, files)
    qtbot.addWidget(page)
    page.resize(1290, 690)
    page.show()
    page.shown()
    workbench.store.select(["fare_evasion"])
    qtbot.waitUntil(lambda: page.inspector.heading.name.text() == "Jazda bez biletu")
    assert city.study.attribute("fare_evasion").title == "Rode without a ticket"


def test_that_another_language_needs_no_other_study(city):
    study = city.study
    assert study.shown("district") == "Dzielnica"
    speech.choose("en")
    assert study.shown("district") == "District"


@pytest.mark.usefixtures("_polish")
def test_that_a_title_that_somebody_wrote_is_never_translated(workbench):
    own = Attribute("district", Kind.BINARY, ("no", "yes"), title="District")
    workbench.store.open(classic_study(Table((Column(own, [0, 1]),)), "own"))
    assert workbench.store.study.shown("district") == "District"


def test_that_files_hold_the_titles_of_the_sample(city, tmp_path):
    write_table(city.study.original, tmp_path / "city.csv")
    codebook = json.loads((tmp_path / "city.codebook.json").read_text(encoding="utf-8"))
    titles = [one.get("title") for one in codebook["attributes"]]
    assert "Rode without a ticket" in titles
    assert read_table(tmp_path / "city.csv")["age"].attribute.unit == "years"


def test_that_a_saved_sample_is_still_called_in_the_language_of_the_window(
    workbench, city, tmp_path
):
    save_study(city.study, tmp_path / "city.ppw")
    workbench.store.open(open_study(tmp_path / "city.ppw"))
    assert workbench.store.study.shown("fare_evasion") == "Jazda bez biletu"
    assert workbench.store.study.unit("income") == "euro"


@pytest.mark.usefixtures("_polish")
@pytest.mark.parametrize("name", samples.names)
def test_that_every_title_of_a_sample_has_a_translation(name):
    sizes = {"baskets": {"transactions": 50}, "city-survey": {"rows": 20}, "led24": {"rows": 20}}
    for column in load_sample(name, **sizes.get(name, {})):
        title = column.attribute.title
        assert attribute_to_json(column.attribute).get("title", "") == str(title)
        assert not title or translate(title) != title, title
