"""Names of the columns and hidden tables that change flows add."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructField

SEQUENCE, OPERATION, FINGERPRINT, THERE = "__sequence", "__operation", "__fingerprint", "__there"
START, END = "__START_AT", "__END_AT"
RESERVED = (SEQUENCE, OPERATION, FINGERPRINT, THERE, START, END)

_PART = re.compile(r"`((?:[^`]|``)+)`|([^.`]+)")


def quoted(name: str) -> str:
    """Return a column's name as SQL text."""
    return "`" + name.replace("`", "``") + "`"


def beside(target: str, prefix: str) -> str:
    """Return the name of a hidden table in the target's database."""
    *database, name = [quoted.replace("``", "`") or plain for quoted, plain in _PART.findall(target)]
    return ".".join(quoted(part) for part in (*database, f"{prefix}{name}"))


def column(value: Any, frame: DataFrame) -> Column:
    """Return what a flow says as a column: a column's name, SQL text, or a Column already."""
    from pyspark.sql import functions as F

    if not isinstance(value, str):
        return value
    names = {name.lower() for name in frame.columns}
    plain = value.strip().strip("`")
    return F.col(quoted(plain)) if plain.lower() in names else F.expr(value)


def names_of(values: Sequence[Any], frame: DataFrame) -> tuple[str, ...]:
    """Return the columns' names as the frame spells them."""
    spelt = {name.lower(): name for name in frame.columns}
    found = frame.select(*(column(value, frame) for value in values)).columns if values else []
    return tuple(spelt.get(name.lower(), name) for name in found)


def comparable(field: StructField, frame: str | None = None) -> Column:
    """Return a column so that two of its values can be compared: maps and variants as text, others as they are."""
    from pyspark.sql import functions as F

    kind = field.dataType.simpleString()
    value = F.col(f"{frame}.{quoted(field.name)}" if frame else quoted(field.name))
    return F.to_json(F.struct(value.alias("value"))) if "map<" in kind or "variant" in kind else value
