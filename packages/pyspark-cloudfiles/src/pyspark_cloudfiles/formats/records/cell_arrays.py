"""Arrow arrays of a row reader's values: structs are tuples, maps are dicts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import pyarrow as pa
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_type

from pyspark_cloudfiles.formats.variant import encoding
from pyspark_cloudfiles.values.plain_arrays import lists_of, maps_of, structs_of


def array_of(data_type: T.DataType, cells: Sequence[Any]) -> pa.Array:
    """Return the values of a column as an array."""
    arrow = to_arrow_type(data_type, timezone="UTC")
    if isinstance(data_type, T.VariantType):
        return encoding.column(list(cells))
    if isinstance(data_type, T.StructType):
        nothing = (None,) * len(data_type)
        rows = list(zip(*(nothing if cell is None else cell for cell in cells), strict=True)) or [()] * len(data_type)
        parts = [array_of(field.dataType, some) for field, some in zip(data_type, rows, strict=True)]
        return structs_of(cells, parts, arrow)
    if isinstance(data_type, T.ArrayType):
        inner = [item for cell in cells for item in cell or ()]
        return lists_of(cells, array_of(data_type.elementType, inner), arrow)
    if isinstance(data_type, T.MapType):
        entries = [cell for cell in cells if cell]
        keys = array_of(data_type.keyType, list(chain.from_iterable(entries)))
        values = array_of(data_type.valueType, list(chain.from_iterable(map(dict.values, entries))))
        return maps_of(cells, keys, values, arrow)
    return pa.array(cells, arrow)
