"""Why an attribute was taken for what it is, in the language of the window."""

from __future__ import annotations

from ppworkbench.core.message import Message
from ppworkbench.gui.language.text import told, tr


def reason_words(reason: str) -> str:
    """The reason that the core gives; it calls scales by names of its own."""
    if isinstance(reason, Message) and reason.code == "scale":
        return tr("The answers are steps of a scale (%s).") % _topic(str(reason.args["topic"]))
    return told(reason)


def _topic(name: str) -> str:
    words = {
        "frequency": tr("frequency"),
        "how often in time": tr("how often in time"),
        "quality": tr("quality"),
        "ocena": tr("quality"),
        "degree": tr("degree"),
        "level": tr("level"),
        "size": tr("size"),
        "temperature": tr("temperature"),
        "wrongness": tr("wrongness"),
        "share": tr("share"),
        "education": tr("education"),
        "school grades": tr("school grades"),
        "agreement": tr("agreement"),
        "zgoda": tr("agreement"),
        "yes or no": tr("yes or no"),
        "tak lub nie": tr("yes or no"),
        "satisfaction": tr("satisfaction"),
        "zadowolenie": tr("satisfaction"),
        "likelihood": tr("likelihood"),
        "importance": tr("importance"),
        "waznosc": tr("importance"),
        "attitude": tr("attitude"),
        "politics": tr("politics"),
        "polityka": tr("politics"),
        "happiness": tr("happiness"),
        "szczescie": tr("happiness"),
        "safety": tr("safety"),
        "difficulty": tr("difficulty"),
        "comparison": tr("comparison"),
        "porownanie": tr("comparison"),
        "trust": tr("trust"),
        "nie ufam": tr("trust"),
        "ranges of numbers": tr("ranges of numbers"),
    }
    return words.get(name, name)
