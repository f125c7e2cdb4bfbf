"""The report of a study: what was asked, how it is protected, what it costs, how to undo it."""

from ppworkbench.study.report.attached_tables import write_attachments
from ppworkbench.study.report.blocks import Report, report_html, write_report
from ppworkbench.study.report.build import ReportOptions, build_report, today

__all__ = [
    "Report",
    "ReportOptions",
    "build_report",
    "report_html",
    "today",
    "write_attachments",
    "write_report",
]
