"""How fast answers are distorted, as ratios to what bounds it.

- answers and numbers on a grid against one fill of random doubles by the same generator, with
  the bytes of the operating system beside it;
- nominal answers against the client loop of multi-freq-ldpy where that is installed;
- normal noise against drawing standard normals;
- a whole file of 1M x 20 answers, chunk by chunk, with its memory.
"""

from __future__ import annotations

import importlib.metadata
import os
import resource
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Custom,
    Laplace,
    Perturbation,
    Piecewise,
    SquareWave,
    Subset,
    UnaryEncoding,
    Uniform,
)
from ppworkbench.core.design.noises.additive import ADD_KERNEL
from ppworkbench.core.design.noises.window import WINDOW_KERNEL
from ppworkbench.core.design.sampler import SAMPLER_KERNELS
from ppworkbench.core.design.sets.subset import SUBSET_KERNELS
from ppworkbench.core.rng import SecureStreams, SeededStreams

ANSWERS = 10_000_000
FEWER = int(os.environ.get("PPW_ANSWERS", "2000000"))
REPEATS = int(os.environ.get("PPW_REPEATS", "15"))
FILL = "one fill of doubles"
NUMBERS = Attribute("x", Kind.CONTINUOUS, domain=(0, 1))


def best(work: Callable[[], object], repeats: int = 7) -> float:
    """The shortest of several runs: the others were disturbed."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def interleaved(works: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """The shortest processor time of each, all in turn, so that a busy machine slows all alike."""
    shortest = dict.fromkeys(works, float("inf"))
    for _ in range(repeats):
        for name, work in works.items():
            start = time.process_time()
            work()
            shortest[name] = min(shortest[name], time.process_time() - start)
    return shortest


def draws() -> None:
    """Answers and numbers on a grid, by compiled loops and by numpy alone."""
    generator = np.random.Generator(np.random.SFC64(1))
    works: dict[str, Callable[[], object]] = {
        FILL: lambda: generator.random(FEWER),
        "bytes of the operating system": lambda: [os.urandom(1 << 16) for _ in range(FEWER >> 16)],
    }

    def add(name: str, perturbation: Perturbation, attribute: Attribute, data: Any) -> None:
        for kind, streams in (("seeded", SeededStreams(1)), ("secure", SecureStreams())):
            stream = streams.stream("a")
            works[f"{name} {kind}"] = partial(perturbation.distort, data, attribute, stream)

    for k in (5, 20, 100):
        attribute = Attribute("a", Kind.NOMINAL, tuple(str(i) for i in range(k)))
        codes = generator.integers(0, k, FEWER).astype(np.int8)
        add(f"k={k}, keep .6", Uniform(keep=0.6), attribute, codes)
    columns = generator.dirichlet(np.ones(100), 100)
    columns /= columns.sum(axis=1, keepdims=True)
    matrix = tuple(tuple(row) for row in columns.T.tolist())
    add("k=100, random columns", Custom(matrix), attribute, codes)
    for k, size in ((10, 2), (20, 5), (100, 27)):
        attribute = Attribute("a", Kind.NOMINAL, tuple(str(i) for i in range(k)))
        codes = generator.integers(0, k, FEWER).astype(np.int8)
        add(f"subset of {size} of {k}", Subset(epsilon=1.0, size=size), attribute, codes)
        add(f"unary encoding of {k}", UnaryEncoding(epsilon=1.0), attribute, codes)
    ages = Attribute("x", Kind.INTEGER, domain=(18, 90))
    pay = Attribute("x", Kind.CONTINUOUS, domain=(0, 100_000))
    for asked, name in ((ages, "73 points"), (pay, "1001 points")):
        low, high = asked.domain or (0, 1)
        numbers = np.rint(generator.uniform(low, high, FEWER))
        for mechanism in (
            SquareWave(epsilon=1.0),
            Piecewise(epsilon=1.0),
            Laplace(epsilon=1.0),
            Laplace(epsilon=1.0, inside=True),
        ):
            inside = ", inside" * getattr(mechanism, "inside", False)
            add(f"{mechanism.type_name}{inside}, {name}", mechanism, asked, numbers)
    for path in ("numpy", "compiled"):
        if path == "compiled":
            kernels = (*SAMPLER_KERNELS, *SUBSET_KERNELS, WINDOW_KERNEL)
            assert all(kernel.compile() for kernel in kernels)
        shortest = interleaved(works, REPEATS)
        print(f"numpy {np.__version__}, {path}: {FEWER:,} doubles in {shortest[FILL] * 1e3:.1f} ms")
        for name, taken in shortest.items():
            print(f"  {name:40} {taken / shortest[FILL]:5.2f} x fill")


def peer() -> None:
    try:
        from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
    except ImportError:
        print("multi-freq-ldpy is not installed; skipped")
        return
    some = 20_000
    codes = np.random.default_rng(1).integers(0, 5, some)
    slow = best(lambda: [GRR_Client(value, 5, 1.0) for value in codes], 3) / some
    attribute = Attribute("a", Kind.NOMINAL, tuple("abcde"))
    many = np.resize(codes, ANSWERS).astype(np.int8)
    stream = SeededStreams(1).stream("a")
    fast = best(lambda: Uniform(keep=0.6).distort(many, attribute, stream)) / ANSWERS
    version = importlib.metadata.version("multi-freq-ldpy")
    print(f"multi-freq-ldpy {version} client loop, k=5: ours is {slow / fast:,.0f} x as fast")


def normal() -> None:
    ADD_KERNEL.compile()
    generator = np.random.Generator(np.random.SFC64(1))
    bound = best(lambda: generator.standard_normal(ANSWERS))
    data = generator.random(ANSWERS)
    for noise, perturbation in {
        "normal": Additive(noise="normal", sigma=0.3),
        "uniform": Additive(noise="uniform", half_width=0.3),
        "laplace": Additive(noise="laplace", scale=0.3),
    }.items():
        stream = SeededStreams(1).stream("x")
        taken = best(lambda: perturbation.distort(data, NUMBERS, stream))  # noqa: B023
        print(f"{noise} noise: {taken / bound:.2f} x standard_normal")


def whole_file() -> None:
    from ppworkbench.core.data.files import write_table
    from ppworkbench.core.data.samples import load_sample
    from ppworkbench.core.design.release import ReleaseOptions, release_file
    from ppworkbench.core.design.starting import starting_design

    rows = int(os.environ.get("PPW_ROWS", "1000000"))
    table = load_sample("city-survey", rows=rows)
    table = table.select(table.names[:20])
    design = starting_design(table)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in.parquet"
        write_table(table, source)
        del table
        for name, options in (
            ("seeded", ReleaseOptions(seed=1, shuffle=False)),
            ("release", ReleaseOptions()),
        ):
            start = time.perf_counter()
            release_file(source, design, Path(folder) / "out.parquet", options)
            taken = time.perf_counter() - start
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(f"{name}: {rows:,} x 20 in {taken:.1f} s, peak memory so far {peak:.2f} GB")


if __name__ == "__main__":
    draws()
    peer()
    normal()
    whole_file()
