"""Commands about devices in a respondent's hand: what they can do, and cards that say how."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.api.text import aligned, harmless
from ppworkbench.cli.commands.report_command import SUFFIXES, find_printer
from ppworkbench.cli.input_files import add_pilot_options
from ppworkbench.cli.options import priors_given, unweighted_priors
from ppworkbench.cli.output import Answer, with_notes
from ppworkbench.cli.parser import (
    InputPath,
    OutputPath,
    UsageError,
    add_command,
)
from ppworkbench.core.message import Message

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.design.devices import DeviceKind, Snapped

HALF_WIDTH = 0.05
"""The precision for which people are counted where nobody says it."""


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``devices`` and ``cards``."""
    devices = add_command(
        subparsers, "devices", run_devices, "list devices that respondents can use"
    )
    add = devices.add_argument
    wanted = devices.add_mutually_exclusive_group()
    wanted.add_argument("--probability", type=float, metavar="X", help="probability to reach")
    wanted.add_argument("--design", metavar="FILE", type=InputPath, help="design with a question")
    add("--attribute", metavar="NAME", help="question of the design")
    add("--nearest", action="store_true", help="take the nearest probability, private or not")
    add(
        "--half-width", type=float, metavar="X", default=HALF_WIDTH,
        help=f"precision for which respondents are counted (default {HALF_WIDTH:g})",
    )  # fmt: skip
    add("--use", metavar="NAME", help="device to put into the design")
    add(
        "--share", type=float, metavar="X",
        help="own share of people with the outcomes, for birthdays and house numbers",
    )  # fmt: skip
    add(
        "--share-se", type=float, metavar="X",
        help="standard error of that share; intervals of estimates include it",
    )  # fmt: skip
    add("--out", metavar="FILE", type=OutputPath, help="write the design with the device of --use")
    add_pilot_options(devices)
    cards = add_command(
        subparsers, "cards", run_cards, "write printable cards that tell respondents what to do"
    )
    add = cards.add_argument
    add("--design", metavar="FILE", type=InputPath, required=True, help="design with devices")
    add(
        "--out", metavar="FILE", type=OutputPath, required=True,
        help="output page or PDF, e.g. cards.html, cards.pdf",
    )  # fmt: skip
    add(
        "--arm", metavar="NAME", action="append", default=[],
        help="arm to write cards for (default: all)",
    )  # fmt: skip
    add(
        "--attribute", metavar="NAME", action="append", default=[],
        help="question to write a card for (default: all)",
    )  # fmt: skip
    add("--language", metavar="TEXT", default="en", help="languages, e.g. en,pl (default en)")
    add(
        "--texts", metavar="FILE", type=InputPath,
        help="wording of questions and answers: a codebook, or JSON with 'questions' and "
            "'answers'",
    )  # fmt: skip


def run_devices(args: argparse.Namespace) -> Answer:
    """List devices, alone or with what they make of a probability or a question."""
    if (args.design is None) != (args.attribute is None):
        raise UsageError("The options --design and --attribute need each other.")
    if (args.use is None) != (args.out is None) or (args.use and args.design is None):
        raise UsageError("The options --use and --out need each other and a design.")
    if args.use is None and (args.share, args.share_se) != (None, None):
        raise UsageError("The options --share and --share-se need --use.")
    if args.design is not None:
        return _question(args)
    if args.probability is not None:
        return _probability(args.probability, args.nearest)
    from ppworkbench.core.design.devices import DEVICES

    rows = [
        [kind.name, kind.label, _reach(kind), kind.known_to, kind.burden, _seconds(kind)]
        for kind in DEVICES.values()
    ]
    heads = ["device", "what it is", "probabilities", "who knows the outcome", "burden", "time"]
    return Answer({"devices": [_kind(kind) for kind in DEVICES.values()]}, aligned(heads, rows))


def _kind(kind: DeviceKind) -> dict[str, Any]:
    return {
        "name": kind.name,
        "label": kind.label,
        "probabilities": "any" if kind.does_anything else list(kind.probabilities()),
        "known_to": kind.known_to,
        "burden": kind.burden,
        "objects": kind.objects,
        "steps": kind.steps,
        "sums": kind.has_sum,
        "seconds": kind.seconds,
        "natural": kind.is_natural,
    }


def _reach(kind: DeviceKind) -> str:
    if kind.does_anything:
        return "any"
    if kind.name == "spinner":
        return "whole per cent"
    if kind.is_even:
        return f"j/{len(kind.outcomes)}"
    chances = kind.probabilities()
    return f"{chances[0]:.3g} to {chances[-1]:.3g}"


def _seconds(kind: DeviceKind) -> str:
    return f"{kind.seconds} s" if kind.seconds else "–"


