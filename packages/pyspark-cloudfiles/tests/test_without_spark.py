"""The source as Spark asks it, step by step, without Spark: corners that would take a running stream seconds each."""

from __future__ import annotations

import json
import os
import shutil
import threading
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.streaming.datasource import ReadMaxFiles
from pyspark.sql.types import IntegerType, StructField, StructType

from pyspark_cloudfiles.errors import InvalidOption, StateInUse, StateLost, UnknownFields
from pyspark_cloudfiles.filesystems import filesystem
from pyspark_cloudfiles.history import FileState, file_states
from pyspark_cloudfiles.segments import Segments
from pyspark_cloudfiles.source import cleaning, stream_reader
from pyspark_cloudfiles.source.data_source import CloudFilesDataSource
from pyspark_cloudfiles.source.task import TypesWidened


class Query:
    """A query that is restarted for each batch, and plays Spark's part."""

    def __init__(self, root: Path) -> None:
        self.root, self.offset, self.clock = root, None, 1_700_000_000
        self.options: dict[str, str] = {}
        self.schema: StructType | None = None

    def put(self, name: str, *rows: Any) -> Path:
        path = self.root / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        path.write_text("".join(f"{line}\n" for line in lines))
        self.clock += 1
        os.utime(path, (self.clock, self.clock))
        return path

    def move_when_done(self, retention: str = "0 seconds") -> None:
        """Clean up files by moving them into the directory ``done``."""
        done = {"retentionDuration": retention, "moveDestination": f"file:{self.root}/done"}
        self.options |= {"cleanSource": "MOVE", **{f"cleanSource.{key}": value for key, value in done.items()}}

    def reader(self):
        options = {
            "cloudfiles.format": "json",
            "cloudfiles.schemalocation": f"file:{self.root}/checkpoint",
            "path": f"file:{self.root}/in",
        }
        given = {key if key in PLAIN else f"cloudfiles.{key}": value for key, value in self.options.items()}
        source = CloudFilesDataSource(options | {key.lower(): value for key, value in given.items()})
        return source.streamReader(self.schema or source.schema())

    def run(self) -> list[dict]:
        """Plan and read one batch in a fresh process, as it were; the offset stays where it is if it fails."""
        reader = self.reader()
        try:
            start = self.offset or reader.initialOffset()
            end = reader.latestOffset(start, ReadMaxFiles(1000))
            rows = [
                row
                for partition in reader.partitions(start, end)
                for batch in reader.read(partition)
                for row in pa.Table.from_batches([batch]).to_pylist()
            ]
            reader.commit(end)
        finally:
            reader.stop()
        self.offset = end
        return rows


PLAIN = {"ignoreCorruptFiles", "ignoreMissingFiles", "mode", "path"}


@pytest.fixture
def query(tmp_path: Path) -> Query:
    return Query(tmp_path)


def states(query: Query) -> list[FileState]:
    """Return what is known of the files where the checkpoint tells only of a batch that is not done yet."""
    offsets = query.root / "checkpoint" / "offsets"
    offsets.mkdir(exist_ok=True)
    (offsets / "200").write_text(f"v1\n{{}}\n{json.dumps(query.offset)}")
    return list(file_states(f"file:{query.root}/checkpoint"))


def rescued(row: dict) -> dict:
    return {key: value for key, value in json.loads(row["_rescued_data"]).items() if key != "_file_path"}


@pytest.mark.parametrize("change", ["mode", "file"])
def test_what_may_have_more_than_the_schema_is_looked_at(query: Query, monkeypatch: pytest.MonkeyPatch, change: str):
    looked_at: list[int] = []
    reader = stream_reader.CloudFilesStreamReader
    monkeypatch.setattr(reader, "_precheck", lambda self, batch: looked_at.append(len(batch.files)))
    if change == "mode":
        query.options["mode"] = "FAILFAST"
    query.put("a.json", {"id": 1})
    made = query.reader()
    if change == "file":
        query.put("a.json", {"id": 1, "new": 2})
    made.partitions(start := made.initialOffset(), made.latestOffset(start, ReadMaxFiles(1000)))
    made.stop()
    assert looked_at == [1]


