"""Columns of texts converted to Arrow arrays: by a cast of Arrow's where it agrees with Spark, otherwise text by text.

An :class:`ArrowCast` says which texts it is right for.  A text that it is not right for does not slow down its column.
Texts that do not fit the type become NULL, and their positions are reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

Convert = Callable[[str], Any]
# How Arrow names what it could not convert.
_NAMED = re.compile(r"Failed to parse string: '(.*)' as a scalar", re.DOTALL)
_MOST_FAILURES = 10
_FIRST = 4


class ArrowCast(NamedTuple):
    """A conversion of texts by Arrow, and the texts for which it gives the values that Spark gives.

    A regular expression matches those texts.  Matching a text costs more than converting it, so there is also a cheap
    check of a whole column and its values, which passes only if all of them are right.

    Parameters
    ----------
    pattern : str
        A text that matches it is converted as Spark does it, or not at all.
    cast : callable
        Converts a column; raises ``pyarrow.ArrowInvalid`` if some text cannot be converted.
    is_safe : callable
        Is given the texts and their values, and tells whether all were converted as Spark does it; False says nothing.
    """

    pattern: str
    cast: Callable[[pa.Array], pa.Array]
    is_safe: Callable[[pa.Array, pa.Array], bool]


def converted(
    texts: pa.Array, arrow_type: pa.DataType, convert: Convert, arrow_casts: Sequence[ArrowCast]
) -> tuple[pa.Array, list[int]]:
    """Return an Arrow array of the values of texts, and the positions of texts that do not fit.

    Parameters
    ----------
    texts : pyarrow.Array
        STRING.
    arrow_type : pyarrow.DataType
        The column's type.
    convert : Callable
        Converts a text, or raises ``ValueError``.
    arrow_casts : sequence of ArrowCast
        What Arrow may convert instead.
    """
    first = texts.drop_null().slice(0, _FIRST)
    for arrow_cast in arrow_casts:
        # Arrow takes its time to fail at a column, so it has to succeed with some cells first.
        if _attempted(first, arrow_cast) is None:
            continue
        values = _attempted(texts, arrow_cast)
        if values is not None and arrow_cast.is_safe(texts, values):
            return values, []
    found = pa.nulls(len(texts), arrow_type)
    for arrow_cast in arrow_casts:
        matching = pc.if_else(pc.match_substring_regex(texts, arrow_cast.pattern), texts, None)
        values = None if matching.null_count == len(texts) else _without_failing(matching, arrow_cast)
        if values is not None:
            found = values if found.null_count == len(texts) else pc.coalesce(found, values)
            if found.null_count == texts.null_count:
                return found, []
    return _completed(found, texts, convert)


def one_by_one(texts: Sequence[str | None], arrow_type: pa.DataType, convert: Convert) -> tuple[pa.Array, list[int]]:
    """Return the same without Arrow's help."""
    values: list[Any] = []
    misfits: list[int] = []
    known: dict[str, Any] = {}
    for position, text in enumerate(texts):
        # Columns repeat themselves.
        value = None if text is None else known.get(text)
        if value is None and text is not None:
            try:
                value = known[text] = convert(text)
            except ValueError:
                misfits.append(position)
        values.append(value)
    return pa.array(values, arrow_type), misfits


def _attempted(texts: pa.Array, arrow_cast: ArrowCast) -> pa.Array | None:
    try:
        return arrow_cast.cast(texts)
    except pa.ArrowInvalid:
        return None


def _without_failing(texts: pa.Array, arrow_cast: ArrowCast) -> pa.Array | None:
    """Convert all but a few texts that only look convertible: the 30th of February."""
    for _ in range(_MOST_FAILURES):
        try:
            return arrow_cast.cast(texts)
        except pa.ArrowInvalid as error:
            failing = _NAMED.search(str(error))
            if failing is None:
                return None
            texts = pc.if_else(pc.equal(texts, failing[1]), None, texts)
    return None


def _completed(found: pa.Array, texts: pa.Array, convert: Convert) -> tuple[pa.Array, list[int]]:
    """Convert the texts that have no value yet, one by one."""
    odd = pc.and_(found.is_null(), texts.is_valid())
    values, wrong = one_by_one(texts.filter(odd).to_pylist(), found.type, convert)
    positions = pc.indices_nonzero(odd)
    if found.null_count == len(found):
        filled = pc.replace_with_mask(pa.nulls(len(found), found.type), odd, values)
    else:
        filled = pc.replace_with_mask(found, odd, values)
    return filled, [positions[place].as_py() for place in wrong]
