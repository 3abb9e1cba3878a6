"""One start of a stream: what its writer was told, and the cell that starts it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Start:
    """A start of a stream, classic or over Connect.

    ``frame`` is None over Connect; ``options`` are the writer's, by their names in lower case; ``cell`` is the message
    that runs the cell, empty outside a notebook.
    """

    spark: SparkSession
    frame: DataFrame | None
    name: str | None
    options: dict[str, Any]
    cell: dict[str, Any]

    @property
    def checkpoint(self) -> str | None:
        """The writer's checkpoint location."""
        given = self.options.get("checkpointlocation")
        return given if isinstance(given, str) else None
