"""The hidden column ``_metadata`` over Spark Connect, where no plan can be marked.

The frame that ``load`` returns has no such column.  A filter or a projection of it that names the column is made of the
same relation loaded with the column, and so are those that follow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from pyspark.sql.connect.dataframe import DataFrame

from pyspark_cloudfiles.layout import METADATA, is_file_metadata

_NAMED = re.compile(rf"\b{METADATA}\b")
_ITSELF = re.compile(rf"(Column<')?{METADATA}('>)?")
_STAR = re.compile(r"\*|Column<'unresolvedstar\(\)'>")


class FilesFrame(DataFrame):
    """A streaming frame that hides ``_metadata``.

    ``load_complete``: loads the same with the column as its last one.
    """

    def __init__(self, visible: Any, load_complete: Callable[[], Any]) -> None:
        super().__init__(visible._plan, visible._session)
        self._load_complete = load_complete

    def select(self, *columns: Any) -> DataFrame:
        return self._projected("select", columns)

    def selectExpr(self, *expressions: Any) -> DataFrame:
        return self._projected("selectExpr", expressions)

    def filter(self, condition: Any) -> DataFrame:
        return self._changed("filter", condition)

    where = filter

    def withColumns(self, *colsMap: Any) -> DataFrame:
        return self._changed("withColumns", *colsMap)

    def withColumn(self, colName: str, col: Any) -> DataFrame:
        return self._changed("withColumn", colName, col)

    def _projected(self, method: str, columns: tuple[Any, ...]) -> DataFrame:
        complete = self._complete_for(columns)
        if complete is None:
            return getattr(super(), method)(*columns)
        texts = list(_texts(columns))
        is_wanted = any(map(_ITSELF.fullmatch, texts))
        if is_wanted and any(map(_STAR.fullmatch, texts)):  # which has the column as its last one
            return getattr(complete, method)(*(column for column in columns if not _ITSELF.fullmatch(str(column))))
        rows = getattr(complete, method)(*columns)
        return rows if is_wanted else rows.drop(METADATA)

    def _changed(self, method: str, *arguments: Any) -> DataFrame:
        def changed() -> DataFrame:
            return getattr(self._load_complete(), method)(*arguments)

        is_named = self._complete_for(arguments) is not None
        visible = changed().drop(METADATA) if is_named else getattr(super(), method)(*arguments)
        return FilesFrame(visible, changed)

    def _complete_for(self, arguments: Any) -> DataFrame | None:
        """Return the frame with the column where the arguments name it and the data have none of that name."""
        if not any(map(_NAMED.search, _texts(arguments))):
            return None
        complete = self._load_complete()
        return complete if any(map(is_file_metadata, complete.schema.fields)) else None


def _texts(arguments: Any) -> Iterator[str]:
    """Yield the texts of columns and expressions in the arguments of a method."""
    if isinstance(arguments, dict):
        arguments = list(arguments.values())
    if isinstance(arguments, list | tuple):
        for argument in arguments:
            yield from _texts(argument)
    else:
        yield str(arguments)
