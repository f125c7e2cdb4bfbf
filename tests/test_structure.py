"""How the modules of the program stand on each other."""

from __future__ import annotations

import pytest
from recipes import PACKAGING, ROOT, load_recipe


@pytest.fixture
def graphs(monkeypatch):
    monkeypatch.syspath_prepend(str(PACKAGING))
    return load_recipe("near_tests")


def test_that_no_modules_import_each_other_in_a_circle(graphs):
    # Inside of functions and for types as well: who names a thing above cannot be read alone.
    assert graphs.circles(graphs.import_graph(ROOT)) == []


def test_that_a_circle_is_found_wherever_its_imports_stand(graphs, tmp_path):
    package = tmp_path / "ppworkbench"
    (package / "inner").mkdir(parents=True)
    files = {
        "__init__.py": "",
        "inner/__init__.py": "from .first import name",
        "inner/first.py": "def name():\n    from ppworkbench import second",
        "second.py": "if TYPE_CHECKING:\n    from ppworkbench.inner import name",
        "third.py": "import ppworkbench.second\nimport numpy",
    }
    for name, text in files.items():
        (package / name).write_text(text)
    graph = graphs.import_graph(tmp_path)
    assert graph["ppworkbench.third"] == {"ppworkbench.second"}
    assert graphs.circles(graph) == [
        ["ppworkbench.inner", "ppworkbench.inner.first", "ppworkbench.second"]
    ]
