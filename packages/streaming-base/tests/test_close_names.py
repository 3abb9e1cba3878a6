from __future__ import annotations

import pytest

from streaming_base.close_names import close_names, closest_name


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
    assert closest_name(typed, known) == other


def test_a_private_name_is_meant_only_by_a_private_one() -> None:
    assert closest_name("lod", ["_lod"]) is None
    assert closest_name("_lood", ["_lod"]) == "_lod"


def test_swapped_letters_are_closer_than_a_high_cutoff_says() -> None:
    assert closest_name("pandsa", ["pandas", "panda3d"], 0.85) == "pandas"
    assert closest_name("FORM", ["FROM"], 0.85) == "FROM"
    assert closest_name("from", ["morf"], 0.85) is None


def test_the_closest_names_come_first_in_whatever_case() -> None:
    assert close_names("LAND", ["load", "Land", "brand"], 2, 0.6) == ["Land", "load"]
    assert close_names("x", ["load"]) == []
