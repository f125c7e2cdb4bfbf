"""The sheet that carries a codebook: columns for people, and the definition for the program."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.codebook import LARGEST, Codebook
from ppworkbench.core.data.formats.excel_cells import LONGEST, safe_texts
from ppworkbench.core.data.formats.stored import code_text
from ppworkbench.core.errors import DataError
from ppworkbench.core.json_values import parse_json
from ppworkbench.core.message import Message

DATA_SHEET, CODEBOOK_SHEET, MISSING_SHEET = "data", "codebook", "missing"
DEFINITION = "definition"
HEADER = ("attribute", "kind", "label", "values or domain", "missing codes", DEFINITION)


@dataclass(frozen=True)
class SheetCodebook:
    """A codebook and the number of records that it came with."""

    codebook: Codebook
    rows: int


def codebook_rows(codebook: Codebook, rows: int, *, escape: bool) -> Iterator[list[str]]:
    """The cells of the sheet, one attribute a row, the general part last."""
    document = codebook.to_json()
    yield list(HEADER)
    for attribute, definition in zip(codebook.attributes, document.pop("attributes"), strict=True):
        shown = [*_shown(attribute)]
        # A blank cell stays blank; anything else must be text that cannot run.
        cells = [safe_texts([text], escape=escape)[0] if text else "" for text in shown]
        yield [*cells, *_pieces(definition)]
    yield ["", "", "", "", "", *_pieces({**document, "rows": rows})]


def read_codebook_rows(rows: Iterable[tuple[Any, ...]]) -> SheetCodebook | None:
    """Read the sheet back; None when it is somebody else's codebook."""
    cells = iter(rows)
    if tuple(next(cells, ())[: len(HEADER)]) != HEADER:
        return None
    texts: list[str] = []
    total = 0
    for row in cells:
        pieces = [piece for piece in row[len(HEADER) - 1 :] if isinstance(piece, str)]
        total += sum(map(len, pieces))
        if total > LARGEST:
            raise DataError(
                Message("A codebook of more than {largest} MB is not read.", largest=LARGEST >> 20)
            )
        if pieces:
            texts.append("".join(pieces))
    if not texts:
        raise DataError("The codebook sheet has no definitions.")
    *attributes, general = texts
    try:
        rest = parse_json(general)
        count = rest.pop("rows")
    except (ValueError, AttributeError, KeyError, TypeError):
        raise DataError("The last definition on the codebook sheet is damaged.") from None
    if not isinstance(count, int) or count < 0:
        raise DataError("The codebook sheet does not say how many records there are.")
    joined = json.dumps(rest)[:-1] + ', "attributes": [' + ", ".join(attributes) + "]}"
    return SheetCodebook(Codebook.from_text(joined), count)


def _shown(attribute: Attribute) -> tuple[str, str, str, str, str]:
    if attribute.domain is not None:
        low, high = attribute.domain
        possible = f"{code_text(low)} to {code_text(high)}"
    elif attribute.codes:
        pairs = zip(attribute.codes, attribute.values, strict=True)
        possible = "; ".join(f"{code_text(code)} = {value}" for code, value in pairs)
    else:
        possible = "; ".join(attribute.values)
    missing = "; ".join(
        f"{code_text(m.code)} = {m.label}" if m.label else code_text(m.code)
        for m in attribute.missing_codes
    )
    return attribute.name, attribute.kind.value, attribute.label, possible, missing


def _pieces(definition: dict[str, Any]) -> list[str]:
    # Excel takes _x0041_ for a letter; as an escape of JSON the underscore survives.
    text = json.dumps(definition, allow_nan=False).replace("_x", "\\u005fx")
    return [text[i : i + LONGEST] for i in range(0, len(text), LONGEST)]
