"""The report: one self-contained HTML file that opens offline and asks nothing of the network."""

from sidelight.report.html.page import to_html, write_report

__all__ = ["to_html", "write_report"]
