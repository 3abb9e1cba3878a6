"""One start of a stream: what its writer was told, and the cell that starts it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Start:
    """A start of a stream, classic or over Connect.

    Attributes
    ----------
    spark : SparkSession
        The session.
    frame : DataFrame or None
        What is written; None over Connect, where Spark's own objects are elsewhere.
    name : str or None
        The query's.
    options : dict
        The writer's, by their names in lower case.
    cell : dict
        The message that asked for the running cell, which outputs name as their parent; empty outside a notebook.
    """

    spark: SparkSession
    frame: DataFrame | None
    name: str | None
    options: dict[str, Any]
    cell: dict[str, Any]

    @property
    def checkpoint(self) -> str | None:
        """The checkpoint that the writer was given."""
        given = self.options.get("checkpointlocation")
        return given if isinstance(given, str) else None
