"""A Debian package of a bundle: where its files go, and what the package says of itself."""

from __future__ import annotations

import gzip
import hashlib
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINUX = ROOT / "packaging" / "linux"
HOME = "usr/lib/ppworkbench"
METAINFO = "org.ppworkbench.Workbench.metainfo.xml"
DOCUMENT_ICON = "application-x-ppworkbench"
CONTROL = """\
Package: ppworkbench
Version: {version}
Architecture: {architecture}
Maintainer: The ppworkbench authors <authors@ppworkbench.invalid>
Installed-Size: {size}
Depends: {depends}, {files}
Recommends: fonts-inter, shared-mime-info, xdg-utils
Section: science
Priority: optional
Description: design and analyse randomised surveys
 A workbench for surveys with sensitive questions: answers are randomised
 before anybody sees them, and shares, rules and classifiers are estimated
 from the randomised ones. It has a window and a command line. The package holds
 the program with its own Python and libraries and uses none of the system's.
"""

# Files of the system that bundled libraries read: fonts and their settings, keyboards, key names.
FILES = (
    "fontconfig-config, fonts-inter | fonts-noto-core | fonts-dejavu-core, libx11-data, xkb-data"
)


def fill(tree: Path, bundle: Path, icons: Path, depends: list[str], version: str) -> None:
    """Make the folder that becomes the package: files, and what the package says of itself."""
    shutil.rmtree(tree, ignore_errors=True)
    lay_out(tree, bundle, icons, version)
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            program = path.is_dir() or path.stat().st_mode & 0o100
            path.chmod(0o755 if program else 0o644)
    files = [path for path in sorted(tree.rglob("*")) if path.is_file() and not path.is_symlink()]
    control = CONTROL.format(
        version=version,
        architecture=ask("dpkg", "--print-architecture"),
        size=sum(path.stat().st_size for path in files) // 1024,
        depends=", ".join(depends),
        files=FILES,
    )
    about = tree / "DEBIAN"
    about.mkdir(mode=0o755)
    (about / "control").write_text(control, encoding="utf-8")
    sums = [f"{md5(path)}  {path.relative_to(tree).as_posix()}\n" for path in files]
    (about / "md5sums").write_text("".join(sums), encoding="utf-8")


def pack(tree: Path, out: Path, quick: bool = False) -> Path:
    """Write the package, named by name, version and processor; the folder goes."""
    level = ["-Zgzip", "-z1"] if quick else ["-Zxz"]
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", *level, "--build", str(tree), str(out)], check=True
    )
    about = (tree / "DEBIAN" / "control").read_text(encoding="utf-8")
    fields = dict(line.split(": ", 1) for line in about.splitlines() if not line.startswith(" "))
    name = "_".join(fields[field] for field in ("Package", "Version", "Architecture"))
    shutil.rmtree(tree)
    return out / f"{name}.deb"


def lay_out(tree: Path, bundle: Path, icons: Path, version: str) -> None:
    """Put every file where Debian's desktops look for it."""
    shutil.copytree(bundle, tree / HOME, symlinks=True)
    start = tree / "usr/bin/ppworkbench"
    start.parent.mkdir(parents=True)
    start.symlink_to("../lib/ppworkbench/ppworkbench")
    share = tree / "usr/share"
    put(LINUX / "ppworkbench.desktop", share / "applications/ppworkbench.desktop")
    put(LINUX / "ppworkbench.xml", share / "mime/packages/ppworkbench.xml")
    put(LINUX / METAINFO, share / "metainfo" / METAINFO)
    for picture in icons.glob("*.png"):
        name, _, size = picture.stem.rpartition("-")
        put(picture, share / f"icons/hicolor/{size}x{size}" / place_of_icon(name, ".png"))
    for drawing in (ROOT / "icons" / "desktop").glob("*.svg"):
        put(drawing, share / "icons/hicolor/scalable" / place_of_icon(drawing.stem, ".svg"))
    put(LINUX / "copyright", share / "doc/ppworkbench/copyright")
    compress(LINUX.parents[1] / "CHANGELOG.md", share / "doc/ppworkbench/changelog.gz")
    manual = (LINUX / "ppworkbench.1").read_text(encoding="utf-8").replace("@VERSION@", version)
    compress_text(manual, share / "man/man1/ppworkbench.1.gz")


def place_of_icon(name: str, suffix: str) -> str:
    """Where a theme keeps a drawing of icons/desktop: the program's, or that of its studies."""
    kind = {"ppworkbench": "apps/ppworkbench", "study": f"mimetypes/{DOCUMENT_ICON}"}[name]
    return kind + suffix


def put(source: Path, target: Path) -> None:
    """Copy a file into a folder that may not be there yet."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def compress(source: Path, target: Path) -> None:
    """Copy a text file, compressed as Debian wants it: without a name or a time."""
    compress_text(source.read_text(encoding="utf-8"), target)


def compress_text(text: str, target: Path) -> None:
    """Write a text, compressed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def md5(path: Path) -> str:
    """The sum by which dpkg finds damaged files."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def ask(*command: str) -> str:
    """What a program prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
