"""Bad records and bad files, written below ``badRecordsPath``.

They are lines of JSON below ``<badRecordsPath>/<time of the start>/``, in files of ``bad_records``, with ``path``,
``record`` and ``reason``, and of ``bad_files``, with ``path`` and ``reason``.  As on Databricks this is not
transactional: a task that is tried again writes them again, and a file that could not be opened for a moment is bad.
"""

from __future__ import annotations

import json
import time
import uuid

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.filesystems import filesystem, globs
from pyspark_cloudfiles.options import Options

# So much text waits to be written; more is not kept in memory.
_WAITING = 8 * 1024 * 1024


def directory_of(options: Options) -> str | None:
    """Return where a query that starts now puts what is bad, or None where nobody wants it."""
    if options.bad_records_path is None:
        return None
    started = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    return f"{filesystem.canonical(options.bad_records_path)}/{started}"


def refuse_path_in_source(options: Options) -> None:
    """Raise InvalidOption where what is bad would be found as new files."""
    path = filesystem.canonical(options.path)
    source = globs.base_of(path) if globs.is_glob(path) else path
    if f"{filesystem.canonical(options.bad_records_path or '')}/".startswith(f"{source}/"):
        raise InvalidOption(
            f"badRecordsPath {options.bad_records_path} is in the source directory, where its files would be read. "
            "Choose a directory outside."
        )


class BadRecords:
    """What a task found.

    Parameters
    ----------
    directory : str
        See :func:`directory_of`.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._records: dict[str, list[str]] = {}
        self._files: dict[str, str] = {}
        self._size = 0

    def record(self, path: str, text: str, reason: str) -> None:
        """Note a record."""
        line = json.dumps({"path": path, "record": text, "reason": reason}, ensure_ascii=False)
        self._records.setdefault(path, []).append(line)
        self._size += len(line)
        if self._size > _WAITING:
            self.write()

    def file(self, path: str, reason: str) -> None:
        """Note a file, whose bad records do not matter any more."""
        self.forget(path)
        self._files[path] = json.dumps({"path": path, "reason": reason}, ensure_ascii=False)

    def forget(self, path: str) -> None:
        """Drop the notes of a file, which is read once more from its beginning."""
        self._records.pop(path, None)

    def write(self) -> None:
        """Write what was noted."""
        self._put("bad_records", [line for lines in self._records.values() for line in lines])
        self._put("bad_files", list(self._files.values()))
        self._records, self._files, self._size = {}, {}, 0

    def _put(self, kind: str, lines: list[str]) -> None:
        if lines:
            data = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
            filesystem.write_atomically(f"{self._directory}/{kind}/part-{uuid.uuid4()}", data)
