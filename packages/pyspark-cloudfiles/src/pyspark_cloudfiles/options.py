"""The options of a stream: their values, and the checks of their combinations.

Spark hands a data source its options as text with keys in lower case.  :func:`parse` makes one checked value of them;
which names there are is in :mod:`.option_names`.  What Auto Loader refuses is refused here as well, with the same
condition, so that a program that runs here is not stopped by its options there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, overload

from pyspark_cloudfiles import reader_settings
from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.filesystems import urls
from pyspark_cloudfiles.option_names import INTERNAL, PREFIX, check_names

DAY = 24 * 3600
EVOLUTION_MODES = ("addNewColumns", "addNewColumnsWithTypeWidening", "rescue", "failOnNewColumns", "none")
LISTING = ("auto", "true", "false")
CLEANING = ("OFF", "DELETE", "MOVE")
MODES = ("PERMISSIVE", "DROPMALFORMED", "FAILFAST")

# Settings of the session that a data source cannot see, by what the wrapper calls them: how much inference looks at,
# and where files are.
SETTINGS = {
    "mounts": urls.SETTING,
    "state": "spark.cloudFiles.state",
    "samplebytes": "spark.databricks.cloudFiles.schemaInference.sampleSize.numBytes",
    "samplefiles": "spark.databricks.cloudFiles.schemaInference.sampleSize.numFiles",
}


@dataclass(frozen=True)
class Options:
    """The checked options of one stream.

    Parameters
    ----------
    format : str
        As the user wrote it.
    path : str
        The directory, file or glob to read.
    evolution_mode : str or None
        One of ``EVOLUTION_MODES``; None where the user did not choose, which means ``addNewColumns`` for an inferred
        schema and ``none`` for a given one.
    max_files, max_bytes : int or None
        Limits of a micro-batch; None: no such limit.
    partition_columns : list of str or None
        Names of the directories' keys to read; None: those that the path has.
    incremental_listing : str
        Whether stores may be asked only for names behind the last; one of ``LISTING``.
    reader_case_sensitive : bool or None
        Whether a column in another case is another column; None where the user did not choose.
    session_case_sensitive : bool
        The session's ``spark.sql.caseSensitive``.
    retention : float
        Seconds between the commit of a file and its cleaning.
    single_variant_column : str or None
        The one column, a VARIANT, that takes whole records; None: their fields are columns.
    bad_records_path : str or None
        Where to keep malformed records and unreadable files, which are then passed over.
    timezone, machine_timezone : str or None
        Of the session, and of the machine; None: as the process has it.
    format_options : dict
        What the file format reads, keys in lower case.
    parallelism : int or None
        Into how many partitions to group files; None: as many as this machine has cores.
    hidden_metadata : bool
        Whether to add the ``_metadata`` column, which our wrapper of ``load`` then hides.
    sample_files, sample_bytes : int
        How much a schema is inferred from: the first files, until one of the two is reached.
    batch : bool
        Whether the files are read once, for ``read_files``.
    inferred : bool
        Whether the schema that comes with the options is the one that was inferred for them, not the user's.
    mounts : str or None
        Local directories that URL prefixes stand for; see :mod:`pyspark_cloudfiles.filesystems.urls`.
    state : str or None
        Where to keep the file log of a stream without a schema location; None: as the process's environment says.
    """

    format: str
    path: str
    schema_location: str | None = None
    infer_column_types: bool = False
    schema_hints: str | None = None
    evolution_mode: str | None = None
    max_files: int | None = 1000
    max_bytes: int | None = None
    include_existing_files: bool = True
    partition_columns: list[str] | None = None
    allow_overwrites: bool = False
    strict_globber: bool = False
    incremental_listing: str = "auto"
    clean_source: str = "OFF"
    retention: float = 30 * DAY
    move_destination: str | None = None
    ignore_corrupt_files: bool = False
    ignore_missing_files: bool = False
    path_glob_filter: str | None = None
    recursive_file_lookup: bool = False
    modified_after: str | None = None
    modified_before: str | None = None
    rescued_data_column: str | None = None
    reader_case_sensitive: bool | None = None
    session_case_sensitive: bool = False
    mode: str = "PERMISSIVE"
    corrupt_column: str = "_corrupt_record"
    single_variant_column: str | None = None
    bad_records_path: str | None = None
    timezone: str | None = None
    machine_timezone: str | None = None
    format_options: dict[str, str] = field(default_factory=dict)
    parallelism: int | None = None
    hidden_metadata: bool = False
    sample_files: int = 1000
    sample_bytes: int = 50 * 1024**3
    batch: bool = False
    inferred: bool = False
    mounts: str | None = None
    state: str | None = None

    @property
    def log_location(self) -> str | None:
        """The directory of the file log, None where the process's environment says it."""
        return self.schema_location or self.state


