"""Which tests ``dev.py test --near`` runs."""

from __future__ import annotations

import subprocess

import pytest

FILES = {
    "ppworkbench/__init__.py": "",
    "ppworkbench/low.py": "",
    "ppworkbench/high.py": "def run():\n    from ppworkbench.low import name",
    "ppworkbench/named.py": 'PLACE = "ppworkbench.high"',
    "ppworkbench/alone.py": "",
    "packaging/tool.py": "",
    "tests/hands.py": "import ppworkbench.high",
    "tests/conftest.py": "",
    "tests/inner/conftest.py": "import ppworkbench.alone",
    "tests/inner/test_inner.py": "",
    "tests/inner/kept.txt": "",
    "tests/test_hands.py": "from hands import press",
    "tests/test_low.py": "from ppworkbench import low",
    "tests/test_named.py": "from ppworkbench.named import PLACE",
    "tests/test_tool.py": 'load("tool")',
    "README.md": "",
}


@pytest.fixture
def checkout(tmp_path):
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "near"),
    [
        ("ppworkbench/low.py", "ppworkbench/low.py test_hands test_low test_named"),
        ("ppworkbench/high.py", "ppworkbench/high.py test_hands test_named"),
        ("ppworkbench/alone.py", "ppworkbench/alone.py inner/test_inner"),
        ("tests/hands.py", "test_hands"),
        ("tests/test_low.py", "test_low"),
        ("tests/conftest.py", "inner/test_inner test_hands test_low test_named test_tool"),
        ("tests/inner/kept.txt", "inner/test_inner"),
        ("packaging/tool.py", "test_tool"),
    ],
)
def test_that_tests_are_near_over_imports(load, checkout, changed, near):
    found, unclear = load("near_tests").near_tests(checkout, [changed])
    expected = [one if "." in one else f"tests/{one}.py" for one in near.split()]
    assert (found, unclear) == (expected, [])


def test_that_files_of_which_imports_tell_nothing_are_named(load, checkout):
    assert load("near_tests").near_tests(checkout, ["README.md"]) == ([], ["README.md"])


def test_that_what_changed_since_main_counts_committed_or_not(load, checkout):
    def git(*arguments):
        who = ("-c", "user.name=a", "-c", "user.email=a@b.example")
        subprocess.run(["git", *who, *arguments], cwd=checkout, check=True, capture_output=True)

    git("init", "-b", "main")
    git("add", ".")
    git("commit", "-m", "first")
    git("switch", "-c", "work")
    (checkout / "ppworkbench/low.py").write_text("name = 1")
    git("commit", "-am", "second")
    (checkout / "tests/test_low.py").write_text("")
    (checkout / "tests/test_new.py").write_text("")
    (checkout / "README.md").unlink()
    changed = load("near_tests").changed_files(checkout)
    assert changed == ["ppworkbench/low.py", "tests/test_low.py", "tests/test_new.py"]


def test_that_a_folder_without_commits_is_refused_in_a_sentence(load, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    tool = load("near_tests")
    with pytest.raises(tool.Stop, match="no checkout with commits"):
        tool.changed_files(tmp_path)
