"""A query and a read of files make their frames from the session that they are called with."""

from __future__ import annotations

import json

import pytest
from pyspark.errors import AnalysisException

from declarative_pipelines.definitions.model import Definitions
from declarative_pipelines.definitions.statements import read_statements

from ..conftest import Pipeline


def dataset(text: str, name: str):
    definitions = Definitions()
    read_statements(text, "file.sql", definitions)
    return definitions.dataset(name)


def test_a_query_reads_what_has_live_before_its_name(spark):
    spark.range(3).createOrReplaceTempView("three")
    query = dataset("CREATE LIVE VIEW v AS SELECT sum(id) AS n FROM LIVE.three", "v").query
    assert query(spark).first()["n"] == 3


def test_sparks_error_is_about_what_was_written(spark):
    spark.range(3).createOrReplaceTempView("three")
    query = dataset("CREATE LIVE VIEW v AS SELECT 1 FROM LIVE.three WHERE wrong > 1", "v").query
    with pytest.raises(AnalysisException) as error:
        query(spark)
    assert f"pos {len('SELECT 1 FROM LIVE.three WHERE ')}" in str(error.value)


@pytest.mark.parametrize(("stream", "streaming"), [("", False), ("STREAM ", True)])
def test_a_read_of_files_is_auto_loaders(spark, tmp_path, stream, streaming):
    (tmp_path / "a.json").write_text(json.dumps({"id": 7}) + "\n")
    call = f"read_files('{tmp_path.as_uri()}', format => 'json', schema => 'id INT')"
    read = dataset(f"CREATE STREAMING TABLE t AS SELECT id FROM {stream}{call}", "__files_t_1").query
    frame = read(spark)
    assert (frame.isStreaming, frame.columns[0]) == (streaming, "id")
    assert streaming or frame.first()["id"] == 7


@pytest.mark.slow
def test_a_star_has_the_files_columns_and_not_their_metadata(pipeline: Pipeline) -> None:
    (pipeline.folder / "in").mkdir()
    (pipeline.folder / "in" / "1.csv").write_text("id\n1\n")
    files = (pipeline.folder / "in").as_uri()
    pipeline.write(
        f"""CREATE STREAMING TABLE s AS SELECT *, _metadata.* FROM STREAM read_files('{files}',
            format => 'csv', header => true, schema => 'id INT');
        CREATE MATERIALIZED VIEW m AS SELECT *, _metadata.file_name FROM read_files('{files}',
            format => 'csv', header => true, schema => 'id INT') f""",
        "pipeline.sql",
    )
    pipeline.run().raise_if_failed()
    assert pipeline.table("s").columns[:3] == ["id", "file_path", "file_name"]
    assert "_metadata" not in pipeline.table("s").columns
    assert pipeline.rows("SELECT * FROM m") == [(1, "1.csv")]
