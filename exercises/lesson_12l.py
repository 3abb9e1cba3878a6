"""Exercises of lab 12L: each change once, the newest value of each field, members who leave, return, are forgotten.

What is right is worked out in plain Python, one change after the other in their true order. The solutions never sort:
they take what is greatest, so that the two agree only where the order of arrival does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer
from streaming_classroom.hidden_tests.sandbox import CellFailedError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from streaming_classroom.hidden_tests import Sandbox

FIELDS = ("name", "email", "city")
ERASE, LEAVES = "-", "DELETE"
_SENT = "card STRING, sequence LONG, operation STRING, name STRING, email STRING, city STRING, changed_at TIMESTAMP"
_AT = "STRUCT<sequence: LONG, changed_at: TIMESTAMP>"
_LOGGED = f"card STRING, at {_AT}, operation STRING, name STRING, email STRING, city STRING"
_VALUE = f"STRUCT<at: {_AT}, value: STRING>"
_MEMBERS = f"card STRING, operation {_VALUE}, name {_VALUE}, email {_VALUE}, city {_VALUE}"
_MEMBER = "card STRING, name STRING, email STRING, city STRING"
NOON = int(datetime(2025, 9, 6, 12, tzinfo=UTC).timestamp())


class Change(NamedTuple):
    """A change of a card, with its time in seconds; a field that is None has not changed."""

    card: str
    sequence: int
    seconds: int
    operation: str
    name: str | None = None
    email: str | None = None
    city: str | None = None


Value = tuple[int, int, str]  # sequence and seconds of the change that it comes from, and what it is
Values = dict[str, dict[str, Value]]  # by card and field
Order = Callable[[Change], Any]


def values_of(
    changes: Iterable[Change],
    order: Order = lambda change: (change.sequence, change.seconds),
    *,
    nulls: bool = False,
    ends: bool = True,
    erases: bool = True,
) -> Values:
    """Return the newest value of each field of each card, by applying the changes one after the other.

    Parameters
    ----------
    changes : iterable of Change
        In any order, each as often as it comes.
    order : callable
        What they are sorted by.
    nulls, ends, erases : bool
        Whether a missing value replaces one, a delete ends all fields, an erasure is a value: turned round, a mistake.
    """
    found: Values = {}
    for change in sorted(changes, key=order):
        values = found.setdefault(change.card, {})
        at = change.sequence, change.seconds
        values["operation"] = (*at, change.operation)
        for field in FIELDS:
            value = ERASE if ends and change.operation == LEAVES else getattr(change, field)
            if (nulls or value is not None) and (erases or value != ERASE):
                values[field] = (*at, value)
    return found


def members_of(values: Values) -> dict[str, tuple[str | None, ...]]:
    """Return name, e-mail address and city of each card that is a member's."""
    return {
        card: tuple(None if (value := of.get(field, (0, 0, None))[2]) == ERASE else value for field in FIELDS)
        for card, of in values.items()
        if of["operation"][2] != LEAVES
    }


def one_spelling(card: str) -> str:
    """Return a card as it is printed, without the zeros."""
    letter, number = card.strip().upper().split("-")
    return f"{letter}-{int(number)}"


def _landed(attempt: Attempt) -> list[Change]:
    """Return the changes that have landed, in one spelling, as often as they have."""
    sent = attempt.spark.read.schema(_SENT).json(attempt.paths.landing)
    rows = sent.selectExpr("card", "sequence", "unix_seconds(changed_at)", "operation", *FIELDS).collect()
    return [Change(*row)._replace(card=one_spelling(row[0])) for row in rows]


def _logged(log: DataFrame) -> list[Change]:
    seconds = "unix_seconds(at.changed_at)"
    return [Change(*row) for row in log.selectExpr("card", "at.sequence", seconds, "operation", *FIELDS).collect()]


def _frame(spark: SparkSession, changes: Iterable[Change]) -> DataFrame:
    """Return changes as a frame with the columns of `change_log`."""
    schema = "card STRING, sequence LONG, seconds LONG, operation STRING, name STRING, email STRING, city STRING"
    rows = spark.createDataFrame([tuple(change) for change in changes], schema).coalesce(1)
    at = "struct(sequence, timestamp_seconds(seconds) AS changed_at) AS at"
    return rows.selectExpr("card", at, "operation", *FIELDS)


def _members_frame(spark: SparkSession, members: dict[str, tuple[str | None, ...]]) -> DataFrame:
    return spark.createDataFrame([(card, *values) for card, values in members.items()], _MEMBER)


def _before(attempt: Attempt, name: str, exercise: str) -> DataFrame:
    """Return a table or view of an earlier exercise."""
    if not attempt.spark.catalog.tableExists(name):
        raise Mistake(f"`{name}` does not exist yet: do exercise {exercise} first.")
    return attempt.spark.table(name)


# ----------------------------------------------------------------------------------------------- 12L.1 each change once

LOG_STARTER = """
DA.exercise("12L.1")  # removes what an earlier attempt created

spark.sql(\"\"\"CREATE TABLE change_log (card STRING, at STRUCT<sequence: LONG, changed_at: TIMESTAMP>,
    operation STRING, name STRING, email STRING, city STRING)\"\"\")

changes = None  # landing, with one spelling of each card


def log_changes(batch, batch_id):
    ...  # insert the changes that change_log does not have yet


logged = None  # the stream of changes that calls log_changes
"""

LOG_SOLUTION = '''
DA.exercise("12L.1")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE change_log (card STRING, at STRUCT<sequence: LONG, changed_at: TIMESTAMP>,
    operation STRING, name STRING, email STRING, city STRING)""")

changes = landing.withColumn("card", F.expr("regexp_replace(upper(trim(card)), '-0+', '-')"))


def log_changes(batch, batch_id):
    batch.dropDuplicates(["card", "at"]).createOrReplaceTempView("batch")
    batch.sparkSession.sql("""
        MERGE INTO change_log AS old USING batch AS new ON old.card = new.card AND old.at = new.at
        WHEN NOT MATCHED THEN INSERT *
        """)


logged = (changes.writeStream
    .foreachBatch(log_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/change_log")
    .trigger(availableNow=True)
    .start())
logged.awaitTermination()
'''


