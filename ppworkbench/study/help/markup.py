"""The Markdown of the help as HTML: the part of it that the pages use, and formulas set properly.

Every text is escaped here. Links are handed to the caller, who knows what they lead to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ppworkbench.study.html import escaped

Target = Callable[[str], str | None]
"""The address for a link as it is written; None leaves the words without a link."""

_HEADED = re.compile(r"<h\d")
_FORMULA = re.compile(r'<h[2-4] id="(?:[^"]*--)?formula"')
_TABLE_RULE = re.compile(r"^\|(\s*:?-+:?\s*\|)+$")
_ITEM = re.compile(r"^(-|\d+\.)\s+(.*)$")
_CELL = re.compile(r"(?<!\\)\|")
_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_ITALIC = re.compile(r"(?<![\w*])\*(?=\S)(.+?)(?<=\S)\*(?![\w*])")
_INDEXED = re.compile(
    r"((?<![A-Za-z0-9_])(?:argmax|max|min|var|new|old|RP|1|[^\W\d_]\u0302?)|\))"
    r"_(\{[^}]*\}|[A-Za-z0-9]{1,6})(?![A-Za-z0-9_])"
)
"""A letter, a bracket or one of a few words of formulas, with its index."""
_POWER = re.compile(
    r"(?<=[\w)>])\^(\((?:[^()]|\([^()]*\))*\)|[^\W_]+(?:\((?:[^()]|\([^()]*\))*\))?)"
)


def to_html(text: str, target: Target, anchor: Callable[[str], str], level: int = 1) -> str:
    """A page as HTML.

    Parameters
    ----------
    target
        Gives the address of a link.
    anchor
        Gives the id of a heading.
    level
        The level of the page's own title: 1 alone, more inside of a larger document.
    """
    return "\n".join(_framed(_blocks(text.splitlines(), target, anchor, level - 1)))


def _framed(blocks: Iterator[str]) -> Iterator[str]:
    """Put what stands below the heading of a formula into a section of its own, to be set apart.

    It is known by its anchor, which is the same in every language.
    """
    is_open = False
    for block in blocks:
        if is_open and _HEADED.match(block):
            yield "</section>"
            is_open = False
        yield block
        if _FORMULA.match(block):
            yield '<section class="formula">'
            is_open = True
    if is_open:
        yield "</section>"


def _blocks(
    lines: Sequence[str], target: Target, anchor: Callable[[str], str], deeper: int
) -> Iterator[str]:
    place = 0
    while place < len(lines):
        start, line = place, lines[place]
        place += 1
        if not line.strip():
            continue
        if line.startswith("```"):
            place = _past(lines, place, lambda one: not one.startswith("```")) + 1
            yield _code(lines[start + 1 : place - 1])
        elif line.startswith("    "):
            place = _past(lines, place, lambda one: one.startswith("    "))
            yield _code([one[4:] for one in lines[start:place]])
        elif line.startswith("#"):
            yield _heading(line, target, anchor, deeper)
        elif line.startswith("|"):
            place = _past(lines, place, lambda one: one.startswith("|"))
            yield _table(lines[start:place], target)
        elif _ITEM.match(line):
            place = _past(lines, place, _is_listed)
            yield _list(lines[start:place], target)
        else:
            place = _past(lines, place, _is_paragraph)
            yield f"<p>{inline(' '.join(lines[start:place]), target)}</p>"


def _past(lines: Sequence[str], place: int, belongs: Callable[[str], bool]) -> int:
    while place < len(lines) and belongs(lines[place]):
        place += 1
    return place


def _is_paragraph(line: str) -> bool:
    return bool(line.strip()) and not line.startswith(("#", "|", "```")) and not _ITEM.match(line)


def _is_listed(line: str) -> bool:
    return bool(_ITEM.match(line)) or line.startswith("  ")


def _code(lines: Sequence[str]) -> str:
    return f"<pre>{escaped(chr(10).join(lines))}</pre>"


def _heading(line: str, target: Target, anchor: Callable[[str], str], deeper: int) -> str:
    marks, _, title = line.partition(" ")
    tag = f"h{min(len(marks) + deeper, 6)}"
    return f'<{tag} id="{escaped(anchor(title))}">{inline(title, target)}</{tag}>'


def _list(lines: Sequence[str], target: Target) -> str:
    items: list[str] = []
    for line in lines:
        found = _ITEM.match(line)
        if found:
            items.append(found.group(2))
        else:
            items[-1] += f" {line.strip()}"
    tag = "ul" if lines[0].startswith("-") else "ol"
    return f"<{tag}>{''.join(f'<li>{inline(item, target)}</li>' for item in items)}</{tag}>"


def _table(lines: Sequence[str], target: Target) -> str:
    rows = [_cells(line) for line in lines if not _TABLE_RULE.match(line)]
    rule = next((_cells(line) for line in lines if _TABLE_RULE.match(line)), [])
    right = [cell.endswith(":") for cell in rule] or [False] * len(rows[0])
    head, *body = rows
    written = [_row("th", head, right, target), *(_row("td", row, right, target) for row in body)]
    return (
        f'<div class="wide"><table><thead>{written[0]}</thead>'
        f"<tbody>{''.join(written[1:])}</tbody></table></div>"
    )


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(line.strip().strip("|"))]


def _row(tag: str, cells: Sequence[str], right: Sequence[bool], target: Target) -> str:
    looks = [' align="right"' if is_right else "" for is_right in right]
    written = "".join(
        f"<{tag}{look}>{inline(cell, target)}</{tag}>"
        for cell, look in zip(cells, looks, strict=False)
    )
    return f"<tr>{written}</tr>"


def inline(text: str, target: Target) -> str:
    """One run of text: code, links, bold, italic, and indices and powers of formulas.

    >>> inline("**Keep** `P[c, c]` and x_c, 2^H(Z)", lambda link: None)
    '<b>Keep</b> <code>P[c, c]</code> and x<sub>c</sub>, 2<sup>H(Z)</sup>'
    """
    parts = _CODE.split(text)
    # Code may stand inside of a link or of bold letters, so it is put back at the end.
    held = [f"<code>{escaped(code)}</code>" for code in parts[1::2]]
    marked = "".join(
        part if place % 2 == 0 else f"\x00{place // 2}\x01" for place, part in enumerate(parts)
    )
    links: list[str] = []

    def keep(found: re.Match[str]) -> str:
        links.append(found.group(2))
        return f"\x02{len(links) - 1}\x03{found.group(1)}\x04"

    written = escaped(_LINK.sub(keep, marked)).replace("&quot;", '"').replace("&#x27;", "'")
    written = _BOLD.sub(r"<b>\1</b>", written)
    written = _ITALIC.sub(r"<i>\1</i>", written)
    written = _indexed(written)
    written = _POWER.sub(lambda found: f"<sup>{_unwrapped(found.group(1))}</sup>", written)
    written = _with_links(written, links, target)
    return re.sub("\x00(\\d+)\x01", lambda found: held[int(found.group(1))], written)


def _indexed(text: str) -> str:
    return _INDEXED.sub(
        lambda found: f"{found.group(1)}<sub>{_indexed(found.group(2).strip('{}'))}</sub>", text
    )


def _unwrapped(power: str) -> str:
    return power[1:-1] if power.startswith("(") else power


def _with_links(text: str, links: Sequence[str], target: Target) -> str:
    def put(found: re.Match[str]) -> str:
        address = target(links[int(found.group(1))])
        words = found.group(2)
        return words if address is None else f'<a href="{escaped(address)}">{words}</a>'

    return re.sub("\x02(\\d+)\x03([^\x04]*)\x04", put, text)
