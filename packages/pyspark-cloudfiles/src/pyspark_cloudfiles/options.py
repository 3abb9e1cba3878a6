"""The options of a stream: their values, and the checks of their combinations.

Spark passes options to a data source as text with keys in lower case.  :func:`parse` turns them into one checked value;
the names are in :mod:`.option_names`.  Options that Auto Loader refuses are refused here as well, with the same
condition, so that a program that runs here is not stopped by its options there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from pyspark_cloudfiles.errors import InvalidOption
from pyspark_cloudfiles.filesystems.filesystem import MOUNTS_SETTING
from pyspark_cloudfiles.layout import Hint, parse_hints
from pyspark_cloudfiles.option_names import (
    CASE_SENSITIVE,
    INTERNAL,
    PREFIX,
    add_session_defaults,
    check_names,
    setting_option,
)
from pyspark_cloudfiles.times import local_timezone

DAY = 24 * 3600
_CASE_SENSITIVE = setting_option(CASE_SENSITIVE)
EVOLUTION_MODES = ("addNewColumns", "addNewColumnsWithTypeWidening", "rescue", "failOnNewColumns", "none")

# Settings of the session that a data source cannot read, by the names of the options that pass them.
SETTINGS = {
    "mounts": MOUNTS_SETTING,
    "state": "spark.cloudFiles.state",
    "samplebytes": "spark.databricks.cloudFiles.schemaInference.sampleSize.numBytes",
    "samplefiles": "spark.databricks.cloudFiles.schemaInference.sampleSize.numFiles",
}


def _text(text: str) -> str | None:
    return text or None


def _boolean(text: str) -> bool:
    if text.strip().lower() not in ("true", "false"):
        raise ValueError("Set it to true or false.")
    return text.strip().lower() == "true"


def _choice(*choices: str) -> Callable[[str], str]:
    def choose(text: str) -> str:
        for choice in choices:
            if choice.lower() == text.strip().lower():
                return choice
        raise ValueError(f"Choose one of {', '.join(choices)}.")

    return choose


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _hints(text: str) -> tuple[Hint, ...]:
    return tuple(parse_hints(text or None))


def _positive(text: str) -> int:
    number = int(text) if re.fullmatch(r"\s*\d{1,18}\s*", text) else 0
    if number <= 0:
        raise ValueError("Set it to a whole number above zero.")
    return number


def parse_bytes(text: str) -> int:
    """Return the bytes of a size such as ``10g``, in powers of 1,024 as Spark reads it; raise ValueError otherwise."""
    match = re.fullmatch(r"\s*(\d{1,15})\s*([kmgtp]?)(?:i?b)?\s*", text.lower())
    number = int(match[1]) * 1024 ** " kmgtp".index(match[2] or " ") if match else 0
    if number <= 0:
        raise ValueError("Set it to a size above zero, 10g or 512mb for instance.")
    return number


_SECONDS = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600}
_SECONDS |= {"day": DAY, "week": 7 * DAY, "month": 30 * DAY}
_PART = re.compile(rf"(\d+)\s*({'|'.join(_SECONDS)})s?\b", re.IGNORECASE)


def parse_duration(text: str) -> float:
    """Return the seconds of an interval such as ``14 days`` or ``interval 2 weeks 1 hour``; a month has 30 days."""
    parts = _PART.findall(text)
    rest = re.sub(r"^\s*interval\b|[\s,]", "", _PART.sub("", text), flags=re.IGNORECASE)
    if not parts or rest:
        raise ValueError("Write an interval, 14 days for instance.")
    return float(sum(int(number) * _SECONDS[unit.lower()] for number, unit in parts))


def _option(key: str, parser: Callable[[str], Any] = _text, default: Any = None) -> Any:
    """Return a field for the value of an option, whose parser raises ValueError with the fix."""
    setting = SETTINGS.get(key.removeprefix(INTERNAL))
    metadata = {"key": key.lower(), "parser": parser, "label": setting or f"The option {key}"}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Options:
    """The checked options of one stream."""

    format: str = _option("cloudFiles.format")  # in the user's spelling
    path: str = _option("path")
    schema_location: str | None = _option("cloudFiles.schemaLocation")
    infer_column_types: bool = _option("cloudFiles.inferColumnTypes", _boolean, False)
    schema_hints: tuple[Hint, ...] = _option("cloudFiles.schemaHints", _hints, ())
    # None: addNewColumns for an inferred schema, none for a given one.
    evolution_mode: str | None = _option("cloudFiles.schemaEvolutionMode", _choice(*EVOLUTION_MODES))
    max_files: int | None = _option("cloudFiles.maxFilesPerTrigger", _positive, 1000)
    max_bytes: int | None = _option("cloudFiles.maxBytesPerTrigger", parse_bytes)
    include_existing_files: bool = _option("cloudFiles.includeExistingFiles", _boolean, True)
    partition_columns: tuple[str, ...] | None = _option("cloudFiles.partitionColumns", _names)  # None: the path's keys
    allow_overwrites: bool = _option("cloudFiles.allowOverwrites", _boolean, False)
    strict_globber: bool = _option("cloudFiles.useStrictGlobber", _boolean, False)
    incremental_listing: str = _option("cloudFiles.useIncrementalListing", _choice("auto", "true", "false"), "auto")
    clean_source: str = _option("cloudFiles.cleanSource", _choice("OFF", "DELETE", "MOVE"), "OFF")
    # Seconds between the commit of a file and its cleaning.
    retention: float = _option("cloudFiles.cleanSource.retentionDuration", parse_duration, 30 * DAY)
    move_destination: str | None = _option("cloudFiles.cleanSource.moveDestination")
    ignore_corrupt_files: bool = _option("ignoreCorruptFiles", _boolean, False)
    ignore_missing_files: bool = _option("ignoreMissingFiles", _boolean, False)
    path_glob_filter: str | None = _option("pathGlobFilter")
    recursive_file_lookup: bool = _option("recursiveFileLookup", _boolean, False)
    modified_after: str | None = _option("modifiedAfter")
    modified_before: str | None = _option("modifiedBefore")
    rescued_data_column: str | None = None
    reader_case_sensitive: bool | None = _option("readerCaseSensitive", _boolean)
    session_case_sensitive: bool = _option(_CASE_SENSITIVE, _boolean, False)
    mode: str = _option("mode", _choice("PERMISSIVE", "DROPMALFORMED", "FAILFAST"), "PERMISSIVE")
    corrupt_column: str = _option("columnNameOfCorruptRecord", default="_corrupt_record")
    single_variant_column: str | None = _option("singleVariantColumn")
    bad_records_path: str | None = _option("badRecordsPath")
    timezone: str = "UTC"  # of the session
    machine_timezone: str = "UTC"
    format_options: dict[str, str] = field(default_factory=dict)  # keys in lower case
    parallelism: int | None = _option(f"{INTERNAL}parallelism", _positive)  # None: this machine's cores
    # Whether to add the column _metadata, which the wrapper of load then hides.
    hidden_metadata: bool = _option(f"{INTERNAL}metadata", _boolean, False)
    sample_files: int = _option(f"{INTERNAL}samplefiles", _positive, 1000)
    sample_bytes: int = _option(f"{INTERNAL}samplebytes", parse_bytes, 50 * 1024**3)
    batch: bool = _option(f"{INTERNAL}batch", _boolean, False)  # whether the files are read once, for read_files
    inferred: bool = _option(f"{INTERNAL}inferred", _boolean, False)  # whether the given schema is the inferred one
    mounts: str | None = _option(f"{INTERNAL}mounts")
    # The directory of logs without a schema location; None: from the environment.
    state: str | None = _option(f"{INTERNAL}state")

    @property
    def log_location(self) -> str | None:
        """The directory of the file log, or None for the one of the process's environment."""
        return self.schema_location or self.state


