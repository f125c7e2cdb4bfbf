"""Copy the licences of the libraries here: python packaging/licences.py FOLDER [EXCEPT ...].

It is run by the Python whose libraries go into the bundle. The list of them goes to LIBRARIES.txt.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

WORDS = re.compile(r"(^|/)(licen[cs]e|copying|notice|authors|lgpl|gpl)[^/]*$", re.IGNORECASE)


def collect(folder: Path, left_out: frozenset[str]) -> None:
    """Write one folder of licences for each library, and the list of all."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"Python {sys.version.split()[0]}: PSF-2.0"]
    for library in sorted(distributions(), key=named):
        if named(library) in left_out:
            continue
        lines.append(f"{library.metadata['Name']} {library.version}: {licence(library)}")
        for number, source in enumerate(texts(library)):
            target = folder / named(library) / f"{number:02}-{source.name}.txt"
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(source.read_bytes())
    copy_python(folder)
    (folder / "LIBRARIES.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def named(library: Distribution) -> str:
    """The name of a library as package indexes write it."""
    return re.sub(r"[-_.]+", "-", library.metadata["Name"]).lower()


def licence(library: Distribution) -> str:
    """What a library says of its licence, in a line."""
    about = library.metadata
    said = about.get("License-Expression") or (about.get("License") or "").strip()
    if said and "\n" not in said:
        return str(said)
    classes = [line.split(" :: ")[-1] for line in about.get_all("Classifier") or ()
               if line.startswith("License")]  # fmt: skip
    return ", ".join(classes) or "see its licence file"


def texts(library: Distribution) -> Iterator[Path]:
    """The licence files that a library was installed with."""
    for file in library.files or ():
        path = Path(str(file.locate()))
        if WORDS.search(file.as_posix()) and path.suffix not in {".py", ".pyc"} and path.is_file():
            yield path


def copy_python(folder: Path) -> None:
    """Python's own licence, where it was installed with one."""
    for place in (
        Path(sys.base_prefix),
        Path(sys.base_prefix) / "lib" / f"python3.{sys.version_info[1]}",
    ):
        found = place / "LICENSE.txt"
        if found.is_file():
            (folder / "python.txt").write_bytes(found.read_bytes())
            return


if __name__ == "__main__":
    collect(Path(sys.argv[1]), frozenset(sys.argv[2:]))
