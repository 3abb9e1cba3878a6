"""A JSON parser as lenient as Spark's, which keeps the source text of each value for STRING columns.

A parser as lenient as Spark's (single quotes, NaN, text after the end, and more by options) makes a tree of
:class:`Node`.  It is slow: only what a strict parser refuses comes to it.  :class:`StrictNode` has the face of a node
for strict JSON, many times faster: msgspec takes the values apart, and only as far as somebody looks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

import msgspec

from pyspark_cloudfiles.values.rescue import quoted

# Spark's limits: deeper, or longer, is malformed.
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


class MalformedJsonError(ValueError):
    """A text that is no JSON document."""


class Node:
    """A value: its kind, its source text, and what it holds.

    ``kind`` is one of ``{ [ " i f b n``: object, array, string, integer, other number, truth value, null.
    """

    __slots__ = ("fields", "items", "kind", "source", "start", "text")

    def __init__(self, kind: str, source: str = "", text: str = "") -> None:
        self.kind = kind
        self.source = source
        self.text = text
        self.start = 0
        self.fields: list[tuple[str, Node]] = []
        self.items: list[Node] = []

    def strict(self) -> str:
        """Return the value as JSON that every parser takes."""
        if self.kind == "{":
            return "{" + ",".join(f"{quoted(name)}:{node.strict()}" for name, node in self.fields) + "}"
        if self.kind == "[":
            return "[" + ",".join(node.strict() for node in self.items) + "]"
        if self.kind == '"' or (self.kind == "f" and self.source[-1:] in "NFy"):
            return quoted(self.text if self.kind == '"' else self.source)
        return self.source


class LenientJson:
    """The parser, for the format's options."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options
        self._single = self._allowed("allowsinglequotes", "true")
        self._any_escape = self._allowed("allowbackslashescapinganycharacter")
        self._unquoted = self._allowed("allowunquotedfieldnames")
        self._non_numeric = self._allowed("allownonnumericnumbers", "true")

    def document(self, text: str) -> Node | None:
        """Return the first value of a text, or None of a blank one; what follows it does not matter.

        Raises
        ------
        MalformedJsonError
            There is no value.
        """
        position = self._after_blank(text, 0)
        if position == len(text):
            return None
        return self._tree(text, position)

    def _allowed(self, option: str, default: str = "false") -> bool:
        return self._options.get(option, default).lower() == "true"

    @cached_property
    def _blank(self) -> re.Pattern[str]:
        comments = r"|/\*.*?\*/|//[^\r\n]*" if self._allowed("allowcomments") else ""
        return re.compile(rf"(?:[ \t\r\n]{comments})*", re.DOTALL)

    @cached_property
    def _number(self) -> re.Pattern[str]:
        whole = r"\d+" if self._allowed("allownumericleadingzeros") else r"(?:0|[1-9]\d*)(?!\d)"
        return re.compile(rf"-?{whole}(\.\d+)?([eE][+-]?\d+)?", re.ASCII)

    @cached_property
    def _strings(self) -> dict[str, re.Pattern[str]]:
        control = "" if self._allowed("allowunquotedcontrolchars") else r"\x00-\x1f"
        marks = "\"'" if self._single else '"'
        return {mark: re.compile(rf"{mark}((?:[^{mark}\\{control}]++|\\.)*+){mark}", re.DOTALL) for mark in marks}

    def _after_blank(self, text: str, position: int) -> int:
        found = self._blank.match(text, position)
        assert found is not None
        return found.end()

    def _tree(self, text: str, position: int) -> Node:
        """Read one value; a stack instead of recursion, so that depth is what Spark allows."""
        open_nodes: list[Node] = []
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

    def _value(self, text: str, position: int, depth: int) -> tuple[Node, int]:
        mark = text[position : position + 1]
        if mark and mark in "{[":
            if depth >= MAX_DEPTH:
                raise MalformedJsonError("too deep")
            return self._opened(text, position, mark)
        if mark in self._strings and mark:
            end, value = self._string(text, position)
            return Node('"', text[position:end], value), end
        return self._scalar(text, position)

    def _opened(self, text: str, position: int, mark: str) -> tuple[Node, int]:
        node = Node(mark)
        node.start = position
        inside = self._after_blank(text, position + 1)
        if text[inside : inside + 1] == ("}" if mark == "{" else "]"):
            node.source = text[position : inside + 1]
            inside += 1
        return node, inside

    def _scalar(self, text: str, position: int) -> tuple[Node, int]:
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
        """Hang a value into its parent; return whether that is complete, and where to continue."""
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
        value = found[1]
        return found.end(), self._unescaped(value) if "\\" in value else value

    def _unescaped(self, text: str) -> str:
        value = re.sub(r"\\(u[0-9a-fA-F]{4}|.)", self._escape, text, flags=re.DOTALL)
        # Halves of surrogate pairs that found no other half become question marks, as in Java.
        paired = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        return paired.encode("utf-8", "replace").decode()

    def _escape(self, found: re.Match[str]) -> str:
        code = found[1]
        if len(code) > 1:
            return chr(int(code[1:], 16))
        if code in _ESCAPES:
            return _ESCAPES[code]
        if code != "u" and (self._any_escape or (code == "'" and self._single)):
            return code
        raise MalformedJsonError(f"unknown escape {found[0]}")


class StrictNode:
    """A value in UTF-8; whether an object or array is strict JSON is found out when it is taken apart."""

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
        """The source text."""
        return self._raw.decode()

    @property
    def text(self) -> str:
        """The text of a string; empty for other values."""
        return _TEXT(self._raw) if self.kind == '"' else ""

    @property
    def fields(self) -> list[tuple[str, StrictNode]]:
        """The fields of an object."""
        return [(name, StrictNode(bytes(raw))) for name, raw in _FIELDS(self._raw).items()]

    @property
    def items(self) -> list[StrictNode]:
        """The elements of an array."""
        return [StrictNode(bytes(raw)) for raw in _ITEMS(self._raw)]

    def strict(self) -> str:
        """Return the value as JSON that every parser takes."""
        return self.source