def parse(options: Mapping[str, str]) -> Options:
    """Check the options that Spark passes on; raise UnknownOptions, UnsupportedOption or InvalidOption."""
    given = {key.lower(): value for key, value in options.items() if value is not None}
    check_names(given)
    given = add_session_defaults(given, given.get(f"{PREFIX}format", "").lower())
    if not given.get(f"{PREFIX}format"):
        raise InvalidOption("The option cloudFiles.format is missing. Say which files these are, json for instance.")
    if not given.get("path"):
        raise InvalidOption("There is no path to read. Give one: .load('/path/to/directory').")
    values: dict[str, Any] = {"path_glob_filter": given.get("filenamepattern")}
    for item in fields(Options):
        text = given.get(item.metadata.get("key", ""))
        try:
            value = None if text is None else item.metadata["parser"](text)
        except ValueError as error:
            raise InvalidOption(f"{item.metadata['label']} is {text!r}. {error}") from None
        if value is not None:
            values[item.name] = value
    plain, prefixed = given.get("rescueddatacolumn"), given.get(f"{PREFIX}rescueddatacolumn")
    if None not in (plain, prefixed) and plain != prefixed:
        raise InvalidOption(
            f"The option rescuedDataColumn is {plain!r} and cloudFiles.rescuedDataColumn is {prefixed!r}, which are "
            "two names of one option. Set one of them."
        )
    parsed = Options(
        **values,
        rescued_data_column=prefixed if plain is None else plain,
        timezone=given.get("timezone") or given.get(f"{INTERNAL}timezone") or local_timezone(),
        machine_timezone=given.get(f"{INTERNAL}machinetimezone") or local_timezone(),
        format_options={
            key: value
            for key, value in given.items()
            if key != "path" and (not key.startswith((PREFIX, INTERNAL)) or key == f"{INTERNAL}timeparserpolicy")
        },
    )
    _refuse_contradictions(parsed)
    return parsed


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
