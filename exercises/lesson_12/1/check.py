"""Check exercise 12.1, "Gone for good"."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_12.customers import CUSTOMER_SCHEMA

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_EVENT = f"sequence LONG, operation STRING, {CUSTOMER_SCHEMA}, changed_at TIMESTAMP"
_MEMBER = ("customer_id", "name", "email", "country", "city", "segment", "sequence")


def check(attempt: Attempt) -> None:
    """Compare with the usual mistakes: deleted rows, the order of arrival, a view without its filter."""
    stream = attempt.stream("joining")
    attempt.wait_for_end(
        stream, "The query must stop after it has processed the available data: use `.trigger(availableNow=True)`.", 60
    )
    made = attempt.view("members_now")
    landed = attempt.spark.read.schema(_EVENT).json(attempt.paths.landing)
    attempt.must_have_checkpoint(stream, "members")
    attempt.must_have_read(stream, landed.count())
    right = _now(attempt.value("snapshot"), landed)
    if "customer_id" in made.columns:
        _must_not_be_back(made, landed, right)
    attempt.compare(made, right, "members_now")


def _must_not_be_back(made: DataFrame, landed: DataFrame, right: DataFrame) -> None:
    left = landed.where("operation = 'DELETE'").select("customer_id")
    back = made.join(left, "customer_id", "left_semi").where("name IS NOT NULL").count()
    if back:
        raise Mistake(
            f"Customers who left are still there, or back: {back}. An older change that arrived later has won. Compare "
            "its `sequence` with that of the row, and keep a row for each customer who left, to compare with."
        )
    if made.join(left, "customer_id", "left_semi").count():
        raise Mistake("`members_now` has rows of customers who have left, without a name. Filter them out in the view.")
    if made.count() == right.count() and made.join(right, "customer_id", "left_semi").count() < right.count():
        raise Mistake("`members_now` has customers more than once.")


def _now(snapshot: DataFrame, landed: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    changes = landed.drop("changed_at").unionByName(snapshot.drop("updated_at"), allowMissingColumns=True)
    newest = changes.groupBy("customer_id").agg(F.max_by(F.struct(*changes.columns), "sequence").alias("newest"))
    return newest.select("newest.*").where("operation IS DISTINCT FROM 'DELETE'").select(*_MEMBER)


def _snapshot(sandbox: Sandbox) -> None:
    """Plant customers and two files of changes: early deletes, unknown customers, wrong clocks."""
    rows = [
        (number, f"name {number}", "e", "PT", "Lisbon", "consumer", datetime(2024, 1, 1, tzinfo=UTC), 0)
        for number in (1, 2, 3)
    ]
    sandbox.keep(snapshot=sandbox.frame(rows, f"{CUSTOMER_SCHEMA}, updated_at TIMESTAMP, sequence LONG"))
    _changes(
        sandbox, "a", (12, "DELETE", 1), (11, "UPDATE", 1), (14, "DELETE", 7), (20, "UPDATE", 2), (18, "UPDATE", 2)
    )
    _changes(
        sandbox,
        "b",
        (10, "UPDATE", 1),
        (13, "INSERT", 7),
        (19, "UPDATE", 2),
        (21, "INSERT", 8),
        (22, "DELETE", 8),
        (22, "DELETE", 8),
    )
    source = sandbox.spark.readStream.schema(_EVENT).option("maxFilesPerTrigger", 1).json(sandbox.paths.landing)
    sandbox.keep(landing=source.selectExpr("*", "_metadata.file_name AS file"))


def _one_returns(sandbox: Sandbox) -> None:
    """Append the return of a deleted customer, and an old change of another one for the second time."""
    _changes(sandbox, "c", (30, "INSERT", 1), (13, "INSERT", 7), (5, "UPDATE", 3), (31, "DELETE", 3), (29, "UPDATE", 3))


def _changes(sandbox: Sandbox, name: str, *changes: tuple[int, str, int]) -> None:
    sandbox.file(f"changes-{name}.json", [_change(*change) for change in changes])


def _change(sequence: int, operation: str, customer: int) -> dict[str, object]:
    """Return a change; the sender's clock runs backwards, so only the sequence has the order."""
    event = {"sequence": sequence, "operation": operation, "customer_id": customer}
    event["changed_at"] = f"2024-03-05T08:00:{59 - sequence:02}Z"
    person = {"name": f"name {sequence}", "email": "e", "country": "GR", "city": "Athens", "segment": "business"}
    return event if operation == "DELETE" else event | person


MAKES = Makes(
    variables=("joining",),
    tables=("members",),
    views=("members_now",),
    folders=("checkpoints/members",),
    by_starter=True,
)

HIDDEN = (
    HiddenTest(
        _snapshot,
        ("members_now",),
        later=(_one_returns, planted.crash_before_commit),
        says="Your cell was run on other changes, and again after a restart: deletes before older changes, or of "
        "unknown customers, and times that contradict the sequence.",
    ),
)
