"""Pictures that leave the program: legends, hatches, texts, sizes."""

from __future__ import annotations

import ast
import itertools
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import ppworkbench
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.results.figure import (
    SIZES,
    draw_picture,
    picture_bytes,
    picture_figure,
    save_picture,
)
from ppworkbench.results.looks import look_of, theme_colour
from ppworkbench.results.picture import (
    Axis,
    Mark,
    Picture,
    Role,
    Shape,
    interval_note,
    intervals,
    numbers_sheet,
)
from ppworkbench.results.text import picture_words

PLACES = np.arange(3.0)
UPRIGHT = Axis(Message("share"), unit="%")
LYING = Axis(Message("attribute"), labels=("first", "second", "$third$ $"))


def mark(shape: Shape, role: Role, name: str, *, lying: bool = False) -> Mark:
    numbers = np.array([[0.2, 0.5, 0.3]] * 3) if shape is Shape.CELLS else np.array([0.2, 0.5, 0.3])
    is_lying = lying and shape is not Shape.CELLS
    x, y = (numbers, PLACES) if is_lying else (PLACES, numbers)
    ends = (
        {} if shape in {Shape.CELLS, Shape.RULE} else {"low": numbers - 0.1, "high": numbers + 0.1}
    )
    return Mark(shape, role, Message(name), x, y, **ends)


def bars(*, lying: bool = False) -> Picture:
    marks = tuple(
        mark(Shape.BARS, role, name, lying=lying)
        for role, name in ((Role.TRUE, "true"), (Role.REPORTED, "reported"), (Role.ESTIMATE, "est"))
    )
    x, y = (UPRIGHT, LYING) if lying else (LYING, UPRIGHT)
    return Picture("bars", Message("Shares of answers"), x, y, marks, interval_note(1200, 0.95))


def estimates() -> Picture:
    found = [
        SimpleNamespace(estimate=0.5, low=0.4, high=np.inf, naive=0.6, true=0.45),
        SimpleNamespace(estimate=0.3, low=0.35, high=0.4, naive=None, true=None),
    ]
    return intervals(
        "shares", Message("Shares"), UPRIGHT, ["one", "two"], found, zero=True,
        note=interval_note(1200, 0.9),
    )  # fmt: skip


def drawn(picture: Picture, size: str = "column") -> Figure:
    figure = picture_figure(picture, size)
    FigureCanvasAgg(figure).draw()
    return figure


def legend(figure: Figure) -> Any:
    found = figure.axes[0].get_legend()
    assert found is not None
    return found


def test_that_a_legend_lists_the_marks_in_their_order() -> None:
    names = [text.get_text() for text in legend(drawn(estimates())).get_texts()]
    assert names == ["estimate", "uncorrected", "true", "no difference"]
    assert [text.get_text() for text in legend(drawn(bars())).get_texts()] == [
        "true", "reported", "est",
    ]  # fmt: skip


@pytest.mark.parametrize("lying", [False, True])
def test_that_reported_bars_are_hatched_in_the_picture_and_in_its_legend(lying: bool) -> None:
    figure = drawn(bars(lying=lying))
    drawn_hatches = {bar.get_hatch() for bar in figure.axes[0].patches}
    assert drawn_hatches == {"", "////"}
    handles = legend(figure).get_patches()
    assert [bool(handle.get_hatch()) for handle in handles] == [False, True, False]


def test_that_the_hatch_is_in_the_file(tmp_path: Path) -> None:
    save_picture(bars(), tmp_path / "bars.svg")
    assert "<pattern" in (tmp_path / "bars.svg").read_text("utf-8")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("make", [bars, estimates])
