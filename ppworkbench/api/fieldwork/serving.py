"""A collector of answers: it serves the page of a study and stores what the page sends.

It runs for weeks, perhaps on a small computer, so that nothing is loaded here that only other
parts of the interface need.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.api.fieldwork.questions import open_questionnaire
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.fieldwork.collector.tokens import MOST as MOST_TOKENS
from ppworkbench.results.result import Result
from ppworkbench.results.text import harmless

if TYPE_CHECKING:
    import pandas as pd

    from ppworkbench.analyses.arguments import StudyPath
    from ppworkbench.fieldwork.collector.control import Collection

__all__ = ["MOST_TOKENS", "serve"]

_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 (only compared with)
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
_ORIGIN = re.compile(r"https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")


@dataclass(frozen=True)
class Tokens:
    """Words that let people in once each: a list of them, or how many to make for a new list."""

    file: str
    make: int | None = None

    def __post_init__(self) -> None:
        """Refuse a file that a new list cannot be written to."""
        from ppworkbench.fieldwork.collector.tokens import check_name

        if self.make is not None:
            check_name(self.file)

    def take(self, collection: Collection) -> list[str]:
        """Make tokens or read them; what is to be said about it."""
        from ppworkbench.fieldwork.collector.tokens import new_tokens, read_tokens, write_tokens

        if self.make is not None:
            words = new_tokens(self.make)
            # First the slips: tokens that nobody can read would keep everybody out.
            write_tokens(words, self.file)
            collection.add_tokens(words)
            return []
        status = collection.status()
        # A round without answers and tokens is a new one, which has spent none.
        if status.tokens_left or (collection.needs_token and status.answers):
            return ["The database has its tokens already; spent ones do not count again."]
        collection.add_tokens(read_tokens(self.file))
        return []


Told = Callable[[Mapping[str, Any]], None]


def _say_nothing(_event: Mapping[str, Any]) -> None:
    pass


@check_arguments
def serve(  # noqa: PLR0913 (keywords with defaults)
    study: StudyPath,
    db: str | os.PathLike[str] | None = None,
    *,
    questions: str | os.PathLike[str] | None = None,
    host: str = "127.0.0.1",
    port: int = 8421,
    cert: str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
    behind_proxy: str = "",
    allow_origins: Iterable[str] = (),
    names: Iterable[str] = (),
    tokens: str | os.PathLike[str] | None = None,
    make_tokens: int | None = None,
    kiosk: bool = False,
    until: datetime | None = None,
    report: Told = _say_nothing,
) -> ServeResult:
    """Serve the page of a study and store what it sends, until a signal or the clock ends it.

    Parameters
    ----------
    study
        A study (``.ppw``), the path of a design, or the database of a collection to go on with.
    db
        The database for the answers: a file, or the address of a PostgreSQL database.
    questions
        The questionnaire; that of the study, or ``questionnaire.json`` beside the design, if not
        given.
    host, port, cert, key
        Where to listen, at port 0 at any free one; certificate and key are for https.
    behind_proxy, allow_origins
        The address of a proxy that tells whose requests it passes on; other sites whose pages may
        send answers.
    names
        Names under which people reach this computer, besides its addresses and the names of the
        certificate; requests under other names are refused.
    tokens, make_tokens
        A list of tokens, each accepted once; with ``make_tokens`` so many new ones are written to
        it (``.csv``, ``.html``).
    kiosk
        Whether the address is that of the page that forgets one person before the next.
    until
        When the collection closes.
    report
        Called with what happens: ``ready`` as ``event`` with the ``address``, ``other_addresses``
        of this computer, the ``name`` of the database and ``notes``; then ``count`` with
        ``answers`` in steps of ten, and ``trouble`` with ``why``.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> ended = pp.serve("survey.ppw", "answers.sqlite", port=0, report=print)  # doctest: +SKIP
    >>> ended.to_dict()  # doctest: +SKIP
    {'event': 'closed', 'answers': 120}
    """
    from ppworkbench.fieldwork.collector.control import is_database, why_unreliable
    from ppworkbench.fieldwork.collector.server import (
        OPEN_WARNING,
        TOKEN_WARNING,
        CollectorServer,
        ServeOptions,
        check_certificate,
        open_socket,
        own_addresses,
    )

    if until is not None and until <= datetime.now().astimezone():
        raise ParameterError("until is over; give a time in the future.", field="until")
    if bool(cert) != bool(key):
        raise ParameterError("cert and key go together; give both or neither.", field="cert")
    if make_tokens is not None and tokens is None:
        raise ParameterError("Name a file for the tokens.", field="make_tokens")
    if db is None and not is_database(os.fspath(study)):
        raise ParameterError("Name a database for the answers.", field="db")
    _check_proxy(behind_proxy)
    options = ServeOptions(
        host, port, os.fspath(cert or ""), os.fspath(key or ""), behind_proxy,
        frozenset(map(_origin, allow_origins)), frozenset(map(_name, names)), kiosk, until,
    )  # fmt: skip
    # What cannot be served leaves no database behind.
    if options.cert or options.key:
        check_certificate(options.cert, options.key, options.host)
    open_socket(options.host, options.port).close()
    slips = None if tokens is None else Tokens(os.fspath(tokens), make_tokens)
    with _open_collection(study, db, questions) as collection:
        notes: list[str] = []

        def prepare() -> None:
            # Only now: tokens would keep everybody out of a collection that another one serves.
            notes.extend([] if slips is None else slips.take(collection))
            unreliable = why_unreliable(collection.place)
            notes.extend([unreliable] if unreliable is not None else [])
            notes.extend([OPEN_WARNING] if options.is_open_without_tls else [])
            notes.extend([TOKEN_WARNING] if collection.needs_token else [])

        def tell(event: Mapping[str, Any]) -> None:
            if event["event"] != "ready":
                report(event)
                return
            others = own_addresses(host) if host in _EVERYWHERE else ()
            others = tuple(one for one in others if one not in event["address"])
            report({**event, "name": name, "notes": tuple(notes), "other_addresses": others})

        name = collection.name
        answers, state = CollectorServer(collection.store, options, tell).run(prepare)
    return ServeResult(answers, name, str(state))


@dataclass(frozen=True, eq=False, repr=False)
class ServeResult(Result):
    """How many answers a collection has, and in which state it is."""

    answers: int
    name: str
    collection: str

    def _document(self) -> Mapping[str, Any]:
        return {"event": "closed", "answers": self.answers}

    def summary(self) -> str:
        """How it ended, as the command line prints it."""
        counted = f"{self.answers:,} answer" + ("" if self.answers == 1 else "s")
        return f"Ended: {counted} in {harmless(self.name)}, which is {self.collection}."

    def to_frame(self) -> pd.DataFrame:
        """One row: the database, its answers and its state."""
        import pandas as pd

        row = {"database": self.name, "answers": self.answers, "state": self.collection}
        return pd.DataFrame([row])


def _check_proxy(address: str) -> None:
    import ipaddress

    try:
        ipaddress.ip_address(address or "127.0.0.1")
    except ValueError:
        raise DataError.saying(
            "{given!r} is no address of a proxy; write it as 127.0.0.1.",
            given=address,
            field="behind_proxy",
        ) from None


def _origin(given: str) -> str:
    """A site as browsers name it; ``null`` are pages that are files."""
    plain = given.rstrip("/").lower()
    if plain != "null" and not _ORIGIN.fullmatch(plain):
        raise DataError.saying(
            "{given!r} is no address of a site; write it as https://example.org.",
            given=given,
            field="allow_origin",
        )
    scheme, _, host = plain.partition("://")
    usual = {"http": ":80", "https": ":443"}.get(scheme, "")
    return plain.removesuffix(usual) if host and usual else plain


def _name(given: str) -> str:
    """A name of this computer as browsers ask for it."""
    plain = given.rstrip(".").lower()
    if not _NAME.fullmatch(plain):
        raise DataError.saying(
            "{given!r} is no name of a computer; write it as survey.example.org.",
            given=given,
            field="name",
        )
    return plain


def _open_collection(
    study: StudyPath,
    db: str | os.PathLike[str] | None,
    questions: str | os.PathLike[str] | None,
) -> Collection:
    """The collection of a study or design, or the one that is named itself."""
    from ppworkbench.fieldwork.collector.control import open_collection, start_collection

    if db is None:
        return open_collection(os.fspath(study), must_be_open=True)
    design, asked = open_questionnaire(study, questions, "en")
    return start_collection(os.fspath(db), design, asked)
