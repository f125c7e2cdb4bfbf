# Made by `packaging/dev.py stubs`; a test compares.
from collections.abc import Mapping, Sequence
from typing import Any

from ppworkbench.analyses.compare import ComparisonResult
from ppworkbench.analyses.compliance.request import ComplianceResult
from ppworkbench.analyses.correlate import CorrelationResult
from ppworkbench.analyses.count import CountResult
from ppworkbench.analyses.distribution import DistributionResult
from ppworkbench.analyses.inputs import Data, DesignLike
from ppworkbench.analyses.list_item import ListItemResult
from ppworkbench.analyses.mean import MeanResult
from ppworkbench.analyses.mine import MiningResult
from ppworkbench.analyses.participants import ParticipantsResult
from ppworkbench.analyses.quantile import QuantileResult
from ppworkbench.analyses.ratio import RatioResult
from ppworkbench.analyses.regress import RegressionResult
from ppworkbench.analyses.share import ShareResult
from ppworkbench.analyses.table import TableResult
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.engines import Engine
from ppworkbench.core.itemsets.items import ItemOptions
from ppworkbench.core.mining.rules import RuleParams
from ppworkbench.core.models import Formula
from ppworkbench.core.progress import Progress
from ppworkbench.core.survey.conditions.condition import Condition

def mine(
    data: Data,
    design: DesignLike | None = ...,
    attributes: Sequence[str] = ...,
    *,
    values: Mapping[str, Sequence[str]] | None = ...,
    method: str = ...,
    items: Mapping[str, Any] | ItemOptions | None = ...,
    rules: bool | Mapping[str, Any] | RuleParams | None = ...,
    privacy: bool = ...,
    weights: str | None = ...,
    sampling: Sampling | Mapping[str, Any] | bool = ...,
    original: Data | None = ...,
    reading: ReadOptions | Mapping[str, Any] | None = ...,
    seed: int | None = ...,
    engine: Engine | str | None = ...,
    progress: Progress = ...,
    **parameters: Any,
) -> MiningResult: ...

class SurveyMethods:
    def share(
        self,
        what: str | Condition,
        where: str | Condition | None = ...,
        *,
        confidence: float = ...,
        arms: Sequence[str] = ...,
        method: str = ...,
        sharpest: str | float = ...,
        by_arm: bool = ...,
        pooling: str = ...,
    ) -> ShareResult: ...
    def count(
        self,
        where: str | Condition,
        *,
        confidence: float = ...,
        arms: Sequence[str] = ...,
        method: str = ...,
        sharpest: str | float = ...,
        by_arm: bool = ...,
        pooling: str = ...,
    ) -> CountResult: ...
    def mean(
        self,
        of: str,
        where: str | Condition | None = ...,
        *,
        confidence: float = ...,
        arms: Sequence[str] = ...,
        method: str = ...,
        sharpest: str | float = ...,
        by_arm: bool = ...,
    ) -> MeanResult: ...
    def ratio(
        self,
        of: str,
        by: str,
        where: str | Condition | None = ...,
        *,
        confidence: float = ...,
        arms: Sequence[str] = ...,
    ) -> RatioResult: ...
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
    def distribution(
        self,
        of: str,
        where: str | Condition | None = ...,
        *,
        confidence: float = ...,
        arms: Sequence[str] = ...,
        bins: int | None = ...,
        method: str = ...,
        sharpest: str | float = ...,
        by_arm: bool = ...,
        pooling: str = ...,
    ) -> DistributionResult: ...
    def table(
        self,
        rows: str,
        columns: str,
        where: str | Condition | None = ...,
        *,
        confidence: float = ...,
        arms: Sequence[str] = ...,
        bins: int | None = ...,
        test: str = ...,
        method: str = ...,
        by_arm: bool = ...,
    ) -> TableResult: ...
    def compare(
        self,
        of: str,
        by: str | None = ...,
        where: str | Condition | None = ...,
        *,
        confidence: float = ...,
        arms: Sequence[str] = ...,
        against: str | None = ...,
        reference: str | None = ...,
        bins: int | None = ...,
    ) -> ComparisonResult: ...
    def participants(
        self,
        where: str | Condition,
        *,
        confidence: float = ...,
        arms: Sequence[str] = ...,
        size: int | None = ...,
        draw: str = ...,
        method: str = ...,
    ) -> ParticipantsResult: ...
    def regress(
        self,
        formula: str | Formula,
        where: str | Condition | None = ...,
        *,
        effects: bool = ...,
        predict: Sequence[str | Mapping[str, object]] | None = ...,
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
        band: str | tuple[float, float] | None = ...,
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
