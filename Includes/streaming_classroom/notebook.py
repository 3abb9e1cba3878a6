"""Make a stock notebook understand what a Databricks notebook does.

The first line of every include calls :func:`set_up_notebook`.  On Databricks the platform has all of this and
keeps its own; only the waiting helpers are added.
"""

from __future__ import annotations

from typing import Any

from streaming_classroom import environment, history, lesson, waiting
from streaming_classroom.session import get_spark


def set_up_notebook(namespace: dict[str, Any]) -> None:
    """Put into ``namespace`` what a lesson's cells use: ``spark``, ``display``, ``%sql``, the waiting helpers.

    Parameters
    ----------
    namespace : dict
        An include passes its ``globals()``, which ``%run`` hands on to the notebook.
    """
    namespace.update(untilStreamIsReady=untilStreamIsReady, stopAllStreams=stopAllStreams)
    if environment.is_databricks():
        return
    from streaming_classroom import short_errors, sql_magic
    from streaming_classroom.views import display, displayHTML

    spark = get_spark()
    history.watch(spark)
    namespace.update(spark=spark, display=display, displayHTML=displayHTML)
    if (shell := environment.ipython()) is not None:
        sql_magic.install(shell)
        short_errors.install(shell)


def set_up_user(namespace: dict[str, Any]) -> None:
    """Put into ``namespace`` the variables that lessons without a ``DA`` expect.

    They are ``username``, ``userhome`` and ``workingDir``, a directory of one's own that exists.
    """
    from streaming_classroom import datasets, filesystem

    datasets.register()
    working_dir = f"{lesson.base_path()}/working_dir"
    filesystem.local_path(working_dir).mkdir(parents=True, exist_ok=True)
    namespace.update(username=lesson.username(), userhome=lesson.userhome(), workingDir=working_dir)


def untilStreamIsReady(name: str, min_batches: int = 2, timeout: float = 120) -> bool:
    """Return True when the stream is ready; the older spelling of ``DA.block_until_stream_is_ready``."""
    waiting.block_until_stream_is_ready(get_spark(), name, min_batches, timeout)
    return True


def stopAllStreams() -> None:
    """Stop every active stream and return when they are gone."""
    waiting.stop_streams(get_spark().streams.active)