def parse(options: Mapping[str, str]) -> Options:
    """Check the options that Spark passes on.

    Raises
    ------
    UnknownOptions, UnsupportedOption
        As :func:`.option_names.check_names` says.
    InvalidOption
        A value that an option cannot have, or options that contradict each other.
    """
    given = {key.lower(): value for key, value in options.items() if value is not None}
    check_names(given)
    given = reader_settings.with_defaults(given, given.get(f"{PREFIX}format", "").lower())
    parsed = _values(_Reader(given))
    _refuse_contradictions(parsed)
    return parsed


def _values(read: _Reader) -> Options:
    return Options(
        format=read.required("format", "Say which files these are, json for instance."),
        path=read.path(),
        schema_location=read.cloud("schemaLocation"),
        infer_column_types=read.boolean("cloudFiles.inferColumnTypes", False),
        schema_hints=read.cloud("schemaHints"),
        evolution_mode=read.choice("cloudFiles.schemaEvolutionMode", EVOLUTION_MODES, None),
        max_files=read.limit("cloudFiles.maxFilesPerTrigger", _positive, 1000),
        max_bytes=read.limit("cloudFiles.maxBytesPerTrigger", parse_bytes, None),
        include_existing_files=read.boolean("cloudFiles.includeExistingFiles", True),
        partition_columns=read.names("cloudFiles.partitionColumns"),
        allow_overwrites=read.boolean("cloudFiles.allowOverwrites", False),
        strict_globber=read.boolean("cloudFiles.useStrictGlobber", False),
        incremental_listing=read.choice("cloudFiles.useIncrementalListing", LISTING, "auto"),
        clean_source=read.choice("cloudFiles.cleanSource", CLEANING, "OFF"),
        retention=read.limit("cloudFiles.cleanSource.retentionDuration", parse_duration, 30 * DAY),
        move_destination=read.cloud("cleanSource.moveDestination"),
        ignore_corrupt_files=read.boolean("ignoreCorruptFiles", False),
        ignore_missing_files=read.boolean("ignoreMissingFiles", False),
        path_glob_filter=read.plain("pathGlobFilter") or read.plain("fileNamePattern"),
        recursive_file_lookup=read.boolean("recursiveFileLookup", False),
        modified_after=read.plain("modifiedAfter"),
        modified_before=read.plain("modifiedBefore"),
        rescued_data_column=read.either("rescuedDataColumn"),
        reader_case_sensitive=read.boolean("readerCaseSensitive", None),
        session_case_sensitive=read.boolean(reader_settings.option_of(reader_settings.CASE_SENSITIVE), False),
        mode=read.choice("mode", MODES, "PERMISSIVE"),
        corrupt_column=read.plain("columnNameOfCorruptRecord") or "_corrupt_record",
        single_variant_column=read.plain("singleVariantColumn") or None,
        bad_records_path=read.plain("badRecordsPath") or None,
        timezone=read.plain("timeZone") or read.plain(f"{INTERNAL}timezone"),
        machine_timezone=read.plain(f"{INTERNAL}machinetimezone"),
        format_options=read.of_the_format(),
        parallelism=read.limit(f"{INTERNAL}parallelism", _positive, None),
        hidden_metadata=read.boolean(f"{INTERNAL}metadata", False),
        sample_files=read.setting("samplefiles", _positive, 1000),
        sample_bytes=read.setting("samplebytes", parse_bytes, 50 * 1024**3),
        batch=read.boolean(f"{INTERNAL}batch", False),
        inferred=read.boolean(f"{INTERNAL}inferred", False),
        mounts=read.plain(f"{INTERNAL}mounts"),
        state=read.plain(f"{INTERNAL}state"),
    )


