"""Pipes, sockets, devices and folders are refused at once, whoever is asked to open them."""

from __future__ import annotations

import os
import socket
import sys
import threading
from pathlib import Path

import pytest
from patience import PATIENCE

from ppworkbench.cli.main import main
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.codebook import read_codebook
from ppworkbench.core.data.files import codebook_of, read_table, write_table
from ppworkbench.core.data.samples import weather_table
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.design.design_file import read_design
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.files import write_text
from ppworkbench.fieldwork.collected import read_collected
from ppworkbench.fieldwork.collector.control import open_collection
from ppworkbench.fieldwork.responses.add import questions_of
from ppworkbench.fieldwork.responses.kit_file import read_mapping_or_kit
from ppworkbench.fieldwork.responses.sources import may_hold_answers, read_sources
from ppworkbench.study.files.study_file import open_study
from ppworkbench.study.questionnaire.texts import read_texts

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")

DESIGN = Design(
    (DesignedAttribute(Attribute("smokes", Kind.BINARY, ("no", "yes")), Uniform(keep=0.7)),)
)
READERS = {
    "table": read_table,
    "codebook beside": codebook_of,
    "codebook": read_codebook,
    "design": read_design,
    "study": open_study,
    "texts": read_texts,
    "answers": lambda path: read_collected([path], DESIGN),
    "responses": lambda path: read_sources([path], DESIGN),
    "collection": open_collection,
    "kit": read_mapping_or_kit,
}


@pytest.fixture(params=["pipe", "socket", "device", "folder"])
def special(request, tmp_path, monkeypatch):
    """A path that is there but no file."""
    # A socket's path may not be long.
    monkeypatch.chdir(tmp_path)
    path = Path("special.csv")
    if request.param == "pipe":
        os.mkfifo(path)
        yield path
    elif request.param == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(path))
            yield path
    elif request.param == "device":
        yield Path(os.devnull)
    else:
        path.mkdir()
        yield path


def within_seconds(work):
    """The error that a piece of work ends in, unless it waits for ever."""
    found = []

    def run():
        try:
            work()
        except WorkbenchError as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "it waits for somebody to write"
    return found[0]


@pytest.mark.parametrize("name", READERS)
def test_that_what_is_no_file_is_refused_at_once(special, name):
    error = within_seconds(lambda: READERS[name](special))
    assert special.name in error.message
    assert any(word in error.message for word in ("pipe", "socket", "device", "folder"))


def test_that_a_pipe_is_not_looked_into_for_answers(tmp_path):
    pipe = tmp_path / "rows.jsonl"
    os.mkfifo(pipe)
    looking = threading.Thread(target=may_hold_answers, args=(pipe, questions_of(DESIGN, {}, {})))
    looking.daemon = True
    looking.start()
    looking.join(PATIENCE)
    assert not looking.is_alive(), "it waits for somebody to write"


def test_that_nothing_is_written_over_what_is_no_file(special):
    kind = special.stat().st_mode
    error = within_seconds(lambda: write_text(special, "x"))
    assert special.name in error.message
    if special.suffix == ".csv":
        weather = weather_table()
        assert special.name in within_seconds(lambda: write_table(weather, special)).message
    assert special.stat().st_mode == kind


@pytest.mark.skipif(sys.platform != "linux", reason="about the devices of Linux")
def test_that_the_command_line_never_waits_for_a_pipe(special, capsys):
    assert main(["inspect", str(special)]) == 1
    assert "Internal error" not in capsys.readouterr().err
