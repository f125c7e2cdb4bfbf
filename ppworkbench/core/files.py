"""Files of the program and of its users.

What is written is there whole or not at all. A temporary file or folder is called
``.ppworkbench-PLACE-PROCESS-RANDOM.tmp`` with the ending of its target, and only its owner can
read it. What a killed program left is removed by the next one that writes into the same folder;
nothing under another name ever is.

Paths that are no files are refused: reading a pipe waits for ever, writing replaces a device.
Shipped files lie beside the package in a checkout and inside it in a wheel.
"""

from __future__ import annotations

import os
import platform
import re
import secrets
import shutil
import stat
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from weakref import WeakSet, finalize

from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.message import Message


def check_file(path: str | Path, error: type[WorkbenchError] = DataError) -> None:
    """Refuse a folder, pipe, socket or device at once; what is not there is no matter of this."""
    path = Path(path)
    try:
        sentence = _sentence(path.stat().st_mode, path.name or str(path))
    except (OSError, ValueError):
        return
    if sentence:
        raise error(sentence, file=path)


def _sentence(mode: int, name: str) -> str:
    if stat.S_ISDIR(mode):
        return Message("{name} is a folder; choose a file.", name=name)
    if stat.S_ISFIFO(mode):
        return Message("{name} is a pipe, not a file; save its output to a file first.", name=name)
    if stat.S_ISSOCK(mode):
        return Message("{name} is a socket, not a file; choose a file.", name=name)
    is_device = stat.S_ISCHR(mode) or stat.S_ISBLK(mode)
    return Message("{name} is a device, not a file; choose a file.", name=name) if is_device else ""


_NAME = re.compile(r"\.ppworkbench-([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{16}\.tmp(\..*)?", re.DOTALL)
_FOREIGN_AFTER = 86_400.0
"""Seconds after which a temporary file of another computer belongs to a program that died."""
_PRIVATE, _PRIVATE_FOLDER = 0o600, 0o700

_in_use: set[str] = set()
"""Names of this process's temporary files."""
_lock = threading.Lock()
_readers: WeakSet[InputFiles] = WeakSet()


@contextmanager
def atomic_file(path: str | Path, *, private: bool = False) -> Iterator[Path]:
    """Give a temporary name beside ``path``; rename it to ``path`` when all went well.

    On any error the temporary file is removed and what stood at ``path`` stays as it was. Behind
    a link the file itself is replaced, not the link. A file that exists keeps its mode; a new one
    that is ``private`` can be read by its owner only.
    """
    path = Path(os.path.realpath(path))
    check_file(path)
    with temporaries() as temporary:
        try:
            new = temporary.create(path)
            yield new
            flush(new)
            finish_mode(new, path, private=private)
            new.replace(path)
        except OSError as error:
            raise _cannot_write(path, error) from None
    flush_folder(path.parent)


def read_limited(path: str | Path, most: int, too_large: str) -> bytes:
    """The content of a file that others wrote, of at most so many bytes.

    Raises
    ------
    DataError
        When it cannot be read, or is larger: then with the sentence ``too_large``, a template in
        which ``file`` stands for its name.
    """
    path = Path(path)
    check_file(path)
    try:
        if path.stat().st_size > most:
            raise DataError.saying(too_large, file=path)
        return path.read_bytes()
    except OSError as error:
        why = error.strerror or Message("it cannot be opened")
        raise DataError.saying(
            "{file} cannot be read: {strerror}.", strerror=why, file=path
        ) from None


def write_text(path: str | Path, text: str, *, private: bool = False) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with atomic_file(path, private=private) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_bytes(path: str | Path, content: bytes, *, private: bool = False) -> None:
    """Write a file of any kind, whole or not at all."""
    with atomic_file(path, private=private) as temporary:
        temporary.write_bytes(content)


class InputFiles:
    """Files that somebody reads: while this object lives nothing is written over them."""

    def __init__(self, paths: Iterable[str | Path] = ()) -> None:
        self.paths = tuple(map(Path, paths))
        with _lock:
            _readers.add(self)


def check_target(path: str | Path) -> None:
    """Raise a sentence if nothing may be written there, whoever asks for it."""
    path = Path(path)
    with _lock:
        read = [one for reader in _readers for one in reader.paths]
    if any(is_same_file(path, one) for one in read):
        raise DataError.saying(
            "{file} is an input and would be lost; choose another name.", file=path
        )
    if not path.is_dir():
        check_file(path)


def is_same_file(one: Path, other: Path) -> bool:
    """Whether two names lead to one file, by links of either kind too."""
    with suppress(OSError, ValueError):
        return one.samefile(other)
    return False


class Temporaries:
    """Makes temporary files beside their targets and removes them all."""

    def __init__(self) -> None:
        self._made: list[Path] = []

    def name(self, target: Path) -> Path:
        """Return a name beside the target that no file has, with the ending of the target."""
        self._made.append(target.with_name(_new_name(target.suffix)))
        return self._made[-1]

    def create(self, target: Path) -> Path:
        """Make an empty file beside the target that only its owner can read."""
        check_target(target)
        remove_abandoned(target.parent)
        path = self.name(target)
        open_private(path).close()
        return path

    def remove(self) -> None:
        """Remove what has not been renamed meanwhile."""
        for path in self._made:
            with suppress(OSError):
                path.unlink(missing_ok=True)
            _in_use.discard(path.name)


