"""The pytest plugin, and the example of its page, in a pytest of their own in this process, with its session."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "unit-tests.md"
PLUGIN = "declarative_pipelines.testing.plugin"


@dataclass
class Reports:
    """What became of each test, as a plugin of pytest hears it."""

    outcomes: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            name = report.nodeid.rpartition("::")[2]
            self.outcomes[name], self.texts[name] = report.outcome, report.longreprtext


@pytest.fixture
def run_tests(spark: SparkSession, tmp_path: Path) -> Callable[..., Reports]:
    """Run the tests of a project, given by its files."""

    def run(**files: str) -> Reports:
        for name, text in files.items():
            stem, _, suffix = name.rpartition("_")
            (tmp_path / f"{stem}.{suffix}").write_text(text)
        reports = Reports()
        options = ["-p", "no:cacheprovider", "-p", "no:xdist", "-q", "--strict-markers", "--import-mode=importlib"]
        pytest.main([*options, "-p", PLUGIN, "--rootdir", str(tmp_path), str(tmp_path)], plugins=[reports])
        return reports

    return run


PIPELINE = """
import dlt
@dlt.table
def big():
    return spark.read.table("source").where(f"n > {spark.conf.get('least')}")
"""


def test_the_fixture_has_the_files_of_the_setting_or_of_the_marker(run_tests) -> None:
    reports = run_tests(
        pytest_ini="[pytest]\npipeline_files = big.py\n",
        big_py=PIPELINE,
        small_sql="CREATE MATERIALIZED VIEW small AS SELECT n FROM source WHERE n < 2;",
        test_fixture_py="""
import pytest

@pytest.fixture
def pipeline_configuration():
    return {"least": "1"}

def test_setting(pipeline):
    pipeline.mock("source", [{"n": 1}, {"n": 2}])
    assert pipeline.run().rows("big") == [(2,)]

@pytest.mark.pipeline("small.sql")
def test_marker(pipeline):
    pipeline.mock("source", [{"n": 1}, {"n": 2}])
    assert pipeline.run().rows("small") == [(1,)]

def test_wrong(pipeline):
    pipeline.mock("source", [{"n": 1}])
    assert pipeline.run().rows("big") == [(1,)]
""",
    )
    assert reports.outcomes == {"test_setting": "passed", "test_marker": "passed", "test_wrong": "failed"}
    assert "AssertionError" in reports.texts["test_wrong"]


def test_a_project_that_names_no_files_is_told_how(run_tests) -> None:
    reports = run_tests(pytest_ini="[pytest]\n", test_nothing_py="def test_it(pipeline):\n    pass\n")
    assert reports.outcomes == {"test_it": "failed"}
    assert "Set pipeline_files in the configuration of pytest" in reports.texts["test_it"]


FUNCTIONS = {
    "shouted.py": """
from pyspark import pipelines as dp
from pyspark.sql import functions as F

loud = F.udf(str.upper, "string")

@dp.table
def shouted():
    return spark.readStream.table("names").select(loud("name").alias("name"))

@dp.materialized_view
def found():
    named = spark.sql("SELECT * FROM shouted WHERE name = 'ADA'")
    return named.select(loud(F.concat("name", F.lit("!"))).alias("name"))
""",
    "test_shouted.py": """import pytest

pytestmark = pytest.mark.pipeline("shouted.py")


def test_shouted(pipeline):
    pipeline.mock("names", [{"name": "ada"}, {"name": "bo"}])
    result = pipeline.run()
    assert result.rows("shouted") == [("ADA",), ("BO",)] and result.rows("found") == [("ADA!",)]


def test_the_catalog_is_read_as_elsewhere(pipeline):
    pipeline.mock("names", [{"name": "ada"}])
    pipeline.spark.range(1).createOrReplaceTempView("of_the_test")
    assert "of_the_test" in [table.name for table in pipeline.spark.catalog.listTables()]
""",
}


def test_the_example_of_the_readme_and_functions_work_in_the_plugins_own_session(tmp_path: Path) -> None:
    """In a process without a session and without Spark's variables."""
    for name, text in {**example(), **FUNCTIONS}.items():
        (tmp_path / name).write_text(text)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK", "PYTEST"))}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=900)
    assert "7 passed" in run.stdout, run.stdout[-3000:]


def example() -> dict[str, str]:
    """Return the files of the page's example, by name."""
    section = PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
    [setting] = re.findall(r"```toml\n(.*?)```", section, re.DOTALL)
    return {"pyproject.toml": setting} | dict(re.findall(r"```python\n# (\w+\.py)\n(.*?)```", section, re.DOTALL))