def check_log(attempt: Attempt) -> None:
    """Tell a card that nobody has from changes that are there twice, and from one of two with the same sequence."""
    stream = attempt.stream("logged")
    attempt.wait_for_end(
        stream, "The query must stop after it has processed the available data: use `.trigger(availableNow=True)`.", 60
    )
    made = attempt.table("change_log")
    attempt.must_have_checkpoint(stream, "change_log")
    landed = _landed(attempt)
    attempt.must_have_read(stream, len(landed))
    once = set(landed)
    _must_be_cards(made, {change.card for change in once}, "change_log")
    rows = made.count()
    if rows > made.select("card", "at").distinct().count():
        raise Mistake(
            "`change_log` has changes more than once. A change is sent again in the same batch, or in a later one, and "
            "perhaps in another spelling: within a batch remove duplicates after the cards have one spelling, and let "
            "the `MERGE` insert only what is new."
        )
    if rows == len({(change.card, change.sequence) for change in once}) < len(once):
        raise Mistake(
            "Some changes are missing: those with the same `sequence` as another change of their card. They are two "
            "changes, made at different times. Compare all of `at`."
        )
    attempt.compare(made, _frame(attempt.spark, once), "change_log")
    _must_stream_cards(attempt, {change.card for change in once})


def _must_be_cards(made: DataFrame, cards: set[str], name: str) -> None:
    if "card" not in made.columns:
        return
    strange = {str(row.card) for row in made.select("card").distinct().collect()} - cards
    if strange:
        raise Mistake(
            f"`{name}` has the card `{min(strange)}`, but no card has this number in the one spelling that was asked "
            "for. Remove the blanks at both ends, write the letter in upper case, and remove the zeros in front of the "
            "number, but no others: ` k-00407` is `K-407`."
        )


def _must_stream_cards(attempt: Attempt, cards: set[str]) -> None:
    """Let the stream `changes` itself have one spelling, since the next exercises read it."""
    frame = attempt.value("changes")
    if not getattr(frame, "isStreaming", False) or hasattr(frame, "runId"):
        raise Mistake("`changes` is not a streaming DataFrame: begin with `landing`.")
    _must_be_cards(attempt.rows_of_stream(frame), cards, "changes")


#: Three files, and two that come later. Numbers with zeros within and at the end, and of both letters; a change that is
#: sent twice in a file, later, in another spelling; two with one sequence, two with one time; one of a card like
#: another one's number.
_SENT_FILES: tuple[tuple[Change, ...], ...] = (
    (
        Change(" k-0070", 1, 10, "INSERT", "n", "e", "c"),
        Change("K-70 ", 1, 10, "INSERT", "n", "e", "c"),
        Change("M-70", 1, 10, "INSERT", "m", "f", "d"),
        Change("K-00700", 1, 10, "INSERT", "o", "g", "d"),
    ),
    (
        Change("k-00070", 2, 20, "UPDATE", None, None, "c2"),
        Change("K-70", 1, 10, "INSERT", "n", "e", "c"),
        Change(" m-407", 3, 40, LEAVES),
    ),
    (
        Change("K-70", 2, 25, "UPDATE", None, None, "c3"),
        Change("K-70", 3, 25, "UPDATE", None, "e3", None),
        Change("m-00407 ", 3, 40, LEAVES),
        Change("K-7", 1, 10, "INSERT", "n", "e", "c"),
    ),
)
_SENT_LATER: tuple[Change, ...] = (
    Change("  K-0070", 2, 20, "UPDATE", None, None, "c2"),
    Change("M-407", 1, 5, "INSERT", "p", ERASE, None),
    Change("k-1001", 1, 5, "INSERT", "p", "q", "r"),
    Change("K-01001", 1, 5, "INSERT", "p", "q", "r"),
)


def _land(sandbox: Sandbox, name: str, changes: Iterable[Change]) -> None:
    """Write a file of changes, in which some fields that have not changed are null, and others are not there."""
    rows = []
    for number, change in enumerate(changes):
        fields = {field: getattr(change, field) for field in FIELDS}
        given = {field: value for field, value in fields.items() if value is not None or number % 2}
        at = datetime.fromtimestamp(planted.MIDNIGHT + change.seconds, UTC)
        row = {"card": change.card, "sequence": change.sequence, "operation": change.operation}
        rows.append(row | given | {"changed_at": f"{at:%Y-%m-%dT%H:%M:%SZ}"})
    sandbox.file(f"app-{name}.json", rows)


def _stream(sandbox: Sandbox, files: int) -> DataFrame:
    source = sandbox.spark.readStream.schema(_SENT).option("maxFilesPerTrigger", files).json(sandbox.paths.landing)
    return source.selectExpr("card", "struct(sequence, changed_at) AS at", "operation", *FIELDS)


def _sent_in_files(sandbox: Sandbox) -> None:
    """Land three files, two of them in the first batch, with what `_SENT_FILES` must tell apart."""
    for number, changes in enumerate(_SENT_FILES):
        _land(sandbox, f"a{number}", changes)
    sandbox.keep(landing=_stream(sandbox, 2))


def _sent_later(sandbox: Sandbox) -> None:
    """Land one more file, with a known change in another spelling, and new ones, one of them twice."""
    _land(sandbox, "b", _SENT_LATER)