def test_that_title_legend_marks_and_note_do_not_lie_over_each_other(make: Any, size: str) -> None:
    picture = make()
    long = Message(" ".join(["Shares of answers to a question that has a long title"] * 2))
    figure = drawn(Picture(picture.name, long, picture.x, picture.y, picture.marks, long), size)
    axes = figure.axes[0]
    parts = [*figure.texts, legend(figure), axes.xaxis.label]
    boxes = [part.get_window_extent() for part in parts] + [axes.patch.get_window_extent()]
    assert len(boxes) == 5
    for one, other in itertools.combinations(boxes, 2):
        assert not one.overlaps(other)
    for box in boxes:
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= figure.bbox.x1 + 0.5
        assert box.y1 <= figure.bbox.y1 + 0.5


def test_that_texts_stay_texts_and_no_name_becomes_a_formula(tmp_path: Path) -> None:
    save_picture(bars(lying=True), tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text("utf-8")
    said = re.findall(r"<text[^>]*>([^<]*)</text>", text)
    assert {"first", "$third$ $", "share (%)", "Shares of answers"} <= set(said)
    assert any(one.startswith("n = 1,200; bars are 95 %") for one in said)


@pytest.mark.parametrize("ending", [".svg", ".pdf", ".png"])
def test_that_the_same_picture_is_the_same_file_and_not_dated(ending: str, tmp_path: Path) -> None:
    first, second = (tmp_path / f"{name}{ending}" for name in ("a", "b"))
    save_picture(bars(), first)
    save_picture(bars(), second)
    content = first.read_bytes()
    assert content == second.read_bytes()
    assert b"CreationDate" not in content
    assert b"dc:date" not in content
    assert len(content) > 2000


def test_that_sizes_are_those_of_journals_and_slides(tmp_path: Path) -> None:
    from PIL import Image

    for size, (width, height) in SIZES.items():
        save_picture(bars(), tmp_path / "a.png", size)
        with Image.open(tmp_path / "a.png") as image:
            found = [25.4 * side / 300 for side in image.size]
        assert found == pytest.approx([width, height], abs=0.2)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_that_a_file_tells_its_picture_to_those_who_cannot_see_it(ending: str) -> None:
    content = picture_bytes(estimates(), ending)
    told = picture_words(estimates())
    assert told.encode() in content.replace(b"\\(", b"(").replace(b"\\)", b")")
    if ending == "svg":
        # The title comes first: browsers show it where the pointer rests.
        assert re.search(rb'<svg role="img" [^>]*>\s*<title>Shares</title>\s*<desc>', content)


def test_that_a_dark_slide_has_its_ground_and_colours() -> None:
    figure = drawn(bars(), "slide-dark")
    assert to_hex(figure.get_facecolor()) == theme_colour("surface", "dark").lower()
    [true, *_] = [to_hex(bar.get_facecolor()) for bar in figure.axes[0].patches]
    assert true == look_of(Role.TRUE, theme="dark").fill.lower()
    assert to_hex(axis_text(figure)) == theme_colour("text", "dark").lower()


def axis_text(figure: Figure) -> Any:
    return figure.axes[0].get_xticklabels()[0].get_color()


@pytest.mark.parametrize("size", SIZES)
def test_that_long_words_at_both_sides_leave_room_for_the_marks(size: str) -> None:
    long = "as published, one attribute after the other, without a correction"
    down = Axis(Message(""), labels=("short", long), notes=("2,885", f"2,346 {long[:30]}"))
    one = Mark(Shape.INTERVALS, Role.ESTIMATE, Message("joint"), *np.ones((4, 2)))
    other = Mark(Shape.POINTS, Role.TRUE, Message("true"), np.ones(2), np.arange(2.0))
    figure = drawn(Picture("a", Message("Methods"), UPRIGHT, down, (one, other)), size)
    [axes] = [one for one in figure.axes if one.get_legend()]
    assert axes.get_position().width > 0.25
    texts = [*axes.get_yticklabels(), *axes.child_axes[0].get_yticklabels(), axes.get_legend()]
    boxes = [one.get_window_extent() for one in texts]
    assert all(-1 <= box.x0 <= box.x1 <= figure.bbox.x1 + 1 for box in boxes)


def test_that_words_of_cells_have_place_in_them() -> None:
    labels = ("primary", "vocational", "secondary", "bachelor", "master")
    words = tuple(f"{at:,} ± 3,970" for at in range(10_000, 20_000, 1_000))
    cells = Mark(
        Shape.CELLS, Role.ESTIMATE, Message("n"), np.arange(5.0), np.ones((2, 5)), words=words
    )
    rows = Axis(Message("rode"), labels=("no", "yes"))
    columns = Axis(Message("education"), labels=labels)
    figure = drawn(Picture("table", Message("Table"), columns, rows, (cells,)))
    boxes = [one.get_window_extent() for one in figure.axes[0].texts]
    assert len(boxes) == 10
    assert not any(one.overlaps(two) for one, two in itertools.combinations(boxes, 2))


def test_that_a_long_list_makes_a_picture_taller() -> None:
    many = [SimpleNamespace(estimate=0.1, low=0.0, high=0.2)] * 60
    picture = intervals("many", Message("Many"), UPRIGHT, [f"row {i}" for i in range(60)], many)
    assert picture_figure(picture).get_figheight() * 25.4 > 300


@pytest.mark.parametrize("shape", [one for one in Shape if one is not Shape.BOXES])
@pytest.mark.parametrize("lying", [False, True])
def test_that_every_shape_is_drawn_in_every_direction(shape: Shape, lying: bool) -> None:
    marks = tuple(mark(shape, Role.SERIES, name, lying=lying) for name in ("one", "_two"))
    x, y = (UPRIGHT, LYING) if lying else (LYING, UPRIGHT)
    figure = drawn(Picture("p", Message("P"), x, y, marks))
    axes = figure.axes[0]
    assert axes.lines or axes.patches or axes.collections or axes.images
    if shape is Shape.RULE and not lying:
        assert [one.get_text() for one in axes.texts] == ["one", "_two"]
    elif shape is not Shape.CELLS:
        assert len(legend(figure).get_texts()) == 2


def test_that_boxes_hold_their_words_and_have_no_axes() -> None:
    places, words = np.array([1.0, 3.0]), ("age < 30", "yes: 12\nno: 40")
    boxes = Mark(
        Shape.BOXES,
        Role.ESTIMATE,
        Message(""),
        places,
        np.zeros(2),
        places - 0.9,
        places + 0.9,
        words,
    )
    room = Axis(Message(""), low=0, high=4), Axis(Message(""), low=-1, high=1)
    [axes] = drawn(Picture("tree", Message("Tree"), *room, (boxes,))).axes
    assert [one.get_text() for one in axes.texts] == list(words)
    assert not axes.axison


def test_that_a_tree_is_as_large_as_its_words_need_and_few_words_are_no_larger() -> None:
    places, words = (
        200.0 * np.arange(12),
        tuple(f"supports school {i}\n312 records" for i in range(12)),
    )
    nothing, level = Message(""), np.zeros(12)
    boxes = Mark(Shape.BOXES, Role.SERIES, nothing, places, level, places - 75, places + 75, words)
    few = np.array([300.0])
    edge = Mark(Shape.BOXES, Role.REFERENCE, nothing, few, few, few - 40, few + 40, ("yes",))
    room = Axis(nothing, low=-100, high=2300), Axis(nothing, low=-50, high=350)
    tree = Picture("tree", Message("Tree"), *room, (edge, boxes))
    for size, least in (("column", 85), ("page", 175)):
        figure = drawn(tree, size)
        types = [one.get_fontsize() for one in figure.axes[0].texts]
        assert min(types) >= 4.9
        assert len(set(types)) == 1
        assert figure.get_figwidth() * 25.4 > least
        shown = [one.get_window_extent() for one in figure.axes[0].texts]
        assert not any(one.overlaps(two) for one, two in itertools.combinations(shown, 2))
    few_boxes = replace(tree, x=Axis(nothing, low=-100, high=500), marks=(edge,))
    assert picture_figure(few_boxes).get_figwidth() * 25.4 == pytest.approx(85)


def test_that_our_own_words_beside_places_are_said_in_a_language_and_others_are_not() -> None:
    polish = {"all answers": "wszystkie odpowiedzi", "pays from {n}": "opłaca się od {n}"}

    def say(text: str) -> str:
        found = polish.get(text.key if isinstance(text, Message) else text, str(text))
        return found.format(**text.args) if isinstance(text, Message) and text.args else found

    axis = Axis(Message(""), labels=(Message("all answers"), "all answers"))
    words = (Message("pays from {n:,}", n=4066), "")
    bars = Mark(Shape.BARS, Role.ESTIMATE, Message("e"), np.ones(2), np.arange(2.0), words=words)
    picture = Picture("p", Message("P"), Axis(Message("share")), axis, (bars,))
    figure = picture_figure(picture, "column", say)
    labels = [one.get_text().replace("\n", " ") for one in figure.axes[0].get_yticklabels()]
    assert labels == ["wszystkie odpowiedzi", "all answers"]
    assert "opłaca się od 4066" in [one.get_text() for one in figure.axes[0].texts]
    assert picture_words(picture, say).count("wszystkie odpowiedzi") == 1


def test_that_an_endless_bar_is_marked() -> None:
    endless = Mark(Shape.BARS, Role.ESTIMATE, Message("e"), np.array([1.0, np.inf]), np.arange(2.0))
    axis = Axis(Message("epsilon"))
    picture = Picture("p", Message("P"), axis, Axis(Message(""), labels=("a", "b")), (endless,))
    assert [text.get_text() for text in drawn(picture).axes[0].texts] == ["∞"]


def test_that_an_interval_without_an_end_reaches_its_estimate_only() -> None:
    found = estimates().marks[0]
    assert found.low is not None
    assert found.high is not None
    assert found.low.tolist() == [0.4, 0.3]
    assert found.high.tolist() == [0.5, 0.4]


def test_that_a_picture_is_said_in_a_language() -> None:
    figure = picture_figure(bars(), say=lambda text: {"share": "odsetek"}.get(text, text))
    assert figure.axes[0].get_ylabel() == "odsetek (%)"


def test_that_arrows_tell_where_an_interval_goes_on_beyond_its_axis() -> None:
    wide = SimpleNamespace(estimate=2.0, low=0.1, high=50.0)
    near = SimpleNamespace(estimate=3.0, low=2.0, high=4.0)
    axis = Axis(Message("ratio"), low=1.0, high=5.0, is_log=True)
    axes = drawn(intervals("far", Message("Far"), axis, ["a", "b"], [wide, near])).axes[0]
    arrows = {line.get_marker(): line.get_xydata().tolist() for line in axes.lines
              if line.get_marker() in {"<", ">"}}  # fmt: skip
    assert arrows == {"<": [[1.0, 0.0]], ">": [[5.0, 0.0]]}
    ticks = zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)
    assert [one.get_text() for at, one in ticks if 1 <= at <= 5] == ["1", "2", "5"]


