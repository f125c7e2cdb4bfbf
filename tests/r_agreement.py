"""Every statistic that R's package survey has as well, found by both from the same made-up rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from clustered_surveys import clustered_survey, run_r

import ppworkbench as pp
from ppworkbench.core.arrays import Numbers

DESIGN = {
    "format": "ppworkbench-design",
    "version": 1,
    "attributes": {
        name: {**what, "perturbation": {"type": "none"}}
        for name, what in {
            "a": {"kind": "nominal", "values": list("abcd")},
            "b": {"kind": "nominal", "values": list("xyz")},
            "urban": {"kind": "binary", "values": ["no", "yes"]},
            "stratum": {"kind": "binary", "values": ["N", "S"]},
            "score": {"kind": "continuous", "domain": [0, 100]},
            "enrolled": {"kind": "integer", "domain": [0, 1000]},
            "tested": {"kind": "integer", "domain": [0, 1000]},
        }.items()
    },
}
ROLES: dict[str, dict[str, Any]] = {
    "clusters": {"weights": "weight", "strata": "stratum", "cluster": "cluster"},
    "population": {
        "weights": "weight", "strata": "stratum", "cluster": "cluster", "population": "fpc",
    },
    "rows": {"weights": "weight", "strata": "stratum"},
}  # fmt: skip
SCRIPT = r"""
suppressMessages(library(survey))
options(digits = 15, survey.replicates.mse = TRUE)
d <- read.csv("{data}")
d$urban <- factor(d$urban); d$a <- factor(d$a)
say <- function(name, ...) cat(name, ": ", format(c(...), digits = 15), "\n", sep = " ")
tell <- function(name, found, df) {
  say(name, coef(found), SE(found), confint(found, df = df))
}
all <- function(name, s, df) {
  p <- function(what) paste(name, what)
  tell(p("mean"), svymean(~score, s), df)
  tell(p("total"), svytotal(~enrolled, s), df)
  ratio <- svyratio(~tested, ~enrolled, s)
  say(p("ratio"), coef(ratio), SE(ratio))
  shares <- svymean(~a, s)
  say(p("shares"), coef(shares), SE(shares))
  among <- svymean(~score, subset(s, a == "b"))
  say(p("domain mean"), coef(among), SE(among))
  groups <- svyby(~score, ~a, s, svymean)
  say(p("means by group"), groups$score, SE(groups))
  for (m in c("F", "adjWald")) {
    x <- svychisq(~a + b, s, statistic = m)
    say(p(paste("independence", m)), x$statistic, x$parameter, x$p.value)
  }
}
linear <- function(name, s, deff) {
  p <- function(what) paste(name, what)
  q <- svyquantile(~score, s, c(.25, .5, .75), interval.type = "mean", qrule = "math",
    df = degf(s))[[1]]
  say(p("quartiles"), q[, "quantile"], q[, "ci.2.5"], q[, "ci.97.5"])
  share <- svyciprop(~I(urban == "yes"), s, method = "logit", df = degf(s))
  say(p("share, logit"), coef(share), attr(share, "ci"))
  test <- svyttest(score ~ urban, s)
  say(p("difference"), test$estimate, test$statistic, test$parameter, test$p.value)
  say(p("sampling effect"), deff(svymean(~score, s, deff = deff)))
  m <- svyglm(score ~ urban + enrolled, s)
  say(p("linear regression"), coef(m), SE(m))
  m <- svyglm(I(urban == "yes") ~ score, s, family = quasibinomial(),
    control = glm.control(epsilon = 1e-14))
  say(p("logistic regression"), coef(m), SE(m))
}
designs <- list(
  clusters = svydesign(~cluster, strata = ~stratum, weights = ~weight, data = d),
  population = svydesign(~cluster, strata = ~stratum, weights = ~weight, fpc = ~fpc, data = d),
  rows = svydesign(~1, strata = ~stratum, weights = ~weight, data = d))
for (name in names(designs)) {
  all(name, designs[[name]], degf(designs[[name]]))
  # With a population the effect is relative to a sample without replacement.
  linear(name, designs[[name]], if (name == "population") TRUE else "replace")
}
plain <- svydesign(~cluster, weights = ~weight, data = d)
d$pair <- d$cluster %/% 2
halves <- svydesign(~cluster, strata = ~pair, weights = ~weight, data = d)
set.seed(1)
made <- list(jkn = as.svrepdesign(designs$clusters, type = "JKn"),
  jk1 = as.svrepdesign(plain, type = "JK1"),
  brr = as.svrepdesign(halves, type = "BRR"),
  fay = as.svrepdesign(halves, type = "Fay", fay.rho = 0.3),
  bootstrap = as.svrepdesign(designs$clusters, type = "subbootstrap", replicates = 40))
