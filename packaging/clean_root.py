"""A bare Debian system in a folder, and commands that see nothing but it.

Made with debootstrap and entered with chroot in namespaces of its own, so that what is mounted for
a command is gone after it. Both need root. There is no Python in it, nor any library of a desktop.
Where it is for another processor, qemu-user-binfmt has to be installed, and all takes far longer.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import system_packages

USER = "tester"
HOME = Path("/home", USER)
# Where programs find the screens of a computer.
SCREENS = Path("/tmp", ".X11-unix")
EMULATED = 10
ENTER = """
mount -t proc proc {root}/proc
mount --rbind /dev {root}/dev
mkdir -p {root}{screens}
if [ -d {screens} ]; then mount --bind {screens} {root}{screens}; fi
exec chroot {user} {root} /usr/bin/env -i {variables} {command}
"""


class CleanRoot:
    """The system in a folder; it is made when the folder is not there yet.

    Parameters
    ----------
    architecture
        The processor that it is for, in Debian's words, such as ``amd64``.
    """

    def __init__(self, folder: Path, architecture: str) -> None:
        self.folder, self.architecture = folder, architecture
        self.patience = 1 if architecture == own_architecture() else EMULATED
        """How many times as long as usual things may take."""
        if os.geteuid() != 0:
            sys.exit("try: making and entering a clean system needs root")
        if shutil.which("debootstrap") is None:
            system_packages.install_with_apt(["debootstrap"])
        if not (folder / "etc/debian_version").exists():
            self._make()
        self._forget()

    def _make(self) -> None:
        suite = codename()
        print(f"Making a bare Debian system ({suite}); this takes minutes.", flush=True)
        make = ["debootstrap", f"--arch={self.architecture}", "--variant=minbase"]
        make += [suite, str(self.folder)]
        with (self.folder.parent / "debootstrap.log").open("w") as log:
            subprocess.run(make, check=True, stdout=log, stderr=log)
        shutil.copy("/etc/resolv.conf", self.folder / "etc/resolv.conf")
        self.run("useradd", "--create-home", USER, user="root")
        self.run("apt-get", "update", "-qq", user="root", network=True)

    def _forget(self) -> None:
        """Remove what an earlier trial installed and its user wrote."""
        # Unlike apt-get, dpkg does not mind a package that is not there.
        self.run(
            "dpkg", "--purge", "ppworkbench", "shared-mime-info", "desktop-file-utils", user="root"
        )
        self.run("apt-get", "-y", "-qq", "autoremove", "--purge", user="root")
        self.run("find", str(HOME), "-mindepth", "1", "-delete")

    @property
    def home(self) -> Path:
        """The home folder of the user whom commands run as, seen from outside."""
        return self.folder / HOME.relative_to("/")

    def command(
        self, *words: str, user: str = USER, network: bool = False, **variables: str
    ) -> list[str]:
        """The command line that runs a command inside, without a network unless it is asked for."""
        home = "/root" if user == "root" else str(HOME)
        variables = {"HOME": home, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
                     "DEBIAN_FRONTEND": "noninteractive"} | variables  # fmt: skip
        script = ENTER.format(
            root=shlex.quote(str(self.folder)),
            screens=SCREENS,
            user="" if user == "root" else "--userspec=1000:1000",
            variables=shlex.join(f"{name}={value}" for name, value in variables.items()),
            command=shlex.join(["sh", "-c", f"cd {home} && exec {shlex.join(words)}"]),
        )
        apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
        return [*apart, *([] if network else ["--net"]), "sh", "-e", "-c", script]

    def run(
        self, *words: str, user: str = USER, network: bool = False, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command inside and return what it said; one that fails ends the trial."""
        done = self.try_to_run(*words, user=user, network=network, **variables)
        if done.returncode:
            said = (done.stdout + done.stderr).strip()[-3000:]
            raise AssertionError(f"{shlex.join(words)} ended with {done.returncode}: {said}")
        return done

    def try_to_run(
        self, *words: str, user: str = USER, network: bool = False, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command inside that may fail."""
        command = self.command(*words, user=user, network=network, **variables)
        return subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=1800 * self.patience
        )


def own_architecture() -> str:
    """The processor of this computer, in Debian's words."""
    ask = ["dpkg", "--print-architecture"]
    return subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()


def codename() -> str:
    """The name of this Debian release; elsewhere that of the oldest that we support."""
    for line in Path("/etc/os-release").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition("=")
        if name == "VERSION_CODENAME" and Path("/etc/debian_version").exists():
            return value.strip('"')
    return "bookworm"
