from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from streaming_classroom.errors import JarsUnavailable, SetupError
from streaming_classroom.setup import archive, guard, jars, java, steps


@pytest.fixture
def todo(cache: Path, monkeypatch: pytest.MonkeyPatch):
    """Replace the steps by made-up ones; each is done once it was done."""

    def become(*works) -> list[str]:
        done: list[str] = []

        def step(title: str, work) -> steps.Step:
            def do(report: steps.Report) -> None:
                work(report)
                done.append(title)

            return steps.Step(title, lambda: title in done, do)

        made = [step(work.__name__, work) for work in works]
        monkeypatch.setattr(steps, "steps", lambda _everything=False: made)
        return done

    return become


def fetch(_report) -> None:
    pass


def build(_report) -> None:
    pass


def test_each_step_is_done_once_in_order_and_reported(todo) -> None:
    lines: list[str] = []
    done = todo(fetch, build)
    steps.set_up(lines.append, offset=1)
    assert done == ["fetch", "build"]
    assert lines == ["[2/3] fetch ...", "[3/3] build ..."]


def test_an_interrupted_set_up_goes_on_where_it_was(todo) -> None:
    interrupts = [KeyboardInterrupt]

    def build(_report) -> None:
        if interrupts:
            raise interrupts.pop()

    done = todo(fetch, build)
    with pytest.raises(KeyboardInterrupt):
        steps.set_up(lambda _line: None)
    lines: list[str] = []
    steps.set_up(lines.append)
    assert done == ["fetch", "build"]
    assert lines == ["[1/2] fetch: there already.", "[2/2] build ..."]


def test_what_another_process_did_meanwhile_is_not_done_again(todo, monkeypatch) -> None:
    done = todo(fetch)

    class Other:
        def __enter__(self) -> None:
            done.append("fetch")

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(guard, "only_one", lambda _report: Other())
    lines: list[str] = []
    steps.set_up(lines.append)
    assert done == ["fetch"] and lines == ["[1/1] fetch: there already."]


def test_a_step_that_fails_ends_the_set_up(todo) -> None:
    def fail(_report) -> None:
        raise JarsUnavailable("No jar.", "Connect.")

    done = todo(fail, build)
    with pytest.raises(JarsUnavailable, match=r"No jar\. Connect\."):
        steps.set_up(lambda _line: None)
    assert done == []


def test_a_read_only_cache_is_one_sentence(cache: Path, read_only) -> None:
    cache.mkdir()
    read_only(cache)
    with pytest.raises(SetupError, match=r"made-by-streaming-classroom cannot be written: .* set CLASSROOM_CACHE"):
        steps.set_up(lambda _line: None)


def test_a_cache_that_cannot_be_a_directory_is_one_sentence(cache: Path) -> None:
    cache.touch()
    with pytest.raises(SetupError, match="set CLASSROOM_CACHE to a folder of your own"):
        steps.set_up(lambda _line: None)


def test_a_full_disk_is_one_sentence(maven, tiny_disk, monkeypatch) -> None:
    cache = tiny_disk(1024)
    monkeypatch.setenv("CLASSROOM_CACHE", str(cache))
    with pytest.raises(SetupError, match=r"The disk of .*tiny disk.* is full\. Free 1 GB there"):
        steps.set_up(lambda _line: None)
    half = {jar.file_name for jar in jars.missing_or_damaged()}
    assert half
    assert not half & {path.name for path in jars.directory().glob("*")}


def test_an_archive_without_room_is_reported_in_a_line_and_breaks_nothing(cache: Path, monkeypatch) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive, "make", full)
    monkeypatch.setattr(steps, "steps", lambda _everything=False, real=steps.steps: real()[-1:])
    lines: list[str] = []
    steps.set_up(lines.append)
    assert len(lines) == 2
    assert lines[1].strip().startswith("It could not be made; lessons start more slowly without it.")
    steps.set_up(pytest.fail)  # and is not tried at every start


def test_a_second_start_does_nothing_and_says_nothing(monkeypatch) -> None:
    """This one looks at the real cache, which the set-up before the tests has filled."""
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    monkeypatch.setattr(guard, "only_one", pytest.fail)
    steps.set_up(pytest.fail)
    assert steps.ensure_session_needs().version >= java.MINIMUM


def test_a_kernel_started_without_course_py_fetches_what_it_needs(maven) -> None:
    found = steps.ensure_session_needs()
    assert found == java.find().java
    assert jars.missing_or_damaged() == []
    before = len(maven.requests)
    steps.ensure_session_needs()
    assert len(maven.requests) == before


@pytest.fixture
def without_broker(cache: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make everything of the usual set-up done, and collect what is fetched of Kafka's broker."""
    fetched: list[str] = []

    def missing(of: jars.JarSet = jars.SPARK) -> list[jars.Jar]:
        return list(jars.locked(of)) if of is jars.KAFKA_BROKER and not fetched else []

    monkeypatch.setattr(jars, "missing_or_damaged", missing)
    monkeypatch.setattr(jars, "fetch", lambda of=jars.SPARK: fetched.extend([of.folder] if missing(of) else []))
    monkeypatch.setattr(steps, "datasets_made", lambda: True)
    monkeypatch.setattr(archive, "is_settled", lambda: True)
    return fetched


def test_the_usual_set_up_leaves_the_broker_and_says_how_to_get_it(without_broker) -> None:
    steps.set_up(pytest.fail)
    [line] = steps.left_for_later()
    assert without_broker == []
    assert "45 MB" in line and "`python course.py setup --all`" in line


def test_everything_is_fetched_where_all_is_asked_for(without_broker) -> None:
    lines: list[str] = []
    steps.set_up(lines.append, offset=1, everything=True)
    assert "[3/5] The jars of Delta and Kafka, and Kafka's broker ..." in lines
    assert [line[:5] for line in lines] == ["[2/5]", "[3/5]", "[4/5]", "[5/5]"]
    assert "[4/5] Datasets: there already." in lines
    assert without_broker == ["kafka-broker"]
    assert steps.left_for_later() == []
    assert not steps.set_up(pytest.fail, everything=True)
