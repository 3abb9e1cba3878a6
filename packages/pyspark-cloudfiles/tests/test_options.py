"""Options: what is accepted, what is refused, and what the refusal says."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from pyspark_cloudfiles.errors import InvalidOption, UnknownOptions, UnsupportedOption
from pyspark_cloudfiles.options import DAY, Options, parse, parse_bytes, parse_duration

NEEDED = {"cloudfiles.format": "json", "path": "/data"}


def parsed(**more: str) -> Options:
    return parse(NEEDED | {key.replace("__", ".").lower(): value for key, value in more.items()})


def test_the_defaults_are_auto_loaders():
    options = parsed()
    assert (options.max_files, options.max_bytes, options.include_existing_files) == (1000, None, True)
    assert (options.infer_column_types, options.evolution_mode, options.clean_source) == (False, None, "OFF")
    assert options.reader_case_sensitive is None


@pytest.mark.parametrize("missing", ["cloudfiles.format", "path"])
def test_the_format_and_the_path_are_needed(missing: str):
    with pytest.raises(InvalidOption):
        parse({key: value for key, value in NEEDED.items() if key != missing})


@pytest.mark.parametrize("key", ["rescuedDataColumn", "cloudFiles.rescuedDataColumn", "CLOUDFILES.RESCUEDDATACOLUMN"])
def test_the_rescued_column_is_named_with_and_without_the_prefix(key: str):
    assert parse(NEEDED | {key: "_rescued"}).rescued_data_column == "_rescued"


def test_both_names_of_the_rescued_column_must_say_the_same():
    both = {"rescuedDataColumn": "a", "cloudFiles.rescuedDataColumn": "a"}
    assert parse(NEEDED | both).rescued_data_column == "a"
    with pytest.raises(InvalidOption, match=r"rescuedDataColumn is 'b' and cloudFiles\.rescued.* is 'a'.*Set one"):
        parse(NEEDED | both | {"rescuedDataColumn": "b"})


def test_unknown_keys_pass_where_validation_is_off():
    assert parsed(cloudFiles__bogus="x", cloudFiles__validateOptions="false").format == "json"


def test_options_of_the_format_are_handed_on_to_it():
    options = parse(NEEDED | {"multiLine": "true", "primitivesAsString": "false"})
    assert options.format_options == {"multiline": "true", "primitivesasstring": "false"}


@pytest.mark.parametrize(
    ("file_format", "wrong", "right"),
    [
        ("csv", "skipRow", "skipRows"),
        ("csv", "hedaer", "header"),
        ("json", "mutliLine", "multiLine"),
        ("xml", "rowTags", "rowTag"),
        ("parquet", "datetimeRebaseMod", "datetimeRebaseMode"),
        ("orc", "pathGlobFilters", "pathGlobFilter"),
        ("text", "wholetexts", "wholetext"),
        ("binaryFile", "modifedAfter", "modifiedAfter"),
        ("json", "maxFilesPerTrigger", "cloudFiles.maxFilesPerTrigger"),
        ("json", "schemaHint", "cloudFiles.schemaHints"),
        ("json", "cloudfiles.pathglobfilter", "pathGlobFilter"),
        ("json", "cloudfiles.MULTILIN", "multiLine"),
        ("json", "cloudfiles.shemalocation", "cloudFiles.schemaLocation"),
    ],
)
def test_an_unknown_key_without_the_prefix_is_refused_with_what_was_meant(file_format: str, wrong: str, right: str):
    given = {"cloudfiles.format": file_format, "path": "/data", wrong: "1"}
    with pytest.raises(UnknownOptions, match=f"Did you mean {right} instead of {wrong.lower()}"):
        parse(given)
    assert parse(given | {"cloudFiles.validateOptions": "false"}).format == file_format


@pytest.mark.parametrize(
    ("file_format", "key", "value", "harmless"),
    [
        ("xml", "rowValidationXSDPath", "a.xsd", None),
        ("xml", "prefersDecimal", "true", "false"),
        ("avro", "positionalFieldMatching", "true", "false"),
        ("avro", "ignoreExtension", "false", "true"),
        ("json", "maxNestingDepth", "5", None),
        ("csv", "basePath", "/data", None),
        ("csv", "locale", "de-DE", "en-US"),
        ("json", "locale", "fr-FR", "en-US"),
        ("xml", "locale", "en-GB", "en-us"),
    ],
)
def test_an_option_that_is_not_there_is_refused_by_its_name(
    file_format: str, key: str, value: str, harmless: str | None
):
    given = {"cloudfiles.format": file_format, "path": "/data"}
    with pytest.raises(UnsupportedOption, match=rf"The option {key} is not supported: .*\."):
        parse(given | {key: value})
    if harmless is not None:
        assert parse(given | {key: harmless}).format == file_format


@pytest.mark.parametrize(
    ("file_format", "key", "value", "sentence"),
    [
        ("json", "header", "true", "header has no effect on json files"),
        ("parquet", "multiLine", "true", "multiLine has no effect on parquet files"),
        ("csv", "inferSchema", "true", r"Set cloudFiles\.inferColumnTypes instead"),
        ("csv", "enforceSchema", "true", "enforceSchema has no effect"),
    ],
)
def test_an_option_without_effect_is_mentioned(file_format: str, key: str, value: str, sentence: str):
    with pytest.warns(UserWarning, match=sentence):
        parse({"cloudfiles.format": file_format, "path": "/data", key: value})


def test_an_option_that_is_true_or_false_has_no_other_value():
    with pytest.raises(InvalidOption, match="The option primitivesAsString is 'yes'"):
        parse(NEEDED | {"primitivesAsString": "yes"})


@pytest.mark.filterwarnings("ignore:.* has no effect")
def test_options_of_spark_s_readers_are_known(spark: SparkSession):
    """Fails with a release of Spark whose readers have more options: put them into the tables."""
    catalyst, sources = "org.apache.spark.sql.catalyst", "org.apache.spark.sql.execution.datasources"
    readers = {"csv": f"{catalyst}.csv.CSVOptions", "json": f"{catalyst}.json.JSONOptions"}
    readers |= {"xml": f"{catalyst}.xml.XmlOptions", "parquet": f"{sources}.parquet.ParquetOptions"}
    readers |= {"orc": f"{sources}.orc.OrcOptions", "text": f"{sources}.text.TextOptions"}
    readers |= {"avro": "org.apache.spark.sql.avro.AvroOptions"}
    unknown = {}
    for file_format, reader in readers.items():
        names = getattr(getattr(spark._jvm, f"{reader}$"), "MODULE$").getAllOptions().mkString(",").split(",")
        for name in names:
            try:
                parse({"cloudfiles.format": file_format, "path": "/data", name: "true"})
            except UnknownOptions:
                unknown[file_format] = name
            except (UnsupportedOption, InvalidOption):
                continue
    assert unknown == {}


@pytest.mark.parametrize("key", ["useNotifications", "queueUrl", "clientSecret"])
def test_what_needs_a_cloud_is_refused(key: str):
    with pytest.raises(UnsupportedOption, match=key):
        parse(NEEDED | {f"cloudfiles.{key}".lower(): "true"})


def test_notifications_may_be_turned_off():
    assert parsed(cloudFiles__useNotifications="false").format == "json"


def test_what_has_no_effect_is_said_once():
    with pytest.warns(UserWarning, match="cloudFiles.backfillInterval has no effect"):
        parsed(cloudFiles__backfillInterval="1 day")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("cloudfiles.maxfilespertrigger", "0"),
        ("cloudfiles.maxfilespertrigger", "many"),
        ("cloudfiles.maxbytespertrigger", "-1g"),
        ("cloudfiles.inferColumnTypes", "yes"),
        ("cloudfiles.schemaevolutionmode", "add"),
        ("cloudfiles.cleansource.retentionduration", "soon"),
        ("mode", "STRICT"),
    ],
)
def test_a_wrong_value_is_an_error_that_names_the_key(key: str, value: str):
    with pytest.raises(InvalidOption) as error:
        parse(NEEDED | {key.lower(): value})
    assert key.lower() in str(error.value).lower() and value in str(error.value)


@pytest.mark.parametrize(
    "options",
    [
        {"cloudFiles.cleanSource": "MOVE"},
        {"cloudFiles.cleanSource": "DELETE", "cloudFiles.cleanSource.retentionDuration": "7 days"},
        {"cloudFiles.cleanSource": "DELETE", "cloudFiles.allowOverwrites": "true"},
    ],
)
def test_options_that_contradict_each_other_are_refused(options: dict[str, str]):
    with pytest.raises(InvalidOption):
        parse(NEEDED | {key.lower(): value for key, value in options.items()})


def test_how_much_is_looked_at_for_a_schema_is_a_setting_of_the_session():
    assert (parsed().sample_files, parsed().sample_bytes) == (1000, 50 * 1024**3)
    options = parse(NEEDED | {"__cloudfiles.samplefiles": "7", "__cloudfiles.samplebytes": "10gb"})
    assert (options.sample_files, options.sample_bytes) == (7, 10 * 1024**3)


def test_a_setting_that_is_wrong_is_named_as_the_user_knows_it():
    with pytest.raises(InvalidOption, match=r"spark\.databricks\.cloudFiles\..*numFiles is 'few'"):
        parse(NEEDED | {"__cloudfiles.samplefiles": "few"})


def test_no_partition_columns_is_not_the_same_as_none_given():
    assert parsed().partition_columns is None
    assert parsed(cloudFiles__partitionColumns="").partition_columns == ()
    assert parsed(cloudFiles__partitionColumns="a, b").partition_columns == ("a", "b")


@pytest.mark.parametrize(("text", "size"), [("10", 10), ("1k", 1024), ("10MB", 10 * 1024**2), ("2 gib", 2 * 1024**3)])
def test_sizes(text: str, size: int):
    assert parse_bytes(text) == size


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("14 days", 14 * DAY), ("interval 2 weeks 1 hour", 14 * DAY + 3600), ("1 DAY, 30 minutes", DAY + 1800)],
)
def test_durations(text: str, seconds: float):
    assert parse_duration(text) == seconds
