"""The report of a study: what was asked, how it is protected, what it costs, how to undo it."""

from ppworkbench.study.report.blocks import Report
from ppworkbench.study.report.build import ReportOptions, build_report
from ppworkbench.study.report.render import report_html, write_report

__all__ = ["Report", "ReportOptions", "build_report", "report_html", "write_report"]
