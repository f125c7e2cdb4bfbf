# Made by `packaging/dev.py stubs`; a test compares.
from collections.abc import Sequence

from ppworkbench.analyses.quantile import QuantileResult
from ppworkbench.core.survey.conditions.condition import Condition

class SurveyMethods:
    def quantile(
        self,
        of: str,
        at: Sequence[float] = ...,
        where: str | Condition | None = ...,
        *,
        confidence: float = ...,
        arms: Sequence[str] = ...,
        sharpest: str | float = ...,
    ) -> QuantileResult: ...
