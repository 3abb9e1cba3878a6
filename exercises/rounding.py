"""Fractions rounded before they are compared: sums in another order differ in their last places."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def rounded(frame: DataFrame, places: int) -> DataFrame:
    """Return the frame with its fractions and decimals as doubles, rounded."""
    from pyspark.sql import functions as F

    numbers = [name for name, kind in frame.dtypes if kind in ("double", "float") or kind.startswith("decimal")]
    # Adding 0.0 makes a zero of one that is below nothing.
    return frame.withColumns({name: F.round(F.col(name).cast("double"), places) + F.lit(0.0) for name in numbers})
