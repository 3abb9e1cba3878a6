"""A cluster is looked at when the session starts; each thing that would fail a lesson is said in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from free_port import free_port
from streaming_classroom.errors import SetupError
from streaming_classroom.session import cluster as looks
from streaming_classroom.session.cluster import View

SEES = View("a", "/work/0", True, ())
LACKING = View("c", "/work/2", True, ("pyarrow",))


def test_a_master_that_nobody_started_is_named_with_what_to_do() -> None:
    master = f"spark://127.0.0.1:{free_port()}"
    with pytest.raises(SetupError, match=f"No Spark master answers at {master} .*Set SPARK_MASTER to"):
        looks.refuse_unreachable(master)


def test_a_worker_without_what_cloudfiles_imports_is_told() -> None:
    with pytest.raises(SetupError, match=r"lacks pyarrow\. Install pyarrow there"):
        looks._refuse_blind("spark://a:1", Path("/home/x"), {SEES, LACKING})


_BLIND = """
from pathlib import Path
from streaming_classroom import get_spark
from streaming_classroom.errors import SetupError
from streaming_classroom.session import cluster
check_task = cluster._check_task
cluster._check_task = lambda path, token: check_task(path + ".on-another-machine", token)
for _ in range(2):
    try:
        get_spark()
    except SetupError as error:
        print("SAID", str(error).partition(" in ")[2].partition(",")[0])
"""


@pytest.mark.slow
def test_a_home_on_another_machine_ends_each_start_of_the_session(run_python, cluster: str, tmp_path: Path) -> None:
    done = run_python(_BLIND, SPARK_MASTER=cluster)
    assert done.stdout.splitlines()[-2:] == [f"SAID {tmp_path / 'home'}"] * 2, done.stderr[-3000:]


_SESSION = """
from streaming_classroom import get_spark
from streaming_classroom.files import directories
spark = get_spark()
spark.sql("CREATE TABLE t AS SELECT id % 3 AS k, count(*) AS n FROM range(9) GROUP BY 1")
from streaming_classroom.session import cluster
print("LINE OF SET-UP", cluster.summary(spark))
print("NEW SESSION", spark.newSession().conf.get("spark.sql.shuffle.partitions"))
print("ROWS", sorted(row.n for row in spark.table("t").collect()))
print("IN THE HOME", (directories.home() / "dbfs/user/hive/warehouse/t/_delta_log").is_dir())
print("LEFT", [path.name for path in directories.home().glob(".workers*")])
spark.stop()
"""


@pytest.mark.slow
def test_a_session_has_the_clusters_partitions_and_its_tables_in_the_home(run_python, cluster: str) -> None:
    """One session for many claims: sessions are expensive."""
    done = run_python(_SESSION, SPARK_MASTER=cluster)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-5:] == [
        f"LINE OF SET-UP {cluster} has 2 cores; a shuffle has 2 partitions.",
        "NEW SESSION 2",
        "ROWS [3, 3, 3]",
        "IN THE HOME True",
        "LEFT []",
    ]