LOG = Exercise(
    id="12L.1",
    title="Each change once",
    starter=LOG_STARTER,
    hints=(
        "Three functions make one spelling: `trim`, `upper`, and `regexp_replace` for the zeros. Which zeros may go?",
        "Zeros that follow the hyphen: the pattern `-0+`, replaced with `-`. Do this in `changes`, before anything is "
        "compared.",
        "Within a batch: `dropDuplicates` with the columns that a change is known by. Across batches: a `MERGE` that "
        "compares the same columns and has one clause, `WHEN NOT MATCHED THEN INSERT *`.",
    ),
    solution=LOG_SOLUTION,
    why=(
        "One spelling comes first, or two spellings of one change are two changes. The `MERGE` only inserts what is "
        "not there, so a batch may be run again, and a lost checkpoint costs time and nothing else. A change is known "
        "by the card and all of `at`: two phones can use the same sequence."
    ),
    check=check_log,
    hidden=(
        HiddenTest(
            _sent_in_files,
            ("change_log",),
            later=(_sent_later, planted.lose_checkpoints),
            says="Your cell was run on other changes, two of a card with the same time, in several batches, and again "
            "with a lost checkpoint.",
        ),
    ),
    wrong=(
        WrongAnswer(
            LOG_SOLUTION.replace("regexp_replace(upper(trim(card)), '-0+', '-')", "upper(trim(card))"), "one spelling"
        ),
        WrongAnswer(LOG_SOLUTION.replace("'-0+', '-'", "'0', ''"), "but no others"),
        WrongAnswer(LOG_SOLUTION.replace("'-0+', '-'", "'^.-0*', ''"), "has the card `"),
        WrongAnswer(LOG_SOLUTION.replace("upper(trim(card))", "upper(card)"), "Remove the blanks"),
        WrongAnswer(LOG_SOLUTION.replace('.dropDuplicates(["card", "at"])', ""), "more than once"),
        WrongAnswer(
            LOG_SOLUTION.replace(
                '.dropDuplicates(["card", "at"])',
                '.withColumn("sequence", F.col("at.sequence")).dropDuplicates(["card", "sequence"])',
            ).replace("old.at = new.at", "old.at.sequence = new.sequence"),
            "the same `sequence`",
        ),
        WrongAnswer(
            LOG_SOLUTION.replace(
                '.dropDuplicates(["card", "at"])',
                '.withColumn("time", F.col("at.changed_at")).dropDuplicates(["card", "time"])',
            ).replace("old.at = new.at", "old.at.changed_at = new.time"),
            "with the same time",
        ),
        WrongAnswer(
            LOG_SOLUTION.replace(
                LOG_SOLUTION[LOG_SOLUTION.index("    batch.dropD") : LOG_SOLUTION.index("\n\nlogged")],
                '    batch.dropDuplicates(["card", "at"]).write.mode("append").saveAsTable("change_log")\n',
            ),
            "more than once",
        ),
        WrongAnswer(
            LOG_SOLUTION.replace(
                "(changes.writeStream\n    .foreachBatch(log_changes)",
                '(changes\n    .dropDuplicates(["card", "at"])\n    .writeStream',
            ).replace(".start())", '.toTable("change_log"))'),
            "lost checkpoint",
        ),
        WrongAnswer(LOG_SOLUTION.replace("checkpoints}/change_log", "checkpoints}/other"), "`change_log` was asked"),
    ),
    makes=Makes(
        variables=("logged", "changes"),
        tables=("change_log",),
        folders=("checkpoints/change_log",),
        by_starter=True,
    ),
)

# -------------------------------------------------------------------------------- 12L.2 the newest value of each field

NEWEST_STARTER = """
DA.exercise("12L.2")  # removes what an earlier attempt created

newest_values = None  # a function: takes changes, returns one row per card
"""

_NEWEST = """def newest_values(changes):
    for field in ["name", "email", "city"]:
        changes = changes.withColumn(field, F.expr(f"IF(operation = 'DELETE', '-', {field})"))
    newest = [
        F.expr(f"max(struct(at, {field} AS value)) FILTER (WHERE {field} IS NOT NULL)").alias(field)
        for field in ["operation", "name", "email", "city"]
    ]
    return changes.groupBy("card").agg(*newest)
"""

NEWEST_SOLUTION = f"""
DA.exercise("12L.2")  # removes what an earlier attempt created


{_NEWEST}"""


def check_newest(attempt: Attempt) -> None:
    """Compare the values of the landed changes; first with those of the usual mistakes."""
    function = attempt.value("newest_values")
    if not callable(function):
        raise Mistake("`newest_values` is not a function: begin with `def newest_values(changes):`.")
    landed = _landed(attempt)
    made = _flat(function(_frame(attempt.spark, landed)))
    if attempt.is_same(made, _flat_frame(attempt.spark, values_of(landed))):
        return
    for wrong, sentence in (
        (
            values_of(landed, nulls=True),
            "A field that is missing in the newest change has not changed, but it is NULL in your row. Take the newest "
            "change that *has* a value, separately for each field.",
        ),
        (
            values_of(landed, ends=False),
            "A `DELETE` must end every field: treat it as a change that sets name, e-mail address and city to `-`. "
            "Otherwise a person who returns gets back the e-mail address from before.",
        ),
        (
            values_of(landed, erases=False),
            "An older e-mail address is back where it was erased. Keep `-` as a value, because it must win over older "
            "ones: a view can replace it later.",
        ),
        (
            values_of(landed, lambda change: (change.seconds, change.sequence)),
            "Changes of phones whose clock is behind have lost. `sequence` decides; `changed_at` only decides between "
            "two changes with the same `sequence`.",
        ),
    ):
        if attempt.is_same(made, _flat_frame(attempt.spark, wrong)):
            raise Mistake(sentence)
    attempt.compare(made, _flat_frame(attempt.spark, values_of(landed)), "newest_values(changes)")


def _flat(made: Any) -> DataFrame:
    """Return the cards with one column for each value, and one for the change that it comes from."""
    if made is None:
        raise Mistake("`newest_values` returns None: end it with `return` and a DataFrame.")
    if not hasattr(made, "columns"):
        raise Mistake("`newest_values` does not return a DataFrame.")
    for name in ("card", "operation", *FIELDS):
        if name not in made.columns:
            raise Mistake(f"In the result of `newest_values` the column `{name}` is missing.")
        kind = made.schema[name].dataType
        if name != "card" and getattr(kind, "names", None) != ["at", "value"]:
            raise Mistake(
                f"In the result of `newest_values` the column `{name}` must be a struct of `at` and `value`, in this "
                f"order; it is {kind.simpleString()}."
            )
    if surplus := [name for name in made.columns if name not in ("card", "operation", *FIELDS)]:
        raise Mistake(f"In the result of `newest_values` the column `{surplus[0]}` was not asked for.")
    return made.selectExpr("card", *(column for field in ("operation", *FIELDS) for column in _columns(field)))


def _columns(field: str) -> tuple[str, str]:
    return f"{field}.value AS {field}", f"CAST({field}.at AS STRING) AS {field}_at"


def _flat_frame(spark: SparkSession, values: Values) -> DataFrame:
    """Return values as :func:`_flat` returns those of a frame."""
    rows = [(card, *(of.get(field) for field in ("operation", *FIELDS))) for card, of in values.items()]
    value = "STRUCT<sequence: LONG, seconds: LONG, value: STRING>"
    frame = spark.createDataFrame(rows, ", ".join(["card STRING", *(f"{f} {value}" for f in ("operation", *FIELDS))]))
    return _flat(
        frame.selectExpr(
            "card",
            *(
                f"IF({f} IS NULL, NULL, struct(struct({f}.sequence, timestamp_seconds({f}.seconds) AS changed_at) AS at"
                f", {f}.value)) AS {f}"
                for f in ("operation", *FIELDS)
            ),
        )
    )


