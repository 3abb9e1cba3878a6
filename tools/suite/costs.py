"""The last lines of a test run: seconds per test file, and tests that needed a second try."""

from __future__ import annotations

from collections import defaultdict

import pytest

DEAREST = 15


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the files that took longest, their set-up included, and the tests that were tried twice."""
    seconds: dict[str, float] = defaultdict(float)
    numbers: dict[str, int] = defaultdict(int)
    for report in (
        each for key in ("", "passed", "failed", "error", "skipped", "rerun") for each in _of(terminalreporter, key)
    ):
        file = report.nodeid.partition("::")[0]
        seconds[file] += report.duration
        numbers[file] += report.when == "call"
    dearest = sorted(seconds, key=seconds.get, reverse=True)[:DEAREST]
    if sum(seconds.values()) > 60:
        terminalreporter.section(f"the {len(dearest)} dearest test files: seconds, tests")
        for file in dearest:
            terminalreporter.write_line(f"{seconds[file]:7.1f} {numbers[file]:5d}  {file}")
    for report in _of(terminalreporter, "rerun"):
        terminalreporter.write_line(f"tried twice: {report.nodeid}")


def _of(reporter: pytest.TerminalReporter, key: str) -> list[pytest.TestReport]:
    return [report for report in reporter.stats.get(key, ()) if isinstance(report, pytest.TestReport)]
