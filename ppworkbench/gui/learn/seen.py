"""Which demonstrations were seen to their end, and which files of one's own were opened."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings

_SEEN, _OWN = "learn/seen", "learn/own"
_MOST_OWN = 6


def seen(settings: QSettings) -> frozenset[str]:
    """The names of the demonstrations that were seen to their end."""
    return frozenset(_texts(settings, _SEEN))


def remember_seen(settings: QSettings, name: str) -> None:
    """Remember that a demonstration was seen."""
    settings.setValue(_SEEN, sorted({*seen(settings), name}))


def own_files(settings: QSettings) -> tuple[Path, ...]:
    """Files of one's own that are still there, the newest first."""
    return tuple(Path(name) for name in _texts(settings, _OWN) if Path(name).is_file())


def remember_own(settings: QSettings, path: Path) -> None:
    """Remember a file of one's own."""
    names = [str(path), *(str(one) for one in own_files(settings) if one != path)]
    settings.setValue(_OWN, names[:_MOST_OWN])


def _texts(settings: QSettings, key: str) -> list[str]:
    found = settings.value(key)
    if isinstance(found, str):
        # Qt gives a list of one as the one.
        return [found]
    return [str(one) for one in found] if isinstance(found, list) else []
