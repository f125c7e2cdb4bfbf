"""Random streams: one per attribute, seeded for study, secure for release.

A stream hands out random bytes, words, uniform doubles and standard normals. Each of them comes
from its own sequence, and each sequence is the same whether it is drawn in one piece or in
many, so a table distorts to the same answers in any chunking. A stream is named, not
numbered, so neither the order of the attributes nor leaving one out changes the others.
"""

from __future__ import annotations

import hashlib
import os
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Doubles = NDArray[np.float64]


class Stream(Protocol):
    """A source of random numbers for one attribute."""

    def bytes(self, n: int) -> Bytes:
        """``n`` independent uniform bytes."""

    def second_bytes(self, n: int) -> Bytes:
        """``n`` further bytes of a sequence of their own, for answers that need a second one."""

    def words(self, n: int) -> Words:
        """``n`` uniform whole numbers of 64 bits."""

    def rare_words(self, n: int) -> Words:
        """``n`` further words of a sequence of their own, for what hardly ever happens."""

    def random(self, n: int) -> Doubles:
        """``n`` uniform doubles in [0, 1) with 53 random bits."""

    def normal(self, n: int) -> Doubles:
        """``n`` standard normal doubles."""

    def fill_normal(self, out: Doubles) -> None:
        """Overwrite an array with standard normal doubles, the same that ``normal`` gives."""


class Streams(Protocol):
    """A family of independent streams."""

    def stream(self, *name: str) -> Stream:
        """The stream of that name, from its beginning."""


class SeededStreams:
    """Reproducible streams: the same seed and name give the same numbers.

    >>> draws = SeededStreams(7).stream("sex").random(2)
    >>> bool((draws == SeededStreams(7).stream("sex").random(2)).all())
    True
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def stream(self, *name: str) -> SeededStream:
        """The stream of that name, from its beginning."""
        return SeededStream(self.seed, name)

    def generator(self, *name: str) -> np.random.Generator:
        """A plain numpy generator of that name, for work that is never chunked."""
        return _generator(self.seed, (*name, "generator"))


class SeededStream:
    """One reproducible stream."""

    def __init__(self, seed: int, name: tuple[str, ...]) -> None:
        self._seed, self._name = seed, name

    @cached_property
    def _bytes(self) -> _ByteSequence:
        return _ByteSequence(_generator(self._seed, (*self._name, "bytes")))

    @cached_property
    def _second_bytes(self) -> _ByteSequence:
        return _ByteSequence(_generator(self._seed, (*self._name, "second bytes")))

    @cached_property
    def _words(self) -> np.random.Generator:
        return _generator(self._seed, (*self._name, "words"))

    @cached_property
    def _rare_words(self) -> np.random.Generator:
        return _generator(self._seed, (*self._name, "rare words"))

    @cached_property
    def _doubles(self) -> np.random.Generator:
        return _generator(self._seed, (*self._name, "doubles"))

    @cached_property
    def _normals(self) -> np.random.Generator:
        return _generator(self._seed, (*self._name, "normals"))

    def bytes(self, n: int) -> Bytes:
        return self._bytes.take(n)

    def second_bytes(self, n: int) -> Bytes:
        return self._second_bytes.take(n)

    def words(self, n: int) -> Words:
        return np.asarray(self._words.bit_generator.random_raw(n), np.uint64)

    def rare_words(self, n: int) -> Words:
        return np.asarray(self._rare_words.bit_generator.random_raw(n), np.uint64)

    def random(self, n: int) -> Doubles:
        return self._doubles.random(n)

    def normal(self, n: int) -> Doubles:
        return self._normals.standard_normal(n)

    def fill_normal(self, out: Doubles) -> None:
        self._normals.standard_normal(out=out)


class _ByteSequence:
    """The bytes of a generator's words; what is left of the last word waits for the next call."""

    def __init__(self, generator: np.random.Generator) -> None:
        self._source = generator.bit_generator
        self._left_over = np.empty(0, np.uint8)

    def take(self, n: int) -> Bytes:
        missing = n - len(self._left_over)
        if missing <= 0:
            taken, self._left_over = self._left_over[:n], self._left_over[n:]
            return taken
        words = self._source.random_raw(-(-missing // 8))
        fresh = np.asarray(words, dtype="<u8").view(np.uint8)
        taken = (
            np.concatenate([self._left_over, fresh[:missing]])
            if len(self._left_over)
            else fresh[:missing]
        )
        self._left_over = fresh[missing:]
        return taken


class SecureStreams:
    """Streams from the operating system's secure generator; nobody can repeat them."""

    def stream(self, *name: str) -> SecureStream:  # noqa: ARG002 (the name is for seeded ones)
        """A secure stream; the name has no influence."""
        return SecureStream()


class SecureStream:
    """Random numbers made of ``os.urandom`` bytes only."""

    def bytes(self, n: int) -> Bytes:
        return np.frombuffer(os.urandom(n), np.uint8)

    def second_bytes(self, n: int) -> Bytes:
        return self.bytes(n)

    def words(self, n: int) -> Words:
        return np.frombuffer(os.urandom(8 * n), np.uint64)

    def rare_words(self, n: int) -> Words:
        return self.words(n)

    def random(self, n: int) -> Doubles:
        return np.asarray((self.words(n) >> np.uint64(11)) * 2.0**-53, np.float64)

    def normal(self, n: int) -> Doubles:
        """``n`` standard normals by the polar form of Box and Muller (1958)."""
        pairs = -(-n // 2)
        radius = np.sqrt(-2.0 * np.log1p(-self.random(pairs)))
        angle = 2.0 * np.pi * self.random(pairs)
        return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:n]

    def fill_normal(self, out: Doubles) -> None:
        out[:] = self.normal(len(out))


def _generator(seed: int, name: tuple[str, ...]) -> np.random.Generator:
    # The key is a hash of the name, the way SeedSequence.spawn keys its children by number.
    digest = hashlib.sha256("\x1f".join(name).encode()).digest()
    key = tuple(np.frombuffer(digest[:16], "<u4").tolist())
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=key)))
