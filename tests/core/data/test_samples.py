"""The built-in data sets: complete schemas, fixed seeds, shipped files equal to fresh ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from designs import classic_study
from examples import sweep
from recipes import ROOT, load_recipe

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.generators.quest import QuestParams, quest_baskets
from ppworkbench.core.data.samples import Sample, load_sample, samples
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.params import declarations
from ppworkbench.core.registry import Entry
from ppworkbench.study.files.study_file import open_study, save_study

pytestmark = pytest.mark.thorough

SHIPPED = ROOT / "resources" / "samples"

SHAPES = {
    "consultation": (7, 5, "Children"),
    "consultation-distorted": (7, 5, "Children"),
    "city-survey": (5_000, 21, "supports_school"),
    "led24": (3_200, 25, "digit"),
    "baskets": (1_000, 50, None),
    "weather": (14, 5, "class"),
    "iris": (150, 5, "species"),
    "wine": (178, 14, "grower"),
    "breast-cancer": (569, 31, "diagnosis"),
}
every_sample = pytest.mark.parametrize("name", samples.names)


@pytest.fixture(scope="module")
def maker():
    return load_recipe("make_samples")


def test_that_all_samples_are_offered_and_no_other() -> None:
    assert set(samples.names) == set(SHAPES)


@pytest.mark.parametrize("entry", samples, ids=lambda entry: entry.name)
def test_that_a_sample_says_what_it_is(entry: Entry[Sample]) -> None:
    sample = entry.item
    assert (sample.name, sample.label) == (entry.name, entry.label)
    assert sample.description.endswith(".")
    assert all(d.info.help for d in declarations(sample.sizes))


@every_sample
def test_that_a_sample_has_its_shape_and_class(name: str) -> None:
    table = load_sample(name)
    assert (table.rows, len(table.columns), table.class_name) == SHAPES[name]


@every_sample
def test_that_the_schema_is_set_and_not_guessed(name: str) -> None:
    for column in load_sample(name):
        attribute = column.attribute
        assert attribute.reason == ""
        assert attribute.label or name == "baskets"
        if attribute.kind.is_categorical:
            assert attribute.k >= 2
        else:
            low, high = attribute.domain or (0, 0)
            assert low <= np.nanmin(column.data)
            assert np.nanmax(column.data) <= high


@every_sample
def test_that_a_sample_is_the_same_every_time(name: str) -> None:
    assert load_sample(name).equals(load_sample(name))


@pytest.mark.parametrize("name", sweep(["city-survey", "led24", "baskets"], quick=1))
def test_that_another_seed_gives_another_table(name: str) -> None:
    own = samples[name].seed
    assert load_sample(name, seed=own).equals(load_sample(name))
    assert not load_sample(name, seed=own + 1).equals(load_sample(name))


def test_that_generated_samples_have_the_size_asked_for() -> None:
    assert load_sample("city-survey", rows=123).rows == 123
    assert load_sample("led24", rows=77, noise=0.0).rows == 77
    table = load_sample("baskets", transactions=300, items=20, length=5, pattern=2)
    assert (table.rows, len(table.columns)) == (300, 20)
    assert table.source == "T5.I2.D300.N20"


def test_that_baskets_hold_named_goods() -> None:
    assert load_sample("baskets").names[:3] == ("bread", "milk", "butter")
    many = load_sample("T5.I2.D300.N120").names
    assert len(set(many)) == 120
    assert many[99:102] == ("matches", "item101", "item102")


def test_that_a_study_of_baskets_with_numbered_items_still_opens(tmp_path) -> None:
    # As versions before the goods had names wrote them.
    table = quest_baskets(QuestParams(transactions=50, items=12)).to_table(source="baskets")
    study = classic_study(table, "baskets")
    save_study(study, tmp_path / "former.ppw")
    opened = open_study(tmp_path / "former.ppw")
    assert opened.original.names[0] == opened.design.names[0] == "item01"
    assert opened.original.equals(table)


@pytest.mark.slow
def test_that_the_name_of_a_basket_data_set_is_a_sample() -> None:
    named = load_sample("T5.I2.D300.N20")
    assert named.equals(load_sample("baskets", transactions=300, items=20, length=5, pattern=2))
    assert load_sample("T5.I2.D300.N20", transactions=30).rows == 30
    assert str(QuestParams()) == "T10.I4.D1k.N50"


@pytest.mark.parametrize(
    ("name", "sizes", "message"),
    [
        ("city_survey", {}, "did you mean 'city-survey'"),
        ("weather", {"rows": 20}, "'rows' is unknown"),
        ("led24", {"rows": 0}, "Rows is 0"),
        ("led24", {"noise": 2.0}, "Noise is 2"),
        ("baskets", {"items": -1}, "Items is -1"),
    ],
)
def test_that_an_impossible_wish_is_refused_with_a_sentence(
    name: str, sizes: dict[str, float], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        load_sample(name, **sizes)


def test_that_textbook_tables_have_readable_names_and_classes() -> None:
    iris, wine, cancer = (load_sample(name) for name in ("iris", "wine", "breast-cancer"))
    assert iris.names == (
        "sepal_length", "sepal_width", "petal_length", "petal_width", "species",
    )  # fmt: skip
    assert iris["sepal_length"].attribute.label == "Sepal length in cm"
    assert iris["species"].attribute.values == ("setosa", "versicolor", "virginica")
    assert iris["species"].counts.tolist() == [50, 50, 50]
    assert wine["grower"].counts.tolist() == [59, 71, 48]
    assert wine["proline"].attribute.kind is Kind.INTEGER
    assert wine["alcohol"].attribute.kind is Kind.CONTINUOUS
    assert cancer["diagnosis"].attribute.kind is Kind.BINARY
    assert dict(zip(cancer["diagnosis"].attribute.values, cancer["diagnosis"].counts)) == {  # noqa: B905
        "malignant": 212,
        "benign": 357,
    }


def test_that_naming_the_samples_does_not_load_scikit_learn() -> None:
    code = "import sys, ppworkbench.core.data.samples; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_that_the_shipped_files_are_what_the_generators_make(maker, tmp_path: Path) -> None:
    maker.make_samples(tmp_path)
    fresh = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    shipped = {path.name: path.read_bytes() for path in SHIPPED.iterdir()}
    shipped.pop("README.md")
    assert shipped.keys() == fresh.keys()
    assert [name for name in fresh if fresh[name] != shipped[name]] == []


def test_that_the_shipped_files_stay_small() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 2_000_000


def test_that_a_shipped_table_reads_as_the_sample_it_holds(maker) -> None:
    for name, file in maker.FILES.items():
        if file.endswith(".csv"):
            assert read_table(SHIPPED / file).equals(load_sample(name)), name


@pytest.mark.slow
def test_that_the_shipped_baskets_hold_the_items_of_the_sample() -> None:
    sample = load_sample("baskets")
    # Without a header, the items come in the order in which they are met.
    table = read_table(SHIPPED / "baskets.basket").select(sample.names)
    assert table.rows == sample.rows
    for column in table:
        assert column.to_series().tolist() == sample[column.name].to_series().tolist()


def test_that_the_readme_and_the_help_page_name_every_shipped_sample(maker) -> None:
    readme = (SHIPPED / "README.md").read_text(encoding="utf-8")
    page = (ROOT / "resources" / "help" / "samples.md").read_text(encoding="utf-8")
    assert [file for file in maker.FILES.values() if f"`{file}`" not in readme] == []
    assert [name for name in samples.names if f"`{name}`" not in page] == []
    asked = load_sample("city-survey").names
    assert [name for name in asked if f"`{name}`" not in page] == []
