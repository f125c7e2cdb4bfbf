"""Find what is wrong with a site: dead links, dead anchors, and whatever loads from elsewhere."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADING = {
    "audio": ("src",), "embed": ("src",), "form": ("action",), "iframe": ("src",),
    "img": ("src", "srcset"), "image": ("href", "xlink:href"), "input": ("src",),
    "link": ("href",), "object": ("data",), "script": ("src",), "source": ("src", "srcset"),
    "track": ("src",), "use": ("href", "xlink:href"), "video": ("src", "poster"),
}  # fmt: skip
"""Attributes whose address a browser asks for by itself, or sends a form to."""
_STYLE_LOAD = re.compile(r"""(?:@import\s+(?:url\(\s*)?|url\(\s*)["']?([^"')\s;]+)""")
_SCRIPT_LOAD = re.compile(
    r"""(?:fetch|import|importScripts|open|Worker|WebSocket|EventSource|sendBeacon)\s*\("""
    r"""[^)]{0,80}?["'`]((?:https?:|wss?:)?//[^"'`]+)"""
)
_ELSEWHERE = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//|(?:https?|ftp|wss?):", re.IGNORECASE)


@dataclass
class Page(HTMLParser):
    """What a page names, where it leads, and what it loads."""

    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._raw = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take down the addresses of a tag."""
        given = {name: value or "" for name, value in attrs}
        self._raw = tag if tag in ("style", "script") else ""
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        if tag in ("a", "area") and "href" in given:
            self.links.append(given["href"])
        for name in LOADING.get(tag, ()):
            if name == "srcset":
                offered = given.get(name, "").split(",")
                self.loads += [one.split()[0] for one in offered if one.strip()]
            elif name in given:
                self.loads.append(given[name])
        self.loads += _STYLE_LOAD.findall(given.get("style", ""))

    def handle_data(self, data: str) -> None:
        """Look into styles and scripts in the page."""
        if self._raw == "style":
            self.loads += _STYLE_LOAD.findall(data)
        elif self._raw == "script":
            self.loads += _SCRIPT_LOAD.findall(data)

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 (HTMLParser calls it with the tag)
        """End a style or a script."""
        self._raw = ""


def find_faults(site: Path) -> list[str]:
    """Every fault in a sentence: the file, and the address that is dead or elsewhere."""
    return [*_faults_of_pages(site), *_faults_of_files(site)]


def _faults_of_pages(site: Path) -> Iterator[str]:
    read = cache(read_page)
    for path in sorted(site.rglob("*.html")):
        page, name = read(path), path.relative_to(site).as_posix()
        for link in page.links:
            if not _is_elsewhere(link) and not urlsplit(link).scheme:
                yield from _dead(site, path, link, read)
        for load in page.loads:
            if _is_elsewhere(load):
                yield f"{name} loads {load}."
            elif not load.startswith(("data:", "#")):
                yield from _dead(site, path, load, read)


def _faults_of_files(site: Path) -> Iterator[str]:
    for pattern, loading in (
        ("*.css", _STYLE_LOAD),
        ("*.js", _SCRIPT_LOAD),
        ("*.svg", _STYLE_LOAD),
    ):
        for path in sorted(site.rglob(pattern)):
            text = path.read_text(encoding="utf-8")
            for load in loading.findall(text):
                if _is_elsewhere(load):
                    yield f"{path.relative_to(site).as_posix()} loads {load}."


def _dead(site: Path, path: Path, link: str, read: Callable[[Path], Page]) -> Iterator[str]:
    parts = urlsplit(link)
    target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
    name = path.relative_to(site).as_posix()
    if target.is_dir():
        target /= "index.html"
    if not target.is_relative_to(site):
        yield f"{name} leads out of the site: {link}."
    elif not target.is_file():
        yield f"{name} leads to {link}, which is not there."
    elif (
        target.suffix == ".html"
        and parts.fragment
        and unquote(parts.fragment) not in read(target).ids
    ):
        yield f"{name} leads to {link}, a place that is not on that page."


def _is_elsewhere(address: str) -> bool:
    return _ELSEWHERE.match(address) is not None


def read_page(path: Path) -> Page:
    """What stands in an HTML file."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    return page


if __name__ == "__main__":
    found = find_faults(Path(sys.argv[1]).resolve())
    print("\n".join(found) or "The site has no faults.")
    sys.exit(bool(found))
