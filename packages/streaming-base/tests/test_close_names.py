from __future__ import annotations

import pytest

from streaming_base.close_names import close_names, meant


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


def test_swapped_letters_are_closer_than_a_high_cutoff_says() -> None:
    assert meant("pandsa", ["pandas", "panda3d"], 0.85) == "pandas"
    assert meant("FORM", ["FROM"], 0.85) == "FROM"
    assert meant("from", ["morf"], 0.85) is None


def test_the_closest_names_come_first_in_whatever_case() -> None:
    assert close_names("LAND", ["load", "Land", "brand"], 2, 0.6) == ["Land", "load"]
    assert close_names("x", ["load"]) == []
