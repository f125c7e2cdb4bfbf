"""What a study remembers of the folder that its table is a sample of."""

from __future__ import annotations

import json

import pytest

from ppworkbench.core.errors import DataError
from ppworkbench.study.parts.study_parts import StudyParts

PARTS = StudyParts("/answers", 12, 1_200_000, "local:4")


def read_again(parts: StudyParts) -> StudyParts:
    return StudyParts.from_json(json.loads(json.dumps(parts.to_json())))


def test_that_a_folder_comes_back():
    assert read_again(PARTS) == PARTS


def test_that_a_file_names_no_cluster():
    # Whoever sends a study would otherwise choose what this computer connects to and runs.
    read = read_again(StudyParts("/answers", 12, 1_200_000, "dask://203.0.113.9:8786"))
    assert read.engine == "local"
    assert (read.address, read.files, read.rows) == ("/answers", 12, 1_200_000)


@pytest.mark.parametrize(
    "change", [{"rows": 0}, {"rows": True}, {"files": "12"}, {"address": ""}, {"engine": None}]
)
def test_that_a_damaged_folder_is_refused(change):
    with pytest.raises(DataError, match="sample of is damaged"):
        StudyParts.from_json(PARTS.to_json() | change)
