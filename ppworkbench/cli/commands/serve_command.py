"""The command ``serve``: collect the answers of questionnaire pages until it is stopped."""

from __future__ import annotations

import argparse
import io
import json
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.cli.calls import Call
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import UpdatedPath, UsageError, add_command, add_file
from ppworkbench.core.errors import DataError
from ppworkbench.results.text import harmless

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ppworkbench.cli.parser import Subparsers

_FOR_PEOPLE = ("name", "notes", "other_addresses")
"""What an event tells people; programs have it from elsewhere."""


class DatabasePath(UpdatedPath):
    """A file of SQLite or the address of a PostgreSQL database."""

    __slots__ = ()

    def files(self) -> tuple[Path, ...]:
        return () if "://" in self else super().files()


def add_commands(subparsers: Subparsers) -> None:
    says = "collect answers: serve the page and store what it sends"
    parser = add_command(subparsers, "serve", run_serve, says)
    says = "study (.ppw), design file, or the database of a collection to go on with"
    add_file(parser, "study", says, metavar="STUDY")
    says = "database for the answers: a file, or postgresql+psycopg://…"
    add_file(parser, "--db", says, DatabasePath, "FILE|URL")
    says = "questionnaire (default: that of the study, or questionnaire.json beside the design)"
    add_file(parser, "--questions", says)
    network = parser.add_argument_group("network")
    network.add_argument(
        "--host", metavar="ADDR", default="127.0.0.1",
        help="address to listen at (default: %(default)s; 0.0.0.0 lets others in)",
    )  # fmt: skip
    network.add_argument(
        "--port", metavar="N", type=_port, default=8421,
        help="port (default: %(default)s; 0 for any free one)",
    )  # fmt: skip
    add_file(network, "--cert", "certificate, for https")
    add_file(network, "--key", "key of the certificate")
    network.add_argument(
        "--behind-proxy", metavar="ADDR", default="",
        help="address of a proxy that tells whose requests it passes on",
    )  # fmt: skip
    network.add_argument(
        "--allow-origin", dest="allow_origins", metavar="ADDR", action="append", default=[],
        help="let pages of another site send answers, e.g. https://example.org",
    )  # fmt: skip
    network.add_argument(
        "--name", dest="names", metavar="NAME", action="append", default=[],
        help="a name under which people reach this computer, e.g. survey.example.org",
    )  # fmt: skip
    asking = parser.add_argument_group("asking")
    says = "accept each token of this list once; with --make-tokens it is written (.csv, .html)"
    add_file(asking, "--tokens", says, UpdatedPath)
    asking.add_argument(
        "--make-tokens", metavar="N", type=_count, help="number of tokens to create"
    )
    asking.add_argument(
        "--kiosk", action="store_true", help="use a page that resets after each person"
    )
    asking.add_argument(
        "--until", metavar="TIME", type=_time,
        help="close the collection then, e.g. 18:00 or 2026-05-04T18:00",
    )  # fmt: skip
    asking.add_argument("--force", action="store_true", help="replace existing files")


_SERVE = Call(
    "fieldwork.serving", "serve",
    {
        "db": "Name a database for the answers with --db.",
        "make_tokens": "Name a file for the tokens with --tokens.",
    },
)  # fmt: skip


def run_serve(args: argparse.Namespace) -> Answer:
    """Serve until a signal, the window or the clock ends it."""
    if args.until is not None and args.until <= datetime.now().astimezone():
        raise DataError("The time of --until is over; give one in the future.", field="until")
    if bool(args.cert) != bool(args.key):
        raise UsageError("--cert and --key go together; give both or neither.")
    if args.make_tokens is not None and args.tokens and not args.force:
        _refuse_existing(Path(args.tokens))
    return _SERVE(args, report=_Told(as_json=args.json).report)


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise DataError(
            f"{path} exists; choose another name, or replace it with --force.", file=path
        )


class _Told:
    """Says what happens, for programs as lines of JSON and for people as sentences."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._shown = 0

    def report(self, event: Mapping[str, Any]) -> None:
        if event["event"] == "ready":
            for note in event["notes"]:
                print(f"Note: {harmless(note)}", file=sys.stderr, flush=True)
        if event["event"] == "trouble":
            print(f"Note: {harmless(event['why'])}", file=sys.stderr, flush=True)
        elif self._as_json:
            said = {name: value for name, value in event.items() if name not in _FOR_PEOPLE}
            print(json.dumps(said), flush=True)
        elif event["event"] == "ready":
            _tell_ready(event)
        elif event["event"] == "count":
            self._count(int(event["answers"]))

    def _count(self, answers: int) -> None:
        if answers > self._shown:
            self._shown = answers
            print(f"{answers:,} answers", flush=True)


def _tell_ready(event: Mapping[str, Any]) -> None:
    print(f"Collecting at {event['address']}", flush=True)
    if event["other_addresses"]:
        print(f"Other addresses of this computer: {', '.join(event['other_addresses'])}")
    _draw_code(str(event["address"]))
    print(f"Answers go to {harmless(event['name'])}. Ctrl+C ends.", flush=True)


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
    from ppworkbench.api.fieldwork.serving import MOST_TOKENS

    if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:9]) <= MOST_TOKENS:
        raise argparse.ArgumentTypeError(f"tokens are 1 to {MOST_TOKENS:,}, not {text[:20]!r}")
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
