"""The Debian package: its files, its metadata and what it needs."""

from __future__ import annotations

import configparser
import re
import tomllib
from xml.etree import ElementTree as ET

import pytest
from recipes import LINUX, MIME_TYPE, ROOT, SPEC

from ppworkbench import __version__
from ppworkbench.cli.main import build_parser

METAINFO = LINUX / "org.ppworkbench.Workbench.metainfo.xml"
RECIPE = SPEC.read_text(encoding="utf-8")


def desktop_entry():
    parser = configparser.RawConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(LINUX / "ppworkbench.desktop", encoding="utf-8")
    return parser["Desktop Entry"]


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
    assert "from ppworkbench import __version__" in RECIPE
    assert not re.search(r"\d+\.\d+\.\d+", RECIPE)


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


@pytest.mark.parametrize(
    "library", ["libgthread-2.0.so.0", "libxcb-glx.so.0", "libxcb-render.so.0", "libzstd.so.1"]
)
def test_that_a_library_which_the_building_machine_lacks_is_depended_on(load, library):
    """Qt links the first on x86-64 only; PyInstaller packs each where it finds it."""
    needs = load("bundle_needs").needs_from(f"  NEEDED  {library}", set())
    assert len(needs.packages()) == 2


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
