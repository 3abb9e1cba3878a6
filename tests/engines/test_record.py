"""The record of engines is complete, is what the page shows, and is what an engine gives again."""

from __future__ import annotations

import re
from itertools import chain

import nbformat
import pytest

from engines import page
from engines.engine import ENGINES, lessons, measure
from streaming_classroom.files import directories
from streaming_classroom.runner.results import NEEDS_CLASSIC

BY_NAME = {engine.name: engine for engine in ENGINES}
RUNS = page.read()


def test_the_page_shows_a_run_of_each_lesson_on_each_engine_and_the_error_of_each_that_stopped() -> None:
    measured = lessons().keys() - page.NOT_MEASURED
    assert set(RUNS) == {(lesson, engine) for lesson in measured for engine in BY_NAME}, "run tools/engines --missing"
    assert [run for run in RUNS.values() if run.passed == bool(run.says)] == []
    assert page.PAGE.read_text(encoding="utf-8") == page.render(RUNS, lessons())


def test_a_lesson_with_cells_that_need_classic_compute_names_their_sections_in_its_opening() -> None:
    found = {}
    for number, name in lessons().items():
        cells = nbformat.read(directories.notebooks() / name, as_version=4).cells
        section, sections = "", set()
        for cell in cells:
            if cell.cell_type == "markdown" and (heads := re.findall(r"^## (\d+)\. ", cell.source, re.MULTILINE)):
                section = heads[-1]
            if NEEDS_CLASSIC in cell.metadata.get("tags", ()):
                sections.add(section)
        if sections:
            found[number] = sections
            named = re.findall(r"[Ss]ections?\s(\d+)(?: to (\d+))?", cells[0].source)
            ranges = [range(int(first), int(last or first) + 1) for first, last in named]
            assert sections <= set(map(str, chain.from_iterable(ranges))), number
    reached = {number for number in found if RUNS[number, "serverless"].passed}
    assert reached == {number for (number, _engine), run in RUNS.items() if run.left_out}


@pytest.mark.slow
@pytest.mark.usefixtures("clean_environment")
@pytest.mark.parametrize(("lesson", "engine"), [("02L", "standalone"), ("07W", "serverless")])
def test_a_lesson_goes_as_far_as_it_is_recorded(lesson: str, engine: str) -> None:
    run = measure(lesson, BY_NAME[engine])
    assert (run.cell, run.says) == (RUNS[lesson, engine].cell, RUNS[lesson, engine].says)
