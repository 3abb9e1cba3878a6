from __future__ import annotations

import sys

import pytest

from benchmarks import setup


def test_each_phase_lasts_until_the_next_begins() -> None:
    marks = [(phase, float(number**2)) for number, phase in enumerate([*setup.PHASES, "end"])]
    seconds = setup._seconds(marks)
    assert seconds == {
        "clone": 1.0,
        "environment": 3.0,
        "jars": 5.0,
        "datasets": 7.0,
        "archive": 9.0,
        "lesson": 11.0,
        "total": 36.0,
    }


@pytest.mark.parametrize("missing", setup.PHASES)
def test_a_phase_that_did_not_begin_is_an_error(missing: str) -> None:
    marks = [(phase, 0.0) for phase in [*setup.PHASES, "end"] if phase != missing]
    with pytest.raises(RuntimeError, match="The phases were"):
        setup._seconds(marks)


def test_a_line_of_the_output_begins_a_phase(tmp_path) -> None:
    program = "print('[1/5] Python ...'); print('   [3/5] no'); print('[5/5] Archive'); print('started 00')"
    marks = setup._follow([sys.executable, "-c", program], tmp_path, {})
    assert [phase for phase, _at in marks] == ["environment", "archive", "lesson"]


def test_a_command_that_fails_is_an_error_with_its_last_lines(tmp_path) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)failed:.*what it said"):
        setup._follow([sys.executable, "-c", "import sys; sys.exit('what it said')"], tmp_path, {})


def test_everything_is_what_learners_and_all_groups_have(tmp_path) -> None:
    (tmp_path / "requirements.txt").write_text("a==1  # why\n", encoding="utf-8")
    groups = 'dev = ["b==1", { include-group = "lint" }]\nlint = ["c==1"]\n'
    (tmp_path / "pyproject.toml").write_text(f"[dependency-groups]\n{groups}", encoding="utf-8")
    assert setup._pins(tmp_path) == ["a==1  # why", "b==1", "c==1"]
