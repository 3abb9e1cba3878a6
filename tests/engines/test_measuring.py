"""The record is what an engine gives: of each run of the tests, one lesson on one engine is run again."""

from __future__ import annotations

import pytest

from engines import record
from engines.engine import ENGINES
from engines.measuring import measure
from suite.sampling import some_of

pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("clean_environment")]
BY_NAME = {engine.name: engine for engine in ENGINES}
RECORDED = sorted(record.read())


@pytest.mark.parametrize(("lesson", "engine"), some_of(RECORDED, 1, ["-".join(one) for one in RECORDED]))
def test_a_lesson_goes_as_far_as_it_is_recorded(lesson: str, engine: str) -> None:
    seen, recorded = measure(lesson, BY_NAME[engine]), record.read()[lesson, engine]
    assert (seen.cell, seen.says) == (recorded.cell, recorded.says)
