"""Records of XML files as small element trees, parsed while the file is read.

As in Spark's reader, namespaces are part of names, external entities are not resolved, and comments are skipped.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.filesystems.files import SourceFile, open_text, unreadable_if_broken

# Small, so that not too many records are in memory as trees at once.
_CHUNK = 128 * 1024
# A tree takes up to a hundred times the memory of its text.
_RECORD_LIMIT = 16 * 1024 * 1024
# The text of a broken file in its error or rescued data.
_TEXT_LIMIT = 1024 * 1024


@dataclass(slots=True)
class Element:
    """An element: its children are elements and pieces of text, in their order."""

    name: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    def elements(self) -> list[Element]:
        return [child for child in self.children if isinstance(child, Element)]

    def text(self) -> str:
        """Return the text outside of other elements."""
        return "".join(child for child in self.children if isinstance(child, str))

    def inner(self) -> str:
        """Return the XML between the tags."""
        return "".join(escape(child) if isinstance(child, str) else child.outer() for child in self.children)

    def outer(self) -> str:
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in self.attributes.items())
        return f"<{self.name}{attributes}>{self.inner()}</{self.name}>"


@dataclass(slots=True)
class Broken:
    """The rest of a file after its last good record, which is not XML; with the text of the file, or its beginning."""

    text: str


@dataclass(frozen=True)
class XmlOptions:
    """The options of the format, with Spark's names and defaults."""

    row_tag: str
    prefix: str
    value_tag: str
    with_attributes: bool
    ignore_namespace: bool
    null_value: str | None
    trim: bool
    encoding: str

    @classmethod
    def from_options(cls, options: Mapping[str, str]) -> XmlOptions:
        """Return the options of a request; raise InvalidOption without ``rowTag``, or for an unknown encoding."""
        row_tag = options.get("rowtag", "").strip("<> ")
        if not row_tag:
            raise InvalidOption(
                "[XML_ROW_TAG_MISSING] The option rowTag is required for XML: the name of the element that is a row."
            )
        encoding = options.get("encoding") or options.get("charset") or "UTF-8"
        try:
            codecs.lookup(encoding)
        except LookupError:
            raise InvalidOption(f"There is no encoding {encoding!r}. Use one like UTF-8 or ISO-8859-1.") from None
        return cls(
            row_tag,
            options.get("attributeprefix", "_"),
            options.get("valuetag", "_VALUE"),
            not _is_true(options, "excludeattribute", "false"),
            _is_true(options, "ignorenamespace", "false"),
            options.get("nullvalue"),
            _is_true(options, "ignoresurroundingspaces", "true"),
            "utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding,
        )

    def local(self, name: str) -> str:
        return name.rsplit(":", 1)[-1] if self.ignore_namespace else name

    def is_row(self, name: str) -> bool:
        """Whether an element of a name is a row, if it is in none."""
        return self.local(name) == self.row_tag

    def members(self, element: Element) -> dict[str, list[Element | str]]:
        """Return the fields of an element, each with its values: attributes, elements, and text of its own."""
        found: dict[str, list[Element | str]] = {}
        if self.with_attributes:
            for name, value in element.attributes.items():
                if not name.startswith("xmlns"):
                    found[self.prefix + self.local(name)] = [value]
        for child in element.elements():
            found.setdefault(self.local(child.name), []).append(child)
        texts = [child for child in element.children if isinstance(child, str) and child.strip()]
        return found | {self.value_tag: list(texts)} if texts else found

    def trimmed(self, text: str) -> str | None:
        """Return a text without the blanks around it, or None if it means NULL."""
        text = text.strip() if self.trim else text
        return None if text == self.null_value else text


def _is_true(options: Mapping[str, str], name: str, default: str) -> bool:
    return options.get(name, default).lower() == "true"


def records(file: SourceFile, options: XmlOptions) -> Iterator[list[Element | Broken]]:
    """Yield the records of a file, some at a time; a :class:`Broken` is the last."""
    builder = _Builder(options.is_row)
    decode = codecs.getincrementaldecoder(options.encoding)("replace").decode
    with unreadable_if_broken(file), open_text(file) as source:
        is_empty = True
        try:
            while chunk := source.read(_CHUNK):
                is_empty = False
                builder.feed(decode(chunk))
                yield builder.take()
            if not is_empty:  # an empty file has no record, and is not broken
                builder.feed(decode(b"", True), last=True)
                yield builder.take()
        except (expat.ExpatError, _RecordTooLargeError):
            with open_text(file) as start:
                text = start.read(_TEXT_LIMIT).decode(options.encoding, "replace")
            yield [*builder.take(), Broken(text)]


class _RecordTooLargeError(Exception):
    """A record does not end: its end tag may be missing, and all text after it would be kept in memory."""


class _Builder:
    """Builds records from the events of the parser."""

    def __init__(self, is_row: Callable[[str], bool]) -> None:
        self._is_row = is_row
        self._open: list[Element] = []
        self._done: list[Element | Broken] = []
        self._began = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters

    def feed(self, text: str, last: bool = False) -> None:
        self._parser.Parse(text, last)
        if self._open and self._parser.CurrentByteIndex - self._began > _RECORD_LIMIT:
            raise _RecordTooLargeError

    def take(self) -> list[Element | Broken]:
        """Return the records that have ended since the last call."""
        done, self._done = self._done, []
        return done

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._open or self._is_row(name):
            element = Element(name, attributes)
            if self._open:
                self._open[-1].children.append(element)
            else:
                self._began = self._parser.CurrentByteIndex
            self._open.append(element)

    def _end(self, name: str) -> None:
        if self._open:
            element = self._open.pop()
            if not self._open:
                self._done.append(element)

    def _characters(self, text: str) -> None:
        if not self._open:
            return
        children = self._open[-1].children
        if children and isinstance(children[-1], str):
            children[-1] += text
        else:
            children.append(text)
