"""Whether a running stream reads the directory, table or topic in which a lesson's data lands.

A progress report describes a source of files or of a Delta table by its path: ``FileStreamSource[dbfs:/x]``.  It is
there already, so that asking costs no job and no plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streaming_classroom.files.directories import classroom_files

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

_AT_A_PATH = re.compile(r"(?:FileStreamSource|DeltaSource|CloudFilesSource)\[(.*)\]", re.DOTALL)
_WITHOUT_A_PATH = re.compile(r"(?:Rate|Kafka|TextSocket|Memory)\w*\[")
_WILDCARD = re.compile(r"[*?{\[]")


def reads(queries: Iterable[StreamingQuery], place: Path) -> bool | None:
    """Return whether one of the queries reads a directory or table, or a part of it.

    Returns
    -------
    bool or None
        None where that cannot be told: a query has reported nothing yet, or has a source of another kind.
    """
    answers = [_reads(source, place) for query in queries for source in _sources(query)]
    if True in answers:
        return True
    return None if None in answers else False


def short_name(query: StreamingQuery) -> str:
    """Return what a query reads in a word: a path's last part, else the kind of source; "" where it says nothing."""
    description = _sources(query)[0].get("description") or ""
    if found := _AT_A_PATH.fullmatch(description):
        return found[1].rstrip("/").rpartition("/")[2]
    kind = re.match(r"\w+", description)
    return kind[0] if kind else ""


def _sources(query: StreamingQuery) -> list[Mapping[str, Any]]:
    """Return what the query says of its sources; one that says nothing where it has not reported."""
    progress: Any = query.lastProgress or {}
    return progress.get("sources") or [{}]


def _reads(source: Mapping[str, Any], place: Path) -> bool | None:
    description = source.get("description") or ""
    if _WITHOUT_A_PATH.match(description):
        return False
    if not (found := _AT_A_PATH.fullmatch(description)):
        return None
    try:
        path = classroom_files().local_path(_WILDCARD.split(found[1])[0])
    except ValueError:  # of another file system
        return None
    return path == place or place in path.parents or path in place.parents
