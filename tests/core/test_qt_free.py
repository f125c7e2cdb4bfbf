"""Everything below the window works on a machine without Qt."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import importlib
import pkgutil
import sys
import warnings

FORBIDDEN = {"PySide6", "pyqtgraph", "shiboken6"}


class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in FORBIDDEN:
            raise ImportError(f"{name} is blocked")


sys.meta_path.insert(0, Blocker())
for name in FORBIDDEN:
    try:
        importlib.import_module(name)
    except ImportError as error:
        assert str(error) == f"{name} is blocked", error
    else:
        raise AssertionError(f"{name} could be imported")

seen = []
for root in ("ppworkbench.core", "ppworkbench.study", "ppworkbench.cli"):
    package = importlib.import_module(root)
    seen.append(root)
    for module in pkgutil.walk_packages(package.__path__, root + ".", onerror=lambda name: None):
        importlib.import_module(module.name)
        seen.append(module.name)
print(*seen, sep="\\n")
"""


@pytest.mark.slow
def test_that_core_study_and_cli_import_without_qt():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    seen = done.stdout.split()
    assert {"ppworkbench.core.data.table", "ppworkbench.study", "ppworkbench.cli.main"} <= set(seen)
