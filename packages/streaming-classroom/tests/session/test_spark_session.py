from __future__ import annotations

import os
from pathlib import Path
from threading import Timer

import pyspark
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

from streaming_classroom.files import directories
from streaming_classroom.session import spark_session
from streaming_classroom.session.spark_session import _without_users_own
from streaming_classroom.setup import jars


@pytest.fixture
def defaults(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Write a spark-defaults.conf of the user's own."""
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    return lambda text: (tmp_path / "spark-defaults.conf").write_text(text, encoding="utf-8")


@pytest.mark.slow
def test_a_python_function_over_a_delta_table_returns(spark: SparkSession) -> None:
    """Guard against a hang of Spark 4.2.0; cancelled after a deadline, which fails the test."""
    spark.range(1000).write.mode("overwrite").save("dbfs:/tmp/test_session_udf")
    timer = Timer(60, spark.sparkContext.cancelAllJobs)
    timer.start()
    table = spark.read.load("dbfs:/tmp/test_session_udf")
    assert table.select(udf(lambda number: number + 1, "long")("id").alias("n")).agg({"n": "sum"}).first()[0] == 500500
    timer.cancel()


@pytest.mark.parametrize(
    ("key", "both"),
    [
        ("spark.sql.extensions", "theirs,ours"),
        ("spark.jars", "theirs,ours"),
        ("spark.driver.extraClassPath", f"theirs{os.pathsep}ours"),
    ],
)
def test_where_both_are_needed_both_are_used(defaults, key: str, both: str) -> None:
    defaults(f"{key} theirs\n")
    assert _without_users_own({key: "ours"}) == {key: both}
    assert _without_users_own({}) == {}


@pytest.mark.parametrize(("host", "tuned"), [("somewhere", False), ("127.0.0.1", True), ("localhost", True)])
def test_executors_get_the_jars_and_are_tuned_to_start_on_this_machine_only(
    monkeypatch: pytest.MonkeyPatch, host: str, tuned: bool
) -> None:
    monkeypatch.setenv("SPARK_MASTER", f"spark://{host}:7077")
    conf = spark_session._classic_conf(None)
    assert conf["spark.jars"].count(".jar") == len(jars.paths())
    assert ("spark.executor.extraJavaOptions" in conf) is tuned
    assert "spark.driver.extraJavaOptions" in conf and "spark.driver.host" not in conf
    monkeypatch.setenv("CLASSROOM_FAST_START", "0")
    assert not {"spark.driver.extraJavaOptions", "spark.executor.extraJavaOptions"} & set(
        spark_session._classic_conf(None)
    )


@pytest.mark.slow
def test_the_environment_of_another_spark_does_no_harm_and_the_users_settings_win(run_python, tmp_path: Path) -> None:
    """One session for three claims: sessions are expensive."""
    (tmp_path / "conf").mkdir()
    extra = tmp_path / "extra"
    extra.mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").write_text(
        f"spark.sql.session.timeZone Asia/Tokyo\nspark.driver.extraClassPath {extra}\n"
    )
    code = """
from streaming_classroom import get_spark
spark = get_spark()
spark.range(1).write.saveAsTable("t")  # Delta is there
print(spark.sparkContext.master, spark.conf.get("spark.sql.session.timeZone"), spark.version)
"""
    done = run_python(
        code, SPARK_HOME=str(tmp_path / "gone"), SPARK_MASTER="local[1]", SPARK_CONF_DIR=str(tmp_path / "conf")
    )
    assert done.stdout.split() == ["local[1]", "Asia/Tokyo", pyspark.__version__], done.stderr
    assert done.stderr == ""


@pytest.mark.slow
def test_a_jvm_that_dies_at_its_start_gives_its_last_words(run_python, tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text("spark.driver.memory 1k\n")
    code = """
from streaming_classroom import get_spark
from streaming_classroom.errors import SetupError
try:
    get_spark()
except SetupError as error:
    print(error)
"""
    done = run_python(code, SPARK_CONF_DIR=str(tmp_path))
    assert "Spark did not start; its last words are below" in done.stdout, done.stderr
    assert "Too small maximum heap" in done.stdout
    assert str(tmp_path / "home" / "logs") in done.stdout


@pytest.mark.slow
def test_a_lesson_runs_on_a_connect_server(run_python, connect_server: str) -> None:
    """One session for many claims; that the process ends by itself is one of them."""
    done = run_python(_OVER_CONNECT, timeout=240, SPARK_REMOTE=connect_server, CLASSROOM_USER="ann b")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "UTC delta",
        "Landed 2025-06-01.json in bronze: 1,152 rows; 29 batches left.",
        "Landed 2025-06-02.json in bronze: 1,122 rows; 28 batches left.",
        "2274 [Row(rows=2274)]",
        "   n",
        "2274",
        "(total: 1 row)",
        "StreamingQueryException no such sensor",
        "The stream unheard failed",
        "Interrupted; Spark's job was cancelled. The 2 streams continue: silver, total. To stop them: stop().",
        "Lesson A is cleaned up.",
        "[]",
    ]


