"""A poster that leads people to the page: a QR code, the address, and what happens to an answer."""

from __future__ import annotations

from collections.abc import Iterable
from string import Template

from ppworkbench.core.files import resource
from ppworkbench.core.message import Message
from ppworkbench.fieldwork.kit.kit import asked_in
from ppworkbench.fieldwork.kit.target import PdfJob
from ppworkbench.fieldwork.page.model import page_model
from ppworkbench.study.blocks import Figure
from ppworkbench.study.html import escaped
from ppworkbench.study.language import tongue_of
from ppworkbench.study.study import Study

_SIDE = 470
"""The side of the code in pixels of the paper."""
_QUIET = 4
"""Modules of white around a code, which readers need."""
_SIZES = (
    {"text": 16, "title": 36, "scan": 19, "address": 28},
    {"text": 13, "title": 28, "scan": 15, "address": 24},
    {"text": 10, "title": 20, "scan": 12, "address": 20},
)
"""Sizes of type in points, the smaller ones for a poster with a long introduction."""
_HEADING = Message("What happens to your answers")
_RANDOMISED = Message(
    "The page randomises your answers in your browser before anything is sent. Only the randomised "
    "answers are stored. From many of them the shares of all respondents can be estimated."
)
_BARE = Message("Answers marked “not randomised” on the page are sent unchanged.")
_STORED = Message("No name, address or time of day is stored.")
_LEAD = Message("Scan the code with the camera of your phone, or type this address:")
_NETWORK = Message("Your phone must be in the same network as the computer of the survey.")


def code_modules(address: str) -> tuple[tuple[int, ...], ...]:
    """Rows of dark (1) and light (0) squares of the QR code of an address.

    >>> code_modules("http://localhost:8421/")[0][:8]
    (1, 1, 1, 1, 1, 1, 1, 0)
    """
    import segno

    made: Iterable[Iterable[int]] = segno.make(address, error="m", micro=False).matrix
    return tuple(tuple(int(bool(dark)) for dark in row) for row in made)


def make_poster(study: Study, address: str, language: str) -> PdfJob:
    model = page_model(study.design, asked_in(study, language), language)
    say = tongue_of(model.wording.words_language).say
    said = {"promise": _RANDOMISED, "promise_bare": _BARE}
    told = [*(said[key] for key in model.promises if key in said), _STORED, _NETWORK]
    lines = [
        _line(model.title, "title", is_centred=True),
        *(_line(one) for one in model.wording.introduction.split("\n") if one.strip()),
        _line(say(_LEAD), "scan", is_centred=True),
        '<p align="center"><img src="code"/></p>',
        _line(address, "address", is_centred=True),
        _line(say(_HEADING), "strong"),
        *(_line(say(one)) for one in told),
    ]
    figure = Figure(_draw_code(code_modules(address)), address, _SIDE, _SIDE)
    css = Template(resource("kit", "poster.css").read_text(encoding="utf-8"))
    style, *compact = (css.substitute(sizes) for sizes in _SIZES)
    return PdfJob(
        model.title,
        ("".join(lines),),
        {"code": figure},
        style,
        direction=model.direction,
        compact=tuple(compact),
    )


def _line(words: str, look: str = "", *, is_centred: bool = False) -> str:
    place = ' align="center"' if is_centred else ""
    kind = f' class="{look}"' if look else ""
    return f"<p{place}{kind}>{escaped(words)}</p>"


def _draw_code(modules: tuple[tuple[int, ...], ...]) -> str:
    side = len(modules) + 2 * _QUIET
    squares = "".join(
        f"M{x + _QUIET} {y + _QUIET}h1v1h-1z"
        for y, row in enumerate(modules)
        for x, dark in enumerate(row)
        if dark
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}">'
        f'<path d="{squares}" fill="#000000"/></svg>'
    )
