from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from streaming_base import front_end
from streaming_base.errors import NotAvailable, StreamTimeout
from streaming_classroom.data import data_factory
from streaming_classroom.data.data_factory import DataFactory, DirectoryTarget
from streaming_classroom.data.datasets import DatasetBatch
from streaming_classroom.files.directories import classroom_files
from streaming_classroom.lesson import controls
from streaming_classroom.lesson import lesson as lesson_module
from streaming_classroom.lesson.controls import NOBODY, Panel, show_controls
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


def test_it_shows_the_lesson_its_data_and_its_streams(make_panel, lesson: FakeLesson) -> None:
    lesson.streams = [FakeStream("zebra", 1), FakeStream(None, 2)]
    lesson.streams[0].status = {"isTriggerActive": True, "isDataAvailable": True}
    state = make_panel(lesson).widget.state
    assert (state["lesson"], state["data"]) == ("01", {"landed": 0, "total": 3, "report": ""})
    assert state["streams"] == [
        {"id": "run-2", "label": "id-2 (no name)", "named": False, "state": "waiting", "batch": 4},
        {"id": "run-1", "label": "zebra", "named": True, "state": "running", "batch": 4},
    ]


def test_landing_lands_one_batch_prints_nothing_and_shows_the_code(
    panel: Panel, lesson: FakeLesson, capsys: pytest.CaptureFixture[str]
) -> None:
    press(panel, do="land")
    state = finished(panel)
    assert lesson.landed == ["batch-0.json"]
    report = "Landed batch-0.json in landing: 1 rows; 2 batches left. No running stream reads it."
    assert state["data"] == {"landed": 1, "total": 3, "report": report}
    assert (state["code"], state["error"]) == ("DA.data_factory.load()", "")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("sources", "is_said"),
    [(["elsewhere"], True), (["landing"], False), (["elsewhere", "landing"], False), ([None], False), ([], True)],
)
def test_it_says_when_no_stream_reads_what_lands(
    panel: Panel, lesson: FakeLesson, tmp_path: Path, sources: list[str | None], is_said: bool
) -> None:
    lesson.streams = [FakeStream(name, number) for number, name in enumerate(sources)]
    for stream, name in zip(lesson.streams, sources, strict=True):
        description = name and f"FileStreamSource[{(tmp_path / name).as_uri()}]"
        stream.lastProgress = {"batchId": 1, "sources": [{"description": description}]}
    press(panel, do="land")
    assert finished(panel)["data"]["report"].endswith(controls.UNREAD) is is_said


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


def test_a_new_rate_is_kept_to_at_once_and_within_its_bounds(panel: Panel) -> None:
    for given, kept in [(0.0, 0.2), (99, 10.0), (2, 2.0), ("fast", 2.0), (float("nan"), 2.0), (None, 2.0)]:
        press(panel, do="interval", interval=given)
        assert panel.widget.state["interval"] == kept


def test_a_stream_is_stopped_while_data_lands(panel: Panel, lesson: FakeLesson) -> None:
    lesson.streams = [FakeStream("readings"), FakeStream("other", 2)]
    panel._look()
    press(panel, do="continue", interval=10)
    finished(panel)
    press(panel, do="stop", stream="run-1")
    state = finished(panel)
    assert [stream["label"] for stream in state["streams"]] == ["other"]
    assert state["landing"]


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


