"""The names of all options, the checks of these names, and the session's settings that are options as well.

An option that no reader uses would silently change nothing.  So each name is known here: those of Auto Loader, those of
all formats, and those that the readers of Spark and Databricks document for one format.  A name is supported, or is
ignored with a warning, or is refused; a name in none of the tables is misspelled.

A data source cannot read its session's settings, so the wrapper of ``load`` passes those that are set as options.  A
setting is the default of an option, or is refused if it would change rows and is not supported.
"""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterator, Mapping

from pyspark_cloudfiles.errors import CloudFilesWarning, InvalidOption, UnknownOptions, UnsupportedOption

PREFIX = "cloudfiles."
# Of options that only this package's wrapper of `load` sets.
INTERNAL = "__cloudfiles."

# Spelled as the documentation has them: messages use this spelling, look-ups the lower case.
SUPPORTED = (
    "format", "schemaLocation", "inferColumnTypes", "schemaHints", "schemaEvolutionMode", "maxFilesPerTrigger",
    "maxBytesPerTrigger", "includeExistingFiles", "partitionColumns", "validateOptions", "allowOverwrites",
    "useStrictGlobber", "useIncrementalListing", "cleanSource", "cleanSource.retentionDuration",
    "cleanSource.moveDestination", "rescuedDataColumn",
)  # fmt: skip
# They tune a service of the cloud, or a listing that works differently here; the rows are the same without them.
WITHOUT_EFFECT = (
    "maxFileAge", "backfillInterval", "useManagedFileEvents", "fetchParallelism",
    "listOnStart",
)  # fmt: skip
# They need the queues and credentials of a cloud.
CLOUD_ONLY = (
    "useNotifications", "queueName", "queueUrl", "region", "subscription", "projectId", "client", "clientEmail",
    "clientId", "clientSecret", "privateKey", "privateKeyId", "connectionString", "resourceGroup", "subscriptionId",
    "tenantId", "roleArn", "roleExternalId", "roleSessionName", "stsEndpoint", "pathRewrites", "resourceTag",
    "awsAccessKey", "awsSecretKey", "databricks.serviceCredential",
)  # fmt: skip

