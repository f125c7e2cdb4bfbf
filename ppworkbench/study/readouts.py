"""What the design of an attribute promises."""

from __future__ import annotations

from dataclasses import replace

from ppworkbench.core.privacy.assess import assess_attribute
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.study.study import Study


def report_of(study: Study, name: str) -> AttributeReport:
    """All readouts of an attribute, distorted alone or as a member of its group."""
    designed = replace(study.design[name], perturbation=study.design.perturbation(name))
    return assess_attribute(designed, study.prior(name), study.settings.respondents)
