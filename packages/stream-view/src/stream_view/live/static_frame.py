"""The static frame of a view: a plain table, with sorting and a chart where scripts run.

It needs no kernel, so it is what a saved notebook holds.  Without the script (a code-hosting site's preview, mail, a
notebook that is not trusted) it is the table and nothing is missing but the comfort.

If the user named the query, its table of that name is left alone and may grow.  A table that nobody
knows of is emptied from time to time: the view keeps the rows that it shows, and nothing else.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache, cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from stream_view.live.widgets import STREAM_PARTS, STYLE, script_without_widget
from stream_view.tables import SHOWN_ROWS, Table, first_rows, newest_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

EMPTY_INTERVAL = 5.0  # seconds
LARGE = 1_000_000  # rows of a memory table, which are rows in the driver's memory
TRIES = 10  # to read rows while no batch ends; each takes milliseconds


class ShownRows:
    """The rows of a display query, in its memory table.

    In ``complete`` mode they are shown from the first on, in other modes the newest first; ``promised`` is whether the
    user named the table.
    """

    def __init__(self, spark: SparkSession, query: StreamingQuery, output_mode: str, promised: bool) -> None:
        self._spark = spark
        self._query = query
        self._is_whole = output_mode == "complete"
        self._promised = promised
        self._kept: tuple[tuple[str | None, ...], ...] = ()
        self._emptied = time.monotonic()
        self._emptied_at = -1  # the batch after which it was

    def read(self, reported: Callable[[], int]) -> tuple[int, Table]:
        """Return the rows to show now and their batch, or -1 before the first one.

        ``reported`` returns the last reported batch.  Over Connect nothing else is known, and rows of a batch whose
        report is still on its way may be among those of the previous one.
        """
        if self._sink is None:
            batch, memory = reported(), self._spark.table(f"`{self._query.name}`")
            return batch, first_rows(memory) if self._is_whole else newest_rows(memory)
        batch, memory = self._of_one_batch(self._sink)
        if self._is_whole:
            return batch, first_rows(memory)
        table = newest_rows(memory)
        if self._promised:
            return batch, table
        rows = (*table.rows, *self._kept)
        table = replace(table, rows=rows[:SHOWN_ROWS], cut=table.cut or len(rows) > SHOWN_ROWS)
        self._empty(table, batch)
        return batch, table

    def _of_one_batch(self, sink: Any) -> tuple[int, DataFrame]:
        """Return the newest or first rows of the sink as a frame, and their batch."""
        for _ in range(TRIES):
            before = _latest_batch(sink)
            rows = sink.allData()
            if _latest_batch(sink) == before:
                break
        batch = self._emptied_at if before is None else before
        some = rows.take(SHOWN_ROWS + 1) if self._is_whole else rows.takeRight(SHOWN_ROWS + 1)
        return batch, self._frame(some)

    def _frame(self, rows: Any) -> DataFrame:
        from pyspark.sql.classic.dataframe import DataFrame

        listed = self._spark._jvm.scala.jdk.javaapi.CollectionConverters.asJava(rows)
        return DataFrame(self._spark._jsparkSession.createDataFrame(listed, self._schema), self._spark)

    @cached_property
    def _sink(self) -> Any:
        """Spark's sink, or None over Connect, where it is on the server."""
        wrapper = getattr(self._query, "_jsq", None)
        return None if wrapper is None else wrapper.streamingQuery().sink()

    @cached_property
    def _schema(self) -> Any:
        return self._spark.table(f"`{self._query.name}`")._jdf.schema()

    def warning(self) -> str:
        """Return a warning about the size of the promised table, or an empty string."""
        if not self._promised or self._is_whole or self._sink is None:
            return ""
        rows = self._sink.allData().size()
        return f"the table {self._query.name} holds {rows:,} rows in memory" if rows >= LARGE else ""

    def _empty(self, table: Table, batch: int) -> None:
        """Drop the rows that Spark keeps, unless newer ones have come since the last read."""
        if time.monotonic() - self._emptied < EMPTY_INTERVAL or not table.cut or _latest_batch(self._sink) != batch:
            return
        self._sink.clear()
        self._kept, self._emptied, self._emptied_at = table.rows, time.monotonic(), batch


def _latest_batch(sink: Any) -> int | None:
    """Return the last batch that a sink has; None where it has none, or was emptied since."""
    latest = sink.latestBatchId()
    return int(latest.get()) if latest.isDefined() else None


_bringer: tuple[str | None, str | None] | None = None  # the cell of this kernel's notebook whose output has the script

_COMMENT = re.compile(r"^\s*//.*|\s// [^\"'`]*$")  # what follows a quotation mark may be text


def interactive_html(
    table: Table, title: str = "", error: str = "", with_script: bool = True, view: str = "Table"
) -> str:
    """Return the table as HTML that is complete without scripts, and sorts and draws itself with them.

    ``error`` shows its first line, the rest unfolds; ``with_script`` includes the script, see :func:`brings_script`.
    ``view`` is the tab that the script opens.
    """
    script = f"<script>{_library() if with_script else ''}{_CALL}</script>"
    return (
        f'{_error_box(error)}<div class="sc-static" data-sc-open="{escape(view)}">{table.to_html(title)}</div>{script}'
    )


def _error_box(error: str) -> str:
    if not error:
        return ""
    first, _, rest = error.partition("\n")
    more = f"<details><summary>all of the message</summary><pre>{escape(rest)}</pre></details>" if rest.strip() else ""
    style = "border-left:4px solid #D55E00;padding:4px 10px;margin-bottom:8px;overflow-wrap:anywhere"
    return f'<div role="alert" style="{style}"><strong>{escape(first)}</strong>{more}</div>'


def brings_script(cell: tuple[str | None, str | None]) -> bool:
    """Whether a frame of a cell must include the script, which a notebook needs once.

    The first cell that shows a frame includes it, and again whenever it is run again, which removes the earlier output.
    If the front end does not identify the cell, every frame includes its own.
    """
    global _bringer
    name, _run = cell
    if name is None:
        return True
    if _bringer is not None and (_bringer[0] != name or _bringer == cell):
        return False
    _bringer = cell
    return True


@cache
def _library() -> str:
    """Return the script, which defines its functions for later frames and draws the present ones."""
    # Each saved notebook has it, so it comes without comments and indentation.
    lines = (_COMMENT.sub("", line).strip() for line in script_without_widget(STREAM_PARTS).splitlines())
    library = "\n".join(filter(None, lines))
    style = json.dumps(re.sub(r"/\*.*?\*/|\s*([{};])\s*", r"\1", STYLE))
    add = f"document.head.append(Object.assign(document.createElement('style'), {{textContent: {style}}}));"
    draw = "document.querySelectorAll('.sc-static').forEach((root) => streamView.enhance(root));"
    script = f"{library}\nwindow.streamViewOfFrames = streamView;{add}{draw}"
    return f"(() => {{if (window.streamViewOfFrames) return;{script}}})();".replace("</", "<\\/")


# The front end may not have put the output into the page yet, so the script looks for its own neighbour.
_CALL = (
    "(() => {const here = document.currentScript?.previousElementSibling;"
    "for (const root of here?.matches('.sc-static') ? [here] : document.querySelectorAll('.sc-static')) "
    "window.streamViewOfFrames?.enhance(root);})();"
)
