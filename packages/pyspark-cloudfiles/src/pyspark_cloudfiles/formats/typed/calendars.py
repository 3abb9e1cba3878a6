"""Dates and timestamps of files that were written in the hybrid calendar, as days of Spark's proleptic one.

Spark 2 and Hive count days before 1582-10-15 by the Julian calendar, and so do Spark 3 and 4 in the mode ``LEGACY``.
The metadata of such a file says so; otherwise the option ``datetimeRebaseMode`` or ``int96RebaseMode`` decides, as for
Spark's readers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pyspark_cloudfiles.errors import InvalidOption, UnreadableFile
from pyspark_cloudfiles.filesystems.files import SourceFile

MODES = ("CORRECTED", "LEGACY", "EXCEPTION")
_VERSION, _ZONE = b"org.apache.spark.version", b"org.apache.spark.timeZone"  # as Spark's writers note them
# Option of the reader, first release whose files may be proleptic, and the note of a later file that is hybrid.
DATETIME = ("datetimerebasemode", "3.0.0", b"org.apache.spark.legacyDateTime")
INT96 = ("int96rebasemode", "3.1.0", b"org.apache.spark.legacyINT96")
_NAMES = {"datetimerebasemode": "datetimeRebaseMode", "int96rebasemode": "int96RebaseMode"}
# The first day, and the first year's moment, from which the calendars and the zones' clocks agree.
_GREGORIAN = -141_427  # 1582-10-15
_DAY = 86_400_000_000
_PLAIN_CLOCKS = -2_208_988_800_000_000  # 1900-01-01 in UTC
_UTC = (b"UTC", b"Etc/UTC", b"GMT", b"Z")


@dataclass(frozen=True)
class Calendar:
    """The calendar of a file's dates and timestamps.

    In the mode CORRECTED they are proleptic, in LEGACY hybrid; in EXCEPTION their calendar is unknown, so ancient
    ones are an error.  ``option`` decides if the file does not; ``zone`` is the time zone of hybrid timestamps.
    """

    mode: str
    option: str
    zone: bytes = b"UTC"

    def dates(self, array: pa.Array, file: SourceFile) -> pa.Array:
        """Return dates in the proleptic calendar; raise UnreadableFile for ancient ones of an unknown calendar."""
        days = array.cast(pa.date32()).cast(pa.int32())
        if self.mode == "CORRECTED" or not _has_before(days, _GREGORIAN):
            return array
        if self.mode == "EXCEPTION":
            raise self._ambiguous(file, "a date before 1582-10-15")
        return _changed(days, proleptic).cast(pa.date32())

    def timestamps(self, array: pa.Array, file: SourceFile) -> pa.Array:
        """Return timestamps in the proleptic calendar; refuse ancient ones, unless hybrid and in UTC."""
        if self.mode == "CORRECTED":
            return array
        micros = array.cast(pa.timestamp("us", array.type.tz), safe=False).cast(pa.int64())
        if not _has_before(micros, _PLAIN_CLOCKS):
            return array
        if self.mode == "EXCEPTION":
            raise self._ambiguous(file, "a timestamp before 1900-01-01")
        if self.zone not in _UTC:
            raise UnreadableFile(
                file.url,
                f"it has a timestamp before 1900-01-01 of the hybrid calendar in the time zone {self.zone.decode()}, "
                "and only those in UTC are read here. Write it again with Spark, in the CORRECTED mode.",
            )

        def convert(numbers: np.ndarray) -> np.ndarray:
            day = numbers // _DAY
            return numbers + np.where(day < _GREGORIAN, (proleptic(day) - day) * _DAY, 0)

        return _changed(micros, convert).cast(pa.timestamp("us", array.type.tz))

    def _ambiguous(self, file: SourceFile, value: str) -> UnreadableFile:
        return UnreadableFile(
            file.url,
            f"[INCONSISTENT_BEHAVIOR_CROSS_VERSION.READ_ANCIENT_DATETIME] it has {value}, and does not say by which "
            f"calendar. Set the option {_NAMES[self.option]} to LEGACY if it was written by Spark 2 or Hive, and to "
            "CORRECTED otherwise.",
        )


#: Of ORC files: Spark writes hybrid dates into them, and reads all of them as hybrid.
HYBRID = Calendar("LEGACY", "")


def file_calendar(
    metadata: Mapping[bytes, bytes], options: Mapping[str, str], kind: tuple[str, str, bytes] = DATETIME
) -> Calendar:
    """Return the calendar of a file's dates and timestamps, or for INT96 of its timestamps of 96 bits."""
    option, since, note = kind
    mode = options.get(option, "CORRECTED").upper()
    if mode not in MODES:
        raise InvalidOption(f"{_NAMES[option]} is {mode!r}. Choose one of {', '.join(MODES)}.")
    version = metadata.get(_VERSION)
    if version is not None:
        mode = "LEGACY" if version.decode() < since or note in metadata else "CORRECTED"
    return Calendar(mode, option, metadata.get(_ZONE, b"UTC"))


def proleptic(days: np.ndarray) -> np.ndarray:
    """Return the days since the epoch of the dates with the same year, month and day in the proleptic calendar."""
    julian = days.astype(np.int64) + 2_472_670  # since the 1st of March of the year -4800
    year = (4 * julian + 3) // 1461
    # From March on, all years have the same days; a day that only the Julian calendar has is the 1st of March.
    rest = julian - 1461 * year // 4
    return rest + 365 * year + year // 4 - year // 100 + year // 400 - 2_472_632


def _has_before(values: pa.Array, first: int) -> bool:
    lowest = pc.min(values).as_py()
    return lowest is not None and lowest < first


def _changed(values: pa.Array, change: Callable[[np.ndarray], Any]) -> pa.Array:
    """Apply a change to integers that are not NULL; Gregorian dates stay."""
    numbers = values.fill_null(0).to_numpy(zero_copy_only=False)
    found = change(numbers)
    if values.type == pa.int32():
        found = np.where(numbers < _GREGORIAN, found, numbers)
    return pa.array(found.astype(numbers.dtype), values.type, mask=values.is_null().to_numpy(zero_copy_only=False))
