"""The faults that people have: the doctor names each with what to do, and repairs what set-up makes."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from streaming_classroom.data import datasets
from streaming_classroom.files import directories
from streaming_classroom.setup import archive, doctor, jars
from streaming_classroom.setup.doctor import Finding

# Variables of this machine that a check might report.
_VARIABLES = (*doctor._PROXIES, "SPARK_HOME", "JAVA_HOME", "CLASSROOM_MAVEN_REPOSITORY")


class World(NamedTuple):
    """What a fault is made with."""

    fixture: Callable[[str], Callable]
    patch: pytest.MonkeyPatch
    tmp: Path
    cache: Path


@pytest.fixture
def world(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Give a machine without any of the variables that a check might report, with an empty cache where one is asked."""
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return World(request.getfixturevalue, monkeypatch, tmp_path, tmp_path / "ä cache")


def full_disk(world: World) -> None:
    world.patch.setattr(doctor.shutil, "disk_usage", lambda _folder: SimpleNamespace(free=5 * 2**20))


def no_java(world: World) -> None:
    world.fixture("no_java")
    world.fixture("archive")


def old_java(world: World) -> None:
    no_java(world)
    world.patch.setenv("JAVA_HOME", str(world.fixture("make_java")(11)))


def changed_jar(world: World) -> None:
    world.fixture("maven")
    directories.claim(world.cache)
    jars.fetch()
    with jars.paths()[-1].open("ab") as file:
        file.write(b"!")


def missing_dataset(world: World) -> None:
    world.fixture("cache")
    directories.claim(world.cache)
    one = datasets.names()[0]
    world.patch.setattr(datasets, "names", lambda: (one,))


def missing_kafka(world: World) -> None:
    world.fixture("cache")


def foreign_cache(world: World) -> None:
    world.fixture("cache")
    world.cache.mkdir()
    (world.cache / "letter.txt").write_text("dear Ada")


def taken_port(world: World) -> None:
    taken = socket.create_server(("127.0.0.1", 0))
    world.fixture("request").addfinalizer(taken.close)
    world.patch.setattr(doctor, "PORTS", {taken.getsockname()[1]: "JupyterLab"})


def dead_proxy(world: World) -> None:
    world.fixture("cache")
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    world.patch.setenv("https_proxy", f"http://127.0.0.1:{port}")


# The check of each fault and what it reports; then those that stop nobody, and those that the doctor repairs.
FAULTS = {
    full_disk: ("disk", "5 MB free"),
    no_java: ("Java", "none"),
    old_java: ("Java", "JAVA_HOME has Java 11"),
    changed_jar: ("jars", f"{len(jars.locked()) - 1} of {len(jars.locked())} sound"),
    missing_dataset: ("datasets", "missing"),
    missing_kafka: ("Kafka's broker", "not fetched yet"),
    foreign_cache: ("write access", "was not made by the course"),
    taken_port: ("port", "busy"),
    dead_proxy: ("proxy", "no answer from https_proxy=http://127.0.0.1:"),
}
HARMLESS = (missing_kafka, taken_port)
REPAIRED = (no_java, old_java, changed_jar, missing_dataset)


def check(name: str) -> Finding:
    """Return what a check finds; the name of the one for ports ends in the number."""
    [found] = [test for each, test in doctor.checks().items() if each == name or each.startswith(f"{name} ")]
    return doctor.find(found)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_named_with_what_to_do(fault: Callable[[World], None], world: World) -> None:
    name, report = FAULTS[fault]
    fault(world)

    finding = check(name)

    assert report in finding.found
    assert finding.fix or finding.ok
    assert (not finding.ok and finding.matters) is (fault not in HARMLESS)
    assert (finding.repair is not None) is (fault in REPAIRED)


@pytest.mark.parametrize("fault", REPAIRED, ids=lambda fault: fault.__name__)
def test_the_doctor_repairs_what_set_up_makes(fault: Callable[[World], None], world: World) -> None:
    fault(world)
    lines: list[str] = []

    check(FAULTS[fault][0]).repair(lines.append)

    assert lines
    assert check(FAULTS[fault][0]).ok


@pytest.mark.slow
def test_a_repair_removes_nothing_that_set_up_did_not_make(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.fixture("maven")
    missing_dataset(world)
    no_java(world)
    world.patch.setattr(archive, "make", lambda: os.fspath(archive.path().parent))
    theirs = [world.cache / folder / "mine.txt" for folder in ("jars", "datasets", "archive", "java", ".")]
    for file in theirs:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("mine")

    doctor.main(fix=True)

    assert "jars: repaired" in capsys.readouterr().out
    assert [file.read_text() for file in theirs] == ["mine"] * len(theirs)
