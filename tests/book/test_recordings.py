"""Recordings are made from a kernel's messages, keep every state that matters, and belong to cells as they are."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import nbformat

from book.lesson_pages import lesson_page
from book.recordings import LIMIT, Recorder, Recording, merged, recordings_of

BEGIN = datetime(2026, 1, 1, 12)
FRAME = '<div data-sc-view="sc-1"><table></table></div>'


def message(kind: str, seconds: float, **content: Any) -> dict[str, Any]:
    return {"msg_type": kind, "header": {"date": BEGIN + timedelta(seconds=seconds)}, "content": content}


def header(batch: int) -> dict[str, Any]:
    return {"name": "ticks", "state": "running", "batch": batch}


def opened(recorder: Recorder) -> Recorder:
    state = {"name": "sc-1", "opened": "Chart", "header": header(-1), "table": {}, "reports": {}, "raw": ""}
    recorder.hear(message("comm_open", 0, comm_id="c", data={"state": state}), 3)
    recorder.hear(message("display_data", 0, data={"text/html": "<p>before</p>"}), 3)
    recorder.hear(message("display_data", 0, data={"text/html": FRAME}), 3)
    return recorder


def test_a_view_is_recorded_with_the_cell_and_output_that_show_it() -> None:
    recorder = opened(Recorder())
    table = {"columns": [], "rows": [["1"]] * 500, "caption": "500 rows"}
    later = {"header": header(0), "table": table, "reports": {"batch": [0]}, "raw": "{}"}
    recorder.hear(message("comm_msg", 1.5, comm_id="c", data={"state": later}), None)
    recorder.hear(message("comm_msg", 2.5, comm_id="c", data={"state": {"beat": 1}}), 9)
    [recording] = recorder.by_cell()[3]
    assert (recording["kind"], recording["place"], recording["opened"]) == ("stream", 1, "Chart")
    assert [frame["at"] for frame in recording["frames"]] == [0, 1500]
    assert recording["frames"][1]["header"]["batch"] == 0
    assert len(recording["frames"][1]["table"]["rows"]) == 100
    assert recording["reports"] == {"batch": [0]}


def test_an_output_that_changes_is_recorded_and_one_that_does_not_is_not() -> None:
    recorder = Recorder()
    for identity in ("moves", "rests"):
        shown = {"data": {"text/html": "<svg>1</svg>"}, "transient": {"display_id": identity}}
        recorder.hear(message("display_data", 0, **shown), 5)
        recorder.hear(message("update_display_data", 1, **shown), None)
    again = {"data": {"text/html": "<svg>2</svg>"}, "transient": {"display_id": "moves"}}
    recorder.hear(message("update_display_data", 2, **again), None)
    [recording] = recorder.by_cell()[5]
    assert [frame["html"] for frame in recording["frames"]] == ["<svg>1</svg>", "<svg>2</svg>"]


def test_frames_are_merged_until_a_recording_is_small_enough() -> None:
    recording = Recording("html")
    for second in range(100):
        recording.add(BEGIN + timedelta(seconds=second), {"html": f"{second}".rjust(5000)})
    kept = recording.as_json()
    assert len(json.dumps(kept)) <= LIMIT
    assert [kept["frames"][at]["html"].strip() for at in (0, -1)] == ["0", "99"]
    assert kept["frames"][-1]["at"] == 99_000


def test_merged_frames_lose_no_part() -> None:
    frames = [{"at": 0, "header": 0}, {"at": 1, "table": 1}, {"at": 2, "header": 2}, {"at": 3, "raw": 3}]
    assert merged(frames) == [frames[0], {"at": 2, "table": 1, "header": 2}, frames[3]]


def test_a_changed_cell_has_no_recording(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# T"), nbformat.v4.new_code_cell("x")])
    cell = notebook.cells[1]
    cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": FRAME})]
    file = tmp_path / "00-T.json"
    recording = {"kind": "html", "place": 0, "frames": []}
    file.write_text(json.dumps({cell.id: {"source": "x", "recordings": [recording]}}))
    shown = lesson_page(notebook, "00-T.ipynb", "", recordings=recordings_of(notebook, file))
    assert 'data-script="../recordings/00-T.js"' in shown.cells[1].outputs[0].data["text/html"]
    cell.source = "y"
    assert recordings_of(notebook, file) == {}
    assert recordings_of(notebook, tmp_path / "none.json") == {}
