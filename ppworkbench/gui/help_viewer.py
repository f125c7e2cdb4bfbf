"""A window with the help texts and a search field."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QTextBrowser,
    QWidget,
)

from ppworkbench.gui.help_text import show_markdown
from ppworkbench.gui.help_topics import Topic, find_link, find_topic, search
from ppworkbench.gui.widgets.layouts import column
from ppworkbench.gui.workbench import Workbench

_PAGES = {
    "start": "getting-started",
    "data": "data-page",
    "design": "design-page",
    "explore": "explore-page",
    "survey": "survey-page",
    "mine": "mine-page",
    "classify": "classify-page",
    "publish": "publish-page",
}


class HelpViewer(QDialog):
    """Topics at the left, the text at the right."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Help"))
        self.setModal(False)
        self._workbench = workbench
        self._shown: Topic | None = None
        self.field = QLineEdit()
        self.field.setObjectName("helpSearch")
        self.field.setPlaceholderText(self.tr("Search the help"))
        self.field.setAccessibleName(self.tr("Search the help"))
        self.field.textChanged.connect(self._on_search)
        self.list = QListWidget()
        self.list.setObjectName("helpTopics")
        self.list.setAccessibleName(self.tr("Topics"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentItemChanged.connect(self._on_chosen)
        self.browser = QTextBrowser()
        self.browser.setObjectName("helpText")
        self.browser.setAccessibleName(self.tr("Help text"))
        self.browser.setOpenLinks(False)
        self.browser.anchorClicked.connect(self._on_link)
        left = QWidget()
        column(self.field, self.list, parent=left)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(left)
        splitter.addWidget(self.browser)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([280, 660])
        column(splitter, parent=self, margin=14)
        self.resize(980, 660)
        self._on_search("")

    def show_topic(self, key: str) -> None:
        """Show a topic; one that does not exist shows the list."""
        topic = find_topic(_PAGES.get(key, key))
        self.field.clear()
        if topic is not None:
            self._choose(topic)

    def _choose(self, topic: Topic) -> None:
        """Show a topic and mark it in the list."""
        self._show(topic)
        for place in range(self.list.count()):
            item = self.list.item(place)
            if item is not None and item.data(Qt.ItemDataRole.UserRole) == topic:
                self.list.setCurrentRow(place)

    def _on_link(self, link: QUrl) -> None:
        topic = None if self._shown is None else find_link(link.toString(), self._shown.file)
        if topic is not None:
            self.field.clear()
            self._choose(topic)

    def _on_search(self, words: str) -> None:
        self.list.clear()
        for topic in search(words):
            item = QListWidgetItem(topic.title if topic.is_page else f"    {topic.title}")
            item.setData(Qt.ItemDataRole.UserRole, topic)
            if topic.is_page:
                item.setFont(self._workbench.theme.font("body", "semibold"))
            self.list.addItem(item)
        if words and self.list.count():
            self.list.setCurrentRow(0)

    def _on_chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self._show(item.data(Qt.ItemDataRole.UserRole))

    def _show(self, topic: Topic) -> None:
        self._shown = topic
        show_markdown(self.browser, topic.text, self._workbench.theme)


_viewer: HelpViewer | None = None


def show_help(topic: str, workbench: Workbench, parent: QWidget) -> HelpViewer:
    """Open the help at a topic, in the window that is open already if there is one."""
    global _viewer  # noqa: PLW0603 (one help window per program)
    if _viewer is None or not _is_alive(_viewer) or _viewer.parent() is not parent:
        _viewer = HelpViewer(workbench, parent)
    _viewer.show_topic(topic)
    _viewer.show()
    _viewer.raise_()
    return _viewer


def _is_alive(viewer: HelpViewer) -> bool:
    from shiboken6 import isValid

    return bool(isValid(viewer))
