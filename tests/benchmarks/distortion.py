"""How fast answers are distorted, as ratios to what bounds it.

- nominal answers against one fill of random doubles by the same generator, and against the
  client loop of multi-freq-ldpy where that is installed;
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
from pathlib import Path

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Uniform
from ppworkbench.core.design.noises.additive import ADD_KERNEL
from ppworkbench.core.design.sampler import _look_up, _resolve
from ppworkbench.core.rng import SecureStreams, SeededStreams

ANSWERS = 10_000_000
NUMBERS = Attribute("x", Kind.CONTINUOUS, domain=(0, 1))


def best(work: Callable[[], object], repeats: int = 7) -> float:
    """The shortest of several runs: the others were disturbed."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def nominal() -> None:
    generator = np.random.Generator(np.random.SFC64(1))
    fill = best(lambda: generator.random(ANSWERS))
    print(f"numpy {np.__version__}: {ANSWERS:,} doubles in {fill * 1e3:.0f} ms")
    for compiled in (False, True):
        if compiled:
            assert _look_up.compile()
            assert _resolve.compile()
        for k in (2, 5, 20, 100):
            attribute = Attribute("a", Kind.NOMINAL, tuple(str(i) for i in range(k)))
            codes = generator.integers(0, k, ANSWERS).astype(np.int8)
            for name, streams in (("seeded", SeededStreams(1)), ("secure", SecureStreams())):
                stream = streams.stream("a")
                perturbation = Uniform(keep=0.6)
                taken = best(lambda: perturbation.distort(codes, attribute, stream))  # noqa: B023
                path = "compiled" if compiled else "numpy"
                print(f"nominal k={k:<3} {path:8} {name}: {taken / fill:.2f} x fill")


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
    nominal()
    peer()
    normal()
    whole_file()
