"""An option that no source or sink knows, but nearly does: ``maxFilePerTrigger``.

Spark hands options on to the source and ignores what nobody asks for, so a misspelt one changes nothing and is not
said.  A name that is unlike all known ones is left alone, and so is every option of a format that is not Spark's, Delta
Lake's or ``cloudFiles``: sources that others have written have options of their own.
"""

from __future__ import annotations

import inspect
import sys
from contextlib import suppress
from functools import wraps
from threading import current_thread, main_thread
from typing import Any, Final

import spark_hooks
from notebook_dialect.close_names import NEARLY_SAME, meant
from notebook_dialect.session.formats import FORMATS
from stream_view import front_end

#: Options of the readers and writers of Spark 4.2 and Delta 4.
_KNOWN: Final = """
    path checkpointLocation
    maxFilesPerTrigger maxBytesPerTrigger maxFileAge latestFirst fileNameOnly cleanSource sourceArchiveDir
    maxCachedFiles discardCachedInputRatio pathGlobFilter recursiveFileLookup modifiedBefore modifiedAfter
    ignoreCorruptFiles ignoreMissingFiles basePath retention
    mode columnNameOfCorruptRecord inferSchema samplingRatio multiLine lineSep charset encoding compression codec
    locale dateFormat timestampFormat timestampNTZFormat timeFormat timeZone enableDateTimeParsingFallback preferDate
    prefersDecimal singleVariantColumn extension
    allowUnquotedControlChars allowNumericLeadingZeros primitivesAsString useUnsafeRow inferTimestamp pretty sortKeys
    writeNonAsciiCharacterAsCodePoint allowUnquotedFieldNames ignoreNullFields allowSingleQuotes allowComments
    allowBackslashEscapingAnyCharacter dropFieldIfAllNull allowNonNumericNumbers
    unescapedQuoteHandling enforceSchema positiveInf negativeInf escapeQuotes nanValue nullValue emptyValue maxColumns
    quote delimiter quoteAll escape sep ignoreLeadingWhiteSpace ignoreTrailingWhiteSpace inputBufferSize columnPruning
    charToEscapeQuoteEscaping header comment maxCharsPerColumn
    datetimeRebaseMode int96RebaseMode mergeSchema wholetext
    useLegacyXMLParser indent excludeAttribute rootTag rowTag valueTag ignoreNamespace arrayElementName wildcardColName
    attributePrefix ignoreSurroundingSpaces declaration rowValidationXSDPath validateName
    avroSchema avroSchemaUrl recordName recordNamespace positionalFieldMatching ignoreExtension
    subscribe subscribePattern assign topic startingOffsets endingOffsets startingTimestamp endingTimestamp
    startingOffsetsByTimestamp endingOffsetsByTimestamp startingOffsetsByTimestampStrategy failOnDataLoss
    minPartitions maxRecordsPerPartition maxOffsetsPerTrigger minOffsetsPerTrigger maxTriggerDelay groupIdPrefix
    includeHeaders
    rowsPerSecond rowsPerBatch rampUpTime numPartitions startTimestamp advanceMillisPerBatch host port includeTimestamp
    truncate numRows
    versionAsOf timestampAsOf startingVersion endingVersion readChangeFeed readChangeData ignoreDeletes ignoreChanges
    ignoreFileDeletion skipChangeCommits excludeRegex schemaTrackingLocation schemaLocation streamingSourceTrackingId
    allowSourceColumnDrop allowSourceColumnRename allowSourceColumnTypeChange withEventTimeOrder
    overwriteSchema replaceWhere replaceOn replaceUsing targetAlias partitionOverwriteMode userMetadata dataChange
    optimizeWrite maxRecordsPerFile txnAppId txnVersion writePartitionColumns parquetVersion
    url dbtable query user password driver fetchsize batchsize partitionColumn lowerBound upperBound queryTimeout
    isolationLevel sessionInitStatement createTableOptions createTableColumnTypes customSchema pushDownPredicate
    operatorId batchId joinSide storeName stateVarName snapshotStartBatchId snapshotPartitionId readChangeFeed
    changeStartBatchId changeEndBatchId flattenCollectionTypes
"""
_NAMES = {name.lower(): name for name in _KNOWN.split()}
_FORMATS = {name.lower() for name in FORMATS}
_GIVEN, _FORMAT = "_notebook_dialect_options", "_notebook_dialect_format"
#: What reads or writes in a format of the same name.
_OF_A_FORMAT = ("json", "csv", "parquet", "orc", "text", "xml", "jdbc")
_READS_OR_WRITES = ("load", "table", "save", "saveAsTable", "insertInto", "start", "toTable", *_OF_A_FORMAT)

