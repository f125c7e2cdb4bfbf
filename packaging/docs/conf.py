"""Settings of Sphinx for the site; whatever it shows comes from the site itself."""

from __future__ import annotations

import json
from pathlib import Path

import ppworkbench

ROOT = Path(__file__).resolve().parents[2]
COLOURS = json.loads((ROOT / "resources/ui/tokens.json").read_text(encoding="utf-8"))["colour"]

project = "ppworkbench"
author = "The ppworkbench authors"
project_copyright = author
release = version = ppworkbench.__version__
language = "en"
# Signs stand as the help has them: two dashes begin an option.
smartquotes = False

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# Lines that pages of the help may begin with, without meaning what MyST makes of them.
myst_disable_syntax = ["myst_line_comment", "myst_block_break", "myst_target"]
myst_heading_anchors = 3
myst_heading_slug_func = "ppworkbench.outputs.help.topic.slug"
# Examples of wrong files are not JSON, and a few languages have no colours.
suppress_warnings = ["misc.highlighting_failure"]

add_module_names = False
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
python_maximum_signature_line_length = 88

pygments_dark_style = "a11y-high-contrast-dark"
html_theme = "furo"
html_title = f"ppworkbench {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_favicon = str(ROOT / "icons" / "app.svg")
html_copy_source = False
html_show_sourcelink = False


def colour_variables(theme: str) -> dict[str, str]:
    """The colours of the window as variables of the theme."""
    colours = COLOURS[theme]
    return {
        "color-brand-primary": colours["accentInk"],
        "color-brand-content": colours["accentInk"],
        "color-brand-visited": colours["accentInk"],
        "color-background-primary": colours["surface"],
        "color-background-secondary": colours["window"],
        "color-background-hover": colours["hover"],
        "color-background-border": colours["border"],
        "color-foreground-primary": colours["text"],
        "color-foreground-secondary": colours["text2"],
        "color-foreground-muted": colours["text3"],
        "color-inline-code-background": colours["sunken"],
        "color-code-background": colours["sunken"],
    }


html_theme_options = {
    "light_css_variables": colour_variables("light"),
    "dark_css_variables": colour_variables("dark"),
}
