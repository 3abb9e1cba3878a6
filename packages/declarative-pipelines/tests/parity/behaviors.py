"""A behavior of pipelines: what is documented of it, with the source, and the rows that this says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

DOCS = "https://docs.databricks.com/aws/en/ldp"
SOURCES = {
    "cdc": ("AUTO CDC", f"{DOCS}/cdc"),
    "flow": ("create_auto_cdc_flow", f"{DOCS}/developer/ldp-python-ref-apply-changes"),
    "snapshot": (
        "create_auto_cdc_from_snapshot_flow",
        f"{DOCS}/developer/ldp-python-ref-apply-changes-from-snapshot",
    ),
    "expectations": ("Expectations", f"{DOCS}/expectations"),
    "streaming": ("Streaming tables", f"{DOCS}/streaming-tables"),
    "views": ("Materialized views", f"{DOCS}/materialized-views"),
    "log": ("Event log schema", f"{DOCS}/monitor-event-log-schema"),
    "flows": ("Flows", f"{DOCS}/flows"),
    "updates": ("Updates", f"{DOCS}/updates"),
}


@dataclass(frozen=True)
class Behavior:
    """One line of the page.

    Parameters
    ----------
    what
        The case, in a few words.
    platform
        What is documented, in a sentence.
    source
        A key of :data:`SOURCES`.
    expected
        What that means for the case; None where nothing is documented.
    stock
        What of stock Spark answers for it, a key of what :mod:`.stock` measures.
    """

    what: str
    platform: str
    source: str
    expected: Any
    stock: str


@dataclass(frozen=True)
class Measured:
    """A behavior, and what was seen."""

    behavior: Behavior
    seen: Any

    @property
    def is_same(self) -> bool | None:
        """Whether it is what is documented; None where nothing is."""
        return None if self.behavior.expected is None else self.seen == self.behavior.expected


def shown(seen: Any) -> str:
    """Return what was seen, as a cell of a table has it."""
    if isinstance(seen, str):
        return seen
    if not seen:
        return "no rows"
    return ", ".join(f"`{_row(row)}`" for row in seen)


def _row(row: Sequence[Any]) -> str:
    return " ".join("NULL" if value is None else str(value) for value in row)
