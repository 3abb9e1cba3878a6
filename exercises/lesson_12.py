"""Exercises of lesson 12: changes in any order, deletes among them, and what was true at a moment."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

_CUSTOMER = "customer_id INT, name STRING, email STRING, country STRING, city STRING, segment STRING"
_EVENT = f"sequence LONG, operation STRING, {_CUSTOMER}, changed_at TIMESTAMP"
_MEMBER = ("customer_id", "name", "email", "country", "city", "segment", "sequence")

# ------------------------------------------------------------------------------------------------ 12.1 gone for good

MEMBERS_STARTER = """
DA.exercise("12.1")  # removes what an earlier attempt created

snapshot.drop("updated_at").write.mode("ignore").saveAsTable("members")


def apply_changes(batch, batch_id):
    ...  # apply the changes of this batch to members


joining = None  # the stream that calls apply_changes

# spark.sql("CREATE OR REPLACE TEMP VIEW members_now AS SELECT ...")
"""

MEMBERS_SOLUTION = '''
DA.exercise("12.1")  # removes what an earlier attempt created

snapshot.drop("updated_at").write.mode("ignore").saveAsTable("members")

if "gone" not in spark.table("members").columns:
    spark.sql("ALTER TABLE members ADD COLUMN gone BOOLEAN")


def apply_changes(batch, batch_id):
    (batch
        .groupBy("customer_id")
        .agg(F.max_by(F.struct(*batch.columns), "sequence").alias("newest"))
        .select("newest.*")
        .withColumn("gone", F.expr("operation = 'DELETE'"))
        .createOrReplaceTempView("changes"))
    batch.sparkSession.sql("""
        MERGE INTO members AS member USING changes AS change ON member.customer_id = change.customer_id
        WHEN MATCHED AND change.sequence > member.sequence THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *""")


joining = (landing.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/members")
    .foreachBatch(apply_changes)
    .trigger(availableNow=True)
    .start())
joining.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT * EXCEPT (gone) FROM members WHERE gone IS NOT TRUE""")
'''


def check_members(attempt: Attempt) -> None:
    """Compare with what people get who delete rows, who go by arrival, and who forget the view."""
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
    """Plant customers and two files of changes: deletes before older changes or of unknown customers, wrong clocks."""
    rows = [
        (number, f"name {number}", "e", "PT", "Lisbon", "consumer", datetime(2024, 1, 1, tzinfo=UTC), 0)
        for number in (1, 2, 3)
    ]
    sandbox.keep(snapshot=sandbox.frame(rows, f"{_CUSTOMER}, updated_at TIMESTAMP, sequence LONG"))
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
    """Let a customer who has left come back, and an old change of another one arrive once more."""
    _changes(sandbox, "c", (30, "INSERT", 1), (13, "INSERT", 7), (5, "UPDATE", 3), (31, "DELETE", 3), (29, "UPDATE", 3))


def _changes(sandbox: Sandbox, name: str, *changes: tuple[int, str, int]) -> None:
    sandbox.file(f"changes-{name}.json", [_change(*change) for change in changes])


def _change(sequence: int, operation: str, customer: int) -> dict[str, object]:
    """Return a change; the clock of its sender runs backwards, so that only the sequence tells the order."""
    event = {"sequence": sequence, "operation": operation, "customer_id": customer}
    event["changed_at"] = f"2024-03-05T08:00:{59 - sequence:02}Z"
    person = {"name": f"name {sequence}", "email": "e", "country": "GR", "city": "Athens", "segment": "business"}
    return event if operation == "DELETE" else event | person


MEMBERS = Exercise(
    id="12.1",
    title="Gone for good",
    starter=MEMBERS_STARTER,
    hints=(
        "What does the older update need, when it arrives, in order to be recognized as older?",
        "Do not delete the row. Add a column to `members` that says whether the customer has left, and treat a delete "
        "like any other change: it sets the mark and the sequence.",
        "First reduce the batch to the newest change of each customer, as `newest` does. In the statement two clauses "
        "are enough: a newer change updates, an unknown customer is inserted, even if the change is a delete.",
    ),
    solution=MEMBERS_SOLUTION,
    why=(
        "The row of a customer who has left stays, with the sequence of the delete and a mark. An older change that "
        "arrives later is compared with it and loses. A delete of somebody unknown is inserted as well, because an "
        "older insert may follow. The view hides all of them."
    ),
    check=check_members,
    hidden=(
        HiddenTest(
            _snapshot,
            ("members_now",),
            later=(_one_returns, planted.crash_before_commit),
            says="Your cell was run on other changes, and again after a restart: deletes before older changes, or of "
            "unknown customers, and times that contradict the sequence.",
        ),
    ),
    wrong=(
        WrongAnswer(
            MEMBERS_SOLUTION.replace(
                "WHEN MATCHED AND change.sequence > member.sequence THEN UPDATE SET *\n        WHEN NOT MATCHED THEN",
                "WHEN MATCHED AND change.gone AND change.sequence > member.sequence THEN DELETE\n"
                "        WHEN MATCHED AND change.sequence > member.sequence THEN UPDATE SET *\n"
                "        WHEN NOT MATCHED AND NOT change.gone THEN",
            ),
            "that arrived later has won",
        ),
        WrongAnswer(
            MEMBERS_SOLUTION.replace(
                'F.struct(*batch.columns), "sequence")', 'F.struct(*batch.columns), "changed_at")'
            ),
            "contradict the sequence",
        ),
        WrongAnswer(MEMBERS_SOLUTION.replace(" WHERE gone IS NOT TRUE", ""), "Filter them out in the view"),
        WrongAnswer(MEMBERS_SOLUTION.replace("AND change.sequence > member.sequence ", ""), "later has won"),
        WrongAnswer(
            MEMBERS_SOLUTION.replace(
                MEMBERS_SOLUTION[
                    MEMBERS_SOLUTION.index('        .groupBy("') : MEMBERS_SOLUTION.index("        .withC")
                ],
                "",
            ),
            "MULTIPLE_SOURCE_ROW",
        ),
        WrongAnswer(
            MEMBERS_SOLUTION.replace("WHEN NOT MATCHED THEN", "WHEN NOT MATCHED AND NOT change.gone THEN"),
            "other changes",
        ),
        WrongAnswer(MEMBERS_SOLUTION.replace("checkpoints}/members", "checkpoints}/other"), "`members` was asked for"),
    ),
    makes=Makes(
        variables=("joining",),
        tables=("members",),
        views=("members_now",),
        folders=("checkpoints/members",),
        by_starter=True,
    ),
)

# --------------------------------------------------------------------------------------- 12.2 the evening of 6 March

EVENING_STARTER = """
%sql
DROP VIEW IF EXISTS evening_vw;
-- CREATE TEMP VIEW evening_vw AS
-- SELECT ...
"""

EVENING_SOLUTION = """
%sql
DROP VIEW IF EXISTS evening_vw;
CREATE TEMP VIEW evening_vw AS
SELECT customer_id, name, country, city
FROM history
WHERE valid_from <= TIMESTAMP '2025-03-06 18:00:00'
  AND (valid_to > TIMESTAMP '2025-03-06 18:00:00' OR valid_to IS NULL)
  AND operation <> 'DELETE'
"""


def check_evening(attempt: Attempt) -> None:
    """Name the three ways in which a moment is read wrongly from a history."""
    made = attempt.view("evening_vw")
    history = attempt.table("history")
    right = _at(history)
    if attempt.is_same(made, _at(history, deleted=True)):
        raise Mistake(
            "Customers who had left are among them, as rows without a name. A delete is a version as well, with no "
            "end: leave it out."
        )
    if attempt.is_same(made, _at(history.where("valid_to IS NOT NULL"))):
        raise Mistake("Current versions are missing: their `valid_to` is NULL, and no comparison with NULL is true.")
    if attempt.is_same(made, history.where("is_current").select(*right.columns)):
        raise Mistake("These are the customers as they are now. Compare `valid_from` and `valid_to` with the evening.")
    attempt.compare(made, right, "evening_vw")


def _at(history: DataFrame, *, deleted: bool = False) -> DataFrame:
    evening = "TIMESTAMP '2025-03-06 18:00:00'"
    then = history.where(f"valid_from <= {evening} AND (valid_to > {evening} OR valid_to IS NULL)")
    then = then if deleted else then.where("operation <> 'DELETE'")
    return then.select("customer_id", "name", "country", "city")


def _boundaries(sandbox: Sandbox) -> None:
    """Give versions that begin and end at the moment itself, a second before and after, and a delete of each kind."""

    def at(second: int) -> datetime:
        return datetime.fromtimestamp(datetime(2025, 3, 6, 18, tzinfo=UTC).timestamp() + second, UTC)

    times = [
        (1, "SNAPSHOT", -90, 0), (1, "UPDATE", 0, 1), (1, "UPDATE", 1, None), (2, "SNAPSHOT", -90, -1),
        (2, "DELETE", -1, None), (3, "INSERT", -5, 0), (3, "DELETE", 0, None), (4, "INSERT", 1, None),
        (5, "DELETE", -50, -20), (5, "INSERT", -20, None), (6, "SNAPSHOT", -90, 1), (6, "DELETE", 1, None),
    ]  # fmt: skip
    rows = [
        (customer, None if what == "DELETE" else f"n{number}", "e", "PT", "Porto", "consumer", number, what, at(start),
         None if end is None else at(end), end is None and what != "DELETE")
        for number, (customer, what, start, end) in enumerate(times)
    ]  # fmt: skip
    schema = (
        f"{_CUSTOMER}, sequence LONG, operation STRING, valid_from TIMESTAMP, valid_to TIMESTAMP, is_current BOOLEAN"
    )
    sandbox.append("history", rows, schema)


EVENING = Exercise(
    id="12.2",
    title="The evening of 6 March",
    starter=EVENING_STARTER,
    hints=(
        "Two comparisons with the evening: the version has begun, and it has not ended.",
        "A version that ends at 18:00:00 is no longer valid at 18:00:00. And what is `valid_to` of a version that is "
        "still valid?",
        "A delete is a version, too. It says that there is no customer.",
    ),
    solution=EVENING_SOLUTION,
    why=(
        "A version holds from `valid_from`, inclusive, until `valid_to`, exclusive. So at each moment exactly one "
        "version of a customer is valid, even at the moment of a change. `BETWEEN` includes both ends and would "
        "return two."
    ),
    check=check_evening,
    hidden=(
        HiddenTest(
            _boundaries,
            ("evening_vw",),
            says="Your cell was run on another history: versions that begin or end at 18:00:00 exactly.",
        ),
    ),
    wrong=(
        WrongAnswer(EVENING_SOLUTION.replace("\n  AND operation <> 'DELETE'", ""), "Customers who had left"),
        WrongAnswer(EVENING_SOLUTION.replace(" OR valid_to IS NULL", ""), "Current versions are missing"),
        WrongAnswer(EVENING_SOLUTION.replace("valid_to > ", "valid_to >= "), "exactly"),
        WrongAnswer(EVENING_SOLUTION.replace("valid_from <= ", "valid_from < "), "exactly"),
        WrongAnswer(
            "\n%sql\nDROP VIEW IF EXISTS evening_vw;\nCREATE TEMP VIEW evening_vw AS\n"
            "SELECT customer_id, name, country, city FROM history WHERE is_current\n",
            "as they are now",
        ),
    ),
    makes=Makes(views=("evening_vw",)),
)

EXERCISES = (MEMBERS, EVENING)
