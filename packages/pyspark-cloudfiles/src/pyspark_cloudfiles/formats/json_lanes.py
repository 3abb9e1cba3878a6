"""JSON lines in two lanes: this is the quick one, where Arrow reads whole columns.

Arrow converts values as it reads them.  A STRING keeps its value's source text, so only columns that look like texts,
integers or truth values are read by Arrow; of others (floating point, nested, mixed) msgspec takes the source.  A MAP
is not for this lane: Arrow would make a column of each key that occurs, and there may be as many keys as rows.
"""

from __future__ import annotations

import re
from operator import attrgetter
from typing import NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T
from pyspark.sql.pandas.types import to_arrow_schema

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats.arrow_types import rows_without_columns
from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.gathering import Lane
from pyspark_cloudfiles.formats.json_arrow import NotForArrow, Parsed, Reading, also_refused, as_text, parsed, reading
from pyspark_cloudfiles.formats.line_arrays import lines_of, mask, places
from pyspark_cloudfiles.values.plain_arrays import binaries
from pyspark_cloudfiles.values.rescue import quoted
from pyspark_cloudfiles.values.rescue_columns import paths_of, rescued_column

_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_SAID = msgspec.json.Decoder(str).decode
_NULL = msgspec.Raw(b"null")
_SAMPLED_LINES = 100
_PLAIN_NAME = re.compile(r"[\w .:$@-]*")


class Quick(NamedTuple):
    """The rows of the quick lane, and the lines that it refused."""

    lane: Lane
    refused: list[int]


class QuickLane:
    """Reads lines by a schema.

    Parameters
    ----------
    schema : StructType
        The columns, without the one for corrupt records.
    request : ReadRequest
        How to read.
    """

    def __init__(self, schema: T.StructType, request: ReadRequest) -> None:
        self._schema, self._request = schema, request
        self._arrow = to_arrow_schema(request.schema, timezone="UTC")
        # What the schema does not have is passed over, or matters; see json_columns.
        self._strict = request.on_unknown != "ignore" or not request.case_sensitive
        self._drops = request.on_unknown == "rescue" and not request.rescue and request.case_sensitive
        self._rescues = request.on_unknown == "rescue" and request.rescue and request.case_sensitive
        self._resting, self._rest = 0, 1
        try:
            self._readings = {field.name: reading(field.dataType, request) for field in schema.fields}
            self._able = 0 < len(self._readings) == len({name.lower() for name in self._readings})
        except NotForArrow:
            self._able = False

    def rows(self, data: bytes, files: list[tuple[SourceFile, int]], exact: bool = True) -> Quick | None:
        """Return the rows of lines, or None if they are not for Arrow; after that it rests for ever more blocks.

        Parameters
        ----------
        exact : bool
            Whether the lines are what their file has; if not, they have blanks for ends of lines, and what keeps the
            source of its values is not for this lane.
        """
        if not self._able:
            return None
        if self._resting:
            self._resting -= 1
            return None
        found = self._rows(data, files, exact)
        if found is None:
            self._resting, self._rest = self._rest, 2 * self._rest
        else:
            self._rest = 1
        return found

    def _rows(self, data: bytes, files: list[tuple[SourceFile, int]], exact: bool) -> Quick | None:
        readings = self._readings | self._kinds(data)
        if not exact and None in readings.values():
            return None
        schema = pa.schema([(name, some.read_as) for name, some in readings.items() if some is not None])
        signed = any(
            _has_floats(schema.field(field.name).type)
            or (_is_string(field) and not pa.types.is_string(schema.field(field.name).type))
            for field in self._schema.fields
            if readings[field.name] is not None
        )
        found = parsed(data, sum(lines for _, lines in files), schema, self._strict, signed)
        if found is None:
            return None
        others = _others(found.table.schema, schema, {name for name, some in readings.items() if some is None})
        more = None
        if others and not self._drops:
            lines = lines_of(found.data)
            having = pc.match_substring_regex(lines, _naming(others))
            if not exact or not self._rescues or any(nested for _, nested in others):
                found = also_refused(found, pc.indices_nonzero(having).to_pylist())
            else:
                more = _More({name for name, _ in others}, lines, having)
        return self._finished(found, readings, more, files)

    def _finished(
        self,
        found: Parsed,
        readings: dict[str, Reading | None],
        more: _More | None,
        files: list[tuple[SourceFile, int]],
    ) -> Quick | None:
        arrays, misfits = {}, set()
        for name, some in readings.items():
            if some is not None:
                arrays[name], wrong = some.finish(found.table.column(name))
                misfits.update(wrong)
        if misfits:
            rows = found.table.num_rows
            found = also_refused(found, sorted(misfits))
            keep = pc.invert(mask(sorted(misfits), rows))
            arrays = {name: array.filter(keep) for name, array in arrays.items()}
            more = more and more.filtered(keep)
        arrays |= self._sources(found.data, [name for name, some in readings.items() if some is None])
        rows = found.table.num_rows
        total = rows + len(found.refused)
        numbers = places(total)
        if found.refused:
            numbers = numbers.filter(pc.invert(mask(found.refused, total)))
        rescued = None
        if more is not None:
            paths = paths_of(files)
            rescued = more.rescued(paths.take(numbers) if found.refused else paths)
        return Quick(Lane(numbers, self._batch(arrays, rows), rescued), found.refused)

    def _batch(self, arrays: dict[str, pa.Array], rows: int) -> pa.RecordBatch:
        columns = [
            pa.nulls(rows, pa.string()) if name == self._request.corrupt_column else arrays[name]
            for name in self._arrow.names
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self._arrow) if columns else rows_without_columns(rows)

    def _kinds(self, data: bytes) -> dict[str, Reading | None]:
        """Return how to read the STRINGs, by the first lines; None for those whose source must be taken."""
        names = [field.name for field in self._schema.fields if _is_string(field)]
        if not names:
            return {}
        kinds: dict[str, set[str]] = {name: set() for name in names}
        for line in data[: 1024 * 1024].split(b"\n", _SAMPLED_LINES)[:_SAMPLED_LINES]:
            try:
                fields = _FIELDS(line)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                continue
            for name in kinds.keys() & fields.keys():
                kinds[name].add(_kind(bytes(fields[name])))
        return {name: _READ[frozenset(seen - {"null"})] for name, seen in kinds.items() if _is_read(seen)} | {
            name: None for name, seen in kinds.items() if not _is_read(seen)
        }

    def _sources(self, data: bytes, names: list[str]) -> dict[str, pa.Array]:
        """Return the texts of columns as they stand in the lines."""
        if not names:
            return {}
        fields = [(f"f{index}", msgspec.Raw, _NULL) for index in range(len(names))]
        renamed = {f"f{index}": name for index, name in enumerate(names)}
        rows = msgspec.json.Decoder(msgspec.defstruct("Sources", fields, rename=renamed, gc=False)).decode_lines(data)
        return {name: _texts(list(map(attrgetter(f"f{index}"), rows))) for index, name in enumerate(names)}


