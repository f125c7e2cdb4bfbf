"""What an analyst needs to undo the distortion: the rules, the commands, the design itself."""

from __future__ import annotations

import json

from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import design_to_json
from ppworkbench.core.message import Message
from ppworkbench.study.report.blocks import Block, Grid, Listing, Paragraph, Section


def undo_section(design: Design, table: str) -> Section:
    """How to estimate from the distorted answers; ``table`` is the name of their file."""
    file, rules = f"{table}-design.json", _rules(design)
    commands = (
        f"ppworkbench reconstruct {table}.csv --design {file}\n"
        f'ppworkbench count {table}.csv --design {file} --where "..."'
    )
    blocks: list[Block] = [
        Paragraph(
            "Estimates need the distorted answers and the design, nothing else. P[r, c] is the "
            "probability that the true answer c is reported as r; every column sums to 1. With y "
            "the shares of the reported answers, x = P⁻¹ y estimates the shares of the true ones "
            "without bias. An estimate may be a little below 0; keep it so in sums."
        ),
        Grid(("Attribute", "Mechanism", "How to undo it"), rules),
    ]
    for group in design.groups:
        names = ", ".join(group.attributes)
        blocks.append(
            Paragraph(
                Message(
                    "{names} share one coin: for each of them alone the rule above holds, "
                    "but in cross tables of them the common coin counts.",
                    names=names,
                )
            )
        )
    blocks += [
        Listing(commands, "On the command line"),
        Listing(
            json.dumps(design_to_json(design), indent=1, ensure_ascii=False, allow_nan=False),
            "The design, to be saved as a file",
            folded=True,
        ),
    ]
    return Section("How to undo the distortion", tuple(blocks))


def _rules(design: Design) -> tuple[tuple[str, ...], ...]:
    rules = []
    for name in design.names:
        perturbation = design.perturbation(name)
        rules.append((name, perturbation.summary(), perturbation.how_to_undo()))
    return tuple(rules)