@contextmanager
def temporaries() -> Iterator[Temporaries]:
    """Temporary files for as long as the block runs."""
    made = Temporaries()
    try:
        yield made
    finally:
        made.remove()


def make_temporary_folder(parent: Path | None = None) -> Path:
    """Make a folder that only its owner can open, by default where the system keeps such."""
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    remove_abandoned(parent)
    folder = parent / _new_name("")
    folder.mkdir(mode=_PRIVATE_FOLDER)
    return folder


def remove_temporary_folder(folder: Path) -> None:
    """Remove a temporary folder with all it holds, or what was not renamed of it."""
    shutil.rmtree(folder, ignore_errors=True)
    _in_use.discard(folder.name)


def folder_of(owner: object) -> Path:
    """A temporary folder that goes with its owner, or with the program if that ends first.

    Where none can be made it is a path in which nothing can be written.
    """
    try:
        folder = make_temporary_folder()
    except OSError:
        return Path(os.devnull)
    finalize(owner, remove_temporary_folder, folder)
    return folder


@contextmanager
def temporary_folder(parent: Path | None = None) -> Iterator[Path]:
    """A temporary folder for as long as the block runs."""
    folder = make_temporary_folder(parent)
    try:
        yield folder
    finally:
        remove_temporary_folder(folder)


def remove_abandoned(folder: Path) -> None:
    """Remove the temporary files in a folder that programs have left which no longer run."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in [one for one in entries if _NAME.fullmatch(one.name)]:
            with suppress(OSError):
                if not _is_abandoned(entry):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    Path(entry.path).unlink()


def open_private(path: Path) -> BinaryIO:
    """Open a new file for writing that only its owner can read."""
    # An older file of the name would keep its mode, so there must be none.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, _PRIVATE), "wb")


def make_private(path: Path) -> None:
    """Let only the owner read a file."""
    # Where the system knows no modes there is nothing to close.
    with suppress(OSError):
        path.chmod(_PRIVATE)


def make_private_folder(folder: Path) -> None:
    """Make a folder that only its owner can open; one that is there becomes so."""
    folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
    # Where the system knows no modes there is nothing to close.
    with suppress(OSError):
        if stat.S_IMODE(folder.stat().st_mode) & 0o077:
            folder.chmod(_PRIVATE_FOLDER)


def finish_mode(new: Path, target: Path, *, private: bool = False) -> None:
    """Give a finished file the mode of the one that it replaces, else that of any new file."""
    try:
        mode = stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mode = _PRIVATE if private else 0o666 & ~current_umask()
    new.chmod(mode)


def current_umask() -> int:
    """Return the bits that new files of this process lack."""
    # It can only be read by setting it; a file that another thread makes now is rather too closed.
    with _lock:
        current = os.umask(0o077)
        os.umask(current)
    return current


def flush(path: Path) -> None:
    """See to it that a file is on the disk, not only on its way there."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """See to it that new names in a folder are on the disk."""
    # Windows has no such call.
    if not hasattr(os, "O_DIRECTORY"):
        return
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _new_name(suffix: str) -> str:
    name = f".ppworkbench-{_place()}-{os.getpid()}-{secrets.token_hex(8)}.tmp{suffix}"
    _in_use.add(name)
    return name


def _place() -> str:
    """Return a mark of where process numbers mean the same: this computer, or this container."""
    space = ""
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")  # noqa: PTH115 (no path, only a text)
    return f"{zlib.crc32(f'{platform.node()} {space}'.encode()):08x}"


def _is_abandoned(entry: os.DirEntry[str]) -> bool:
    found = _NAME.fullmatch(entry.name)
    if found is None or entry.name in _in_use:
        return False
    held = entry.stat(follow_symlinks=False)
    if hasattr(os, "geteuid") and held.st_uid != os.geteuid():
        return False
    if found[1] != _place():
        return time.time() - held.st_mtime > _FOREIGN_AFTER
    process = int(found[2])
    return process == os.getpid() or not _runs(process)


if sys.platform == "win32":

    def _runs(process: int) -> bool:
        import ctypes

        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        handle = kernel.OpenProcess(0x0010_0000, False, process)  # SYNCHRONIZE
        if not handle:
            # Access denied: it runs, for somebody else.
            return ctypes.get_last_error() == 5
        waits = kernel.WaitForSingleObject(handle, 0) == 0x102  # WAIT_TIMEOUT
        kernel.CloseHandle(handle)
        return bool(waits)
else:

    def _runs(process: int) -> bool:
        try:
            os.kill(process, 0)
        except (ProcessLookupError, OverflowError):
            return False
        except OSError:
            return True
        return True


def _cannot_write(path: Path, error: OSError) -> DataError:
    why = error.strerror or str(error)
    return DataError(Message("{file} cannot be written: {why}.", file=path, why=why), file=path)


_PACKAGE = Path(__file__).resolve().parents[1]


def resource(*parts: str) -> Path:
    """The path of a shipped file or folder under ``resources/``."""
    return _shipped("resources").joinpath(*parts)


def icons_folder() -> Path:
    return _shipped("icons")


def _shipped(name: str) -> Path:
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name
