"""Pictures of devices with their decisive outcomes, as SVG for pages, paper and the window."""

from __future__ import annotations

import dataclasses
import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ppworkbench.results.looks import role_colours, theme_colour
from ppworkbench.study.html import escaped

TILE, GAP, ROW, WIDE = 44, 6, 66, 600
"""Sizes in pixels: a tile, the room between tiles, a row of them with its words, all of them."""
_FRAME, _LOW_FRAME, _LOW_ROW, _LOW_ROWS = 40, 28, 49, 2
"""The height of a tile; on paper, where there are more rows than these, that of a tile with a word
and of its row with the words below."""
_LEAST_FACE = 13.5
"""The smallest word in a tile, which is 10 points on paper."""
_LINE = 16
"""A further line of the words below a tile on paper."""
_TALLEST, _LINES_OF_TALLEST = 300, 2
"""A picture on paper that would be taller has so many lines below a tile; the steps say it all."""
DISC = 240
_SMALL_DISC = 160
_FONT = "Inter,sans-serif"
_COLOURS = ("palegreen", "lightcoral", "lightskyblue", "khaki", "plum", "sandybrown")
"""What the instructions call green, red, blue, yellow, violet and orange."""
_DARK_INK, _LIGHT_INK, _BLACK = "#1B1F27", "#FFFFFF", "#4A4F5A"
_GREY, _DARK_GREY = "#DADADA", "#444444"
PRINT = "print"
"""The theme of black ink on white paper."""
BLACK = -1
"""The colour of black cards, which no instruction numbers."""
_PIPS = {
    1: ((2, 2),),
    2: ((1, 1), (3, 3)),
    3: ((1, 1), (2, 2), (3, 3)),
    4: ((1, 1), (1, 3), (3, 1), (3, 3)),
    5: ((1, 1), (1, 3), (2, 2), (3, 1), (3, 3)),
    6: ((1, 1), (1, 2), (1, 3), (3, 1), (3, 2), (3, 3)),
}
"""Where the pips of a die are, in quarters of its side."""


@dataclass(frozen=True)
class Tile:
    """One outcome: what is seen, and below it what it means, on one or more lines.

    ``part`` is 0 for the truth and counts the other meanings. ``colour`` is the place of a colour
    that the instructions name, ``pips`` are those of a die, ``frame`` is the height of the tile.
    """

    x: int
    y: int
    width: int
    face: str
    part: int
    meaning: str
    colour: int | None = None
    pips: int = 0
    frame: int = _FRAME

    def to_svg(self, theme: str) -> str:
        ink = _ink(theme)
        middle = self.x + self.width / 2
        frame = (
            f'<rect x="{self.x}" y="{self.y}" width="{self.width}" height="{self.frame}" rx="6" '
            f'fill="{self._fill(theme)}" stroke="{ink}" stroke-width="1.5"/>'
        )
        drawn = [frame]
        if self.pips:
            left = middle - 20
            drawn += [
                f'<circle cx="{left + 10 * across}" cy="{self.y + 10 * down}" r="3.6" '
                f'fill="{ink}"/>'
                for across, down in _PIPS[self.pips]
            ]
        else:
            if self.colour is not None:
                face = _LIGHT_INK if self.colour == BLACK else _dark_ink(theme)
            else:
                face = ink
            size = 15.0 if _face_width(self.face, 15) <= self.width else _LEAST_FACE
            drawn.append(_text(middle, self.y + self.frame / 2 + 6, size, self.face, face))
        size, down = (14, self.frame + 17) if theme == PRINT else (11, self.frame + 15)
        drawn += [
            _text(middle, self.y + down + _LINE * place, size, line, ink)
            for place, line in enumerate(self.meaning.split("\n"))
        ]
        return "".join(drawn)

    @property
    def height(self) -> int:
        return (ROW if self.frame == _FRAME else _LOW_ROW) + _LINE * self.meaning.count("\n")

    def _fill(self, theme: str) -> str:
        if self.colour == BLACK:
            return _DARK_GREY if theme == PRINT else _BLACK
        if theme == PRINT:
            return _LIGHT_INK if self.colour is not None or self.part == 0 else _GREY
        if self.colour is not None:
            return _COLOURS[self.colour % len(_COLOURS)]
        if self.part == 0:
            return theme_colour("surface", theme)
        role = ("distorted", "reconstructed", "original")[(self.part - 1) % 3]
        return role_colours(role, theme)["tint"]


