"""What the window needs from a Linux system: libraries of Qt and a font for the interface."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

# Library: its package on Debian and Ubuntu, its package on Fedora.
LIBRARIES = {
    "libEGL.so.1": ("libegl1", "libglvnd-egl"),
    "libGL.so.1": ("libgl1", "libglvnd-glx"),
    "libICE.so.6": ("libice6", "libICE"),
    "libSM.so.6": ("libsm6", "libSM"),
    "libX11-xcb.so.1": ("libx11-xcb1", "libX11-xcb"),
    "libdbus-1.so.3": ("libdbus-1-3", "dbus-libs"),
    "libfontconfig.so.1": ("libfontconfig1", "fontconfig"),
    "libglib-2.0.so.0": ("libglib2.0-0", "glib2"),
    "libxcb-cursor.so.0": ("libxcb-cursor0", "xcb-util-cursor"),
    "libxcb-icccm.so.4": ("libxcb-icccm4", "xcb-util-wm"),
    "libxcb-image.so.0": ("libxcb-image0", "xcb-util-image"),
    "libxcb-keysyms.so.1": ("libxcb-keysyms1", "xcb-util-keysyms"),
    "libxcb-randr.so.0": ("libxcb-randr0", "libxcb"),
    "libxcb-render-util.so.0": ("libxcb-render-util0", "xcb-util-renderutil"),
    "libxcb-shape.so.0": ("libxcb-shape0", "libxcb"),
    "libxcb-shm.so.0": ("libxcb-shm0", "libxcb"),
    "libxcb-sync.so.1": ("libxcb-sync1", "libxcb"),
    "libxcb-xfixes.so.0": ("libxcb-xfixes0", "libxcb"),
    "libxcb-xinerama.so.0": ("libxcb-xinerama0", "libxcb"),
    "libxcb-xkb.so.1": ("libxcb-xkb1", "libxcb"),
    "libxkbcommon-x11.so.0": ("libxkbcommon-x11-0", "libxkbcommon-x11"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon"),
}

FONT = ("fonts-inter", "rsms-inter-fonts")
SERVER = ("xvfb", "xorg-x11-server-Xvfb")
# Program: its package on Debian, its package on Fedora.
BROWSER = {
    "chromium": ("chromium", "chromium"),
    "chromedriver": ("chromium-driver", "chromedriver"),
}

# How the files of fonts that suit an interface begin.
GOOD_FONTS = ("Adwaita", "Cantarell", "Inter", "NotoSans-", "NotoSans[", "Roboto", "Ubuntu")
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")


def ensure(screen_for_tests: bool = False) -> None:
    """Install what is missing where that is possible, else say what to install."""
    if not sys.platform.startswith("linux"):
        return
    missing = missing_packages(screen_for_tests)
    if not missing:
        return
    debian = [names[0] for names in missing]
    if shutil.which("apt-get") and os.geteuid() == 0:
        print("Installing system packages: " + " ".join(debian), flush=True)
        if not install_with_apt(debian):
            print("dev.py: apt-get could not install them; the window may not open.")
        return
    print("dev.py: the window may not open before these system packages are installed:")
    print("    " + advice(missing))


def ensure_browser() -> None:
    """Install the browser in which questionnaire pages are tested, where that is possible.

    It is installed apart from the rest: where it cannot be had, those tests are skipped, and
    the window is tested all the same.
    """
    missing = [names for name, names in BROWSER.items() if shutil.which(name) is None]
    if not missing or not sys.platform.startswith("linux"):
        return
    debian = [names[0] for names in missing]
    if shutil.which("apt-get") and os.geteuid() == 0:
        print("Installing system packages: " + " ".join(debian), flush=True)
        if install_with_apt(debian):
            return
    print("dev.py: tests of the questionnaire page are skipped without these system packages:")
    print("    " + advice(missing))


def missing_packages(screen_for_tests: bool = False) -> list[tuple[str, str]]:
    """The packages that are needed and not there, by their Debian and Fedora names."""
    missing = {names for library, names in LIBRARIES.items() if not can_load(library)}
    if not has_good_font():
        missing.add(FONT)
    if screen_for_tests and shutil.which("Xvfb") is None:
        missing.add(SERVER)
    return sorted(missing)


def can_load(library: str) -> bool:
    """Whether the system's loader finds a library; cheaper than asking a package manager."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def has_good_font() -> bool:
    """Whether a font made for interfaces is installed."""
    for folder in FONT_FOLDERS:
        for _, _, files in os.walk(Path(folder).expanduser()):
            if any(file.startswith(GOOD_FONTS) for file in files):
                return True
    return False


def install_with_apt(packages: list[str]) -> bool:
    """Install Debian packages without questions; True when all are there."""
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
    for command in (["apt-get", "update", "-qq"], install + packages):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            print((done.stderr or done.stdout).strip())
            return False
    return True


def advice(missing: list[tuple[str, str]]) -> str:
    """The command that installs the missing packages on this system."""
    fedora_like = shutil.which("dnf") and not shutil.which("apt-get")
    names = sorted({pair[1 if fedora_like else 0] for pair in missing})
    return ("sudo dnf install " if fedora_like else "sudo apt-get install ") + " ".join(names)