#: Batches of changes in the order of their arrival. Which of them a mistake gets wrong is said beside each.
BATCHES: tuple[tuple[Change, ...], ...] = (
    (
        Change("K-10", 1, 10, "INSERT", "n1", "e1", "c1"),
        Change("K-10", 3, 30, "UPDATE", None, ERASE, None),  # arrives before the change that it follows
        Change("K-10", 1, 10, "INSERT", "n1", "e1", "c1"),  # again
        Change("M-10", 2, 25, "UPDATE", None, None, "a2"),  # the later of two with one sequence, and the lesser value
        Change("K-20", 4, 40, LEAVES),  # before its insert
        Change("K-30", 1, 10, "INSERT", "p1", "q1", "r1"),
        Change("K-50", 9, 90, "INSERT", "s9", "t9", "u9"),
    ),
    (
        Change("K-10", 2, 20, "UPDATE", "n2", "e2", None),  # its name is new, its address has been erased since
        Change("M-10", 2, 20, "UPDATE", None, None, "z2"),
        Change("M-10", 1, 10, "INSERT", "m1", "f1", "d1"),
        Change("K-30", 5, 50, LEAVES),
        Change("K-30", 6, 60, "INSERT", "p6", None, "r6"),  # returns without an address
        Change("K-40", 2, 15, "UPDATE", None, "y2", None),  # the clock is behind
        Change("K-50", 10, 100, "UPDATE", None, None, "u10"),
    ),
    (
        Change("K-20", 1, 10, "INSERT", "x1", "x1", "x1"),
        Change("K-20", 3, 30, "UPDATE", None, "x3", None),  # older than the delete
        Change("K-30", 4, 45, "UPDATE", None, "q4", None),  # older than the delete of somebody who has returned
        Change("K-40", 1, 20, "INSERT", "w1", "y1", "v1"),
        Change("M-60", 3, 30, "UPDATE", None, None, "b3"),  # its insert is still on the way
        Change("M-70", 7, 70, "UPDATE", None, None, "h7"),
        Change("M-70", 7, 71, LEAVES),  # the same sequence, later
        Change("K-80", 7, 71, "UPDATE", None, None, "i7"),
        Change("K-80", 7, 70, LEAVES),  # the same sequence, earlier
    ),
)
LATER: tuple[Change, ...] = (
    Change("K-10", 4, 40, "UPDATE", None, None, "c4"),
    Change("M-60", 1, 10, "INSERT", "a1", "g1", "b1"),
    Change("M-60", 2, 20, "UPDATE", None, ERASE, None),
    Change("K-30", 5, 50, LEAVES),  # again, when the person has returned
    Change("K-50", 11, 110, LEAVES),
    Change("M-70", 6, 60, "UPDATE", "j6", None, None),
    Change("K-90", 1, 10, "INSERT", "k1", None, None),
)


def every_change() -> list[Change]:
    """Return all planted changes, with those that come again."""
    return [change for batch in (*BATCHES, LATER) for change in batch]


def _at_midnight(changes: Iterable[Change]) -> list[Change]:
    return [change._replace(seconds=int(planted.MIDNIGHT) + change.seconds) for change in changes]


@contextmanager
def _as_the_cells() -> Iterator[None]:
    """Take an error of a function that the cell has defined for one of the cell."""
    try:
        yield
    except Mistake:
        raise
    except Exception as error:
        raise CellFailedError(f"{type(error).__name__}: {str(error).splitlines()[0]}") from error


def _newest_made(sandbox: Sandbox) -> DataFrame:
    """Call the cell's function with all changes, the newest first."""
    function = sandbox.value("newest_values")
    with _as_the_cells():
        return _flat(function(_frame(sandbox.spark, reversed(_at_midnight(every_change())))))


_newest_made.__name__ = "newest_values(changes)"

NEWEST = Exercise(
    id="12L.2",
    title="The newest value of each field",
    starter=NEWEST_STARTER,
    hints=(
        "`max` of a struct finds the greatest by its first field: `max(struct(at, city AS value))` is the newest city "
        "with the change that it comes from.",
        "Only changes that have a value may count: `max(...) FILTER (WHERE city IS NOT NULL)`. Every field needs an "
        "aggregate of its own.",
        "First replace the three fields of a `DELETE` with `-`: `IF(operation = 'DELETE', '-', city)`. Then group by "
        "the card.",
    ),
    solution=NEWEST_SOLUTION,
    why=(
        "Each field has its own newest change. A missing value is no value, an erased one is: `-` must win over "
        "older ones. A `DELETE` erases all three fields, so nothing from before it can come back, and it needs no "
        "rule of its own in the next exercise. The greatest pair is the same in any order, and with any repetitions."
    ),
    check=check_newest,
    hidden=(
        HiddenTest(
            planted.nothing,
            (_newest_made,),
            says="Your function was called with other changes: equal sequences, erased fields, a delete before its "
            "insert, and a person who returns.",
        ),
    ),
    wrong=(
        WrongAnswer(NEWEST_SOLUTION.replace(" FILTER (WHERE {field} IS NOT NULL)", ""), "has not changed"),
        WrongAnswer(
            NEWEST_SOLUTION.replace(
                NEWEST_SOLUTION[NEWEST_SOLUTION.index("    for field") : NEWEST_SOLUTION.index("    newest")], ""
            ),
            "must end every field",
        ),
        WrongAnswer(NEWEST_SOLUTION.replace("{field} IS NOT NULL", "{field} <> '-'"), "is back where it was erased"),
        WrongAnswer(
            NEWEST_SOLUTION.replace(
                "max(struct(at, {field} AS value))", "max_by(struct(at, {field} AS value), at.changed_at)"
            ),
            "clock is behind",
        ),
        WrongAnswer(
            NEWEST_SOLUTION.replace("max(struct(at, {field} AS value))", "max(struct({field} AS value, at))"),
            "in this order",
        ),
        WrongAnswer(
            NEWEST_SOLUTION.replace("    return changes", "    return changes.where(\"operation <> 'DELETE'\")"),
            "`newest_values(changes)`",
        ),
        WrongAnswer(NEWEST_SOLUTION.replace("    return changes", "    changes"), "returns None"),
    ),
    makes=Makes(variables=("newest_values",)),
)

