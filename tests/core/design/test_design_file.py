"""Designs in files: what survives, and how a bad one is refused."""

import copy
import json

import pytest
from designs import ALL_CASES, LIKERT, YES_NO, case_name

from ppworkbench.core.design import Custom, Design, DesignedAttribute, Group
from ppworkbench.core.design.design_file import (
    design_from_json,
    design_to_json,
    read_design,
    write_design,
)
from ppworkbench.core.design.presets import named_design, presets
from ppworkbench.core.errors import DesignError

EXAMPLE = {
    "format": "ppworkbench-design",
    "version": 1,
    "class": "children",
    "attributes": {
        "sex": {
            "kind": "binary",
            "values": ["F", "M"],
            "perturbation": {"type": "uniform", "keep": 0.6},
        },
        "employment": {
            "kind": "ordinal",
            "values": ["none", "<1", "1-4", ">=4"],
            "perturbation": {"type": "ordinal", "weights": [0.6, 0.2], "loop": False},
        },
        "bought": {
            "kind": "binary",
            "values": ["0", "1"],
            "perturbation": {"type": "binary", "keep_one": 0.5, "keep_zero": 0.87},
        },
        "drug": {
            "kind": "binary",
            "values": ["no", "yes"],
            "perturbation": {"type": "unrelated", "theta": 0.7, "personal": [0.5, 0.5]},
        },
        "age": {
            "kind": "integer",
            "domain": [18, 90],
            "perturbation": {
                "type": "additive",
                "noise": "uniform",
                "half_width": 10,
                "integer": "staircase",
            },
        },
        "salary": {
            "kind": "continuous",
            "domain": [0, 10000],
            "perturbation": {"type": "additive", "noise": "normal", "range_privacy": 100},
        },
        "income": {
            "kind": "continuous",
            "domain": [0, 90000],
            "perturbation": {"type": "retention", "keep": 0.5},
        },
        "children": {
            "kind": "binary",
            "values": ["N", "Y"],
            "perturbation": {"type": "none"},
        },
    },
}


def test_that_the_documented_example_is_read_and_written_as_it_stands():
    assert design_to_json(design_from_json(EXAMPLE)) == EXAMPLE


@pytest.mark.parametrize(("attribute", "perturbation"), ALL_CASES, ids=case_name)
def test_that_every_perturbation_survives_a_file(attribute, perturbation, tmp_path):
    design = Design((DesignedAttribute(attribute, perturbation),))
    write_design(design, tmp_path / "d.json")
    assert read_design(tmp_path / "d.json") == design


@pytest.mark.parametrize("entry", presets, ids=lambda entry: entry.name)
def test_that_a_named_design_survives_a_file(entry, tmp_path):
    attribute = YES_NO if entry.item.two_values else LIKERT
    chosen = entry.item().perturbation(attribute.values)
    write_design(Design((DesignedAttribute(attribute, chosen),)), tmp_path / "d.json")
    read = read_design(tmp_path / "d.json")[attribute.name].perturbation
    assert read == chosen
    assert named_design(read, attribute.values).name == entry.name


def test_that_a_typed_matrix_is_custom_even_if_it_equals_a_named_design(tmp_path):
    warner = presets["warner"]().perturbation(YES_NO.values)
    typed = Custom.of(warner.matrix(2))
    write_design(Design((DesignedAttribute(YES_NO, typed),)), tmp_path / "d.json")
    read = read_design(tmp_path / "d.json")["smokes"]
    assert read.perturbation == typed
    assert named_design(read.perturbation, YES_NO.values) is None
    assert read.perturbation.device_use(YES_NO) is None


def test_that_titles_and_units_survive_a_file_and_may_be_left_out(tmp_path):
    example = copy.deepcopy(EXAMPLE)
    example["attributes"]["drug"]["title"] = "Used an illegal drug"
    example["attributes"]["income"] |= {"title": "Monthly income", "unit": "euros"}
    design = design_from_json(example)
    assert design["income"].attribute.unit == "euros"
    write_design(design, tmp_path / "d.json")
    assert read_design(tmp_path / "d.json") == design
    assert design_to_json(design) == example
    assert design_to_json(design, words=False) == EXAMPLE


