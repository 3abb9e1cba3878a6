"""Lines that bring nothing new to an inferred type, recognised without looking at their values one by one.

Almost all lines of a file look like those before them.  For the type found so far a decoder is made that takes exactly
the lines which that type covers already; a line that it takes cannot change the type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
from pyspark.sql import types as T

_MOST_REFUSALS = 1000
_LONG = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class Covered:
    """Tells whether a line is covered by the type found so far.

    Parameters
    ----------
    found : callable
        Returns that type, as :mod:`pyspark_cloudfiles.formats.json_infer` keeps it.
    """

    def __init__(self, found: Callable[[], Any]) -> None:
        self._found = found
        self._decode: Callable[[bytes], Any] | None = None
        self._refused, self._allowed = 0, 1

    def takes(self, line: bytes) -> bool:
        """Return True only if the type stays as it is; False says nothing."""
        if self._decode is not None:
            try:
                line.decode()
                self._decode(line)
            except (msgspec.DecodeError, ValueError, RecursionError):
                pass
            else:
                return True
        self._renew()
        return False

    def _renew(self) -> None:
        """Make a decoder for the type as it is now, ever more rarely: lines may differ from each other for ever."""
        self._refused += 1
        if self._refused >= self._allowed:
            self._refused, self._allowed = 0, min(2 * self._allowed, _MOST_REFUSALS)
            try:
                self._decode = msgspec.json.Decoder(_taking(self._found())).decode
            except TypeError:
                self._decode = None


def _taking(found: Any) -> Any:
    """Return the type, in msgspec's words, of the values that ``found`` covers.

    Raises
    ------
    TypeError
        Which values it covers cannot be said in such words.
    """
    if isinstance(found, dict):
        return _struct(found) | None
    if isinstance(found, list):
        return list[_taking(found[0])] | None  # type: ignore[misc]
    if isinstance(found, T.StringType):
        return msgspec.Raw  # everything merges into a STRING
    taken = _TAKEN.get(type(found))
    if taken is None:
        raise TypeError(found)
    return taken


_TAKEN: dict[type, Any] = {
    T.LongType: _LONG | None,
    T.DoubleType: float | None,
    T.BooleanType: bool | None,
    T.NullType: Literal[""] | None,  # an empty text is as good as none
}


def _struct(found: dict[str, Any]) -> Any:
    fields = [(f"f{number}", _taking(inner), msgspec.UNSET) for number, inner in enumerate(found.values())]
    names = {f"f{number}": name for number, name in enumerate(found)}
    return msgspec.defstruct("Covered", fields, rename=names, forbid_unknown_fields=True)