# ------------------------------------------------------------------------------------------------------- 12L.3 members

MEMBERS_STARTER = """
DA.exercise("12L.3")  # removes what an earlier attempt created

VALUE = "STRUCT<at: STRUCT<sequence: LONG, changed_at: TIMESTAMP>, value: STRING>"
spark.sql(f"CREATE TABLE members (card STRING, operation {VALUE}, name {VALUE}, email {VALUE}, city {VALUE})")


def apply_changes(batch, batch_id):
    ...  # merge the newest values of this batch into members


applied = None  # the stream of changes that calls apply_changes

# spark.sql("CREATE OR REPLACE TEMP VIEW members_now AS SELECT ...")
"""

_APPLY = '''def apply_changes(batch, batch_id):
    newest_values(batch).createOrReplaceTempView("newest")
    batch.sparkSession.sql("""
        MERGE INTO members AS old USING newest AS new ON old.card = new.card
        WHEN MATCHED THEN UPDATE SET
            operation = greatest(old.operation, new.operation),
            name = greatest(old.name, new.name),
            email = greatest(old.email, new.email),
            city = greatest(old.city, new.city)
        WHEN NOT MATCHED THEN INSERT *
        """)
'''

_NOW = '''spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT card, nullif(name.value, '-') AS name, nullif(email.value, '-') AS email, nullif(city.value, '-') AS city
    FROM members
    WHERE operation.value <> 'DELETE'
    """)
'''

MEMBERS_SOLUTION = f"""
DA.exercise("12L.3")  # removes what an earlier attempt created

VALUE = "STRUCT<at: STRUCT<sequence: LONG, changed_at: TIMESTAMP>, value: STRING>"
spark.sql(f"CREATE TABLE members (card STRING, operation {{VALUE}}, name {{VALUE}}, email {{VALUE}}, city {{VALUE}})")


{_APPLY}

applied = (changes.writeStream
    .foreachBatch(apply_changes)
    .option("checkpointLocation", f"{{DA.paths.checkpoints}}/members")
    .trigger(availableNow=True)
    .start())
applied.awaitTermination()

{_NOW}"""


def check_members(attempt: Attempt) -> None:
    """Say of one card what is wrong with it: that it is back, that a value is lost, or that one is too old."""
    stream = attempt.stream("applied")
    attempt.wait_for_end(
        stream, "The query must stop after it has processed the available data: use `.trigger(availableNow=True)`.", 60
    )
    made = attempt.view("members_now")
    landed = _landed(attempt)
    attempt.must_have_checkpoint(stream, "members")
    attempt.must_have_read(stream, len(landed))
    right = members_of(values_of(landed))
    if all(name in made.columns for name in ("card", *FIELDS)):
        _must_be_right({row.card: row for row in made.collect()}, right, landed)
    attempt.compare(made, _members_frame(attempt.spark, right), "members_now")


def _must_be_right(made: dict[str, Any], right: dict[str, tuple[str | None, ...]], landed: Sequence[Change]) -> None:
    """Raise the mistake that a row shows, if it is one of the usual."""
    wrong = [
        (card, field, value, made[card][field])
        for card, values in sorted(right.items())
        for field, value in zip(FIELDS, values, strict=True)
        if card in made and made[card][field] != value
    ]
    for of in wrong:
        if of[-1] is None:
            raise _wrong_value(*of, landed)
    left = sorted(made.keys() - right.keys())
    if back := [card for card in left if made[card].name is not None]:
        raise Mistake(
            f"`{back[0]}` has left, and is in `members_now`. Either an older change that arrived later has won, or a "
            "delete left nothing behind to compare it with, or the view does not filter."
        )
    if left:
        raise Mistake(f"`{left[0]}` has left, and `members_now` has a row of it, without a name. Filter in the view.")
    for of in wrong:
        raise _wrong_value(*of, landed)


def _wrong_value(card: str, field: str, right: str | None, made: str | None, landed: Sequence[Change]) -> Mistake:
    shown, wanted = ("NULL" if value is None else repr(value) for value in (made, right))
    of_card = f"`{card}` has {shown} in the column `{field}`, and {wanted} is right."
    if made == ERASE:
        return Mistake(f"{of_card} The value was erased: the view shows NULL then.")
    if made is None:
        return Mistake(
            f"{of_card} A batch that has no value for a field must leave the one that `members` has: merge each field "
            "by itself."
        )
    ended = max((change.sequence for change in landed if (change.card, change.operation) == (card, LEAVES)), default=0)
    if any(change.card == card and getattr(change, field) == made and change.sequence < ended for change in landed):
        return Mistake(f"{of_card} It is from before the delete of this card.")
    return Mistake(f"{of_card} An older value has won: keep the value that comes from the greater `at`.")


_NEWEST_ABOVE = f"from pyspark.sql import functions as F\n\n\n{_NEWEST}"
_APPLY_ABOVE = f"{_NEWEST_ABOVE}\n\n{_APPLY}"


def _in_files(sandbox: Sandbox) -> None:
    """Land the planted changes in three files, two of them in the first batch."""
    for number, changes in enumerate(BATCHES):
        _land(sandbox, f"a{number}", changes)
    sandbox.keep(changes=_stream(sandbox, 2))


def _more(sandbox: Sandbox) -> None:
    """Land later changes: a newer value, a delete that comes again after a return, inserts older than an update."""
    _land(sandbox, "b", LATER)


def _at_once(sandbox: Sandbox) -> None:
    """Land all planted changes in one batch, the newest first."""
    _land(sandbox, "a", reversed(every_change()))
    sandbox.keep(changes=_stream(sandbox, 10))


def _split_otherwise(sandbox: Sandbox) -> None:
    """Empty the table, and call the cell's function with two other batches of the same changes."""
    function = sandbox.value("apply_changes")
    sandbox.spark.sql("DELETE FROM members")
    changes = _at_midnight(reversed(every_change()))
    for number in range(2):
        with _as_the_cells():
            function(_frame(sandbox.spark, changes[number::2]), number)


