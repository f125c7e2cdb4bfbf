"""A release holds nothing of the truth but what the design lets through."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.files import codebook_of, read_table, write_table
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Identity,
    Multiplicative,
    Retention,
    Uniform,
)
from ppworkbench.core.design import release as release_module
from ppworkbench.core.design.design_file import design_from_json
from ppworkbench.core.design.publishable import publishable
from ppworkbench.core.design.release import (
    UNSAFE_SEED,
    ReleaseOptions,
    release_file,
    release_table,
)
from ppworkbench.core.design.shuffle import shuffled_chunks
from ppworkbench.core.design.starting import starting_design
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.progress import Cancelled, StoppableProgress
from ppworkbench.core.rng import SeededStreams

FORMATS = ("csv", "xlsx", "parquet", "sav", "dta", "arff")
ROWS = 400
MARKER = 4321.0987654321
SECRET = "Zebulon Quistgaard"


@pytest.fixture
def people() -> Table:
    """Answers with a name that no design lists and a number that nobody else has."""
    source = np.random.default_rng(5)
    income = source.normal(3_000, 500, ROWS)
    income[7] = MARKER
    names = tuple([f"person {i}" for i in range(ROWS - 1)] + [SECRET])
    return Table(
        (
            Column(Attribute("name", Kind.NOMINAL, names), np.arange(ROWS)[::-1]),
            Column(Attribute("income", Kind.CONTINUOUS, domain=(1, 10_000)), income),
            Column(Attribute("age", Kind.INTEGER, domain=(18, 90)), source.integers(18, 91, ROWS)),
            Column(Attribute("voted", Kind.BINARY, ("no", "yes")), source.integers(0, 2, ROWS)),
        )
    )


@pytest.fixture
def design(people) -> Design:
    noise = {
        "income": Additive(noise="laplace", scale=700.0),
        "age": Additive(noise="uniform", half_width=10, integer="staircase"),
        "voted": Uniform(keep=0.7),
    }
    return Design(tuple(DesignedAttribute(people[n].attribute, p) for n, p in noise.items()))


def contents(folder: Path) -> bytes:
    """All bytes under a folder, those inside of zipped files too."""
    import zipfile

    found = b""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found += path.name.encode() + path.read_bytes()
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    found += b"".join(archive.read(name) for name in archive.namelist())
    return found


@pytest.mark.parametrize("suffix", FORMATS)
def test_that_planted_answers_never_appear_in_a_release(people, design, tmp_path, suffix):
    release = release_table(people, design, tmp_path / f"out.{suffix}")
    assert release.rows == ROWS
    assert release.secure
    held = contents(tmp_path)
    assert SECRET.encode() not in held
    assert b"Quistgaard" not in held
    assert b"4321.09" not in held
    assert np.float64(MARKER).tobytes() not in held
    back = read_table(tmp_path / f"out.{suffix}")
    assert "name" not in back
    assert MARKER not in back["income"].data
    assert any("name" in note for note in release.notes)


@pytest.mark.parametrize("suffix", FORMATS)
def test_that_a_release_carries_its_design_and_no_seed(people, design, tmp_path, suffix):
    path = tmp_path / f"out.{suffix}"
    release = release_table(people, design, path)
    codebook = codebook_of(path)
    assert codebook is not None
    assert codebook.design is not None
    assert design_from_json(codebook.design) == release.design == publishable(design)
    assert "seed" not in json.dumps(codebook.to_json())


def test_that_a_study_with_a_seed_does_not_write_it_down(people, design, tmp_path):
    seed = 987_654_321_123
    release = release_table(people, design, tmp_path / "out.csv", ReleaseOptions(seed=seed))
    assert not release.secure
    assert UNSAFE_SEED in release.notes
    assert str(seed).encode() not in contents(tmp_path)


def test_that_the_same_seed_gives_the_same_file_and_a_release_never_does(people, design, tmp_path):
    for name, seed in (("a", 7), ("b", 7), ("c", None), ("d", None)):
        release_table(people, design, tmp_path / f"{name}.csv", ReleaseOptions(seed=seed))
    a, b, c, d = ((tmp_path / f"{name}.csv").read_bytes() for name in "abcd")
    assert a == b
    assert len({a, c, d}) == 3


def test_that_released_numbers_lie_on_the_published_grid(people, design, tmp_path):
    release = release_table(people, design, tmp_path / "out.csv")
    perturbation = release.design["income"].perturbation
    assert isinstance(perturbation, Additive)
    grid = perturbation.grid
    assert grid == 0.1
    income = read_table(tmp_path / "out.csv")["income"].data
    assert np.abs(income / grid - np.rint(income / grid)).max() < 1e-6
    lines = (tmp_path / "out.csv").read_text().splitlines()[1:]
    assert max(len(line.split(",")[0].partition(".")[2]) for line in lines) == 1


@pytest.mark.parametrize(
    "perturbation",
    [
        Additive(noise="normal", sigma=700.0),
        Additive(noise="uniform", half_width=700.0, truncate=True),
        Multiplicative(sigma=0.3),
        Retention(keep=0.5),
    ],
)
def test_that_every_noise_is_published_on_a_grid(people, tmp_path, perturbation):
    designed = DesignedAttribute(people["income"].attribute, perturbation)
    release = release_table(people, Design((designed,)), tmp_path / "out.parquet")
    grid = release.design["income"].perturbation.grid
    assert grid is not None
    income = read_table(tmp_path / "out.parquet")["income"].data
    assert np.abs(income / grid - np.rint(income / grid)).max() < 1e-6


def in_order(rows: int) -> tuple[Table, Design]:
    """A table whose only answer is the number of its row, published as it is."""
    number = Attribute("row", Kind.INTEGER, domain=(0, rows))
    table = Table((Column(number, np.arange(rows, dtype=np.float64)),))
    return table, Design((DesignedAttribute(number, Identity()),))


@pytest.mark.parametrize("seed", [None, 3])
def test_that_rows_are_shuffled_unless_asked_otherwise(tmp_path, seed):
    table, design = in_order(2_000)
    release_table(table, design, tmp_path / "a.csv", ReleaseOptions(seed=seed))
    release_table(table, design, tmp_path / "b.csv", ReleaseOptions(seed=seed, shuffle=False))
    order = read_table(tmp_path / "a.csv")["row"].data
    assert np.array_equal(np.sort(order), table["row"].data)
    # The rank correlation of a random order has the standard deviation 1 / sqrt(n - 1).
    assert abs(np.corrcoef(order, np.arange(2_000))[0, 1]) < 5 / np.sqrt(1_999)
    assert np.array_equal(read_table(tmp_path / "b.csv")["row"].data, table["row"].data)


@pytest.mark.parametrize("buckets", [0, 1, 2, 7])
def test_that_shuffled_chunks_hold_every_row_once_in_any_order(buckets):
    table, _ = in_order(3_000)
    chunks = [table.take(slice(a, b)) for a, b in pairwise((0, 1_000, 1_000, 2_500, 3_000))]
    stream = SeededStreams(11).stream("order")
    parts = list(shuffled_chunks(chunks, buckets, stream))
    order = np.concatenate([part["row"].data for part in parts])
    assert np.array_equal(np.sort(order), table["row"].data)
    assert abs(np.corrcoef(order, np.arange(3_000))[0, 1]) < 5 / np.sqrt(2_999)
    assert len(parts) == max(buckets, 1)


def test_that_every_order_of_three_rows_is_equally_likely():
    table, _ = in_order(3)
    stream = SeededStreams(4).stream("order")
    seen: dict[tuple[float, ...], int] = {}
    for _ in range(600):
        chunks = [table.take(slice(0, 2)), table.take(slice(2, 3))]
        parts = shuffled_chunks(chunks, 2, stream)
        order = tuple(float(v) for part in parts for v in part["row"].data)
        seen[order] = seen.get(order, 0) + 1
    # 600 draws of six orders: 100 each, five standard deviations are 46.
    assert len(seen) == 6
    assert all(abs(count - 100) < 46 for count in seen.values())


@pytest.fixture
def in_pieces(monkeypatch):
    """Small files are streamed too, in chunks of 100 rows and buckets of 16 kB."""
    monkeypatch.setattr(release_module, "_IN_MEMORY_BYTES", 0)
    monkeypatch.setattr(release_module, "_CHUNK_ROWS", 100)
    monkeypatch.setattr(release_module, "_BUCKET_BYTES", 16_384)

    def read(path, options, schema, rows, progress):
        from ppworkbench.core.data.chunks import read_chunks

        return read_chunks(path, options, schema, rows, progress, whole_up_to=0)

    monkeypatch.setattr(release_module, "read_chunks", read)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_that_a_streamed_file_is_the_same_as_one_distorted_at_once(
    people, design, tmp_path, monkeypatch, suffix
):
    source = tmp_path / f"in.{suffix}"
    write_table(people, source)
    options = ReleaseOptions(seed=3, shuffle=False)
    release_file(source, design, tmp_path / f"whole.{suffix}", options)
    monkeypatch.setattr(release_module, "_IN_MEMORY_BYTES", 0)
    monkeypatch.setattr(release_module, "_CHUNK_ROWS", 100)
    release_file(source, design, tmp_path / f"pieces.{suffix}", options)
    whole, pieces = (read_table(tmp_path / f"{name}.{suffix}") for name in ("whole", "pieces"))
    assert whole.equals(pieces)
    assert codebook_of(tmp_path / f"pieces.{suffix}") == codebook_of(tmp_path / f"whole.{suffix}")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_that_a_streamed_release_is_shuffled_and_holds_no_truth(
    people, design, tmp_path, in_pieces, suffix
):
    source, folder = tmp_path / f"in.{suffix}", tmp_path / "out"
    folder.mkdir()
    write_table(people, source)
    release = release_file(source, design, folder / f"out.{suffix}")
    held = contents(folder)
    assert b"Quistgaard" not in held
    assert b"4321.09" not in held
    assert release.rows == ROWS
    back = read_table(folder / f"out.{suffix}")
    assert back.rows == ROWS
    assert design_from_json(codebook_of(folder / f"out.{suffix}").design) == publishable(design)
    # Ages move by at most 10: in their old order they would go along with the original ones.
    correlation = np.corrcoef(back["age"].data, people["age"].data)[0, 1]
    assert abs(correlation) < 5 / np.sqrt(ROWS - 1)


def test_that_a_streamed_release_is_distorted_as_the_design_says(tmp_path, in_pieces, monkeypatch):
    table = load_sample("city-survey")
    design = starting_design(table).with_perturbation("district", Uniform(keep=0.6))
    write_table(table, tmp_path / "in.csv")
    monkeypatch.setattr(release_module, "_CHUNK_ROWS", 1_000)
    release_file(tmp_path / "in.csv", design, tmp_path / "out.csv")
    back = read_table(tmp_path / "out.csv")
    before, after = table["district"].counts, back["district"].counts
    k, n = len(before), table.rows
    expected = 0.6 * before + (n - before) * 0.4 / (k - 1)
    assert np.all(np.abs(after - expected) < 5 * np.sqrt(expected))


def test_that_an_answer_outside_of_the_design_stops_the_release_and_leaves_nothing(
    people, tmp_path
):
    narrow = Attribute("voted", Kind.NOMINAL, ("yes", "perhaps"))
    design = Design((DesignedAttribute(narrow, Uniform(keep=0.7)),))
    with pytest.raises(DesignError, match="which the design does not list"):
        release_table(people, design, tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_that_a_cancelled_release_leaves_nothing_and_keeps_the_former_file(
    people, design, tmp_path
):
    target = tmp_path / "out.csv"
    target.write_text("former")
    progress = StoppableProgress(lambda done, message: progress.stop() if done > 0.4 else None)
    with pytest.raises(Cancelled):
        release_table(people, design, target, progress=progress)
    assert target.read_text() == "former"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_that_formulas_are_escaped_by_default(tmp_path):
    attribute = Attribute("answer", Kind.BINARY, ("=1+1", "no"))
    table = Table((Column(attribute, np.array([0, 1, 0])),))
    design = Design((DesignedAttribute(attribute, Identity()),))
    release_table(table, design, tmp_path / "a.csv")
    assert "'=1+1" in (tmp_path / "a.csv").read_text()
    release_table(table, design, tmp_path / "b.csv", ReleaseOptions(escape_formulas=False))
    assert "'=1+1" not in (tmp_path / "b.csv").read_text()


def test_that_missing_answers_follow_the_policy_of_their_attribute(tmp_path):
    ages = Attribute("age", Kind.INTEGER, domain=(0, 99), missing=MissingPolicy.IMPUTE)
    votes = Attribute("voted", Kind.BINARY, ("no", "yes"), missing=MissingPolicy.DROP)
    notes = Attribute("note", Kind.BINARY, ("a", "b"), missing=MissingPolicy.DROP)
    table = Table(
        (
            Column(ages, np.array([10.0, np.nan, 30.0, 50.0])),
            Column(votes, np.array([0, 1, -1, 1])),
            Column(notes, np.array([-1, -1, -1, -1])),
        )
    )
    design = Design(tuple(DesignedAttribute(a, Identity()) for a in (ages, votes)))
    release = release_table(table, design, tmp_path / "out.csv", ReleaseOptions(shuffle=False))
    back = read_table(tmp_path / "out.csv")
    assert back["age"].data.tolist() == [10, 30, 50]
    assert back["voted"].data.tolist() == [0, 1, 1]
    assert len([note for note in release.notes if note.startswith(("age:", "voted:"))]) == 2


def test_that_what_a_format_cannot_hold_is_told(tmp_path):
    attribute = Attribute("a name with blanks", Kind.BINARY, ("no", "yes"))
    table = Table((Column(attribute, np.array([0, 1, 0])),))
    design = Design((DesignedAttribute(attribute, Identity()),))
    release = release_table(table, design, tmp_path / "out.sav")
    assert any("a name with blanks" in note for note in release.notes)


def test_that_an_unknown_ending_is_refused_in_a_sentence(people, design, tmp_path):
    with pytest.raises(DataError, match=r"cannot be written; choose a name"):
        release_table(people, design, tmp_path / "out.docx")
