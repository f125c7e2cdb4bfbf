"""Files of strangers run no code and open no connection: the program has nothing that could."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "ppworkbench"
RUNS_CODE = {"eval", "exec", "compile", "__import__", "execfile"}
UNPICKLES = {
    "pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal",
    "jsonpickle", "yaml",
}  # fmt: skip
CONNECTS = {
    "socket", "ssl", "urllib.request", "http.client", "http.server", "ftplib", "smtplib",
    "xmlrpc", "requests", "aiohttp", "httpx", "urllib3", "PySide6.QtNetwork", "distributed",
    "dask.distributed", "fsspec",
}  # fmt: skip
ALLOWED = {
    # The engine of a cluster, used only with an address that the user gives.
    ("distributed", "core/engines.py"),
    # A folder of parts under an address that the user gives.
    ("fsspec", "core/data/parts.py"),
    # The collector listens where the user lets it.
    ("socket", "fieldwork/collector/server.py"),
    ("ssl", "fieldwork/collector/server.py"),
}
READERS = {"read_pickle", "to_pickle", "load_module"}
BETWEEN_OWN_PROCESSES = {
    "core/classify/meta.py", "core/engines.py", "core/experiment/engines.py",
}  # fmt: skip
"""Send work to processes that they started themselves; they read no file."""
CALLS = re.compile(
    rf"(?<![.\w])(?:{'|'.join(sorted(RUNS_CODE))})\s*\("
    rf"|\b(?:{'|'.join(sorted(READERS))})\s*\("
    r"|\b(?:shell|allow_pickle)\s*=|\bos\s*\.\s*(?:system|popen)\b"
)
IMPORTS = re.compile(r"(?:^|[:;])\s*(?:from|import)\b(?:[^\n(]|\\\n|\([^)]*\))*", re.MULTILINE)
NAMES = re.compile(
    "|".join(rf"\b{re.escape(w.split('.')[-1])}\b" for w in sorted(UNPICKLES | CONNECTS))
)


def is_worth_a_look(text: str) -> bool:
    """Whether a module says anything that could run code of others or speak to others.

    To understand all of them takes long.
    """
    imports = "\n".join(IMPORTS.findall(text))
    return CALLS.search(text) is not None or NAMES.search(imports) is not None


def modules() -> list[tuple[str, ast.Module]]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if is_worth_a_look(text):
            found.append((path.relative_to(PACKAGE).as_posix(), ast.parse(text)))
    return found


@pytest.fixture(scope="module")
def package() -> list[tuple[str, ast.Module]]:
    return modules()


def imported(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def is_of(name: str, banned: set[str]) -> str:
    return next((b for b in banned if name == b or name.startswith(f"{b}.")), "")


def found_in(tree: ast.AST) -> list[str]:
    """What of a module could run code of others or speak to others."""
    said = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id in RUNS_CODE:
                said.append(f"{called.id}()")
            if isinstance(called, ast.Attribute) and (
                called.attr in READERS
                or (called.attr in ("system", "popen") and ast.unparse(called.value) == "os")
            ):
                said.append(f".{called.attr}()")
            for keyword in node.keywords:
                value = getattr(keyword.value, "value", None)
                if keyword.arg in ("shell", "allow_pickle") and value is not False:
                    said.append(f"{keyword.arg}={value}")
    return said + [banned for name in imported(tree) if (banned := is_of(name, UNPICKLES))]


@pytest.mark.parametrize(
    "line",
    [
        "eval('1')", "import pickle", "from pickle import loads", "import joblib.numpy_pickle",
        "numpy.load(f, allow_pickle=True)", "subprocess.run(x, shell=True)", "pd.read_pickle(f)",
        "os.system(x)",
    ],
)  # fmt: skip
def test_that_the_search_finds_what_it_is_for(line):
    assert found_in(ast.parse(line))
    assert is_worth_a_look(f"def f():\n    {line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "import socket", "from urllib import request", "from urllib.request import urlopen",
        "from PySide6 import (\n    QtCore,\n    QtNetwork,\n)", "if x: import http.client",
        "import os, ssl", "import sys; import distributed",
    ],
)  # fmt: skip
def test_that_the_search_finds_what_opens_a_connection(line):
    assert any(is_of(name, CONNECTS) for name in imported(ast.parse(line)))
    assert is_worth_a_look(line)


def test_that_no_module_unpickles_or_runs_texts(package):
    found = {name: said for name, tree in package if (said := found_in(tree))}
    assert found.keys() <= BETWEEN_OWN_PROCESSES, found


def test_that_only_the_engine_of_a_cluster_can_open_a_connection(package):
    found = {
        (banned, name)
        for name, tree in package
        for one in imported(tree)
        if (banned := is_of(one, CONNECTS))
    }
    assert found <= ALLOWED, found - ALLOWED


LOADS = re.compile(
    r"""(?:src|href|action)\s*=\s*["']?\s*(?:https?:)?//|\burl\(|@import|\bimport\s*\(""",
    re.IGNORECASE,
)


def test_that_nothing_that_pages_are_made_of_loads_anything():
    parts = [
        path
        for suffix in (".html", ".css", ".js")
        for path in (ROOT / "resources").rglob(f"*{suffix}")
    ]
    assert len(parts) > 1
    assert [path.name for path in parts if LOADS.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    "line", ['<img src="//example.org/a.png">', "@import 'a.css';", "src=https://example.org/a.js"]
)
def test_that_the_search_finds_what_would_be_loaded(line):
    assert LOADS.search(line)