def test_that_numbers_of_an_axis_are_written_as_the_language_does() -> None:
    line = Mark(Shape.LINE, Role.TRUE, Message("l"), np.array([-2e4, 2e4]), np.array([0.0, 0.5]))
    picture = Picture("p", Message("P"), Axis(Message("x")), Axis(Message("y")), (line,))
    figure = picture_figure(picture, say=lambda text: text.replace(".", "·").replace(",", " "))
    FigureCanvasAgg(figure).draw()
    x, y = ([one.get_text() for one in axis.get_ticklabels()]
            for axis in (figure.axes[0].xaxis, figure.axes[0].yaxis))  # fmt: skip
    assert {"−20 000", "20 000"} <= set(x)
    assert {"0", "0·5"} <= set(y)


def test_that_labels_stand_upright_only_where_all_of_them_have_place() -> None:
    def turns(labels: tuple[str, ...], size: str) -> set[float]:
        bar = Mark(Shape.BARS, Role.TRUE, Message("b"), np.arange(5.0), np.arange(5.0))
        picture = Picture("p", Message("P"), Axis(Message(""), labels=labels), UPRIGHT, (bar,))
        axes = picture_figure(picture, size).axes[0]
        return {one.label1.get_rotation() for one in axes.xaxis.get_major_ticks()}

    named = tuple(f"neighbourhood {i}" for i in range(5))
    assert turns(named, "column") == {45.0}
    # Short words go on in a second line.
    assert turns(tuple(f"part of a town {i}" for i in range(5)), "column") == {0.0}
    assert turns(named, "page") == {0.0}
    # Of two lines the longer one needs its place.
    assert turns(tuple(f"{one}\n{one}" for one in named), "page") == {0.0}


