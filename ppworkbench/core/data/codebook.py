"""Codebooks: everything about the attributes of a table that its file cannot hold.

A codebook lies beside a file as ``NAME.codebook.json`` (``NAME.sav.codebook.json`` beside other
files than CSV, so that two formats of one name do not share it) or inside a workbook or a
Parquet file. It is plain JSON; reading one runs nothing and refuses whatever is not expected.
For people there is the same as a sheet: Markdown, fine as plain text too.

>>> age = Attribute("age", Kind.INTEGER, domain=(0, 120), label="Age in years")
>>> Codebook.from_json(Codebook((age,)).to_json()) == Codebook((age,))
True
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Self

from ppworkbench.core.data.attribute import (
    CLIP,
    FROM_DATA,
    PUBLIC,
    REFUSE,
    Attribute,
    Code,
    Kind,
    MissingCode,
    MissingPolicy,
)
from ppworkbench.core.data.sampling_roles import Sampling, sampling_fields
from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.files import check_file
from ppworkbench.core.json_values import MOST_VALUES, JsonError, has_too_many_values, parse_json
from ppworkbench.core.message import Message

_DEMANDS = {
    str: Message("the value must be text"),
    int: Message("the value must be a whole number"),
    list: Message("the value must be a list"),
    dict: Message("the value must be an object"),
}


class Fields:
    """The fields of one JSON object, taken out one by one with their types checked."""

    def __init__(self, given: Any, whose: str | None) -> None:
        self.whose = whose
        self.attribute: str | None = None
        if not isinstance(given, dict):
            raise DataError.saying(
                "The codebook is wrong: {whose} must be a JSON object.", whose=whose or "it"
            )
        self.given: dict[str, Any] = given

    def refuse(self, field: str, demand: str) -> NoReturn:
        where = (
            Message("in the field {field!r} of {whose}", field=field, whose=self.whose)
            if self.whose
            else Message("in the field {field!r}", field=field)
        )
        raise DataError.saying(
            "The codebook is wrong: {where}, {demand}.",
            where=where,
            demand=demand,
            attribute=self.attribute,
            field=field,
        )

    def take(self, field: str, kind: type, *default: Any) -> Any:
        """A field of that type; without a default it must be there."""
        if field not in self.given or (self.given[field] is None and default == (None,)):
            if default:
                return default[0]
            self.refuse(field, Message("a value is missing"))
        value = self.given[field]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.refuse(field, _DEMANDS[kind])
        return value

    def choice(self, field: str, choices: tuple[str, ...], *default: str) -> str:
        value = str(self.take(field, str, *default))
        if value not in choices:
            said = Message("{value!r} is not one of {known!r}", value=value[:40], known=choices)
            self.refuse(field, said)
        return value

    def texts(self, field: str) -> tuple[str, ...]:
        values = self.take(field, list, [])
        if not all(isinstance(value, str) for value in values):
            self.refuse(field, Message("every entry must be text"))
        return tuple(values)

    def number(self, field: str, value: Any) -> float:
        """A finite number, or an infinity written as text."""
        if value in ("inf", "-inf"):
            return float(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse(field, Message("every entry must be a number"))
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.refuse(field, Message("a number is too large"))
        return number

    def code(self, field: str, value: Any) -> Code:
        return value if isinstance(value, str) else self.number(field, value)

    def pair(self, field: str, value: Any) -> tuple[float, float]:
        if not isinstance(value, list) or len(value) != 2:
            self.refuse(field, Message("a lowest and a highest number are needed"))
        return self.number(field, value[0]), self.number(field, value[1])

    def labelled(self, field: str, value: Any) -> tuple[float, str]:
        if not isinstance(value, list) or len(value) != 2 or not isinstance(value[1], str):
            self.refuse(field, Message("a number and its label are needed"))
        return self.number(field, value[0]), value[1]

    def missing_code(self, field: str, value: Any) -> MissingCode:
        if not isinstance(value, dict) or not isinstance(value.get("label", ""), str):
            self.refuse(field, Message("a code and its label are needed"))
        return MissingCode(self.code(field, value.get("code")), value.get("label", ""))


FORMAT = "ppworkbench-codebook"
VERSION = 1
LARGEST = 64 * 1024 * 1024
"""A codebook of more bytes is refused; one of 2,000 attributes with 200 values needs 20 MB."""

MEASURES = ("", "nominal", "ordinal", "scale")


@dataclass(frozen=True)
class Stored:
    """How a file had to store an attribute that does not fit its rules as it is.

    Parameters
    ----------
    name
        The variable's name in the file.
    codes
        What the file has in its cells for each of the attribute's values.
    missing
        What the file has for each of the attribute's missing codes; None where it has nothing
        better than an empty cell.
    held
        Which missing code each empty cell held, packed, for formats whose cells cannot tell.
    """

    name: str
    codes: tuple[Code, ...] = ()
    missing: tuple[Code | None, ...] = ()
    held: str = ""

    def to_json(self) -> dict[str, Any]:
        """The entry as JSON values; fields that say nothing are left out."""
        fields = {"codes": list(self.codes), "missing": list(self.missing), "held": self.held}
        return {"name": self.name} | {key: value for key, value in fields.items() if value}


@dataclass(frozen=True)
class Codebook:
    """The attributes of a table, and what else goes along with its file.

    ``stored`` has one entry per attribute or none at all; ``design`` is any JSON object and is
    handed through untouched; ``notes`` are sentences about what the file could not hold;
    ``sampling`` tells how people were drawn.
    """

    attributes: tuple[Attribute, ...]
    class_name: str | None = None
    stored: tuple[Stored, ...] = ()
    design: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()
    sampling: Sampling | None = None

    def to_json(self) -> dict[str, Any]:
        result: dict[str, Any] = {"format": FORMAT, "version": VERSION}
        if self.class_name is not None:
            result["class"] = self.class_name
        result["attributes"] = [attribute_to_json(attribute) for attribute in self.attributes]
        if self.stored:
            result["stored"] = [stored.to_json() for stored in self.stored]
        if self.design is not None:
            result["design"] = dict(self.design)
        if self.notes:
            result["notes"] = list(self.notes)
        return result | sampling_fields(self.sampling)

    @classmethod
    def from_json(cls, given: Any) -> Self:
        fields = Fields(given, None)
        if fields.take("format", str) != FORMAT:
            fields.refuse("format", Message("it must be {format!r}", format=FORMAT))
        if fields.take("version", int) != VERSION:
            fields.refuse(
                "version", Message("this program reads version {version}", version=VERSION)
            )
        listed = fields.take("attributes", list)
        attributes = tuple(attribute_from_json(one, i + 1) for i, one in enumerate(listed))
        if len({attribute.name for attribute in attributes}) != len(attributes):
            fields.refuse("attributes", Message("two of them have the same name"))
        class_name = fields.take("class", str, None)
        if class_name is not None and class_name not in {a.name for a in attributes}:
            fields.refuse("class", Message("it must be the name of an attribute"))
        stored = tuple(_stored_from_json(one) for one in fields.take("stored", list, []))
        if stored and len(stored) != len(attributes):
            fields.refuse("stored", Message("it must have one entry per attribute"))
        design = fields.take("design", dict, None)
        notes = fields.texts("notes")
        sampling = fields.take("sampling", dict, None)
        return cls(attributes, class_name, stored, design, notes, _sampling(sampling))

    def to_text(self) -> str:
        return json.dumps(self.to_json(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_text(cls, text: str) -> Self:
        check_size(len(text))
        if has_too_many_values(text):
            raise DataError.saying(
                "A codebook may have at most {most_values:,} values.", most_values=MOST_VALUES
            )
        try:
            given = parse_json(text)
        except JsonError as error:
            raise DataError.saying(
                "The codebook is not valid JSON: {why}.", why=error.reason
            ) from None
        return cls.from_json(given)


@dataclass(frozen=True)
class Enclosure:
    """What goes along with a table in its codebook, besides its attributes.

    Parameters
    ----------
    design
        A design as JSON values; its sampling is that of the codebook.
    remarks
        Sentences about how the table was made.
    sampling
        How people were drawn, for a table without a design.
    title
        What a format with a name for its table calls it; nothing of the file it came from.
    """

    design: Mapping[str, Any] | None = None
    remarks: tuple[str, ...] = ()
    sampling: Sampling | None = None
    title: str = ""

    def codebook(
        self, table: Table, stored: tuple[Stored, ...] = (), notes: tuple[str, ...] = ()
    ) -> Codebook:
        """The codebook of a table; ``notes`` are about what its file could not hold."""
        drawn = None if self.design is None else self.design.get("sampling")
        return Codebook(
            table.attributes, table.class_name, stored, self.design, (*self.remarks, *notes),
            self.sampling if drawn is None else Sampling.from_json(drawn),
        )  # fmt: skip


NOTHING_ENCLOSED = Enclosure()


def _sampling(given: Any) -> Sampling | None:
    if given is None:
        return None
    try:
        return Sampling.from_json(given)
    except ParameterError as error:
        raise DataError.saying(
            "The codebook is wrong: {why}",
            why=error.message,
            attribute=error.attribute,
            field="sampling",
        ) from None


def attribute_to_json(attribute: Attribute) -> dict[str, Any]:
    """An attribute as JSON values; fields that say nothing are left out."""
    told = {name: getattr(attribute, name) for name in _FIELDS}
    written = {name: _plain_value(one) for name, one in told.items() if one != _USUAL[name]}
    return {"name": attribute.name, "kind": attribute.kind.value, **written}


def _plain_value(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain_value(one) for one in value]
    if isinstance(value, MissingCode):
        return {"code": value.code, "label": value.label}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value.value if isinstance(value, MissingPolicy) else value


def attribute_from_json(given: Any, position: int = 1) -> Attribute:
    fields = Fields(given, Message("attribute {attribute}", attribute=position))
    name = fields.take("name", str)
    fields.whose = Message("attribute {attribute!r}", attribute=name)
    fields.attribute = name
    kind = Kind(fields.choice("kind", tuple(k.value for k in Kind)))
    try:
        return Attribute(
            name, kind, **{field: read(fields, field) for field, read in _FIELDS.items()}
        )
    except DataError as error:
        if error.field is not None:
            raise
        raise DataError.saying(
            "The codebook is wrong: {why}", why=error.message, attribute=name
        ) from None


_ReadField = Callable[[Fields, str], Any]


def _text(fields: Fields, field: str) -> str:
    return str(fields.take(field, str, ""))


def _each(read: Callable[[Fields, str, Any], Any]) -> _ReadField:
    return lambda fields, name: tuple(
        read(fields, name, one) for one in fields.take(name, list, [])
    )


def _one_of(usual: str, *others: str) -> _ReadField:
    return lambda fields, name: fields.choice(name, (usual, *others), usual)


def _domain_field(fields: Fields, field: str) -> tuple[float, float] | None:
    given = fields.take(field, list, None)
    return None if given is None else fields.pair(field, given)


_FIELDS: dict[str, _ReadField] = {
    "label": _text,
    "title": _text,
    "unit": _text,
    "values": Fields.texts,
    "sensitive": Fields.texts,
    "set_size": lambda fields, name: fields.take(name, int, None),
    "domain": _domain_field,
    "domain_source": _one_of(PUBLIC, FROM_DATA),
    "outside": _one_of(REFUSE, CLIP),
    "codes": _each(Fields.code),
    "number_labels": _each(Fields.labelled),
    "missing_codes": _each(Fields.missing_code),
    "missing_ranges": _each(Fields.pair),
    "measure": _one_of(*MEASURES),
    "missing": lambda fields, name: MissingPolicy(
        fields.choice(name, tuple(policy.value for policy in MissingPolicy), "leave")
    ),
    "reason": _text,
}
"""The fields of an attribute besides name and kind, in their order, and how each is read."""
_USUAL = {name: getattr(Attribute, name) for name in _FIELDS}


def sidecar_path(path: Path) -> Path:
    """Where the codebook of a file is written.

    >>> sidecar_path(Path("survey.csv")).name, sidecar_path(Path("survey.sav")).name
    ('survey.codebook.json', 'survey.sav.codebook.json')
    """
    name = path.stem if path.suffix.lower() == ".csv" else path.name
    return path.with_name(f"{name}.codebook.json")


def find_sidecar(path: Path) -> Path | None:
    """The codebook that lies beside a file, or beside what a link leads to, if there is one."""
    names = (path, Path(os.path.realpath(path))) if path.is_symlink() else (path,)
    places = (
        place
        for name in names
        for place in (name.with_name(f"{name.name}.codebook.json"), sidecar_path(name))
    )
    return next((place for place in places if place.is_file()), None)


def check_size(size: int) -> None:
    if size > LARGEST:
        raise DataError.saying("A codebook may have at most {largest} MB.", largest=LARGEST >> 20)


def read_codebook(path: Path) -> Codebook:
    try:
        check_file(path)
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        check_size(len(content))
        return Codebook.from_text(content.decode("utf-8-sig"))
    except DataError as error:
        raise DataError.saying(
            "{file}: {why}",
            why=error.message,
            file=path,
            attribute=error.attribute,
            field=error.field,
        ) from None
    except UnicodeDecodeError:
        raise DataError.saying("{file}: the codebook is not UTF-8 text.", file=path) from None
    except OSError as error:
        raise DataError.saying(
            "{file} cannot be read: {strerror}.", strerror=error.strerror or error, file=path
        ) from None


def _stored_from_json(given: Any) -> Stored:
    fields = Fields(given, Message("a stored variable"))
    codes = tuple(fields.code("codes", one) for one in fields.take("codes", list, []))
    missing = tuple(
        None if one is None else fields.code("missing", one)
        for one in fields.take("missing", list, [])
    )
    return Stored(fields.take("name", str), codes, missing, fields.take("held", str, ""))


_POLICIES = {
    MissingPolicy.IMPUTE: "imputed before an analysis",
    MissingPolicy.DROP: "their records are excluded before an analysis",
    MissingPolicy.VALUE: "a separate value",
}


def sheet_path(path: Path) -> Path:
    """Where the sheet of a file lies: beside it, under the name of its codebook.

    >>> sheet_path(Path("survey.csv")).name, sheet_path(Path("survey.parquet")).name
    ('survey.codebook.md', 'survey.parquet.codebook.md')
    """
    return sidecar_path(path).with_suffix(".md")


def codebook_sheet(codebook: Codebook, file: str, rows: int | None = None) -> str:
    """The text of the sheet.

    >>> from ppworkbench.core.data.attribute import Kind
    >>> age = Attribute("age", Kind.INTEGER, domain=(0, 120), label="Age in years")
    >>> print(codebook_sheet(Codebook((age,)), "survey.csv").splitlines()[4])
    ## Age in years
    """
    said = f"{file} has {len(codebook.attributes)} columns"
    said += "." if rows is None else f" and {rows:,} rows."
    if codebook.design is not None:
        said += " The answers are distorted; each column names its mechanism."
    lines = [f"# Codebook of {_plain(file)}", "", _plain(said), ""]
    for attribute in codebook.attributes:
        lines += _attribute(attribute, codebook)
    lines += _groups(codebook.design)
    lines += _budget(codebook.design)
    if codebook.notes:
        lines += ["## Notes", "", *(f"- {_plain(note)}" for note in codebook.notes), ""]
    return "\n".join(lines)


def _about_sets(attribute: Attribute) -> list[str]:
    if attribute.kind is not Kind.SET:
        return []
    size = "several" if attribute.set_size is None else str(attribute.set_size)
    return [f"- every report names {size} of the values, with bars between them"]


def _attribute(attribute: Attribute, codebook: Codebook) -> list[str]:
    facts = [f"- kind: {attribute.kind}", *_about_sets(attribute)]
    if attribute.shown != attribute.name:
        facts.insert(0, f"- column: {_plain(attribute.name)}")
    facts += _domain(attribute)
    if attribute.sensitive:
        facts.append(f"- sensitive: {_plain(', '.join(attribute.sensitive))}")
    if attribute.missing in _POLICIES:
        facts.append(f"- missing answers: {_POLICIES[attribute.missing]}")
    for missing in attribute.missing_codes:
        label = f" ({_plain(missing.label)})" if missing.label else ""
        facts.append(f"- missing code: {_code(missing.code)}{label}")
    facts += [f"- {_code(number)} = {_plain(label)}" for number, label in attribute.number_labels]
    if attribute.name == codebook.class_name:
        facts.append("- the class")
    how = _distortion(codebook.design, attribute.name)
    if how:
        facts.append(f"- mechanism: {_plain(how)}")
    asked = attribute.label if attribute.label != attribute.shown else ""
    question = [_plain(asked), ""] if asked else []
    return [f"## {_plain(attribute.shown)}", "", *question, *facts, "", *_values(attribute)]


def _domain(attribute: Attribute) -> list[str]:
    """The range of numbers, and where it or the list of values comes from."""
    is_met = attribute.domain_source == FROM_DATA
    if attribute.domain is None:
        return ["- values taken from the data"] if is_met else []
    low, high = attribute.domain
    unit = f" {_plain(attribute.unit)}" if attribute.unit else ""
    facts = [f"- from {_code(low)} to {_code(high)}{unit}"]
    facts += ["- bounds taken from the data"] if is_met else []
    if attribute.outside == CLIP:
        facts.append("- numbers beyond the bounds were set to the nearest bound")
    return facts


def _values(attribute: Attribute) -> list[str]:
    if not attribute.values:
        return []
    if not attribute.codes:
        return [*(f"{i}. {_plain(value)}" for i, value in enumerate(attribute.values, 1)), ""]
    pairs = zip(attribute.codes, attribute.values, strict=True)
    rows = [f"| {_code(code)} | {_plain(value)} |" for code, value in pairs]
    return ["| code | answer |", "| --- | --- |", *rows, ""]


def _distortion(design: Mapping[str, Any] | None, name: str) -> str:
    """The perturbation of a design's JSON in words; empty where there is none."""
    listed = (design or {}).get("attributes", {})
    given = listed.get(name, {}).get("perturbation", {}) if isinstance(listed, Mapping) else {}
    if not isinstance(given, Mapping) or "type" not in given:
        return ""
    shown = (f"{key} {_parameter(value)}" for key, value in given.items() if key != "type")
    return ", ".join([str(given["type"]), *shown])