@dataclass(frozen=True)
class Sector:
    """A part of a disc in the colour that the instructions name; its share of the whole."""

    share: float
    face: str
    colour: int


@dataclass(frozen=True)
class Picture:
    text: str
    tiles: tuple[Tile, ...] = ()
    sectors: tuple[Sector, ...] = ()

    @property
    def width(self) -> int:
        return max((tile.x + tile.width + 1 for tile in self.tiles), default=DISC)

    @property
    def height(self) -> int:
        return max((tile.y + tile.height - 1 for tile in self.tiles), default=DISC)

    def size(self, theme: str = "light") -> tuple[int, int]:
        """Width and height in pixels; a disc on paper is smaller, its words are not."""
        if self.sectors and theme == PRINT:
            return _SMALL_DISC, _SMALL_DISC
        return self.width, self.height

    def to_svg(self, theme: str = "light") -> str:
        """The picture, to be put into a page or drawn by Qt; all texts are escaped."""
        shapes = [tile.to_svg(theme) for tile in self.tiles] or _disc(self.sectors, theme)
        width, height = self.size(theme)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" '
            f'aria-label="{escaped(self.text)}">{"".join(shapes)}</svg>'
        )


def placed_tiles(
    faces: Sequence[str], parts: Sequence[tuple[int, str]], pips: bool = False, wide: int = WIDE
) -> tuple[Tile, ...]:
    """Outcomes in rows, each with the number of its part and what it means.

    On narrow paper the words are larger, and the rows equally long.
    """
    widest = max(len(meaning) for _, meaning in parts)
    face = 0 if pips else 9 * max(map(len, faces))
    width = max(TILE, face + 12, _letter(wide) * widest)
    across = max(1, (wide if wide == WIDE else wide + GAP) // (width + GAP))
    if wide < WIDE:
        rows = -(-len(faces) // across)
        across = -(-len(faces) // rows)
    found = []
    for place, (text, (part, meaning)) in enumerate(zip(faces, parts, strict=True)):
        down, right = divmod(place, across)
        x, y = 1 + right * (width + GAP), 1 + down * ROW
        found.append(Tile(x, y, width, text, part, meaning, pips=place + 1 if pips else 0))
    return tuple(found)


def fit_on_paper(picture: Picture, wide: int) -> Picture:
    """The picture with long meanings on several lines below their tiles.

    The tiles stand in rows of one length, that which makes the picture lowest.
    """
    tiles = picture.tiles
    if not tiles or (picture.width <= wide + GAP and picture.height <= 2 * ROW):
        return picture
    low = max(TILE, *(0 if tile.pips else _face_width(tile.face, _LEAST_FACE) for tile in tiles))
    lengths = {-(-len(tiles) // rows) for rows in range(1, len(tiles) + 1)}
    grids = [
        _grid(tiles, across, wide, None)
        for across in sorted(lengths, reverse=True)
        if across == 1 or _fits(tiles, _width(across, wide), low)
    ]
    best = min(grids, key=lambda one: one.height)
    if best.height > _TALLEST:
        across = max(sum(tile.y == best.tiles[0].y for tile in best.tiles), 2)
        best = _grid(tiles, min(across, len(tiles)), wide, _LINES_OF_TALLEST)
    return dataclasses.replace(best, text=picture.text)


def _width(across: int, wide: int) -> int:
    """The width of a tile of which so many stand in a row."""
    return (wide + GAP) // across - GAP


def _face_width(face: str, size: float) -> float:
    return 0.57 * size * len(face) + 8


def _fits(tiles: Sequence[Tile], width: int, low: float) -> bool:
    words = [len(word) for tile in tiles for word in tile.meaning.split()]
    return width >= low and max(words, default=0) * _letter(0) <= width


def _grid(tiles: Sequence[Tile], across: int, wide: int, most: int | None) -> Picture:
    width, found, top = _width(across, wide), list[Tile](), 1
    letters = width // _letter(0)
    is_low = len(tiles) > _LOW_ROWS * across and not any(tile.pips for tile in tiles)
    for first in range(0, len(tiles), across):
        row = [
            dataclasses.replace(
                tile,
                x=1 + place * (width + GAP),
                y=top,
                width=width,
                frame=_LOW_FRAME if is_low else _FRAME,
                meaning="\n".join(
                    textwrap.wrap(tile.meaning, letters, max_lines=most, placeholder="…")
                ),
            )
            for place, tile in enumerate(tiles[first : first + across])
        ]
        found += row
        top += max(tile.height for tile in row)
    return Picture("", tuple(found))


def _letter(wide: int) -> int:
    return 7 if wide >= WIDE else 9


def stacked_cards(
    rows: Sequence[Sequence[tuple[str, int, int, str]]], wide: int = 420, letter: int = 7
) -> tuple[Tile, ...]:
    """Decks, one in a row: face, number of cards, place of the colour, meaning of every part."""
    found = []
    for down, cards in enumerate(rows):
        x, total = 1, sum(count for _, count, _, _ in cards)
        for face, count, colour, meaning in cards:
            if not count:
                continue
            words = max(9 * len(face) + 12, letter * len(meaning))
            width = max(round(wide * count / total), words)
            found.append(Tile(x, 1 + down * ROW, width, face, colour, meaning, colour=colour))
            x += width + GAP
    return tuple(found)


def _disc(sectors: Sequence[Sector], theme: str) -> list[str]:
    return [*_paths(sectors, _ink(theme), is_printed=theme == PRINT)]


def _dark_ink(theme: str) -> str:
    return "#000000" if theme == PRINT else _DARK_INK


def _ink(theme: str) -> str:
    return "#000000" if theme == PRINT else theme_colour("text", theme)


def _paths(sectors: Sequence[Sector], ink: str, *, is_printed: bool) -> Iterator[str]:
    start, middle = 0.0, (_SMALL_DISC if is_printed else DISC) // 2
    radius = middle - 10
    for one in sectors:
        end = min(start + one.share, 0.99999)
        (x1, y1), (x2, y2) = (_on_circle(turn, radius, middle) for turn in (start, end))
        fill = _LIGHT_INK if is_printed else _COLOURS[one.colour % len(_COLOURS)]
        arc = f"A{radius},{radius} 0 {int(one.share > 0.5)} 1 {x2},{y2}"
        path = f"M{middle},{middle} L{x1},{y1} {arc} Z"
        yield f'<path d="{path}" fill="{fill}" stroke="{ink}" stroke-width="1.5"/>'
        x, y = _on_circle(start + one.share / 2, 0.59 * radius, middle)
        ink_on, size = ("#000000", 13.5) if is_printed else (_DARK_INK, 15)
        yield _text(x, y, size, one.face, ink_on)
        start += one.share


def _on_circle(turn: float, radius: float, middle: int) -> tuple[float, float]:
    angle = 2 * math.pi * turn
    across, down = radius * math.sin(angle), radius * math.cos(angle)
    return round(middle + across, 2), round(middle - down, 2)


def _text(x: float, y: float, size: float, text: str, ink: str) -> str:
    return (
        f'<text x="{x}" y="{y}" font-family="{_FONT}" font-size="{size}" text-anchor="middle" '
        f'fill="{ink}">{escaped(text)}</text>'
    )
