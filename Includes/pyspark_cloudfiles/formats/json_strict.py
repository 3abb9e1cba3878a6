"""Values of strict JSON, taken apart by msgspec, and only as far as somebody looks.

:class:`StrictNode` has the face of :class:`~pyspark_cloudfiles.formats.json_text.Node`, many times faster.
"""

from __future__ import annotations

import msgspec

from pyspark_cloudfiles.formats.json_text import MAX_NUMBER, Malformed

_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw]).decode
_TEXT = msgspec.json.Decoder(str).decode
_KINDS = {ord("{"): "{", ord("["): "[", ord('"'): '"', ord("t"): "b", ord("f"): "b", ord("n"): "n"}


class StrictNode:
    """A value in UTF-8; whether an object or array is strict JSON is found out when it is taken apart."""

    __slots__ = ("_raw", "kind")

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        kind = _KINDS.get(raw[0])
        if kind is None:
            kind = "f" if b"." in raw or b"e" in raw or b"E" in raw else "i"
            if len(raw) > MAX_NUMBER:
                raise Malformed("a number is too long")
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
