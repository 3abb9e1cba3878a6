"""``set_up_notebook``: gives a stock notebook what a Databricks notebook has.

The first line of every include calls :func:`set_up_notebook`; ``%load_ext streaming_classroom`` does the same for a
notebook without an include.  On Databricks the platform has all of this and keeps its own; only the waiting helpers
are added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import declarative_pipelines
from streaming_base import front_end, listener, waiting
from streaming_base.errors import StreamNotFound, short_message
from streaming_classroom import environment, kernel_start
from streaming_classroom.data import data_factory, datasets
from streaming_classroom.files.directories import classroom_files
from streaming_classroom.lesson import lesson, page, storage
from streaming_classroom.session import cluster, repeated_starts
from streaming_classroom.session.spark_session import get_spark

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

    from notebook_dialect import Dialect

_dialect: Dialect | None = None
# What the set-up cells of lessons define beside what every notebook of the dialect has.
_SET_UP_NAMES = ("DA", "untilStreamIsReady", "stopAllStreams", "workingDir", "userhome", "username")
_ANSI_HINT = (
    f"ANSI mode makes this an error; older clusters give NULL. For a notebook made for them: {environment.ANSI}=off in "
    "the environment, or spark.conf.set('spark.sql.ansi.enabled', False)."
)


def set_up_notebook(namespace: dict[str, Any], guest: bool = False) -> None:
    """Define the names that a lesson's cells use: ``spark``, ``display``, ``dbutils``, the waiting helpers.

    In a notebook, the dialect's magics (``%sql``, ``%run``, ``%fs`` ...) are registered as well.

    Parameters
    ----------
    namespace : dict
        An include passes its ``globals()``, which ``%run`` passes on to the notebook.
    guest : bool
        Whether the notebook is not the course's own: it may choose its ANSI mode (``CLASSROOM_ANSI``).
    """
    namespace.update(untilStreamIsReady=untilStreamIsReady, stopAllStreams=stopAllStreams)
    if environment.is_databricks():
        if repeated_starts.is_needed() and "display" in namespace:
            namespace["display"] = repeated_starts.wrap_display(namespace["display"])
            data_factory.after_landing[:] = [repeated_starts.show_again]
        return
    from notebook_dialect import Dialect  # on Databricks nothing of it is loaded

    global _dialect
    with page.show_step("Connecting to Spark ..." if environment.remote_url() else "Starting Spark ..."):
        kernel_start.take_over_early_start()
        spark = get_spark(environment.guest_conf() if guest else None)
        listener.watch(spark)
        if _dialect is None or _dialect.files != classroom_files():
            _dialect = Dialect(classroom_files(), get_spark, storage.username, python_paths=True)
            _dialect.set_up_names += _SET_UP_NAMES
        if guest:
            _dialect.ansi_hint = _ANSI_HINT
        _dialect.stopping_all = f"{stopAllStreams.__name__}()"
        _dialect.fill(namespace, spark)
        _dialect.install(namespace, front_end.ipython())
        declarative_pipelines.install_when_imported()
        details = cluster.summary(spark) if environment.spark_place() == "on a cluster" else ""
    page.show_end("Spark is ready", details)


def set_up_user(namespace: dict[str, Any]) -> None:
    """Define the variables that lessons without a ``DA`` expect: ``username``, ``userhome``, ``workingDir``.

    The last two are directories of ``dbfs:/``, so they are missing where the files of lessons are in volumes.
    """
    if storage.volume_catalog(get_spark()) is not None:
        namespace.update(username=storage.username())
        return
    datasets.register()
    working_dir = storage.make_working_dir()
    namespace.update(username=storage.username(), userhome=storage.userhome(), workingDir=working_dir)


def cleanup() -> None:
    """Clean up the lesson that this kernel has open, and the ``workingDir`` that :func:`set_up_user` has made."""
    lesson.cleanup()
    if storage.has_working_dir():
        waiting.stop_streams(waiting.active_streams(get_spark()))
        print(f"Removed {storage.remove_working_dir()}.")


def untilStreamIsReady(name: str, min_batches: int = 2, timeout: float = 120) -> bool:
    """Wait until the stream is ready and say so; of one that is not active, say that and let the notebook continue.

    Returns
    -------
    bool
        Whether the stream is ready.

    Raises
    ------
    StreamingQueryException
        The stream failed while it was waited for.
    StreamTimeout
        The deadline passed; the message has the stream's last status.
    """
    spark = get_spark()
    try:
        query = waiting.find_stream(spark, name)
    except StreamNotFound as error:
        print(error)
        return False
    except Exception as error:  # what it failed with
        print(f"The stream {name} is not active; it failed: {short_message(error).splitlines()[0]}")
        return False
    repeated_starts.run_again(query)
    waiting.block_until_stream_is_ready(spark, query, min_batches, timeout)
    print(f"The stream {name} is active and ready." if query.isActive else f"The stream {name} has ended.")
    return True


def stopAllStreams() -> None:
    """Stop every active stream; of each, print that it is being stopped and then that it was.

    Raises
    ------
    StreamTimeout
        One had not stopped within a minute; the others were stopped.
    """
    queries = sorted(waiting.active_streams(get_spark()), key=_name)
    errors: list[Exception] = []
    for query in queries:
        print(f"Stopping the stream {_name(query)} ... ", end="", flush=True)
        try:
            waiting.stop_stream(query)
            print("stopped.")
        except Exception as error:
            print("failed.")
            errors.append(error)
    if not queries:
        print("No stream is active.")
    if errors:
        raise errors[0]


def _name(query: StreamingQuery) -> str:
    return query.name or f"without a name, id {query.id}"
