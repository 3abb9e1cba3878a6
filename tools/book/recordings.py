"""Recordings of what moves in a lesson: displayed streams, timelines, graphs of pipelines, health pages.

A recording is made from the messages that the kernel publishes while the runner executes a lesson, so it is what a
notebook's page would have shown.  A recording has frames; a frame has the milliseconds since the first one and the
parts that changed: header, table, reports and raw report of a live view, or the HTML of another output.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import nbformat
from rich.console import Console

from stream_view.live.widgets import script_without_widget
from streaming_classroom.runner.suite import run_lessons

LIMIT = 200_000  # bytes of a recording as JSON
WATCHED = 5.0  # seconds between a cell that shows a view and the next one, which may stop the stream
ROWS = 100  # of a table in a frame; a page's reader looks at movement, not at row 101
STREAM_PARTS = ("header", "table", "raw")
CALLED = "streamRecordings"  # the function of the page that a lesson's script calls
_VIEW = re.compile(r'<div data-sc-view="([^"]+)">')

Frame = dict[str, Any]


@dataclass
class Recording:
    """What one output showed over time; ``place`` is its position among the HTML outputs of its cell."""

    kind: str
    place: int = -1
    cell: int = -1
    frames: list[Frame] = field(default_factory=list)
    opened: str = ""
    reports: dict[str, Any] = field(default_factory=dict)
    shown: Frame = field(default_factory=dict)  # all parts as the newest frame leaves them

    def add(self, at: datetime, parts: Mapping[str, Any]) -> None:
        """Add a frame with what differs from the frames before."""
        changed = {name: value for name, value in parts.items() if self.shown.get(name) != value}
        if changed:
            self.shown.update(changed)
            self.frames.append({"at": at, **changed})

    def as_json(self) -> dict[str, Any]:
        """Return the recording within the limit of bytes: frames in between are merged where it has too many."""
        begin = self.frames[0]["at"]
        frames = [{**frame, "at": round((frame["at"] - begin).total_seconds() * 1000)} for frame in self.frames]
        value = {"kind": self.kind, "place": self.place, "opened": self.opened, "reports": self.reports}
        while len(json.dumps({**value, "frames": frames})) > LIMIT and len(frames) > 3:
            frames = merged(frames)
        return {**value, "frames": frames}


def merged(frames: list[Frame]) -> list[Frame]:
    """Return about half of the frames: each second one between the first and the last goes into the one after it."""
    kept, waiting = [frames[0]], Frame()
    for number, frame in enumerate(frames[1:], start=1):
        whole = {**waiting, **frame}
        if number % 2 and number < len(frames) - 1:
            waiting = whole
        else:
            kept.append(whole)
            waiting = Frame()
    return kept


class Recorder:
    """The recordings of one notebook, from the messages that its kernel publishes."""

    def __init__(self) -> None:
        self._streams: dict[str, Recording] = {}  # by id of the widget's comm
        self._by_name: dict[str, Recording] = {}  # by name of the view
        self._displays: dict[str, Recording] = {}  # by id of the display
        self._places: dict[int, int] = {}  # HTML outputs of a cell so far
        self._has_new_view = False

    def hear(self, message: Mapping[str, Any], cell: int | None) -> None:
        """Take from a message what it changes on the page."""
        at, content = message["header"]["date"], message["content"]
        match message["msg_type"]:
            case "comm_open":
                self._open(at, content)
            case "comm_msg" if content["comm_id"] in self._streams:
                self._change(at, self._streams[content["comm_id"]], content["data"].get("state", {}))
            case "display_data" | "execute_result" if cell is not None:
                self._show(at, content, cell)
            case "update_display_data":
                self._update(at, content)
            case "status" if content["execution_state"] == "idle" and self._has_new_view:
                self._has_new_view = False
                time.sleep(WATCHED)  # nothing is lost: what the kernel says meanwhile has its own time

    def _open(self, at: datetime, content: Mapping[str, Any]) -> None:
        state = content["data"].get("state", {})
        if {"header", "table", "raw"} <= {*state}:
            recording = Recording("stream", opened=state["opened"])
            self._streams[content["comm_id"]] = self._by_name[state["name"]] = recording
            self._change(at, recording, state)
            self._has_new_view = True

    def _change(self, at: datetime, recording: Recording, state: Mapping[str, Any]) -> None:
        parts = {name: state[name] for name in STREAM_PARTS if state.get(name)}
        if rows := parts.get("table", {}).get("rows"):
            parts["table"] = {**parts["table"], "rows": rows[:ROWS]}
        recording.reports = state.get("reports") or recording.reports  # the last one has all batches
        recording.add(at, parts)

    def _show(self, at: datetime, content: Mapping[str, Any], cell: int) -> None:
        html = content["data"].get("text/html")
        if html is None:
            return
        place = self._places[cell] = self._places.get(cell, -1) + 1
        identity = content.get("transient", {}).get("display_id")
        view = _VIEW.match(html)
        if view and view[1] in self._by_name:
            self._by_name[view[1]].cell, self._by_name[view[1]].place = cell, place
        elif identity:
            self._displays[identity] = Recording("html", place, cell)
            self._displays[identity].add(at, {"html": html})

    def _update(self, at: datetime, content: Mapping[str, Any]) -> None:
        recording = self._displays.get(content.get("transient", {}).get("display_id"))
        html = content["data"].get("text/html")
        if recording is not None and html is not None:
            recording.add(at, {"html": html})

    def by_cell(self) -> dict[int, list[dict[str, Any]]]:
        """Return what moved, by position of the cell."""
        found: dict[int, list[dict[str, Any]]] = {}
        for recording in [*self._streams.values(), *self._displays.values()]:
            if recording.cell >= 0 and len(recording.frames) > 1:
                found.setdefault(recording.cell, []).append(recording.as_json())
        return found


def record(lessons: Iterable[Path], folder: Path, home: Path, console: Console) -> bool:
    """Run lessons and write each one's recordings into a folder; return whether all lessons passed.

    A lesson that fails leaves an earlier recording of it as it is.
    """
    recorders: dict[Path, Recorder] = {}

    def hear(notebook: Path, message: dict[str, Any], cell: int | None) -> None:
        recorders.setdefault(notebook, Recorder()).hear(message, cell)

    result = run_lessons(
        [*lessons], home=home, console=console, cell_timeout=300, lesson_timeout=1800, on_message=hear, interactive=True
    )
    folder.mkdir(parents=True, exist_ok=True)
    for lesson in result.lessons:
        if lesson.outcome != "passed":
            continue
        cells = nbformat.read(lesson.notebook, as_version=4).cells
        found = recorders[lesson.notebook].by_cell()
        kept = {
            cells[cell].id: {"source": cells[cell].source, "recordings": recordings}
            for cell, recordings in found.items()
        }
        (folder / f"{lesson.notebook.stem}.json").write_text(json.dumps(kept), encoding="utf-8")
    return result.exit_code == 0


def recordings_of(notebook: nbformat.NotebookNode, file: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the recordings of a notebook's cells from a file, by the cells' ids; of a changed cell there are none."""
    if not file.is_file():
        return {}
    kept = json.loads(file.read_text(encoding="utf-8"))
    sources = {cell.id: cell.source for cell in notebook.cells}
    return {cell: found["recordings"] for cell, found in kept.items() if sources.get(cell) == found["source"]}


def script_of(recordings: Mapping[str, list[dict[str, Any]]]) -> str:
    """Return the recordings of a lesson as a script, which a page that is opened from a disk can load."""
    return f"{CALLED}({json.dumps(recordings, ensure_ascii=False)});\n"


def view_script() -> str:
    """Return the live view's own script as a page without a kernel needs it: ``streamView.createView``."""
    script = script_without_widget(("kernel.js", "frame.js"))
    return f"(() => {{\n{script}\nwindow.streamView = streamView;\n}})();\n"
