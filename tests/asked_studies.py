"""People who answer a collector without a browser, and a study that they can answer."""

from __future__ import annotations

import csv
import json
import secrets
import socket
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
from patience import PATIENCE

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Identity, Uniform
from ppworkbench.core.design.design_file import design_digest
from ppworkbench.study.study import PriorChoice, Study

TICKET = Attribute("ticket", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
TOWN = Attribute("town", Kind.NOMINAL, ("north", "south", "west"))
TRANSPORT = Attribute("transport", Kind.NOMINAL, ("bus", "tram"))


def asked_study() -> Study:
    """Three questions without answers: one marked answer, one randomised, one asked plainly."""
    design = Design(
        (
            DesignedAttribute(TOWN, Uniform(keep=0.7)),
            DesignedAttribute(TRANSPORT, Identity()),
            DesignedAttribute(TICKET, Uniform(keep=0.8)),
        )
    )
    drawn = {"ticket": PriorChoice("drawn", (0.8, 0.2))}
    return Study("Asked", design=design, choices=MappingProxyType(drawn))


def free_port() -> int:
    """A port that nobody listens at now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def reported_rows(count: int, truth: float = 0.2, seed: int = 5) -> list[dict[str, str]]:
    """What so many people send: true answers drawn with these shares, then randomised."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        ticket = int(random.random() < truth)
        if random.random() > 0.8:
            ticket = 1 - ticket
        town = int(random.integers(3))
        if random.random() > 0.7:
            town = (town + int(random.integers(1, 3))) % 3
        rows.append(
            {
                "town": TOWN.values[town],
                "transport": TRANSPORT.values[int(random.integers(2))],
                "ticket": TICKET.values[ticket],
            }
        )
    return rows


def reported_study(count: int = 27) -> Study:
    """The same study after fieldwork: so many people have reported."""
    study, rows = asked_study(), reported_rows(count)
    columns = tuple(
        Column(one.distorted, np.array([one.distorted.values.index(row[one.name]) for row in rows]))
        for one in study.design
    )
    return study.with_(distorted=Table(columns))


def qualtrics_export(
    path: Path, rows: Iterable[Mapping[str, str]], more: Mapping[str, Sequence[str]] | None = None
) -> Path:
    """Answers as Qualtrics exports them: three rows of headings, columns of its own, and others."""
    listed, others = list(rows), more or {}
    names = ["Finished", "ResponseId", *listed[0], *others]
    lines = [names, names, [json.dumps({"ImportId": name}) for name in names]]
    lines += [
        ["True", f"R_{place}", *row.values(), *(cells[place] for cells in others.values())]
        for place, row in enumerate(listed)
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)
    return path


def post_row(address: str, study: Study, row: Mapping[str, object], **more: object) -> int:
    """Send one row as the page does; returns the status of the answer."""
    body = {
        "id": secrets.token_hex(16),
        "design": design_digest(study.design),
        "row": dict(row),
        **more,
    }
    request = Request(
        address.rstrip("/") + "/answers",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    try:
        with urlopen(request, timeout=PATIENCE) as answer:
            return int(answer.status)
    except HTTPError as error:
        with error:
            return error.code


def post_rows(address: str, study: Study, rows: Iterable[Mapping[str, object]]) -> list[int]:
    """Send rows one after the other."""
    return [post_row(address, study, row) for row in rows]
