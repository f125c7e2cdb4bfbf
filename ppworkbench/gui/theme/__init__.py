"""Colours, type and icons of the window, from the tokens in ``resources/ui``."""

from ppworkbench.gui.theme.manager import ThemeManager, set_rules
from ppworkbench.gui.theme.theme import Role, Theme
from ppworkbench.gui.theme.tokens import Tokens, load_tokens

__all__ = ["Role", "Theme", "ThemeManager", "Tokens", "load_tokens", "set_rules"]
