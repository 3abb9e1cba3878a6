from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from streaming_base import front_end
from streaming_base.errors import NotAvailable
from streaming_classroom.data.data_factory import DataFactory, DirectoryTarget
from streaming_classroom.data.datasets import DatasetBatch
from streaming_classroom.files.directories import classroom_files
from streaming_classroom.lesson import controls
from streaming_classroom.lesson import lesson as lesson_module
from streaming_classroom.lesson.controls import NOBODY, Panel
from streaming_classroom.lesson.lesson import start_lesson

READINGS = "device-readings/readings"
NAUGHTY = '<img src=x onerror="alert(1)"> "quoted"'


class FakeStream:
    """A stream that does nothing until it is stopped, or fails."""

    def __init__(self, name: str | None = None, number: int = 1) -> None:
        self.name = name
        self.id = f"id-{number}"
        self.runId = f"run-{number}"
        self.status = {"isTriggerActive": False, "isDataAvailable": False}
        self.lastProgress = {"batchId": 4, "durationMs": {"addBatch": 1}}
        self.error: Exception | None = None
        self.is_stopped = False

    def stop(self) -> None:
        self.is_stopped = True

    def exception(self) -> Exception | None:
        return self.error


class FakeLesson:
    """A lesson without Spark; its data are files of one line."""

    def __init__(self, folder: Path, batches: int = 3) -> None:
        self.lesson = "01"
        self.is_open = True
        self.started_over = 0
        self.streams: list[FakeStream] = []
        self._arguments = {"dataset": "a/b", "into_table": None}
        self._spark = SimpleNamespace(streams=self)
        self._folder = folder
        files = [folder / f"batch-{number}.json" for number in range(batches)]
        for file in files:
            file.write_text("{}\n")
        made = [DatasetBatch(file.name, {file.name: file}) for file in files]
        self.data_factory = DataFactory(
            made, DirectoryTarget(folder / "landing", "landing"), folder / "p.json", self._spark
        )

    @property
    def active(self) -> list[FakeStream]:
        return [stream for stream in self.streams if not stream.is_stopped]

    @property
    def landed(self) -> list[str]:
        return sorted(path.name for path in (self._folder / "landing").glob("[!.]*"))

    def _open(self, resume: bool) -> None:
        assert not resume
        self.started_over += 1
        self.is_open = True
        (self._folder / "p.json").unlink(missing_ok=True)


