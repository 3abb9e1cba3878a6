from __future__ import annotations

import pytest

from streaming_classroom import environment
from streaming_classroom.errors import NotAvailable

pytestmark = pytest.mark.usefixtures("clean_environment")


@pytest.mark.parametrize(
    ("variable", "value", "one_machine", "driver_here"),
    [
        ("SPARK_MASTER", "local[1]", True, True),
        ("SPARK_MASTER", "", True, True),
        ("SPARK_REMOTE", "", True, True),
        ("SPARK_MASTER", "spark://host:7077", False, True),
        ("SPARK_MASTER", "local-cluster[2,1,1024]", False, True),
        ("SPARK_REMOTE", "sc://host:15002", False, False),
        ("DATABRICKS_RUNTIME_VERSION", "17.3", False, False),
    ],
)
def test_only_a_local_master_is_one_machine_and_a_driver_here_starts_quickly(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, one_machine: bool, driver_here: bool
) -> None:
    monkeypatch.setenv(variable, value)
    assert environment.is_one_machine() is one_machine
    assert environment.fast_start() is driver_here


@pytest.mark.parametrize(
    ("variable", "value", "here"),
    [
        ("SPARK_MASTER", "", True),
        ("SPARK_MASTER", "local[2]", True),
        ("SPARK_MASTER", "local-cluster[2,1,1024]", True),
        ("SPARK_MASTER", "spark://127.0.0.1:7077", True),
        ("SPARK_MASTER", "spark://cluster.example:7077", False),
        ("SPARK_REMOTE", "sc://127.0.0.1:15002", False),
        ("DATABRICKS_RUNTIME_VERSION", "17.3", False),
    ],
)
def test_a_cluster_of_this_machine_is_on_it_and_what_somebody_else_runs_is_not(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, here: bool
) -> None:
    monkeypatch.setenv(variable, value)
    assert environment.is_on_this_machine() is here


@pytest.mark.parametrize(
    ("asked", "conf"),
    [(None, {}), ("", {}), ("off", {"spark.sql.ansi.enabled": "false"}), ("on", {"spark.sql.ansi.enabled": "true"})],
)
def test_a_guest_may_choose_its_ansi_mode(monkeypatch: pytest.MonkeyPatch, asked: str | None, conf: dict) -> None:
    if asked is not None:
        monkeypatch.setenv("CLASSROOM_ANSI", asked)
    assert environment.guest_conf() == conf


def test_an_ansi_mode_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLASSROOM_ANSI", "perhaps")
    with pytest.raises(NotAvailable, match="CLASSROOM_ANSI=perhaps is neither on nor off"):
        environment.guest_conf()