def test_what_a_hint_leaves_no_room_for_is_rescued_not_failed_for_ever(query: Query):
    query.put("a.json", {"user": {"name": "x"}})
    query.run()
    query.options["schemaHints"] = "user.dob DATE"
    query.put("b.json", {"user": {"name": "y", "dob": "2001-02-03"}})
    [row] = query.run()
    assert str(row["user"]["dob"]) == "2001-02-03"
    assert rescued(row) == {"user": {"name": "y"}}


def test_a_hinted_type_does_not_grow(query: Query):
    query.options |= {
        "schemaHints": "n INT", "inferColumnTypes": "true", "schemaEvolutionMode": "addNewColumnsWithTypeWidening",
    }  # fmt: skip
    query.put("a.json", {"n": 1})
    query.run()
    query.put("b.json", {"n": 1.5})
    [row] = query.run()
    assert row["n"] is None and rescued(row) == {"n": 1.5}


def test_types_that_grew_are_named(query: Query):
    query.options |= {"inferColumnTypes": "true", "schemaEvolutionMode": "addNewColumnsWithTypeWidening"}
    query.put("a.json", {"n": 1})
    query.run()
    query.put("b.json", {"n": 12345678901234567890123})
    with pytest.raises(TypesWidened, match=r"n from bigint to decimal\(23,0\)"):
        query.run()
    assert [int(row["n"]) for row in query.run()] == [12345678901234567890123]


@pytest.mark.parametrize("mode", ["addNewColumns", "failOnNewColumns"])
def test_a_corrupt_file_that_is_passed_over_does_not_hide_a_new_column(query: Query, mode: str):
    query.options |= {"ignoreCorruptFiles": "true", "schemaEvolutionMode": mode}
    query.put("a.json", {"id": 1})
    query.run()
    query.put("b.json.gz", "no gzip")
    query.put("c.json", {"id": 2, "new": 1})
    with pytest.raises(UnknownFields) as error:
        query.run()
    assert error.value.retry is (mode == "addNewColumns")
    if error.value.retry:
        assert [row["id"] for row in query.run()] == ["2"]


def test_many_files_that_went_away_do_not_keep_the_schema_from_being_found(query: Query, monkeypatch):
    paths = [query.put(f"{number}.json", {"id": number}) for number in range(1200)]
    from pyspark_cloudfiles.source import data_source

    found = data_source.sample(query.reader()._plan.options)
    shutil.rmtree(query.root / "checkpoint")
    for path in paths[:1150]:
        path.unlink()
    monkeypatch.setattr(data_source, "sample", lambda options: found)
    assert query.reader()._plan.layout.schema.fieldNames() == ["id", "_rescued_data"]


def test_data_columns_named_as_ours_are_rescued(query: Query):
    query.put("a.json", {"id": 1, "_rescued_data": "x", "_metadata": {"y": 1}})
    [row] = query.run()
    assert row["id"] == "1"
    assert rescued(row)["_rescued_data"] == "x"


def test_a_column_of_the_path_counts_where_the_data_has_it_too(query: Query):
    query.put("Day=1/date=2026-01-02/a.json", {"id": 1, "date": "other", "day": 7})
    query.put("day=2/date=2026-01-03/b.json", {"id": 2, "date": "other"})
    rows = query.run()
    assert [(row["id"], row["date"]) for row in rows] == [("1", "2026-01-02"), ("2", "2026-01-03")]
    assert list(rows[0]) == ["id", "_rescued_data", "Day", "date"]
    assert rows[1]["_rescued_data"] is None


def test_a_batch_in_which_every_record_is_dropped_is_empty(query: Query):
    query.schema = StructType([StructField("id", IntegerType()), StructField("day", IntegerType())])
    query.options["mode"] = "DROPMALFORMED"
    query.put("day=1/a.json", '{"id": ', {"id": "x"})
    query.put("day=1/b.json", {"id": 1})
    assert query.run() == [{"id": 1, "day": 1}]


