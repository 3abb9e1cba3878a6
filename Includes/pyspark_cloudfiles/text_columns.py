"""Whole columns of texts to Arrow arrays: at once where a regular expression says that Arrow converts as Spark does.

Cells that it does not vouch for are converted one by one; those that do not fit at all become NULL, and their positions
are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T

Convert = Callable[[str], Any]

_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?"
# Years before 1000 are left to the slow way: Arrow and Java have other ideas of them.
_DATE_TEXT = r"^[12][0-9]{3}-[0-9]{2}-[0-9]{2}$"
_LOCAL_TEXT = rf"^[12]{_TIME[8:]}$".replace("^[12]", "^[12][0-9]{3}")
_PLAIN_NUMBER = r"^-?[0-9]{1,300}(\.[0-9]{1,300})?([eE][-+]?[0-9]{1,2})?$"
_PLAIN_INTEGER = r"^-?[0-9]{1,18}$"


def column(cells: Sequence[Any], data_type: T.DataType, arrow_type: pa.DataType, convert: Convert, quick: bool) -> Any:
    """Return an Arrow array, and the positions of cells that do not fit.

    Parameters
    ----------
    cells : sequence
        Texts, None, and values that are converted already.
    data_type, arrow_type : DataType, pyarrow.DataType
        The column's type, for Spark and for Arrow.
    convert : Callable
        Converts a text, or raises ``ValueError``.
    quick : bool
        Whether no option changes how texts are converted, and times without a zone are in UTC.
    """
    if quick and (at_once := _at_once(cells, data_type, arrow_type)) is not None:
        return at_once, []
    return one_by_one(cells, arrow_type, convert)


def one_by_one(cells: Sequence[Any], arrow_type: pa.DataType, convert: Convert) -> tuple[pa.Array, list[int]]:
    """Return an Arrow array, and the positions of cells that do not fit."""
    values: list[Any] = []
    misfits: list[int] = []
    known: dict[str, Any] = {}
    for position, cell in enumerate(cells):
        if type(cell) is str:
            try:
                # Columns repeat themselves.
                value = known.get(cell)
                if value is None:
                    value = known[cell] = convert(cell)
                cell = value
            except ValueError:
                misfits.append(position)
                cell = None
        values.append(cell)
    return pa.array(values, arrow_type), misfits


def _at_once(cells: Sequence[Any], data_type: T.DataType, arrow_type: pa.DataType) -> pa.Array | None:
    pattern, way = _way(data_type, arrow_type)
    if not pattern:
        return None
    try:
        texts = pa.array(cells, pa.string())
        if pc.all(pc.match_substring_regex(texts, pattern)).as_py() is False:
            return None
        return pc.cast(pc.cast(texts, way), arrow_type)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return None


def _way(data_type: T.DataType, arrow_type: pa.DataType) -> tuple[str, pa.DataType]:
    """Return which texts Arrow converts as Spark does, and the type that it converts them to."""
    if isinstance(data_type, T.IntegralType):
        return _PLAIN_INTEGER, arrow_type
    if isinstance(data_type, T.DoubleType | T.FloatType):
        return _PLAIN_NUMBER, arrow_type
    if isinstance(data_type, T.DecimalType):
        whole = data_type.precision - data_type.scale
        fraction = rf"(\.[0-9]{{1,{data_type.scale}}})?" if data_type.scale else ""
        return (rf"^-?[0-9]{{1,{whole}}}{fraction}$" if whole else ""), arrow_type
    if isinstance(data_type, T.DateType):
        return _DATE_TEXT, arrow_type
    if isinstance(data_type, T.TimestampType | T.TimestampNTZType):
        return _LOCAL_TEXT, pa.timestamp("us")
    return "", arrow_type