def test_that_a_picture_tells_itself_to_those_who_cannot_see_it() -> None:
    assert picture_words(estimates()) == (
        "Shares. share in %: one: estimate 0.5 (0.4 to 0.5), uncorrected 0.6, true 0.45. "
        "two: estimate 0.3 (0.3 to 0.4). n = 1,200; bars are 90 % confidence intervals."
    )
    assert picture_words(bars(lying=True)).startswith("Shares of answers. share in %: first: true")


def test_that_a_picture_is_drawn_on_axes_that_somebody_has() -> None:
    axes = Figure().subplots()
    draw_picture(estimates(), axes)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["one", "two"]


@pytest.mark.parametrize(
    ("name", "size", "field"), [("a.bmp", "column", "path"), ("a.png", "poster", "size")]
)
def test_that_an_unknown_format_or_size_is_named(
    name: str, size: str, field: str, tmp_path: Path
) -> None:
    with pytest.raises(ParameterError) as raised:
        save_picture(bars(), tmp_path / name, size)
    assert raised.value.field == field
    assert list(tmp_path.iterdir()) == []


def test_that_roles_look_different_without_their_colours() -> None:
    looks = [look_of(role) for role in (Role.ESTIMATE, Role.REPORTED, Role.TRUE)]
    assert len({one.marker for one in looks}) == 3
    assert len({one.dash for one in looks}) == 3
    assert [one.is_hatched for one in looks] == [False, True, False]


