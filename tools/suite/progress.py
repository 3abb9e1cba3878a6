"""The progress of a run with an estimate of the time left, and its last lines: what was left out, what took longest."""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from .selection import LEFT_OUT, TIMES, recorded_times, seconds_of, unit_of

LONGEST = 10  # test files in the last lines
_TERMINAL_INTERVAL, _LOG_INTERVAL = 0.5, 30.0  # seconds between two lines of progress
_EXPECTED = pytest.StashKey[dict[pytest.Item, float]]()


def pytest_sessionstart(session: pytest.Session) -> None:
    manager = session.config.pluginmanager
    if manager.has_plugin("dsession"):  # pytest-xdist, in the process that distributes the tests
        manager.register(Progress(session.config), "suite-progress")


def pytest_collection_finish(session: pytest.Session) -> None:
    session.config.stash[_EXPECTED] = seconds_of(session.items, recorded_times())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Send the process that reports which unit a test belongs to, and what it is expected to take."""
    report = yield
    expected = item.config.stash[_EXPECTED]
    report.unit, report.expected, report.expected_of_all = unit_of(item), expected[item], sum(expected.values())
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash[LEFT_OUT]


class Progress:
    """Reports of the process that distributes the tests."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._began = time.monotonic()
        self._seconds: dict[str, float] = defaultdict(float)
        self._done, self._count, self._shown = 0.0, 0, self._began

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Print no dot for a test that passed: the line of progress counts it."""
        return ("passed" if report.when == "call" else "", "", "") if report.passed else None

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._seconds[report.unit] += report.duration
        if report.when == "teardown":
            self._count += 1
            self._done += report.expected / max(report.expected_of_all, 1)
            self._show()

    def _show(self) -> None:
        terminal, now = sys.stdout.isatty(), time.monotonic()
        if now - self._shown < (_TERMINAL_INTERVAL if terminal else _LOG_INTERVAL):
            return
        self._shown, passed = now, now - self._began
        left = passed / max(self._done, 0.01) - passed
        line = f"{_minutes(passed)}: {self._count} tests, {self._done:.0%}, about {_minutes(max(left, 0))} left"
        sys.stdout.write(f"\r\033[K{line}" if terminal else f"\n{line}")
        sys.stdout.flush()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._config.stash[LEFT_OUT].update(getattr(node, "workeroutput", {}).get("left_out", {}))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        longest = sorted(self._seconds, key=self._seconds.get, reverse=True)[:LONGEST]
        if sum(self._seconds.values()) > 60:
            terminalreporter.section(f"the {len(longest)} longest test files, in seconds")
            for unit in longest:
                terminalreporter.write_line(f"{self._seconds[unit]:7.1f}  {unit}")
        if left_out := self._config.stash[LEFT_OUT]:
            terminalreporter.section("left out, since the run would take longer than CI has: expected seconds")
            for unit, seconds in sorted(left_out.items()):
                terminalreporter.write_line(f"{seconds:7.1f}  {unit}")
        if self._config.option.save_times:
            times = recorded_times() | {unit: round(seconds, 1) for unit, seconds in self._seconds.items()}
            TIMES.write_text(json.dumps(dict(sorted(times.items())), indent=1) + "\n", encoding="utf-8")


def _minutes(seconds: float) -> str:
    return f"{seconds // 60:.0f} min {seconds % 60:02.0f} s"
