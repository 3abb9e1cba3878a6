"""The doctor's checks of a cluster: each bad case fails its own check, and those behind it are not known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from standalone_cluster import running_cluster
from streaming_classroom.session import cluster as looks
from streaming_classroom.setup import cluster_checks, doctor
from streaming_classroom.setup.checks import Finding

WELL = {"summary": "It has 2 cores."}
BAD = {"problem": "It is so.", "fix": "Do this."}
NAMES = ["cluster", "cluster's cores", "cluster's Python", "cluster's files"]


@pytest.fixture
def findings(monkeypatch: pytest.MonkeyPatch, clean_environment: None, tmp_path: Path) -> Callable[..., list[Finding]]:
    """Give what all checks find of a master, or of what its process reports."""

    def found(master: str = "spark://a:1", answer: dict | None = None, **environment: str) -> list[Finding]:
        variables = {"SPARK_MASTER": master, "CLASSROOM_HOME": str(tmp_path / "home")} | environment
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        if answer is not None:
            monkeypatch.setattr(cluster_checks, "_asked", lambda: answer)
        checks = cluster_checks.checks()
        assert list(checks) == NAMES and set(NAMES) <= set(doctor.checks())
        return [check() for check in checks.values()]

    return found


@pytest.mark.parametrize(
    ("error", "position"),
    [
        ("ClusterUnreachable", 0),
        ("ClusterHasNoCores", 1),
        ("WorkersPythonDiffers", 2),
        ("HomeNotShared", 3),
        ("JavaNotFound", 0),
    ],
)
def test_an_error_fails_its_own_check_and_leaves_the_next_ones_unknown(findings, error: str, position: int) -> None:
    found = findings(answer={"error": error, **BAD})
    assert [one.ok for one in found] == [place < position for place in range(4)]
    assert (found[position].found, found[position].fix, found[position].matters) == ("It is so.", "Do this.", True)
    assert not any(one.matters for one in found[position + 1 :])


@pytest.mark.slow
def test_a_cluster_without_workers_says_so(findings, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv(looks.WAIT_VARIABLE, "3")
    with running_cluster(tmp_path, workers=0) as running:
        found = findings(running.master)
    assert found[0].ok and not found[1].ok
    assert "has given this session no executor that works in 3 s" in found[1].found
    assert "start workers" in found[1].fix


@pytest.mark.slow
def test_a_good_cluster_is_well(findings, cluster: str) -> None:
    found = findings(cluster)
    assert all(one.ok for one in found), found
    assert found[1].found == f"{cluster} has 2 cores; a shuffle has 2 partitions."
