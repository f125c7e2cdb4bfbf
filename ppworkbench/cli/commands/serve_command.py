"""The command ``serve``: collect the answers of questionnaire pages until it is stopped."""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.api.text import harmless
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import InputPath, UpdatedPath, UsageError, add_command
from ppworkbench.core.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.design import Design
    from ppworkbench.study.collector.control import Collection
    from ppworkbench.study.collector.server import ServeOptions
    from ppworkbench.study.questionnaire.document import Questionnaire

_STEP = 10
_ORIGIN = re.compile(r"https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")


class DatabasePath(UpdatedPath):
    """A file of SQLite or the address of a PostgreSQL database."""

    __slots__ = ()

    def files(self) -> tuple[Path, ...]:
        """Return the file; an address is none."""
        return () if "://" in self else super().files()


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``serve``."""
    parser = add_command(
        subparsers, "serve", run_serve, "collect answers: serve the page and store what it sends"
    )
    parser.add_argument(
        "study", metavar="STUDY", type=InputPath,
        help="study (.ppw), design file, or the database of a collection to go on with",
    )  # fmt: skip
    parser.add_argument(
        "--db", metavar="FILE|URL", type=DatabasePath,
        help="database for the answers: a file, or postgresql+psycopg://…",
    )  # fmt: skip
    parser.add_argument(
        "--questions", metavar="FILE", type=InputPath,
        help="questionnaire (default: that of the study, or questionnaire.json beside the design)",
    )  # fmt: skip
    network = parser.add_argument_group("network")
    network.add_argument(
        "--host", metavar="ADDR", default="127.0.0.1",
        help="address to listen at (default: %(default)s; 0.0.0.0 lets others in)",
    )  # fmt: skip
    network.add_argument(
        "--port", metavar="N", type=_port, default=8421,
        help="port (default: %(default)s; 0 for any free one)",
    )  # fmt: skip
    network.add_argument("--cert", metavar="FILE", type=InputPath, help="certificate, for https")
    network.add_argument("--key", metavar="FILE", type=InputPath, help="key of the certificate")
    network.add_argument(
        "--behind-proxy", metavar="ADDR", default="",
        help="address of a proxy that tells whose requests it passes on",
    )  # fmt: skip
    network.add_argument(
        "--allow-origin", metavar="ADDR", action="append", default=[],
        help="let pages of another site send answers, e.g. https://example.org",
    )  # fmt: skip
    asking = parser.add_argument_group("asking")
    asking.add_argument(
        "--tokens", metavar="FILE", type=UpdatedPath,
        help="accept each token of this list once; with --make-tokens it is written (.csv, .html)",
    )  # fmt: skip
    asking.add_argument(
        "--make-tokens", metavar="N", type=_count, help="make so many tokens for --tokens"
    )
    asking.add_argument(
        "--kiosk", action="store_true",
        help="give the address of the page that forgets one person before the next",
    )  # fmt: skip
    asking.add_argument(
        "--until", metavar="TIME", type=_time,
        help="close the collection then, e.g. 18:00 or 2026-05-04T18:00",
    )  # fmt: skip
    asking.add_argument("--force", action="store_true", help="replace existing files")


def run_serve(args: argparse.Namespace) -> Answer:
    """Serve until a signal, the window or the clock ends it."""
    if args.until is not None and args.until <= datetime.now().astimezone():
        raise DataError("The time of --until is over; give one in the future.", field="until")
    from ppworkbench.study.collector.control import why_unreliable
    from ppworkbench.study.collector.server import (
        OPEN_WARNING,
        TOKEN_WARNING,
        CollectorServer,
        check_certificate,
        open_socket,
    )

    options = _options(args)
    # What cannot be served leaves no database behind.
    if options.cert or options.key:
        check_certificate(options.cert, options.key, options.host)
    open_socket(options.host, options.port).close()
    _check_tokens(args)
    with _collection(args) as collection:
        notes: list[str] = []
        told = _Told(collection.name, options, notes, as_json=args.json)

        def prepare() -> None:
            # Only now: tokens would keep everybody out of a collection that another one serves.
            notes.extend(_take_tokens(args, collection))
            unreliable = why_unreliable(collection.place)
            notes.extend([unreliable] if unreliable is not None else [])
            notes.extend([OPEN_WARNING] if options.is_open_without_tls else [])
            notes.extend([TOKEN_WARNING] if collection.needs_token else [])

        answers, state = CollectorServer(collection.store, options, told.report).run(prepare)
    document = {"event": "closed", "answers": answers}
    counted = f"{answers:,} answer" + ("" if answers == 1 else "s")
    return Answer(document, f"Ended: {counted} in {harmless(told.name)}, which is {state}.")


def _options(args: argparse.Namespace) -> ServeOptions:
    import ipaddress

    from ppworkbench.study.collector.server import ServeOptions

    if bool(args.cert) != bool(args.key):
        raise UsageError("--cert and --key go together; give both or neither.")
    if args.behind_proxy:
        try:
            ipaddress.ip_address(args.behind_proxy)
        except ValueError:
            raise DataError.saying(
                "{given!r} is no address of a proxy; write it as 127.0.0.1.",
                given=args.behind_proxy,
                field="behind_proxy",
            ) from None
    return ServeOptions(
        args.host,
        args.port,
        args.cert or "",
        args.key or "",
        args.behind_proxy,
        frozenset(map(_origin, args.allow_origin)),
        args.kiosk,
        args.until,
    )


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


def _collection(args: argparse.Namespace) -> Collection:
    """The collection of a study or design, or the one that is named itself."""
    from ppworkbench.study.collector.control import (
        is_collection,
        open_collection,
        start_collection,
    )

    if args.db is None:
        if not is_collection(args.study):
            raise UsageError("Name a database for the answers with --db.")
        return open_collection(args.study, must_be_open=True)
    design, asked = _asked(args)
    return start_collection(args.db, design, asked)


def _asked(args: argparse.Namespace) -> tuple[Design, Questionnaire | None]:
    """The design and the questionnaire, which may lie beside it or in the study."""
    from ppworkbench.core.design.design_file import read_design
    from ppworkbench.study.files.study_file import SUFFIX, open_study
    from ppworkbench.study.questionnaire import texts_of
    from ppworkbench.study.questionnaire.document import Questionnaire, read_beside, read_document

    path = Path(args.study)
    study = open_study(path) if path.suffix.lower() == SUFFIX else None
    design = read_design(path) if study is None else study.design
    if args.questions is not None:
        return design, read_document(args.questions)
    if study is not None:
        if study.questionnaire is not None:
            return design, study.questionnaire
        texts = texts_of(study.attributes)
        return design, Questionnaire.of_design(design, texts, "en", study.title)
    return design, read_beside(path)


def _check_tokens(args: argparse.Namespace) -> None:
    from ppworkbench.study.collector.tokens import check_name

    if args.make_tokens is None:
        return
    if args.tokens is None:
        raise UsageError("Name a file for the tokens with --tokens.")
    check_name(args.tokens)
    if Path(args.tokens).exists() and not args.force:
        raise DataError(
            f"{args.tokens} exists; choose another name, or replace it with --force.",
            file=args.tokens,
        )


def _take_tokens(args: argparse.Namespace, collection: Collection) -> list[str]:
    """Make tokens or read them; what is to be said about it."""
    from ppworkbench.study.collector.tokens import new_tokens, read_tokens, write_tokens

    if args.make_tokens is not None:
        words = new_tokens(args.make_tokens)
        # First the slips: tokens that nobody can read would keep everybody out.
        write_tokens(words, args.tokens)
        collection.add_tokens(words)
    elif args.tokens is not None:
        status = collection.status()
        # A round without answers and tokens is a new one, which has spent none.
        if status.tokens_left or (collection.needs_token and status.answers):
            return ["The database has its tokens already; spent ones do not count again."]
        collection.add_tokens(read_tokens(args.tokens))
    return []


class _Told:
    """Says what happens, for programs as lines of JSON and for people as sentences."""

    def __init__(
        self, name: str, options: ServeOptions, notes: Sequence[str], *, as_json: bool
    ) -> None:
        self.name = name
        self._options = options
        self._notes = notes
        self._as_json = as_json
        self._shown = 0

    def report(self, event: dict[str, Any]) -> None:
        """Say what happened."""
        if event["event"] == "ready":
            for note in self._notes:
                print(f"Note: {harmless(note)}", file=sys.stderr, flush=True)
        if event["event"] == "trouble":
            print(f"Note: {harmless(event['why'])}", file=sys.stderr, flush=True)
        elif self._as_json:
            print(json.dumps(event), flush=True)
        elif event["event"] == "ready":
            self._ready(str(event["address"]))
        elif event["event"] == "count":
            self._count(int(event["answers"]))

    def _ready(self, address: str) -> None:
        from ppworkbench.study.collector.server import own_addresses

        print(f"Collecting at {address}", flush=True)
        if self._options.host in ("0.0.0.0", "::"):  # noqa: S104 (only compared with)
            others = [one for one in own_addresses(self._options.host) if one not in address]
            if others:
                print(f"Other addresses of this computer: {', '.join(others)}")
        _draw_code(address)
        print(f"Answers go to {harmless(self.name)}. Ctrl+C ends.", flush=True)

    def _count(self, answers: int) -> None:
        # In steps, as in the window: nobody should see one person's answer arrive.
        shown = answers // _STEP * _STEP
        if shown > self._shown:
            self._shown = shown
            print(f"{shown:,} answers", flush=True)


def _draw_code(address: str) -> None:
    """Draw a QR code where there is a terminal to see it on."""
    if not sys.stdout.isatty():
        return
    import segno

    drawn = io.StringIO()
    segno.make(address, micro=False).terminal(drawn, compact=True)
    try:
        drawn.getvalue().encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return
    print(drawn.getvalue())


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text[:6]) > 65_535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, not {text[:20]!r}")
    return int(text)


def _count(text: str) -> int:
    from ppworkbench.study.collector.tokens import MOST

    if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:9]) <= MOST:
        raise argparse.ArgumentTypeError(f"tokens are 1 to {MOST:,}, not {text[:20]!r}")
    return int(text)


def _time(text: str) -> datetime:
    """A time of this computer's clock; one of the day alone is the next such time."""
    wrong = argparse.ArgumentTypeError(
        f"a time is written as 18:00 or 2026-05-04T18:00, not {text[:40]!r}"
    )
    try:
        if ":" in text and "-" not in text and "T" not in text:
            # Without a zone until the end: tomorrow may be another one, where clocks change.
            now = datetime.now()  # noqa: DTZ005
            clock = datetime.strptime(text, "%H:%M").time()  # noqa: DTZ007
            found = datetime.combine(now.date(), clock)
            return (found if found > now else found + timedelta(days=1)).astimezone()
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError):
        raise wrong from None
