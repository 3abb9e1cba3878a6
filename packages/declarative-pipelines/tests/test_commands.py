"""The shell command."""

from __future__ import annotations

import pytest

from declarative_pipelines.__main__ import main

from .conftest import Pipeline


def test_a_run_prints_what_it_did_and_a_dry_run_only_plans(pipeline: Pipeline, capsys: pytest.CaptureFixture) -> None:
    pipeline.land(1, 2)
    path = str(pipeline.write("@dlt.table\ndef one():\n    return spark.readStream.table('source')\n"))
    where = ["--database", pipeline.database, "--storage", f"file:{pipeline.folder}/storage"]
    assert main(["dry-run", path, *where], lambda: pipeline.spark) == 0
    assert "Dry run of pipeline: COMPLETED" in capsys.readouterr().out
    assert main(["run", path, *where, "--full-refresh", "one"], lambda: pipeline.spark) == 0
    assert "one: COMPLETED, 2 rows" in capsys.readouterr().out
    assert (pipeline.folder / "storage" / "system" / "events").is_dir()
    assert main(["run", path, *where, "--refresh", "two"], lambda: pipeline.spark) == 2
    assert main(["run", f"{path}x", *where], lambda: pipeline.spark) == 2
    assert "There is no" in capsys.readouterr().err
    pipeline.write("import nothing_of_this_name")
    assert main(["run", path, *where], lambda: pipeline.spark) == 1
