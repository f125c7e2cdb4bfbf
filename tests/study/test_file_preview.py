"""A look at a file that is not opened yet: a bounded head, whole records, one sentence."""

import pytest
from answers import small_table

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import DataError
from ppworkbench.study.files import preview
from ppworkbench.study.files.preview import HEAD, ROWS, read_head


def test_that_the_head_of_a_long_file_is_read_alone(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("number,word\n" + "\n".join(f"{i},word {i % 7}" for i in range(80_000)))
    assert path.stat().st_size > 2 * HEAD
    table = read_head(path, ReadOptions())
    assert table.rows == ROWS
    assert table.names == ("number", "word")
    assert table.source == str(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1250"])
def test_that_the_head_ends_with_a_whole_record(tmp_path, encoding):
    path = tmp_path / "quoted.csv"
    record = '1,"zażółć\ngęślą ""jaźń"""\n'
    path.write_bytes(("id,text\n" + record * 30_000).encode(encoding))
    table = read_head(path, ReadOptions())
    assert table.rows == ROWS
    assert table["text"].attribute.values == ('zażółć\ngęślą "jaźń"',)


def test_that_a_head_goes_with_its_codebook(tmp_path):
    path = tmp_path / "small.csv"
    write_table(small_table(), path)
    assert read_head(path, ReadOptions())["mood"].attribute.kind is Kind.ORDINAL


def test_that_a_long_file_that_has_no_head_is_not_read(tmp_path, monkeypatch):
    path = tmp_path / "small.parquet"
    write_table(small_table(), path)
    assert read_head(path, ReadOptions()).rows == ROWS
    monkeypatch.setattr(preview, "LARGEST_WHOLE", 100)
    with pytest.raises(DataError, match="too long for a preview"):
        read_head(path, ReadOptions())


def test_that_a_file_that_is_gone_is_one_sentence(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_head(tmp_path / "gone.csv", ReadOptions())
