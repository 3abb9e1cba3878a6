from __future__ import annotations

import traceback

import pytest

from streaming_classroom import errors
from streaming_classroom.errors import ClassroomError

EXAMPLES = [
    errors.SetupError("The disk is full.", "Free some of it."),
    errors.JavaNotFound("There is no Java.", "Install Java 17."),
    errors.JarsUnavailable("a.jar could not be fetched.", "Connect to the internet."),
    errors.ClusterUnreachable("No Spark master answers at spark://a:1.", "Start the master."),
    errors.ClusterHasNoCores("spark://a:1 has given this session no executor.", "Start workers."),
    errors.HomeNotShared("The workers cannot read in /home/x.", "Set CLASSROOM_HOME to a shared folder."),
    errors.WorkersPythonDiffers("Python does not run on the workers.", "Set PYSPARK_PYTHON."),
    errors.SessionStartError("/home/spark.log", "Too small maximum heap"),
    errors.LessonBusy("03-triggers", "dbfs:/user/learner/03"),
    errors.UnknownDataset("cats", ("activity", "device-readings")),
    errors.StreamNotFound("silver", ("bronze",)),
    errors.StreamTimeout("silver", 2.5, "processed all that is there", "Processing new data"),
    errors.NotAvailable("This has no dataset.", "Pass dataset=..."),
    errors.BrokerStartError("/home/kafka.log", "Address already in use"),
    errors.BrokerUnreachable("localhost:9092", "Connection refused"),
    errors.NotSent("learner_14-edits", 12, 3, "no answer"),
]


def leaves(root: type) -> set[type]:
    return {leaf for kind in root.__subclasses__() for leaf in {kind, *leaves(kind)}}


def test_every_error_of_the_course_has_an_example_here() -> None:
    # Another package of the family may have an error of the same name.
    every = {k for k in leaves(ClassroomError) if k.__name__ in errors.__all__ and k is getattr(errors, k.__name__)}
    assert {type(error) for error in EXAMPLES} == every


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_says_all_its_facts(error: ClassroomError) -> None:
    facts = [fact for value in vars(error).values() for fact in (value if isinstance(value, tuple) else (value,))]
    assert facts
    assert all(str(fact) in str(error) for fact in facts if fact)


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_can_be_raised_caught_and_shown(error: ClassroomError) -> None:
    with pytest.raises(ClassroomError) as caught:
        raise error from ValueError("the cause")
    text = "".join(traceback.format_exception(caught.value))
    assert str(error) in text and "the cause" in text
    assert {error: "still hashable"}


def test_the_detail_of_a_tool_stands_below_the_sentences() -> None:
    assert str(errors.SetupError("It broke.", "Mend it.", "line 1\nline 2\n")) == "It broke. Mend it.\n\nline 1\nline 2"


def test_a_stream_timeout_is_a_timeout_error() -> None:
    assert issubclass(errors.StreamTimeout, TimeoutError)


def test_a_stream_not_found_says_when_none_is_active() -> None:
    assert "No stream is active." in str(errors.StreamNotFound("silver", ()))