MEMBERS = Exercise(
    id="12L.3",
    title="Who is a member",
    starter=MEMBERS_STARTER,
    hints=(
        "One row per card comes from `newest_values(batch)`. What is left is to compare it with the row that earlier "
        "batches have made, field by field.",
        "`greatest(old.city, new.city)` is the greater of two structs, by `at`, and it ignores NULL: that a batch has "
        "no city for a card changes nothing.",
        "Two clauses: `WHEN MATCHED THEN UPDATE SET` with four assignments, and `WHEN NOT MATCHED THEN INSERT *`. A "
        "card whose operation is `DELETE` stays as a tombstone; the view leaves it out, and shows NULL for `-`.",
    ),
    solution=MEMBERS_SOLUTION,
    why=(
        "Each field only ever moves to a greater `at`, so order, repetitions and batch sizes do not matter. "
        "The row of a card that has left is a tombstone: its four values are those of the delete, and older changes "
        "lose against them. Whoever returns has newer values in the fields that were given, and none in the others."
    ),
    check=check_members,
    hidden=(
        HiddenTest(
            _in_files,
            ("members_now",),
            later=(_more, planted.lose_checkpoints),
            above=_NEWEST_ABOVE,
            says="Your cell was run on other changes, in several batches, and again with a lost checkpoint.",
        ),
        HiddenTest(
            _at_once,
            ("members_now",),
            after=_split_otherwise,
            above=_NEWEST_ABOVE,
            says="Your cell was run on other changes: all in one batch, and then split in another way.",
        ),
    ),
    wrong=(
        WrongAnswer(
            MEMBERS_SOLUTION.replace(
                MEMBERS_SOLUTION[MEMBERS_SOLUTION.index(" SET\n") : MEMBERS_SOLUTION.index("\n        WHEN NOT")],
                " SET *",
            ),
            "merge each field by itself",
        ),
        WrongAnswer(
            MEMBERS_SOLUTION.replace(
                MEMBERS_SOLUTION[MEMBERS_SOLUTION.index(" THEN UPDATE") : MEMBERS_SOLUTION.index("\n        WHEN NOT")],
                " AND new.operation.at > old.operation.at THEN UPDATE SET *",
            ),
            "merge each field by itself",
        ),
        WrongAnswer(
            MEMBERS_SOLUTION.replace(
                "        WHEN MATCHED THEN",
                "        WHEN MATCHED AND new.operation.value = 'DELETE' THEN DELETE\n        WHEN MATCHED THEN",
            ),
            "is in `members_now`",
        ),
        WrongAnswer(
            MEMBERS_SOLUTION.replace("NOT MATCHED THEN", "NOT MATCHED AND new.operation.value <> 'DELETE' THEN"),
            "split in another way",
        ),
        WrongAnswer(MEMBERS_SOLUTION.replace("    WHERE operation.value <> 'DELETE'\n", ""), "Filter in the view"),
        WrongAnswer(MEMBERS_SOLUTION.replace("nullif(email.value, '-')", "email.value"), "shows NULL then"),
        WrongAnswer(
            MEMBERS_SOLUTION.replace("greatest(old.city, new.city)", "coalesce(new.city, old.city)"),
            "An older value has won",
        ),
        WrongAnswer(MEMBERS_SOLUTION.replace("newest_values(batch).create", "batch.create"), "DATA_DIFF_TYPES"),
        WrongAnswer(MEMBERS_SOLUTION.replace("checkpoints}/members", "checkpoints}/change_log"), "its own"),
    ),
    makes=Makes(
        variables=("applied",),
        tables=("members",),
        views=("members_now",),
        folders=("checkpoints/members",),
        by_starter=True,
    ),
)

# ------------------------------------------------------------------------------------------------ 12L.4 the free coffee

VOUCHERS_STARTER = """
DA.exercise("12L.4")  # removes what an earlier attempt created

# the newest values of 6 September, 12:00:00, from change_log

# ... .createOrReplaceTempView("vouchers_vw")
"""

VOUCHERS_SOLUTION = """
DA.exercise("12L.4")  # removes what an earlier attempt created

then = newest_values(spark.table("change_log").where("at.changed_at <= TIMESTAMP '2025-09-06 12:00:00'"))

(then
    .where("operation.value <> 'DELETE'")
    .selectExpr("card", "nullif(city.value, '-') AS city")
    .join(spark.table("members_now").drop("city"), "card")
    .where("email IS NOT NULL")
    .createOrReplaceTempView("vouchers_vw"))
"""


def check_vouchers(attempt: Attempt) -> None:
    """Compare with what the two tables say; first with the city of today, and with who was a member by mistake."""
    made = attempt.view("vouchers_vw")
    log, now = _before(attempt, "change_log", "12L.1"), _before(attempt, "members_now", "12L.3")
    members = {row.card: row for row in now.collect()}
    changes = _logged(log)
    right = _vouchers(changes, members)
    if attempt.is_same(made, now.where("email IS NOT NULL")):
        raise Mistake(
            "These are the members of today, in the cities of today. The free coffee is for those of the 6th."
        )
    if attempt.is_same(made, _members_frame(attempt.spark, {c: tuple(members[c])[1:] for c in right})):
        raise Mistake("The cities are those of today. The café is in the city in which the member lived on the 6th.")
    if {row.card for row in made.select("card").collect()} - members.keys():
        raise Mistake("Somebody who is not a member today gets a voucher. Join with `members_now`.")
    if attempt.is_same(made, _members_frame(attempt.spark, _vouchers(changes, members, mailed=False))):
        raise Mistake("Members without an e-mail address are among them, and nobody can send them a voucher.")
    attempt.compare(made, _members_frame(attempt.spark, right), "vouchers_vw")


def _vouchers(
    changes: Iterable[Change], now: dict[str, Any], noon: int = NOON, *, mailed: bool = True
) -> dict[str, tuple[str | None, ...]]:
    then = members_of(values_of(change for change in changes if change.seconds <= noon))
    return {
        card: (now[card].name, now[card].email, city)
        for card, (_, _, city) in then.items()
        if card in now and (now[card].email is not None or not mailed)
    }


