"""Check exercise 05.2, "Two requirements, two intervals"."""

from __future__ import annotations

from lesson_exercises import planted
from lesson_exercises.lesson_05.readings import landed_readings

from streaming_classroom.exercises import Attempt, HiddenTest, MadeStream, Makes, Mistake, interval_of

_OLDEST = 3  # seconds, of a row of `ward_screen`
_BATCH = 1  # seconds that a batch takes
_VERSIONS = 1_200  # of `ward_audit` per hour


def check(attempt: Attempt) -> None:
    """Check the interval before waiting for a batch: a wrong one may wait for hours."""
    screen, audit = attempt.stream("screen"), attempt.stream("audit")
    for name, stream in (("screen", screen), ("audit", audit)):
        attempt.must_not_have_failed(stream)
        _must_keep_running(name, stream)
    if screen.trigger is not None:  # which Connect does not tell
        _must_be_fresh_and_poll_rarely(_seconds_of(screen.trigger))
    if audit.trigger is not None:
        _must_write_few_versions(_seconds_of(audit.trigger))
    landed = landed_readings(attempt)
    for name, stream in (("screen", screen), ("audit", audit)):
        attempt.wait_until_idle(stream)
        attempt.must_have_read(stream, landed.count())
        attempt.compare(attempt.table(f"ward_{name}"), landed, f"ward_{name}")
        attempt.must_have_checkpoint(stream, f"ward_{name}")


def _must_keep_running(name: str, stream: MadeStream) -> None:
    if stream.trigger in ("availableNow", "once"):
        raise Mistake(f"`{name}` has the trigger `{stream.trigger}`, which makes a job that ends. It must stay live.")
    if not stream.is_active:
        raise Mistake(f"`{name}` was stopped, or it is a job that ends. Leave it running.")


def _seconds_of(trigger: str) -> float:
    """Return the interval of a live stream's trigger in seconds; 0 for the default trigger."""
    if trigger == "default":
        return 0.0
    if (seconds := interval_of(trigger)) is None:
        raise Mistake(f"A stream has the trigger `{trigger}`. For a fixed interval, use `processingTime`.")
    return seconds


def _must_be_fresh_and_poll_rarely(seconds: float) -> None:
    longest = _OLDEST - _BATCH
    if seconds == 0:
        raise Mistake(
            "`screen` has no interval, so it checks for files all the time, and every check costs a listing. The rows "
            f"may be {_OLDEST} seconds old: choose the longest interval that this allows."
        )
    if seconds > longest:
        raise Mistake(
            f"With an interval of {seconds:g} s, a row of `screen` could be {seconds + _BATCH:g} seconds old: it may "
            f"wait for a whole interval, and its batch takes {_BATCH} s more. {_OLDEST} seconds are allowed."
        )
    if seconds < longest:
        raise Mistake(
            f"With an interval of {seconds:g} s, no row of `screen` is older than {seconds + _BATCH:g} seconds, but "
            f"the folder is listed {3600 / seconds:,.0f} times per hour. Rows may be {_OLDEST} seconds old, so it can "
            "be listed less often."
        )


def _must_write_few_versions(seconds: float) -> None:
    shortest = 3600 / _VERSIONS
    if seconds == 0:
        raise Mistake(
            "`audit` has no interval, so nothing limits how many batches it runs per hour. Choose one that keeps it "
            f"at {_VERSIONS:,} batches or below."
        )
    if seconds < shortest:
        raise Mistake(
            f"With an interval of {seconds:g} s, `audit` can run {3600 / seconds:,.0f} batches per hour, and each one "
            f"makes a version. {_VERSIONS:,} are allowed."
        )
    if seconds > shortest:
        raise Mistake(
            f"With an interval of {seconds:g} s, `audit` runs {3600 / seconds:,.0f} batches per hour at most. "
            f"{_VERSIONS:,} are allowed, so the rows could be fresher."
        )


MAKES = Makes(
    variables=("screen", "audit"),
    tables=("ward_screen", "ward_audit"),
    folders=("checkpoints/ward_screen", "checkpoints/ward_audit"),
)

HIDDEN = (
    HiddenTest(
        planted.five_files,
        ("ward_screen", "ward_audit", planted.batch_sizes("screen"), planted.batch_sizes("audit")),
        says="Your cell was run on five other files.",
    ),
)
