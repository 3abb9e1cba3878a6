"""``SELECT *, _metadata.*`` of files, in a pipeline's SQL."""

from __future__ import annotations

import pytest

from ..conftest import Pipeline

pytestmark = pytest.mark.slow


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