def test_a_landing_ends_when_a_cell_starts_the_lesson_over(make_panel, tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    old, new = FakeLesson(tmp_path / "old"), FakeLesson(tmp_path / "new")
    current = [old]
    panel = make_panel(lambda: current[0])
    press(panel, do="continue", interval=0.2)
    finished(panel)
    current[0] = new
    wait_until(lambda: not panel.widget.state["landing"])
    assert (len(old.landed), len(new.landed)) == (1, 0)
    press(panel, do="land")
    finished(panel)
    assert len(new.landed) == 1


def test_without_a_dataset_there_are_only_streams_and_starting_over(make_panel) -> None:
    class Dataless:
        lesson = "00"
        _spark = SimpleNamespace(streams=SimpleNamespace(active=[FakeStream()]))

        @property
        def data_factory(self) -> DataFactory:
            raise NotAvailable("Lesson 00 has no dataset of its own.", "Pass dataset=... to start_lesson.")

    state = make_panel(Dataless()).widget.state
    assert (state["data"], len(state["streams"]), state["problem"]) == (None, 1, "")


def test_one_action_at_a_time_and_the_shell_is_not_kept(
    panel: Panel, lesson: FakeLesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = Event()
    monkeypatch.setattr(lesson, "_open", lambda resume: go_on.wait(120))
    press(panel, do="start over")
    press(panel, do="land")
    assert panel.widget.state["working"] == "Starting over"
    go_on.set()
    finished(panel)
    assert lesson.landed == []


def test_an_error_of_an_action_is_one_sentence_and_the_next_action_takes_it_away(
    panel: Panel, lesson: FakeLesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(resume: bool) -> None:
        raise StreamTimeout("readings", 60, "stopped", "Processing")

    monkeypatch.setattr(lesson, "_open", fail)
    press(panel, do="start over")
    error = finished(panel)["error"]
    assert error.startswith("The stream readings had not stopped after 60 s.") and "\n" not in error
    press(panel, do="land")
    assert finished(panel)["error"] == ""


def test_a_stream_that_fails_says_why(panel: Panel, lesson: FakeLesson) -> None:
    lesson.streams = [FakeStream("readings")]
    panel._look()
    lesson.streams[0].error = ValueError("heart rate\ntoo high " + 500 * "x")
    lesson.streams[0].is_stopped = True
    panel._look()
    error = panel.widget.state["error"]
    assert error.startswith("The stream readings failed: heart rate too high xxx") and len(error) < 400


@pytest.mark.parametrize("how", ["stopped", "killed"])
def test_when_spark_has_ended_it_says_what_to_do_and_no_stream_is_active(
    panel: Panel, lesson: FakeLesson, how: str
) -> None:
    lesson.streams = [FakeStream("readings")]
    panel._look()
    lesson._spark = SimpleNamespace(_sc=SimpleNamespace(_jsc=None), streams=lesson) if how == "stopped" else Refusing()
    panel._look()
    state = panel.widget.state
    assert (state["problem"], state["error"], state["streams"]) == (controls.SPARK_ENDED, "", [])


class Refusing:
    """A session whose JVM is gone."""

    @property
    def streams(self) -> None:
        raise ConnectionRefusedError(111, "Connection refused")


@pytest.mark.parametrize("reason", ["closed", "no shell", "no page"])
def test_it_stops_following_when_nobody_can_see_it(panel: Panel, monkeypatch: pytest.MonkeyPatch, reason: str) -> None:
    assert panel.tick()
    panel._next_look = 0
    if reason == "closed":
        panel.widget.close()
    elif reason == "no shell":
        monkeypatch.setattr(front_end, "ipython", lambda: None)
    else:
        panel._heard -= controls.GIVEN_UP_AFTER
    assert not panel.tick()


def test_the_output_says_in_a_sentence_what_was_there(
    person: SimpleNamespace, lesson: FakeLesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[dict] = []
    monkeypatch.setattr("IPython.display.display", lambda bundle, **_options: shown.append(bundle))
    show_controls(lambda: lesson)
    first = controls._shown
    show_controls(lambda: lesson)
    second = controls._shown
    try:
        assert first.widget.comm is None and second.widget.comm is not None
        assert shown[0]["text/plain"] == controls.GONE
        assert f"<i>{escape(controls.GONE)}</i>" in shown[0]["text/html"]
        assert f'data-sc-view="{first.widget.name}"' in shown[0]["text/html"]
        assert "application/vnd.jupyter.widget-view+json" in shown[1]
    finally:
        second.close()


def test_the_page_writes_names_and_errors_as_text_only() -> None:
    script = str(controls.ControlsWidget._esm)
    assert "textContent" in script
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert way not in script


def test_a_cell_and_the_panel_land_at_the_same_time_and_no_batch_is_lost_or_doubled(
    make_panel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson = FakeLesson(tmp_path, batches=60)
    panel = make_panel(lesson)
    landed: list[int] = []
    land = DirectoryTarget.land

    def land_slowly(self: DirectoryTarget, batch: Path, number: int) -> None:
        time.sleep(0.005)
        landed.append(number)
        land(self, batch, number)

    monkeypatch.setattr(data_factory.DirectoryTarget, "land", land_slowly)
    cells = [Thread(target=lesson.data_factory.load, kwargs={"continuous": True, "interval": 0}) for _ in range(2)]
    for cell in cells:
        cell.start()
    while lesson.data_factory.left:
        press(panel, do="land")
        finished(panel)
    for cell in cells:
        cell.join(10)
    assert landed == list(range(60))
    assert len(lesson.landed) == 60


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
