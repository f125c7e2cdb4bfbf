"""Pictures that leave the program: legends, hatches, texts, sizes."""

from __future__ import annotations

import ast
import itertools
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import ppworkbench
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.results.figure import SIZES, draw_picture, picture_figure, save_picture
from ppworkbench.results.looks import look_of
from ppworkbench.results.picture import (
    Axis,
    Mark,
    Picture,
    Role,
    Shape,
    interval_note,
    intervals,
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
    assert names == ["estimate", "reported", "true", "no difference"]
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


def test_that_a_long_list_makes_a_picture_taller() -> None:
    many = [SimpleNamespace(estimate=0.1, low=0.0, high=0.2)] * 60
    picture = intervals("many", Message("Many"), UPRIGHT, [f"row {i}" for i in range(60)], many)
    assert picture_figure(picture).get_figheight() * 25.4 > 300


@pytest.mark.parametrize("shape", Shape)
@pytest.mark.parametrize("lying", [False, True])
def test_that_every_shape_is_drawn_in_every_direction(shape: Shape, lying: bool) -> None:
    marks = tuple(mark(shape, Role.SERIES, name, lying=lying) for name in ("one", "_two"))
    x, y = (UPRIGHT, LYING) if lying else (LYING, UPRIGHT)
    figure = drawn(Picture("p", Message("P"), x, y, marks))
    axes = figure.axes[0]
    assert axes.lines or axes.patches or axes.collections or axes.images
    if shape is not Shape.CELLS:
        assert len(legend(figure).get_texts()) == 2


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
        return {one.get_rotation() for one in axes.get_xticklabels()}

    named = tuple(f"town district {i}" for i in range(5))
    assert turns(named, "column") == {45.0}
    assert turns(named, "page") == {0.0}


def test_that_a_picture_tells_itself_to_those_who_cannot_see_it() -> None:
    assert picture_words(estimates()) == (
        "Shares. share in %: one: estimate 0.5 (0.4 to 0.5), reported 0.6, true 0.45. "
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
