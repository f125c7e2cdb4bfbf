"""The deployment kit: one questionnaire for cards, paper and survey platforms, and the way back."""

from ppworkbench.fieldwork.kit.kit import (
    KitFile,
    KitOptions,
    KitResult,
    PdfJob,
    PrintPdf,
    RefusedTarget,
    asked_in,
    target_names,
    write_kit,
)
from ppworkbench.fieldwork.kit.nearest import NearestDevice, nearest_devices

__all__ = [
    "KitFile",
    "KitOptions",
    "KitResult",
    "NearestDevice",
    "PdfJob",
    "PrintPdf",
    "RefusedTarget",
    "asked_in",
    "nearest_devices",
    "target_names",
    "write_kit",
]