@pytest.mark.parametrize("name", ["", "  ", "\u00a0"])
def test_that_an_attribute_without_a_name_is_refused_in_a_sentence(name):
    example = copy.deepcopy(EXAMPLE)
    example["attributes"][name] = example["attributes"].pop("drug")
    with pytest.raises(DesignError, match="has no name; write the name of its column") as caught:
        design_from_json(example)
    assert caught.value.field == "attributes"
    example = copy.deepcopy(EXAMPLE) | {"lists": {name: {}}}
    with pytest.raises(DesignError, match="has no name; write the name of its column") as caught:
        design_from_json(example)
    assert caught.value.field == "lists"


def test_that_groups_survive_a_file(tmp_path):
    example = copy.deepcopy(EXAMPLE)
    for name in ("sex", "drug"):
        example["attributes"][name]["perturbation"] = {"type": "none"}
    example["groups"] = [
        {
            "attributes": ["sex", "drug"],
            "type": "unrelated",
            "theta": 0.7,
            "personal": {"sex": [0.4, 0.6]},
        }
    ]
    design = design_from_json(example)
    assert design.groups == (Group(("sex", "drug"), "unrelated", 0.7, (("sex", (0.4, 0.6)),)),)
    assert design_to_json(design) == example
    write_design(design, tmp_path / "d.json")
    assert read_design(tmp_path / "d.json") == design
    assert design.perturbation("sex").matrix(2)[0, 0] == pytest.approx(0.7 + 0.3 * 0.4)


def at(path, value):
    """A change of the example at a path of keys."""

    def change(example):
        *way, last = path
        for key in way:
            example = example[key]
        example[last] = value

    return change


SEX = ("attributes", "sex")


@pytest.mark.parametrize(
    ("change", "attribute", "field", "sentence"),
    [
        (at((*SEX, "perturbation", "type"), "magic"), "sex", "type", "'magic' is unknown"),
        (at((*SEX, "perturbation", "keep"), 1.5), "sex", "keep", "must lie between 0 and 1"),
        (at((*SEX, "perturbation", "keep"), "x"), "sex", "keep", "must be a number"),
        (at((*SEX, "perturbation", "kepp"), 1), "sex", "kepp", "is unknown"),
        (at((*SEX, "values"), ["F", "M", "X"]), "sex", "values", "2 values, not 3"),
        (at((*SEX, "values"), ["F", "F"]), "sex", "values", "listed twice"),
        (at((*SEX, "values"), [1, 2]), "sex", "values", "list of texts"),
        (at((*SEX, "kind"), "colour"), "sex", "kind", "has the kind 'colour'"),
        (at((*SEX, "outside"), "clip"), "sex", "outside", "have no outside"),
        (at((*SEX, "seed"), 7), "sex", "seed", "unknown field 'seed'"),
        (at(("attributes", "age", "domain"), [90, 18]), "age", "domain", "is reversed"),
        (at(("attributes", "age", "domain"), [0, float("inf")]), "age", "domain", "finite"),
        (at(("attributes", "age", "domain"), [0.5, 3]), "age", "domain", "whole numbers"),
        (
            at((*SEX, "perturbation"), {"type": "custom", "matrix": [[0.5, 0.5], [0.4, 0.5]]}),
            "sex",
            "matrix",
            "sums to 0.9 in column 1",
        ),
        (
            at((*SEX, "perturbation", "named_design"), "magic"),
            "sex",
            "named_design",
            "'magic' is unknown; known are mangat",
        ),
        (
            at((*SEX, "perturbation", "named_design"), "mangat"),
            "sex",
            "named_design",
            "'mangat' has other parameters",
        ),
        (
            at((*SEX, "perturbation", "named_design"), 3),
            "sex",
            "named_design",
            "must be a text",
        ),
        (at(("version",), 3), None, "version", "newer program"),
        (at(("format",), "other"), None, "format", "not a design"),
        (at(("seed",), 3), None, "seed", "unknown field 'seed'"),
        (at(("class",), "nobody"), None, "class", "not one of the attributes"),
        (
            at(("groups",), [{"attributes": ["sex"], "type": "unrelated", "theta": 0.5}]),
            "sex",
            "perturbation",
            "no mechanism of its own",
        ),
        (at(("groups",), [{"attributes": ["sex"], "type": "unrelated"}]), None, "theta", "lacks"),
    ],
)
def test_that_an_error_names_the_attribute_and_the_field(change, attribute, field, sentence):
    example = copy.deepcopy(EXAMPLE)
    change(example)
    with pytest.raises(DesignError, match=sentence) as caught:
        design_from_json(example)
    assert caught.value.attribute == attribute
    assert caught.value.field == field


