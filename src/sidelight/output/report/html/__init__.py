"""The report: one self-contained HTML file that opens offline and loads nothing."""

from sidelight.output.report.html.page import check_report_target, to_html, write_report

__all__ = ["check_report_target", "to_html", "write_report"]
