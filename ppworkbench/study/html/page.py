"""One HTML file that holds its own style and script, under a policy that allows nothing else."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_DANGEROUS = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def escaped(text: object) -> str:
    """Text that a browser shows as it is, in an element or an attribute.

    >>> escaped('<script>"x"</script>')
    '&lt;script&gt;&quot;x&quot;&lt;/script&gt;'
    """
    return html.escape(str(text), quote=True)


def embedded_json(document: Mapping[str, Any]) -> str:
    r"""JSON that cannot end the element it stands in.

    >>> embedded_json({"label": "</script>"})
    '{"label": "\\u003c/script\\u003e"}'
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    for letter, written in _DANGEROUS.items():
        text = text.replace(letter, written)
    return text


@dataclass(frozen=True)
class Page:
    """The parts of a page.

    Parameters
    ----------
    body
        HTML in which every text is escaped already.
    data
        A JSON document for the script, in an element with the id ``data_id``.
    connect
        The only address that the script may send something to; empty for none.
    """

    title: str
    style: str
    body: str
    script: str = ""
    data: Mapping[str, Any] | None = None
    data_id: str = "data"
    connect: str = ""
    language: str = "en"
    direction: str = "ltr"

    def policy(self) -> str:
        """What the browser may do: run these very lines, and nothing from elsewhere."""
        allowed = {
            "default-src": "'none'",
            "style-src": _hash(self.style),
            "script-src": _hash(self.script) if self.script else "'none'",
            "connect-src": self.connect or "'none'",
            "img-src": "'none'",
            "form-action": "'none'",
            "base-uri": "'none'",
        }
        return "; ".join(f"{name} {value}" for name, value in allowed.items())

    def to_html(self) -> str:
        """The whole file."""
        parts = [
            "<!DOCTYPE html>",
            f'<html lang="{escaped(self.language)}" dir="{escaped(self.direction)}">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escaped(self.policy())}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escaped(self.title)}</title>",
            f"<style>{self.style}</style>",
            "</head>",
            "<body>",
            self.body,
        ]
        if self.data is not None:
            held = embedded_json(self.data)
            parts.append(f'<script type="application/json" id="{self.data_id}">{held}</script>')
        if self.script:
            parts.append(f"<script>{self.script}</script>")
        return "\n".join([*parts, "</body>", "</html>", ""])


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
