from __future__ import annotations

import pytest

from notebook_dialect.kernel.close_names import meant


@pytest.mark.parametrize(
    ("typed", "other"),
    [
        ("laod", "load"),
        ("processing_time", "processingTime"),
        ("writestream", "writeStream"),
        ("strem", "stream"),
        ("stop", None),
        ("x", None),
        ("load", "load"),
    ],
)
def test_the_name_that_was_meant(typed: str, other: str | None) -> None:
    known = ["load", "land", "start", "stream", "processingTime", "writeStream", "_loud"]
    assert meant(typed, known) == other


def test_a_private_name_is_meant_only_by_a_private_one() -> None:
    assert meant("lod", ["_lod"]) is None
    assert meant("_lood", ["_lod"]) == "_lod"
