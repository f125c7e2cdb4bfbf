"""The list at the left of the help: chapters, everything from A to Z, or what a search found."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QTreeWidgetItemIterator

from ppworkbench.gui.language.text import told
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.help import Topic, find_topic
from ppworkbench.study.help.index import by_group, from_a_to_z

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
        """List all pages, chapter by chapter."""
        self.clear()
        for title, held in by_group(language):
            chapter = QTreeWidgetItem(self, [told(title)])
            chapter.setFont(0, self._workbench.theme.font("body", "semibold"))
            chapter.setFlags(chapter.flags() & ~Qt.ItemFlag.ItemIsSelectable)
            for page in held:
                self._add(chapter, page.title, find_topic(page.key, language))

    def show_letters(self, language: str) -> None:
        """List all pages and names from A to Z."""
        self.clear()
        for entry in from_a_to_z(language):
            words = f"{entry.words}: {entry.page.title}" if entry.is_name else entry.words
            self._add(self, words, find_topic(entry.page.key, language))

    def show_found(self, found: Iterable[Topic], language: str) -> None:
        """List what a search found, with the page that a heading belongs to."""
        self.clear()
        for topic in found:
            page = find_topic(topic.file.rpartition("/")[2], language)
            alone = page is None or topic.is_page
            self._add(self, topic.title if alone else f"{topic.title} – {page.title}", topic)

    def _add(self, parent: QTreeWidget | QTreeWidgetItem, words: str, topic: Topic | None) -> None:
        item = QTreeWidgetItem(parent, [words])
        item.setData(0, ROLE, topic)
        item.setToolTip(0, words)

    def items(self) -> list[QTreeWidgetItem]:
        """All lines that hold a topic, from top to bottom."""
        found, iterator = [], QTreeWidgetItemIterator(self)
        while (item := iterator.value()) is not None:
            if item.data(0, ROLE) is not None:
                found.append(item)
            iterator += 1
        return found

    def mark(self, topic: Topic) -> None:
        """Mark the line of a topic, or of the page it stands on, without choosing it."""
        items = self.items()
        marked = next((i for i in items if i.data(0, ROLE) == topic), None) or next(
            (i for i in items if i.data(0, ROLE).file == topic.file), None
        )
        blocked = self.blockSignals(True)
        self.setCurrentItem(marked)
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
