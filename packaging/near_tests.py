"""Which modules import which, and the tests that changed files can reach over imports.

An import counts wherever it stands: inside a function, and for types alone. Uses nothing but the
standard library.
"""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from versions import Stop

PROGRAM, TESTS, TOOLS = "ppworkbench", "tests", "packaging"
Graph = Mapping[str, frozenset[str]]


def modules_of(root: Path, folder: str) -> dict[str, Path]:
    """The modules below a folder of a checkout by their names."""
    found = {}
    for path in sorted((root / folder).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported_names(tree: ast.Module, module: str, *, is_package: bool) -> Iterator[str]:
    """Every name that a module imports: a module, or something in one."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            yield from (f"{base}.{one.name}" for one in node.names)


def import_graph(root: Path) -> Graph:
    """Which modules of the program each of them imports."""
    modules = modules_of(root, PROGRAM)
    return {
        name: frozenset(_imported(name, path, ast.parse(path.read_bytes()), modules))
        for name, path in modules.items()
    }


def _imported(
    module: str, path: Path, tree: ast.Module, modules: Mapping[str, Path]
) -> Iterator[str]:
    names = imported_names(tree, module, is_package=path.name == "__init__.py")
    for name in names:
        found = _module_named(name, modules) or _module_named(name.rpartition(".")[0], modules)
        if found and found != module:
            yield found


def _module_named(name: str, modules: Mapping[str, Path]) -> str:
    """The module of a name; tests and tools are also found by their names in their folders."""
    places = (name, f"{TESTS}.{name}", f"{TOOLS}.{name}") if name else ()
    return next((place for place in places if place in modules), "")


def circles(graph: Graph) -> list[list[str]]:
    """Modules that reach each other over imports, each group of them once (Tarjan)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []
    found = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        waiting.append(name)
        for other in sorted(graph[name]):
            if other not in order:
                visit(other)
            if other in waiting:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == order[name]:
            place = waiting.index(name)
            group = sorted(waiting[place:])
            del waiting[place:]
            if len(group) > 1:
                found.append(group)

    for name in graph:
        if name not in order:
            visit(name)
    return found


def near_tests(root: Path, changed: Iterable[str]) -> tuple[list[str], list[str]]:
    """The files that pytest is to run for changed ones, and changed ones that tell nothing.

    Besides modules, a changed file of the tests is near to the tests of its folder.
    """
    modules = {}
    for folder in (PROGRAM, TESTS, TOOLS):
        modules |= modules_of(root, folder)
    places = {path.relative_to(root).as_posix(): name for name, path in modules.items()}
    users: dict[str, set[str]] = {name: set() for name in modules}
    for name, path in modules.items():
        for used in _used(root, name, path, modules):
            users[used].add(name)
    reached, unclear = set(), []
    for file in changed:
        beside = (root / file).parent
        if file in places:
            reached.add(places[file])
        elif file.startswith(f"{TESTS}/"):
            reached |= {name for name, path in modules.items() if path.parent == beside}
        else:
            unclear.append(file)
    # Examples in the documentation of a changed module are tests as well.
    run = {name for name in reached if name.startswith(f"{PROGRAM}.")}
    ahead = [*reached]
    while ahead:
        more = users[ahead.pop()] - reached
        reached |= more
        ahead += more
    run |= {name for name in reached if modules[name].name.startswith("test_")}
    return sorted(modules[name].relative_to(root).as_posix() for name in run), unclear


def _used(root: Path, name: str, path: Path, modules: Mapping[str, Path]) -> set[str]:
    """What a module imports, modules that are loaded by their names, and what pytest adds."""
    tree = ast.parse(path.read_bytes())
    used = {*_imported(name, path, tree, modules)}
    texts = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    used |= {text for text in texts if text.startswith(f"{PROGRAM}.") and text in modules}
    if name.startswith(f"{TESTS}."):
        used |= {f"{TOOLS}.{text}" for text in texts if f"{TOOLS}.{text}" in modules}
        for folder in path.relative_to(root).parents:
            used |= {".".join([*folder.parts, "conftest"])} & modules.keys()
    return used - {name}


def changed_files(root: Path) -> list[str]:
    """What has changed since the work left ``main``, committed or not."""
    base = _git(root, "merge-base", "HEAD", "main") or ["HEAD"]
    if not _git(root, "rev-parse", "--verify", "HEAD"):
        raise Stop("what has changed is asked of git, and this is no checkout with commits.")
    changed = _git(root, "diff", "--name-only", "--diff-filter=d", *base)
    return sorted({*changed, *_git(root, "ls-files", "--others", "--exclude-standard")})


def _git(root: Path, *arguments: str) -> list[str]:
    """The lines that git says; none if it fails."""
    try:
        done = subprocess.run(
            ["git", "-c", "core.quotepath=off", *arguments],
            cwd=root, capture_output=True, text=True, check=False,
        )  # fmt: skip
    except OSError:
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []
