"""A codebook as a sheet that people read: Markdown, fine as plain text too."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ppworkbench.core.data.attribute import Attribute, Code, MissingPolicy
from ppworkbench.core.data.codebook import Codebook, sidecar_path

_POLICIES = {
    MissingPolicy.IMPUTE: "filled in before an analysis",
    MissingPolicy.DROP: "their rows are dropped before an analysis",
    MissingPolicy.VALUE: "a value of their own",
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
    ## age
    """
    said = f"{file} has {len(codebook.attributes)} columns"
    said += "." if rows is None else f" and {rows:,} rows."
    if codebook.design is not None:
        said += " The answers are distorted; each column says how."
    lines = [f"# Codebook of {_plain(file)}", "", _plain(said), ""]
    for attribute in codebook.attributes:
        lines += _attribute(attribute, codebook)
    lines += _groups(codebook.design)
    if codebook.notes:
        lines += ["## Notes", "", *(f"- {_plain(note)}" for note in codebook.notes), ""]
    return "\n".join(lines)


def _attribute(attribute: Attribute, codebook: Codebook) -> list[str]:
    facts = [f"- kind: {attribute.kind}"]
    if attribute.domain is not None:
        low, high = attribute.domain
        facts.append(f"- from {_code(low)} to {_code(high)}")
    if attribute.missing in _POLICIES:
        facts.append(f"- missing answers: {_POLICIES[attribute.missing]}")
    for missing in attribute.missing_codes:
        label = f" ({_plain(missing.label)})" if missing.label else ""
        facts.append(f"- means no answer: {_code(missing.code)}{label}")
    facts += [f"- {_code(number)} = {_plain(label)}" for number, label in attribute.number_labels]
    if attribute.name == codebook.class_name:
        facts.append("- the class that classifiers predict")
    how = _distortion(codebook.design, attribute.name)
    if how:
        facts.append(f"- distorted by: {_plain(how)}")
    question = [_plain(attribute.label), ""] if attribute.label else []
    return [f"## {_plain(attribute.name)}", "", *question, *facts, "", *_values(attribute)]


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
        f"- {_plain(', '.join(map(str, group.get('attributes', []))))}: one coin for all, "
        f"{group.get('type')}, theta {group.get('theta')}"
        for group in groups
        if isinstance(group, Mapping)
    ]
    return ["## Groups that share a coin", "", *lines, ""] if lines else []


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
