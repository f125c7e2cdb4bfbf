# Made by `packaging/dev.py stubs`; a test compares.
from collections.abc import Mapping, Sequence
from typing import Any

from ppworkbench.analyses.arguments import StudyPath
from ppworkbench.analyses.compliance.compliance import ComplianceResult
from ppworkbench.analyses.estimates.compare import ComparisonResult
from ppworkbench.analyses.estimates.correlate import CorrelationResult
from ppworkbench.analyses.estimates.count import CountResult
from ppworkbench.analyses.estimates.distribution import DistributionResult
from ppworkbench.analyses.estimates.list_item import ListItemResult
from ppworkbench.analyses.estimates.mean import MeanResult
from ppworkbench.analyses.estimates.participants import ParticipantsResult
from ppworkbench.analyses.estimates.quantile import QuantileResult
from ppworkbench.analyses.estimates.ratio import RatioResult
from ppworkbench.analyses.estimates.reconstruct import ReconstructionResult
from ppworkbench.analyses.estimates.share import ShareResult
from ppworkbench.analyses.estimates.table import TableResult
from ppworkbench.analyses.experiments.attack import AttackResult
from ppworkbench.analyses.experiments.classify import ClassificationResult
from ppworkbench.analyses.experiments.repeat import RepeatResult
from ppworkbench.analyses.inputs import Data, DesignLike
from ppworkbench.analyses.mining.mine import MiningResult
from ppworkbench.analyses.planning.allocate import AllocationResult, ArmCosts
from ppworkbench.analyses.planning.budget import BudgetResult
from ppworkbench.analyses.planning.optimise import OptimiseResult
from ppworkbench.analyses.planning.plan import PlanResult
from ppworkbench.analyses.planning.privacy import PrivacyResult
from ppworkbench.analyses.planning.request import Costs
from ppworkbench.analyses.planning.trade_off import TradeOffResult
from ppworkbench.analyses.regression.regress import RegressionResult
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.sampling_roles import ReplicateRole, Sampling, SamplingOptions
from ppworkbench.core.engines import Engine
from ppworkbench.core.experiment import Setting
from ppworkbench.core.experiment.experiment import Sweep
from ppworkbench.core.itemsets.items import ItemOptions
from ppworkbench.core.mining.rules import RuleParams
from ppworkbench.core.models import Formula
from ppworkbench.core.privacy.utility.noncompliance import NonCompliance
from ppworkbench.core.progress import Progress
from ppworkbench.core.survey.conditions.condition import Condition
from ppworkbench.outputs.accuracy_curve import AccuracyResult
from ppworkbench.outputs.publish import PublishResult

