from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from streaming_classroom.runner.kernel import (
    EXPRESSION,
    HOME_VARIABLE,
    active_streams,
    end_processes,
    kernel_environment,
    processes_of,
)
from streaming_classroom.runner.results import SuiteResult

SLEEP = "import time; print('up', flush=True); time.sleep(600)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}"


def test_the_kernel_inherits_the_environment_and_has_its_own_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", "/some/java")
    env = kernel_environment(tmp_path, tmp_path / "07-A.ipynb")
    assert env["JAVA_HOME"] == "/some/java"
    assert env["CLASSROOM_HOME"] == str(tmp_path)
    assert env["PYTHONUTF8"] == env["PYDEVD_DISABLE_FILE_VALIDATION"] == "1"


@pytest.mark.slow
def test_neither_installed_kernels_nor_the_users_profile_count(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lesson: Callable[..., Path],
    run: Callable[..., SuiteResult],
) -> None:
    spec = tmp_path / "jupyter" / "kernels" / "python3"
    spec.mkdir(parents=True)
    argv = ["no-such-interpreter", "{connection_file}"]
    (spec / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "broken", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text("import sys; print('hello', file=sys.stderr); open = None")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    result = run(lesson("interpreter"))
    assert result.passed
    assert json.dumps(sys.executable, ensure_ascii=False)[1:-1] in result.lessons[0].executed.read_text(
        encoding="utf-8"
    )  # type: ignore[union-attr]


class SparkSession:
    """Stands in for Spark's, with the streams it is given."""

    active: SparkSession | None = None
    _instantiatedSession: SparkSession | None = None

    def __init__(self, *queries: tuple[str, str | None]) -> None:
        self.streams = SimpleNamespace(active=[SimpleNamespace(id=id, name=name) for id, name in queries])

    @classmethod
    def getActiveSession(cls) -> SparkSession | None:
        return cls.active


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch) -> type[SparkSession]:
    module: Any = ModuleType("pyspark.sql")
    module.SparkSession = type("SparkSession", (SparkSession,), {})
    monkeypatch.setitem(sys.modules, "pyspark.sql", module)
    return module.SparkSession


def test_without_spark_no_stream_is_active(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pyspark.sql", raising=False)
    assert active_streams() == []
    assert "pyspark.sql" not in sys.modules


def test_without_a_session_no_stream_is_active(spark: type[SparkSession]) -> None:
    assert active_streams() == []


def test_streams_are_named_and_unnamed_ones_have_their_id(spark: type[SparkSession]) -> None:
    spark.active = spark(("2", None), ("1", "numbers"))
    assert active_streams() == ["numbers", "unnamed, id 2"]


def test_a_session_that_another_thread_made_is_looked_at(spark: type[SparkSession]) -> None:
    spark._instantiatedSession = spark(("1", "numbers"))
    assert active_streams() == ["numbers"]


def test_every_session_that_the_lesson_holds_is_looked_at(
    spark: type[SparkSession], monkeypatch: pytest.MonkeyPatch
) -> None:
    spark.active = spark(("1", "numbers"))
    monkeypatch.setattr(sys.modules["__main__"], "second", spark(("2", "letters")), raising=False)
    assert active_streams() == ["letters", "numbers"]


def test_the_expression_works_without_any_import(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pyspark.sql", raising=False)
    assert eval(EXPRESSION, {}) == []


@pytest.fixture
def start() -> Iterator[Callable[[Path, str], subprocess.Popen[str]]]:
    started = []

    def call(home: Path, code: str) -> subprocess.Popen[str]:
        env = {**os.environ, HOME_VARIABLE: str(home)}
        process = subprocess.Popen(
            [sys.executable, "-c", code], env=env, start_new_session=True, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        process.stdout.readline()  # it is up, and has set its signal handlers
        started.append(process)
        return process

    yield call
    for process in started:
        process.kill()
        process.communicate()


def test_a_detached_process_is_found_by_its_home(tmp_path: Path, start: Callable[..., subprocess.Popen[str]]) -> None:
    mine, _other = start(tmp_path / "ä b", SLEEP), start(tmp_path / "other", SLEEP)
    assert [process.pid for process in processes_of(tmp_path / "ä b")] == [mine.pid]


def test_a_process_that_obeys_is_not_killed(tmp_path: Path, start: Callable[..., subprocess.Popen[str]]) -> None:
    process = start(tmp_path, SLEEP)
    assert end_processes(tmp_path, patience=10, ask=True) == []
    assert process.wait(1) != 0


def test_a_process_that_ignores_the_request_is_killed(
    tmp_path: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    process = start(tmp_path, STUBBORN)
    assert end_processes(tmp_path, patience=0.3, ask=True) == [process.pid]
    assert processes_of(tmp_path) == []


def test_without_any_process_there_is_nothing_to_wait_for(tmp_path: Path) -> None:
    assert end_processes(tmp_path, patience=30) == []
