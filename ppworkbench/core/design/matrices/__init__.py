"""P-matrix families, one file each."""

from ppworkbench.core.design.matrices.base import (
    MAX_VALUES,
    NEARLY_SINGULAR,
    MatrixPerturbation,
    check_matrix,
    condition_number,
)
from ppworkbench.core.design.matrices.binary import Binary
from ppworkbench.core.design.matrices.custom import Custom
from ppworkbench.core.design.matrices.forced import Forced
from ppworkbench.core.design.matrices.geometric import Geometric
from ppworkbench.core.design.matrices.ordinal import Ordinal
from ppworkbench.core.design.matrices.related import Related
from ppworkbench.core.design.matrices.uniform import Uniform
from ppworkbench.core.design.matrices.unrelated import Unrelated

__all__ = [
    "MAX_VALUES",
    "NEARLY_SINGULAR",
    "Binary",
    "Custom",
    "Forced",
    "Geometric",
    "MatrixPerturbation",
    "Ordinal",
    "Related",
    "Uniform",
    "Unrelated",
    "check_matrix",
    "condition_number",
]
