"""The recipes of bundles and packages: what can be known of them without building any."""

from __future__ import annotations

import ast
import configparser
import importlib.util
import json
import re
import struct
import subprocess
import sys
import tomllib
import zlib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import ppworkbench.__main__ as start
from ppworkbench import __version__
from ppworkbench.cli.main import build_parser
from ppworkbench.core.data.formats import readstat

ROOT = Path(__file__).resolve().parents[1]
PACKAGING = ROOT / "packaging"
LINUX = PACKAGING / "linux"
SPEC = (PACKAGING / "ppworkbench.spec").read_text(encoding="utf-8")
WINDOWS = (PACKAGING / "windows" / "ppworkbench.iss").read_text(encoding="utf-8")
METAINFO = LINUX / "org.ppworkbench.Workbench.metainfo.xml"
MIME_TYPE = "application/x-ppworkbench"
RECIPES = [
    *PACKAGING.glob("*.py"), *PACKAGING.glob("*.spec"), *LINUX.iterdir(),
    *(PACKAGING / "windows").iterdir(),
]  # fmt: skip


@pytest.fixture
def load(monkeypatch):
    """Loads a file of the folder as a fresh module."""
    monkeypatch.syspath_prepend(str(PACKAGING))

    def fresh(name):
        spec = importlib.util.spec_from_file_location(name, PACKAGING / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return fresh


def desktop_entry():
    parser = configparser.RawConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(LINUX / "ppworkbench.desktop", encoding="utf-8")
    return parser["Desktop Entry"]


def named_in_the_spec(name):
    """The value of a constant of the recipe, which only PyInstaller can run."""
    for node in ast.walk(ast.parse(SPEC)):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            value = node.value.args[0] if isinstance(node.value, ast.Call) else node.value
            return ast.literal_eval(value)
    raise AssertionError(name)


def test_that_the_desktop_entry_starts_the_program_with_the_file_that_was_clicked():
    entry = desktop_entry()
    assert entry["Type"] == "Application"
    assert entry["Exec"] == "ppworkbench %f"
    assert entry["Icon"] == "ppworkbench"
    assert entry["Terminal"] == "false"
    assert entry["MimeType"] == f"{MIME_TYPE};"
    assert all(entry[name].endswith(";") for name in ("Categories", "Keywords", "MimeType"))


def test_that_the_mime_type_is_that_of_study_files_and_has_the_packaged_icon(load):
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    (kind,) = ET.parse(LINUX / "ppworkbench.xml").getroot()
    assert kind.get("type") == MIME_TYPE
    assert [one.get("pattern") for one in kind.findall(f"{space}glob")] == ["*.ppw"]
    package = load("debian_package")
    assert kind.find(f"{space}icon").get("name") == package.DOCUMENT_ICON


def test_that_the_metadata_name_the_entry_the_type_and_this_version():
    component = ET.parse(METAINFO).getroot()
    assert f"{component.findtext('id')}.metainfo.xml" == METAINFO.name
    assert component.findtext("launchable") == "ppworkbench.desktop"
    assert component.findtext("provides/mediatype") == MIME_TYPE
    assert component.find("releases/release").get("version") == __version__
    assert component.findtext("summary") == desktop_entry()["Comment"]
    categories = [one.text for one in component.findall("categories/category")]
    assert categories == desktop_entry()["Categories"].rstrip(";").split(";")


def test_that_licence_and_version_are_the_project_s(load):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert ET.parse(METAINFO).getroot().findtext("project_license") == project["license"]
    assert f"License: {project['license']}" in (LINUX / "copyright").read_text(encoding="utf-8")
    assert load("build_linux").version() == __version__
    assert "from ppworkbench import __version__" in SPEC
    assert not re.search(r"\d+\.\d+\.\d+", SPEC)


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
    # Computing on a cluster takes an installation with Python, which the program says.
    assert imported & set(excluded) <= {"distributed"}


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


@pytest.mark.parametrize("text", [SPEC, WINDOWS], ids=["spec", "windows"])
def test_that_untested_recipes_say_so(text):
    assert "NOT TESTED HERE" in text


def test_that_windows_and_macos_open_studies_with_the_program():
    assert r"Software\Classes\.ppw" in WINDOWS
    assert r'ppworkbench-window.exe"" ""%1"""' in WINDOWS
    assert '"public.filename-extension": ["ppw"]' in SPEC
    assert MIME_TYPE in WINDOWS
    assert MIME_TYPE in SPEC


def test_that_there_is_an_icon_for_the_program_and_one_for_its_studies(load):
    drawings = sorted((ROOT / "icons" / "desktop").glob("*.svg"))
    package = load("debian_package")
    places = [package.place_of_icon(path.stem, path.suffix) for path in drawings]
    assert places == ["apps/ppworkbench.svg", "mimetypes/application-x-ppworkbench.svg"]
    for path in drawings:
        root = ET.parse(path).getroot()
        assert root.get("viewBox") == "0 0 128 128"
        assert "currentColor" not in path.read_text(encoding="utf-8")


def test_that_the_packages_are_those_of_libraries_which_the_bundle_does_not_hold(load):
    needs = load("bundle_needs")
    names = ["libc.so.6", "ld-linux-x86-64.so.2", "libEGL.so.1", "libz.so.1", "libQt6Gui.so.6"]
    told = "".join(f"  NEEDED               {name}\n" for name in names)
    told += "    0x06969194 0x00 03 GLIBC_2.4\n    0x069691b4 0x00 02 GLIBC_2.34\n"
    found = needs.needs_from(told, {"libQt6Gui.so.6"})
    assert found.packages() == ["libc6 (>= 2.34)", "libegl1", "zlib1g"]


def test_that_a_library_without_a_known_package_ends_the_build(load):
    needs = load("bundle_needs")
    with pytest.raises(SystemExit, match=r"no package is known that has libodd\.so\.1"):
        needs.needs_from("  NEEDED  libodd.so.1", set()).packages()


def test_that_the_package_has_every_file_in_its_place(load, tmp_path):
    package = load("debian_package")
    bundle, icons, tree = tmp_path / "bundle", tmp_path / "icons", tmp_path / "tree"
    for folder in (bundle, icons):
        folder.mkdir()
    (bundle / "ppworkbench").write_text("program")
    for name in ("ppworkbench-48.png", "study-48.png", "study.ico"):
        (icons / name).write_text("picture")
    package.lay_out(tree, bundle, icons, "1.2.3")
    files = {path.relative_to(tree).as_posix() for path in tree.rglob("*") if not path.is_dir()}
    assert (tree / "usr/bin/ppworkbench").read_text() == "program"
    assert files == {
        "usr/bin/ppworkbench",
        "usr/lib/ppworkbench/ppworkbench",
        "usr/share/applications/ppworkbench.desktop",
        "usr/share/doc/ppworkbench/changelog.gz",
        "usr/share/doc/ppworkbench/copyright",
        "usr/share/icons/hicolor/48x48/apps/ppworkbench.png",
        "usr/share/icons/hicolor/48x48/mimetypes/application-x-ppworkbench.png",
        "usr/share/icons/hicolor/scalable/apps/ppworkbench.svg",
        "usr/share/icons/hicolor/scalable/mimetypes/application-x-ppworkbench.svg",
        "usr/share/man/man1/ppworkbench.1.gz",
        f"usr/share/metainfo/{METAINFO.name}",
        "usr/share/mime/packages/ppworkbench.xml",
    }


def test_that_the_manual_names_commands_that_there_are():
    manual = (LINUX / "ppworkbench.1").read_text(encoding="utf-8")
    section = manual.partition(".SH COMMANDS")[2].partition(".SH")[0]
    named = re.findall(r"^\.TP\n\.B (\w+)$", section, re.MULTILINE)
    help_text = build_parser().format_help()
    assert len(named) == 5
    assert all(re.search(rf"^    {name}\b", help_text, re.MULTILINE) for name in named)


def test_that_a_bundle_is_asked_to_read_statistics_files_by_a_word_that_it_knows(load, monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(Path("/opt/it/ppworkbench-window.exe")))
    program, word, request = readstat._command("{}")
    assert (Path(program).name, request) == ("ppworkbench.exe", "{}")
    launch = load("launch")
    assert word == launch.READER
    assert (ROOT / launch.READER_FILE).samefile(readstat._PROGRAM)
    assert f'("{launch.READER_FILE}"' in SPEC


def test_that_the_bundle_s_start_answers_as_the_reader(tmp_path):
    request = json.dumps({"path": str(tmp_path / "none.sav"), "kind": "sav", "encoding": None})
    command = [sys.executable, str(PACKAGING / "launch.py"), "--read-statistics-file", request]
    told = subprocess.run(command, capture_output=True, check=True, cwd=ROOT).stdout
    answer, arrays = readstat._receive(told)
    assert "none.sav" in answer["message"]
    assert arrays == []


def test_that_the_bundle_s_start_runs_nothing_but_its_own_helpers(load):
    launch = load("launch")
    for words in (
        ["-c", "print(1)"],
        ["-c", "from joblib.externals.loky.backend.resource_tracker import main; main(1, 0); x()"],
        ["-m", "http.server"],
        ["--read-statistics-file"],
        ["tour", "--out", "x"],
        [],
    ):
        assert launch.helped(["ppworkbench", *words]) is False


def test_that_the_words_of_joblib_s_helpers_are_those_that_the_bundle_s_start_knows(load):
    from joblib.externals.loky.backend import popen_loky_posix, resource_tracker

    launch = load("launch")
    assert popen_loky_posix.__name__ == launch.WORKER
    source = Path(resource_tracker.__file__).read_text(encoding="utf-8")
    said = re.search(r"""f['"](from \{main.__module__\} import main; main\(.*\))['"]""", source)
    text = said[1].replace("{main.__module__}", resource_tracker.main.__module__)
    text = text.replace("{r}", "7").replace("{VERBOSE}", str(resource_tracker.VERBOSE))
    assert launch.TRACKER.fullmatch(text)[1] == "7"


def test_that_other_programs_get_the_libraries_of_the_system(load, monkeypatch):
    launch = load("launch")
    monkeypatch.setattr(sys, "_MEIPASS", "/opt/it", raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/it")
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/usr/mine")
    monkeypatch.setenv("DYLD_LIBRARY_PATH", "/opt/it")
    launch.leave_the_system_its_libraries()
    assert launch.os.environ["LD_LIBRARY_PATH"] == "/usr/mine"
    assert not {"LD_LIBRARY_PATH_ORIG", "DYLD_LIBRARY_PATH"} & launch.os.environ.keys()


def test_that_files_open_the_window_and_everything_else_is_a_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("study.ppw", "tour"):
        Path(name).touch()
    assert start.are_files(["study.ppw"])
    assert start.are_files([str(tmp_path / "study.ppw")])
    for words in (["tour"], ["inspect", "study.ppw"], ["none.ppw"], ["--version"], [str(tmp_path)]):
        assert not start.are_files(words)


def test_that_the_picture_of_a_virtual_screen_is_read_row_by_row(load, tmp_path):
    screens = load("virtual_screen")
    width, height, line = 3, 2, 16
    fields = [0] * 25
    fields[0], fields[4], fields[5], fields[12], fields[19] = 104, width, height, line, 2
    rows = [bytes(range(y * 12, y * 12 + 12)) + b"\xff" * 4 for y in range(height)]
    memory = tmp_path / "screen"
    memory.write_bytes(struct.pack(">25I", *fields) + b"name" + b"c" * 24 + b"".join(rows))
    picture = screens.Screen(":1", memory).picture()
    assert (picture.width, picture.height, picture.colours) == (3, 2, 6)
    assert picture.pixels == bytes(range(24))
    picture.save(tmp_path / "it.png")
    content = (tmp_path / "it.png").read_bytes()
    start_of_rows = content.index(b"IDAT") + 4
    rows_again = zlib.decompress(content[start_of_rows:-16])
    assert rows_again[:10] == bytes([0, 2, 1, 0, 6, 5, 4, 10, 9, 8])