# Without the prefix, for every format.  `mergeSchema` is always on.
_OF_ALL_FORMATS = """
    path pathGlobFilter fileNamePattern recursiveFileLookup modifiedAfter modifiedBefore ignoreCorruptFiles
    ignoreMissingFiles rescuedDataColumn readerCaseSensitive mode columnNameOfCorruptRecord badRecordsPath
    singleVariantColumn timeZone mergeSchema
"""
_TEXTS = "encoding charset lineSep"
_TIMES = "locale dateFormat timestampFormat timestampNTZFormat enableDateTimeParsingFallback"
# Without the prefix, by format: the options that its reader supports.
_OF_A_FORMAT = {
    "csv": f"""{_TEXTS} {_TIMES} sep delimiter quote escape charToEscapeQuoteEscaping comment header skipRows nullValue
        emptyValue nanValue positiveInf negativeInf ignoreLeadingWhiteSpace ignoreTrailingWhiteSpace maxColumns
        maxCharsPerColumn multiLine preferDate unescapedQuoteHandling""",
    "json": f"""{_TEXTS} {_TIMES} multiLine primitivesAsString prefersDecimal inferTimestamp dropFieldIfAllNull
        allowComments allowUnquotedFieldNames allowSingleQuotes allowNumericLeadingZeros allowNonNumericNumbers
        allowBackslashEscapingAnyCharacter allowUnquotedControlChars""",
    "xml": f"""encoding charset {_TIMES} rowTag attributePrefix valueTag excludeAttribute ignoreNamespace nullValue
        ignoreSurroundingSpaces""",
    "text": f"{_TEXTS} wholetext",
    "parquet": "datetimeRebaseMode int96RebaseMode",
    "avro": "avroSchema datetimeRebaseMode",
    "orc": "",
    "binaryfile": "",
}
# Options of writers, and tuning of Spark's readers: the rows are the same without.  `inferSchema` and `enforceSchema`
# have no effect on Databricks' Auto Loader either, which names them.
_WITHOUT_EFFECT = """
    compression codec extension inferSchema enforceSchema samplingRatio columnPruning inputBufferSize escapeQuotes
    quoteAll ignoreNullFields pretty sortKeys writeNonAsciiCharacterAsCodePoint useUnsafeRow rootTag declaration indent
    arrayElementName validateName recordName recordNamespace orc.compress parquet.compression
"""
_BOOLEANS = """
    multiLine header ignoreLeadingWhiteSpace ignoreTrailingWhiteSpace preferDate primitivesAsString prefersDecimal
    inferTimestamp dropFieldIfAllNull allowComments allowUnquotedFieldNames allowSingleQuotes allowNumericLeadingZeros
    allowNonNumericNumbers allowBackslashEscapingAnyCharacter allowUnquotedControlChars enableDateTimeParsingFallback
    excludeAttribute ignoreNamespace ignoreSurroundingSpaces wholetext
"""
_TIME = "the type TIME is not supported. Read the column as a STRING."
# The accepted value is Spark's default.
_LOCALE = (
    "en-us",
    "numbers and names of months are read by English rules. Read such columns as STRING and convert them with "
    "from_csv, which takes a locale: from_csv(text, 'value DATE', map('locale', 'fr-FR', 'dateFormat', 'd MMM yyyy')).",
)
# Documented options that would change rows and are not supported: by format, the value that changes nothing, and a fix.
_REFUSED: dict[str, dict[str, tuple[str | None, str]]] = {
    "": {
        "basePath": (None, "columns of the path are found without. Name them in cloudFiles.partitionColumns."),
        "ignoredPathSegmentRegex": (None, "hidden names begin with _ or . here. Use pathGlobFilter for others."),
        "parserCaseSensitive": (None, "it is an old name. Use readerCaseSensitive."),
    },
    "csv": {"locale": _LOCALE, "timeFormat": (None, _TIME)},
    "json": {
        "locale": _LOCALE,
        "timeFormat": (None, _TIME),
        "maxNestingDepth": (None, "the limits of the parser are Spark's defaults. Remove it."),
        "maxNumLen": (None, "the limits of the parser are Spark's defaults. Remove it."),
        "maxStringLen": (None, "the limits of the parser are Spark's defaults. Remove it."),
    },
    "xml": {
        "locale": _LOCALE,
        "timeFormat": (None, _TIME),
        "multiLine": ("true", "an element may span lines, always. Remove it."),
        "preferDate": ("true", "a date is inferred as DATE. Name the column in cloudFiles.schemaHints."),
        "prefersDecimal": ("false", "numbers are inferred as DOUBLE. Name the column in cloudFiles.schemaHints."),
        "rowValidationXSDPath": (None, "rows are not validated. Validate them after reading, or before."),
        "wildcardColName": (None, "unknown elements are rescued. Read them from the rescued data column."),
        "useLegacyXMLParser": ("false", "there is one parser here. Remove it."),
    },
    "avro": {
        "avroSchemaUrl": (None, "give the schema itself in avroSchema."),
        "ignoreExtension": ("true", "all files are read. Set pathGlobFilter to *.avro."),
        "positionalFieldMatching": ("false", "fields are matched by name. Rename them in avroSchema, with aliases."),
        "recursiveFieldMaxDepth": (None, "types that contain themselves are not read. Give another avroSchema."),
        "enableStableIdentifiersForUnionType": ("false", "members of a union are member0, member1. Rename them."),
        "stableIdentifierPrefixForUnionType": (None, "members of a union are member0, member1. Rename them."),
    },
}


def _by_key(names: str) -> dict[str, str]:
    return {name.lower(): name for name in names.split()}


_GENERIC = _by_key(_OF_ALL_FORMATS)
_READ = {name: _by_key(names) for name, names in _OF_A_FORMAT.items()}
_IGNORED, _TRUE_OR_FALSE = _by_key(_WITHOUT_EFFECT), _by_key(_BOOLEANS)
_PREFIXED = {f"cloudFiles.{key}".lower(): f"cloudFiles.{key}" for key in (*SUPPORTED, *WITHOUT_EFFECT, *CLOUD_ONLY)}
_PLAIN = _GENERIC | {key: name for names in _READ.values() for key, name in names.items()} | _IGNORED


