from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from streaming_classroom.setup import archive, doctor, java

GOOD = doctor.Finding(True, "fine", "nothing")
BAD = doctor.Finding(False, "[broken]", "Mend it.")
NOTE = doctor.Finding(False, "odd", "Nothing: it goes on.", matters=False)


def old_python(monkeypatch, **_) -> None:
    monkeypatch.setattr(doctor, "sys", SimpleNamespace(version_info=(3, 9, 0)))


def cache_that_is_a_file(cache: Path, **_) -> None:
    cache.touch()


def full_disk(monkeypatch, **_) -> None:
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _folder: SimpleNamespace(free=5 * 2**20))


def another_spark(monkeypatch, tmp_path: Path, **_) -> None:
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark-3"))


def no_java_at_all(request, **_) -> None:
    request.getfixturevalue("no_java")


def java_11(request, monkeypatch, make_java, **_) -> None:
    request.getfixturevalue("no_java")
    monkeypatch.setenv("JAVA_HOME", str(make_java(11)))


def empty_cache(cache: Path, **_) -> None:
    assert not cache.exists()


def failed_archive(**_) -> None:
    archive.remember_failure()


def busy_port(monkeypatch, request, **_) -> None:
    taken = socket.socket()
    request.addfinalizer(taken.close)
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    monkeypatch.setattr(doctor, "PORTS", {taken.getsockname()[1]: "JupyterLab"})


CASES = [
    ("Python", old_python, "3.9.0", "Install Python 3.11 or later."),
    ("write access", cache_that_is_a_file, "File exists", "Make "),
    ("disk", full_disk, "5 MB free", "Free 1,495 MB on the disk of "),
    ("Java", no_java_at_all, "none", "Install Java 17"),
    ("Java", java_11, "Java 11", "Install Java 17"),
    ("SPARK_HOME", another_spark, "spark-3", "Nothing: "),
    ("jars", empty_cache, "0 of ", "Run `python course.py setup` with a network"),
    ("datasets", empty_cache, "missing", "Run `python course.py setup`."),
    ("archive", empty_cache, "missing", "Run `python course.py setup`."),
    ("archive", failed_archive, "could not be made", "See "),
    ("Kafka's broker", empty_cache, "not fetched", "Run `python course.py setup --all`"),
    ("port", busy_port, "busy", "Nothing: JupyterLab takes the next free one."),
]


@pytest.mark.parametrize(("name", "harm", "found", "fix"), CASES, ids=[f"{c[0]}-{c[1].__name__}" for c in CASES])
def test_each_failing_check_says_what_it_found_and_the_one_fix(
    name: str, harm: Callable, found: str, fix: str, cache, tmp_path, monkeypatch, request, make_java
) -> None:
    harm(cache=cache, tmp_path=tmp_path, monkeypatch=monkeypatch, request=request, make_java=make_java)
    check = next(check for title, check in doctor.checks().items() if title.startswith(name))
    finding = check()
    assert not finding.ok
    assert found in finding.found
    assert finding.fix.startswith(fix)


def test_every_check_has_a_case_that_fails_it() -> None:
    assert {title.split(" ")[0] for title in doctor.checks()} == {name.split(" ")[0] for name, *_ in CASES}


def test_a_stale_java_home_is_remarked_on_where_another_java_does(cache, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    finding = doctor.checks()["Java"]()
    assert finding.ok
    assert f"JAVA_HOME points to {tmp_path / 'gone'}, where no Java is that runs." in finding.found


def test_a_read_only_cache_fails_the_check_of_write_access(cache: Path, read_only) -> None:
    cache.mkdir()
    read_only(cache)
    finding = doctor.checks()["write access"]()
    assert not finding.ok
    assert f"Make {cache} writable" in finding.fix


@pytest.mark.parametrize(("findings", "code"), [((GOOD, NOTE), 0), ((GOOD, BAD), 1), ((GOOD,), 0)])
def test_only_what_stands_in_the_way_makes_the_exit_code_1(monkeypatch, capsys, findings, code: int) -> None:
    made = {f"check {number}": (lambda finding=finding: finding) for number, finding in enumerate(findings)}
    monkeypatch.setattr(doctor, "checks", lambda: made)
    assert doctor.main() == code


def test_the_table_has_a_line_a_check_and_shows_the_fix_of_failing_ones_only(monkeypatch, capsys) -> None:
    checks = {"a": lambda: GOOD, "b": lambda: BAD, "c": lambda: NOTE}
    monkeypatch.setattr(doctor, "checks", lambda: checks)
    doctor.main()
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[1:] == [
        ["a", "ok", "fine"],
        ["b", "fix", "[broken]", "Mend", "it."],
        ["c", "note", "odd", "Nothing:", "it", "goes", "on."],
    ]


def test_a_check_that_the_system_refuses_is_a_failing_check(monkeypatch, capsys) -> None:
    def refuse() -> doctor.Finding:
        raise PermissionError(13, "Permission denied", "/x")

    monkeypatch.setattr(doctor, "checks", lambda: {"a": refuse})
    assert doctor.main() == 1
    assert "/x" in capsys.readouterr().out


def test_all_is_well_where_the_tests_run(monkeypatch, capsys) -> None:
    assert doctor.main() == 0, capsys.readouterr().out
    assert java.find().java is not None
    assert sys.version_info >= (3, 11)
