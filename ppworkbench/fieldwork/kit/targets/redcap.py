"""REDCap: a data dictionary to upload, one language in each file."""

from __future__ import annotations

import csv
import io
from typing import ClassVar

from ppworkbench.core.formulas import escape_formula
from ppworkbench.core.message import Message
from ppworkbench.fieldwork.kit.form import Form, Item, plain_number
from ppworkbench.fieldwork.kit.target import Output, Target, platform_names, targets, unique
from ppworkbench.study.html import escaped

COLUMNS = platform_names("redcap_columns")
_FORM = "survey"
_RECORD = "record_id"


@targets.register("redcap", "REDCap", rank=40)
class RedCap(Target):
    name: ClassVar[str] = "redcap"
    platform: ClassVar[str] = "redcap"

    def write(self, form: Form, out: Output) -> None:
        out.note(
            Message(
                "REDCap: uploading a dictionary replaces all fields that the project has. Begin "
                "with a new project."
            )
        )
        if len(form.languages) > 1:
            out.note(Message("REDCap: each file has one language; use one project for each."))
        for code in form.languages:
            out.text(f"redcap.{code}.csv", _dictionary(form, code, out), bom=False)


def _dictionary(form: Form, code: str, out: Output) -> str:
    buffer = io.StringIO()
    lines = csv.writer(buffer, lineterminator="\r\n")
    lines.writerow(COLUMNS)
    # Every project counts its records from 1: further languages are told apart by the name.
    end = "" if code == form.main else code.replace("-", "_").lower()
    taken = {_RECORD, *(f"{_RECORD}_{one.replace('-', '_').lower()}" for one in form.languages)}
    names = {item.name: unique(_field(item.short), taken) for item in form.items}
    label = f"{platform_names('redcap_record')[0]} {end}".strip()
    lines.writerow(_row(f"{_RECORD}_{end}".rstrip("_"), "text", label))
    for name, text in (("introduction", form.introduction(code)),):
        if text:
            lines.writerow(_row(unique(name, taken), "descriptive", escaped(text, quote=False)))
    for item in form.items:
        if item.notes:
            card = unique(f"card_{item.short}", taken)
            text = "\n\n".join(item.notes[code])
            lines.writerow(_row(card, "descriptive", escaped(text, quote=False)))
        lines.writerow(_question(form, item, names[item.name], code, out))
        labels = tuple(dict.fromkeys(item.text(one) for one in form.languages))
        out.answered(item, names[item.name], also=labels, written=_without_bars)
    return buffer.getvalue()


def _field(short: str) -> str:
    """A name that REDCap's own column of a form, ``…_complete``, is not taken for.

    >>> _field("task_complete")
    'task_complete_q'
    """
    return f"{short[:24]}_q" if short.endswith("_complete") else short


def _question(form: Form, item: Item, name: str, code: str, out: Output) -> list[str]:
    if item.choices:
        kind = "dropdown" if item.is_long else "radio"
        choices = []
        for choice in item.choices:
            text = " ".join(choice.text.get(code, "").split())
            if "|" in text:
                out.note(
                    Message(
                        "REDCap separates answers by “|”: in {attribute!r} it is written “/”.",
                        attribute=item.name,
                    )
                )
            choices.append(f"{choice.code}, {escaped(_without_bars(text), quote=False)}")
        bounds = ("", "", "")
    else:
        kind, choices = "text", []
        low, high = ("", "") if item.domain is None else map(plain_number, item.domain)
        bounds = ("integer" if item.is_whole else "number", low, high)
    return _row(
        name,
        kind,
        escaped(item.text(code), quote=False),
        " | ".join(choices),
        escaped(item.hint(code, form.main), quote=False),
        bounds,
        "y" if item.question.required else "",
    )


def _without_bars(text: str) -> str:
    return text.replace("|", "/")


def _row(
    name: str,
    kind: str,
    label: str,
    choices: str = "",
    note: str = "",
    bounds: tuple[str, str, str] = ("", "", ""),
    required: str = "",
) -> list[str]:
    cells = [name, _FORM, "", kind, label, choices, note, *bounds, "", "", required]
    cells += [""] * (len(COLUMNS) - len(cells))
    # A blank before it keeps a spreadsheet from carrying out a text; REDCap removes it.
    return [cell if escape_formula(cell) == cell else f" {cell}" for cell in cells]