def check_names(given: Mapping[str, str]) -> None:
    """Check the names of a stream's options, with keys in lower case, and warn of those that have no effect.

    Raise UnknownOptions for a name in none of the tables, unless ``cloudFiles.validateOptions`` is false,
    UnsupportedOption for one that would change rows, and InvalidOption for a boolean that is neither true nor
    false.
    """
    file_format = given.get(f"{PREFIX}format", "").lower()
    if given.get(f"{PREFIX}validateoptions", "true").strip().lower() != "false":
        _refuse_unknown_names(given, file_format)
    for key in CLOUD_ONLY:
        value = given.get(f"cloudFiles.{key}".lower())
        if value is not None and not (key == "useNotifications" and value.strip().lower() == "false"):
            raise UnsupportedOption(
                f"cloudFiles.{key} needs the notification services of a cloud, which do not exist here. "
                "Remove it: files are then found by listing the directory."
            )
    for name, (accepted, advice) in (_REFUSED[""] | _REFUSED.get(file_format, {})).items():
        value = given.get(name.lower())
        if value is not None and value.strip().lower() != accepted:
            raise UnsupportedOption(f"The option {name} is not supported: {advice}")
    for key, name in _TRUE_OR_FALSE.items():
        if key in given and key in _READ.get(file_format, {}) and given[key].lower() not in ("true", "false"):
            raise InvalidOption(f"The option {name} is {given[key]!r}. Set it to true or false.")
    for text in _effect_warnings(given, file_format):
        warnings.warn(text, CloudFilesWarning, stacklevel=2)


def _refuse_unknown_names(given: Mapping[str, str], file_format: str) -> None:
    refused = {name.lower() for names in _REFUSED.values() for name in names}
    unknown = [
        key
        for key in given
        if not key.startswith((INTERNAL, f"{PREFIX}resourcetag."))
        and key not in (_PREFIXED if key.startswith(PREFIX) else _PLAIN.keys() | refused)
    ]
    if unknown:
        suggestions = {key: meant for key in unknown if (meant := _suggestion(key, file_format))}
        raise UnknownOptions(sorted(unknown), suggestions)


def _suggestion(key: str, file_format: str) -> str | None:
    """Return the name that was probably meant: with or without the prefix, or the closest of all names."""
    name = key.removeprefix(PREFIX)
    plain = _GENERIC | _READ.get(file_format, {})
    for exact in (plain.get(name), _PLAIN.get(name), _PREFIXED.get(f"{PREFIX}{name}")):
        if exact:
            return exact
    ranked = [_PREFIXED, plain] if key.startswith(PREFIX) else [plain, _PREFIXED]
    for names in [*ranked, _PLAIN]:
        wanted = f"{PREFIX}{name}" if names is _PREFIXED else name
        if nearest := difflib.get_close_matches(wanted, names, n=1, cutoff=0.8):
            return names[nearest[0]]
    return None


def _effect_warnings(given: Mapping[str, str], file_format: str) -> Iterator[str]:
    """Yield a warning for each option without effect that a user could rely on."""
    ignored = [f"cloudFiles.{key}" for key in WITHOUT_EFFECT if f"cloudFiles.{key}".lower() in given]
    if ignored:
        yield f"{', '.join(ignored)} has no effect outside Databricks."
    infers = given.get(f"{PREFIX}infercolumntypes", "false").strip().lower()
    if file_format in ("csv", "xml") and given.get("inferschema", infers).strip().lower() != infers:
        yield "inferSchema has no effect with cloudFiles. Set cloudFiles.inferColumnTypes instead."
    if given.get("enforceschema", "false").strip().lower() == "true":
        yield "enforceSchema has no effect with cloudFiles: columns of files with a header are found by name."
    known = _GENERIC.keys() | _READ.get(file_format, {}).keys() | _IGNORED.keys()
    known |= {name.lower() for name in _REFUSED[""] | _REFUSED.get(file_format, {})}
    foreign = [_PLAIN.get(key, key) for key in given if key in _PLAIN and key not in known]
    if foreign and file_format in _READ:
        yield f"{', '.join(foreign)} has no effect on {file_format} files."


