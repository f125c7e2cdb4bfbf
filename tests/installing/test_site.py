"""The documentation site is whole, and its pages ask no other server for anything."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from recipes import PACKAGING, ROOT

import ppworkbench as pp
from ppworkbench.outputs.help.markup import to_html
from ppworkbench.outputs.help.page import pages

DOCS = PACKAGING / "docs"
LIBRARIES = ("furo", "myst_parser", "sphinx")
LONGEST_BUILD = 1800
"""Seconds that other processes wait for the one that builds the site."""


@pytest.fixture
def check_site(load):
    """The module that looks for faults."""
    return load("docs/check_site")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The whole site, built once, whichever processes run these tests."""
    missing = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"the site needs {', '.join(missing)}: python3 packaging/dev.py docs")
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    place = tmp_path_factory.getbasetemp().parent / f"site-{run}"
    outcome = place / "outcome.txt"
    try:
        place.mkdir()
    except FileExistsError:
        limit = time.monotonic() + LONGEST_BUILD
        while not outcome.exists() and time.monotonic() < limit:
            time.sleep(0.5)
    else:
        done = subprocess.run(
            [sys.executable, str(DOCS / "build_site.py"), "--out", str(place / "site")],
            capture_output=True, text=True, check=False, cwd=ROOT,
        )  # fmt: skip
        said = "" if done.returncode == 0 else done.stderr or "failed"
        (place / "new.txt").write_text(said, encoding="utf-8")
        (place / "new.txt").replace(outcome)
    assert outcome.read_text(encoding="utf-8") == ""
    return place / "site"


@pytest.mark.slow
def test_that_the_site_has_every_page_of_the_help_and_every_public_name(site, check_site) -> None:
    for page in pages():
        for folder in (site, site / "pl"):
            assert (folder / "help" / f"{page.file}.html").is_file()
    for name in pp.__all__:
        text = (site / "api" / f"{name}.html").read_text(encoding="utf-8")
        assert f'id="ppworkbench.{name}"' in text
    notebooks = sorted(path.stem for path in (DOCS / "notebooks").glob("*.ipynb"))
    assert sorted(path.stem for path in (site / "notebooks").glob("*.html")) == notebooks
    assert check_site.find_faults(site) == []
    polish = (site / "pl" / "help" / "terms.html").read_text(encoding="utf-8")
    assert '<html class="no-js" lang="pl"' in polish
    assert "Na tej stronie" in polish
    assert "On this page" not in polish


@pytest.mark.slow
@pytest.mark.parametrize("language", ["", "pl"])
def test_that_the_site_says_what_the_help_says(site, language) -> None:
    soup = pytest.importorskip("bs4").BeautifulSoup
    for one in pages(language):
        file = site / language / "help" / f"{one.file}.html"
        shown = soup(file.read_text(encoding="utf-8"), "html.parser").find("article")
        for added in shown.select("a.headerlink, div.toctree-wrapper"):
            added.decompose()
        known = soup(to_html(one.text, lambda link: link, str), "html.parser")
        assert words_of(shown) == words_of(known), one.file
        for tag in ("a", "code", "em", "h2", "h3", "li", "strong", "sub", "sup", "tr"):
            assert len(shown.find_all(tag)) == len(known.find_all(tag)), (one.file, tag)


def words_of(markup) -> str:
    return "".join(markup.get_text().split())


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1366])
def test_that_a_browser_loads_nothing_from_elsewhere(site, browser, width) -> None:
    shown = (
        "index.html", "pl/index.html", "help/terms.html", "api/Survey.html",
        "notebooks/2-distort-and-reconstruct.html",
    )  # fmt: skip
    for name in shown:
        browser.open(site / name, width)
        browser.wait_for("return document.readyState === 'complete'")
        assert [url for url in browser.requests() if not url.startswith("data:")] == []
        assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.complaints() == []


@pytest.mark.slow
def test_that_the_search_finds_pages_without_a_server(site, browser) -> None:
    browser.open(f"{(site / 'search.html').as_uri()}?q=crosswise")
    browser.wait_for("return document.querySelectorAll('ul.search li a').length > 0")
    found = browser.run(
        "return [...document.querySelectorAll('ul.search li a')].map(link => link.textContent)"
    )
    assert "Crosswise" in found
    assert [url for url in browser.requests() if not url.startswith("data:")] == []


def test_that_what_is_no_site_is_not_replaced(load, monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    build_site = load("docs/build_site")
    kept = tmp_path / "thesis" / "chapter.txt"
    kept.parent.mkdir()
    kept.write_text("mine", encoding="utf-8")
    for out in (kept.parent, kept):
        assert build_site.main(["--out", str(out)]) == 1
        assert "holds something else than a site" in capsys.readouterr().err
    assert kept.read_text(encoding="utf-8") == "mine"


def page(body: str, head: str = "") -> str:
    return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"


FAULTS = {
    "dead link": (page('<a href="gone.html">x</a>'), "gone.html, which is not there"),
    "dead anchor": (page('<a href="b.html#gone">x</a>'), "a place that is not on that page"),
    "dead anchor of the page itself": (page('<a href="#gone">x</a>'), "a place that is not"),
    "dead picture": (page('<img src="gone.svg">'), "gone.svg, which is not there"),
    "way out": (page('<a href="../x.html">x</a>'), "leads out of the site"),
    "script from elsewhere": (page('<script src="https://c.test/x.js"></script>'), "loads https"),
    "script without a scheme": (page('<script src="//c.test/x.js"></script>'), "loads //c.test"),
    "style from elsewhere": (page("", '<link rel="x" href="http://c.test/x.css">'), "loads http"),
    "font in a style": (page("", "<style>@import 'https://c.test/f.css';</style>"), "loads https"),
    "picture in a style": (page('<p style="background: url(http://c.test/x.png)">'), "loads http"),
    "call in a script": (page("<script>fetch('https://c.test/x')</script>"), "loads https"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_that_a_fault_of_a_page_is_found(check_site, tmp_path, name) -> None:
    text, words = FAULTS[name]
    (tmp_path / "a.html").write_text(text, encoding="utf-8")
    (tmp_path / "b.html").write_text(page("<p id='here'>"), encoding="utf-8")
    found = check_site.find_faults(tmp_path)
    assert len(found) == 1
    assert found[0].startswith("a.html ")
    assert words in found[0]


def test_that_links_that_lead_somewhere_are_no_faults(check_site, tmp_path) -> None:
    body = (
        '<a href="b.html#here">x</a><a href="sub/">x</a><a href="#top">x</a><p id="top">'
        '<a href="https://elsewhere.test/">a link is no request</a><a href="mailto:a@b.test">x</a>'
        '<img src="data:image/png;base64,AAAA"><a href="b.html">x</a>'
    )
    (tmp_path / "a.html").write_text(page(body), encoding="utf-8")
    (tmp_path / "b.html").write_text(page("<p id='here'>"), encoding="utf-8")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "index.html").write_text(page(""), encoding="utf-8")
    assert check_site.find_faults(tmp_path) == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("x.css", "@font-face { src: url('https://c.test/f.woff2') }"),
        ("x.js", "const a = await fetch(`https://c.test/a`)"),
        ("x.svg", "<svg><style>@import url(//c.test/f.css)</style></svg>"),
    ],
)
def test_that_files_beside_the_pages_load_nothing_either(check_site, tmp_path, file, text) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")
    [found] = check_site.find_faults(tmp_path)
    assert found.startswith(f"{file} loads ")
