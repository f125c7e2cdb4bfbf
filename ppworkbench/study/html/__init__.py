"""Pages that are one file: no request leaves them but one that their policy names."""

from ppworkbench.study.html.colours import css_variables, role_colours
from ppworkbench.study.html.page import Page, escaped, render

__all__ = ["Page", "css_variables", "escaped", "render", "role_colours"]
