"""The order of released rows, and releases that are streamed in pieces."""

from __future__ import annotations

import tempfile
from itertools import pairwise

import numpy as np
import pytest
from examples import sweep
from releasing import ROWS, contents

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import codebook_of, read_table, write_table
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Design,
    DesignedAttribute,
    Identity,
    Uniform,
)
from ppworkbench.core.design import release as release_module
from ppworkbench.core.design.design_file import design_from_json, publishable
from ppworkbench.core.design.release import (
    ReleaseOptions,
    release_file,
    release_table,
)
from ppworkbench.core.design.shuffle import shuffled_chunks
from ppworkbench.core.design.starting import starting_design
from ppworkbench.core.progress import Cancelled
from ppworkbench.core.rng import SeededStreams


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


@pytest.mark.slow
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


@pytest.mark.parametrize("suffix", sweep(["csv", "parquet"], quick=1))
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


@pytest.mark.parametrize("suffix", ["csv", pytest.param("parquet", marks=pytest.mark.slow)])
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


@pytest.mark.slow
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


def test_that_a_stopped_release_leaves_no_answers_behind_while_its_error_is_kept(
    people, design, tmp_path, in_pieces, monkeypatch
):
    """An error keeps what it passed through, and with it rows that wait on the disk."""
    write_table(people, tmp_path / "in.csv")
    waiting = tmp_path / "waiting"
    waiting.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(waiting))

    def stop(done, message=""):
        if "rows written" in message:
            raise Cancelled

    with pytest.raises(Cancelled) as kept:
        release_file(tmp_path / "in.csv", design, tmp_path / "out.csv", progress=stop)
    assert kept.tb is not None
    assert list(waiting.iterdir()) == []
