"""The help: the pages of ``resources/help``, their index, and the user guide made of them."""

from ppworkbench.outputs.help.page import GROUPS, Group, HelpPage, page_path, pages
from ppworkbench.outputs.help.topic import (
    Topic,
    anchors,
    find_link,
    find_topic,
    key_about,
    load_help,
    search,
    slug,
    topic_about,
    topics,
)

__all__ = [
    "GROUPS",
    "Group",
    "HelpPage",
    "Topic",
    "anchors",
    "find_link",
    "find_topic",
    "key_about",
    "load_help",
    "page_path",
    "pages",
    "search",
    "slug",
    "topic_about",
    "topics",
]
