"""Functions that write files: the same documents as the commands, with tables for notebooks."""

from __future__ import annotations

import json
import socket
import threading
import urllib.request
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from patience import PATIENCE

import ppworkbench as pp
from ppworkbench.cli.main import main

RESULTS = {
    "inspect true.csv": lambda: pp.inspect("true.csv"),
    "sample list": pp.samples,
    "sample write city-survey s.csv --rows 40 --seed 2": lambda: pp.write_sample(
        "city-survey", "s.csv", rows=40, seed=2
    ),
    "publish true.csv --sensitive fare_evasion --out p.csv --seed 1 --folds 3 --tree t.json": (
        lambda: pp.publish(
            "true.csv", "fare_evasion", "p.csv", seed=1, folds=3, tree="t.json"
        )
    ),
    "report trial.ppw --out r.html --date 2026-01-01 --language pl": lambda: pp.report(
        "trial.ppw", "r.html", date="2026-01-01", language="pl"
    ),
    "bundle reported.csv --out b.zip --no-report": lambda: pp.bundle(
        "reported.csv", "b.zip", report=False
    ),
    "questionnaire --design design.json --out q.html --language pl": lambda: pp.questionnaire(
        "design.json", "q.html", language="pl"
    ),
    "kit die.json --out k.zip --targets text,paper --language en": lambda: pp.kit(
        "die.json", "k.zip", targets=("text", "paper"), languages=("en",)
    ),
    "collect answers.jsonl --design design.json --out c.csv": lambda: pp.collect(
        "answers.jsonl", "design.json", "c.csv"
    ),
    "add design.json reported.csv --state reported --platform table --out a.csv": (
        lambda: pp.add_answers(
            "design.json", "reported.csv", state="reported", platform="table", out="a.csv"
        )
    ),
    "rehearse design.json --out z.ppw --n 40 --seed 5 --strength sex=strong": lambda: pp.rehearse(
        "design.json", "z.ppw", n=40, seed=5, strength={"sex": "strong"}
    ),
    "gallery": pp.gallery,
}  # fmt: skip


LONG = {"gallery", "report trial.ppw --out r.html --date 2026-01-01"}


@pytest.mark.parametrize(
    "words",
    [pytest.param(one, marks=pytest.mark.slow) if one in LONG else one for one in RESULTS],
)
def test_that_a_function_gives_what_its_command_prints(
    words: str, folder: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(folder)
    found = RESULTS[words]()
    force = [] if words in ("gallery", "sample list", "inspect true.csv") else ["--force"]
    assert main([*words.split(), *force, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert found.to_dict() == printed
    assert list(found.to_dict()) == list(printed)
    assert main([*words.split(), *force]) == 0
    # The command writes a thin space before percent signs.
    told = capsys.readouterr().out.strip().replace("\u202f", " ")
    assert told == found.summary().strip().replace("\u202f", " ")
    frame = found.to_frame()
    assert len(frame.columns)
    assert frame.columns[0] in found._repr_html_()


def test_that_cards_and_questionnaires_are_written(folder: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(folder)
    found = pp.cards("die.json", "cards.html", languages=("en", "pl"))
    assert found.to_frame()["language"].tolist() == ["en", "pl"]
    words = ["cards", "--design", "die.json", "--out", "cards.html", "--language", "en,pl"]
    assert main([*words, "--force", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == found.to_dict()
    with pytest.raises(pp.WorkbenchError, match=r"\.html or \.pdf") as caught:
        pp.cards("die.json", "cards.docx")
    assert caught.value.field == "out"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (lambda: pp.report("reported.csv", "r.html", design="design.json"), "design"),
        (lambda: pp.report("trial.ppw", "r.html", language="de"), "language"),
        (lambda: pp.rehearse("design.json", "z.txt"), "out"),
        (lambda: pp.rehearse("design.json", "z.ppw", strength="odd"), "strength"),
        (lambda: pp.add_answers("design.json", "reported.csv", state="reported"), "out"),
        (lambda: pp.add_answers("design.json", "reported.csv", state="odd", out="a.csv"), "state"),
        (lambda: pp.publish("true.csv", "sex", "p.csv", coarsen=["age"]), "coarsen"),
        (lambda: pp.questionnaire("design.json", "q.html", texts="a", questions="b"), "texts"),
        (lambda: pp.bundle("trial.ppw", "new.zip", nothing=True), "nothing"),
        (lambda: pp.serve("design.json"), "db"),
        (lambda: pp.serve("design.json", "x.db", make_tokens=3, port=0), "make_tokens"),
    ],
)
def test_that_a_wrong_argument_is_named(wrong, field: str, folder: Path, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(pp.WorkbenchError) as caught:
        wrong()
    assert caught.value.field == field
    assert not Path("new.zip").exists()


def test_that_a_missing_database_is_named_before_a_port_that_is_taken(folder: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(pp.WorkbenchError) as caught,
    ):
        pp.serve(folder / "design.json", port=taken.getsockname()[1])
    assert caught.value.field == "db"


@pytest.mark.slow
def test_that_a_collector_is_served_until_its_time_is_over(folder: Path, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    events: list[dict] = []
    ended: list[pp.Result] = []
    is_ready = threading.Event()

    def told(event) -> None:
        events.append(dict(event))
        is_ready.set()

    def run() -> None:
        until = datetime.now().astimezone() + timedelta(seconds=5)
        ended.append(pp.serve("design.json", "field.sqlite", port=0, until=until, report=told))

    serving = threading.Thread(target=run)
    serving.start()
    assert is_ready.wait(PATIENCE)
    with urllib.request.urlopen(events[0]["address"], timeout=PATIENCE) as page:
        assert b"fare_evasion" in page.read()
    serving.join(PATIENCE)
    assert not serving.is_alive()
    (found,) = ended
    assert found.to_dict() == {"event": "closed", "answers": 0}
    assert found.summary().startswith("Ended: 0 answers in ")
    assert events[0]["event"] == "ready"
    assert events[0]["other_addresses"] == ()
