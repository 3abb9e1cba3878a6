"""A Spark Connect server with Delta that the course did not set up: it knows no ``dbfs:/``."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyspark

from free_port import free_port
from streaming_classroom.session import fork_server, spark_settings, worker_launcher
from streaming_classroom.setup import archive, jars

START = 180.0  # seconds; it takes ten on an idle machine
WORKERS = "pyspark.sql.connect.streaming.worker"  # the package of the programs that Spark starts


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
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "8",  # VACUUM's tasks, by default up to 10,000
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
        with _fork_server(folder):
            _wait_for_port(server, port, log)
            yield f"sc://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait(20)


def _python(folder: Path) -> Path:
    """Return a Python for the workers of foreachBatch, which must begin within ten seconds.

    They are forked from a process that has imported what they need, which takes longer than that on a busy machine. So
    does a compilation of the zip of PySpark that Spark puts first on their path: the environment has the same PySpark.
    """
    script = folder / "python"
    session = Path(fork_server.__file__).parent
    script.write_text(f"""#!/bin/sh
unset PYTHONPATH
case $2 in {WORKERS}.*)
    export {worker_launcher.SOCKET}="{_socket(folder)}"
    exec "{sys.executable}" -I -S "{session}/forked_worker.py" "{sys.executable}" "$@" ;;
esac
exec "{sys.executable}" "$@"
""")
    script.chmod(0o755)
    return script


def _socket(folder: Path) -> Path:
    """Return a path that is short enough for a socket."""
    return Path(tempfile.gettempdir(), f"workers-{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}", "socket")


@contextmanager
def _fork_server(folder: Path) -> Iterator[None]:
    command = [sys.executable, fork_server.__file__, str(_socket(folder)), f"{WORKERS}.foreach_batch_worker"]
    variables = os.environ | {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    variables.pop("PYTHONPATH", None)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=variables) as server:
        try:
            yield
        finally:
            server.communicate()  # its standard input ends, and it


def _wait_for_port(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert server.poll() is None and time.monotonic() < deadline, log.read_text()[-2000:]
            time.sleep(0.1)