class _More(NamedTuple):
    """Lines in which nothing is wrong but that some may have more fields.

    Parameters
    ----------
    names : set of str
        Of those fields, all at the top.
    lines : pyarrow.Array
        All lines.
    having : pyarrow.Array
        Which of them may have such a field.
    """

    names: set[str]
    lines: pa.Array
    having: pa.Array

    def filtered(self, keep: pa.Array) -> _More:
        """Return those of the lines for which `keep` is true."""
        return _More(self.names, self.lines.filter(keep), self.having.filter(keep))

    def rescued(self, paths: pa.Array) -> pa.Array | None:
        """Return the rescued column."""
        keys = {name: f"{quoted(name)}:" for name in self.names}
        texts: list[str | None] = []
        for line in self.lines.filter(self.having).to_pylist():
            fields = _FIELDS(line)
            texts.append(
                ",".join([keys[name] + bytes(fields[name]).decode() for name in fields if name in keys]) or None
            )
        nothing = pa.nulls(len(self.lines), pa.string())
        return rescued_column([pc.replace_with_mask(nothing, self.having, pa.array(texts, pa.string()))], paths)


def _texts(raws: list[msgspec.Raw]) -> pa.Array:
    """Return values as a STRING has them: what a text says, and the source of everything else."""
    sources = binaries(raws).cast(pa.string())
    nulls = pc.match_substring_regex(sources, "^null$")
    quotes = pc.starts_with(sources, '"')
    if pc.any(nulls).as_py():
        sources = pc.if_else(nulls, None, sources)
    if not pc.any(quotes).as_py():
        return sources
    said = [_SAID(text) for text in sources.filter(quotes).to_pylist()]
    return pc.replace_with_mask(sources, quotes, pa.array(said, pa.string()))


_READ: dict[frozenset[str], Reading] = {
    frozenset(): Reading(pa.string(), lambda array: (array, [])),
    frozenset({"text"}): Reading(pa.string(), lambda array: (array, [])),
    frozenset({"integer"}): as_text(pa.int64()),
    frozenset({"truth"}): as_text(pa.bool_()),
}


def _is_read(seen: set[str]) -> bool:
    return frozenset(seen - {"null"}) in _READ


def _has_floats(read_as: pa.DataType) -> bool:
    if pa.types.is_struct(read_as):
        return any(_has_floats(field.type) for field in read_as)
    return _has_floats(read_as.value_type) if pa.types.is_list(read_as) else pa.types.is_floating(read_as)


def _is_string(field: T.StructField) -> bool:
    return isinstance(field.dataType, T.StringType)


def _kind(source: bytes) -> str:
    first = source[:1]
    if first == b'"':
        return "text"
    if first in b"tf":
        return "truth"
    if first == b"n":
        return "null"
    return "integer" if re.fullmatch(rb"-?\d{1,18}", source) else "other"


def _others(
    found: pa.Schema | pa.StructType, known: pa.Schema | pa.StructType, taken: set[str]
) -> set[tuple[str, bool]]:
    """Return the names of fields that the schema does not have, and whether they are inside of others."""
    names = {field.name for field in known} | taken
    others = {(field.name, False) for field in found if field.name not in names}
    for field in known:
        there = found.field(field.name).type
        others |= {(name, True) for name in _inside(there, field.type)}
    return others


def _inside(found: pa.DataType, known: pa.DataType) -> set[str]:
    if pa.types.is_struct(known):
        return {name for name, _ in _others(found, known, set())}
    return _inside(found.value_type, known.value_type) if pa.types.is_list(known) else set()


def _naming(others: set[tuple[str, bool]]) -> str:
    """Return a pattern of the lines that may have such fields, however their names are written."""
    names = sorted(name for name, _ in others)
    escaped = r"\\u" if all(_PLAIN_NAME.fullmatch(name) for name in names) else r"\\"
    return f'"(?:{"|".join(map(re.escape, names))})"|{escaped}'
