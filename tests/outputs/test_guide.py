"""The user guide: all pages in one file that asks nobody for anything."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from ppworkbench import __version__
from ppworkbench.cli.main import main
from ppworkbench.outputs.help.guide import by_group, from_a_to_z, guide_html, index_text
from ppworkbench.outputs.help.markup import to_html
from ppworkbench.outputs.help.page import page_path, pages


@pytest.fixture(scope="module")
def guide() -> str:
    return guide_html()


def no_link(link: str) -> str | None:
    return None


def paragraph(text: str, target=no_link) -> str:
    """What is written for one run of text."""
    written = to_html(text, target, str)
    assert written.startswith("<p>")
    return written.removeprefix("<p>").removesuffix("</p>\n")


@pytest.mark.slow
def test_that_every_page_is_in_the_guide_and_in_the_index(guide) -> None:
    index = index_text()
    for page in pages():
        assert f'<article id="{page.file.replace("/", "--")}">' in guide
        assert f"]({page.file}.md)" in index
    assert [page for _, held in by_group() for page in held] == list(pages())
    assert {entry.page for entry in from_a_to_z()} == set(pages())


def test_that_every_link_of_the_guide_leads_somewhere_in_it(guide) -> None:
    ids = re.findall(r' id="([^"]+)"', guide)
    assert len(ids) == len(set(ids))
    links = re.findall(r'href="([^"]+)"', guide)
    assert links
    assert [link for link in links if link.removeprefix("#") not in ids] == []


def test_that_the_guide_makes_no_request(guide) -> None:
    assert "default-src 'none'" in unescape(guide)
    assert not re.search(r"<(script|img|link|iframe)\b", guide)
    assert not re.search(r'(src|href)="(?!#)', guide)
    assert "@import" not in guide
    assert "url(" not in guide


def test_that_a_page_of_another_language_is_taken_where_there_is_one(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("ppworkbench.outputs.help.page.resource", tmp_path.joinpath)
    own = tmp_path / "help" / "pl" / "mechanisms" / "uniform.md"
    own.parent.mkdir(parents=True)
    assert page_path("mechanisms/uniform", "pl") == tmp_path / "help" / "mechanisms" / "uniform.md"
    own.write_text("# Jednostajna\n", encoding="utf-8")
    assert page_path("mechanisms/uniform", "pl") == own
    assert page_path("mechanisms/uniform") == tmp_path / "help" / "mechanisms" / "uniform.md"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a < b & c", "a &lt; b &amp; c"),
        ("`x_c <b>`", "<code>x_c &lt;b&gt;</code>"),
        ("Σ_r max_c P[r, c]·x_c", "Σ<sub>r</sub> max<sub>c</sub> P[r, c]·x<sub>c</sub>"),
        ("1 - 2^(-I(X;Z))", "1 - 2<sup>-I(X;Z)</sup>"),
        ("fare_evasion stays", "fare_evasion stays"),
        ("*in* **bold** 2 * 3 * 4", "<em>in</em> <strong>bold</strong> 2 * 3 * 4"),
        ("(a)_k and x_{r, c_1}", "(a)<sub>k</sub> and x<sub>r, c<sub>1</sub></sub>"),
        ("_so_ __not__", "_so_ __not__"),
        ("F \\ R", "F \\ R"),
        ("<b>x</b> &amp;", "&lt;b&gt;x&lt;/b&gt; &amp;amp;"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
    ],
)
def test_that_a_run_of_text_is_set(text: str, written: str) -> None:
    assert paragraph(text) == written


def test_that_links_are_given_the_address_that_they_lead_to() -> None:
    assert paragraph("see [`a` page](x.md)", lambda link: f"#{link}") == (
        'see <a href="#x.md"><code>a</code> page</a>'
    )
    assert paragraph("[gone](x.md)") == "gone"


def test_that_blocks_are_told_apart() -> None:
    text = (
        "# T\none\ntwo\n- a\n  b\n- c\n\n| h | n |\n| --- | --: |\n| a \\| b | 1 |\n```\n# x\n```\n"
    )
    written = re.sub(r"(?<=>)\n", "", to_html(text, no_link, str.lower))
    assert written == (
        '<h1 id="t">T</h1><p>one\ntwo</p><ul><li>a\nb</li><li>c</li></ul>'
        '<div class="wide"><table><thead><tr><th>h</th><th align="right">n</th></tr></thead>'
        '<tbody><tr><td>a | b</td><td align="right">1</td></tr></tbody></table></div>'
        "<pre># x</pre>"
    )


def test_that_a_formula_is_in_a_section_that_ends_before_the_next_heading() -> None:
    text = "# T\n## Formula\nx_c\n## Limits\nnone\n### Formula\ny"
    written = re.sub(
        r"(?<=>)\n", "", to_html(text, no_link, lambda title: f"t--{title.lower()}", 2)
    )
    assert written == (
        '<h2 id="t--t">T</h2><h3 id="t--formula">Formula</h3>'
        '<section class="formula"><p>x<sub>c</sub></p></section>'
        '<h3 id="t--limits">Limits</h3><p>none</p><h4 id="t--formula">Formula</h4>'
        '<section class="formula"><p>y</p></section>'
    )


@pytest.mark.slow
def test_that_the_command_writes_the_guide(tmp_path, capsys) -> None:
    path = tmp_path / "guide.html"
    assert main(["guide", "--out", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "file": str(path), "pages": len(pages()), "language": "en",
    }  # fmt: skip
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert main(["guide", "--out", str(tmp_path / "guide.pdf")]) == 2
    assert "an .html file" in capsys.readouterr().err


@pytest.mark.slow
def test_that_the_command_writes_the_guide_in_polish(tmp_path, capsys) -> None:
    path = tmp_path / "guide.html"
    assert main(["guide", "--out", str(path), "--language", "pl", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["language"] == "pl"
    text = path.read_text(encoding="utf-8")
    assert '<html lang="pl"' in text
    assert f"Podręcznik użytkownika, wersja {__version__}" in text
    assert "Tabele zaprzeczalne" in text
    for english in ("user guide", ">Contents", ">Index", ">Mechanisms<"):
        assert english not in text
