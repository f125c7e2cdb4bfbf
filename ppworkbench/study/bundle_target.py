"""Where a bundle goes: a new folder or a zip, there whole or not at all."""

from __future__ import annotations

import re
import shutil
import unicodedata
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ppworkbench.core.errors import DataError
from ppworkbench.core.files import (
    atomic_file,
    current_umask,
    make_temporary_folder,
    remove_temporary_folder,
)

_WHEN = (1980, 1, 1, 0, 0, 0)
"""The time of every file in a zip: the real one would say when the answers were handled."""
_MODE = 0o644 << 16


def file_stem(title: str) -> str:
    """A name for files that every system takes.

    >>> file_stem("Ankieta miejska: Łódź 2024?"), file_stem("???")
    ('Ankieta-miejska-Lodz-2024', 'study')
    """
    plain = unicodedata.normalize("NFKD", title.replace("ł", "l").replace("Ł", "L"))
    kept = re.sub(r"[^\w.-]+", "-", plain.encode("ascii", "ignore").decode(), flags=re.ASCII)
    return kept.strip("-._")[:60].strip("-._") or "study"


@contextmanager
def new_folder(target: Path, *, private: bool = False) -> Iterator[Path]:
    """A hidden folder to fill; when all went well it becomes the target, folder or zip.

    A ``private`` zip is readable by its owner only.
    """
    as_zip = target.suffix.lower() == ".zip"
    _check(target, as_zip)
    try:
        hidden = make_temporary_folder(target.resolve().parent)
    except OSError as error:
        raise _cannot(target, error) from None
    try:
        yield hidden
        if as_zip:
            with atomic_file(target, private=private) as temporary:
                _pack(hidden, temporary)
        else:
            _rename(hidden, target)
    except OSError as error:
        raise _cannot(target, error) from None
    finally:
        remove_temporary_folder(hidden)


def _check(target: Path, as_zip: bool) -> None:
    if as_zip:
        if target.is_dir():
            raise DataError.saying("{file} is a folder; choose another name.", file=target)
        return
    if target.exists() and not target.is_dir():
        raise DataError.saying(
            "{file} is a file; choose the name of a new folder, or one that ends in .zip.",
            file=target,
        )
    if target.is_dir() and any(target.iterdir()):
        raise DataError.saying("The folder {file} is not empty; choose a new one.", file=target)


def _rename(folder: Path, target: Path) -> None:
    # A temporary folder is private; a finished one is as open as any new folder.
    folder.chmod(0o777 & ~current_umask())
    if target.is_dir():
        target.rmdir()
    folder.rename(target)


def _pack(folder: Path, path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            member = zipfile.ZipInfo(file.name, _WHEN)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = _MODE
            with archive.open(member, "w", force_zip64=True) as packed, file.open("rb") as plain:
                shutil.copyfileobj(plain, packed, 1 << 20)


def _cannot(target: Path, error: OSError) -> DataError:
    why = error.strerror or str(error)
    return DataError.saying("{file} cannot be written: {why}.", file=target, why=why)