def reconstruct(
    data: Data,
    design: DesignLike | None = ...,
    attributes: str | Sequence[str] | None = ...,
    *,
    algorithm: str = ...,
    stop: str | int | None = ...,
    bins: int | None = ...,
    confidence: float = ...,
    sharpest: str | float = ...,
    pooling: str = ...,
    arms: Sequence[str] = ...,
    by_arm: bool = ...,
    sets: str | Sequence[Sequence[str]] | None = ...,
    weights: str | None = ...,
    strata: str | Sequence[str] | None = ...,
    cluster: str | None = ...,
    person: str | None = ...,
    population: str | float | None = ...,
    replicates: ReplicateRole | Mapping[str, Any] | None = ...,
    sampling: Sampling | Mapping[str, Any] | bool = ...,
    options: SamplingOptions | Mapping[str, Any] | None = ...,
    original: Data | None = ...,
    reading: ReadOptions | Mapping[str, Any] | None = ...,
    seed: int | None = ...,
    engine: Engine | str | None = ...,
    progress: Progress = ...,
) -> ReconstructionResult: ...
def optimise(
    design: DesignLike,
    attribute: str,
    *,
    privacy: str = ...,
    family: str = ...,
    points: int = ...,
    target: float | None = ...,
    target_loss: float | None = ...,
    n: int | None = ...,
    out: StudyPath | None = ...,
    data: Data | None = ...,
    reading: ReadOptions | Mapping[str, Any] | None = ...,
    progress: Progress = ...,
) -> OptimiseResult: ...
def privacy(
    design: DesignLike,
    data: Data | None = ...,
    *,
    expected: Mapping[str, Sequence[float] | str] | None = ...,
    n: int | None = ...,
    noncompliance: Mapping[str, Any] | NonCompliance | float | None = ...,
    half_width: float | None = ...,
    compare: Mapping[str, Mapping[str, Any]] | None = ...,
    reading: ReadOptions | Mapping[str, Any] | None = ...,
    progress: Progress = ...,
) -> PrivacyResult: ...
def plan(
    design: DesignLike,
    *,
    target_error: float | None = ...,
    measure: str = ...,
    attribute: str | None = ...,
    value: str | None = ...,
    half_width: float | Mapping[str, float | None] | None = ...,
    against: float | Mapping[str, float | None] | None = ...,
    difference: tuple[float, float] | None = ...,
    power: float | Mapping[str, float | None] | None = ...,
    alpha: float | None = ...,
    sides: str | int | None = ...,
    belief: float | Mapping[str, float | None] | None = ...,
    epsilon: float | Mapping[str, float | None] | None = ...,
    n: int | None = ...,
    design_effect: float | None = ...,
    noncompliance: Mapping[str, Any] | NonCompliance | float | None = ...,
    skipped: float | Mapping[str, float] | None = ...,
    response_rate: float | None = ...,
    bias: float | None = ...,
    costs: Mapping[str, Any] | Costs | Sequence[float] | None = ...,
    budget: float | None = ...,
    compare: Sequence[str] = ...,
    solve: bool = ...,
    strict: bool = ...,
    out: StudyPath | None = ...,
    share: float | Mapping[str, float] | None = ...,
    expected: Mapping[str, Sequence[float] | str] | None = ...,
    data: Data | None = ...,
    reading: ReadOptions | Mapping[str, Any] | None = ...,
    progress: Progress = ...,
) -> PlanResult: ...
def allocate(
    design: DesignLike,
    attribute: str | None = ...,
    *,
    serves: str = ...,
    between: Sequence[str] = ...,
    n: int | None = ...,
    noncompliance: Mapping[str, Any] | NonCompliance | float | None = ...,
    costs: Mapping[str, Any] | ArmCosts | Sequence[float] | None = ...,
    share: float | Mapping[str, float] | None = ...,
    expected: Mapping[str, Sequence[float] | str] | None = ...,
    data: Data | None = ...,
    reading: ReadOptions | Mapping[str, Any] | None = ...,
    progress: Progress = ...,
) -> AllocationResult: ...
def budget(
    design: DesignLike,
    *,
    total: float | None = ...,
    belief: float | None = ...,
    rule: str | None = ...,
    of: str | None = ...,
    weights: Mapping[str, float] | None = ...,
    locked: Sequence[str] = ...,
    ask: int | None = ...,
    together: Sequence[Sequence[str]] = ...,
    leave_open: bool = ...,
    n: int | None = ...,
    expected: Mapping[str, Sequence[float] | str] | None = ...,
    delta: float | None = ...,
    out: StudyPath | None = ...,
    data: Data | None = ...,
    reading: ReadOptions | Mapping[str, Any] | None = ...,
    progress: Progress = ...,
) -> BudgetResult: ...
def repeat(
    data: Data,
    design: DesignLike | None = ...,
    attribute: str = ...,
    *,
    algorithms: Sequence[str] = ...,
    draws: int = ...,
    iterations: int = ...,
    bins: int | None = ...,
    reading: ReadOptions | Mapping[str, Any] | None = ...,
    seed: int | None = ...,
    progress: Progress = ...,
) -> RepeatResult: ...
def classify(
    data: Data,
    design: DesignLike | None = ...,
    classifiers: Sequence[str | tuple[str, Mapping[str, Any]] | Setting] = ...,
    *,
    class_name: str | None = ...,
    undistorted: Sequence[str | tuple[str, Mapping[str, Any]] | Setting] | None = ...,
    folds: int = ...,
    repeats: int = ...,
    test_on: str = ...,
    sweep: Mapping[str, Any] | Sweep | None = ...,
    workers: int | None = ...,
    cluster: str | None = ...,
    resume: StudyPath | None = ...,
    engine: Any | None = ...,
    sampling: Sampling | Mapping[str, Any] | bool = ...,
    reading: ReadOptions | Mapping[str, Any] | None = ...,
    seed: int | None = ...,
    progress: Progress = ...,
) -> ClassificationResult: ...
def attack(
    data: Data,
    design: DesignLike | None = ...,
    original: Data | None = ...,
    *,
    attack: str = ...,
    attribute: str | None = ...,
    known: Sequence[str] = ...,
    reading: ReadOptions | Mapping[str, Any] | None = ...,
    seed: int | None = ...,
    progress: Progress = ...,
) -> AttackResult: ...
def trade_off(
    design: DesignLike,
    attribute: str,
    *,
    privacy: str | None = ...,
    limit: float | None = ...,
    half_width: float | None = ...,
    compare: Mapping[str, Any] | None = ...,
    frontier: bool = ...,
    n: int | None = ...,
    noncompliance: Mapping[str, Any] | NonCompliance | float | None = ...,
    share: float | Mapping[str, float] | None = ...,
    expected: Mapping[str, Sequence[float] | str] | None = ...,
    data: Data | None = ...,
    reading: ReadOptions | Mapping[str, Any] | None = ...,
    progress: Progress = ...,
) -> TradeOffResult: ...
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
    uncorrected: bool = ...,
    weights: str | None = ...,
    sampling: Sampling | Mapping[str, Any] | bool = ...,
    original: Data | None = ...,
    reading: ReadOptions | Mapping[str, Any] | None = ...,
    seed: int | None = ...,
    engine: Engine | str | None = ...,
    progress: Progress = ...,
    **parameters: Any,
) -> MiningResult: ...
def publish(
    data: Data,
    sensitive: str,
    out: StudyPath | None = ...,
    *,
    split_on: Sequence[str] = ...,
    tree: StudyPath | None = ...,
    folds: int = ...,
    shuffle: bool | None = ...,
    escape_formulas: bool = ...,
    documents: bool = ...,
    leave_out: Sequence[str] = ...,
    keep: Sequence[str] = ...,
    coarsen: Sequence[str] = ...,
    confirm: Sequence[str] = ...,
    least_rows: int = ...,
    min_deniability: float = ...,
    manner: str = ...,
    distance: str = ...,
    epsilon: float = ...,
    cuts: int = ...,
    smallest_group: int = ...,
    merge_values: bool = ...,
    look_ahead: int = ...,
    seconds: float = ...,
    reading: ReadOptions | Mapping[str, Any] | None = ...,
    seed: int | None = ...,
    progress: Progress = ...,
) -> PublishResult: ...
def accuracy_curve(
    data: Data,
    sensitive: str,
    *,
    split_on: Sequence[str] = ...,
    minimums: Sequence[float] = ...,
    folds: int = ...,
    learners: Sequence[str] = ...,
    most_people: int = ...,
    manner: str = ...,
    distance: str = ...,
    epsilon: float = ...,
    cuts: int = ...,
    smallest_group: int = ...,
    merge_values: bool = ...,
    look_ahead: int = ...,
    seconds: float = ...,
    reading: ReadOptions | Mapping[str, Any] | None = ...,
    seed: int | None = ...,
    progress: Progress = ...,
) -> AccuracyResult: ...

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
