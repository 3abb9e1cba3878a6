"""``CREATE TEMP VIEW name AS SELECT ... FROM read_files(...)`` as a view of the query's frame.

Spark keeps the text of such a view and reads it again whenever the view is used; but the frame that a call was replaced
by is only known to the statement.  So the view is made of the query's frame, which Spark keeps as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark_cloudfiles.errors import InvalidOption

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_BLANK = r"(?:\s|--[^\n]*\n|/\*.*?\*/)"
_BEGIN = re.compile(
    rf"{_BLANK}*(?:(?P<cache>cache\b)|create{_BLANK}+(?P<replace>or{_BLANK}+replace{_BLANK}+)?"
    rf"(?P<everywhere>global{_BLANK}+)?temp(?:orary)?{_BLANK}+view{_BLANK}+)",
    re.IGNORECASE | re.DOTALL,
)
_NAME = re.compile(rf"(?P<name>\w+|`(?:[^`]|``)+`){_BLANK}+as\b", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class TemporaryView:
    """A view that a statement makes.

    Parameters
    ----------
    name : str
        Its name.
    start : int
        Where its query begins in the statement.
    replaces, everywhere : bool
        Whether it may replace another, and whether it is a global one.
    """

    name: str
    start: int
    replaces: bool = False
    everywhere: bool = False

    def of(self, frame: DataFrame) -> DataFrame:
        """Make the view of its query's frame; return what Spark does for such a statement, a frame of nothing."""
        kind = "GlobalTempView" if self.everywhere else "TempView"
        getattr(frame, f"create{'OrReplace' if self.replaces else ''}{kind}")(self.name)
        return frame.sparkSession.range(0).select()


def temporary_view(text: str) -> TemporaryView | None:
    """Return the view that a statement with calls makes, None where it makes none.

    Raises
    ------
    InvalidOption
        The statement would keep its text, and says more than this package reads.
    """
    begin = _BEGIN.match(text)
    if begin is None:
        return None
    name = None if begin["cache"] else _NAME.match(text, begin.end())
    if name is None:
        raise InvalidOption(
            "With read_files, write CREATE OR REPLACE TEMP VIEW name AS SELECT ..., without columns, comment or IF NOT "
            "EXISTS; and CACHE TABLE for that view."
        )
    plain = name["name"].strip("`").replace("``", "`")
    return TemporaryView(plain, name.end(), begin["replace"] is not None, begin["everywhere"] is not None)
