"""A warning for streams whose file log is not kept with their checkpoint.

A stream without ``cloudFiles.schemaLocation`` keeps its log in the home of who runs the planner.  Where its checkpoint
is in a store, a start on another machine has the one without the other.  Only the writer of a query knows the
checkpoint, so it is the writer that looks, in classic sessions and over Spark Connect.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import wraps
from typing import Any

import spark_hooks
from pyspark_cloudfiles import driver_warnings
from pyspark_cloudfiles.errors import CloudFilesError
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.filesystems.mounts import mounted
from pyspark_cloudfiles.option_names import PREFIX
from pyspark_cloudfiles.session.session_options import setting_of
from pyspark_cloudfiles.shipping import PACKAGE

_CHECKPOINT = "_cloudfiles_checkpoint"
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1", "[::1]")
_SETTING = "spark.sql.streaming.checkpointLocation"
# Whether this process has loaded a stream without a schema location: most have not, and look at nothing.
_any_without = False


def note_load(options: dict[str, str]) -> None:
    """Note with which options, keys in lower case, a stream was loaded."""
    global _any_without
    _any_without = _any_without or not options.get(f"{PREFIX}schemalocation")


def is_on_this_machine(host: str) -> bool:
    """Tell whether the server of a session over Spark Connect is on this machine."""
    return host in _THIS_MACHINE


def install(writer: type) -> None:
    """Teach a class of stream writers, the classic one or Spark Connect's."""
    hooks = {
        "option": _remembering,
        "options": _remembering_all,
        "start": _warning_before,
        "toTable": _warning_before,
    }
    for method, make in hooks.items():
        why = "a warning where a stream's file log is not kept with its checkpoint"
        spark_hooks.wrap(writer, method, make, by=PACKAGE, layer="source", why=why)


def _remembering(option: Any) -> Any:
    @wraps(option)
    def remembering_option(self: Any, key: str, value: Any) -> Any:
        _note(self, {key: value})
        return option(self, key, value)

    return remembering_option


def _remembering_all(options: Any) -> Any:
    @wraps(options)
    def remembering_options(self: Any, **given: Any) -> Any:
        _note(self, given)
        return options(self, **given)

    return remembering_options


def _note(writer: Any, given: dict[str, Any]) -> None:
    for key, value in given.items():
        if isinstance(key, str) and key.lower() == "checkpointlocation":
            setattr(writer, _CHECKPOINT, value)


def _warning_before(original: Any) -> Any:
    @wraps(original)
    def warning(self: Any, *args: Any, **kwargs: Any) -> Any:
        _note(self, kwargs)
        if _any_without:
            _warn(self)
        return original(self, *args, **kwargs)

    return warning


def _warn(writer: Any) -> None:
    session = _session_of(writer)
    checkpoint = getattr(writer, _CHECKPOINT, None) or session.conf.get(_SETTING, None)
    if not checkpoint:
        return
    with mounted(setting_of(session, "mounts")):
        folder = _folder(session) if _is_remote(str(checkpoint)) else None
    if folder is not None and any(_lacks_location(options) for options in _sources(writer)):
        driver_warnings.warn(
            f"The list of the files that this stream has read is kept in {folder}, apart from its checkpoint "
            f"{checkpoint}: set the option cloudFiles.schemaLocation, to the checkpoint for instance, so that the "
            "stream can be started on another machine."
        )


def _is_remote(url: str) -> bool:
    try:
        return filesystem.local_path(url) is None
    except CloudFilesError:  # it is no path, which Spark says
        return False


def _folder(session: Any) -> str | None:
    """Return where the log is; None where that is a store as well, or was told when the stream was loaded."""
    from pyspark_cloudfiles.log.file_log import state_directory  # a session without such streams does without

    if hasattr(session, "_jvm"):
        state = setting_of(session, "state") or state_directory()
        return None if _is_remote(state) else filesystem.canonical(state)
    return "~/.pyspark_cloudfiles of the server's user" if is_on_this_machine(session.client.host) else None


def _session_of(writer: Any) -> Any:
    return vars(writer).get("_session") or writer._df.sparkSession


def _lacks_location(options: dict[str, str]) -> bool:
    keys = {key.lower() for key, value in options.items() if value}
    return f"{PREFIX}format" in keys and f"{PREFIX}schemalocation" not in keys


def _sources(writer: Any) -> Iterator[dict[str, str]]:
    """Yield the options of the sources that a writer's query reads."""
    if "_write_stream" in vars(writer):
        yield from _sources_of_connect(writer._write_stream)
        return
    from pyspark_cloudfiles.session.hidden_metadata import elements  # a session over Connect does without

    for leaf in elements(writer._df._jdf.queryExecution().analyzed().collectLeaves()):
        if leaf.getClass().getSimpleName() == "StreamingRelationV2":
            options = leaf.extraOptions()
            yield {key: options.get(key) for key in (f"{PREFIX}format", f"{PREFIX}schemalocation")}


def _sources_of_connect(plan: Any) -> Iterator[dict[str, str]]:
    from pyspark.sql.connect.plan import DataSource, LogicalPlan  # which needs grpc

    if isinstance(plan, DataSource):
        yield dict(plan._options or {})
    for child in vars(plan).values():
        if isinstance(child, LogicalPlan):
            yield from _sources_of_connect(child)
