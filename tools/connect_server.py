"""A Spark Connect server with Delta that the course did not set up: it knows no ``dbfs:/``."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyspark

from free_port import free_port
from streaming_classroom.session import spark_settings
from streaming_classroom.setup import archive, jars

START = 60.0  # seconds


@contextmanager
def running_connect_server(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[str]:
    """Run a server whose files and log are in a folder, and give its address; it ends with the block.

    Parameters
    ----------
    settings : mapping, optional
        Of Spark, besides those that every server of the tests has.

    Raises
    ------
    AssertionError
        It did not start in time; the end of its log says why.
    """
    port = free_port()
    spark_home = Path(pyspark.__file__).parent
    conf = spark_settings.conf(spark_settings.DELTA) | {
        "spark.connect.grpc.binding.port": port,
        "spark.driver.extraClassPath": os.pathsep.join(map(str, jars.paths())),
        "spark.driver.extraJavaOptions": archive.java_options(),
        "spark.databricks.delta.snapshotPartitions": "1",  # the default of 50 takes half a minute
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        **(settings or {}),
    }
    command = [spark_home / "bin" / "spark-submit", "--master", "local[2]"]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
    command += [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]
    log = folder / "server.log"
    env = os.environ | {
        "SPARK_HOME": str(spark_home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": str(_python(folder)),
    }
    with log.open("wb") as output:
        # bin/spark-submit ends in exec, so the process is the JVM itself.
        server = subprocess.Popen([*command, "spark-internal"], env=env, cwd=folder, stdout=output, stderr=output)
    try:
        _wait_for_port(server, port, log)
        yield f"sc://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait(20)


def _python(folder: Path) -> Path:
    """Return a Python for the workers of foreachBatch, which must begin within ten seconds.

    Spark puts its zip of PySpark first on their path; compiling all of it takes longer on a busy machine, and the
    environment has the same PySpark compiled.  Root's worker also goes first.
    """
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nunset PYTHONPATH\nexec nice -n -10 "{sys.executable}" "$@"\n')
    script.chmod(0o755)
    return script


def _wait_for_port(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert server.poll() is None and time.monotonic() < deadline, log.read_text()[-2000:]
            time.sleep(0.1)
