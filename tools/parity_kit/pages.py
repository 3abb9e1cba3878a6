"""The sections of ``docs/parity.md`` and ``docs/engines.md`` that say what was measured on Databricks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engines import page as engines
from engines.engine import lessons
from parity_kit.measuring import FORMAT

RECORD = Path(__file__).parent / "measured.json"
PARITY = Path(__file__).resolve().parents[2] / "docs" / "parity.md"
_TITLE = "## Measured on Databricks\n"
_NOT_YET = (
    "\nNot measured yet. Anybody with a workspace can do it, in a quarter of an hour: see "
    "[the lessons on Databricks](on-databricks.md#measure-it).\n"
)


class NotARecord(ValueError):
    """The file is not a record of the kit; the message says what is missing."""


def merge(file: Path) -> dict[str, Any]:
    """Put a record into the two pages, in place of an earlier one, and return it.

    Raises
    ------
    NotARecord
        The file is no record of this kit's format. No page has changed.
    """
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NotARecord(f"{file} cannot be read as JSON: {error}") from error
    missing = {"format", "day", "spark", "runtime", "serverless", "cases", "lessons"} - set(
        record if isinstance(record, Mapping) else ()
    )
    if missing or record["format"] != FORMAT:
        what = (
            f"it lacks {', '.join(sorted(missing))}" if missing else f"its format is {record['format']}, not {FORMAT}"
        )
        raise NotARecord(f"{file} is no record of tools/Measure-This-Compute.py: {what}.")
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    PARITY.write_text(with_cases(PARITY.read_text(encoding="utf-8"), record), encoding="utf-8")
    engines.PAGE.write_text(engines.render(engines.read(), lessons()), encoding="utf-8")
    return record


def read() -> dict[str, Any] | None:
    """Return the merged record; None before the first one."""
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else None


def with_cases(page: str, record: Mapping[str, Any] | None) -> str:
    """Return the parity page with the section of a record's cases as its last."""
    head = page.partition(f"\n{_TITLE}")[0].rstrip()
    return f"{head}\n\n{_TITLE}{_cases(record)}"


def lessons_section(record: Mapping[str, Any] | None) -> str:
    """Return the section of a record's lessons, for the page of engines."""
    if record is None:
        return f"\n{_TITLE}{_NOT_YET}"
    rows = "".join(f"| {name} | {_escape(outcome)} |\n" for name, outcome in record["lessons"].items())
    return f"\n{_TITLE}\n{_head(record)}\n\n| lesson | outcome |\n| --- | --- |\n{rows}"


def _cases(record: Mapping[str, Any] | None) -> str:
    if record is None:
        return _NOT_YET
    same = sum(found.get("seen") == found["here"] for found in record["cases"].values())
    rows = "".join(
        f"| {_escape(what)} | {_value(found['here'])} | "
        f"{'same' if found.get('seen') == found['here'] else _value(found.get('seen', found.get('error')))} |\n"
        for what, found in record["cases"].items()
    )
    text = f"{_head(record)} {same} of {len(record['cases'])} cases are the same."
    return f"\n{text}\n\n| what | here | measured |\n| --- | --- | --- |\n{rows}"


def _head(record: Mapping[str, Any]) -> str:
    compute = "serverless compute" if record["serverless"] else "classic compute"
    return f"Measured on {record['day']}, runtime {record['runtime']}, Spark {record['spark']}, {compute}."


def _value(value: Any) -> str:
    return f"`{json.dumps(value).replace('|', '/')}`"


def _escape(text: str) -> str:
    return text.replace("|", r"\|")
