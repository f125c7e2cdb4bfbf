"""The tour: pictures of every page without a screen, and nothing touched that is the user's."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import types

import pytest
from patience import PATIENCE

from ppworkbench.cli.commands import guide_commands
from ppworkbench.cli.main import main


def png_size(path) -> tuple[int, int]:
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", head[16:24])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tour"], "--out"),
        (["tour", "--out", "x", "--size", "big"], "a size has the form 1366x768, not 'big'"),
        (["tour", "--out", "x", "--size", "800x600"], "at least 1100x700"),
        (["tour", "--out", "x", "--theme", "pink"], "invalid choice: 'pink'"),
    ],
)
def test_that_a_wrong_tour_is_a_matter_of_usage(capsys, words, said):
    assert main(words) == 2
    assert said in capsys.readouterr().err


def test_that_every_size_is_shown_in_every_theme(monkeypatch, tmp_path, capsys):
    asked = []

    def take_tour(folder, views, progress):
        asked.extend(views)
        return (folder / "a.png", folder / "b.png")

    fake = types.SimpleNamespace(take_tour=take_tour, View=lambda *fields: fields)
    monkeypatch.setattr(guide_commands, "_window_side", lambda: fake)
    sizes = ["--size", "1366x768", "--size", "1920x1080"]
    themes = ["--theme", "light", "--theme", "dark"]
    assert main(["tour", "--out", str(tmp_path), *sizes, *themes, "--json"]) == 0
    assert asked == [
        (1366, 768, "light", "en"), (1366, 768, "dark", "en"),
        (1920, 1080, "light", "en"), (1920, 1080, "dark", "en"),
    ]  # fmt: skip
    pictures = json.loads(capsys.readouterr().out)["pictures"]
    assert pictures == [str(tmp_path / "a.png"), str(tmp_path / "b.png")]


def test_that_missing_libraries_are_one_sentence(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(guide_commands, "TOUR", "ppworkbench.gui.no_such_module")
    assert main(["tour", "--out", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "libraries of the window cannot be loaded" in said
    assert said.count("\n") == 1


@pytest.mark.slow
def test_that_the_tour_takes_a_picture_of_every_page_without_a_screen(tmp_path):
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    home.mkdir()
    scratch.mkdir()
    environment["TMPDIR"] = str(scratch)
    environment |= {name: str(home) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    folder = tmp_path / "pictures"
    done = subprocess.run(
        [sys.executable, "-m", "ppworkbench", "tour", "--out", str(folder), "--json"],
        env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    pictures = json.loads(done.stdout)["pictures"]
    names = {os.path.basename(path)[3:-4] for path in pictures}  # noqa: PTH119
    assert {"start", "data", "design-ordinal", "design-ordinal-loop", "explore-continuous"} <= names
    assert {"running-job", "error", "design-singular", "design-drawn"} <= names
    assert sorted(str(path) for path in folder.iterdir()) == sorted(pictures)
    for path in folder.iterdir():
        assert png_size(path) == (1366, 768)
        assert path.stat().st_size > 30_000
    assert "Traceback" not in done.stderr
    assert not list(home.rglob("*.ini"))
    assert not list(home.rglob("recent.json"))
    assert not list(scratch.iterdir())


@pytest.mark.slow
def test_that_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    done = subprocess.run(
        [sys.executable, "-m", "ppworkbench", "tour", "--out", str(tmp_path / "file" / "x")],
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 1
    assert "cannot be made" in done.stderr
    assert done.stderr.count("\n") == 1
