"""``display`` without stream_view (display.py)."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from notebook_dialect import display as module


def test_without_stream_view_a_frame_is_printed_and_other_values_are_shown(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(module, "function_of_sibling", lambda _name: None)
    module.display(spark.range(2), "text")
    shown = capsys.readouterr().out
    assert "|0  |" in shown and "|1  |" in shown and shown.endswith("text\n")


def test_with_stream_view_its_display_gets_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []
    shows = {"display": lambda *values, **options: given.append((values, options))}
    monkeypatch.setattr(module, "function_of_sibling", shows.get)
    module.display(1, streamName="clicks")
    assert given == [((1,), {"streamName": "clicks"})]
