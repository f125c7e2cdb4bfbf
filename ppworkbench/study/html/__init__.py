"""Pages that are one file: no request leaves them but one that their policy names."""

from ppworkbench.study.html.colours import css_variables, role_colours
from ppworkbench.study.html.page import Page, embedded_json, escaped

__all__ = ["Page", "css_variables", "embedded_json", "escaped", "role_colours"]