@pytest.mark.parametrize("content", ["", "{", "[]", '"x"', "{}", "[" * 100_000, "\x00"])
def test_that_a_file_that_is_no_design_is_refused_with_its_name(tmp_path, content):
    path = tmp_path / "broken.json"
    path.write_text(content)
    with pytest.raises(DesignError) as caught:
        read_design(path)
    assert caught.value.file == str(path)


def test_that_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(DesignError, match="cannot be read"):
        read_design(tmp_path / "nowhere.json")


def test_that_a_failed_write_leaves_the_old_design(tmp_path, monkeypatch):
    path = tmp_path / "d.json"
    design = design_from_json(EXAMPLE)
    write_design(design, path)
    before = path.read_bytes()
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left")))
    with pytest.raises(Exception, match="No space left"):
        write_design(design, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_that_no_seed_stands_in_any_design_file(tmp_path):
    write_design(design_from_json(EXAMPLE), tmp_path / "d.json")
    assert "seed" not in json.dumps(json.loads((tmp_path / "d.json").read_text()))


def test_that_a_name_that_stands_twice_is_refused(tmp_path):
    path = tmp_path / "d.json"
    text = json.dumps(EXAMPLE)
    path.write_text(text.replace('"bought"', '"sex"'))
    with pytest.raises(DesignError, match="'sex' occurs twice"):
        read_design(path)


def test_that_a_custom_matrix_is_called_matrix():
    example = copy.deepcopy(EXAMPLE)
    example["attributes"]["sex"]["perturbation"] = {"type": "custom"}
    with pytest.raises(DesignError, match="'matrix' is missing"):
        design_from_json(example)


def test_that_personal_answers_of_a_group_must_be_lists():
    example = copy.deepcopy(EXAMPLE)
    example["groups"] = [
        {"attributes": ["sex"], "type": "unrelated", "theta": 0.5, "personal": {"sex": 3}}
    ]
    with pytest.raises(DesignError, match="list of probabilities"):
        design_from_json(example)


SKEWED = ((0.9, 0.3), (0.1, 0.7))


def test_that_a_matrix_is_written_with_its_orientation():
    told = design_to_json(Design((DesignedAttribute(YES_NO, Custom(SKEWED)),)))
    assert told["orientation"] == "columns are true answers"
    assert told["version"] == 2
    plain = design_to_json(Design((DesignedAttribute(YES_NO, Custom(SKEWED)),)), words=False)
    assert ("orientation" in plain, plain["version"]) == (False, 1)
    assert "orientation" not in design_to_json(design_from_json(EXAMPLE))


@pytest.mark.parametrize("orientation", ["rows are true answers", "columns are true answers", None])
def test_that_a_matrix_is_read_by_its_orientation(orientation):
    told = design_to_json(Design((DesignedAttribute(YES_NO, Custom(SKEWED)),)))
    del told["orientation"]
    if orientation is not None:
        told["orientation"] = orientation
    if orientation == "rows are true answers":
        told["attributes"][YES_NO.name]["perturbation"]["matrix"] = [[0.9, 0.1], [0.3, 0.7]]
    assert design_from_json(told)[YES_NO.name].perturbation == Custom(SKEWED)


def test_that_an_unknown_orientation_is_refused():
    with pytest.raises(DesignError, match="'orientation' is 'sideways'; it is 'columns are true"):
        design_from_json({**EXAMPLE, "orientation": "sideways"})
