"""The Markdown of the help as HTML: read by markdown-it, with formulas set properly.

Every text is escaped, and HTML in a page is only text. Links are handed to the caller, who knows
what they lead to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ppworkbench.core.kernels import library_lock
from ppworkbench.study.html import escaped

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

Target = Callable[[str], str | None]
"""The address for a link as it is written; None leaves the words without a link."""

_READ = ("heading", "list", "table", "fence", "code", "backticks", "emphasis", "link")
"""The parts of Markdown that pages use. A backslash is one: formulas have differences of sets."""
_FORMULA = re.compile(r"(?:.*--)?formula")
"""The anchor of the heading of a formula, which is the same in every language."""
_INDEXED = re.compile(
    r"((?<![A-Za-z0-9_])(?:argmax|max|min|var|new|old|RP|1|[^\W\d_]\u0302?)|\))"
    r"_(\{[^}]*\}|[A-Za-z0-9]{1,6})(?![A-Za-z0-9_])"
)
"""A letter, a bracket or one of a few words of formulas, with its index."""
_POWER = re.compile(
    r"(?<=[\w)>])\^(\((?:[^()]|\([^()]*\))*\)|[^\W_]+(?:\((?:[^()]|\([^()]*\))*\))?)"
)


def to_html(text: str, target: Target, anchor: Callable[[str], str], level: int = 1) -> str:
    r"""A page as HTML; what stands below the heading of a formula is in a section of its own.

    Parameters
    ----------
    target
        Gives the address of a link.
    anchor
        Gives the id of a heading.
    level
        The level of the page's own title: 1 alone, more inside of a larger document.

    Examples
    --------
    >>> to_html("**Keep** `P[c, c]` and x_c, 2^H(Z)", lambda link: None, str)
    '<p><strong>Keep</strong> <code>P[c, c]</code> and x<sub>c</sub>, 2<sup>H(Z)</sup></p>\n'
    """
    parser = _parser()
    tokens = [*_blocks(parser.parse(text), target, anchor, level - 1)]
    return str(parser.renderer.render(tokens, parser.options, {}))


def _parser() -> MarkdownIt:
    """A parser of its own for each page: it is made quickly, and threads may not share one."""
    with library_lock:
        from markdown_it import MarkdownIt

    parser = MarkdownIt("zero").enable([*_READ])
    parser.inline.ruler.before("emphasis", "underscore", _underscore)
    return parser


def _underscore(state: StateInline, silent: bool) -> bool:
    """Read an underscore as text: it marks an index, never emphasis."""
    if state.src[state.pos] != "_":
        return False
    if not silent:
        state.pending += "_"
    state.pos += 1
    return True


def _blocks(
    tokens: Sequence[Token], target: Target, anchor: Callable[[str], str], deeper: int
) -> Iterator[Token]:
    in_formula = False
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            if in_formula:
                yield _html("</section>\n")
            name = anchor(tokens[place + 1].content)
            token.attrSet("id", name)
            in_formula = bool(_FORMULA.fullmatch(name))
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + deeper, 6)}"
        yield from _block(token, target)
        if token.type == "heading_close" and in_formula:
            yield _html('<section class="formula">\n')
    if in_formula:
        yield _html("</section>\n")


def _block(token: Token, target: Target) -> Iterator[Token]:
    if token.children:
        token.children = [*_inlines(token.children, target)]
    if token.type in ("th_open", "td_open"):
        # Qt and the style sheet know this attribute rather than a style.
        token.attrs = {"align": "right"} if "right" in str(token.attrGet("style")) else {}
    if token.type in ("fence", "code_block"):
        yield _html(f"<pre>{escaped(token.content.rstrip())}</pre>\n")
        return
    if token.type == "table_open":
        yield _html('<div class="wide">')
    yield token
    if token.type == "table_close":
        yield _html("</div>\n")


def _inlines(tokens: Sequence[Token], target: Target) -> Iterator[Token]:
    is_linked = False
    for token in tokens:
        if token.type == "link_open":
            address = target(str(token.attrGet("href")))
            is_linked = address is not None
            token.attrs = {"href": address or ""}
        if token.type == "text":
            yield _html(formulas_to_html(token.content))
        elif is_linked or token.type not in ("link_open", "link_close"):
            yield token


def _html(content: str) -> Token:
    from markdown_it.token import Token

    return Token("html_inline", "", 0, content=content)


def formulas_to_html(text: str) -> str:
    """Text of a page as HTML: escaped, with indices and powers set as such.

    >>> formulas_to_html("x_c < e^ε")
    'x<sub>c</sub> &lt; e<sup>ε</sup>'
    """
    return _POWER.sub(
        lambda found: f"<sup>{_unwrapped(found.group(1))}</sup>", _indexed(escaped(text))
    )


def _indexed(text: str) -> str:
    return _INDEXED.sub(
        lambda found: f"{found.group(1)}<sub>{_indexed(found.group(2).strip('{}'))}</sub>", text
    )


def _unwrapped(power: str) -> str:
    return power[1:-1] if power.startswith("(") else power
