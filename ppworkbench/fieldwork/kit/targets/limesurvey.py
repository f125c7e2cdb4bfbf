"""LimeSurvey: a survey as tab-separated text, the main language whole, then every other one."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from ppworkbench.core.message import Message
from ppworkbench.fieldwork.kit.form import Form, Item, plain_number
from ppworkbench.fieldwork.kit.target import Output, Target, platform_names, targets
from ppworkbench.study.html import escaped

FILE = "limesurvey.txt"
COLUMNS = (
    "id", "related_id", "class", "type/scale", "name", "relevance", "text", "help", "language",
    "validation", "mandatory", "encrypted", "other", "default", "same_default", "same_script",
    "min_num_value_n", "max_num_value_n", "num_value_int_only",
)  # fmt: skip
_RESERVED = frozenset(
    one.casefold()
    for one in (
        "LANG", "SID", "SAVEDID", "TOKEN", "QID", "GID", "SGQ", "self", "that", "this",
        # Columns that every export has.
        "id", "submitdate", "lastpage", "startlanguage", "seed", "startdate", "datestamp",
        "ipaddr", "refurl", "interviewtime",
    )
)  # fmt: skip
_LONGEST = 20


def letter_code(place: int) -> str:
    return f"A{place}"


def question_code(short: str, taken: set[str]) -> str:
    """A question code: letters and digits alone, 20 at most, none that the platform uses.

    >>> taken = set()
    >>> [question_code(one, taken) for one in ("age_group", "agegroup", "this")]
    ['agegroup', 'agegroup2', 'this2']
    """
    wanted = re.sub(r"[^a-z0-9]", "", short)[:_LONGEST] or "q"
    number, code = 1, wanted
    while code in taken or code in _RESERVED:
        number += 1
        code = f"{wanted[: _LONGEST - len(str(number))]}{number}"
    taken.add(code)
    return code


@dataclass(frozen=True)
class LimeQuestion:
    """A question of the survey: type, text in a language, and its answers."""

    code: str
    type: str
    text: Callable[[str], str]
    help: Callable[[str], str]
    item: Item | None = None


@targets.register("limesurvey", "LimeSurvey", rank=50)
class LimeSurvey(Target):
    """A tab-separated file in UTF-8 with a mark at its beginning."""

    name: ClassVar[str] = "limesurvey"
    platform: ClassVar[str] = "limesurvey"

    marks: ClassVar[tuple[tuple[str, Message], ...]] = (
        ("{", Message("A text holds “{”, with which LimeSurvey begins an expression.")),
    )

    def write(self, form: Form, out: Output) -> None:
        taken: set[str] = set()
        codes = {item.name: question_code(item.short, taken) for item in form.items}
        pages = []
        for items in form.pages:
            asked = []
            for item in items:
                if item.notes:
                    asked.append(_card(item, question_code(f"card{item.short}", taken)))
                asked.append(_question(form, item, codes[item.name]))
                out.answered(item, codes[item.name], letter_code)
            pages.append(asked)
        out.text(FILE, survey_text(form, pages), bom=True)


def _card(item: Item, code: str) -> LimeQuestion:
    def text(language: str) -> str:
        return html_text("\n\n".join(item.notes[language]))

    return LimeQuestion(code, "X", text, lambda _: "")


def _question(form: Form, item: Item, code: str) -> LimeQuestion:
    kind = ("!" if item.is_long else "L") if item.choices else "N"
    return LimeQuestion(
        code,
        kind,
        lambda language: html_text(item.text(language)),
        lambda language: html_text(item.hint(language, form.main)),
        item,
    )


def survey_text(form: Form, pages: list[list[LimeQuestion]], format_: str = "") -> str:
    """The file: settings, then groups, questions and answers in every language, with equal ids."""
    buffer = io.StringIO()
    lines = csv.DictWriter(
        buffer, COLUMNS, restval="", delimiter="\t", lineterminator="\r\n", extrasaction="raise"
    )
    lines.writeheader()
    settings = {
        "language": form.main,
        "additional_languages": " ".join(form.languages[1:]),
        **dict(one.split("=") for one in platform_names("limesurvey_settings")),
        **({"format": format_} if format_ else {}),
    }
    for name, value in settings.items():
        lines.writerow({"class": "S", "name": name, "text": value})
    for language in form.languages:
        around = {
            "surveyls_title": form.title(language),
            "surveyls_welcometext": form.introduction(language),
            "surveyls_endtext": form.thanks(language),
        }
        for name, text in around.items():
            if text:
                lines.writerow(
                    {"class": "SL", "name": name, "text": html_text(text), "language": language}
                )
    for language in form.languages:
        lines.writerows(_rows(form, pages, language))
    return buffer.getvalue()


def _rows(form: Form, pages: list[list[LimeQuestion]], language: str) -> Iterator[dict[str, str]]:
    number = 0
    for page, asked in enumerate(pages, 1):
        yield {
            "id": str(page),
            "class": "G",
            "type/scale": f"G{page}",
            "name": form.title(language) if len(pages) == 1 else f"{page} / {len(pages)}",
            "relevance": "1",
            "language": language,
        }
        for one in asked:
            number += 1
            yield _row(one, number, page, language)
            if one.item is None or one.type not in ("L", "!"):
                continue
            for choice in one.item.choices:
                yield {
                    "id": str(1000 * number + choice.code),
                    "related_id": str(number),
                    "class": "A",
                    "type/scale": "0",
                    "name": letter_code(choice.code),
                    "text": html_text(choice.text.get(language, "")),
                    "language": language,
                }


def _row(one: LimeQuestion, number: int, page: int, language: str) -> dict[str, str]:
    row = {
        "id": str(number),
        "related_id": str(page),
        "class": "Q",
        "type/scale": one.type,
        "name": one.code,
        "relevance": "1",
        "text": one.text(language),
        "help": one.help(language),
        "language": language,
        "mandatory": "Y" if one.item is not None and one.item.question.required else "N",
        "encrypted": "N",
        "other": "N",
    }
    item = one.item
    if item is not None and one.type == "N" and item.domain is not None:
        low, high = map(plain_number, item.domain)
        row |= {"min_num_value_n": low, "max_num_value_n": high}
        row["num_value_int_only"] = "1" if item.is_whole else "0"
    return row


def html_text(text: str) -> str:
    lines = escaped(text, quote=False).split("\n")
    return "<br />".join(" ".join(line.split("\t")) for line in lines)
