from __future__ import annotations

import traceback

import pytest

from streaming_classroom import errors
from streaming_classroom.errors import ClassroomError

EXAMPLES = [
    errors.SetupError("The disk is full.", "Free some of it."),
    errors.LessonBusy("03-triggers", "dbfs:/user/learner/03"),
    errors.BrokerUnreachable("localhost:9092", "Connection refused"),
]


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_says_all_its_facts_and_can_be_raised_and_shown(error: ClassroomError) -> None:
    assert all(fact in str(error) for fact in vars(error).values())
    with pytest.raises(ClassroomError) as caught:
        raise error from ValueError("the cause")
    text = "".join(traceback.format_exception(caught.value))
    assert str(error) in text and "the cause" in text


def test_the_detail_of_a_tool_stands_below_the_sentences() -> None:
    assert str(errors.SetupError("It broke.", "Mend it.", "line 1\nline 2\n")) == "It broke. Mend it.\n\nline 1\nline 2"
