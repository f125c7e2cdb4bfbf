"""The window that shows the help."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, QUrl, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QWidget,
)
from shiboken6 import isValid

from ppworkbench.gui.dialogs import resize_dialog, save_file
from ppworkbench.gui.language import tongue, tr, translate
from ppworkbench.gui.theme import Theme
from ppworkbench.gui.widgets.controls import Button, IconButton, Segmented, filter_field
from ppworkbench.gui.widgets.layout import column, named, row, text
from ppworkbench.gui.widgets.splitter import splitter
from ppworkbench.gui.workbench import Workbench
from ppworkbench.outputs.help.guide import by_group, from_a_to_z, index_topic, write_guide
from ppworkbench.outputs.help.markup import to_html
from ppworkbench.outputs.help.topic import (
    Topic,
    anchors,
    find_link,
    find_topic,
    load_help,
    search,
    slug,
)

ROLE = Qt.ItemDataRole.UserRole


class HelpContents(QTreeWidget):
    """Every line holds its topic; a chapter stands for the first of its pages."""

    topic_chosen = Signal(object)

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench
        self.setObjectName("helpTopics")
        self.setAccessibleName(self.tr("Topics"))
        self.setHeaderHidden(True)
        self.setIndentation(workbench.theme.px(16))
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setExpandsOnDoubleClick(False)
        self.currentItemChanged.connect(self._on_current)
        self.itemClicked.connect(self._on_clicked)

    def show_chapters(self, language: str) -> None:
        self.clear()
        for title, held in by_group(language):
            chapter = QTreeWidgetItem(self, [translate(title)])
            chapter.setFont(0, self._workbench.theme.font("body", "semibold"))
            chapter.setFlags(chapter.flags() & ~Qt.ItemFlag.ItemIsSelectable)
            for page in held:
                self._add(chapter, page.title, find_topic(page.key, language))

    def show_letters(self, language: str) -> None:
        self.clear()
        for entry in from_a_to_z(language):
            words = f"{entry.words}: {entry.page.title}" if entry.is_name else entry.words
            self._add(self, words, find_topic(entry.page.key, language))

    def show_found(self, found: Iterable[Topic], language: str) -> None:
        """List what a search found, with the page that a heading belongs to."""
        self.clear()
        for topic in found:
            page = find_topic(topic.file.rpartition("/")[2], language)
            words = topic.title
            if page is not None and not topic.is_page:
                words = f"{words} – {page.title}"
            self._add(self, words, topic)

    def _add(self, parent: QTreeWidget | QTreeWidgetItem, words: str, topic: Topic | None) -> None:
        item = QTreeWidgetItem(parent, [words])
        item.setData(0, ROLE, topic)
        item.setToolTip(0, words)

    def items(self) -> list[QTreeWidgetItem]:
        found, iterator = [], QTreeWidgetItemIterator(self)
        while (item := iterator.value()) is not None:
            if item.data(0, ROLE) is not None:
                found.append(item)
            iterator += 1
        return found  # type: ignore[unreachable]  # the last item is None, unknown to the stubs

    def mark(self, topic: Topic) -> None:
        """Mark the line of a topic, or of the page it stands on, without choosing it."""
        items = self.items()
        marked = next((i for i in items if i.data(0, ROLE) == topic), None) or next(
            (i for i in items if i.data(0, ROLE).file == topic.file), None
        )
        blocked = self.blockSignals(True)
        self.setCurrentItem(marked)  # type: ignore[arg-type]  # Qt takes None for no line
        self.blockSignals(blocked)
        if marked is not None:
            self.scrollToItem(marked)

    def _on_clicked(self, item: QTreeWidgetItem) -> None:
        if item.childCount():
            item.setExpanded(not item.isExpanded())

    def _on_current(self, item: QTreeWidgetItem | None) -> None:
        topic = None if item is None else item.data(0, ROLE)
        if topic is not None:
            self.topic_chosen.emit(topic)


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


_PAGES = {"start": "getting-started"} | {
    page: f"{page}-page"
    for page in (
        "data", "design", "collect", "explore", "survey", "mine", "classify", "publish", "learn",
    )
}  # fmt: skip
"""The topics about the pages of the window."""
_CHAPTERS, _LETTERS = "chapters", "letters"


class HelpViewer(QDialog):
    """Contents and search at the left, the page at the right."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Help"))
        self.setModal(False)
        self._workbench = workbench
        self.language = tongue().foreign
        self.shown: Topic | None = None
        """What is read now."""
        self._before: list[Topic] = []
        self._after: list[Topic] = []
        self._make_left()
        self._make_right()
        columns = splitter(Qt.Orientation.Horizontal, "helpColumns", self._left, self._right)
        columns.setStretchFactor(1, 1)
        columns.setSizes([290, 720])
        column(columns, parent=self, margin=14)
        resize_dialog(self, 1040, 700)
        self._listen()
        self._fill()

    def _make_left(self) -> None:
        themes = self._workbench.themes
        self.field = filter_field("helpSearch", self.tr("Search help"))
        self.order = Segmented(
            themes,
            self.tr("Topic order"),
            [(_CHAPTERS, self.tr("Contents")), (_LETTERS, self.tr("A to Z"))],
        )
        self.order.setObjectName("helpOrder")
        self.list = HelpContents(self._workbench)
        self._left = QWidget()
        column(self.field, self.order, self.list, parent=self._left)

    def _make_right(self) -> None:
        themes = self._workbench.themes
        self.back = IconButton(themes, "chevron-left", self.tr("Back (Alt+Left)"))
        self.back.setObjectName("helpBack")
        self.forward = IconButton(themes, "chevron-right", self.tr("Forward (Alt+Right)"))
        self.forward.setObjectName("helpForward")
        self.place = text("", "hint")
        self.index = named(Button(themes, self.tr("Index"), look="link"), "helpIndex")
        self.browser = named(QTextBrowser(), "helpText", self.tr("Help text"))
        self.browser.setOpenLinks(False)
        self.browser.setFrameShape(QFrame.Shape.NoFrame)
        sheet = QFrame()
        sheet.setProperty("look", "card")
        column(self.browser, parent=sheet, margin=4)
        self._right = QWidget()
        bar = row(self.back, self.forward, 6, self.place, None, self.index)
        column(bar, sheet, parent=self._right)

    def _listen(self) -> None:
        self.field.textChanged.connect(self._on_search)
        self.order.chosen.connect(lambda _: self._fill())
        self.list.topic_chosen.connect(self._go_to)
        self.browser.anchorClicked.connect(self._on_link)
        self.back.clicked.connect(self.go_back)
        self.forward.clicked.connect(self.go_forward)
        self.index.clicked.connect(lambda: self._go_to(index_topic(tongue())))
        self._workbench.themes.theme_changed.connect(self._draw)
        QShortcut(QKeySequence("Alt+Left"), self, self.go_back)
        QShortcut(QKeySequence("Alt+Right"), self, self.go_forward)
        QShortcut(QKeySequence("Ctrl+F"), self, self.field.setFocus)

    def show_topic(self, key: str) -> None:
        """Show a topic; one that does not exist shows the index."""
        topic = find_topic(_PAGES.get(key, key), self.language)
        self.field.clear()
        self._go_to(topic or index_topic(tongue()))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Begin with the index if nobody has asked for anything."""
        super().showEvent(event)
        if self.shown is None:
            self._go_to(index_topic(tongue()))

    def go_back(self) -> None:
        if self._before and self.shown is not None:
            self._after.append(self.shown)
            self._show(self._before.pop())

    def go_forward(self) -> None:
        if self._after and self.shown is not None:
            self._before.append(self.shown)
            self._show(self._after.pop())

    def _go_to(self, topic: Topic) -> None:
        if topic == self.shown:
            return
        if self.shown is not None:
            self._before.append(self.shown)
        self._after.clear()
        self._show(topic)

    def _show(self, topic: Topic) -> None:
        self.shown = topic
        self.list.mark(topic)
        self.back.setEnabled(bool(self._before))
        self.forward.setEnabled(bool(self._after))
        self.place.setText(translate(topic.group))
        self._draw()

    def _draw(self) -> None:
        if self.shown is None:
            return
        page = self.shown
        if page.anchor:
            whole = find_link(f"{page.file.rpartition('/')[2]}.md", page.file, self.language)
            page = whole or page
        named = anchors(page.file, self.language)
        show_markdown(self.browser, page.text, self._workbench.theme, named)
        if self.shown.anchor:
            self.browser.scrollToAnchor(self.shown.anchor)

    def _on_link(self, link: QUrl) -> None:
        shown = self.shown
        topic = None if shown is None else find_link(link.toString(), shown.file, self.language)
        if topic is not None:
            self.field.clear()
            self._go_to(topic)

    def _on_search(self, words: str) -> None:
        self._fill()
        found = self.list.items()
        if words.strip() and found:
            self._go_to(found[0].data(0, Qt.ItemDataRole.UserRole))

    def _fill(self) -> None:
        words = self.field.text().strip()
        self.order.setEnabled(not words)
        blocked = self.list.blockSignals(True)
        if words:
            self.list.show_found(search(words, self.language), self.language)
        elif self.order.current == _LETTERS:
            self.list.show_letters(self.language)
        else:
            self.list.show_chapters(self.language)
        self.list.blockSignals(blocked)
        if self.shown is not None:
            self.list.mark(self.shown)


_viewer: HelpViewer | None = None


def show_help(topic: str, workbench: Workbench, parent: QWidget) -> HelpViewer:
    """Open the help at a topic, in the window that is open already if there is one."""
    global _viewer  # noqa: PLW0603 (one help window per program)
    if _viewer is None or not _viewer_serves(_viewer, parent):
        for _ in load_help(tongue().foreign):
            pass
        _viewer = HelpViewer(workbench, parent)
        workbench.themes.apply_theme(_viewer)
    _viewer.show_topic(topic)
    _viewer.show()
    _viewer.raise_()
    return _viewer


def follow_language(workbench: Workbench, parent: QWidget) -> None:
    """Open the help in the language of now if it is open in another; else it is left alone."""
    old = _viewer
    if old is None or not isValid(old) or _viewer_serves(old, parent):
        return
    topic = old.shown.key if old.isVisible() and old.shown is not None else ""
    old.close()
    old.deleteLater()
    if topic:
        show_help(topic, workbench, parent)


def _viewer_serves(viewer: HelpViewer, parent: QWidget) -> bool:
    """Whether a help window is still there, belongs to this window and speaks its language."""
    return isValid(viewer) and viewer.parent() is parent and viewer.language == tongue().foreign


def save_guide(workbench: Workbench, parent: QWidget) -> None:
    folder = Path(str(workbench.settings.value("files/folder", "") or Path.home()))
    start = folder / f"{QCoreApplication.applicationName() or 'ppworkbench'}-guide.html"
    title, kinds = tr("Save user guide"), tr("Web pages (*.html)")
    save_file(parent, title, str(start), kinds, lambda path: _save(workbench, path))


def _save(workbench: Workbench, path: Path) -> None:
    language, said = tongue(), tr("User guide saved as %s.") % path.name
    workbench.save(path, lambda: write_guide(path, language), said, tr("Saving user guide"))
