"""The recipe of the bundle: what can be known of it without building one."""

from __future__ import annotations

import ast
import re
import tomllib

import pytest
from recipes import LINUX, MIME_TYPE, PACKAGING, ROOT, SPEC

RECIPE = SPEC.read_text(encoding="utf-8")
WINDOWS = (PACKAGING / "windows" / "ppworkbench.iss").read_text(encoding="utf-8")
RECIPES = [
    *PACKAGING.glob("*.py"), *PACKAGING.glob("*.spec"), *LINUX.iterdir(),
    *(PACKAGING / "windows").iterdir(),
]  # fmt: skip


def named_in_the_spec(name):
    """The value of a constant of the recipe, which only PyInstaller can run."""
    for node in ast.walk(ast.parse(RECIPE)):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            value = node.value.args[0] if isinstance(node.value, ast.Call) else node.value
            return ast.literal_eval(value)
    raise AssertionError(name)


def test_that_everything_that_goes_into_a_wheel_goes_into_the_bundle():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    shipped = named_in_the_spec("SHIPPED")
    assert included.items() <= dict(shipped).items()
    assert all((ROOT / source).exists() for source, _ in shipped)


def test_that_nothing_which_the_program_imports_is_left_out_of_the_bundle():
    pattern = re.compile(r"^\s*(?:from|import) ([\w.]+)(?: import ([\w, ]+))?", re.MULTILINE)
    imported = set()
    for path in (ROOT / "ppworkbench").rglob("*.py"):
        for module, names in pattern.findall(path.read_text(encoding="utf-8")):
            imported |= {module, *(f"{module}.{name.strip()}" for name in names.split(","))}
    excluded = named_in_the_spec("EXCLUDED")
    # Computing on a cluster takes an installation with Python.
    assert imported & set(excluded) <= {"distributed"}


def test_that_no_loop_of_ours_needs_the_thread_pools_that_are_left_out_of_the_bundle():
    assert {"numba.np.ufunc.omppool", "numba.np.ufunc.tbbpool"} <= {*named_in_the_spec("EXCLUDED")}
    for path in (ROOT / "ppworkbench").rglob("*.py"):
        assert not re.search(r"\bprange\b|\bparallel=True", path.read_text(encoding="utf-8")), path


def test_that_files_are_left_out_of_the_bundle_only_where_nothing_reads_them():
    unwanted = re.compile(named_in_the_spec("UNWANTED"))
    for needed in (
        "ppworkbench/resources/samples/weather.csv",
        "sklearn/datasets/data/iris.csv",
        "pyarrow/libarrow.so.2600",
        "pyarrow/libarrow_substrait.so.2600",
        "PySide6/Qt/lib/libQt6OpenGL.so.6",
        "PySide6/Qt/plugins/platforms/libqoffscreen.so",
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/plugins/platforms/qwindows.dll",
        "libX11.so.6",
        "libXau.so.6",
    ):
        assert not unwanted.search(needed), needed
    for idle in (
        "pyarrow/libarrow_flight.so.2600",
        "pandas/tests/test_base.py",
        "PySide6/Qt/lib/libQt6Network.so.6",
        "libgtk-3.so.0",
        "libpangocairo-1.0.so.0",
    ):
        assert unwanted.search(idle), idle


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_that_no_recipe_names_a_machine_s_folder_or_a_package_registry(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"/root/|/work/|/Users/|pypi|deb\.debian|index-url|\.pyenv", text)


@pytest.mark.parametrize("text", [RECIPE, WINDOWS], ids=["spec", "windows"])
def test_that_untested_recipes_say_so(text):
    assert "NOT TESTED HERE" in text


def test_that_windows_and_macos_open_studies_with_the_program():
    assert r"Software\Classes\.ppw" in WINDOWS
    assert r'ppworkbench-window.exe"" ""%1"""' in WINDOWS
    assert '"public.filename-extension": ["ppw"]' in RECIPE
    assert MIME_TYPE in WINDOWS
    assert MIME_TYPE in RECIPE
