from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from pyspark.errors import AnalysisException, IllegalArgumentException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from streaming_classroom import environment, views
from streaming_classroom.views import display, displayHTML


@pytest.fixture
def land(tmp_path: Path) -> Callable[..., None]:
    """Put a file with a row for each value in front of the streams."""

    def put(*values: int) -> None:
        rows = "".join(json.dumps({"id": value}) + "\n" for value in values)
        (tmp_path / f".{time.monotonic_ns()}").write_text(rows)
        [hidden] = tmp_path.glob(".[0-9]*")
        hidden.rename(tmp_path / f"{hidden.name[1:]}.json")

    return put


@pytest.fixture
def stream(spark: SparkSession, tmp_path: Path, land: Callable[..., None]) -> DataFrame:
    """Give a streaming frame of the rows that are landed; three are there already."""
    land(1, 2, 3)
    return spark.readStream.schema("id INT").json(tmp_path.as_uri())


class Output:
    """An output cell; keeps each picture that is drawn into it."""

    def __init__(self, text: str) -> None:
        self.drawn: list[str] = [text]

    def update(self, bundle: dict[str, str], raw: bool) -> None:
        assert raw and set(bundle) == {"text/html", "text/plain"}
        self.drawn.append(bundle["text/plain"])

    def wait_for(self, text: str, seconds: float = 20) -> None:
        deadline = time.monotonic() + seconds
        while text not in self.drawn[-1]:
            assert time.monotonic() < deadline, self.drawn
            time.sleep(0.02)


@pytest.fixture
def outputs(monkeypatch: pytest.MonkeyPatch) -> list[Output]:
    """Have a person look; give the outputs as they are made."""
    outputs: list[Output] = []
    monkeypatch.setattr(environment, "is_interactive", lambda: True)
    monkeypatch.setattr(views, "_new_output", lambda text: outputs.append(Output(text)) or outputs[-1])
    return outputs


def names(spark: SparkSession) -> list[str]:
    return sorted(query.name for query in spark.streams.active)


