# Made by `packaging/dev.py stubs`; a test compares.
from collections.abc import Mapping, Sequence

from ppworkbench.analyses.compliance.request import ComplianceResult
from ppworkbench.analyses.correlate import CorrelationResult
from ppworkbench.analyses.list_item import ListItemResult
from ppworkbench.analyses.quantile import QuantileResult
from ppworkbench.analyses.regress import RegressionResult
from ppworkbench.core.models import Formula
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
    def regress(
        self,
        formula: str | Formula,
        where: str | Condition | None = ...,
        *,
        effects: bool = ...,
        predict: Sequence[str | Mapping[str, object]] = ...,
        compare_with: str | Formula | None = ...,
        fit: bool = ...,
        model: str = ...,
        method: str = ...,
        variance: str = ...,
        penalty: str = ...,
        predictors: str = ...,
        confidence: float = ...,
        arms: Sequence[str] = ...,
    ) -> RegressionResult: ...
    def correlate(self, *names: str) -> CorrelationResult: ...
    def compliance(
        self,
        attribute: str,
        behaviours: Sequence[str] = ...,
        *,
        safe: str = ...,
        model: str = ...,
        anchor: str | tuple[str, float, float] = ...,
        anchor_p: float | None = ...,
        anchor_share: float | None = ...,
        share: float | None = ...,
        share_error: float = ...,
        band: str | tuple[float, float] = ...,
        reach: float | None = ...,
        arms: Sequence[str] = ...,
    ) -> ComplianceResult: ...
    def list_item(
        self,
        attribute: str,
        *,
        method: str = ...,
        predictors: Sequence[str] = ...,
        ceiling: bool = ...,
        floor: bool = ...,
        second: str = ...,
        direct: str = ...,
    ) -> ListItemResult: ...