# R divides the squares of the bootstrap by one less than their number.
made$bootstrap$scale <- 1 / 40
for (name in names(made)) {
  all(name, made[[name]], degf(made[[name]]))
  write.csv(as.matrix(weights(made[[name]], "analysis")),
    file.path("{folder}", paste0(name, ".csv")), row.names = FALSE)
}
"""


def compared(program: str, folder: Path) -> dict[str, tuple[Numbers, Numbers]]:
    """The numbers of the workbench and those of R, by statistic."""
    data = clustered_survey()
    data.to_csv(folder / "data.csv", index=False)
    script = SCRIPT.replace("{data}", (folder / "data.csv").as_posix())
    script = script.replace("{folder}", folder.as_posix())
    theirs = run_r(program, script)
    ours: dict[str, list[float]] = {}
    for name, roles in ROLES.items():
        survey = pp.Survey(data, DESIGN, **roles)
        ours |= _all(name, survey) | _linearised(name, survey, pp.Survey(
            data, DESIGN, options={"interval": "logit"}, **roles))  # fmt: skip
    for name in ("jkn", "jk1", "brr", "fay", "bootstrap"):
        weights = pd.read_csv(folder / f"{name}.csv")
        weights.columns = [f"repw{k}" for k in range(weights.shape[1])]
        role = {"columns": list(weights.columns), "method": name, "fay": 0.3}
        given = pp.Survey(
            pd.concat([data, weights], axis=1), DESIGN, weights="weight", replicates=role
        )
        ours |= _all(name, given)
    assert set(ours) == set(theirs)
    found = {name: (np.array(ours[name]), theirs[name]) for name in theirs}
    for method, roles in (
        ("jkn", ROLES["clusters"]),
        ("jk1", {"weights": "weight", "cluster": "cluster"}),
    ):
        survey = pp.Survey(data, DESIGN, options={"make_replicates": method}, **roles)
        for name, numbers in _all(method, survey).items():
            found[f"made {name}"] = (np.array(numbers), theirs[name])
    return found


def largest_difference(ours: Numbers, theirs: Numbers) -> float:
    """Of numbers relative to those of R."""
    return float(np.max(np.abs(ours - theirs) / np.maximum(np.abs(theirs), 1e-300)))


def _all(name: str, survey: pp.Survey) -> dict[str, list[float]]:
    mean, total = survey.mean("score").found, survey.mean("enrolled").found.total
    ratio, shares = survey.ratio("tested", "enrolled"), survey.distribution("a").found.shares
    among = survey.mean("score", "a = b")
    groups = [one for one in survey.compare("score", "a").found.groups if one is not None]
    found = {
        "mean": _estimate(mean.value),
        "total": _estimate(total),
        "ratio": [ratio.estimate, ratio.standard_error],
        "shares": [*(s.estimate for s in shares), *(s.standard_error for s in shares)],
        "domain mean": [among.estimate, among.standard_error],
        "means by group": [*(g.estimate for g in groups), *(g.standard_error for g in groups)],
    }
    for label, test in (("F", "rao-scott"), ("adjWald", "adjusted-wald")):
        tested = survey.table("a", "b", test=test).found.independence
        found[f"independence {label}"] = [tested.f, *tested.degrees, tested.p]
    return {f"{name} {what}": numbers for what, numbers in found.items()}


def _linearised(name: str, survey: pp.Survey, by_logit: pp.Survey) -> dict[str, list[float]]:
    at = survey.quantile("score").found.quantiles
    share = by_logit.share("urban = yes")
    (apart,) = survey.compare("score", "urban").found.differences
    straight = survey.regress("score ~ urban + enrolled").found.terms
    logistic = survey.regress("urban=yes ~ score").found.terms
    mean = survey.mean("score").found.value
    found = {
        "quartiles": [*(q.estimate for q in at), *(q.low for q in at), *(q.high for q in at)],
        "share, logit": [share.estimate, share.low, share.high],
        "difference": [apart.estimate, apart.t, apart.degrees_of_freedom, apart.p],
        "sampling effect": [mean.details.sampling_effect],
        "linear regression": _coefficients(straight),
        "logistic regression": _coefficients(logistic),
    }
    return {f"{name} {what}": numbers for what, numbers in found.items()}


def _estimate(value: Any) -> list[float]:
    return [value.estimate, value.standard_error, value.low, value.high]


def _coefficients(found: Any) -> list[float]:
    return [*(one.estimate for one in found), *(one.standard_error for one in found)]
