"""XLSForm: a workbook that ODK and Kobo turn into a form.

The card is a note before its question, on one screen with it. Nothing else is asked for: no audit,
device id, time or place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from ppworkbench.core.data.formats.excel_writer import workbook_bytes
from ppworkbench.core.files import write_bytes
from ppworkbench.core.message import Message
from ppworkbench.fieldwork.kit.form import Form, Item, plain_number
from ppworkbench.fieldwork.kit.target import Output, Target, targets, unique
from ppworkbench.study.bundle_target import file_stem

FILE = "xlsform.xlsx"
_NAMES = {
    "ar": "العربية", "be": "Беларуская", "bg": "Български", "cs": "Čeština", "da": "Dansk",
    "de": "Deutsch", "el": "Ελληνικά", "en": "English", "es": "Español", "et": "Eesti",
    "fa": "فارسی", "fi": "Suomi", "fr": "Français", "he": "עברית", "hr": "Hrvatski",
    "hu": "Magyar", "it": "Italiano", "lt": "Lietuvių", "lv": "Latviešu", "nl": "Nederlands",
    "no": "Norsk", "pl": "Polski", "pt": "Português", "ro": "Română", "ru": "Русский",
    "sk": "Slovenčina", "sl": "Slovenščina", "sv": "Svenska", "sw": "Kiswahili", "tr": "Türkçe",
    "uk": "Українська", "vi": "Tiếng Việt", "zh": "中文",
}  # fmt: skip


def language_name(code: str) -> str:
    """A language as the format names it.

    >>> language_name("en"), language_name("xh")
    ('English (en)', 'xh (xh)')
    """
    return f"{_NAMES.get(code.split('-', maxsplit=1)[0], code)} ({code})"


@targets.register("xlsform", "XLSForm (ODK, Kobo)", rank=30)
class XlsForm(Target):
    name: ClassVar[str] = "xlsform"
    platform: ClassVar[str] = "kobo"

    marks: ClassVar[tuple[tuple[str, Message], ...]] = (
        ("${", Message("A text holds “${”, which the form reads as a reference.")),
    )

    def write(self, form: Form, out: Output) -> None:
        sheets = {
            "survey": _survey(form, out),
            "choices": _choices(form),
            "settings": [
                {
                    "form_title": form.title(form.main),
                    "form_id": file_stem(form.title(form.main)).lower().replace(".", "-"),
                    "version": form.digest,
                    "default_language": language_name(form.main),
                }
            ],
        }
        told = {title: _rows(title, rows, form) for title, rows in sheets.items()}
        write_bytes(out.path(FILE), workbook_bytes(told))


def _survey(form: Form, out: Output) -> list[dict[str, str]]:
    taken = {item.short for item in form.items}
    rows = [
        *_note(
            form, unique("introduction", taken), {c: form.introduction(c) for c in form.languages}
        )
    ]
    for item in form.items:
        rows += _question(form, item, taken)
        # Kobo exports names, or what people read.
        out.answered(item, item.short, also=tuple(item.text(code) for code in form.languages))
    rows += _note(form, unique("thanks", taken), {c: form.thanks(c) for c in form.languages})
    return rows


def _question(form: Form, item: Item, taken: set[str]) -> Iterator[dict[str, str]]:
    number = "integer" if item.is_whole else "decimal"
    row = {
        "type": f"select_one {item.short}" if item.choices else number,
        "name": item.short,
        "required": "yes" if item.question.required else "no",
        **_by_language("label", {code: item.text(code) for code in form.languages}),
        **_by_language("hint", {code: item.hint(code, form.main) for code in form.languages}),
    }
    if item.is_long:
        row["appearance"] = "minimal"
    if item.domain is not None:
        low, high = map(plain_number, item.domain)
        row["constraint"] = f". >= {low} and . <= {high}"
        row |= _by_language(
            "constraint_message",
            {code: item.range_text(code, form.main) for code in form.languages},
        )
    if not item.notes:
        yield row
        return
    group = unique(f"g_{item.short}", taken, 28)
    yield {"type": "begin_group", "name": group, "appearance": "field-list"}
    card = {code: "\n\n".join(lines) for code, lines in item.notes.items()}
    yield from _note(form, unique(f"card_{item.short}", taken, 31), card)
    yield row
    yield {"type": "end_group"}


def _note(form: Form, name: str, text: Mapping[str, str]) -> Iterator[dict[str, str]]:
    if all(text.get(code) for code in form.languages):
        yield {"type": "note", "name": name, **_by_language("label", text)}


def _by_language(column: str, text: Mapping[str, str]) -> dict[str, str]:
    return {f"{column}::{language_name(code)}": said for code, said in text.items()}


def _choices(form: Form) -> list[dict[str, str]]:
    return [
        {
            "list_name": item.short,
            "name": str(choice.code),
            **_by_language("label", {code: choice.text.get(code, "") for code in form.languages}),
        }
        for item in form.items
        for choice in item.choices
    ]


_COLUMNS = {
    "survey": ("type", "name", "label", "hint", "required", "constraint", "constraint_message",
               "appearance"),
    "choices": ("list_name", "name", "label"),
    "settings": ("form_title", "form_id", "version", "default_language"),
}  # fmt: skip
_WORDED = ("label", "hint", "constraint_message")


def _rows(title: str, rows: Sequence[Mapping[str, str]], form: Form) -> Iterator[list[str]]:
    columns = [
        name
        for column in _COLUMNS[title]
        for name in (
            [f"{column}::{language_name(code)}" for code in form.languages]
            if column in _WORDED
            else [column]
        )
        if any(row.get(name) for row in rows)
    ]
    yield columns
    yield from ([row.get(name, "") for name in columns] for row in rows)