def _groups(design: Mapping[str, Any] | None) -> list[str]:
    groups = (design or {}).get("groups") or []
    lines = [
        f"- {_plain(', '.join(map(str, group.get('attributes', []))))}: randomised "
        f"together, {group.get('type')}, theta {group.get('theta')}"
        for group in groups
        if isinstance(group, Mapping)
    ]
    return ["## Groups of attributes", "", *lines, ""] if lines else []


def _budget(design: Mapping[str, Any] | None) -> list[str]:
    """Who was asked what, and how often, by the budget of a design's JSON."""
    given = (design or {}).get("budget")
    if not isinstance(given, Mapping):
        return []
    lines = []
    if "total" in given:
        lines.append(f"- total epsilon that was shared out: {_parameter(given['total'])}")
    if "ask" in given:
        lines.append(
            f"- every person was asked {_parameter(given['ask'])} of the randomised questions, "
            "drawn at random; an empty cell means that the question was not asked"
        )
    if given.get("blocks"):
        blocks = ("+".join(map(str, block)) for block in given["blocks"])
        lines.append(f"- asked together or not at all: {_plain(', '.join(blocks))}")
    if given.get("waves", 1) != 1:
        kept = "the same true answer gives the same report, and a changed report shows a change"
        fresh = "every wave has fresh coins, so that epsilon adds up"
        how = kept if given.get("memoise") else fresh
        linked = "linked" if given.get("linked") else "not linked"
        lines.append(f"- {_parameter(given['waves'])} waves, {linked}: {how}")
    return ["## Privacy budget", "", *lines, ""] if lines else []


def _parameter(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False).strip('"')
    return text if len(text) <= 60 else "as in the design"


def _code(code: Code) -> str:
    whole = isinstance(code, float) and code.is_integer()
    return str(int(code)) if whole else _plain(str(code))


def _plain(text: str) -> str:
    """The text on one line, with the marks of Markdown and HTML as letters."""
    flat = " ".join(text.split())
    for mark in "\\`*_[]<>|#":
        flat = flat.replace(mark, f"\\{mark}")
    return flat
