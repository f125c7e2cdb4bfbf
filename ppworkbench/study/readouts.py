"""What the design of an attribute promises."""

from __future__ import annotations

from dataclasses import replace

from ppworkbench.core.privacy.assess import assess_attribute
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.privacy.utility.noncompliance import BEHAVIOURS, NonCompliance
from ppworkbench.study.study import Study, StudySettings


def report_of(study: Study, name: str) -> AttributeReport:
    """All readouts of an attribute, distorted alone or as a member of its group."""
    designed = replace(study.design[name], perturbation=study.design.perturbation(name))
    settings = study.settings
    return assess_attribute(
        designed, study.prior(name), settings.respondents, noncompliance_of(settings)
    )


def noncompliance_of(settings: StudySettings) -> NonCompliance | None:
    """How many are expected to ignore the device; None if nobody is."""
    if settings.noncompliance == 0 or settings.noncompliance_manner not in BEHAVIOURS:
        return None
    return NonCompliance(settings.noncompliance, settings.noncompliance_manner)
