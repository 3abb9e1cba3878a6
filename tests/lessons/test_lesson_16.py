"""Lesson 16: backlogs, state and numbers of files, computed from the dataset's files."""

from __future__ import annotations

import ast

import pandas as pd
import pytest

pytestmark = [pytest.mark.lesson("16"), pytest.mark.slow]

FILES = 18  # that the lesson lands
FILES_PER_BATCH = 6


@pytest.fixture(scope="module")
def files(dataset) -> list[pd.DataFrame]:
    """The heartbeats, file by file."""
    return [
        pd.read_json(file, lines=True).assign(at=lambda rows: pd.to_datetime(rows["at"]))
        for file in sorted((dataset("bakery") / "heartbeats").iterdir())[:FILES]
    ]


@pytest.fixture(scope="module")
def batches(files) -> list[pd.DataFrame]:
    return [pd.concat(files[first : first + FILES_PER_BATCH]) for first in range(0, len(files), FILES_PER_BATCH)]


def test_what_the_second_report_says(batches, files, lines):
    rows, to_come, phases = lines("16", "l16-09")

    assert int(rows.split()[-1]) == len(batches[1])
    assert int(to_come.split()[-1]) == len(files) - 2 * FILES_PER_BATCH
    assert "addBatch" in phases and "triggerExecution" in phases


def test_rows_and_backlog_per_batch(batches, files, displayed):
    table = displayed("16", "l16-23").astype(int)

    assert table["rows"].tolist() == [len(batch) for batch in batches]
    assert table["backlog_files"].tolist() == [len(files) - (n + 1) * FILES_PER_BATCH for n in range(len(batches))]
    assert set(table["state_rows"]) == {0}


def test_state_that_never_ends_has_every_row(batches, displayed):
    table = displayed("16", "l16-37").astype(int)

    assert table["state_rows"].tolist() == pd.Series([len(batch) for batch in batches]).cumsum().tolist()


def test_state_with_a_watermark_has_the_last_minutes(batches, displayed):
    table = displayed("16", "l16-41").astype(int)
    every = pd.concat(batches)
    watermark = every["at"].max() - pd.Timedelta(minutes=10)
    # A row is kept until the watermark has passed its time and the delay.
    kept = (every["at"] + pd.Timedelta(minutes=10) > watermark).sum()

    assert table["state_rows"].iloc[-1] == kept
    assert table["rows"].sum() == len(every)


def test_files_that_a_batch_writes_for_each_oven(files, lines):
    counted = ast.literal_eval(lines("16", "l16-47")[-1])

    assert counted["scattered"] == sum(file.oven.nunique() for file in files)
    assert counted["tiny"] == len(files) and counted["watched"] == len(files) // FILES_PER_BATCH


def test_a_batch_is_reported_once_for_each_action(files, lines):
    batches = [sum(map(len, files[:10])), sum(map(len, files[10:]))]
    actions = 3  # of the function that computes its batch again for each

    reported, counted, persisted = map(_after_colon, lines("16", "l16-73"))

    assert counted == persisted == batches
    assert reported == [actions * rows for rows in batches]


def test_the_backlog_grows_by_arrivals_minus_limit_and_shrinks_likewise(lines):
    backlog = [3 * number - 2 * number for number in range(1, 5)]

    assert ast.literal_eval(lines("16", "l16-77")[-1]) == backlog
    assert ast.literal_eval(lines("16", "l16-79")[-1]) == [backlog[-1] + (3 - 5) * number for number in (1, 2)]


def _after_colon(line: str) -> list[int]:
    return ast.literal_eval(line.partition(":")[2].strip())