_OVER_CONNECT = """
from pyspark.sql import functions as F
from streaming_classroom import get_spark, start_lesson, display
spark = get_spark()
print(spark.conf.get("spark.sql.session.timeZone"), spark.conf.get("spark.sql.sources.default"))
DA = start_lesson("A", dataset="device-readings/readings", into_table="bronze")
DA.data_factory.load()
bronze = spark.readStream.table("bronze")
query = bronze.writeStream.queryName("silver").option("checkpointLocation", DA.paths.checkpoints).toTable("silver")
DA.block_until_stream_is_ready("silver")
DA.data_factory.load()
assert spark.table("silver").count() == 2274
seen = bronze.observe("seen", F.count("*").alias("rows")).writeStream.format("noop").trigger(availableNow=True).start()
assert seen.awaitTermination(60)
print(seen.lastProgress["observedMetrics"]["seen"]["rows"], [p["observedMetrics"]["seen"] for p in seen.recentProgress])
display(bronze.selectExpr("count(*) AS n"), streamName="total")
broken = bronze.selectExpr("raise_error('no such sensor')")
try:
    broken.writeStream.format("memory").queryName("broken").start()
    DA.block_until_stream_is_ready("broken")
except Exception as error:
    print(type(error).__name__, "no such sensor" if "no such sensor" in str(error) else error)
from streaming_base import front_end
told = []
asked, printed = front_end.is_interactive, front_end.print_below
front_end.is_interactive, front_end.print_below = lambda: True, lambda cell, text: told.append(text)
broken.writeStream.format("noop").queryName("unheard").start()
import time
deadline = time.monotonic() + 120
while not told and time.monotonic() < deadline:
    time.sleep(0.1)
print(told[0].partition(":")[0] if told else "silence")
front_end.is_interactive, front_end.print_below = asked, printed
from notebook_dialect.kernel.interrupts import Interrupts
interrupts = Interrupts(lambda: spark, lambda: "stop()")
interrupts._prepare()
import os, signal, threading, time
threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    spark.range(10**12).selectExpr("sum(id % 7)").collect()  # several minutes
except BaseException as error:
    interrupted = error
    while not isinstance(interrupted, KeyboardInterrupt):
        interrupted = interrupted.__cause__ or interrupted.__context__
    print(interrupts.explain())
assert spark.range(3).count() == 3
DA.cleanup()
print(spark.streams.active)
"""


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Path]:
    """Give more logs than are kept, the oldest first."""
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path))
    (tmp_path / "logs").mkdir()
    logs = [tmp_path / "logs" / f"spark-{10**7 + age}.log" for age in range(spark_session.LOGS_KEPT + 5)]
    for age, log in enumerate(logs):
        log.touch()
        os.utime(log, (age, age))
    return logs


def test_the_oldest_logs_are_removed(logs: list[Path]) -> None:
    new = spark_session.new_log()
    new.touch()
    assert set(new.parent.iterdir()) == {new, *logs[-spark_session.LOGS_KEPT + 1 :]}


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
    return directories.claim(tmp_path / "home") / "dbfs" / "user" / "hive" / "warehouse"


@pytest.mark.slow
def test_a_table_of_an_earlier_kernel_is_known_to_the_next(run_python, tmp_path: Path) -> None:
    first, second = run_python(MAKE), run_python(MAKE)
    assert (first.stdout, second.stdout) == ("1 0\n", "2 0\n"), first.stderr[-2000:] + second.stderr[-2000:]


@pytest.mark.slow
def test_a_broken_table_is_no_reason_not_to_start(run_python, warehouse: Path) -> None:
    log = warehouse / "broken" / "_delta_log"
    log.mkdir(parents=True)
    (log / "00000000000000000000.json").write_text("not JSON")
    done = run_python("from streaming_classroom import get_spark\nprint(get_spark().range(2).count())")
    assert done.stdout == "2\n", done.stderr[-2000:]
