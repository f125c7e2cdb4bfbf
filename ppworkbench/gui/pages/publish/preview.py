"""A trial of the report that would lie in the bundle."""

from __future__ import annotations

from ppworkbench.core.design import Design
from ppworkbench.core.progress import Progress, part
from ppworkbench.gui.language.text import tongue
from ppworkbench.gui.release_dialog import Subject
from ppworkbench.study.bundle import BundleOptions, released_study
from ppworkbench.study.deniable import deniable_table
from ppworkbench.study.report import build_report, write_report
from ppworkbench.study.study import Study


def write_preview(subject: Subject, path: str, progress: Progress) -> str:
    """Write the report of a release drawn anew, and say where it lies."""
    if subject.plan is None:
        study = released_study(subject.study, part(progress, 0, 0.4))
        method: tuple[str, ...] = ()
    else:
        made, _ = deniable_table(subject.study, subject.plan, progress=part(progress, 0, 0.4))
        study = Study(subject.study.title, distorted=made.table, design=Design(()))
        method = made.method
    points = subject.points(BundleOptions())
    report = build_report(
        study, points=points, method=method, tongue=tongue(), progress=part(progress, 0.4, 1)
    )
    write_report(report, path)
    return path
