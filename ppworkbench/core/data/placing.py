"""New files that take the place of older ones together, or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from ppworkbench.core.atomic import (
    Temporaries,
    check_target,
    finish_mode,
    flush,
    flush_folder,
)
from ppworkbench.core.errors import DataError


def write_texts(texts: Mapping[Path, str], temporary: Temporaries) -> dict[Path, Path]:
    """Write texts under temporary names; tells for which place each of them is."""
    moves = {}
    for place, text in texts.items():
        new = temporary.create(place)
        new.write_text(text, encoding="utf-8")
        flush(new)
        moves[new] = place
    return moves


def put_into_place(
    moves: Mapping[Path, Path], former: Sequence[Path], temporary: Temporaries
) -> None:
    """Rename the new files; when that fails half way, everything is as it was.

    The former codebook goes away first and the new one comes last: codes may mean something else,
    and a crash must never leave a codebook beside a file that it does not belong to.
    """
    undo: list[Callable[[], object]] = []
    try:
        for new, target in moves.items():
            finish_mode(new, target)
        for beside in former:
            if beside.exists():
                check_target(beside)
                old = temporary.name(beside)
                beside.replace(old)
                undo.append(partial(old.replace, beside))
        for new, target in moves.items():
            backup = temporary.name(target)
            way_back: Callable[[], object] = partial(target.unlink, missing_ok=True)
            if target.exists():
                # Some file systems know no second names; then there is just no way back.
                with suppress(OSError):
                    os.link(target, backup)
                way_back = partial(backup.replace, target)
            new.replace(target)
            undo.append(way_back)
    except (OSError, DataError):
        for step in reversed(undo):
            with suppress(OSError):
                step()
        raise
    for folder in {target.parent for target in moves.values()}:
        flush_folder(folder)
