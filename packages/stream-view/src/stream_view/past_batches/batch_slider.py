"""``step_through(checkpoint, query)``: a slider over a checkpoint's batches, and what each read, kept and wrote."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from stream_view import front_end
from stream_view.errors import short_message
from stream_view.past_batches.checkpoint_log import checkpoint_log
from stream_view.past_batches.replayed_batch import ReplayedBatch, replay
from stream_view.tables import first_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import StreamingQuery

SHOWN = 20  # rows of each part
_NONE_YET = "–"


def step_through(checkpoint: str, query: StreamingQuery | DataFrame, output_mode: str | None = None) -> None:
    """Show the batches of a checkpoint one at a time: a person moves a slider, without one the last batch is shown.

    Parameters
    ----------
    checkpoint : str
        The folder, which is only read.
    query : StreamingQuery or DataFrame
        The query or its frame, as :func:`replay` takes it.
    output_mode : str, optional
        Of a frame: ``append`` by default.

    Raises
    ------
    NotACheckpoint, NoSuchBatch, NotAvailable, CannotBeRead
        As :func:`replay`.
    """
    from IPython.display import HTML, display
    from pyspark.sql import SparkSession

    log = checkpoint_log(SparkSession.active(), checkpoint)
    there = log.replayable
    newest = there[-1] if there else max(log.batches)
    last = replay(checkpoint, newest, query, output_mode)
    if not front_end.is_interactive():
        display(HTML(page_of(last)))
        return
    import ipywidgets  # which takes a second, and without a person is not needed

    page = ipywidgets.HTML(page_of(last))
    slider = ipywidgets.SelectionSlider(options=there, value=newest, description="batch", continuous_update=False)

    def show(change: dict) -> None:
        slider.disabled = True
        try:
            page.value = page_of(replay(checkpoint, change["new"], query, output_mode))
        finally:
            slider.disabled = False

    slider.observe(show, "value")
    display(ipywidgets.VBox([slider, page]))


def page_of(batch: ReplayedBatch) -> str:
    """Return what a batch read, kept and wrote as HTML; in place of what cannot be told, why."""
    logged, before = batch.logged, batch.before
    starts = before.offsets if before is not None else [None] * len(logged.offsets)
    spans = [f"{start or _NONE_YET} → {end or _NONE_YET}" for start, end in zip(starts, logged.offsets, strict=False)]
    ended = "committed" if batch.is_committed else "not committed"
    head = f"<h4>Batch {batch.number}, {ended}</h4><p>{'<br>'.join(map(escape, spans))}</p>"
    return head + "".join(_part(title, batch, name) for title, name in _PARTS)


_PARTS = (
    ("input", "inputs"), ("state before", "state_before"), ("state after", "state_after"), ("output", "output")
)  # fmt: skip


def _part(title: str, batch: ReplayedBatch, name: str) -> str:
    try:
        found = getattr(batch, name)
        frames = (
            found if isinstance(found, dict) else dict(enumerate(found)) if isinstance(found, list) else {"": found}
        )
        return "".join(_table(f"{title} {key}".rstrip(), frame) for key, frame in frames.items())
    except Exception as error:  # the other parts are shown all the same
        return f"<p><strong>{escape(title)}</strong>: {escape(short_message(error).splitlines()[0])}</p>"


def _table(title: str, frame: DataFrame) -> str:
    return f"<p>{first_rows(frame, SHOWN).to_html(title)}</p>"
