"""A drawn tree: where its boxes stand, how it is walked, zoomed and read aloud."""

from __future__ import annotations

import itertools

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QWheelEvent

from ppworkbench.gui.charts.chart_export import save_rows
from ppworkbench.gui.charts.tree import TreeTools, TreeView
from ppworkbench.gui.charts.tree_layout import PADDING, TreeFonts, TreeLayout, TreeNode, wrap
from ppworkbench.gui.widgets.table import copy_rows


def make_tree() -> TreeNode:
    return TreeNode(
        "0", "Card?", ("5,000",), badge="by Card", children=(
            TreeNode("1", "Age < 42?", ("1,216",), edge="yes", children=(
                TreeNode("2", "yes", share=0.73, share_text="73 %", mark=0.4, edge="yes"),
                TreeNode("3", "no", share=0.58, note="weakest", border="warning", edge="no"),
            )),
            TreeNode("4", "yes", headline="56 % yes", edge="no"),
        ),
    )  # fmt: skip


@pytest.fixture
def view(workbench, qtbot) -> TreeView:
    made = TreeView(workbench.themes, "Decision tree")
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    made.show_tree(make_tree())
    return made


@pytest.fixture
def layout(workbench) -> TreeLayout:
    return TreeLayout(make_tree(), TreeFonts.of(workbench.theme))


def centre_of(view: TreeView, key: str) -> QPoint:
    return view.mapFromScene(view._layout.placed[key].box.center())


def test_that_boxes_do_not_overlap_and_stand_below_their_parents(layout):
    boxes = [placed.box for placed in layout.placed.values()]
    assert not any(a.intersects(b) for a, b in itertools.combinations(boxes, 2))
    for placed in layout.placed.values():
        if placed.parent is not None:
            assert placed.box.top() > layout.placed[placed.parent].box.bottom()


def test_that_a_parent_stands_over_the_middle_of_its_children(layout):
    ends = [layout.placed[key].box.center().x() for key in ("2", "3")]
    assert layout.placed["1"].box.center().x() == pytest.approx(sum(ends) / 2)


def test_that_a_wide_parent_of_a_narrow_child_stays_within_its_room(workbench):
    child = TreeNode("1", "x", children=(TreeNode("2", "y"),))
    root = TreeNode("0", "a rather long question?", children=(child, TreeNode("3", "z")))
    boxes = TreeLayout(root, TreeFonts.of(workbench.theme)).placed
    assert boxes["0"].box.center().x() == pytest.approx(
        (boxes["1"].box.center().x() + boxes["3"].box.center().x()) / 2
    )


def test_that_a_deep_tree_is_laid_out_without_recursion(workbench):
    node = TreeNode("leaf", "leaf")
    for depth in range(3_000):
        node = TreeNode(str(depth), "inner", children=(node,))
    assert len(TreeLayout(node, TreeFonts.of(workbench.theme)).placed) == 3_001


def test_that_a_click_chooses_a_node_and_announces_it(view, qtbot):
    with qtbot.waitSignal(view.node_chosen) as caught:
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=centre_of(view, "4"))
    assert caught.args == ["4"]
    assert view.chosen == "4"


def test_that_a_click_beside_the_boxes_chooses_nothing(view, qtbot):
    with qtbot.assertNotEmitted(view.node_chosen):
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(1, 1))


def test_that_the_arrow_keys_walk_the_tree(view, qtbot):
    walked = []
    view.node_chosen.connect(walked.append)
    keys = Qt.Key
    for key in (keys.Key_Down, keys.Key_Down, keys.Key_Right, keys.Key_Left, keys.Key_Down,
                keys.Key_Right, keys.Key_Right, keys.Key_Up, keys.Key_Up, keys.Key_Up):  # fmt: skip
        qtbot.keyClick(view, key)
    assert walked == ["0", "1", "4", "1", "2", "3", "3", "1", "0", "0"]


