"""ReadStat in a process of its own: same answers, and no harm when it breaks down."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from examples import sweep

from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.formats import parquet, readstat, readstat_process
from ppworkbench.core.data.formats.readstat import parse
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Cancelled, silent

FRAME = pd.DataFrame({"x": [1.0, np.nan, 2.5], "t": ["żółw", "", "b"]})


def made(tmp_path: Path, suffix: str) -> Path:
    path = tmp_path / f"f{suffix}"
    if suffix == ".dta":
        cells = pd.Series([1, "a", None], dtype=object)
        frame = FRAME.assign(y=cells)
        labels = {"y": {1: "one", "a": "refused"}}
        pyreadstat.write_dta(
            frame, path, variable_value_labels=labels, missing_user_values={"y": ["a"]}
        )
    elif suffix == ".por":
        pyreadstat.write_por(FRAME.rename(columns=str.upper).replace("żółw", "a"), path)
    else:
        pyreadstat.write_sav(
            FRAME,
            path,
            compress=suffix == ".zsav",
            variable_value_labels={"x": {1.0: "one"}},
            missing_ranges={"x": [{"lo": -np.inf, "hi": -1.0}, 9.0]},
            column_labels={"x": "Ile?"},
        )
    return path


def described(path: Path) -> list[tuple[object, ...]]:
    kind = {".dta": "dta", ".por": "por"}.get(path.suffix, "sav")
    return [
        (
            one.name,
            one.label,
            dict(one.value_labels),
            one.missing_ranges,
            one.measure,
            one.display,
            None if one.numbers is None else [repr(number) for number in one.numbers.tolist()],
            None if one.texts is None else one.texts.to_pylist(),
            None if one.letters is None else bytes(one.letters),
        )
        for one in parse(path, kind, None, silent).variables
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "suffix",
    sweep((".sav", ".dta", ".zsav", ".por"), quick=1),
)
def test_that_both_ways_give_the_same_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    path = made(tmp_path, suffix)
    apart = described(path)
    monkeypatch.setattr(readstat, "APART", False)
    assert described(path) == apart
    assert apart[0][6] == ["1.0", "nan", "2.5"]
    monkeypatch.setattr(readstat_process, "_MANY_CELLS", 0)
    assert described(path) == apart


def test_that_a_letter_in_a_large_file_leaves_plain_missing_cells_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readstat, "APART", False)
    monkeypatch.setattr(readstat_process, "_MANY_CELLS", 0)
    lettered = described(made(tmp_path, ".dta"))[2]
    assert lettered[6] == ["1.0", "nan", "nan"]
    assert lettered[8] == b"\0a\0"


def test_that_a_file_of_unknown_length_with_many_columns_is_read_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readstat, "APART", False)
    monkeypatch.setattr(readstat_process, "_BLOCK", 3)
    frame = pd.DataFrame({f"V{i}": [float(i), 1.0] for i in range(8)})
    path = tmp_path / "f.por"
    pyreadstat.write_por(frame, path)
    assert [one[6] for one in described(path)] == [[repr(float(i)), "1.0"] for i in range(8)]


@pytest.mark.parametrize(
    "program",
    ["import os; os.abort()", "raise SystemExit(1)", "print('no answer at all, but long enough')"],
    ids=["crash", "exit", "nonsense"],
)
def test_that_a_breakdown_of_the_reader_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    script = tmp_path / "broken.py"
    script.write_text(program)
    monkeypatch.setattr(readstat, "_PROGRAM", script)
    path = made(tmp_path, ".sav")
    with pytest.raises(DataError, match=r"f\.sav is damaged: its reader crashed") as caught:
        read_table(path)
    assert caught.value.file == str(path)


def test_that_stopping_ends_the_other_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, noted = tmp_path / "slow.py", tmp_path / "pid"
    script.write_text(
        f"import os, time, pathlib\npathlib.Path({str(noted)!r}).write_text(str(os.getpid()))\n"
        "time.sleep(3600)\n"
    )
    monkeypatch.setattr(readstat, "_PROGRAM", script)

    def stop(done: float, message: str = "") -> None:
        if noted.exists() and noted.read_text():
            raise Cancelled

    with pytest.raises(Cancelled):
        read_table(made(tmp_path, ".sav"), progress=stop)
    with pytest.raises(ProcessLookupError):
        os.kill(int(noted.read_text()), 0)


def test_that_a_reader_that_does_not_come_to_an_end_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "endless.py"
    script.write_text("while True:\n    pass\n")
    monkeypatch.setattr(readstat, "_PROGRAM", script)
    monkeypatch.setattr(readstat, "_PATIENCE", 0.1)
    with pytest.raises(DataError, match=r"f\.sav is probably damaged: .* and was stopped\."):
        read_table(made(tmp_path, ".sav"))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="nothing tells what is busy")
def test_that_a_reader_that_gets_no_processor_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a slow or crowded computer a sound file must not be called damaged.
    script = tmp_path / "waiting.py"
    process = Path(readstat_process.__file__)
    script.write_text(
        "import runpy, time\ntime.sleep(1.5)\n"
        f"runpy.run_path({str(process)!r}, run_name='__main__')\n"
    )
    path = made(tmp_path, ".sav")
    expected = read_table(path)
    monkeypatch.setattr(readstat, "_PROGRAM", script)
    monkeypatch.setattr(readstat, "_PATIENCE", 0.5)
    monkeypatch.setattr(readstat, "_STARVED", math.inf)
    # Starting Python alone takes more processor time than a quarter of that.
    monkeypatch.setattr(readstat, "_busy", lambda pid, busy=readstat._busy: busy(pid) / 100)
    assert read_table(path).rows == expected.rows


@pytest.mark.parametrize("suffix", [".zsav", ".por"])
def test_that_a_file_that_unpacks_to_too_much_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    # A .por file does not tell how many rows it has.
    frame = pd.DataFrame({"A": [0.0] * 3_000, "B": [0.0] * 3_000})
    path = tmp_path / f"f{suffix}"
    if suffix == ".por":
        pyreadstat.write_por(frame, path)
    else:
        pyreadstat.write_sav(frame, path, compress=True)
    monkeypatch.setattr(readstat, "APART", False)
    assert read_table(path).rows == 3_000
    monkeypatch.setattr(parquet, "HARMLESS", 10_000)
    monkeypatch.setattr(parquet, "HIGHEST_RATIO", 1)
    with pytest.raises(DataError, match="would unpack from"):
        read_table(path)


def test_that_memory_that_runs_out_there_is_told_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(request: dict[str, object]) -> None:
        raise MemoryError

    monkeypatch.setattr(readstat, "APART", False)
    monkeypatch.setattr(readstat_process, "read", fail)
    with pytest.raises(DataError, match="not enough memory"):
        read_table(made(tmp_path, ".sav"))
