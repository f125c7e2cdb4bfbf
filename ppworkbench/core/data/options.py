"""What a person may say about how a file is read or written."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Params

NO_HEADER = "none"


@dataclass(frozen=True)
class ReadOptions(Params):
    """How to read a file; what is not set is detected."""

    separator: Annotated[str | None, Info("Separator", "Separator of fields; 'tab' for a tab")] = (
        None
    )
    decimal: Annotated[
        str | None, OneOf((".", ",")), Info("Decimal mark", "Point or comma in numbers")
    ] = None
    encoding: Annotated[str | None, Info("Encoding", "Character encoding, such as cp1250")] = None
    missing_codes: Annotated[
        tuple[str, ...], Info("Missing codes", "Additional codes for missing answers")
    ] = ()
    sheet: Annotated[str | None, Info("Sheet", "Sheet of a workbook; the first if not set")] = None
    header: Annotated[
        str | None,
        Info("Header row", "Line of the column names, counted from 1; 'none' if there is none"),
    ] = None
    keep_blanks: Annotated[
        bool, Info("Keep blanks", "Keep leading spaces, which are dropped otherwise")
    ] = False
    keep_remarks: Annotated[
        bool, Info("Keep remarks", "Keep rows after an empty row (normally notes)")
    ] = False
    format: Annotated[
        str | None, Info("Format", "Name of the format, if the file extension is wrong")
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.header in (None, NO_HEADER):
            return
        row = self.header.strip()
        if not (row.isascii() and row.isdigit() and len(row) < 8 and int(row) > 0):
            raise ParameterError(
                Message(
                    "Header row is {row!r}; it must be the number of a line or {no_header!r}.",
                    row=row[:20],
                    no_header=NO_HEADER,
                ),
                field="header",
            )

    @property
    def header_row(self) -> int | None:
        """The row of the names, counted from 0; None where it is detected or there is none."""
        return None if self.header in (None, NO_HEADER) else int(self.header) - 1

    @property
    def has_header(self) -> bool | None:
        """Whether there is a row of names; None where that is to be detected."""
        return None if self.header is None else self.header != NO_HEADER


@dataclass(frozen=True)
class WriteOptions(Params):
    escape_formulas: Annotated[
        bool,
        Info("Escape formulas", "Write cells that a spreadsheet would execute as plain text"),
    ] = False
    codebook: Annotated[
        bool, Info("Codebook", "Save kinds and labels beside formats that cannot store them")
    ] = True
    readable_codebook: Annotated[
        bool, Info("Readable codebook", "Save a readable codebook as well")
    ] = False
