"""Why something cannot be shown or done, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.pages.explore.runs import Result
from ppworkbench.gui.pages.explore.subject import Subject
from ppworkbench.gui.words import significant
from ppworkbench.study.study import Study


@dataclass(frozen=True)
class Absence:
    """What is missing, what to do, and perhaps a button for it."""

    missing: str
    advice: str = ""
    action: str = ""


def absence(
    study: Study, name: str | None, subject: Subject | None, result: Result | None, fault: str
) -> Absence:
    """Why there is no picture."""
    if subject is None:
        return _no_subject(study, name)
    if fault:
        return Absence(tr("This attribute cannot be distorted."), told(fault), tr("Go to Design"))
    if not subject.is_distorted:
        missing = tr("“%s” is not distorted.") % subject.name
        advice = tr(
            "Its answers are published as they are, so there is nothing to reconstruct. Choose "
            "how to distort it on the Design page."
        )
        return Absence(missing, advice, tr("Go to Design"))
    if result is None or result.draw.subject != subject:
        return Absence(tr("Distorting…"))
    if result.draw.counted.total <= 0:
        missing = tr("“%s” has no answers.") % subject.name
        return Absence(missing, tr("All of them are missing. Choose another attribute."))
    missing = tr("“%s” has only one possible answer.") % subject.name
    return Absence(missing, tr("Its distribution is known before anybody is asked."))


def _no_subject(study: Study, name: str | None) -> Absence:
    if name is None or study.table is None:
        missing = tr("There are no answers to explore.")
        return Absence(missing, tr("Open a table or a sample on the Data page."))
    missing = tr("“%s” is not part of the design.") % name
    return Absence(missing, tr("Choose another attribute at the left."))


def why_not_distort(study: Study, subject: Subject | None) -> str:
    """Why no other draw can be taken; empty if one can."""
    if study.original is None:
        return tr("These answers came distorted; nobody can distort the truth again.")
    if subject is None:
        return tr("Choose an attribute that has answers.")
    return "" if subject.is_distorted else tr("This attribute is not distorted.")


def why_no_loss(study: Study) -> str:
    """Why no loss can be told; empty if it can."""
    if study.original is None:
        return tr("Without true answers nobody can tell what was lost.")
    return ""


def why_not_repeat(study: Study, subject: Subject | None, result: Result | None) -> str:
    """Why draws cannot be repeated; empty if they can."""
    why = why_not_distort(study, subject) or why_no_loss(study)
    if why:
        return why
    return "" if result is not None and result.runs else tr("There is nothing to repeat yet.")


def distortion_words(subject: Subject) -> str:
    """The distortion in a few words, with the size of the noise in the attribute's own unit."""
    noise = subject.perturbation.noise_of(subject.attribute)
    if noise is None:
        return told(subject.perturbation.summary())
    words = {
        "normal": tr("normal noise σ %s"),
        "uniform": tr("uniform noise ± %s"),
        "laplace": tr("Laplace noise, scale %s"),
    }
    return words[noise.name] % significant(noise.scale, 3)
