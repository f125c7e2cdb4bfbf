"""What goes into a wheel, and what its page shows."""

from __future__ import annotations

import re
import tomllib
import zipfile

import pytest
from recipes import PACKAGING, ROOT

from ppworkbench import __version__


def test_that_the_script_does_not_hide_the_package_called_packaging():
    # An __init__.py would make this folder a package of the same name as PyPI's.
    assert not (PACKAGING / "__init__.py").exists()


def test_that_resources_and_icons_are_declared_for_the_wheel():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included == {"resources": "ppworkbench/resources", "icons": "ppworkbench/icons"}


def test_that_the_citation_names_the_version_that_is_installed():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r'^version: "(.+)"$', citation, re.MULTILINE)[1] == __version__
    assert re.search(r"^license: (.+)$", citation, re.MULTILINE)[1] == "MIT"


@pytest.mark.slow
def test_that_the_wheel_holds_code_resources_and_icons(tmp_path):
    wheel_builder = pytest.importorskip("hatchling.builders.wheel")
    [path] = wheel_builder.WheelBuilder(str(ROOT)).build(
        directory=str(tmp_path), versions=["standard"]
    )
    with zipfile.ZipFile(path) as wheel:
        held = set(wheel.namelist())
    assert "ppworkbench/cli/main.py" in held
    for folder in ("resources", "icons"):
        files = {
            f"ppworkbench/{file.relative_to(ROOT).as_posix()}"
            for file in (ROOT / folder).rglob("*")
            if file.is_file()
        }
        assert files <= held
        assert files
    assert not any(name.startswith(("tests/", "packaging/")) for name in held)
    assert any(name.endswith("licenses/LICENSE") for name in held)


def test_that_the_pictures_of_the_readme_are_there_and_small():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\]\((resources/pictures/[\w-]+\.png)\)", text))
    there = {f"resources/pictures/{p.name}" for p in (ROOT / "resources/pictures").iterdir()}
    assert named == there
    assert max((ROOT / name).stat().st_size for name in named) < 250_000
