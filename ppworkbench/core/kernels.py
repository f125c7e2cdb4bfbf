"""Compiled inner loops that are used once they are ready.

Compiling with numba takes seconds, so every kernel has a numpy twin that gives the same answer.
Code asks for :meth:`Kernel.compiled` and takes the twin while it is None; :func:`compile_soon`
and :func:`warm_up` compile in the background, :meth:`Kernel.compile` in the foreground.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

library_lock = threading.RLock()
"""The lock under which threads load a library that is loaded only when it is needed.

Python holds a lock for each module, not one for all. Where two threads load parts of one package
at a time, each can come to wait for the other; Python then hands out a half-loaded module, and a
name that is surely there "cannot be imported".
"""


_kernels: list[Kernel] = []
_starting = threading.Lock()


class Kernel:
    """A function in numba's dialect of Python that may be compiled or not."""

    def __init__(
        self, function: Callable[..., Any], *examples: Callable[[], tuple[Any, ...]]
    ) -> None:
        self._function = function
        self._examples = examples
        self._lock = threading.Lock()
        self.compiled: Callable[..., Any] | None = None
        self.is_begun = False
        _kernels.append(self)

    def compile(self) -> bool:
        """Compile for the argument types of every example; False where numba is absent."""
        with self._lock:
            if self.compiled is not None:
                return True
            try:
                with library_lock:
                    import numba
            except ImportError:
                return False
            compiled = numba.njit(self._function, cache=True, nogil=True)
            for example in self._examples:
                compiled(*example())
            self.compiled = compiled
            return True


def compile_soon(kernels: Iterable[Kernel]) -> threading.Thread | None:
    """Begin to compile in a background thread that never keeps the program alive.

    For large work that goes on meanwhile without the compiled loops. None where all of the kernels
    are compiled, or will be by a thread that was started before.
    """
    with _starting:
        waiting = [kernel for kernel in kernels if kernel.compiled is None and not kernel.is_begun]
        for kernel in waiting:
            kernel.is_begun = True
    if not waiting:
        return None

    def compile_all() -> None:
        for kernel in waiting:
            kernel.compile()

    thread = threading.Thread(target=compile_all, name="kernel compiler", daemon=True)
    thread.start()
    return thread


def warm_up() -> threading.Thread | None:
    return compile_soon(_kernels)