# What was said, with the run of the cell in which it was.
_said: set[tuple[str | None, str]] = set()


def install() -> None:
    """Look at the options of Spark's readers and writers, of Spark Connect's as well where they are loaded.

    Calling it again changes nothing.
    """
    noting = {"option": _noting_one, "options": _noting_all, "format": _noting_format}
    hooks = {**noting, **{method: _looking for method in _READS_OR_WRITES}}
    for kind in _readers_and_writers():
        for method, make in hooks.items():
            is_ours = method == "table" and kind.__name__.endswith("Writer")  # added to the class, where it is there
            if hasattr(kind, method) and not is_ours:
                why = "an option that is misspelt is said to be"
                spark_hooks.wrap(kind, method, make, by="notebook_dialect", layer="language", why=why)


def _readers_and_writers() -> list[type]:
    from pyspark.sql import DataFrameReader, DataFrameWriter
    from pyspark.sql.streaming import DataStreamReader, DataStreamWriter

    kinds: list[type] = [DataFrameReader, DataFrameWriter, DataStreamReader, DataStreamWriter]
    for module in ("pyspark.sql.connect.readwriter", "pyspark.sql.connect.streaming.readwriter"):
        if module in sys.modules:
            there = vars(sys.modules[module])
            kinds += [there[kind.__name__] for kind in kinds[:4] if there.get(kind.__name__, kind).__module__ == module]
    return kinds


def nearly(name: str) -> str | None:
    """Return the option that was meant by a name which is none; None for an option, and for what is like none."""
    if name.lower() in _NAMES or "." in name:  # Kafka's own, cloudFiles', which are refused by those who read them
        return None
    return meant(name, _NAMES.values(), NEARLY_SAME)


def _noting_one(original: Any) -> Any:
    @wraps(original)
    def option(self: Any, key: str, value: Any) -> Any:
        _note(self, key)
        return original(self, key, value)

    return option


def _noting_all(original: Any) -> Any:
    @wraps(original)
    def options(self: Any, **given: Any) -> Any:
        _note(self, *given)
        return original(self, **given)

    return options


def _noting_format(original: Any) -> Any:
    @wraps(original)
    def format(self: Any, source: str) -> Any:
        setattr(self, _FORMAT, source)
        return original(self, source)

    return format


def _looking(original: Any) -> Any:
    """Say what is misspelt where something is read or written: only there are the format and all options known."""
    signature = inspect.signature(original)

    @wraps(original)
    def read_or_write(self: Any, *args: Any, **kwargs: Any) -> Any:
        with suppress(TypeError):  # of arguments that it does not take, Spark says so itself
            given = signature.bind(self, *args, **kwargs).arguments
            _note(self, *given.get("options", {}))
            named = original.__name__ if original.__name__ in _OF_A_FORMAT else given.get("format")
            _look(self, named or getattr(self, _FORMAT, None))
        return original(self, *args, **kwargs)

    return read_or_write


def _note(reader_or_writer: Any, *names: Any) -> None:
    known = getattr(reader_or_writer, _GIVEN, ())
    setattr(reader_or_writer, _GIVEN, (*known, *(name for name in names if isinstance(name, str))))


def _look(reader_or_writer: Any, format: Any) -> None:
    names = getattr(reader_or_writer, _GIVEN, ())
    setattr(reader_or_writer, _GIVEN, ())  # Connect's methods call each other
    if format is not None and str(format).lower() not in _FORMATS:
        return
    for name in dict.fromkeys(names):
        if (other := nearly(name)) and _is_new(name):
            print(
                f"Spark ignores the option {name}, which none of its formats has: did you mean {other}?",
                file=sys.stderr,
            )


def _is_new(name: str) -> bool:
    """Whether this name has yet to be said below the running cell.

    A function of ``foreachBatch`` is called for each batch, in a thread of its own and whatever cell runs by then:
    there a name is said once.
    """
    is_cells = current_thread() is main_thread()
    _, run = front_end.running_cell() if is_cells else (None, None)
    if is_cells and run is None:  # plain Python has no cells
        return True
    is_new = (run, name) not in _said and (is_cells or all(name != said for _, said in _said))
    _said.add((run, name))
    return is_new
