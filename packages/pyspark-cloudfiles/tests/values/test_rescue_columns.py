"""The rescued column by columns is what it is row by row."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.rescue import (
    Leaf,
    member,
    paths_of,
    quoted,
    quoted_texts,
    rescued_column,
    rescued_text,
    rescued_values,
)

ONE, OTHER = SourceFile('file:/in/a "b".csv', 1, 0), SourceFile("file:/in/é.csv", 1, 0)
texts = (
    st.none()
    | st.text(max_size=5)
    | st.sampled_from(["\x00", "\x1f", "\x7f", "\b\f\n\r\t", '"', "\\", "/", "\u2028", "😀"])
)
NAMES = ["x", 'y"', "é"]


@given(rows=st.lists(st.tuples(texts, texts, texts)), first=st.integers(0, 5))
def test_columns_give_what_rows_give(rows: list[tuple[str | None, ...]], first: int) -> None:
    first = min(first, len(rows))
    owners = [ONE] * first + [OTHER] * (len(rows) - first)
    expected = []
    for row, file in zip(rows, owners, strict=True):
        left = {name: Leaf(quoted(text)) for name, text in zip(NAMES, row, strict=True) if text is not None}
        expected.append(rescued_text(left, file.url) if left else None)
    columns = [pa.array([row[place] for row in rows], pa.string()) for place in range(len(NAMES))]
    members = [member(name, quoted_texts(column)) for name, column in zip(NAMES, columns, strict=True)]
    found = rescued_column(members, paths_of([(ONE, first), (OTHER, len(rows) - first)]))
    assert (found.to_pylist() if found is not None else [None] * len(rows)) == expected


@given(
    values=st.lists(texts)
    | st.lists(st.none() | st.booleans())
    | st.lists(st.none() | st.integers(-(2**63), 2**63 - 1))
    | st.lists(st.none() | st.floats())
)
def test_whole_columns_of_files_with_types_are_what_their_values_are(values: list) -> None:
    whole = rescued_values([("x", pa.array(values))], len(values), ONE)
    convert_one_by_one = rescued_values([("x", values)], len(values), ONE)
    assert (whole and whole.to_pylist()) == (convert_one_by_one and convert_one_by_one.to_pylist())
