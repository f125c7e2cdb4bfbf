"""Compiled inner loops that are used once they are ready.

Compiling with numba takes seconds, so every kernel has a numpy twin that gives the same answer.
Code asks for :meth:`Kernel.compiled` and takes the twin while it is None; :func:`warm_up`
compiles in the background, :meth:`Kernel.compile` in the foreground.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

_kernels: list[Kernel] = []


class Kernel:
    """A function in numba's dialect of Python that may be compiled or not."""

    def __init__(
        self, function: Callable[..., Any], *examples: Callable[[], tuple[Any, ...]]
    ) -> None:
        self._function = function
        self._examples = examples
        self._lock = threading.Lock()
        self.compiled: Callable[..., Any] | None = None
        _kernels.append(self)

    def compile(self) -> bool:
        """Compile for the argument types of every example; False where numba is absent."""
        with self._lock:
            if self.compiled is not None:
                return True
            try:
                import numba
            except ImportError:
                return False
            compiled = numba.njit(self._function, cache=True, nogil=True)
            for example in self._examples:
                compiled(*example())
            self.compiled = compiled
            return True


def warm_up() -> threading.Thread:
    """Compile all kernels in a background thread that never keeps the program alive."""

    def compile_all() -> None:
        for kernel in _kernels:
            kernel.compile()

    thread = threading.Thread(target=compile_all, name="kernel compiler", daemon=True)
    thread.start()
    return thread