def test_that_matplotlib_is_loaded_where_something_is_drawn_and_not_before() -> None:
    code = (
        "import sys, ppworkbench.results.result, ppworkbench.results.figure, "
        "ppworkbench.results.files\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} "
        "& {'matplotlib', 'numpy', 'pandas'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "matplotlib" not in done.stdout
    assert "pandas" not in done.stdout


def imports_of_matplotlib(tree: ast.AST) -> list[ast.AST]:
    """Imports that are carried out: not those for types, not those inside functions if a module."""
    found, waiting = [], list(ast.iter_child_nodes(tree))
    while waiting:
        node = waiting.pop()
        names = [getattr(node, "module", None) or "", *(one.name for one in node.names)] if (
            isinstance(node, ast.Import | ast.ImportFrom)) else []  # fmt: skip
        if any(name.partition(".")[0] == "matplotlib" for name in names):
            found.append(node)
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            waiting += ast.iter_child_nodes(node)
    return found


def test_that_matplotlib_is_imported_by_the_renderer_alone_and_inside_functions() -> None:
    root = Path(ppworkbench.__file__).parent
    importing = {}
    for path in root.rglob("*.py"):
        text = path.read_text("utf-8")
        if "matplotlib" in text and (found := imports_of_matplotlib(ast.parse(text))):
            importing[path.relative_to(root).as_posix()] = found
    assert list(importing) == ["results/figure.py"]
    functions = ast.parse((root / "results" / "figure.py").read_text("utf-8")).body
    inside = sum(
        len(imports_of_matplotlib(one)) for one in functions if isinstance(one, ast.FunctionDef)
    )
    assert inside == len(importing["results/figure.py"]) > 0


def test_that_names_of_rules_that_lie_together_are_apart() -> None:
    curve = Mark(Shape.LINE, Role.ESTIMATE, Message("EM"), PLACES, np.array([0.5, 0.2, 0.5]))
    note = Mark(
        Shape.POINTS, Role.ESTIMATE, Message(""), PLACES[1:2], curve.y[1:2], words=("least",)
    )
    rules = [
        Mark(Shape.RULE, Role.SERIES, Message(name), np.full(1, np.nan), np.array([at]))
        for name, at in (("one", 0.6), ("two", 0.601), ("three", 0.3))
    ]
    y = Axis(Message("loss"), low=0.0, high=1.0)
    figure = drawn(Picture("p", Message("P"), Axis(Message("t")), y, (curve, note, *rules)))
    axes = figure.axes[0]
    boxes = {one.get_text(): one.get_window_extent() for one in axes.texts}
    assert set(boxes) == {"one", "two", "three", "least"}
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes.values(), 2))
    # The words about the lowest point stand below it, and its mark is nothing of the legend.
    assert boxes["least"].y1 < axes.transData.transform((1.0, 0.2))[1]
    assert [one.get_text() for one in legend(figure).get_texts()] == ["EM"]


