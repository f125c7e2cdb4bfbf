"""Regression and correlation on distorted answers."""

from ppworkbench.core.models.correlate import Correlations, correlate, split_value
from ppworkbench.core.models.formula import Formula, parse_formula
from ppworkbench.core.models.regress import RegressionOptions, regress
from ppworkbench.core.models.results import Coefficient, Regression

__all__ = [
    "Coefficient",
    "Correlations",
    "Formula",
    "Regression",
    "RegressionOptions",
    "correlate",
    "parse_formula",
    "regress",
    "split_value",
]
