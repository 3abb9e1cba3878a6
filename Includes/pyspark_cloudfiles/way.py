"""A way from texts to values that Arrow goes as Spark does.

It names the texts by a regular expression.  Looking at each text costs more than converting it, so a way also has a
cheap look at a whole column and its values, which says yes only if all of it is well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc


class Way(NamedTuple):
    """A way from texts to values.

    Parameters
    ----------
    pattern : str
        A text that matches it is converted as Spark does it, or not at all.
    cast : callable
        Converts a column; raises ``pyarrow.ArrowInvalid`` if some text cannot be converted.
    vouches : callable
        Is given the texts and their values, and tells whether all were converted as Spark does it; False says nothing.
    """

    pattern: str
    cast: Callable[[pa.Array], pa.Array]
    vouches: Callable[[pa.Array, pa.Array], bool]


def at_least(values: pa.Array, least: int) -> bool:
    """Tell whether no date or timestamp is before a moment."""
    lowest = pc.min(values).cast(pa.int32() if pa.types.is_date32(values.type) else pa.int64()).as_py()
    return lowest is None or lowest >= least