#: Seconds are counted from noon of 6 September.
AROUND_NOON: tuple[Change, ...] = (
    Change("K-1", 1, -900, "INSERT", "n1", "e1", "c1"),
    Change("K-1", 2, 0, "UPDATE", None, None, "c2"),  # at noon exactly
    Change("K-1", 3, 1, "UPDATE", "n3", None, "c3"),
    Change("K-2", 1, -900, "INSERT", "n1", "e1", "c1"),
    Change("K-2", 2, -1, LEAVES),
    Change("K-2", 3, 500, "INSERT", "n3", "e3", "c3"),  # a member before, and after, not then
    Change("K-3", 1, -900, "INSERT", "n1", "e1", "c1"),
    Change("K-3", 2, 60, LEAVES),
    Change("K-3", 3, 600, "INSERT", "n3", "e3", None),  # a member then, and again
    Change("K-4", 1, 1, "INSERT", "n1", "e1", "c1"),
    Change("K-5", 1, -900, "INSERT", "n1", "e1", "c1"),
    Change("K-5", 2, 900, LEAVES),
    Change("K-6", 1, -900, "INSERT", "n1", "e1", "c1"),
    Change("K-6", 2, 800, "UPDATE", None, ERASE, None),  # no address today
    Change("K-7", 1, -900, "INSERT", "n1", None, ERASE),
    Change("K-7", 2, 5, "UPDATE", None, "e2", "c2"),  # no city then, and no address
    Change("M-1", 2, 0, LEAVES),
    Change("M-1", 1, -900, "INSERT", "n1", "e1", "c1"),
    Change("M-1", 3, 1, "INSERT", "n3", "e3", "c3"),
    Change("M-2", 1, -100, "INSERT", "n1", "e1", "c1"),
    Change("M-2", 3, -60, "UPDATE", None, None, "c3"),
    Change("M-2", 2, -50, "UPDATE", None, None, "c2"),  # the clock was behind when it was 3
)


def around_noon() -> list[Change]:
    """Return the planted changes with their times."""
    return [change._replace(seconds=NOON + change.seconds) for change in AROUND_NOON]


def _noon(sandbox: Sandbox) -> None:
    """Plant changes at noon to the second and just after, by late clocks, of members who left, returned or erased."""
    _frame(sandbox.spark, around_noon()).write.saveAsTable("change_log")
    sandbox.view("members_now", _members_frame(sandbox.spark, members_of(values_of(around_noon()))))


VOUCHERS = Exercise(
    id="12L.4",
    title="The free coffee",
    starter=VOUCHERS_STARTER,
    hints=(
        "You have a function that returns the newest values of any changes. Call it with those that had been made by "
        "12:00:00.",
        '`spark.table("change_log").where("at.changed_at <= TIMESTAMP \'2025-09-06 12:00:00\'")`. Whose operation was '
        "`DELETE` then was no member.",
        "Take `card` and the value of `city` from then, and join `members_now` without its city. NULL stands for "
        "a city that was erased, and an address that is NULL gets no mail.",
    ),
    solution=VOUCHERS_SOLUTION,
    why=(
        "The log knows what was true at any time, because it keeps each change with the time at which it was made. "
        "Delta's time travel would answer another question: what `members` contained then, without the changes that "
        "arrived later."
    ),
    check=check_vouchers,
    hidden=(
        HiddenTest(
            _noon,
            ("vouchers_vw",),
            above=_NEWEST_ABOVE,
            says=(
                "Your cell was run on other changes: made at 12:00:00 exactly, of people who had left, or of members "
                "without a city."
            ),
        ),
    ),
    wrong=(
        WrongAnswer(VOUCHERS_SOLUTION.replace("<= TIMESTAMP", "< TIMESTAMP"), "at 12:00:00 exactly"),
        WrongAnswer(VOUCHERS_SOLUTION.replace("    .where(\"operation.value <> 'DELETE'\")\n", ""), "`vouchers_vw`"),
        WrongAnswer(VOUCHERS_SOLUTION.replace('    .where("email IS NOT NULL")\n', ""), "without an e-mail address"),
        WrongAnswer(
            VOUCHERS_SOLUTION.replace(
                '.selectExpr("card", "nullif(city.value, \'-\') AS city")', '.select("card")'
            ).replace('.drop("city")', ""),
            "The cities are those of today",
        ),
        WrongAnswer(
            '\nDA.exercise("12L.4")\n\nspark.table("members_now").where("email IS NOT NULL")'
            '.createOrReplaceTempView("vouchers_vw")\n',
            "members of today",
        ),
        WrongAnswer(
            VOUCHERS_SOLUTION.replace(
                ".selectExpr(", '.selectExpr("name.value AS name", "email.value AS email", '
            ).replace('    .join(spark.table("members_now").drop("city"), "card")\n', ""),
            "is not a member today",
        ),
    ),
    makes=Makes(views=("vouchers_vw",)),
)

# ------------------------------------------------------------------------------------------------------ 12L.5 forget me

FORGET_STARTER = """
DA.exercise("12L.5")  # removes what an earlier attempt created

forget = None  # a function: takes a card, and erases its data for good

# forget("K-407")
"""

FORGET_SOLUTION = '''
DA.exercise("12L.5")  # removes what an earlier attempt created


def forget(number):
    spark.sql(f"DELETE FROM change_log WHERE card = '{number}'")
    apply_changes(spark.sql(f"""
        SELECT '{number}' AS card, 'DELETE' AS operation, '-' AS name, '-' AS email, '-' AS city,
            struct(9223372036854775807 AS sequence, TIMESTAMP '9999-12-31' AS changed_at) AS at
        """), None)


forget("K-407")
'''

FORGOTTEN = "K-407"


def check_forget(attempt: Attempt) -> None:
    """Look for the card in both tables; what later changes do is told in the sandbox alone."""
    if not callable(attempt.value("forget")):
        raise Mistake("`forget` is not a function: begin with `def forget(card):`.")
    log, members = _before(attempt, "change_log", "12L.1"), _before(attempt, "members", "12L.3")
    if rows := log.where(f"card = '{FORGOTTEN}'").count():
        raise Mistake(
            f"`change_log` still has {rows} changes of `{FORGOTTEN}`: delete them. Did you call the function?"
        )
    row = members.where(f"card = '{FORGOTTEN}'").first()
    if row is None:
        raise Mistake(
            f"`members` has no row of `{FORGOTTEN}` any more, so its next late change would be inserted like one of "
            "somebody unknown. Leave a tombstone."
        )
    if known := [
        row[field].value for field in FIELDS if row[field] is not None and row[field].value not in (None, "-")
    ]:
        raise Mistake(f"`members` still has {known[0]!r} in the row of `{FORGOTTEN}`. Erase the three values as well.")
    if row.operation is None or row.operation.value != LEAVES:
        raise Mistake(f"The operation of `{FORGOTTEN}` in `members` is not `DELETE`, so the card is in `members_now`.")
    if members.count() != len({change.card for change in _landed(attempt)}) or not log.count():
        raise Mistake("Other cards are gone as well, or there more than once.")


