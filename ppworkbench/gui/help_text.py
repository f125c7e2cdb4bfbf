"""A page of the help in a browser widget, with the colours of the theme."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QTextBrowser

from ppworkbench.gui.theme import Theme
from ppworkbench.study.help import slug
from ppworkbench.study.help.markup import to_html

_BOX = (
    '<table class="formula" width="100%" cellspacing="0" cellpadding="0"><tr><td class="formula">'
)


def show_markdown(
    browser: QTextBrowser, text: str, theme: Theme, anchors: Mapping[str, str]
) -> None:
    """Show a page from its beginning; links keep the addresses that the text gives them."""
    # Another margin would lay out once more what is about to go.
    browser.clear()
    browser.document().setDefaultStyleSheet(_style(theme))
    browser.document().setDocumentMargin(theme.px(18))
    html = to_html(text, lambda link: link, lambda title: anchors.get(title) or slug(title))
    # Qt paints the background of a section line by line, that of a cell in one piece.
    html = html.replace('<section class="formula">', _BOX).replace(
        "</section>", "</td></tr></table>"
    )
    browser.setHtml(f"<body>{html}</body>")


def _style(theme: Theme) -> str:
    px = theme.px
    return f"""
    body {{ color: {theme.hex("text")}; font-size: {px(13)}px; line-height: 145%; }}
    h1 {{ font-size: {px(20)}px; font-weight: 600; margin: 0 0 {px(10)}px 0; }}
    h2 {{ font-size: {px(15)}px; font-weight: 600; margin: {px(18)}px 0 {px(5)}px 0; }}
    h3 {{ font-size: {px(13)}px; font-weight: 600; margin: {px(16)}px 0 {px(4)}px 0;
         color: {theme.hex("text2")}; }}
    p {{ margin: 0 0 {px(9)}px 0; }}
    li {{ margin: 0 0 {px(3)}px 0; }}
    ul, ol {{ margin: 0 0 {px(9)}px 0; -qt-list-indent: 1; }}
    a {{ color: {theme.hex("accentInk")}; text-decoration: none; }}
    code {{ font-family: monospace; color: {theme.hex("text")};
           background-color: {theme.hex("sunken")}; }}
    pre {{ font-family: monospace; font-size: {px(12)}px; background-color: {theme.hex("sunken")};
          margin: 0 0 {px(10)}px 0; padding: {px(8)}px; }}
    table {{ border-collapse: collapse; margin: {px(2)}px 0 {px(10)}px 0; }}
    th {{ background-color: {theme.hex("sunken")}; font-weight: 600; text-align: left;
         padding: {px(4)}px {px(10)}px; border-bottom: 1px solid {theme.hex("outline")}; }}
    td {{ padding: {px(4)}px {px(10)}px; border-bottom: 1px solid {theme.hex("border")}; }}
    td.formula {{ background-color: {theme.hex("sunken")}; border-bottom: none;
                 border-left: 3px solid {theme.hex("accentLine")};
                 padding: {px(10)}px {px(14)}px {px(2)}px {px(14)}px; }}
    """
