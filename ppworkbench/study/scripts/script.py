"""The script of a result in the language that somebody chose."""

from __future__ import annotations

from ppworkbench.core.design.design import Design
from ppworkbench.study.scripts.analysis import PYTHON, Analysis, Origin, R
from ppworkbench.study.scripts.python import python_script


def write_script(language: str, analysis: Analysis, design: Design | None, origin: Origin) -> str:
    """The text of a script; where a language cannot do it, the script says why.

    Parameters
    ----------
    design
        The design of the answers; None where nobody randomised them.
    """
    if language == PYTHON:
        return python_script(analysis, origin)
    if language == R:
        from ppworkbench.study.scripts.r import r_script

        return r_script(analysis, design, origin)
    from ppworkbench.study.scripts.stata import stata_script

    return stata_script(analysis, design, origin)
