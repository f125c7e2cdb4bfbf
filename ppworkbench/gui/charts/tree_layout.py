"""Decision trees, and where each of their boxes stands in a drawing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from ppworkbench.gui.theme import Theme


@dataclass(frozen=True)
class TreeNode:
    """One box of a drawn tree with the boxes below it.

    Parameters
    ----------
    key
        Names the node in signals; different for every node of a tree.
    title
        The strong first line.
    lines
        Captions below the title.
    headline
        A large line below the captions, for what the eye should see first.
    share
        How full the bar is, 0 to 1; None for no bar.
    share_label, share_text
        Words over the bar, left and right.
    mark
        A place on the bar that is to be reached, such as a minimum.
    note
        A caption below the bar.
    border
        ``""``, ``"accent"`` or ``"warning"``: how the box is outlined.
    edge
        What stands on the branch that leads to this node.
    badge
        What stands on the stem below this node, such as the attribute that splits it.
    opens
        Whether its note says how to open it, which means nothing on paper.
    """

    key: str
    title: str
    lines: tuple[str, ...] = ()
    headline: str = ""
    share: float | None = None
    share_label: str = ""
    share_text: str = ""
    mark: float | None = None
    note: str = ""
    border: str = ""
    edge: str = ""
    badge: str = ""
    children: tuple[TreeNode, ...] = ()
    opens: bool = False

    @property
    def is_leaf(self) -> bool:
        return not self.children


def walk(root: TreeNode) -> Iterator[tuple[TreeNode, int]]:
    """All nodes with their depths, every node before those below it, from left to right."""
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        waiting.extend((child, depth + 1) for child in reversed(node.children))


def words(node: TreeNode) -> str:
    """A node in one line, for screen readers."""
    share = " ".join(part for part in (node.share_label, node.share_text) if part)
    parts = (node.edge, node.title, *node.lines, node.headline, share, node.note, node.badge)
    return ", ".join(part for part in parts if part)


PADDING = 10.0
ABOVE = 6.0
_BETWEEN = 12.0
_BRANCH = 46.0
BAR = 8.0
_NARROWEST = 76.0
WIDEST = 190.0
_MOST_LINES = 4
"""Into how many lines a text of a box is broken; the rest ends in dots."""
_PARTS = re.compile(r"(?<=[\s_/-])")
"""Between words, and between the parts of a compound name."""
_LINE = 14.0
"""How high a line of a caption is in normal type."""


def wrap(words: str, metrics: QFontMetricsF, room: float) -> tuple[str, ...]:
    """A text in lines that fit; the last of them may be too long."""
    lines: list[str] = []
    while len(lines) < _MOST_LINES - 1 and metrics.horizontalAdvance(words) > room:
        at = _break(words, metrics, room)
        lines.append(words[:at].rstrip())
        words = words[at:].lstrip()
    return (*lines, words)


def _break(words: str, metrics: QFontMetricsF, room: float) -> int:
    """Where a text that is too long is broken: at a space, in a compound name, or anywhere."""
    fits = 1
    while fits < len(words) and metrics.horizontalAdvance(words[: fits + 1]) <= room:
        fits += 1
    space = words.rfind(" ", 1, fits + 1)
    if space > 0:
        return space
    joint = max(words.rfind(mark, 1, fits) for mark in "_-/")
    return joint + 1 if joint > 0 else fits


@dataclass(frozen=True)
class TreeFonts:
    """The type of a drawn tree, and how wide its boxes may become in normal type."""

    title: QFont
    caption: QFont
    strong: QFont
    headline: QFont
    widest: float = WIDEST

    @classmethod
    def of(cls, theme: Theme, widest: float = WIDEST) -> TreeFonts:
        """The type of a theme; titles are between body and caption, as boxes are small."""
        title = QFont(theme.font("body", "semibold"))
        title.setPixelSize(max(theme.px(12), 11))
        return cls(
            title,
            theme.font("caption"),
            theme.font("caption", "semibold"),
            theme.font("subtitle", "semibold"),
            widest,
        )

    def box_size(self, node: TreeNode) -> tuple[float, float]:
        fonts = (self.title, self.caption, self.strong, self.headline)
        title, caption, strong, headline = map(QFontMetricsF, fonts)
        larger = max(caption.height() / _LINE, 1.0)
        # A narrow box is made wider rather than a word of its title broken.
        word = max(title.horizontalAdvance(one.strip()) for one in _PARTS.split(node.title))
        limit = max(larger * self.widest, min(word + 2 * PADDING, larger * WIDEST))
        room = limit - 2 * PADDING
        titles = wrap(node.title, title, room)
        captions = [part for line in node.lines for part in wrap(line, caption, room)]
        notes = wrap(node.note, strong, room) if node.note else ()
        over_bar = caption.horizontalAdvance(node.share_label)
        widest = max(
            *(title.horizontalAdvance(line) for line in titles),
            *(caption.horizontalAdvance(line) for line in captions),
            *(strong.horizontalAdvance(line) for line in notes),
            headline.horizontalAdvance(node.headline),
            over_bar + strong.horizontalAdvance(node.share_text) + 10,
        )
        # Boxes are as wide as their words at any size of type, within limits.
        width = min(max(widest + 2 * PADDING, larger * _NARROWEST), limit)
        height = 2 * ABOVE + len(titles) * title.height() + len(captions) * caption.height()
        height += headline.height() + 2 if node.headline else 0.0
        if node.share is not None:
            height += BAR + 6
            height += caption.height() if node.share_label or node.share_text else 0.0
        height += len(notes) * caption.height()
        return width, height


@dataclass(frozen=True)
class Placed:
    node: TreeNode
    box: QRectF
    depth: int
    parent: str | None

    @property
    def top(self) -> QPointF:
        return QPointF(self.box.center().x(), self.box.top())

    @property
    def bottom(self) -> QPointF:
        return QPointF(self.box.center().x(), self.box.bottom())


class TreeLayout:
    """Leaves side by side, every other node over the middle of what is below it."""

    def __init__(self, root: TreeNode, fonts: TreeFonts) -> None:
        self.root = root
        self._fonts = fonts
        self.placed: dict[str, Placed] = self._place()
        area = QRectF()
        for placed in self.placed.values():
            area = area.united(placed.box)
        self.area = area

    def _place(self) -> dict[str, Placed]:
        order = list(walk(self.root))
        sizes = {node.key: self._fonts.box_size(node) for node, _ in order}
        rows: dict[int, float] = {}
        for node, depth in order:
            rows[depth] = max(rows.get(depth, 0.0), sizes[node.key][1])
        branch = _BRANCH + (8.0 if any(node.badge for node, _ in order) else 0.0)
        tops, below = {}, 0.0
        for depth in sorted(rows):
            tops[depth] = below
            below += rows[depth] + branch
        centres = _centres(order, {key: width for key, (width, _) in sizes.items()})
        parents = {child.key: node.key for node, _ in order for child in node.children}
        found = {}
        for node, depth in order:
            width, height = sizes[node.key]
            box = QRectF(centres[node.key] - width / 2, tops[depth], width, height)
            found[node.key] = Placed(node, box, depth, parents.get(node.key))
        return found

    def at(self, point: QPointF) -> TreeNode | None:
        for placed in self.placed.values():
            if placed.box.contains(point):
                return placed.node
        return None

    def neighbour(self, key: str, direction: str) -> str:
        """The node that an arrow key leads to: up, down, left or right."""
        placed = self.placed[key]
        if direction == "up":
            return placed.parent or key
        if direction == "down":
            children = placed.node.children
            return children[0].key if children else key
        level = [p for p in self.placed.values() if p.depth == placed.depth]
        level.sort(key=lambda p: p.box.left())
        place = [p.node.key for p in level].index(key) + (1 if direction == "right" else -1)
        return level[min(max(place, 0), len(level) - 1)].node.key


def _centres(order: list[tuple[TreeNode, int]], widths: dict[str, float]) -> dict[str, float]:
    """The middle of every box: subtrees as near to each other as their outlines allow."""
    outlines: dict[str, _Outline] = {}
    shifts: dict[str, float] = {}
    for node, _ in reversed(order):
        together: _Outline | None = None
        for child in node.children:
            outline = outlines.pop(child.key)
            shifts[child.key] = 0.0 if together is None else together.room_for(outline)
            together = outline if together is None else together.joined(outline, shifts[child.key])
        if together is not None:
            # The parent stands over the middle of its outermost children.
            ends = shifts[node.children[0].key], shifts[node.children[-1].key]
            middle = sum(ends) / 2
            for child in node.children:
                shifts[child.key] -= middle
            together.move(-middle)
        outlines[node.key] = _Outline.under(widths[node.key] / 2, together)
    centres = {order[0][0].key: 0.0}
    for node, _ in order:
        for child in node.children:
            centres[child.key] = centres[node.key] + shifts[child.key]
    return centres


class _Outline:
    """How far a subtree reaches left and right on each of its levels.

    The deepest level stands first, so that a parent is put on top of a chain without copying it.
    """

    def __init__(self, left: list[float], right: list[float]) -> None:
        self.left, self.right = left, right
        self.shift = 0.0

    @classmethod
    def under(cls, half: float, below: _Outline | None) -> _Outline:
        if below is None:
            return cls([-half], [half])
        below.left.append(-half - below.shift)
        below.right.append(half - below.shift)
        return below

    def move(self, by: float) -> None:
        self.shift += by

    def room_for(self, other: _Outline) -> float:
        shared = min(len(self.left), len(other.left))
        gaps = (
            self.right[-1 - i] + self.shift - other.left[-1 - i] - other.shift
            for i in range(shared)
        )
        return max(gaps) + _BETWEEN

    def joined(self, other: _Outline, by: float) -> _Outline:
        """Both side by side; the longer one is extended."""
        longer, shorter = (self, other) if len(self.left) >= len(other.left) else (other, self)
        move = by if shorter is other else -by
        if longer is other:
            longer.move(by)
            move = 0.0
        for i in range(len(shorter.left)):
            left = shorter.left[-1 - i] + shorter.shift + move - longer.shift
            right = shorter.right[-1 - i] + shorter.shift + move - longer.shift
            longer.left[-1 - i] = min(longer.left[-1 - i], left)
            longer.right[-1 - i] = max(longer.right[-1 - i], right)
        return longer
