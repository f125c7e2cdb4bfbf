"""Markdown in a browser with room between paragraphs, and code that looks like code."""

from __future__ import annotations

from PySide6.QtGui import QTextBlockFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QTextBrowser

from ppworkbench.gui.theme import Theme

_PARAGRAPH, _ITEM, _HEADING = 8, 3, 14


def show_markdown(browser: QTextBrowser, text: str, theme: Theme) -> None:
    """Show a text; Qt puts its paragraphs one right below the other, which nobody likes to read."""
    document = browser.document()
    document.setDefaultStyleSheet(f"a {{ color: {theme.hex('accentInk')}; }}")
    browser.setMarkdown(text)
    document.setDocumentMargin(12)
    cursor = QTextCursor(document)
    block = document.begin()
    while block.isValid():
        cursor.setPosition(block.position())
        if cursor.currentTable() is None:
            cursor.mergeBlockFormat(_spacing(cursor, theme))
        block = block.next()
    browser.moveCursor(QTextCursor.MoveOperation.Start)


def _spacing(cursor: QTextCursor, theme: Theme) -> QTextBlockFormat:
    now, wanted = cursor.blockFormat(), QTextBlockFormat()
    if now.hasProperty(QTextFormat.Property.BlockCodeFence):
        wanted.setBackground(theme.colour("sunken"))
        wanted.setLeftMargin(8)
        last = (
            not cursor.block().next().blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence)
        )
        wanted.setBottomMargin(_PARAGRAPH if last else 0)
        return wanted
    if now.headingLevel():
        wanted.setTopMargin(0 if cursor.block().blockNumber() == 0 else _HEADING)
    wanted.setBottomMargin(_ITEM if cursor.currentList() is not None else _PARAGRAPH)
    return wanted
