"""Make the Linux bundle and a Debian package: python3 packaging/build_linux.py [--out FOLDER].

It needs Python 3.11 or newer with venv and a shared libpython, objdump (binutils) and dpkg-deb.
Build on the oldest system that the package shall run on: the C library must not be newer there.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import build_bundle
import bundle_needs
import debian_package

PROGRAMS = {"objdump": "binutils", "dpkg-deb": "dpkg"}


def main() -> int:
    """Build both and say how large they are."""
    parser = build_bundle.options(__doc__ or "")
    parser.add_argument("--quick", action="store_true", help="compress less, for a trial")
    args = parser.parse_args()
    out: Path = args.out.resolve()
    missing = [package for name, package in PROGRAMS.items() if shutil.which(name) is None]
    if missing:
        sys.exit(f"build: install these system packages first: {' '.join(missing)}")
    bundle = build_bundle.build(out)
    depends = bundle_needs.look_at(bundle).packages()
    tree = out / "debian-tree"
    debian_package.fill(tree, bundle, out / "icons", depends, version())
    package = debian_package.pack(tree, out, quick=args.quick)
    print(f"{bundle}: {megabytes(bundle):.0f} MB")
    print(f"{package}: {package.stat().st_size / 1e6:.0f} MB")
    print(f"Now try them: python3 packaging/try_bundle.py {package}")
    return 0


def version() -> str:
    """The version of the program that is bundled."""
    text = (build_bundle.ROOT / "ppworkbench" / "version.py").read_text(encoding="utf-8")
    return text.partition('__version__ = "')[2].partition('"')[0]


def megabytes(folder: Path) -> float:
    """The size of all files in a folder."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files) / 1e6


if __name__ == "__main__":
    sys.exit(main())
