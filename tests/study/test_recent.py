"""The list of studies that were opened last."""

from __future__ import annotations

import json

import pytest
from studies import make_study

from ppworkbench.study.files.recent import forget_all, read_recent, remember, summary
from ppworkbench.study.study import Study


def test_that_the_last_study_stands_on_top_and_only_once(tmp_path):
    file = tmp_path / "recent.json"
    for name in ("a", "b", "a"):
        remember(file, make_study(name), tmp_path / f"{name}.ppw")
    assert [one.title for one in read_recent(file)] == ["a", "b"]
    assert read_recent(file)[0].path == str(tmp_path / "a.ppw")


def test_that_the_list_is_never_longer_than_twelve(tmp_path):
    file = tmp_path / "recent.json"
    for number in range(15):
        remember(file, make_study(str(number)), tmp_path / f"{number}.ppw")
    assert [one.title for one in read_recent(file)] == [str(n) for n in range(14, 2, -1)]


def test_that_the_list_can_be_emptied(tmp_path):
    file = tmp_path / "recent.json"
    remember(file, make_study(), tmp_path / "a.ppw")
    forget_all(file)
    assert read_recent(file) == ()


@pytest.mark.parametrize(
    "content", ["", "{", "{}", "3", '[{"path": "x"}]', '[{"path": 1, "title": 2, "summary": 3}]']
)
def test_that_a_damaged_list_is_an_empty_one(tmp_path, content):
    file = tmp_path / "recent.json"
    file.write_text(content)
    assert read_recent(file) == ()


def test_that_a_list_that_cannot_be_written_disturbs_nobody(tmp_path):
    (tmp_path / "file").write_text("")
    remember(tmp_path / "file" / "recent.json", make_study(), tmp_path / "a.ppw")
    assert read_recent(tmp_path / "file" / "recent.json") == ()


def test_that_a_study_is_summed_up_in_a_few_words():
    study = make_study(rows=1_500)
    assert summary(study) == "1,500 rows · 5 attributes"
    assert summary(study.with_(original=None)) == "no data yet · 5 attributes"
    analyst = Study.of_distorted(study.original, study.design, "x")
    assert summary(analyst) == "1,500 rows · 5 attributes · distorted, with design"


GOOD = {"path": "/a.ppw", "title": "a", "summary": "1 rows", "when": 5.0}


@pytest.mark.parametrize(
    "bad",
    [
        5, None, [], "x", {}, {"path": "/b"}, GOOD | {"when": 1e300}, GOOD | {"when": "now"},
        GOOD | {"path": "a\0b"}, GOOD | {"title": None}, GOOD | {"when": -1}, GOOD | {"path": 7},
    ],
)  # fmt: skip
def test_that_a_damaged_entry_hides_no_other(tmp_path, bad):
    file = tmp_path / "recent.json"
    file.write_text(json.dumps([bad, GOOD]))
    assert [one.path for one in read_recent(file)] == ["/a.ppw"]


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"a": 1}', "5", "\0", "1" * 5_000])
def test_that_a_list_of_another_shape_is_empty(tmp_path, text):
    file = tmp_path / "recent.json"
    file.write_text(text)
    assert read_recent(file) == ()


def test_that_a_list_without_end_is_not_read(tmp_path):
    file = tmp_path / "recent.json"
    file.write_text(json.dumps([GOOD] * 100_000))
    assert read_recent(file) == ()
    assert read_recent(tmp_path) == ()
    file.write_text(json.dumps([GOOD | {"title": "x" * 9_999}] * 50))
    assert len(read_recent(file)) <= 12
    assert all(len(one.title) <= 200 for one in read_recent(file))
