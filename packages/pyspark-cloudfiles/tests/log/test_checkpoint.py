"""When batches were done, as their checkpoint tells."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from pyspark_cloudfiles.history import Offset, committed_batches, newest_offsets

BEGAN, COMMITTED = 1_700_000_000, 1_700_000_050


def checkpoint(root: Path, *batches: tuple[int, int | None, int]) -> str:
    """Write the checkpoint of a query with another source and ours: of each batch number, end and commit."""
    for kind in ("offsets", "commits"):
        (root / kind).mkdir()
    (root / "offsets" / ".tmp").write_text("")
    for number, end, time in batches:
        ours = json.dumps(Offset(end, 10 * end, "file:/log", "file:/in", 0).to_json())
        (root / "offsets" / str(number)).write_text(
            f'v1\n{json.dumps({"batchTimestampMs": (BEGAN + number) * 1000})}\n{{"other": 1}}\n{ours}'
        )
        if time:
            (root / "commits" / str(number)).write_text("v1\n{}")
            os.utime(root / "commits" / str(number), (time, time))
    return f"file:{root}"


def moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def test_a_file_was_processed_and_committed_with_its_batch(tmp_path: Path):
    place = checkpoint(tmp_path, (0, 2, COMMITTED), (1, 3, COMMITTED + 7), (2, 9, 0))
    [(source, found)] = committed_batches(place).items()
    assert source == "1"
    assert found.times_of(0) == found.times_of(1) == (moment(BEGAN), moment(COMMITTED))
    assert found.times_of(2) == (moment(BEGAN + 1), moment(COMMITTED + 7))
    assert found.times_of(3) is None  # of a batch that is not done
    assert newest_offsets(place)["1"].seq_num == 9


def test_of_batches_before_the_first_that_is_kept_nothing_is_known(tmp_path: Path):
    found = committed_batches(checkpoint(tmp_path, (7, 20, COMMITTED), (8, 30, COMMITTED + 1)))["1"]
    assert found.times_of(19) is None
    assert found.times_of(20) == (moment(BEGAN + 8), moment(COMMITTED + 1))


def test_a_checkpoint_without_batches_tells_nothing(tmp_path: Path):
    assert committed_batches(f"file:{tmp_path}") == newest_offsets(f"file:{tmp_path}") == {}