CASE_SENSITIVE = "spark.sql.caseSensitive"
TIME_PARSER_POLICY = "spark.sql.legacy.timeParserPolicy"
_TEXT_FORMATS = ("csv", "json", "xml")
# By setting: the option of which it is the default, and the formats that it applies to; none: all of them.
_SETTING_DEFAULTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "spark.sql.columnNameOfCorruptRecord": ("columnNameOfCorruptRecord", ()),
    "spark.sql.files.ignoreCorruptFiles": ("ignoreCorruptFiles", ()),
    "spark.sql.files.ignoreMissingFiles": ("ignoreMissingFiles", ()),
    "spark.sql.parquet.datetimeRebaseModeInRead": ("datetimeRebaseMode", ("parquet",)),
    "spark.sql.parquet.int96RebaseModeInRead": ("int96RebaseMode", ("parquet",)),
    "spark.sql.avro.datetimeRebaseModeInRead": ("datetimeRebaseMode", ("avro",)),
    "spark.sql.legacy.csv.enableDateTimeParsingFallback": ("enableDateTimeParsingFallback", ("csv",)),
    "spark.sql.legacy.json.enableDateTimeParsingFallback": ("enableDateTimeParsingFallback", ("json",)),
    TIME_PARSER_POLICY: (f"{INTERNAL}timeParserPolicy", _TEXT_FORMATS),
}
_HINT = "Name the columns in cloudFiles.schemaHints as"
# By setting: the value that changes nothing, the formats that it applies to, and a fix.
_REFUSED_SETTINGS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "spark.sql.parquet.binaryAsString": ("false", ("parquet",), f"{_HINT} STRING."),
    "spark.sql.parquet.int96AsTimestamp": ("true", ("parquet",), "Unset it."),
    "spark.sql.parquet.inferTimestampNTZ.enabled": ("true", ("parquet",), f"{_HINT} TIMESTAMP."),
    "spark.sql.legacy.parquet.nanosAsLong": ("false", ("parquet",), "Nanoseconds are cut to microseconds. Unset it."),
    "spark.sql.legacy.json.allowEmptyString.enabled": ("false", ("json",), "Unset it."),
    "spark.sql.json.enableExactStringParsing": ("true", ("json",), "Unset it."),
    "spark.sql.json.enablePartialResults": ("true", ("json",), "Unset it."),
    "spark.sql.timestampType": (
        "TIMESTAMP_LTZ",
        _TEXT_FORMATS,
        "Unset it while the stream is loaded, and name its columns in cloudFiles.schemaHints as TIMESTAMP_NTZ.",
    ),
}
SETTING_NAMES = (CASE_SENSITIVE, *_SETTING_DEFAULTS, *_REFUSED_SETTINGS)


def setting_option(setting: str) -> str:
    """Return the option by which the wrapper of ``load`` passes a setting."""
    return f"{INTERNAL}setting.{setting}".lower()


def add_session_defaults(given: Mapping[str, str], file_format: str) -> dict[str, str]:
    """Return options, with keys in lower case, completed by the session's settings; refuse unsupported settings."""
    for setting, (harmless, formats, advice) in _REFUSED_SETTINGS.items():
        value = given.get(setting_option(setting))
        if value is not None and file_format in formats and value.lower() != harmless.lower():
            raise UnsupportedOption(f"{setting}={value} is not supported for {file_format} files. {advice}")
    defaults = {
        option.lower(): given[setting_option(setting)]
        for setting, (option, formats) in _SETTING_DEFAULTS.items()
        if setting_option(setting) in given and (not formats or file_format in formats)
    }
    return {**defaults, **given}


def refuse_other_time_parsers(options: Mapping[str, str]) -> None:
    """Raise UnsupportedOption if the session wants dates and times parsed by the rules of Spark 2."""
    policy = options.get(f"{INTERNAL}timeparserpolicy", "CORRECTED")
    if policy.upper() != "CORRECTED":
        raise UnsupportedOption(
            f"{TIME_PARSER_POLICY}={policy} is not supported: dates and timestamps are parsed by the rules of Spark 3 "
            "and later. Unset it and describe the texts with dateFormat or timestampFormat, or read the columns as "
            "STRING and convert them with to_date or to_timestamp, which follow it."
        )
