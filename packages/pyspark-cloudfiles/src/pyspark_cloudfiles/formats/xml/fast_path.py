"""The fast path of XML: records with the same fields are cut by one regular expression.

In most XML data the root element holds records, and a record has attributes and elements with text, always in one
order; some may be missing.  The regular expression accepts nothing that the parser would read differently: no entities,
comments, CDATA or prefixed names.  From the first record that it does not accept, the parser reads the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import ArrayType, MapType, StringType, StructField, StructType

from pyspark_cloudfiles.formats.base import ReadRequest
from pyspark_cloudfiles.formats.records.batches import batch_of
from pyspark_cloudfiles.formats.records.names import Names
from pyspark_cloudfiles.formats.xml.elements import XmlOptions
from pyspark_cloudfiles.formats.xml.row_reader import converter
from pyspark_cloudfiles.values.arrow_casts import arrow_casts
from pyspark_cloudfiles.values.plain_arrays import plain
from pyspark_cloudfiles.values.text_columns import converted

CHUNK = 1024 * 1024
_BLANK = r"[ \t\n]*"
_NAME = r"[A-Za-z_][\w.-]*"
# What stands for itself: the rest the parser decodes, normalises or refuses.
_TEXT = r"[^<&\x00-\x08\x0b-\x1f\ufffe\uffff]*+"
_VALUES = {mark: rf"[^<&{mark}\x00-\x1f\ufffe\uffff]*+" for mark in "\"'"}
_DECLARATION = r"""<\?xml version=(["'])1\.0\1(?: encoding=(["'])[\w-]+\2)?(?: standalone=(["'])(?:yes|no)\3)? ?\?>"""
_PROLOG = re.compile(
    rf"""(?:{_DECLARATION})?{_BLANK}(?P<opening><(?P<root>{_NAME})(?: {_NAME}="{_VALUES['"']}")?>)""",
    re.ASCII,
)
_SAMPLED = 50


class CutRecords(NamedTuple):
    """Records that look alike: the names of their fields, and of each record the texts; None where one is missing."""

    names: list[str]
    rows: list[tuple[str | None, ...]]


class WholeRecords(NamedTuple):
    """What is read next: some whole records, cut, with what surrounds them in the file."""

    opening: str
    text: str
    cut: CutRecords
    closing: str


class RestOfFile(NamedTuple):
    """What the parser must read: where the root begins, and what has been decoded of the rest; or that this was all."""

    opening: str
    text: str
    is_all: bool = False


def texts(source: BinaryIO, decode: Any, options: XmlOptions) -> Iterator[WholeRecords | RestOfFile]:
    """Yield the records of a file; a :class:`RestOfFile` is the last.

    Parameters
    ----------
    source : BinaryIO
        The file, which is read as far as it is cut.
    decode : callable
        Decodes its bytes, a part at a time.
    """
    waiting, root, prolog, cutter = "", "", None, None
    end_tag = f"</{options.row_tag}>"
    while chunk := source.read(CHUNK):
        waiting = _with_plain_line_ends(waiting + decode(chunk))
        if prolog is None:
            prolog = _PROLOG.match(waiting)
            root = "" if prolog is None else prolog["root"]
            if prolog is None or options.is_row(root) or not options.is_row(options.row_tag):
                yield RestOfFile("", waiting)
                return
            waiting = waiting[prolog.end() :]
        end = waiting.rfind(end_tag) + len(end_tag)
        if end < len(end_tag):
            break
        some, waiting = waiting[:end], waiting[end:]
        cutter = cutter or RecordCutter.of(some, options)
        cut = None if cutter is None else cutter.cut(some)
        if cut is None:
            waiting = some + waiting
            break
        yield WholeRecords(prolog["opening"], some, cut, f"</{prolog['root']}>")
    else:
        waiting += decode(b"", True)
        if prolog is not None and re.fullmatch(rf"{_BLANK}</{re.escape(prolog['root'])}>{_BLANK}", waiting, re.ASCII):
            yield RestOfFile("", "", is_all=True)
            return
    yield RestOfFile(prolog["opening"] if prolog else "", waiting)


class RecordCutter:
    """Cuts the text of records that have certain attributes and elements, in this order.

    Parameters
    ----------
    options : XmlOptions
        Which element is a record, and what its fields are called.
    attributes, elements : list of str
        Their names.
    mark : str
        The quotes around attributes.
    """

    def __init__(self, options: XmlOptions, attributes: list[str], elements: list[str], mark: str) -> None:
        tag, value = re.escape(options.row_tag), f"({_VALUES[mark]})"
        head = "".join(rf"(?: {re.escape(name)}={mark}{value}{mark})?+" for name in attributes)
        body = "".join(
            rf"(?:{_BLANK}+<{name}>({_TEXT})</{name}>)?+" for name in (re.escape(element) for element in elements)
        )
        record = rf"{_BLANK}+<{tag}{head}>{body}{_BLANK}+</{tag}>"
        self._record = re.compile(record, re.ASCII)
        # Groups, which a repetition would overwrite, are not needed to tell whether all of a text is records.
        without_groups = record.replace(value, value[1:-1]).replace(f"({_TEXT})", _TEXT)
        self._all = re.compile(f"(?:{without_groups})*+", re.ASCII)
        prefixed = [options.prefix + name for name in attributes]
        self.names = [*prefixed, *elements]
        self._with_attributes = options.with_attributes
        self._attributes = len(attributes)

    @classmethod
    def of(cls, text: str, options: XmlOptions) -> RecordCutter | None:
        """Return the cutter for records like the first of a text; None if they are not for it."""
        tag = re.escape(options.row_tag)
        mark = "'" if re.match(rf"{_BLANK}<{tag} {_NAME}='", text, re.ASCII) else '"'
        head = rf"(?: {_NAME}={mark}{_VALUES[mark]}{mark})*"
        body = rf"(?:{_BLANK}<({_NAME})>{_TEXT}</\3>)*"
        record = re.compile(rf"{_BLANK}<{tag}({head})>({body}){_BLANK}</{tag}>", re.ASCII)
        attributes: list[str] = []
        elements: list[str] = []
        position = 0
        for _ in range(_SAMPLED):
            found = record.match(text, position)
            if found is None:
                break
            position = found.end()
            attributes = _merged(
                attributes, re.findall(rf" ({_NAME})=", re.sub(f"{mark}[^{mark}]*{mark}", "", found[1]))
            )
            elements = _merged(elements, re.findall(rf"<({_NAME})>", found[2]))
        made = cls(options, attributes, elements, mark)
        unique = len({name.lower() for name in made.names}) == len(made.names)
        odd = options.row_tag in elements or options.value_tag in made.names
        return made if position and unique and not odd and not any(a.startswith("xmlns") for a in attributes) else None

    def cut(self, text: str) -> CutRecords | None:
        """Return the fields of all records of a text; None if there is anything else in it."""
        if "]]>" in text or self._all.fullmatch(text) is None:
            return None
        rows = [found.groups() for found in self._record.finditer(text)]
        if self._with_attributes:
            return CutRecords(self.names, rows)
        return CutRecords(self.names[self._attributes :], [row[self._attributes :] for row in rows])


def _with_plain_line_ends(text: str) -> str:
    """Return a text with LF for CRLF, as the parser has it too."""
    return text.replace("\r\n", "\n") if "\r" in text else text


def _merged(known: list[str], names: list[str]) -> list[str]:
    """Return known names with those that are new, each after the one that comes before it."""
    place = 0
    for name in names:
        if name in known:
            place = known.index(name) + 1
        else:
            known = [*known[:place], name, *known[place:]]
            place += 1
    return known


class ColumnReader:
    """Makes a batch of what was cut, column by column."""

    def __init__(self, request: ReadRequest, options: XmlOptions) -> None:
        self._request, self._options = request, options
        self._schema = to_arrow_schema(request.schema, timezone="UTC")
        self._fields = [field for field in request.schema if field.name != request.corrupt_column]
        self._names = Names([field.name for field in self._fields], request.case_sensitive)

    def batch(self, cut: CutRecords) -> pa.RecordBatch | None:
        """Return the rows, or None if something in them is for the row reader."""
        columns: dict[str, pa.Array] = {}
        for name, cells in zip(cut.names, zip(*cut.rows, strict=True), strict=True):
            index = self._names.index_of(name)
            if index is None:
                if self._request.on_unknown != "ignore" or not self._names.is_unknown(name):
                    return None
                continue
            field = self._fields[index]
            array = self._column(field, cells)
            if array is None or field.name in columns:
                return None
            columns[field.name] = array
        rows = len(cut.rows)
        arrays = [columns.get(field.name, pa.nulls(rows, field.type)) for field in self._schema]
        return batch_of(arrays, self._schema, rows)

    def _column(self, field: StructField, cells: tuple[str | None, ...]) -> pa.Array | None:
        if isinstance(field.dataType, StructType | ArrayType | MapType):
            return None
        wanted = self._schema.field(field.name).type
        texts = [None if cell is None else self._options.trimmed(cell) for cell in cells]
        if isinstance(field.dataType, StringType):
            return plain(texts, wanted)
        convert = converter(field.dataType, self._request)
        known = arrow_casts(field.dataType, wanted, self._request.options, self._request.timezone)
        array, misfits = converted(plain([text or None for text in texts], pa.string()), wanted, convert, known)
        return None if misfits else array