class _Reader:
    """Typed look-ups in options with lower-case keys; a wrong value is an error that names the key."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given

    def plain(self, key: str) -> str | None:
        return self._given.get(key.lower())

    def cloud(self, key: str) -> str | None:
        value = self.plain(f"cloudFiles.{key}")
        return value or None

    def either(self, key: str) -> str | None:
        """Return the value of an option that may have the prefix or not."""
        plain, prefixed = self.plain(key), self.plain(f"cloudFiles.{key}")
        if None not in (plain, prefixed) and plain != prefixed:
            raise InvalidOption(
                f"The option {key} is {plain!r} and cloudFiles.{key} is {prefixed!r}, which are two names of one "
                "option. Set one of them."
            )
        return prefixed if plain is None else plain

    def required(self, key: str, advice: str) -> str:
        value = self.cloud(key)
        if value is None:
            raise InvalidOption(f"The option cloudFiles.{key} is missing. {advice}")
        return value

    def path(self) -> str:
        value = self.plain("path")
        if not value:
            raise InvalidOption("There is no path to read. Give one: .load('/path/to/directory').")
        return value

    @overload
    def boolean(self, key: str, default: bool) -> bool: ...

    @overload
    def boolean(self, key: str, default: None) -> bool | None: ...

    def boolean(self, key: str, default: bool | None) -> bool | None:
        value = self.plain(key)
        if value is None:
            return default
        if value.strip().lower() not in ("true", "false"):
            raise InvalidOption(f"The option {key} is {value!r}. Set it to true or false.")
        return value.strip().lower() == "true"

    def choice(self, key: str, choices: tuple[str, ...], default: str | None) -> Any:
        value = self.plain(key)
        if value is None:
            return default
        chosen = next((choice for choice in choices if choice.lower() == value.strip().lower()), None)
        if chosen is None:
            raise InvalidOption(f"The option {key} is {value!r}. Choose one of {', '.join(choices)}.")
        return chosen

    def limit(self, key: str, parser: Callable[[str], float | int], default: float | int | None) -> Any:
        value = self.plain(key)
        if value is None:
            return default
        try:
            return parser(value)
        except ValueError as error:
            raise InvalidOption(f"The option {key} is {value!r}. {error}") from None

    def setting(self, key: str, parser: Callable[[str], int], default: int) -> int:
        """Return what a setting of the session says."""
        value = self.plain(f"{INTERNAL}{key}")
        try:
            return parser(value) if value else default
        except ValueError as error:
            raise InvalidOption(f"{SETTINGS[key]} is {value!r}. {error}") from None

    def names(self, key: str) -> list[str] | None:
        value = self.plain(key)
        return None if value is None else [name.strip() for name in value.split(",") if name.strip()]

    def of_the_format(self) -> dict[str, str]:
        ours, policy = (PREFIX, INTERNAL), f"{INTERNAL}timeparserpolicy"
        return {
            key: value
            for key, value in self._given.items()
            if key != "path" and (not key.startswith(ours) or key == policy)
        }


def _refuse_contradictions(options: Options) -> None:
    if options.clean_source == "MOVE" and options.move_destination is None:
        raise InvalidOption("cloudFiles.cleanSource is MOVE. Set cloudFiles.cleanSource.moveDestination as well.")
    if options.clean_source == "DELETE" and options.retention <= 7 * DAY:
        raise InvalidOption(
            "cloudFiles.cleanSource.retentionDuration must be more than 7 days where files are deleted. "
            "Make it longer, or move the files instead."
        )
    if options.clean_source != "OFF" and options.allow_overwrites:
        raise InvalidOption(
            "cloudFiles.cleanSource and cloudFiles.allowOverwrites contradict each other: a file that was changed "
            "could be removed unread. Choose one of them."
        )


def _positive(text: str) -> int:
    number = int(text) if re.fullmatch(r"\s*\d{1,18}\s*", text) else 0
    if number <= 0:
        raise ValueError("Set it to a whole number above zero.")
    return number


def parse_bytes(text: str) -> int:
    """Return the number of bytes that a text such as ``10g`` means, in powers of 1,024 as Spark reads it.

    Raises
    ------
    ValueError
        It is none, or not above zero.
    """
    match = re.fullmatch(r"\s*(\d{1,15})\s*([kmgtp]?)(?:i?b)?\s*", text.lower())
    number = int(match[1]) * 1024 ** " kmgtp".index(match[2] or " ") if match else 0
    if number <= 0:
        raise ValueError("Set it to a size above zero, 10g or 512mb for instance.")
    return number


_SECONDS = {
    "second": 1,
    "sec": 1,
    "minute": 60,
    "min": 60,
    "hour": 3600,
    "day": DAY,
    "week": 7 * DAY,
    "month": 30 * DAY,
}
_PART = re.compile(rf"(\d+)\s*({'|'.join(_SECONDS)})s?\b", re.IGNORECASE)


def parse_duration(text: str) -> float:
    """Return the seconds of an interval such as ``14 days`` or ``interval 2 weeks 1 hour``; a month has 30 days.

    Raises
    ------
    ValueError
        It is none.
    """
    parts = _PART.findall(text)
    rest = re.sub(r"^\s*interval\b|[\s,]", "", _PART.sub("", text), flags=re.IGNORECASE)
    if not parts or rest:
        raise ValueError("Write an interval, 14 days for instance.")
    return float(sum(int(number) * _SECONDS[unit.lower()] for number, unit in parts))
