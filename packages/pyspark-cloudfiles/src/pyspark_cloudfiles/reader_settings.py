"""The settings of a session that Spark's file readers follow, as options of a stream.

A data source is not told the settings of its session, so the wrapper of ``load`` sends those that are set along.  One
is the default of an option, or is refused where it would change rows and is not there.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark_cloudfiles.errors import UnsupportedOption
from pyspark_cloudfiles.option_names import INTERNAL

CASE_SENSITIVE = "spark.sql.caseSensitive"
TIME_PARSER_POLICY = "spark.sql.legacy.timeParserPolicy"
_TEXTS = ("csv", "json", "xml")
# By setting: the option of which it is the default, and the formats that read it; none: all of them.
_DEFAULTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "spark.sql.columnNameOfCorruptRecord": ("columnNameOfCorruptRecord", ()),
    "spark.sql.files.ignoreCorruptFiles": ("ignoreCorruptFiles", ()),
    "spark.sql.files.ignoreMissingFiles": ("ignoreMissingFiles", ()),
    "spark.sql.parquet.datetimeRebaseModeInRead": ("datetimeRebaseMode", ("parquet",)),
    "spark.sql.parquet.int96RebaseModeInRead": ("int96RebaseMode", ("parquet",)),
    "spark.sql.avro.datetimeRebaseModeInRead": ("datetimeRebaseMode", ("avro",)),
    "spark.sql.legacy.csv.enableDateTimeParsingFallback": ("enableDateTimeParsingFallback", ("csv",)),
    "spark.sql.legacy.json.enableDateTimeParsingFallback": ("enableDateTimeParsingFallback", ("json",)),
    TIME_PARSER_POLICY: (f"{INTERNAL}timeParserPolicy", _TEXTS),
}
# By setting: the value that changes nothing, the formats that read it, and what to do.
_REFUSED: dict[str, tuple[str, tuple[str, ...], str]] = {
    "spark.sql.parquet.binaryAsString": (
        "false",
        ("parquet",),
        "Name the columns in cloudFiles.schemaHints as STRING.",
    ),
    "spark.sql.parquet.int96AsTimestamp": ("true", ("parquet",), "Unset it."),
    "spark.sql.parquet.inferTimestampNTZ.enabled": (
        "true",
        ("parquet",),
        "Name the columns in cloudFiles.schemaHints as TIMESTAMP.",
    ),
    "spark.sql.legacy.parquet.nanosAsLong": ("false", ("parquet",), "Nanoseconds are cut to microseconds. Unset it."),
    "spark.sql.legacy.json.allowEmptyString.enabled": ("false", ("json",), "Unset it."),
    "spark.sql.json.enableExactStringParsing": ("true", ("json",), "Unset it."),
    "spark.sql.json.enablePartialResults": ("true", ("json",), "Unset it."),
    "spark.sql.timestampType": (
        "TIMESTAMP_LTZ",
        _TEXTS,
        "Unset it while the stream is loaded, and name its columns in cloudFiles.schemaHints as TIMESTAMP_NTZ.",
    ),
}
NAMES = (CASE_SENSITIVE, *_DEFAULTS, *_REFUSED)


def option_of(setting: str) -> str:
    """Return the option by which the wrapper of ``load`` sends a setting along."""
    return f"{INTERNAL}setting.{setting}".lower()


def with_defaults(given: Mapping[str, str], file_format: str) -> dict[str, str]:
    """Return options, keys in lower case, with those that they do not have and the session's settings say.

    Raises
    ------
    UnsupportedOption
        A setting would change what is read of this format, and is not there.
    """
    for setting, (harmless, formats, advice) in _REFUSED.items():
        value = given.get(option_of(setting))
        if value is not None and file_format in formats and value.lower() != harmless.lower():
            raise UnsupportedOption(f"{setting}={value} is not supported for {file_format} files. {advice}")
    defaults = {
        option.lower(): given[option_of(setting)]
        for setting, (option, formats) in _DEFAULTS.items()
        if option_of(setting) in given and (not formats or file_format in formats)
    }
    return {**defaults, **given}


def refuse_other_time_parsers(options: Mapping[str, str]) -> None:
    """Refuse to convert a text to a date or a time where the session asks for the parser of Spark 2.

    Raises
    ------
    UnsupportedOption
        ``spark.sql.legacy.timeParserPolicy`` is not CORRECTED, which is the default.
    """
    policy = options.get(f"{INTERNAL}timeparserpolicy", "CORRECTED")
    if policy.upper() != "CORRECTED":
        raise UnsupportedOption(
            f"{TIME_PARSER_POLICY}={policy} is not supported: dates and timestamps are parsed by the rules of Spark 3 "
            "and later. Unset it and describe the texts with dateFormat or timestampFormat, or read the columns as "
            "STRING and convert them with to_date or to_timestamp, which follow it."
        )
