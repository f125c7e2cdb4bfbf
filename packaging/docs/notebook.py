"""Run a notebook and set it as a page of the site.

Notebooks are kept without results. Their cells run here as Jupyter runs them: in order, in one
namespace, with the value of a last expression shown unless a semicolon follows it.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import shutil
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).resolve().parent / "notebooks"


class NotebookError(Exception):
    """A cell that failed: which one, and why."""


@dataclass(frozen=True)
class Cell:
    """A cell with what it printed, the HTML or text of its value, and the pictures that it drew."""

    kind: str
    source: str
    printed: str = ""
    html: str = ""
    value: str = ""
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Notebook:
    """A notebook that has been run, and the names that it has given."""

    name: str
    cells: tuple[Cell, ...]
    names: dict[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The first heading."""
        return self.cells[0].source.partition("\n")[0].removeprefix("# ")


def run_notebook(path: Path) -> Notebook:
    """Run all cells of a notebook in a namespace of their own."""
    import matplotlib as mpl

    mpl.use("Agg")
    document = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    for number, raw in enumerate(document["cells"], 1):
        source = "".join(raw["source"])
        if raw["cell_type"] == "markdown":
            cells.append(Cell("markdown", source))
            continue
        try:
            cells.append(_run_cell(source, names))
        except Exception as error:
            last = traceback.format_exception_only(error)[-1].strip()
            raise NotebookError(f"{path.name}, cell {number}: {last}") from error
    return Notebook(path.stem, tuple(cells), names)


def _run_cell(source: str, names: dict[str, Any]) -> Cell:
    tree = ast.parse(source)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    value = None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "<cell>", "exec"), names)
        if last is not None:
            value = eval(compile(last, "<cell>", "eval"), names)
    if source.rstrip().endswith(";"):
        value = None
    show = getattr(value, "_repr_html_", None)
    html = show() if show else ""
    return Cell(
        "code", source, printed.getvalue(), html,
        "" if value is None or html else repr(value), tuple(_take_pictures()),
    )  # fmt: skip


def _take_pictures() -> Iterator[str]:
    """The open figures as SVG, the same in every run; each is closed."""
    if "matplotlib.pyplot" not in sys.modules:
        return
    from matplotlib import pyplot as plt

    for number in plt.get_fignums():
        text = io.StringIO()
        with plt.rc_context({"svg.hashsalt": "ppworkbench", "svg.fonttype": "path"}):
            plt.figure(number).savefig(text, format="svg", metadata={"Date": None})
        plt.close(number)
        yield text.getvalue()


def write_page(notebook: Notebook, folder: Path) -> None:
    """Write a notebook that has run as a page in MyST Markdown, with its pictures beside it.

    The page offers the notebook itself, which is copied there.
    """
    file = f"{notebook.name}.ipynb"
    shutil.copyfile(NOTEBOOKS / file, folder / file)
    drawn = 0
    parts = []
    for cell in notebook.cells:
        if cell.kind == "markdown":
            parts.append(cell.source.replace(".ipynb)", ".md)"))
            if len(parts) == 1:
                parts.append(f"{{download}}`Download the notebook <{file}>`")
            continue
        parts.append(f"```python\n{cell.source}\n```")
        parts += [
            f"```{{code-block}} text\n:class: output\n\n{text.rstrip()}\n```"
            for text in (cell.printed, cell.value)
            if text
        ]
        if cell.html:
            parts.append(f'```{{raw}} html\n<div class="output">\n{cell.html}\n</div>\n```')
        for picture in cell.pictures:
            drawn += 1
            drawing = f"{notebook.name}-{drawn}.svg"
            (folder / drawing).write_text(picture, encoding="utf-8")
            parts.append(f"![The picture that the cell above draws]({drawing})")
    page = "\n\n".join(parts)
    (folder / f"{notebook.name}.md").write_text(f"{page}\n", encoding="utf-8")