#: The members when the request comes; one of them has changes that arrive afterwards, and another one all of them.
REMEMBERED: tuple[Change, ...] = (
    Change("K-407", 1, 10, "INSERT", "n1", "e1", "c1"),
    Change("K-407", 3, 30, "UPDATE", None, "e3", None),
    Change("K-40", 1, 10, "INSERT", "o1", "p1", "d1"),
    Change("M-407", 1, 10, "INSERT", "m1", "f1", "d1"),
    Change("M-407", 2, 20, "UPDATE", None, ERASE, None),
)
TOO_LATE: tuple[Change, ...] = (
    Change("K-407", 2, 20, "UPDATE", None, None, "c2"),
    Change("K-407", 4, 40, "UPDATE", "n4", None, None),
    Change("K-407", 900_000_000, 50, "INSERT", "n5", "e5", "c5"),
    Change("M-9", 1, 10, "INSERT", "q1", "r1", "s1"),
    Change("M-407", 3, 30, "UPDATE", None, None, "d3"),
    Change("K-40", 2, 20, "UPDATE", "o2", None, None),
)


def _request(sandbox: Sandbox) -> None:
    """Plant the view and both tables: the card to forget, one whose number begins alike, one with another letter."""
    changes = _at_midnight(REMEMBERED)
    _frame(sandbox.spark, changes).write.saveAsTable("change_log")
    sandbox.append("members", [_row(card, of) for card, of in values_of(changes).items()], _MEMBERS)
    sandbox.spark.sql(_NOW.partition('"""')[2].partition('"""')[0])


def _row(card: str, of: dict[str, Value]) -> tuple:
    """Return a row of `members`."""

    def stored(value: Value | None) -> tuple | None:
        return value and ((value[0], datetime.fromtimestamp(value[1], UTC)), value[2])

    return card, *(stored(of.get(field)) for field in ("operation", *FIELDS))


def _another_request(sandbox: Sandbox) -> None:
    """Let a card be forgotten of which nothing has arrived; then let late changes arrive."""
    forget, apply = sandbox.value("forget"), sandbox.value("apply_changes")
    with _as_the_cells():
        forget("M-9")
    apply(_frame(sandbox.spark, _at_midnight(TOO_LATE)), 1)


def _what_members_has(sandbox: Sandbox) -> DataFrame:
    """Return the values in `members`, without the changes that they come from."""
    texts = (f"nullif({field}.value, '-') AS {field}" for field in ("operation", *FIELDS))
    return sandbox.rows("members").selectExpr("card", *texts)


_what_members_has.__name__ = "members"

FORGET = Exercise(
    id="12L.5",
    title="Forget me",
    starter=FORGET_STARTER,
    hints=(
        "In `change_log`, delete the rows. In `members`, what must remain so that a late change has something to lose "
        "against?",
        "A deletion request is one more change of the card: a `DELETE` with the highest possible sequence, so that no "
        "change is newer. `apply_changes` can merge it.",
        "Make a DataFrame of one row with the columns of `changes`: "
        "`struct(9223372036854775807 AS sequence, TIMESTAMP '9999-12-31' AS changed_at) AS at`. Call "
        "`apply_changes(frame, None)`.",
    ),
    solution=FORGET_SOLUTION,
    why=(
        "The request is a change like any other, only that none can be newer. It leaves the card, and nothing that "
        "says whose it was: all three fields are erased *at* this change, so a late one is not even stored. A "
        "tombstone that only sets the operation would hide the person and go on collecting."
    ),
    check=check_forget,
    hidden=(
        HiddenTest(
            _request,
            (_what_members_has, "members_now", "change_log"),
            after=_another_request,
            above=_APPLY_ABOVE,
            says="Your function was called for two cards, one of them unknown; then late changes of them arrived.",
        ),
    ),
    wrong=(
        WrongAnswer(
            FORGET_SOLUTION.replace(
                FORGET_SOLUTION[FORGET_SOLUTION.index("    apply_changes(") : FORGET_SOLUTION.index("\n\nforget(")],
                "    spark.sql(f\"DELETE FROM members WHERE card = '{number}'\")\n",
            ),
            "Leave a tombstone",
        ),
        WrongAnswer(
            FORGET_SOLUTION.replace("    spark.sql(f\"DELETE FROM change_log WHERE card = '{number}'\")\n", ""),
            "delete them",
        ),
        WrongAnswer(FORGET_SOLUTION.replace("9223372036854775807", "1000000L"), "late changes"),
        WrongAnswer(
            FORGET_SOLUTION.replace(
                FORGET_SOLUTION[FORGET_SOLUTION.index("    apply_changes(") : FORGET_SOLUTION.index("\n\nforget(")],
                '    spark.sql(f"""\n'
                "        UPDATE members SET name = NULL, email = NULL, city = NULL, operation = struct(struct("
                "9223372036854775807 AS sequence, TIMESTAMP '9999-12-31' AS changed_at) AS at, 'DELETE' AS value)\n"
                "        WHERE card = '{number}'\n"
                '        """)\n',
            ),
            "late changes",
        ),
        WrongAnswer(
            FORGET_SOLUTION.replace(
                FORGET_SOLUTION[FORGET_SOLUTION.index("    apply_changes(") : FORGET_SOLUTION.index("\n\nforget(")],
                "    fields = 'name = NULL, email = NULL, city = NULL'\n"
                "    spark.sql(f\"UPDATE members SET {fields} WHERE card = '{number}'\")\n",
            ),
            "is not `DELETE`",
        ),
        WrongAnswer(FORGET_SOLUTION.replace('\n\nforget("K-407")\n', "\n"), "Did you call the function?"),
    ),
    makes=Makes(variables=("forget",), changes=("change_log", "members")),
)

EXERCISES = (LOG, NEWEST, MEMBERS, VOUCHERS, FORGET)