def _probability(probability: float, nearest: bool) -> Answer:
    from ppworkbench.core.design.devices import DEVICES, reach_probability

    found = reach_probability(probability, nearest=nearest)
    rows = [[one.kind.name, _outcomes(one), f"{one.snapped:.6g}", one.kind.burden] for one in found]
    known = {one.kind.name: one for one in found}
    document = {
        "probability": probability,
        "devices": {
            name: {
                "snapped": known[name].snapped,
                "outcomes": known[name].device.to_json(),
            }
            if name in known
            else None
            for name in DEVICES
        },
    }
    heads = ["device", "outcomes", "probability", "burden"]
    return Answer(document, aligned(heads, rows, right=["probability"]))


def _outcomes(one: Snapped) -> str:
    told = one.device.to_json()
    parts = [
        f"{part}: {', '.join(map(str, some)) if isinstance(some, list) else some}"
        for part, some in told.items()
        if part not in ("name", "cards")
    ]
    return harmless("; ".join(parts)) or "any"


def _question(args: argparse.Namespace) -> Answer:
    from ppworkbench.core.design.design_file import read_design, write_design
    from ppworkbench.core.design.devices import snap_to, use_of
    from ppworkbench.core.planning.alternatives import device_choices

    design = read_design(args.design)
    designed = design[args.attribute]
    use = use_of(designed.perturbation, designed.attribute)
    priors, _ = priors_given(design, args)
    prior = priors.get(args.attribute)
    exact, choices = device_choices(designed, prior, args.half_width, nearest=args.nearest)
    rows = [
        [
            one.snapped.kind.name,
            _outcomes(one.snapped),
            f"{one.snapped.snapped:.6g}",
            _people(one.respondents),
            _people(one.respondents - exact),
            one.snapped.kind.burden,
        ]
        for one in choices
    ]
    heads = ["device", "outcomes", "probability", "respondents", "more", "burden"]
    start = (
        f"{harmless(designed.attribute.heading)}: probability {use.parts[0][1]:.6g}, "
        f"{_people(exact)} respondents for ± {100 * args.half_width:g} points"
    )
    document: dict[str, Any] = {
        "attribute": args.attribute,
        "exact": use.parts[0][1],
        "respondents": exact,
        "half_width": args.half_width,
        "devices": {one.snapped.kind.name: one.to_json() for one in choices},
    }
    lines = [start, aligned(heads, rows, right=heads[2:5])]
    if args.use:
        snapped, made = snap_to(
            args.use, designed.perturbation, designed.attribute, nearest=args.nearest
        )
        device = snapped.device.with_share(args.share, args.share_se)
        made = device.applied(made, designed.attribute)
        write_design(design.with_perturbation(args.attribute, made, device), args.out)
        document |= {"device": device.to_json(), "file": args.out}
        lines.append(f"Wrote {harmless(args.out)}.")
    notes = list(unweighted_priors(design, args))
    if design.arms is not None:
        notes.append(
            Message(
                "Respondents are those of a survey where everybody answers by the design's own "
                "device."
            )
        )
    return with_notes(Answer(document, "\n".join(lines)), notes)


def _people(number: float) -> str:
    return f"{number:,.0f}" if abs(number) < float("inf") else "∞"


def run_cards(args: argparse.Namespace) -> Answer:
    """Write the cards."""
    from ppworkbench.core.design.design_file import read_design
    from ppworkbench.study.questionnaire import read_texts
    from ppworkbench.study.questionnaire.cards import cards_of, write_cards

    out = Path(args.out)
    if out.suffix.lower() not in SUFFIXES:
        raise UsageError(f"Cards are an .html or .pdf file, not {out.name!r}.")
    # Found out before the work is done, not after it.
    printer = find_printer("cards.html") if out.suffix.lower() == ".pdf" else None
    design = read_design(args.design)
    languages = tuple(dict.fromkeys(one.strip() for one in args.language.split(",")))
    texts = None if args.texts is None else read_texts(args.texts)
    cards = cards_of(design, languages, texts, args.attribute, tuple(dict.fromkeys(args.arm)))
    if printer is None:
        write_cards(cards, out)
    else:
        printer.print_cards(cards, out)
    written = list(dict.fromkeys(card.attribute for card in cards))
    column = None if design.arms is None else design.arms.column
    chosen = args.attribute or [name for name in design.names if name != column]
    # The count of a list is what its card asks for.
    counts = {one.count for one in design.lists if one.name in written}
    without = tuple(name for name in chosen if name not in written and name not in counts)
    notes = [Message("No card for {attributes}.", attributes=without)] if without else []
    document = {
        "file": args.out,
        "cards": len(cards),
        "attributes": written,
        "arms": list(dict.fromkeys(card.arm for card in cards if card.arm)),
        "languages": list(languages),
    }
    count = f"{len(cards)} card" + ("" if len(cards) == 1 else "s")
    return with_notes(Answer(document, f"Wrote {harmless(args.out)}: {count}."), notes)