@pytest.mark.parametrize("last", [300.0, 300_000.0])
def test_that_numbers_of_a_logarithmic_axis_do_not_touch(last: float) -> None:
    at = np.geomspace(2.0, last, 30)
    curve = Mark(Shape.LINE, Role.ESTIMATE, Message("error"), at, 1 / at)
    x = Axis(Message("respondents"), is_log=True)
    figure = drawn(Picture("p", Message("P"), x, Axis(Message("error")), (curve,)))
    axes = figure.axes[0]
    low, high = axes.get_xlim()
    seen = [one for one in axes.get_xticklabels() if low <= one.get_position()[0] <= high]
    boxes = [one.get_window_extent() for one in seen]
    assert len(boxes) >= 3
    assert not any(a.overlaps(b) for a, b in itertools.pairwise(boxes))


def test_that_fonts_of_a_pdf_are_embedded_as_type_that_can_be_edited(tmp_path: Path) -> None:
    save_picture(bars(lying=True), tmp_path / "a.pdf")
    content = (tmp_path / "a.pdf").read_bytes()
    assert b"/FontFile2" in content
    assert b"/CIDFontType2" in content or b"/TrueType" in content
    assert b"/Type3" not in content


def test_that_the_numbers_of_a_picture_are_a_table() -> None:
    frame = numbers_sheet(estimates()).to_frame()
    assert list(frame.columns) == ["series", "place", "value", "low", "high"]
    rows = frame[frame["series"] == "estimate"]
    assert rows["place"].tolist() == ["one", "two"]
    assert rows["value"].tolist() == [0.5, 0.3]
    assert rows["low"].tolist() == [0.4, 0.3]
    # What nobody knows has no row, and a line across has one.
    assert frame["series"].tolist() == [
        "estimate",
        "estimate",
        "uncorrected",
        "true",
        "no difference",
    ]
    cells = Picture("c", Message("C"), LYING, LYING, (mark(Shape.CELLS, Role.SERIES, "cells"),))
    told = numbers_sheet(cells).to_frame()
    assert told["series"].tolist() == [one for one in LYING.labels for _ in range(3)]
    assert told["value"].tolist() == [0.2, 0.5, 0.3] * 3


@pytest.mark.parametrize("shape", Shape)
@pytest.mark.parametrize("lying", [False, True])
def test_that_every_shape_tells_its_numbers(shape: Shape, lying: bool) -> None:
    x, y = (UPRIGHT, LYING) if lying else (LYING, UPRIGHT)
    drawn_mark = mark(shape, Role.SERIES, "one", lying=lying)
    found = numbers_sheet(Picture("p", Message("P"), x, y, (drawn_mark,)))
    assert found.rows == {Shape.BOXES: 0, Shape.RULE: 1, Shape.CELLS: 0}.get(shape, 3)
    assert not found.rows or found.to_frame()["value"].notna().all()
