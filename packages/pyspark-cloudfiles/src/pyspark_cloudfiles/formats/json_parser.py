"""A JSON parser as lenient as Spark's, which keeps the source text of each value for STRING columns.

It accepts single quotes, NaN, text after the end, and more by options, and returns a tree of :class:`Node`.  It is
slow: only lines that a strict parser refuses are read by it.  :class:`StrictNode` has the interface of a node for
strict JSON, many times faster: msgspec parses the values, and only as far as they are accessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property
from typing import Any

import msgspec

# Spark's limits; deeper or longer values are malformed.
MAX_DEPTH = 1000
MAX_NUMBER = 1000

_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "/": "/"}
_NON_NUMERIC = re.compile(r"NaN|[+-]?Infinity|[+-]INF")
_LITERAL = re.compile(r"(?:true|false|null)(?![\w$])")
_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw]).decode
_TEXT = msgspec.json.Decoder(str).decode
_KINDS = {ord("{"): "{", ord("["): "[", ord('"'): '"', ord("t"): "b", ord("f"): "b", ord("n"): "n"}
_UNQUOTED_NAME = re.compile(r"[\w$@#*+-]+")


def _json_text(text: str) -> str:
    return msgspec.json.encode(text).decode()


class MalformedJsonError(ValueError):
    """A text is not a JSON document."""


class Node:
    """A value: an object ``{``, array ``[``, string ``"``, integer ``i``, other number ``f``, boolean ``b`` or null
    ``n``.
    """

    __slots__ = ("fields", "items", "kind", "source", "start", "text")

    def __init__(self, kind: str, source: str = "", text: str = "") -> None:
        self.kind = kind
        self.source = source
        self.text = text
        self.start = 0
        self.fields: list[tuple[str, Node]] = []
        self.items: list[Node] = []

    def value(self) -> Any:
        """Return the Python value; numbers are int or Decimal, and named ones float."""
        match self.kind:
            case "{":
                return {name: node.value() for name, node in self.fields}
            case "[":
                return [node.value() for node in self.items]
            case '"':
                return self.text
            case "i":
                return int(self.source)
            case "f" if self.source[-1] in "NFy":  # NaN, -INF, Infinity
                return float(self.source.replace("INF", "Infinity"))
            case "f":
                return Decimal(self.source)
        return None if self.kind == "n" else self.source == "true"

    def strict(self) -> str:
        """Return the value as strict JSON."""
        if self.kind == "{":
            return "{" + ",".join(f"{_json_text(name)}:{node.strict()}" for name, node in self.fields) + "}"
        if self.kind == "[":
            return "[" + ",".join(node.strict() for node in self.items) + "]"
        if self.kind == '"' or (self.kind == "f" and self.source[-1:] in "NFy"):
            return _json_text(self.text if self.kind == '"' else self.source)
        return self.source


class LenientJson:
    """The parser, with the format's options."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options
        self._single = self._is_allowed("allowsinglequotes", "true")
        self._any_escape = self._is_allowed("allowbackslashescapinganycharacter")
        self._unquoted = self._is_allowed("allowunquotedfieldnames")
        self._non_numeric = self._is_allowed("allownonnumericnumbers", "true")

    def document(self, text: str) -> Node | None:
        """Return the first value of a text, or None for a blank one; any text may follow.  Raise MalformedJsonError."""
        position = self._after_blank(text, 0)
        if position == len(text):
            return None
        open_nodes: list[Node] = []  # a stack instead of recursion, so that the depth limit is Spark's
        while True:
            node, position = self._value(text, position, len(open_nodes))
            if node.kind in "{[" and not node.source:
                open_nodes.append(node)
                position = self._name(text, position, node)
                continue
            while open_nodes:
                closed, position = self._next(text, position, open_nodes[-1], node)
                if not closed:
                    break
                node = open_nodes.pop()
            else:
                return node

    def _is_allowed(self, option: str, default: str = "false") -> bool:
        return self._options.get(option, default).lower() == "true"

    @cached_property
    def _blank(self) -> re.Pattern[str]:
        comments = r"|/\*.*?\*/|//[^\r\n]*" if self._is_allowed("allowcomments") else ""
        return re.compile(rf"(?:[ \t\r\n]{comments})*", re.DOTALL)

    @cached_property
    def _number(self) -> re.Pattern[str]:
        whole = r"\d+" if self._is_allowed("allownumericleadingzeros") else r"(?:0|[1-9]\d*)(?!\d)"
        return re.compile(rf"-?{whole}(\.\d+)?([eE][+-]?\d+)?", re.ASCII)

    @cached_property
    def _strings(self) -> dict[str, re.Pattern[str]]:
        control = "" if self._is_allowed("allowunquotedcontrolchars") else r"\x00-\x1f"
        marks = "\"'" if self._single else '"'
        return {mark: re.compile(rf"{mark}((?:[^{mark}\\{control}]++|\\.)*+){mark}", re.DOTALL) for mark in marks}

    def _after_blank(self, text: str, position: int) -> int:
        found = self._blank.match(text, position)
        assert found is not None
        return found.end()

    def _value(self, text: str, position: int, depth: int) -> tuple[Node, int]:
        mark = text[position : position + 1]
        if mark and mark in "{[":
            if depth >= MAX_DEPTH:
                raise MalformedJsonError("too deep")
            node = Node(mark)
            node.start = position
            inside = self._after_blank(text, position + 1)
            if text[inside : inside + 1] == ("}" if mark == "{" else "]"):
                node.source = text[position : inside + 1]
                inside += 1
            return node, inside
        if mark in self._strings and mark:
            end, value = self._string(text, position)
            return Node('"', text[position:end], value), end
        if found := self._number.match(text, position):
            if found.end() - position > MAX_NUMBER:
                raise MalformedJsonError("a number is too long")
            return Node("f" if found[1] or found[2] else "i", found[0]), found.end()
        if found := _LITERAL.match(text, position):
            return Node("n" if found[0] == "null" else "b", found[0]), found.end()
        found = _NON_NUMERIC.match(text, position)
        if found and self._non_numeric:
            return Node("f", found[0]), found.end()
        raise MalformedJsonError(f"no value at character {position}")

    def _name(self, text: str, position: int, node: Node) -> int:
        """Read a field's name and its colon, if the node is an object."""
        if node.kind == "[":
            return position
        if text[position : position + 1] in self._strings and position < len(text):
            end, name = self._string(text, position)
        elif self._unquoted and (found := _UNQUOTED_NAME.match(text, position)):
            end, name = found.end(), found[0]
        else:
            raise MalformedJsonError(f"no name at character {position}")
        end = self._after_blank(text, end)
        if text[end : end + 1] != ":":
            raise MalformedJsonError(f"no colon at character {end}")
        node.text = name
        return self._after_blank(text, end + 1)

    def _next(self, text: str, position: int, parent: Node, node: Node) -> tuple[bool, int]:
        """Add a value to its parent; return whether that is complete, and the next position."""
        if parent.kind == "{":
            parent.fields.append((parent.text, node))
        else:
            parent.items.append(node)
        position = self._after_blank(text, position)
        mark = text[position : position + 1]
        if mark == ("}" if parent.kind == "{" else "]"):
            parent.source = text[parent.start : position + 1]
            return True, position + 1
        if mark != ",":
            raise MalformedJsonError(f"no comma at character {position}")
        return False, self._name(text, self._after_blank(text, position + 1), parent)

    def _string(self, text: str, position: int) -> tuple[int, str]:
        found = self._strings[text[position]].match(text, position)
        if found is None:
            raise MalformedJsonError(f"no end of the text at character {position}")
        if "\\" not in found[1]:
            return found.end(), found[1]
        value = re.sub(r"\\(u[0-9a-fA-F]{4}|.)", self._unescape, found[1], flags=re.DOTALL)
        # Unpaired surrogates become question marks, as in Java.
        paired = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        return found.end(), paired.encode("utf-8", "replace").decode()

    def _unescape(self, found: re.Match[str]) -> str:
        code = found[1]
        if len(code) > 1:
            return chr(int(code[1:], 16))
        if code in _ESCAPES:
            return _ESCAPES[code]
        if code != "u" and (self._any_escape or (code == "'" and self._single)):
            return code
        raise MalformedJsonError(f"unknown escape {found[0]}")


class StrictNode:
    """A value in UTF-8; an object or array is only checked to be strict JSON when its content is accessed."""

    __slots__ = ("_raw", "kind")

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        kind = _KINDS.get(raw[0])
        if kind is None:
            kind = "f" if b"." in raw or b"e" in raw or b"E" in raw else "i"
            if len(raw) > MAX_NUMBER:
                raise MalformedJsonError("a number is too long")
        self.kind = kind

    @property
    def source(self) -> str:
        return self._raw.decode()

    @property
    def text(self) -> str:
        """The text of a string; empty for other values."""
        return _TEXT(self._raw) if self.kind == '"' else ""

    @property
    def fields(self) -> list[tuple[str, StrictNode]]:
        return [(name, StrictNode(bytes(raw))) for name, raw in _FIELDS(self._raw).items()]

    @property
    def items(self) -> list[StrictNode]:
        return [StrictNode(bytes(raw)) for raw in _ITEMS(self._raw)]

    def strict(self) -> str:
        return self.source
