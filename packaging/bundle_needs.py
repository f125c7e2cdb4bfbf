"""Which Debian packages a bundle needs: those of the libraries that it links and does not hold."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import system_packages

ELF = b"\x7fELF"
# Library: its package on Debian. Those that Qt needs stand in system_packages.
BASE = {
    "libOpenGL.so.0": "libopengl0",
    "libX11.so.6": "libx11-6",
    "libdrm.so.2": "libdrm2",
    "libfreetype.so.6": "libfreetype6",
    "libgbm.so.1": "libgbm1",
    "libgcc_s.so.1": "libgcc-s1",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libstdc++.so.6": "libstdc++6",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb.so.1": "libxcb1",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}
LIBC = re.compile(r"(lib(c|m|dl|rt|util|pthread|resolv)|ld-linux.*)\.so\.\d+")


@dataclass(frozen=True)
class Needs:
    """The libraries that come from outside, and the oldest C library that serves."""

    libraries: frozenset[str]
    libc: tuple[int, int]

    def packages(self) -> list[str]:
        """What to write behind ``Depends:``; an unknown library ends the build."""
        known = {name: names[0] for name, names in system_packages.LIBRARIES.items()} | BASE
        unknown = sorted(self.libraries - known.keys())
        if unknown:
            sys.exit(f"build: no package is known that has {', '.join(unknown)}; see {__file__}.")
        libc = f"libc6 (>= {self.libc[0]}.{self.libc[1]})"
        return sorted({libc, *(known[name] for name in self.libraries)})


def look_at(bundle: Path) -> Needs:
    """Ask every program and library of a bundle what it needs."""
    files = [path for path in bundle.rglob("*") if path.is_file() and not path.is_symlink()]
    binaries = [path for path in files if begins_as_elf(path)]
    told = subprocess.run(
        ["objdump", "-p", *map(str, binaries)], capture_output=True, text=True, check=True
    ).stdout
    held = {path.name for path in bundle.rglob("*")}
    return needs_from(told, held)


def needs_from(told: str, held: set[str]) -> Needs:
    r"""What objdump's words come to, given the names of the files in the bundle.

    >>> told = "  NEEDED  libc.so.6\n  NEEDED  libz.so.1\n    0x069691b4 0x00 05 GLIBC_2.34"
    >>> needs_from(told, {"libz.so.1"})
    Needs(libraries=frozenset(), libc=(2, 34))
    """
    linked = set(re.findall(r"^\s*NEEDED\s+(\S+)$", told, re.MULTILINE))
    versions = re.findall(r"\bGLIBC_(\d+)\.(\d+)", told)
    outside = frozenset(name for name in linked - held if not LIBC.fullmatch(name))
    return Needs(outside, max(((int(a), int(b)) for a, b in versions), default=(2, 28)))


def begins_as_elf(path: Path) -> bool:
    """Whether a file is a program or a library."""
    with path.open("rb") as file:
        return file.read(4) == ELF
