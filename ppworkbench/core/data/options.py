"""What a person may say about how a file is read or written."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.params import Annotated, Info, OneOf, Params


@dataclass(frozen=True)
class ReadOptions(Params):
    """How to read a file; what is not set is detected."""

    separator: Annotated[
        str | None, Info("Separator", "Character between fields; 'tab' for a tabulator")
    ] = None
    decimal: Annotated[
        str | None, OneOf((".", ",")), Info("Decimal mark", "Point or comma in numbers")
    ] = None
    encoding: Annotated[str | None, Info("Encoding", "Character encoding, such as cp1250")] = None
    missing_codes: Annotated[
        tuple[str, ...], Info("Missing codes", "Further texts or numbers that mean no answer")
    ] = ()
    sheet: Annotated[str | None, Info("Sheet", "Sheet of a workbook; the first if not set")] = None
    format: Annotated[
        str | None, Info("Format", "Name of the format, where the file's own name misleads")
    ] = None


@dataclass(frozen=True)
class WriteOptions(Params):
    """How to write a file."""

    escape_formulas: Annotated[
        bool,
        Info("Escape formulas", "Write cells that a spreadsheet would run as harmless text"),
    ] = False
    codebook: Annotated[
        bool, Info("Codebook", "Write kinds and labels beside formats that cannot hold them")
    ] = True
    readable_codebook: Annotated[
        bool, Info("Readable codebook", "Write the codebook as a sheet for people, too")
    ] = False
