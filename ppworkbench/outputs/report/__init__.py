"""The report of a study: what was asked, how it is protected, what it costs, how to undo it."""

from ppworkbench.outputs.report.build import ReportOptions, build_report, today, write_attachments
from ppworkbench.study.blocks import Report, report_html, write_report

__all__ = [
    "Report",
    "ReportOptions",
    "build_report",
    "report_html",
    "today",
    "write_attachments",
    "write_report",
]
