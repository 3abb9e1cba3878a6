"""The rescued column made of whole columns: the same texts as :func:`pyspark_cloudfiles.rescue.rescued_text` makes."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.rescue import FILE_PATH, quoted

# What JSON does not have in a text as it is.
_SPECIAL = r'["\\\x00-\x1f]'


def member(name: str, texts: pa.Array) -> pa.Array:
    """Return a member of the rescued objects: a name with a JSON value; NULL where the value is."""
    return pc.binary_join_element_wise(f"{quoted(name)}:", texts, "")


def quoted_texts(texts: pa.Array) -> pa.Array:
    """Return texts as JSON."""
    whole = pc.binary_join_element_wise('"', texts, '"', "")
    special = pc.fill_null(pc.match_substring_regex(texts, _SPECIAL), False)
    if not pc.any(special).as_py():
        return whole
    escaped = [quoted(text) for text in texts.filter(special).to_pylist()]
    return pc.replace_with_mask(whole, special, pa.array(escaped, pa.string()))


def rescued_column(members: Sequence[pa.Array], paths: pa.Array) -> pa.Array | None:
    """Return the rescued column; None where every row has fitted.

    Parameters
    ----------
    members : sequence of pyarrow.Array
        The members in their order, of each row.
    paths : pyarrow.Array
        The URL of each row's file.
    """
    members = [some for some in members if some.null_count < len(some)]
    if not members:
        return None
    path = member(FILE_PATH, paths)
    inside = pc.binary_join_element_wise(*members, path, ",", null_handling="skip")
    texts = pc.binary_join_element_wise("{", inside, "}", "")
    filled = members[0].is_valid()
    for some in members[1:]:
        filled = pc.or_(filled, some.is_valid())
    return pc.if_else(filled, texts, None)


def paths_of(files: Sequence[tuple[SourceFile, int]]) -> pa.Array:
    """Return the URL of each line's file, as JSON, from how many lines each file has."""
    if not files:
        return pa.array([], pa.string())
    return pa.concat_arrays([pa.repeat(pa.scalar(quoted(file.url)), lines) for file, lines in files])