@pytest.mark.parametrize("path", ["in/*", "in/x/a.json"])
def test_cleaned_files_keep_their_place_below_a_glob_or_a_file(query: Query, path: str):
    query.move_when_done()
    query.options["path"] = f"file:{query.root}/{path}"
    query.put("x/a.json", {"id": 1})
    query.run()
    moved = [str(found.relative_to(query.root)) for found in (query.root / "done").rglob("*.json")]
    assert moved == (["done/x/a.json"] if "*" in path else ["done/a.json"])


def test_files_are_not_moved_to_where_a_glob_finds_them_again(query: Query):
    query.put("x/a.json", {"id": 1})
    query.options |= {
        "path": f"file:{query.root}/in/*", "cleanSource": "MOVE",
        "cleanSource.moveDestination": f"file:{query.root}/in/done",
    }  # fmt: skip
    with pytest.raises(InvalidOption, match="is in the source directory"):
        query.reader()


def test_a_file_that_cannot_be_cleaned_does_not_end_the_stream(query: Query, monkeypatch: pytest.MonkeyPatch):
    query.move_when_done()
    query.put("a.json", {"id": 1})

    def refuse(*_: str) -> None:
        raise PermissionError("not yours")

    monkeypatch.setattr(filesystem, "move", refuse)
    with pytest.warns(UserWarning, match="could not be cleaned up"):
        query.run()
    [state] = states(query)
    assert state.commit_time is not None and state.archive_time is None


def test_the_state_of_a_file_tells_when_it_was_done_and_cleaned(query: Query):
    query.move_when_done()
    query.put("a.json", {"id": 1})
    query.run()
    query.put("b.json", {"id": 2})
    query.run()
    first, second = states(query)
    assert (first.path, first.archive_mode) == (f"file:{query.root}/in/a.json", "MOVE")
    assert first.discovery_time <= first.commit_time <= first.archive_time <= second.commit_time
    assert first.move_location == f"file:{query.root}/done"


def test_without_cleaning_a_file_is_known_to_be_done_as_well(query: Query):
    reader = None
    for number in range(60):  # more than are noted together
        query.put(f"{number}.json", {"id": number})
        reader = reader or query.reader()
        start = query.offset or reader.initialOffset()
        query.offset = reader.latestOffset(start, ReadMaxFiles(1000))
    times = [state.commit_time for state in states(query)]
    reader.stop()
    assert None not in times[:51] and times[51:] == [None] * 9


def test_a_changed_file_is_left_by_the_cleaner(query: Query):
    query.move_when_done("1 hour")
    query.put("a.json", {"id": 1})
    query.run()
    query.put("a.json", {"id": 2})
    query.options["cleanSource.retentionDuration"] = "0 seconds"
    query.run()
    assert (query.root / "in" / "a.json").exists() and not (query.root / "done").exists()
    assert [state.archive_mode for state in states(query)] == [None]


def test_what_could_not_be_cleaned_is_tried_again_and_then_noted(query: Query, monkeypatch: pytest.MonkeyPatch):
    query.move_when_done()
    kept, gone = query.put("a.json", {"id": 1}), query.put("b.json", {"id": 2})
    move = filesystem.move

    def refuse(url: str, target: str) -> None:
        if url.endswith("a.json"):
            raise PermissionError("busy")
        move(url, target)

    monkeypatch.setattr(filesystem, "move", refuse)
    with pytest.warns(UserWarning, match="a.json was ingested and could not be cleaned up"):
        query.run()
    assert kept.exists() and not gone.exists()
    assert [state.archive_mode for state in states(query)] == [None, "MOVE"]
    monkeypatch.setattr(filesystem, "move", move)
    query.put("c.json", {"id": 3})
    query.run()  # another process, which tries at once
    assert not kept.exists()
    assert [state.archive_mode for state in states(query)] == ["MOVE"] * 3


