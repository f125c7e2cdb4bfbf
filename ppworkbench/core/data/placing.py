"""New files that take the place of older ones together, or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from ppworkbench.core.atomic import flush, flush_folder


@contextmanager
def temporaries() -> Iterator[Callable[[Path], Path]]:
    """Names of temporary files beside their targets; none of them is left behind."""
    made: list[Path] = []

    def temporary(target: Path) -> Path:
        # The suffix stays: writers look at it.
        made.append(target.with_name(f".{secrets.token_hex(8)}.tmp{target.suffix}"))
        return made[-1]

    try:
        yield temporary
    finally:
        for path in made:
            with suppress(OSError):
                path.unlink(missing_ok=True)


def write_texts(texts: Mapping[Path, str], temporary: Callable[[Path], Path]) -> dict[Path, Path]:
    """Write texts under temporary names; tells for which place each of them is."""
    moves = {}
    for place, text in texts.items():
        new = temporary(place)
        new.write_text(text, encoding="utf-8")
        flush(new)
        moves[new] = place
    return moves


def put_into_place(
    moves: Mapping[Path, Path], former: Sequence[Path], temporary: Callable[[Path], Path]
) -> None:
    """Rename the new files; when that fails half way, everything is as it was.

    The former codebook goes away first and the new one comes last: codes may mean something else,
    and a crash must never leave a codebook beside a file that it does not belong to.
    """
    undo: list[Callable[[], object]] = []
    try:
        for beside in former:
            if beside.exists():
                old = temporary(beside)
                beside.replace(old)
                undo.append(partial(old.replace, beside))
        for new, target in moves.items():
            backup = temporary(target)
            way_back: Callable[[], object] = partial(target.unlink, missing_ok=True)
            if target.exists():
                # Some file systems know no second names; then there is just no way back.
                with suppress(OSError):
                    os.link(target, backup)
                way_back = partial(backup.replace, target)
            new.replace(target)
            undo.append(way_back)
    except OSError:
        for step in reversed(undo):
            with suppress(OSError):
                step()
        raise
    for folder in {target.parent for target in moves.values()}:
        flush_folder(folder)
