"""What tests of studies share."""

from __future__ import annotations

import pytest
from studies import make_study

from ppworkbench.study.files.study_file import save_study


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "small.ppw"
    save_study(make_study(), path)
    return path
