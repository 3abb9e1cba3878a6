"""Check the messages that exercises of lesson 14 copy from a topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def must_be_text(made: DataFrame) -> None:
    """Raise a mistake if the values are bytes."""
    if dict(made.dtypes).get("value") == "binary":
        raise Mistake("`value` is bytes. As text it can be read by people: `CAST(value AS STRING) AS value`.")
