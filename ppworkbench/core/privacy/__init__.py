"""What a design tells about single answers and what it costs: one measure per file."""

from ppworkbench.core.privacy.prior import Prior

__all__ = ["Prior"]
