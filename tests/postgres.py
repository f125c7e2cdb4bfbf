"""A real PostgreSQL server in a temporary folder, where its programs are installed."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from patience import PATIENCE

# Where only the client is installed there is a folder, but no server in it.
_PROGRAMS = sorted(path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb"))


def _as_owner(command: Sequence[str]) -> list[str]:
    """The server refuses to run as root, so that another user must be there."""
    if os.geteuid() != 0:
        return [*command]
    return ["runuser", "-u", "postgres", "--", *command]


def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="collector-", dir="/tmp"))
    if os.geteuid() == 0:
        # Windows has neither such a server nor this module.
        import pwd

        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    return folder


def why_not() -> str:
    """Why no server can be started here; empty if one can."""
    if not _PROGRAMS:
        return "PostgreSQL is not installed"
    if os.geteuid() == 0:
        import pwd

        try:
            pwd.getpwnam("postgres")
        except KeyError:
            return "PostgreSQL does not run as root, and there is no user postgres"
    return ""


@contextmanager
def postgres_server() -> Iterator[Callable[[], str]]:
    """A server; what it gives makes a new database and returns its address."""
    if why_not():
        pytest.skip(why_not())
    programs, folder = _PROGRAMS[-1], _folder()
    data, quiet = folder / "data", {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    make = [str(programs / "initdb"), "-D", str(data), "-A", "trust", "-U", "postgres", "-N"]
    subprocess.run(_as_owner(make), check=True, cwd="/", **quiet)
    start = [str(programs / "postgres"), "-D", str(data), "-k", str(folder), "-h", ""]
    server = subprocess.Popen(_as_owner(start), cwd="/", **quiet)
    try:
        _wait(programs, folder)
        yield lambda: _new_database(programs, folder)
    finally:
        stop = [str(programs / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop"]
        subprocess.run(_as_owner(stop), check=False, cwd="/", **quiet)
        server.wait(PATIENCE)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(programs: Path, folder: Path) -> None:
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        asked = [str(programs / "pg_isready"), "-h", str(folder), "-q"]
        if subprocess.run(asked, check=False).returncode == 0:
            return
        time.sleep(0.1)
    raise TimeoutError("PostgreSQL does not start")


def _new_database(programs: Path, folder: Path) -> str:
    name = f"c{secrets.token_hex(6)}"
    make = [str(programs / "createdb"), "-h", str(folder), "-U", "postgres", name]
    subprocess.run(make, check=True)
    return f"postgresql+psycopg://postgres@/{name}?host={folder}"
