"""Names for the frames in the text of a query, as ``spark.sql(query, df=df)`` takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from pyspark.sql.sql_formatter import SQLStringFormatter

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PREFIX = "__frame_"


class FrameNames(SQLStringFormatter):
    """Spark's own formatter, which replaces a frame by a name here without registering a temporary view.

    Attributes
    ----------
    frames : dict of str to DataFrame
        The frames that the text reads, by the names that it now has for them.
    """

    def __init__(self, session: SparkSession) -> None:
        super().__init__(session)
        self.frames: dict[str, DataFrame] = {}

    def _convert_value(self, val: Any, field_name: str) -> str | None:
        if not isinstance(val, DataFrame):
            return super()._convert_value(val, field_name)
        known = (name for name, frame in self.frames.items() if frame is val)
        name = next(known, None) or f"{PREFIX}{len(self.frames) + 1}"
        self.frames[name] = val
        return name