def test_that_buttons_keys_and_the_wheel_change_the_size(view, qtbot, workbench):
    tools = TreeTools(workbench.themes, view)
    qtbot.addWidget(tools)
    before = view.scale_factor
    tools.larger.click()
    assert view.scale_factor > before
    qtbot.keyClick(view, Qt.Key.Key_Minus)
    assert view.scale_factor == pytest.approx(before)
    none = Qt.MouseButton.NoButton
    turned = QWheelEvent(
        QPointF(9, 9), QPointF(9, 9), QPoint(), QPoint(0, 120), none,
        Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    view.wheelEvent(turned)
    assert view.scale_factor > before
    tools.whole.click()
    seen = view.mapToScene(view.viewport().rect()).boundingRect()
    assert seen.contains(view._layout.area)


def test_that_a_large_tree_starts_readable_with_its_root_in_sight(view):
    children = tuple(TreeNode(f"c{i}", "a leaf of many") for i in range(60))
    view.show_tree(TreeNode("r", "root", children=children))
    assert view.scale_factor > 0.5
    seen = view.mapToScene(view.viewport().rect()).boundingRect()
    assert seen.contains(view._layout.placed["r"].box.center())
    view.fit()
    assert view.scale_factor < 0.5


def test_that_a_long_name_is_wrapped_and_not_cut(workbench):
    fonts = TreeFonts.of(workbench.theme, 104)
    metrics = QFontMetricsF(fonts.title)
    room = 104 - 2 * PADDING
    for name in ("employment_length is over 20?", "fare_evasion is yes?", "age < 55?"):
        lines = wrap(name, metrics, room)
        assert "".join(lines).replace(" ", "") == name.replace(" ", "")
        assert all(metrics.horizontalAdvance(one) <= room for one in lines)
        width, height = fonts.box_size(TreeNode("0", name))
        assert width <= 104 * max(QFontMetricsF(fonts.caption).height() / 14, 1)
        assert height >= len(lines) * metrics.height()


def test_that_a_tree_says_whether_it_can_be_shown_as_a_whole(view):
    assert view.fits(make_tree())
    assert not view.fits(
        TreeNode("r", "root", children=tuple(TreeNode(f"c{i}", "leaf") for i in range(60)))
    )
    view.show_tree(make_tree())
    seen = view.mapToScene(view.viewport().rect()).boundingRect()
    assert seen.contains(view._layout.area)


def test_that_the_chosen_node_and_the_path_stay_with_the_next_tree_if_it_has_them(view):
    view.choose("1")
    view.set_path(("0", "1", "2"))
    view.show_tree(make_tree())
    assert (view.chosen, view.path) == ("1", ("0", "1", "2"))
    view.show_tree(TreeNode("0", "alone"))
    assert (view.chosen, view.path) == (None, ("0",))
    view.show_tree(None)
    assert view.path == ()
    assert len(view.rows()) == 1


def test_that_the_tree_can_be_read_as_a_table(view, tmp_path):
    rows = view.rows()
    assert rows[3] == ["2", "yes", "yes", "73 %"]
    assert rows[4] == ["2", "no", "no", "weakest"]
    copy_rows(rows)
    assert QGuiApplication.clipboard().text().splitlines()[1].startswith("0\t\tCard?")
    save_rows(rows, tmp_path / "tree.csv")
    assert (tmp_path / "tree.csv").read_text(encoding="utf-8").count("\n") == 6


def test_that_it_is_drawn_in_both_themes(view, workbench):
    view.choose("3")
    view.set_path(("0", "4"))
    light = view.grab().toImage()
    workbench.themes.choose("dark")
    dark = view.grab().toImage()
    corner = light.pixelColor(2, 2).lightness(), dark.pixelColor(2, 2).lightness()
    assert corner[0] > 200
    assert corner[1] < 80


def test_that_a_narrow_box_is_made_wider_rather_than_a_word_of_its_title_broken(workbench):
    fonts = TreeFonts.of(workbench.theme, 80)
    metrics = QFontMetricsF(fonts.title)
    word = "bezpieczeństwa"
    assert metrics.horizontalAdvance(word) > 80 - 2 * PADDING
    width, _ = fonts.box_size(TreeNode("a", f"Zadowolenie z {word} w"))
    assert word in wrap(f"Zadowolenie z {word} w", metrics, width - 2 * PADDING + 1)
    # One that is longer than any box is still broken.
    assert fonts.box_size(TreeNode("a", "w" * 400))[0] <= TreeFonts.of(workbench.theme).widest + 1
