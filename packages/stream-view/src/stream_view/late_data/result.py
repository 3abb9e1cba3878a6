"""The late rows of all operators in one frame: their own columns are in one struct, which has the columns of all."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, StringType, StructField, StructType

from stream_view.late_data.operators import Input, Operator
from stream_view.late_data.replay import distinct
from streaming_base.errors import ExplainedError

_BEFORE = "operator INT, name STRING, side STRING, batch LONG, watermark TIMESTAMP, event_time TIMESTAMP"
_LATE_BY = "late_by INTERVAL DAY TO SECOND"


@dataclass(eq=False)
class NoLateRows(ExplainedError):
    """The dropped rows cannot be determined; ``why`` has the reason and the fix."""

    why: str

    def __str__(self) -> str:
        return self.why


def as_frame(
    spark: SparkSession, operators: list[Operator], found: list[tuple[Operator, Input, DataFrame]]
) -> DataFrame:
    """Return the rows of all inputs of all operators; a frame without rows where none was found."""
    row = _merged([_row_type(entered) for operator in operators for entered in operator.inputs])
    frames = [_completed(operator, entered, frame, row) for operator, entered, frame in found]
    if frames:
        return reduce(DataFrame.union, frames)
    schema = DataType.fromDDL(f"{_BEFORE}, {_LATE_BY}")
    return spark.createDataFrame([], StructType([*schema.fields, StructField("row", row)]))  # type: ignore[attr-defined]


def _completed(operator: Operator, entered: Input, frame: DataFrame, row: StructType) -> DataFrame:
    there = {field.name: field.dataType for field in frame.schema["row"].dataType.fields}  # type: ignore[attr-defined]
    own = [_value(field, there).alias(field.name) for field in row.fields]
    return frame.select(
        F.lit(operator.position).alias("operator"),
        F.lit(operator.name).alias("name"),
        F.lit(entered.side).cast("string").alias("side"),
        *("batch", "watermark", "event_time", "late_by"),
        F.struct(*own).alias("row"),
    )


def _value(field: StructField, there: dict[str, DataType]) -> Column:
    value = F.col("row").getField(field.name) if field.name in there else F.lit(None)
    return value.cast(field.dataType)


def _row_type(entered: Input) -> StructType:
    fields = StructType.fromJson(json.loads(entered.plan.schema().json())).fields
    names = distinct(field.name for field in fields)
    return StructType([StructField(name, field.dataType) for name, field in zip(names, fields, strict=True)])


def _merged(types: list[StructType]) -> StructType:
    """Return a struct with the fields of all; a name that stands for two types is a string."""
    merged: dict[str, DataType] = {}
    for field in (field for kind in types for field in kind.fields):
        same = merged.setdefault(field.name, field.dataType) == field.dataType
        merged[field.name] = field.dataType if same else StringType()
    return StructType([StructField(name, kind) for name, kind in merged.items()])
