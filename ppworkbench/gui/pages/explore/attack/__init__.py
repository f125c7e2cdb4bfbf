"""The attack lab: what an attacker makes of the distorted answers."""

from ppworkbench.gui.pages.explore.attack.lab import AttackLab

__all__ = ["AttackLab"]