def test_a_batch_frame_is_a_table(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    display(spark.range(2), spark.range(1))
    assert capsys.readouterr().out == "id\n 0\n 1\n(2 rows)\nid\n 0\n(1 row)\n"


def test_anything_else_is_shown_as_ipython_would(capsys: pytest.CaptureFixture[str]) -> None:
    display({"a": [1]}, [1, 2], "text")
    displayHTML("<b>hello</b>")
    assert capsys.readouterr().out.startswith("{'a': [1]}\n[1, 2]\ntext\n")


def test_a_pandas_frame_and_a_list_of_rows_are_tables(capsys: pytest.CaptureFixture[str]) -> None:
    display(pd.DataFrame({"a": [1]}), [{"a": 1}])
    assert capsys.readouterr().out == 2 * "a\n1\n(1 row)\n"


def test_without_a_person_a_stream_leaves_one_final_frame_and_goes_on(
    spark: SparkSession, stream: DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    display(stream, streamName="rows")
    assert capsys.readouterr().out == "id\n 3\n 2\n 1\n(rows: 3 rows)\n"
    assert names(spark) == ["rows"]


def test_the_query_fills_a_table_of_its_name(spark: SparkSession, stream: DataFrame, land) -> None:
    display(stream, streamName="rows")
    land(4)
    spark.streams.active[0].processAllAvailable()
    assert spark.table("rows").count() == 4


def test_an_aggregation_is_complete_and_anything_else_is_appended(
    spark: SparkSession, stream: DataFrame, land, capsys: pytest.CaptureFixture[str]
) -> None:
    display(stream.groupBy().count(), streamName="total")
    display(stream, streamName="rows")
    land(4)
    for query in spark.streams.active:
        query.processAllAvailable()
    assert [row[0] for row in spark.table("total").collect()] == [4]
    assert spark.table("rows").count() == 4


def test_the_output_mode_that_is_asked_for_is_used(spark: SparkSession, stream: DataFrame, land) -> None:
    display(stream.groupBy().count(), streamName="total", outputMode="update")
    land(4)
    spark.streams.active[0].processAllAvailable()
    assert sorted(row[0] for row in spark.table("total").collect()) == [3, 4]


def test_a_query_that_ends_by_itself_leaves_its_frame(
    spark: SparkSession, stream: DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    display(stream, streamName="once", trigger={"availableNow": True})
    assert "(once: 3 rows)" in capsys.readouterr().out
    assert names(spark) == []


def test_the_interval_and_the_checkpoint_are_the_querys(
    spark: SparkSession, stream: DataFrame, tmp_path_factory: pytest.TempPathFactory
) -> None:
    checkpoint = tmp_path_factory.mktemp("checkpoint")
    display(stream, streamName="rows", processingTime="1 second", checkpointLocation=checkpoint.as_uri())
    assert (checkpoint / "commits" / "0").exists()
    [query] = spark.streams.active
    execution = query._jsq.streamingQuery() if hasattr(query._jsq, "streamingQuery") else query._jsq
    assert "ProcessingTimeTrigger(1000)" in str(execution.trigger())


def test_two_displays_of_one_frame_have_two_names(spark: SparkSession, stream: DataFrame) -> None:
    display(stream)
    display(stream)
    assert names(spark) == ["display_query_1", "display_query_2"]


def test_a_name_is_not_given_again_while_its_table_is_there(spark: SparkSession, stream: DataFrame) -> None:
    spark.range(1).createOrReplaceTempView("display_query_1")
    display(stream)
    assert names(spark) == ["display_query_2"]


def test_a_taken_name_is_refused_in_the_calling_cell(stream: DataFrame) -> None:
    display(stream, streamName="taken")
    with pytest.raises(IllegalArgumentException, match="taken"):
        display(stream, streamName="taken")


def test_a_query_that_spark_refuses_raises_sparks_own_error(stream: DataFrame) -> None:
    with pytest.raises(AnalysisException, match=r"[Aa]ppend"):
        display(stream.groupBy("id").count(), outputMode="append")
    with pytest.raises(AnalysisException, match=r"ROW_NUMBER|window"):
        display(stream.selectExpr("row_number() OVER (ORDER BY id)"))


@pytest.mark.parametrize("interactive", [False, True])
def test_a_query_that_fails_raises_its_error_in_the_calling_cell(
    stream: DataFrame, interactive: bool, outputs: list[Output], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "is_interactive", lambda: interactive)
    with pytest.raises(StreamingQueryException, match="the sensor is broken"):
        display(stream.selectExpr("raise_error('the sensor is broken')"), streamName="failing")


def test_with_a_person_the_first_batch_is_drawn_when_the_cell_ends(
    spark: SparkSession, stream: DataFrame, outputs: list[Output]
) -> None:
    display(stream, streamName="rows")
    [output] = outputs
    assert output.drawn[0] == "Waiting for the first batch of rows …"
    assert "(rows · live · batch 0: 3 rows)" in output.drawn[1]
    assert names(spark) == ["rows"]


def test_with_a_person_the_cell_ends_soon_where_nothing_comes(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, outputs: list[Output], monkeypatch
) -> None:
    monkeypatch.setattr(views, "FIRST_RESULT_TIMEOUT", 1.0)
    empty = tmp_path_factory.mktemp("empty")
    begin = time.monotonic()
    display(spark.readStream.schema("id INT").json(empty.as_uri()), streamName="nothing")
    assert time.monotonic() - begin < 8
    assert outputs[0].drawn == ["Waiting for the first batch of nothing …"]


def test_the_first_batch_is_drawn_however_late_it_comes(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, outputs: list[Output], monkeypatch
) -> None:
    monkeypatch.setattr(views, "FIRST_RESULT_TIMEOUT", 1.0)
    late = tmp_path_factory.mktemp("late")
    display(spark.readStream.schema("id INT").json(late.as_uri()), streamName="late")
    (late / "a.json").write_text('{"id": 7}\n')
    outputs[0].wait_for("(late · live · batch 0: 1 row)")


def test_each_batch_is_drawn_once_and_the_end_as_well(
    spark: SparkSession, stream: DataFrame, land, outputs: list[Output]
) -> None:
    display(stream, streamName="rows")
    land(4)
    outputs[0].wait_for("batch 1: 4 rows")
    [query] = spark.streams.active
    idle = len(query.recentProgress)
    deadline = time.monotonic() + 20
    while len(query.recentProgress) < idle + 2 and time.monotonic() < deadline:
        time.sleep(0.05)  # two reports of an idle stream, which are no batches
    query.stop()
    outputs[0].wait_for("stopped")
    titles = [picture.splitlines()[-1] for picture in outputs[0].drawn[1:]]
    assert titles == [
        "(rows · live · batch 0: 3 rows)",
        "(rows · live · batch 1: 4 rows)",
        "(rows · stopped · batch 1: 4 rows)",
    ]


def test_a_stream_that_fails_later_says_so_in_its_output(
    spark: SparkSession, stream: DataFrame, land, outputs: list[Output]
) -> None:
    display(stream.selectExpr("assert_true(id < 4, 'too big')", "id"), streamName="rows")
    land(4)
    outputs[0].wait_for("rows · failed: ")
    assert "too big" in outputs[0].drawn[-1]
    assert "batch 0: 3 rows" in outputs[0].drawn[-1]


def test_an_output_says_stopped_when_a_lesson_that_starts_over_took_its_table(
    spark: SparkSession, stream: DataFrame, outputs: list[Output]
) -> None:
    display(stream, streamName="rows")
    spark.catalog.dropTempView("rows")
    spark.streams.active[0].stop()
    outputs[0].wait_for("(rows · stopped · batch 0: 3 rows)")


def test_a_long_stream_shows_its_newest_rows_and_says_so(spark: SparkSession, land, stream: DataFrame, capsys) -> None:
    land(*range(1000))
    display(stream, streamName="rows")
    assert capsys.readouterr().out.endswith("(rows: newest 1,000 rows)\n")
