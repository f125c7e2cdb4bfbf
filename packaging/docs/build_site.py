"""Build the documentation site: help pages in two languages, notebooks that ran, Python reference.

    python packaging/docs/build_site.py --out build/site

Sources are written into a folder beside the site, and Sphinx makes pages of them. What is wrong
ends the work: a notebook that fails, a warning of Sphinx, a dead link, or anything that a page
would load from elsewhere.
"""

from __future__ import annotations

import argparse
import inspect
import json
import pkgutil
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path

import check_site
import help_source
from notebook import NOTEBOOKS, NotebookError, run_notebook, write_page

import ppworkbench as pp
import ppworkbench.api
from ppworkbench.study.language import Language, tongue_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class SiteError(Exception):
    """Why there is no site, in a few lines."""


def main(arguments: list[str] | None = None) -> int:
    """Build the site and check it; return the exit status."""
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site", metavar="FOLDER")
    out = parser.parse_args(arguments).out.resolve()
    try:
        build(out)
    except (SiteError, NotebookError) as reason:
        print(f"build_site.py: {reason}", file=sys.stderr)
        return 1
    print(f"{len(list(out.rglob('*.html')))} pages: {out / 'index.html'}")
    return 0


def build(out: Path) -> None:
    """Make the site in a folder, which is replaced if it holds an older one."""
    source = out.with_name(f"{out.name}-source")
    # Sources lie beside every site, also beside one that was not finished.
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not source.is_dir()):
        raise SiteError(f"{out} holds something else than a site; name another folder.")
    for folder in (out, source):
        shutil.rmtree(folder, ignore_errors=True)
    write_english(source / "en")
    write_polish(source / "pl")
    languages = {"en": out, "pl": out / "pl"}
    print(f"Sphinx, {' and '.join(languages)} ...", flush=True)
    with ThreadPoolExecutor() as beside:
        tuple(beside.map(partial(run_sphinx, source), languages, languages.values()))
    translate_theme(out / "pl", HERE / "theme.pl.json")
    faults = check_site.find_faults(out)
    if faults:
        raise SiteError("\n".join(["The site has faults:", *faults]))


def write_english(folder: Path) -> None:
    """Write the sources of the English pages: help, notebooks and Python reference."""
    write_notebooks(folder / "notebooks")
    write_reference(folder / "api")
    english = tongue_of("en")
    notebooks = "\n".join(f"notebooks/{path.stem}" for path in sorted(NOTEBOOKS.glob("*.ipynb")))
    more = f"\n```{{toctree}}\n:hidden:\n:caption: In Python\n\n{notebooks}\napi/index\n```\n"
    write_language(folder, english, "index.md", more)


def write_polish(folder: Path) -> None:
    """Write the sources of the Polish pages: the help."""
    write_language(folder, tongue_of("pl"), "index.pl.md")


def write_language(folder: Path, language: Language, index: str, more: str = "") -> None:
    """Write the help in a language, and the first page with the contents."""
    help_source.write_help(folder, language)
    first = (HERE / "pages" / index).read_text(encoding="utf-8")
    text = first + more + help_source.chapters(language)
    (folder / "index.md").write_text(text, encoding="utf-8")


def write_notebooks(folder: Path) -> None:
    """Run every notebook and write its page."""
    folder.mkdir(parents=True)
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        print(f"{path.name} ...", flush=True)
        write_page(run_notebook(path), folder)


def write_reference(folder: Path) -> None:
    """Write a page for every public name, and one for what functions return."""
    folder.mkdir(parents=True)
    functions = [name for name in pp.__all__ if inspect.isfunction(getattr(pp, name))]
    classes = [name for name in pp.__all__ if name not in functions]
    for name in pp.__all__:
        is_function = name in functions
        directive = "autofunction" if is_function else "autoclass"
        members = "" if is_function else "   :members:\n"
        write_rst(folder / f"{name}.rst", f"pp.{name}", f".. {directive}:: {name}\n{members}")
    results = "\n".join(
        f".. autoclass:: {one.__module__}.{one.__qualname__}()\n   :members:\n"
        for one in sorted(result_classes(), key=lambda one: one.__name__)
    )
    write_rst(
        folder / "results.rst",
        "Results",
        "What functions and methods return. Every one has the methods of :class:`Result` as well: "
        f"``summary()``, ``to_dict()``, ``to_frame()`` and ``plot()``.\n\n{results}",
    )
    listed = [
        section(title, names)
        for title, names in (
            ("Functions", functions), ("Classes", classes), ("What they return", ["results"]),
        )
    ]  # fmt: skip
    write_rst(
        folder / "index.rst",
        "Python reference",
        "``import ppworkbench as pp`` gives these names; :doc:`../help/python` shows how they go "
        "together.\n\n" + "\n".join(listed),
    )


def section(title: str, names: list[str]) -> str:
    """A heading with the contents below it."""
    entries = "\n".join(f"   {name}" for name in names)
    return f"{title}\n{'-' * len(title)}\n\n.. toctree::\n   :maxdepth: 1\n\n{entries}\n"


def write_rst(path: Path, title: str, body: str) -> None:
    """Write a page of the reference."""
    head = f"{title}\n{'=' * len(title)}\n\n.. currentmodule:: ppworkbench\n"
    path.write_text(f"{head}\n{body}", encoding="utf-8")


def result_classes() -> Iterator[type[pp.Result]]:
    """All results that functions return; those that are only bases of others are left out."""
    for module in pkgutil.iter_modules(ppworkbench.api.__path__):
        import_module(f"ppworkbench.api.{module.name}")
    waiting = [pp.Result]
    while waiting:
        found = waiting.pop()
        below = found.__subclasses__()
        waiting += below
        if not inspect.isabstract(found) and found is not pp.Result:
            yield found


def run_sphinx(sources: Path, language: str, out: Path) -> None:
    """Make pages of the sources in a language; a warning is an error."""
    source = sources / language
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-q", "-W", "--keep-going"]
    command += ["-c", str(HERE), "-d", str(sources / f"{language}-cache")]
    done = subprocess.run(
        [*command, "-D", f"language={language}", str(source), str(out)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SiteError(f"Sphinx has complaints:\n{done.stderr.strip()}")
    # What only the next run of Sphinx would read.
    (out / ".buildinfo").unlink(missing_ok=True)


def translate_theme(site: Path, words: Path) -> None:
    """Say in another language what the theme has in English only."""
    texts = json.loads(words.read_text(encoding="utf-8"))
    for path in site.rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        for english, text in texts.items():
            page = page.replace(english, text)
        path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
