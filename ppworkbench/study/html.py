"""Pages that are one file: no request leaves them but one that their policy names.

Each holds its own style and script, under a policy that allows nothing else. Templates lie in
``resources``. They escape every text that is put into them unless they say ``safe``, which they may
say only of what the program itself has written.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from ppworkbench.core.files import resource
from ppworkbench.core.kernels import library_lock
from ppworkbench.results.looks import role_colours, tokens

if TYPE_CHECKING:
    from jinja2 import Environment


ROLES = ("original", "distorted", "reconstructed")


def css_variables(*, dark: bool = True) -> str:
    """All colours as CSS variables; with ``dark``, those of the dark theme where it is wanted.

    >>> "--accent: #5B3FB5;" in css_variables()
    True
    """
    light = f":root {{\n{_variables('light')}}}\n"
    if not dark:
        return light
    return f"{light}@media (prefers-color-scheme: dark) {{\n:root {{\n{_variables('dark')}}}\n}}\n"


def _variables(theme: str) -> str:
    return "".join(f"  --{name}: {value};\n" for name, value in _colours(theme).items())


def _colours(theme: str) -> Mapping[str, str]:
    named = dict(tokens()["colour"][theme])
    for role in ROLES:
        named |= {f"{role}-{part}": value for part, value in role_colours(role, theme).items()}
    return named


def figure_style() -> str:
    """Figures in the theme of the page: a colour of the light one is the name of the other."""
    light = reversed(tuple(_colours("light").items()))
    named = {colour.lower(): name for name, colour in light}
    rules = [
        f'.picture [{part}="{colour}"] {{ {part}: var(--{name}); }}\n'
        for colour, name in named.items()
        for part in ("fill", "stroke")
    ]
    return "".join(rules)


def escaped(text: object, *, quote: bool = True) -> str:
    """Text that a browser shows as it is, in an element or with ``quote`` in an attribute.

    >>> escaped('<script>"x"</script>')
    '&lt;script&gt;&quot;x&quot;&lt;/script&gt;'
    """
    return html.escape(str(text), quote=quote)


def render(template: str, **values: object) -> str:
    """A template filled in; a name that it does not get is an error."""
    return _templates().get_template(template).render(values)


@cache
def _templates() -> Environment:
    with library_lock:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(resource()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.globals["zip"] = partial(zip, strict=True)
    found.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "allow_nan": False}
    return found


@dataclass(frozen=True)
class Page:
    """The parts of a page beside its body, which is a block of a template.

    Parameters
    ----------
    data
        A JSON document for the script, in an element with the id ``data_id``.
    connect
        The only address that the script may send something to; empty for none.
    """

    title: str
    style: str
    script: str = ""
    data: Mapping[str, Any] | None = None
    data_id: str = "data"
    connect: str = ""
    language: str = "en"
    direction: str = "ltr"

    def policy(self, *, frames: bool = False) -> str:
        """What the browser may do: run these very lines, and nothing from elsewhere.

        With ``frames`` as a server sends it: only there may it say that no other page may show
        this one inside of itself.
        """
        allowed = {
            "default-src": "'none'",
            "style-src": _hash(self.style),
            "script-src": _hash(self.script) if self.script else "'none'",
            "connect-src": self.connect or "'none'",
            "img-src": "'none'",
            "form-action": "'none'",
            "base-uri": "'none'",
        }
        if frames:
            allowed["frame-ancestors"] = "'none'"
        return "; ".join(f"{name} {value}" for name, value in allowed.items())

    def to_html(self, template: str, **values: object) -> str:
        return render(template, page=self, **values)


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
