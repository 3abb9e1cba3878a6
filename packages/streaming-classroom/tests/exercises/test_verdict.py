from __future__ import annotations

from dataclasses import replace
from html import escape

import pytest

from stream_view.tables import Table
from streaming_base import front_end
from streaming_classroom.exercises import catalogue
from streaming_classroom.exercises.progress import progress_shown
from streaming_classroom.exercises.verdict import ExerciseNotSolved, Verdict, hint_shown, solution_shown

EXERCISE = replace(
    catalogue.find("01.2"), id="01.1", title="A <b>title</b>", hints=("Do `this`.", "Then `<that>`.", "All.")
)
ROWS = Table(("", "id"), (False, True), (("missing", "1"),), cut=False)


@pytest.fixture(params=[True, False], ids=["somebody looks", "nobody looks"])
def is_interactive(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(front_end, "is_interactive", lambda: request.param)
    monkeypatch.setattr(front_end, "in_notebook", lambda: True)
    return request.param


def test_the_text_says_which_exercise_what_is_wrong_and_which_rows() -> None:
    text = str(Verdict(EXERCISE, "wrong", "`query` has ended.", ROWS))
    assert text.splitlines()[0] == "✗ 01.1 A <b>title</b>: `query` has ended."
    assert "missing" in text.splitlines()[-2]


def test_the_box_is_for_somebody_who_looks(is_interactive: bool) -> None:
    shown = Verdict(EXERCISE, "wrong", "No.")._repr_mimebundle_()
    assert ("text/html" in shown) is is_interactive and shown["text/plain"].startswith("✗")


def test_the_box_has_hints_one_in_the_other_and_the_solution_all_folded() -> None:
    html = Verdict(EXERCISE, "wrong", "`query` < 3", ROWS)._html()
    assert "<code>query</code> &lt; 3" in html and "A &lt;b&gt;title" in html and "<td" in html
    first, second, third = (html.index(hint) for hint in ("Do <code>this", "Then <code>&lt;that&gt;", "All."))
    assert first < second < third < html.index(escape(EXERCISE.solution.strip().splitlines()[0]))
    assert html.count("<details") == html.count("</details>") == 4
    assert "open" not in html.replace("overflow", "")


def test_what_is_right_needs_no_hints() -> None:
    html = Verdict(EXERCISE, "right", "right.")._html()
    assert "Hint" not in html and "Compare with ours" in html


def test_what_must_be_right_and_is_not_is_an_error() -> None:
    right = Verdict(EXERCISE, "right", "right.")
    assert right.or_fail() is right
    for kind in ("wrong", "not tried"):
        with pytest.raises(ExerciseNotSolved, match=r"01\.1"):
            Verdict(EXERCISE, kind, "No.").or_fail()


def test_hints_come_one_by_one_and_the_last_says_no_more(is_interactive: bool) -> None:
    assert str(hint_shown(EXERCISE, 1)) == 'Hint 1 of 3: Do `this`. Ask for the next with DA.hint("01.1").'
    assert str(hint_shown(EXERCISE, 3)) == "Hint 3 of 3: All."
    assert ("text/html" in hint_shown(EXERCISE, 1)._repr_mimebundle_()) is is_interactive


def test_a_solution_comes_with_its_reason() -> None:
    text = str(solution_shown(EXERCISE))
    assert EXERCISE.solution.strip() in text and text.endswith(EXERCISE.why)


def test_what_is_done_is_told_by_lesson_and_what_comes_next(tmp_path) -> None:
    from streaming_classroom.exercises.progress import ExerciseRecord

    record = ExerciseRecord(tmp_path / "home" / "exercises.json")
    first, second = catalogue.exercises_of("00")[:2]
    assert str(progress_shown(record)).endswith(f"Next: {first.id} {first.title}")
    record.hint(first.id, 1)
    record.tried(first.id, is_right=True)
    lines = str(progress_shown(record)).splitlines()
    assert lines[0].startswith("00   ●○") and f"1 of {len(catalogue.exercises_of('00'))} right, 1 hint" in lines[0]
    assert lines[-1] == f"Next: {second.id} {second.title}"
    assert f"; a quiz of {len(catalogue.quiz_of('00'))}" in lines[0]


def test_an_exercise_without_hints_says_so() -> None:
    assert str(hint_shown(replace(EXERCISE, hints=()), 0)) == (
        "01.1 has no hints: what it needs is in the lessons before it."
    )
