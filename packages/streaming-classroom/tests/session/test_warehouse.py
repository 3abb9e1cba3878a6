from __future__ import annotations

from pathlib import Path

import pytest

from streaming_classroom.files import ownership

pytestmark = pytest.mark.slow

MAKE = """
from streaming_classroom import get_spark
spark = get_spark()
spark.sql("CREATE TABLE IF NOT EXISTS kept (n INT)")
spark.sql("INSERT INTO kept VALUES (1)")
spark.sql("CREATE SCHEMA IF NOT EXISTS mine")
spark.sql("CREATE TABLE IF NOT EXISTS mine.kept_too (n INT)")
spark.sql("DROP TABLE IF EXISTS dropped")
spark.sql("CREATE TABLE dropped (n INT)")
print(spark.table("kept").count(), spark.table("mine.kept_too").count())
"""


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    """Return the warehouse of a home that an earlier kernel has made."""
    return ownership.claim(tmp_path / "home") / "dbfs" / "user" / "hive" / "warehouse"


def test_a_table_of_an_earlier_kernel_is_known_to_the_next(run_python, tmp_path: Path) -> None:
    first, second = run_python(MAKE), run_python(MAKE)
    assert (first.stdout, second.stdout) == ("1 0\n", "2 0\n"), first.stderr[-2000:] + second.stderr[-2000:]


def test_a_broken_table_is_no_reason_not_to_start(run_python, warehouse: Path) -> None:
    log = warehouse / "broken" / "_delta_log"
    log.mkdir(parents=True)
    (log / "00000000000000000000.json").write_text("not JSON")
    done = run_python("from streaming_classroom import get_spark\nprint(get_spark().range(2).count())")
    assert done.stdout == "2\n", done.stderr[-2000:]


def test_a_folder_that_is_no_schemas_is_no_reason_not_to_start(run_python, warehouse: Path) -> None:
    for name in ("my-schema.db", ".db", "a b.db", "zum`.db", "mine.db"):
        (warehouse / name).mkdir(parents=True)
    show = "print([row[0] for row in get_spark().sql('SHOW SCHEMAS').collect()])"
    done = run_python(f"from streaming_classroom import get_spark\n{show}")
    assert "mine" in done.stdout, done.stderr[-2000:]