def test_a_slow_cleaning_does_not_hold_up_the_next_batch(query: Query, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cleaning, "JOIN_TIMEOUT", 0.05)
    query.move_when_done()
    for name in ("a.json", "b.json", "c.json"):
        query.put(name, {"id": 1})
    goes_on, begun = threading.Event(), threading.Event()
    move = filesystem.move

    def wait(url: str, target: str) -> None:
        begun.set()
        assert goes_on.wait(120)
        move(url, target)

    monkeypatch.setattr(filesystem, "move", wait)
    reader = query.reader()
    end = reader.latestOffset(reader.initialOffset(), ReadMaxFiles(1000))
    reader.commit(end)
    assert begun.wait(120)
    query.put("d.json", {"id": 2})
    assert reader.latestOffset(end, ReadMaxFiles(1000))["seqNum"] == 4  # while the first file is being moved
    goes_on.set()
    reader.stop()
    query.offset = end
    assert [state.archive_mode for state in states(query)] == ["MOVE", None, None, None]  # it ended after that one


def test_a_second_query_of_one_log_is_told(query: Query, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stream_reader, "LOCK_TIMEOUT", 0.2)
    query.put("a.json", {"id": 1})
    query.run()
    other = query.reader()
    other.latestOffset(query.offset, ReadMaxFiles(1))
    with pytest.raises(StateInUse, match="Stop the other stream"):
        query.run()
    other.stop()
    query.run()


def test_a_damaged_segment_that_was_given_out_ends_the_query_and_stays(query: Query):
    query.put("a.json", {"id": 1})
    query.run()
    [segment] = (query.root / "checkpoint" / "_cloudfiles").rglob("files/*.parquet")
    segment.write_bytes(segment.read_bytes()[:-1])
    query.put("b.json", {"id": 2})
    for _ in range(2):
        with pytest.raises(StateLost, match=f"is damaged in {segment.name}.*the checkpoint is at 1"):
            query.run()
    assert segment.exists()


def test_a_checkpoint_of_another_source_is_told(query: Query):
    query.put("a.json", {"id": 1})
    query.offset = {"logOffset": 0}
    with pytest.raises(StateLost, match="another source"):
        query.run()


def test_a_store_that_fails_for_a_moment_costs_no_state(query: Query, monkeypatch: pytest.MonkeyPatch):
    query.put("a.json", {"id": 1})
    query.run()
    [segment] = (query.root / "checkpoint" / "_cloudfiles").rglob("files/*.parquet")
    read = filesystem.read_bytes

    def fail(url: str) -> bytes:
        if url.endswith(segment.name):
            raise OSError("too many open files")
        return read(url)

    monkeypatch.setattr(filesystem, "read_bytes", fail)
    with pytest.raises(OSError, match="too many open files"):
        query.run()
    assert segment.exists()


def test_triggers_that_find_different_numbers_of_files_leave_few_segments(tmp_path: Path):
    segments = Segments(f"file:{tmp_path}/log")
    for number in range(400):
        count = (5, 12, 1, 70)[number % 4]
        segments.append(pa.table({"n": list(range(len(segments), len(segments) + count))}))
    assert len(list((tmp_path / "log").iterdir())) < 60
    assert Segments(f"file:{tmp_path}/log").rows(0, len(segments))["n"].to_pylist() == list(range(len(segments)))


@pytest.mark.slow
def test_a_reader_is_not_disturbed_by_merges(tmp_path: Path):
    place = f"file:{tmp_path}/log"
    segments, stop, errors = Segments(place), threading.Event(), []
    segments.append(pa.table({"n": [0]}))

    def read() -> None:
        while not stop.is_set():
            try:
                reader = Segments(place)
                end = len(reader)
                assert reader.rows(0, end)["n"].to_pylist() == list(range(end))
            except Exception as error:
                errors.append(error)
                return

    thread = threading.Thread(target=read)
    thread.start()
    for number in range(1, 400):
        segments.append(pa.table({"n": [number]}))
    stop.set()
    thread.join()
    assert errors == []


def test_options_of_null_are_no_options():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CloudFilesDataSource({"cloudfiles.format": "json", "path": "/x", "cloudfiles.validateoptions": None})
