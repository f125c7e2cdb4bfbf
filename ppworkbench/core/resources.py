"""Where the shipped files lie: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def resource(*parts: str) -> Path:
    """The path of a shipped file or folder under ``resources/``."""
    return _shipped("resources").joinpath(*parts)


def icons_folder() -> Path:
    """The folder of the icon set."""
    return _shipped("icons")


def _shipped(name: str) -> Path:
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name
