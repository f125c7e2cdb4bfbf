"""Looking at a report before it leaves: made in a job, shown in the system's browser."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from ppworkbench.core.progress import Progress, part
from ppworkbench.gui.jobs import Job
from ppworkbench.gui.language.text import tongue
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study


def preview_report(workbench: Workbench, *, for_release: bool = True) -> Job:
    """Make the report of the open study and show it.

    ``for_release`` shows what a recipient will get: drawn anew, without the truth and the seed.
    """
    study = workbench.store.study

    def work(progress: Progress) -> Path:
        return write_preview(study, _folder(), for_release=for_release, progress=progress)

    def shown(path: object) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

    name = workbench.tr("Making the report")
    return workbench.run(name, work, shown, key="report preview")


def write_preview(study: Study, folder: Path, *, for_release: bool, progress: Progress) -> Path:
    """Write the report as a page that only this user can read."""
    from ppworkbench.study.bundle import released_study
    from ppworkbench.study.release_checks import release_points
    from ppworkbench.study.report import build_report, write_report

    points = release_points(study.design, study.original) if for_release else ()
    if for_release:
        study = released_study(study, progress=part(progress, 0, 0.3))
    report = build_report(study, points=points, tongue=tongue(), progress=part(progress, 0.3, 1))
    path = folder / "report-preview.html"
    write_report(report, path)
    return path


@cache
def _folder() -> Path:
    """A folder of this program alone, removed at its end: the browser reads it after the job."""
    folder = tempfile.mkdtemp(prefix="ppworkbench-report-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
