"""What is measured of Auto Loader, SQL and streams: each case with the page that documents it, and its value here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PAGES = "https://docs.databricks.com/en/"
_SCHEMA_PAGE = "ingestion/cloud-object-storage/auto-loader/schema"
_OPTIONS_PAGE = "ingestion/cloud-object-storage/auto-loader/options"
_COPY_PAGE = "sql/language-manual/delta-copy-into"
_TRIGGERS_PAGE = "structured-streaming/triggers"


@dataclass(frozen=True)
class Place:
    """Where cases run.

    Attributes
    ----------
    spark : SparkSession
        The session; its current schema is the kit's own.
    directory : str
        A directory for files and checkpoints, in Spark's spelling.
    local : callable
        Returns where Python finds a path of Spark's.
    """

    spark: SparkSession
    directory: str
    local: Callable[[str], Path]

    def write(self, path: str, *lines: str) -> str:
        """Write a file below the directory, and return its folder in Spark's spelling."""
        file = self.local(f"{self.directory}/{path}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return f"{self.directory}/{path}".rpartition("/")[0]

    def load(self, folder: str, kind: str = "json", name: str = "", **options: Any) -> DataFrame:
        """Return a folder as a stream of Auto Loader, with its schema versions beside its checkpoint."""
        where = self.checkpoint(name or folder.rpartition("/")[2])
        reader = self.spark.readStream.format("cloudFiles").option("cloudFiles.format", kind)
        return reader.option("cloudFiles.schemaLocation", where).options(**options).load(folder)

    def run(self, frame: DataFrame, name: str, table: str = "", **options: Any) -> Any:
        """Bring what a stream has into a table, with a checkpoint of that name; return the query, which has ended."""
        writer = frame.writeStream.option("checkpointLocation", self.checkpoint(name)).options(**options)
        query = writer.trigger(availableNow=True).toTable(table or name)
        query.awaitTermination()
        return query

    def checkpoint(self, name: str) -> str:
        """Return the directory of a checkpoint."""
        return f"{self.directory}/checkpoints/{name}"

    def rows(self, query: str) -> list[list[Any]]:
        """Return the rows of a statement, sorted, with values that JSON has."""
        found = [[_plain(value) for value in row] for row in self.spark.sql(query).collect()]
        return sorted(found, key=str)


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


@dataclass(frozen=True)
class Case:
    """One claim.

    Attributes
    ----------
    what : str
        The claim's subject.
    page : str
        The page that documents it.
    run : callable
        Runs it, and returns a value that JSON has.
    here : any
        The value on open-source Spark with the course's packages.
    """

    what: str
    page: str
    run: Callable[[Place], Any]
    here: Any


def _types(frame: DataFrame) -> list[list[str]]:
    return [list(pair) for pair in frame.dtypes]


def _error_of(act: Callable[[], Any]) -> str:
    """Return the error condition of a call, without its subclass; an empty string if it succeeds."""
    try:
        act()
    except Exception as error:
        text = str(error)
        begin = text.find("[")
        return text[begin + 1 : text.find("]", begin)].partition(".")[0] if begin >= 0 else type(error).__name__
    return ""


def _text_columns(place: Place) -> Any:
    return _types(place.load(place.write("texts/a.json", '{"id": 1, "at": "2025-01-01"}')))


def _inferred_columns(place: Place) -> Any:
    folder = place.write("inferred/a.json", '{"id": 1, "ok": true, "part": {"x": 1.5}}')
    return _types(place.load(folder, **{"cloudFiles.inferColumnTypes": "true"}))


def _hints(place: Place) -> Any:
    folder = place.write("hinted/a.json", '{"id": 1, "price": "2.50"}')
    return _types(place.load(folder, **{"cloudFiles.schemaHints": "price DECIMAL(8, 2)"}))


def _csv_names(place: Place) -> Any:
    folder = place.write("names/a.csv", "id,name", "1,Ada")
    place.run(place.load(folder, "csv", header="true"), "names")
    return place.rows("SELECT id, name, _rescued_data FROM names")


def _once_per_path(place: Place) -> Any:
    folder = place.write("once/a.json", '{"id": 1}')
    place.run(place.load(folder), "once")
    place.write("once/a.json", '{"id": 2}')
    place.write("once/b.json", '{"id": 3}')
    place.run(place.load(folder), "once")
    return place.rows("SELECT id FROM once")


def _new_column(place: Place) -> Any:
    folder = place.write("evolving/a.json", '{"id": 1}')
    place.run(place.load(folder), "evolving")
    place.write("evolving/b.json", '{"id": 2, "name": "Bo"}')
    first = _error_of(lambda: place.run(place.load(folder), "evolving", mergeSchema="true"))
    place.run(place.load(folder), "evolving", mergeSchema="true")
    return [first, place.rows("SELECT id, name FROM evolving")]


def _rescued(place: Place) -> Any:
    folder = place.write("rescued/a.json", '{"id": 1}')
    options = {"cloudFiles.schemaHints": "id INT", "cloudFiles.schemaEvolutionMode": "rescue"}
    place.run(place.load(folder, **options), "rescued")
    place.write("rescued/b.json", '{"id": "x", "name": "Bo"}')
    place.run(place.load(folder, **options), "rescued")
    fields = "get_json_object(_rescued_data, '$.id'), get_json_object(_rescued_data, '$.name')"
    return place.rows(f"SELECT id, {fields} FROM rescued")


def _fail_on_new(place: Place) -> Any:
    folder = place.write("strict/a.json", '{"id": 1}')
    options = {"cloudFiles.schemaEvolutionMode": "failOnNewColumns"}
    place.run(place.load(folder, **options), "strict")
    place.write("strict/b.json", '{"id": 2, "name": "Bo"}')
    twice = [_error_of(lambda: place.run(place.load(folder, **options), "strict")) for _ in range(2)]
    return [bool(error) for error in twice]


def _partition(place: Place) -> Any:
    folder = place.write("days/day=2025-01-01/a.json", '{"id": 1}').rpartition("/")[0]
    place.run(place.load(folder, name="days"), "days")
    return place.rows("SELECT id, day FROM days")


def _limit(place: Place) -> Any:
    for number in range(3):
        folder = place.write(f"limited/{number}.json", f'{{"id": {number}}}')
    query = place.run(place.load(folder, **{"cloudFiles.maxFilesPerTrigger": "1"}), "limited")
    return [report["numInputRows"] for report in query.recentProgress if report["numInputRows"]]


def _file_name(place: Place) -> Any:
    folder = place.write("files/a.json", '{"id": 1}')
    place.run(place.load(folder).selectExpr("id", "_metadata.file_name AS file"), "files_read")
    return place.rows("SELECT id, file FROM files_read")


def _read_files(place: Place) -> Any:
    folder = place.write("listed/a.json", '{"id": 1}')
    return place.rows(f"SELECT id FROM read_files('{folder}', format => 'json')")


def _copy_twice(place: Place) -> Any:
    folder = place.write("copied/a.json", '{"id": "1"}')
    place.spark.sql("CREATE OR REPLACE TABLE copied (id STRING)")
    statement = f"COPY INTO copied FROM '{folder}' FILEFORMAT = JSON"
    return [place.spark.sql(statement).first()["num_inserted_rows"] for _ in range(2)]


def _json_path(place: Place) -> Any:
    place.spark.sql("""CREATE OR REPLACE TABLE bodies AS SELECT '{"who": {"name": "Ada"}}' AS body""")
    return place.rows("SELECT body:who.name FROM bodies")


def _time_travel(place: Place) -> Any:
    place.spark.sql("CREATE OR REPLACE TABLE versions (id INT)")
    place.spark.sql("INSERT INTO versions VALUES (1)")
    return place.spark.sql("SELECT count(*) FROM versions VERSION AS OF 0").first()[0]


def _missing_volume(place: Place) -> Any:
    catalog, schema = place.spark.sql("SELECT current_catalog(), current_schema()").first()
    path = f"/Volumes/{catalog}/{schema}/no_such_volume/x"
    return _error_of(lambda: place.spark.range(1).write.format("json").save(path)) != ""


def _identifier(place: Place) -> Any:
    place.spark.sql("CREATE OR REPLACE TABLE named AS SELECT 7 AS id")
    return place.rows("SELECT id FROM IDENTIFIER('na' || 'med')")


def _merge_twice(place: Place) -> Any:
    place.spark.sql("CREATE OR REPLACE TABLE merged AS SELECT 1 AS id, 'a' AS name")
    for _ in range(2):
        place.spark.sql("""MERGE INTO merged USING (SELECT 1 AS id, 'b' AS name) AS new ON merged.id = new.id
            WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""")
    return place.rows("SELECT * FROM merged")


def _endless(place: Place) -> Any:
    place.spark.sql("CREATE OR REPLACE TABLE ticks (id INT)")
    writer = place.spark.readStream.table("ticks").writeStream.option("checkpointLocation", place.checkpoint("endless"))

    def start() -> None:
        # Past the course's own start, which would run it again and again.
        from streaming_base import hooks

        hooks.original(type(writer), "toTable")(writer, "ticks_copied").stop()

    return _error_of(start)


def _late_rows(place: Place) -> Any:
    place.spark.sql("CREATE OR REPLACE TABLE beats (at TIMESTAMP)")
    frame = place.spark.readStream.table("beats").withWatermark("at", "10 minutes")
    frame = frame.groupBy("at").count()
    for minutes in ("00", "30", "05"):
        place.spark.sql(f"INSERT INTO beats VALUES (TIMESTAMP '2025-01-01 10:{minutes}:00')")
        place.run(frame, "beats_counted")
    return place.rows("SELECT date_format(at, 'HH:mm'), count FROM beats_counted")


def _for_each_batch(place: Place) -> Any:
    place.spark.sql("CREATE OR REPLACE TABLE numbers AS SELECT 1 AS id")
    place.spark.sql("CREATE OR REPLACE TABLE numbers_written (id INT, batch BIGINT)")

    def write(rows: DataFrame, batch: int) -> None:
        rows.selectExpr("id", f"CAST({batch} AS BIGINT) AS batch").write.mode("append").saveAsTable("numbers_written")

    writer = place.spark.readStream.table("numbers").writeStream.foreachBatch(write)
    writer = writer.option("checkpointLocation", place.checkpoint("numbers")).trigger(availableNow=True)
    for _ in range(2):
        writer.start().awaitTermination()
    return place.rows("SELECT * FROM numbers_written")


CASES = (
    Case("Auto Loader: JSON without inferColumnTypes", _SCHEMA_PAGE, _text_columns,
         [["at", "string"], ["id", "string"], ["_rescued_data", "string"]]),
    Case("Auto Loader: JSON with inferColumnTypes", _SCHEMA_PAGE, _inferred_columns,
         [["id", "bigint"], ["ok", "boolean"], ["part", "struct<x:double>"], ["_rescued_data", "string"]]),
    Case("Auto Loader: schemaHints", _SCHEMA_PAGE, _hints,
         [["id", "string"], ["price", "decimal(8,2)"], ["_rescued_data", "string"]]),
    Case("Auto Loader: CSV with a header", _OPTIONS_PAGE, _csv_names, [["1", "Ada", None]]),
    Case("Auto Loader: a file is changed after it was read", _OPTIONS_PAGE, _once_per_path, [["1"], ["3"]]),
    Case("Auto Loader: a new column stops the stream once", _SCHEMA_PAGE, _new_column,
         ["UNKNOWN_FIELD_EXCEPTION", [["1", None], ["2", "Bo"]]]),
    Case("Auto Loader: rescue", _SCHEMA_PAGE, _rescued, [[1, None, None], [None, "x", "Bo"]]),
    Case("Auto Loader: failOnNewColumns fails each time", _SCHEMA_PAGE, _fail_on_new, [True, True]),
    Case("Auto Loader: a partition in the path", _OPTIONS_PAGE, _partition, [["1", "2025-01-01"]]),
    Case("Auto Loader: maxFilesPerTrigger with availableNow", _OPTIONS_PAGE, _limit, [1, 1, 1]),
    Case("Auto Loader: _metadata.file_name", _OPTIONS_PAGE, _file_name, [["1", "a.json"]]),
    Case("SQL: read_files", "sql/language-manual/functions/read_files", _read_files, [[1]]),
    Case("SQL: COPY INTO, twice", _COPY_PAGE, _copy_twice, [1, 0]),
    Case("SQL: a path in a JSON text", "semi-structured/json", _json_path, [["Ada"]]),
    Case("SQL: VERSION AS OF", "delta/history", _time_travel, 0),
    Case("SQL: a volume that does not exist", "volumes", _missing_volume, True),
    Case("SQL: IDENTIFIER", "sql/language-manual/sql-ref-names-identifier-clause", _identifier, [[7]]),
    Case("SQL: a MERGE, twice", "delta/merge", _merge_twice, [[1, "b"]]),
    Case("Streams: a trigger that does not end, on serverless compute", "compute/serverless/limitations", _endless,
         "INFINITE_STREAMING_TRIGGER_NOT_SUPPORTED"),
    Case("Streams: a late row, run by run", _TRIGGERS_PAGE, _late_rows, [["10:00", 1]]),
    Case("Streams: foreachBatch, without new data the second time", "structured-streaming/foreach", _for_each_batch,
         [[1, 0]]),
)  # fmt: skip


def page_of(case: Case) -> str:
    """Return the address of the page that documents a case."""
    return _PAGES + case.page
