"""``course.py doctor``: prints a table of checks with the fix of each failing one; ``--fix`` repairs.

Repairs make or fetch again the files that set-up makes.  Variables, the disk and files of other programs are the
user's, so the table only names their fix.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from streaming_classroom.errors import ClassroomError
from streaming_classroom.setup import cluster_checks, guard
from streaming_classroom.setup.checks import NOT_SET, Check, Finding
from streaming_classroom.setup.checks import checks as machine_checks

if TYPE_CHECKING:
    from rich.table import Table

_OK = ("ok", "green")
_MARKS = {(True, True): _OK, (True, False): _OK, (False, True): ("fix", "red"), (False, False): ("note", "yellow")}


def main(fix: bool = False) -> int:
    """Print a table of the checks, with `fix` repair the faults; return 1 if one keeps lessons from running, else 0."""
    from rich.console import Console

    console = Console()
    every = checks()
    findings = {name: find(check) for name, check in every.items()}
    console.print(_table(findings))
    if fix:
        findings |= repair(every, findings)
    return 0 if all(finding.ok or not finding.matters for finding in findings.values()) else 1


def checks() -> dict[str, Check]:
    """Return the checks by name."""
    return {**machine_checks(), **cluster_checks.checks()}


def find(check: Check) -> Finding:
    """Return the finding of a check; an error of the operating system is a finding as well."""
    try:
        return check()
    except OSError as error:
        return Finding(False, str(error), guard.explain(error).fix)


def repair(every: Mapping[str, Check], findings: Mapping[str, Finding]) -> dict[str, Finding]:
    """Repair the faults that have a repair, and report in lines; return the findings afterwards."""
    wrong = {name: finding for name, finding in findings.items() if not finding.ok}
    after = {}
    for name, finding in wrong.items():
        if finding.repair is None:
            continue
        try:
            with guard.setup_errors():
                finding.repair(lambda line, name=name: print(f"{name}: {line}", flush=True))  # type: ignore[misc]
        except ClassroomError as error:
            print(f"{name}: not repaired. {error}")
            continue
        after[name] = find(every[name])
        print(f"{name}: {'repaired, ' if after[name].ok else 'still '}{after[name].found}", flush=True)
    left = [name for name, finding in wrong.items() if finding.matters and not after.get(name, finding).ok]
    print(
        f"For you to do, as the table says: {', '.join(left)}." if left else "Nothing is left that stands in the way."
    )
    return after


def _table(findings: Mapping[str, Finding]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for column in ("check", "", "found", "what to do"):
        table.add_column(column, overflow="fold")
    for name, finding in findings.items():
        if finding.ok and finding.found == NOT_SET:
            continue
        word, style = _MARKS[(finding.ok, finding.matters)]
        # Text, because rich would read brackets in a path as markup.
        table.add_row(name, Text(word, style), Text(finding.found), Text("" if finding.ok else finding.fix))
    return table
