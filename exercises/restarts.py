"""How often an answer starts a stream again that fails: five times for a new field, and never for another reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Mistake
from streaming_classroom.exercises.sandbox import CellFailedError

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox

MOST_STARTS = 6  # five restarts
_NEW_FIELD = (
    "[UNKNOWN_FIELD_EXCEPTION.NEW_FIELDS_IN_RECORD_WITH_FILE_PATH] Encountered unknown fields during parsing: "
    '{"voucher":"x"}, which can be fixed by an automatic retry: true'
)
_DISK_FULL = "[STREAM_FAILED] Query terminated with exception: No space left on device"


class _TooManyStarts(BaseException):
    """Ends an answer that would restart forever; no answer catches it."""


class _FailingSession:
    """A session whose streams all fail with the same error."""

    isActive = False

    def __init__(self, error: str) -> None:
        self._error = error
        self.starts = 0

    def __getattr__(self, _name: str) -> _FailingSession:
        return self

    def __call__(self, *_arguments: object, **_options: object) -> _FailingSession:
        return self

    def awaitTermination(self, *_seconds: float) -> None:
        """Fail, as a stream does."""
        from pyspark.errors import StreamingQueryException

        self.starts += 1
        if self.starts > 2 * MOST_STARTS:
            raise _TooManyStarts
        raise StreamingQueryException(self._error)


def count(sandbox: Sandbox, what: str) -> None:
    """Run an answer where each start finds a new field, then where each fails for another reason.

    Parameters
    ----------
    what
        What the answer is to the learner, such as ``job``.

    Raises
    ------
    Mistake
        It restarts more or less than five times, or for the other reason, or hides an error.
    """
    starts, has_raised = _starts(sandbox, _NEW_FIELD)
    if not has_raised and not starts:
        raise Mistake(f"Your {what} does not wait for its stream, so it never learns that the stream has failed.")
    if starts > MOST_STARTS:
        raise Mistake(
            f"Your {what} was run where every start meets one more new field: it restarted more than five times."
        )
    if has_raised and starts < MOST_STARTS:
        raise Mistake(
            f"Your {what} was run where every start meets one more new field: it gave up after {starts - 1} restarts, "
            "and up to five new fields may come."
        )
    if not has_raised:
        raise Mistake(
            f"Your {what} was run where every start meets one more new field. After its last restart it returned, as "
            "if all were well: raise the error, so that somebody notices."
        )
    starts, has_raised = _starts(sandbox, _DISK_FULL)
    if starts > 1 or not has_raised:
        happened = "restarted for it" if starts > 1 else "ended as if all were well"
        raise Mistake(
            f"Your {what} was run where the stream fails because the disk is full, and {happened}. Restart for "
            "`UNKNOWN_FIELD_EXCEPTION` alone, and raise every other error again."
        )


def _starts(sandbox: Sandbox, error: str) -> tuple[int, bool]:
    """Return the number of starts of the answer's stream, and whether the answer has raised an error."""
    session, above = _FailingSession(error), sandbox.above
    sandbox.keep(failing=session)
    sandbox.above = f"spark = failing\n{above}"
    try:
        sandbox.run_again()
    except (CellFailedError, _TooManyStarts):
        return session.starts, True
    finally:
        sandbox.above = above
    return session.starts, False
