from __future__ import annotations

from pathlib import Path

import ipywidgets
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from stream_view import front_end, step_through

from .seeded_queries import KINDS, land, read, run


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list:
    """Give what is displayed."""
    found: list = []
    monkeypatch.setattr("IPython.display.display", found.append)
    return found


@pytest.fixture
def summed(spark: SparkSession, tmp_path: Path):
    land(tmp_path / "left", [[{"id": n, "key": "a", "time": 0, "value": 10**n}] for n in range(3)])
    frame = read(spark, tmp_path / "left").groupBy("key").agg(F.sum("value"))
    run(KINDS["updated"], frame, tmp_path)
    return frame, (tmp_path / "checkpoint").as_uri()


def test_a_person_steps_through_the_batches(summed, shown: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_end, "is_interactive", lambda: True)
    frame, checkpoint = summed
    step_through(checkpoint, frame, "update")
    slider, page = shown[0].children
    assert isinstance(slider, ipywidgets.SelectionSlider) and slider.options == (0, 1, 2)
    assert "Batch 2, committed" in page.value and ">111<" in page.value
    slider.value = 1
    assert "Batch 1, committed" in page.value and ">11<" in page.value and ">111<" not in page.value
    assert "logOffset" in page.value and "state before stateStoreSave" in page.value


def test_what_cannot_be_told_is_said_in_its_place(summed, shown: list, tmp_path: Path) -> None:
    frame, checkpoint = summed
    (tmp_path / "left/0002.json").unlink()
    step_through(checkpoint, frame, "update")
    [page] = shown
    assert "0002.json is gone" in page.data
    assert "state after stateStoreSave" in page.data and "{111}" in page.data