@pytest.fixture
def lesson(tmp_path: Path) -> FakeLesson:
    return FakeLesson(tmp_path)


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Have a kernel with a front end that could answer."""
    shell = SimpleNamespace(kernel=SimpleNamespace(_allow_stdin=True))
    monkeypatch.setattr(front_end, "ipython", lambda: shell)
    return shell


@pytest.fixture
def make_panel(person: SimpleNamespace) -> Iterator[Callable[[Any], Panel]]:
    """Make panels; they are closed after the test."""
    panels = []

    def make(lesson: Any) -> Panel:
        panels.append(Panel(lesson if callable(lesson) else lambda: lesson))
        return panels[-1]

    yield make
    for panel in panels:
        panel.close()


@pytest.fixture
def panel(make_panel, lesson: FakeLesson) -> Panel:
    return make_panel(lesson)


def press(panel: Panel, **message: object) -> None:
    """Send what the page sends."""
    panel.widget._handle_custom_msg(message, [])


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not become so in time"
        time.sleep(0.02)


def finished(panel: Panel) -> dict[str, Any]:
    """Return what the panel shows when the action is over."""
    wait_until(lambda: not panel.widget.state["working"], 30)
    return panel.widget.state


def test_when_nothing_is_left_it_says_so_and_goes_on(panel: Panel, lesson: FakeLesson) -> None:
    lesson.data_factory.load(continuous=True, interval=0)
    press(panel, do="land")
    assert finished(panel)["error"] == "All 3 batches have landed already; start over to land them again."
    press(panel, do="start over")
    assert finished(panel)["error"] == ""
    press(panel, do="land")
    assert finished(panel)["data"]["landed"] == 1


def test_landing_continuously_pauses_and_goes_on_where_it_was(make_panel, tmp_path: Path) -> None:
    lesson = FakeLesson(tmp_path, batches=6)
    panel = make_panel(lesson)
    press(panel, do="continue", interval=0.2)
    wait_until(lambda: len(lesson.landed) >= 2)
    assert panel.widget.state["landing"]
    assert panel.widget.state["code"] == "DA.data_factory.load(continuous=True, interval=0.2)"
    press(panel, do="pause")
    wait_until(lambda: not panel.widget.state["landing"])
    wait_until(lambda: not any(thread.name == "instructor's landing" for thread in threading.enumerate()))
    assert lesson.data_factory.landed < 6
    press(panel, do="continue", interval=0.2)
    wait_until(lambda: lesson.data_factory.left == 0)
    wait_until(lambda: not panel.widget.state["landing"])
    assert len(lesson.landed) == 6


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (None, 'spark.streams.get("id-1").stop()'),
        ("x", 'next(q for q in spark.streams.active if q.name == "x").stop()'),
        (NAUGHTY, f"next(q for q in spark.streams.active if q.name == {json.dumps(NAUGHTY)}).stop()"),
    ],
)
def test_the_code_of_a_stop_is_python_that_stops_that_stream(
    panel: Panel, lesson: FakeLesson, name: str | None, code: str
) -> None:
    stream = FakeStream(name)
    lesson.streams = [stream]
    panel._look()
    press(panel, do="stop", stream="run-1")
    assert finished(panel)["code"] == code
    again = FakeStream(name)
    streams = SimpleNamespace(active=[again], get=lambda _id: again)
    exec(code, {"spark": SimpleNamespace(streams=streams)})
    assert stream.is_stopped and again.is_stopped


def test_starting_over_ends_a_landing_and_shows_the_cell_that_starts_it(panel: Panel, lesson: FakeLesson) -> None:
    press(panel, do="continue", interval=0.2)
    finished(panel)
    press(panel, do="start over")
    state = finished(panel)
    assert lesson.started_over == 1
    assert (state["data"]["landed"], state["landing"]) == (0, False)
    assert state["code"] == 'DA = start_lesson("01", dataset="a/b")'


def test_without_a_dataset_there_are_only_streams_and_starting_over(make_panel) -> None:
    class Dataless:
        lesson = "00"
        _spark = SimpleNamespace(streams=SimpleNamespace(active=[FakeStream()]))

        @property
        def data_factory(self) -> DataFactory:
            raise NotAvailable("Lesson 00 has no dataset of its own.", "Pass dataset=... to start_lesson.")

    state = make_panel(Dataless()).widget.state
    assert (state["data"], len(state["streams"]), state["problem"]) == (None, 1, "")


def test_the_page_writes_names_and_errors_as_text_only() -> None:
    script = str(controls.ControlsWidget._esm)
    assert "textContent" in script
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert way not in script


@pytest.mark.slow
def test_the_buttons_move_a_real_lesson(
    spark: SparkSession, person: SimpleNamespace, make_panel, capsys: pytest.CaptureFixture[str]
) -> None:
    person.kernel._allow_stdin = False
    DA = start_lesson("Controls", dataset=READINGS)
    DA.controls()
    assert capsys.readouterr().out == NOBODY + "\n"
    person.kernel._allow_stdin = True
    panel = make_panel(lambda: lesson_module._current)
    try:
        press(panel, do="land")
        landed = "Landed 2025-06-01.json in DA.paths.landing: 1,152 rows; 29 batches left."
        assert finished(panel)["data"]["report"] == landed + controls.UNREAD

        rows = spark.readStream.schema("device_id INT, heartrate DOUBLE").json(DA.paths.landing)
        rows.writeStream.format("noop").queryName(NAUGHTY).start().processAllAvailable()
        panel._look()
        assert panel.widget.state["data"]["report"] == landed
        # Not before the panel has looked.
        late = rows.selectExpr("java_method('java.lang.Thread', 'sleep', 3000L)", "raise_error('too high') AS x")
        late.writeStream.format("memory").queryName("picky").start()
        panel._follow()
        wait_until(lambda: len(panel.widget.state["streams"]) == 2)

        press(panel, do="land")
        wait_until(lambda: "The stream picky failed" in panel.widget.state["error"], 20)
        assert "too high" in panel.widget.state["error"]
        wait_until(lambda: [stream["batch"] for stream in panel.widget.state["streams"]] == [1], 20)
        assert panel.widget.state["streams"][0]["label"] == NAUGHTY

        press(panel, do="stop", stream=panel.widget.state["streams"][0]["id"])
        state = finished(panel)
        assert (state["streams"], state["error"], spark.streams.active) == ([], "", [])

        rows.writeStream.format("noop").start()
        press(panel, do="start over")
        state = finished(panel)
        assert (state["error"], state["data"]["landed"], spark.streams.active) == ("", 0, [])
        assert list(classroom_files().local_path(DA.paths.landing).iterdir()) == []
        assert spark.catalog.currentDatabase() == DA.schema_name and DA.is_open
        DA.data_factory.load()  # the same DA continues
        assert DA.data_factory.landed == 1
    finally:
        lesson_module.cleanup()
    panel._look()
    press(panel, do="land")
    assert "has been cleaned up" in finished(panel)["error"]
