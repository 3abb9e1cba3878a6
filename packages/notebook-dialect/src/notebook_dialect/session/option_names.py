"""An option that no source or sink knows, but nearly does: ``maxFilePerTrigger``.

Spark hands options on to the source and ignores what nobody asks for, so a misspelt one changes nothing and is not
said.  A name that is unlike all known ones is left alone: sources that others have written have options of their own.
"""

from __future__ import annotations

import difflib
import sys
from functools import wraps
from typing import Any, Final

import spark_hooks

#: Share of letters in common, in order, from which a name is taken for a known one that was misspelt.
ALIKE = 0.85

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


def install() -> None:
    """Look at the options of Spark's readers and writers, of Spark Connect's as well where they are loaded.

    Calling it again changes nothing.
    """
    for kind in _readers_and_writers():
        for method, make in (("option", _looking_at_one), ("options", _looking_at_all)):
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
    meant = difflib.get_close_matches(name.lower(), _NAMES, n=1, cutoff=ALIKE)
    return _NAMES[meant[0]] if meant else None


def _looking_at_one(original: Any) -> Any:
    @wraps(original)
    def option(self: Any, key: str, value: Any) -> Any:
        _say(key)
        return original(self, key, value)

    return option


def _looking_at_all(original: Any) -> Any:
    @wraps(original)
    def options(self: Any, **given: Any) -> Any:
        for key in given:
            _say(key)
        return original(self, **given)

    return options


def _say(key: Any) -> None:
    if isinstance(key, str) and (meant := nearly(key)):
        print(f"No source or sink of Spark has an option {key}, so it changes nothing: write {meant}.", file=sys.stderr)
