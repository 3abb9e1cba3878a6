"""A rubric checks each criterion for itself."""

from __future__ import annotations

import pytest

from streaming_classroom.exercises import Mistake, NotTried, Rubric


def test_one_mistake_does_not_hide_what_is_met_and_what_is_not_tried() -> None:
    rubric = Rubric()
    with rubric.criterion("Bronze"):
        pass
    with rubric.criterion("Silver"):
        raise Mistake("Two rows are missing.")
    with rubric.criterion("Gold"):
        raise NotTried
    with pytest.raises(Mistake) as found:
        rubric.close()
    assert found.value.sentence == (
        "1 of 3 criteria are met.\n✓ Bronze\n✗ Silver: Two rows are missing.\n✗ Gold: not there yet."
    )


def test_where_all_is_met_it_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    rubric = Rubric()
    with rubric.criterion("Bronze"):
        pass
    rubric.close()
    assert capsys.readouterr().out == "1 of 1 criteria are met.\n✓ Bronze\n"


def test_what_is_no_verdict_is_raised() -> None:
    with pytest.raises(ZeroDivisionError), Rubric().criterion("Bronze"):
        raise ZeroDivisionError
