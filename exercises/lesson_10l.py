"""Exercises of lab 10L: payments once, an alarm that joins two late streams, an outer join, and a report of both."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer, interval_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

_PAYMENT = ("transaction_id", "card_id", "amount", "country", "home", "event_time")

# --------------------------------------------------------------------------------- 10L.1 each payment once, with a home

PAYMENTS_STARTER = """
DA.exercise("10L.1")  # removes what an earlier attempt created

payments = None  # a streaming DataFrame: each payment once, with the column home
"""

PAYMENTS_SOLUTION = """
DA.exercise("10L.1")  # removes what an earlier attempt created

payments = (arrived
    .withWatermark("event_time", "2 hours")
    .dropDuplicatesWithinWatermark(["transaction_id"])
    .join(cards.selectExpr("card_id", "country AS home"), "card_id", "left")
    .select("transaction_id", "card_id", "amount", "country", "home", "event_time"))
"""


def check_payments(attempt: Attempt) -> None:
    """Run the frame as a stream, and tell a watermark that is missing from one that is too short."""
    frame = attempt.value("payments")
    if hasattr(frame, "runId"):
        raise Mistake("`payments` is a running query. The exercise asks for a DataFrame: nothing is written yet.")
    if not getattr(frame, "isStreaming", False):
        raise Mistake("`payments` is not a streaming DataFrame: begin with `arrived`.")
    _must_have_watermark(attempt, frame)
    made = attempt.rows_of_stream(frame)
    landed = attempt.spark.read.schema(planted.PAYMENT).json(attempt.paths.landing)
    right = _once(attempt, landed)
    if made.count() > right.count():
        raise Mistake(
            f"`payments` has {made.count():,} rows, and there are {right.count():,} payments: some are there more than "
            "once. A payment that is sent again has the same `transaction_id` and the same event time."
        )
    if "transaction_id" in made.columns and (lost := right.join(made, "transaction_id", "left_anti").count()):
        raise Mistake(
            f"{lost:,} payments are missing. Some terminals were offline for more than an hour: the delay must be "
            "longer than any lateness. And a card that the bank does not know must not remove its payment."
        )
    attempt.compare(made, right, "payments")


def _must_have_watermark(attempt: Attempt, frame: DataFrame) -> None:
    from pyspark.sql import functions as F

    try:
        hours = frame.groupBy(F.window("event_time", "1 hour")).count()
    except Exception:  # a column is missing, which the rows will tell
        return
    try:
        attempt.rows_of_stream(hours)
    except Exception as error:
        if "watermark" not in str(error):
            raise
        raise Mistake(
            "`payments` has no watermark, so its state keeps every id, and no later join can drop a row. Set one on "
            "`event_time`."
        ) from None


def _once(attempt: Attempt, landed: DataFrame) -> DataFrame:
    cards = attempt.spark.table("cards").selectExpr("card_id", "country AS home")
    return landed.drop("received_at").dropDuplicates().join(cards, "card_id", "left").select(*_PAYMENT)


def _payments(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows_of(sandbox.value("payments"))


def _late_and_again(sandbox: Sandbox) -> None:
    """Land a payment that is 86 minutes late, two that are sent again, two that differ in their ids, an unknown card.

    A batch drops rows by the watermark of the batch before it, so the late payment comes two files after the newest.
    """
    _land(sandbox, "a", ("t1", 1, "PT", 480), ("t2", 2, "GR", 481), ("t1", 1, "PT", 480))
    _land(sandbox, "b", ("t3", 1, "GR", 600), ("t2", 2, "GR", 481), ("t4", 99, "PT", 601))
    _land(sandbox, "c", ("t6", 3, "DE", 602), ("t3", 1, "GR", 600))
    _land(sandbox, "d", ("t5", 2, "GR", 516), ("t7", 3, "DE", 603), ("t8", 3, "DE", 603))
    sandbox.append("cards", [(1, "PT"), (2, "GR"), (3, "DE")], "card_id INT, country STRING")
    source = sandbox.spark.readStream.schema(planted.PAYMENT).option("maxFilesPerTrigger", 1)
    sandbox.keep(arrived=source.json(sandbox.paths.landing), cards=sandbox.spark.table("cards"))


def _land(sandbox: Sandbox, name: str, *payments: tuple[str, int, str, int]) -> None:
    rows = [
        {"transaction_id": transaction, "card_id": card, "amount": 2.5, "merchant": "Corner", "category": "fuel"}
        | {"country": country, "event_time": f"2024-03-05T{minute // 60:02}:{minute % 60:02}:00Z"}
        | {"received_at": f"2024-03-05T11:{number:02}:00Z"}
        for number, (transaction, card, country, minute) in enumerate(payments)
    ]
    sandbox.file(f"card-{name}.json", rows)


PAYMENTS = Exercise(
    id="10L.1",
    title="Each payment once",
    starter=PAYMENTS_STARTER,
    hints=(
        "First the watermark on `event_time`, then `dropDuplicatesWithinWatermark`, then the join with `cards`.",
        "How long must the delay be? The query above says how late the latest payment was.",
        "Rename the country of the card before the join, or there are two columns of one name. Which kind of join "
        "keeps a payment whose card is not in the table?",
    ),
    solution=PAYMENTS_SOLUTION,
    why=(
        "The delay covers the greatest lateness. A payment that is sent again keeps its event time, so its id is still "
        "in state or the row is behind the watermark. The cards are a table: joining them needs no state. The "
        "watermark stays on `event_time`, and the next joins use it."
    ),
    check=check_payments,
    hidden=(
        HiddenTest(
            _late_and_again,
            (_payments,),
            says="Your cell was run on other payments: one is 86 minutes late, two are alike but for their ids.",
        ),
    ),
    wrong=(
        WrongAnswer(PAYMENTS_SOLUTION.replace('"2 hours"', '"10 minutes"'), "86 minutes late"),
        WrongAnswer(PAYMENTS_SOLUTION.replace('    .withWatermark("event_time", "2 hours")\n', ""), "watermark"),
        WrongAnswer(
            PAYMENTS_SOLUTION.replace('["transaction_id"]', '["card_id", "amount", "event_time"]'),
            "alike but for their",
        ),
        WrongAnswer(
            PAYMENTS_SOLUTION.replace('    .dropDuplicatesWithinWatermark(["transaction_id"])\n', ""), "more than once"
        ),
        WrongAnswer(PAYMENTS_SOLUTION.replace('"card_id", "left")', '"card_id")'), "other payments"),
        WrongAnswer(PAYMENTS_SOLUTION.replace(', "event_time"))', "))"), "`payments`"),
        WrongAnswer(PAYMENTS_SOLUTION.replace('"event_time", "2 hours"', '"received_at", "2 hours"'), "`payments`"),
    ),
    makes=Makes(variables=("payments",)),
)

# -------------------------------------------------------------------------------------- 10L.2 two places within minutes

ALARM_STARTER = """
DA.exercise("10L.2")  # removes what an earlier attempt created

alarms = None  # the stream into the table alarms
"""

ALARM_SOLUTION = """
DA.exercise("10L.2")  # removes what an earlier attempt created

at_home = payments.where("country = home").selectExpr(
    "card_id", "transaction_id AS home_payment", "event_time AS home_time")
abroad = payments.where("country != home").selectExpr(
    "card_id AS card", "transaction_id AS foreign_payment", "amount", "event_time AS foreign_time")

alarms = (at_home
    .join(abroad, F.expr(\"\"\"
        card = card_id
        AND foreign_time BETWEEN home_time - INTERVAL 10 MINUTES AND home_time + INTERVAL 10 MINUTES
    \"\"\"))
    .select("card_id", "home_payment", "foreign_payment", "amount")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .toTable("alarms"))
"""


def check_alarms(attempt: Attempt) -> None:
    """Tell the pairs of travelers from others; the order of the two halves is told on other payments alone."""
    stream = attempt.stream("alarms")
    if stream.trigger is not None and interval_of(stream.trigger):  # which Connect does not tell
        raise Mistake(
            f"Your stream starts a batch every {interval_of(stream.trigger):g} s, so an alarm waits for the next one. "
            "Without a trigger, a batch starts as soon as the last one is done."
        )
    attempt.wait_until_idle(stream, 60)
    made = attempt.table("alarms")
    right = _alarms(_landed(attempt))
    attempt.must_have_checkpoint(stream, "alarms")
    if attempt.is_same(made, _alarms(_landed(attempt), minutes=None)):
        raise Mistake("Travelers are among them: the two payments may be hours apart. Add a range of ten minutes.")
    attempt.compare(made, right, "alarms")


def _landed(attempt: Attempt) -> DataFrame:
    return _once(attempt, attempt.spark.read.schema(planted.PAYMENT).json(attempt.paths.landing))


def _alarms(payments: DataFrame, minutes: int | None = 10) -> DataFrame:
    home = payments.where("country = home").selectExpr("card_id", "transaction_id AS home_payment", "event_time AS h")
    abroad = payments.where("country != home").selectExpr(
        "card_id", "transaction_id AS foreign_payment", "amount", "event_time AS f"
    )
    pairs = home.join(abroad, "card_id")
    if minutes is not None:
        pairs = pairs.where(f"f BETWEEN h - INTERVAL {minutes} MINUTES AND h + INTERVAL {minutes} MINUTES")
    return pairs.select("card_id", "home_payment", "foreign_payment", "amount")


_PLANTED = "transaction_id STRING, card_id INT, amount DOUBLE, country STRING, home STRING, event_time TIMESTAMP"


def _pairs(sandbox: Sandbox) -> None:
    """Give pairs exactly ten minutes apart, a second more, in both orders, of two cards, of a card without a home."""
    _plant(sandbox, ("a1", 1, 5.0, "PT", "PT", 0), ("a2", 1, 9.0, "GR", "PT", 600), ("b1", 2, 1.0, "DE", "DE", 600))
    _plant(sandbox, ("b2", 2, 7.0, "FI", "DE", 0), ("c1", 3, 1.0, "IE", "IE", 0), ("c2", 3, 1.0, "PT", "IE", 601))
    _plant(sandbox, ("h1", 8, 4.0, "PT", "GR", 0), ("h2", 8, 1.0, "GR", "GR", 601))
    _plant(sandbox, ("d1", 4, 1.0, "GR", "GR", 60), ("e1", 5, 1.0, "PT", "GR", 61), ("f1", 6, 1.0, "PT", None, 61))
    sandbox.keep(payments=sandbox.stream("planted_payments").withWatermark("event_time", "2 hours"))


def _late_halves(sandbox: Sandbox) -> None:
    """Give the missing half of two pairs, an hour late, and one payment that makes two pairs."""
    _plant(sandbox, ("g1", 7, 1.0, "PT", "PT", 5400), ("d2", 4, 3.5, "PT", "GR", 300), ("e2", 5, 1.0, "GR", "GR", 0))
    _plant(sandbox, ("a3", 1, 2.0, "PT", "PT", 900), ("f2", 6, 1.0, "GR", None, 62))


def _plant(sandbox: Sandbox, *payments: tuple[str, int, float, str, str | None, int]) -> None:
    start = datetime(2024, 3, 5, 8, tzinfo=UTC)
    rows = [(*values, start + timedelta(seconds=seconds)) for *values, seconds in payments]
    sandbox.append("planted_payments", rows, _PLANTED)


ALARM = Exercise(
    id="10L.2",
    title="Two places at once",
    starter=ALARM_STARTER,
    hints=(
        "Both sides come from `payments`: filter it twice. Give the columns of one side other names, so that the "
        "condition can tell them apart.",
        "The condition has two parts: the same card, and a range of time. The foreign payment may be first or second.",
        "An interval in SQL: `foreign_time BETWEEN home_time - INTERVAL ... AND home_time + INTERVAL ...`. An alarm "
        "runs all day: no `availableNow`.",
    ),
    solution=ALARM_SOLUTION,
    why=(
        "Each half of a pair may arrive first, and each may be late: the state keeps both sides until the watermark "
        "has passed the range. A match is emitted in the batch that reads its second half, so the alarm waits for no "
        "watermark. Travelers cause no alarm, because three hours lie between their payments."
    ),
    check=check_alarms,
    hidden=(
        HiddenTest(
            _pairs,
            ("alarms",),
            later=(_late_halves, planted.crash_before_commit),
            says="Your cell was run on other payments: exactly ten minutes apart, in both orders, one of them late.",
        ),
    ),
    wrong=(
        WrongAnswer(ALARM_SOLUTION.replace("home_time - INTERVAL 10 MINUTES", "home_time"), "in both orders"),
        WrongAnswer(
            ALARM_SOLUTION.replace(
                "AND foreign_time BETWEEN home_time - INTERVAL 10 MINUTES AND home_time + INTERVAL 10 MINUTES",
                "",
            ),
            "Travelers are among them",
        ),
        WrongAnswer(ALARM_SOLUTION.replace('payments.where("country != home")', "payments"), "`alarms`"),
        WrongAnswer(ALARM_SOLUTION.replace("10 MINUTES", "9 MINUTES"), "in both orders"),
        WrongAnswer(
            ALARM_SOLUTION.replace("    .writeStream\n", "    .writeStream\n    .trigger(availableNow=True)\n"),
            "must keep running",
        ),
        WrongAnswer(
            ALARM_SOLUTION.replace(
                "    .writeStream\n", '    .writeStream\n    .trigger(processingTime="5 seconds")\n'
            ),
            "starts a batch every 5 s",
        ),
        WrongAnswer(ALARM_SOLUTION.replace("checkpoints}/alarms", "checkpoints}/other"), "`alarms` was asked for"),
    ),
    makes=Makes(variables=("alarms",), tables=("alarms",), folders=("checkpoints/alarms",)),
)

# ----------------------------------------------------------------------------------------- 10L.3 large ones, with tests

LARGE_STARTER = """
DA.exercise("10L.3")  # removes what an earlier attempt created

testing = None  # the stream into the table large_payments
"""

LARGE_SOLUTION = """
DA.exercise("10L.3")  # removes what an earlier attempt created

large = payments.where("amount > 900").select("card_id", "transaction_id", "amount", "event_time")
small = payments.where("amount < 2").selectExpr(
    "card_id AS card", "transaction_id AS small_payment", "event_time AS small_time")

testing = (large
    .join(small, F.expr(\"\"\"
        card = card_id
        AND small_time BETWEEN event_time - INTERVAL 5 MINUTES AND event_time
    \"\"\"), "left")
    .select("card_id", "transaction_id", "amount", "small_payment")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/large_payments")
    .toTable("large_payments"))
"""


def check_large(attempt: Attempt) -> None:
    """Compare the pairs, and of the payments without a test those that must be final by now."""
    stream = attempt.stream("testing")
    attempt.wait_until_idle(stream, 60)
    made = attempt.table("large_payments")
    attempt.must_have_checkpoint(stream, "large_payments")
    landed = _landed(attempt)
    pairs = _large(landed, "inner")
    if attempt.is_same(made, pairs):
        raise Mistake("Large payments that no small one precedes are missing. Keep them, with NULL: a left outer join.")
    if missing := [name for name in pairs.columns if name not in made.columns]:
        raise Mistake(f"In `large_payments` the column `{missing[0]}` is missing.")
    attempt.compare(made.where("small_payment IS NOT NULL"), pairs, "large_payments")
    _must_be_unmatched(made.where("small_payment IS NULL"), landed)


def _must_be_unmatched(made: DataFrame, landed: DataFrame) -> None:
    """Allow for any delay of up to five hours: what is older must be there, and nothing that has a test."""
    from pyspark.sql import functions as F

    unmatched = _large(landed, "left").where("small_payment IS NULL")
    if made.exceptAll(unmatched.select(made.columns)).count():
        raise Mistake("`large_payments` has a row without a small payment, for a large one that has some.")
    newest = landed.agg(F.max("event_time")).first()[0]
    old = landed.where(F.col("event_time") < F.lit(newest) - F.expr("INTERVAL 5 HOURS")).select("transaction_id")
    if unmatched.join(old, "transaction_id").join(made, "transaction_id", "left_anti").count():
        raise Mistake("Large payments of the early morning, without a small one before them, are missing.")


def _large(payments: DataFrame, how: str) -> DataFrame:
    from pyspark.sql import functions as F

    large = payments.where("amount > 900").select("card_id", "transaction_id", "amount", "event_time")
    small = payments.where("amount < 2").selectExpr(
        "card_id AS c", "transaction_id AS small_payment", "event_time AS s"
    )
    is_test = F.expr("c = card_id AND s BETWEEN event_time - INTERVAL 5 MINUTES AND event_time")
    return large.join(small, is_test, how).select("card_id", "transaction_id", "amount", "small_payment")


def _tests(sandbox: Sandbox) -> None:
    """Give amounts at and just inside the limits, tests exactly five minutes before, a second more, and after."""
    start = (("l1", 1, 950.0, 600), ("s1", 1, 1.0, 300), ("s2", 1, 1.5, 299), ("s3", 1, 1.0, 601), ("s4", 1, 2.0, 500))
    _plant(sandbox, *_at_home(start))
    _plant(
        sandbox, *_at_home((("l2", 2, 900.0, 600), ("s5", 2, 1.0, 590), ("l3", 3, 2000.0, 700), ("s6", 4, 1.0, 650)))
    )
    _plant(sandbox, *_at_home((("l5", 6, 900.5, 600), ("s8", 6, 1.99, 590))))
    sandbox.keep(payments=sandbox.stream("planted_payments").withWatermark("event_time", "2 hours"))


def _at_home(payments: Iterable[tuple[str, int, float, int]]) -> Iterable[tuple[str, int, float, str, str, int]]:
    return ((name, card, amount, "PT", "PT", seconds) for name, card, amount, seconds in payments)


def _hours_later(sandbox: Sandbox) -> None:
    """Give a late test, then move the watermark: to the end of a range to the second, and past it."""
    _plant(sandbox, *_at_home((("s7", 3, 0.5, 650), ("l4", 5, 999.0, 7000))))
    _plant(sandbox, *_at_home((("x1", 9, 50.0, 7200 + 7000),)))


def _later_still(sandbox: Sandbox) -> None:
    """Append a payment that moves the watermark one second past the large payment without a test."""
    _plant(sandbox, *_at_home((("x2", 9, 50.0, 7200 + 7001),)))


LARGE = Exercise(
    id="10L.3",
    title="Large payments and their tests",
    starter=LARGE_STARTER,
    hints=(
        "Again two sides from `payments`: those above 900 EUR on the left, those under 2 EUR on the right.",
        "The small one comes first: the range ends with the time of the large one.",
        "A large payment without a small one must be there as well, with NULL. Which join keeps the rows of its left "
        "side?",
    ),
    solution=LARGE_SOLUTION,
    why=(
        "A large payment with tests is emitted at once, one row per test. A large one without any is emitted when the "
        "watermark has passed its time: until then a test may still arrive. So the two kinds of rows have different "
        "delays, seconds for the first and more than two hours for the second."
    ),
    check=check_large,
    hidden=(
        HiddenTest(
            _tests,
            ("large_payments",),
            later=(_hours_later, planted.crash_before_commit, _later_still),
            says="Your cell was run on other payments: of exactly 900 and 2 EUR, and exactly five minutes apart.",
        ),
    ),
    wrong=(
        WrongAnswer(LARGE_SOLUTION.replace(', "left")', ")"), "a left outer join"),
        WrongAnswer(LARGE_SOLUTION.replace("5 MINUTES", "2 MINUTES"), "large_payments"),
        WrongAnswer(LARGE_SOLUTION.replace("amount < 2", "amount <= 2"), "exactly 900 and 2"),
        WrongAnswer(LARGE_SOLUTION.replace("amount > 900", "amount >= 900"), "exactly 900 and 2"),
        WrongAnswer(
            LARGE_SOLUTION.replace("    .writeStream\n", "    .writeStream\n    .trigger(availableNow=True)\n"),
            "must keep running",
        ),
    ),
    makes=Makes(variables=("testing",), tables=("large_payments",), folders=("checkpoints/large_payments",)),
)

# --------------------------------------------------------------------------------------------------- 10L.4 the refunds

REFUNDS_STARTER = """
%sql
DROP VIEW IF EXISTS refunds_vw;
-- CREATE TEMP VIEW refunds_vw AS
-- SELECT card_id, payment, amount ...
"""

REFUNDS_SOLUTION = """
%sql
DROP VIEW IF EXISTS refunds_vw;
CREATE TEMP VIEW refunds_vw AS
SELECT card_id, foreign_payment AS payment, amount FROM alarms
UNION
SELECT card_id, transaction_id, amount
FROM large_payments
GROUP BY card_id, transaction_id, amount
HAVING count(*) >= 6
"""


def check_refunds(attempt: Attempt) -> None:
    """Compare with both tables as they are, and name what a join's many rows do to a sum."""
    made = attempt.view("refunds_vw")
    alarms, large = attempt.table("alarms"), attempt.table("large_payments")
    right = _refunds(alarms, large)
    if "payment" in made.columns and made.count() > made.select("payment").distinct().count():
        raise Mistake(
            "A payment is there more than once, and would be refunded more than once. The join has written a row for "
            "each pair: group, or use `DISTINCT`."
        )
    if attempt.is_same(made, _refunds(alarms, large, tests=1)):
        raise Mistake("One small payment before a large one is no fraud. The bank's rule: six or more.")
    attempt.compare(made, right, "refunds_vw")


def _refunds(alarms: DataFrame, large: DataFrame, tests: int = 6) -> DataFrame:
    two_places = alarms.selectExpr("card_id", "foreign_payment AS payment", "amount")
    tested = large.groupBy("card_id", "transaction_id", "amount").count()
    enough = tested.where(f"count >= {tests}").selectExpr("card_id", "transaction_id AS payment", "amount")
    return two_places.union(enough).distinct()


def _both(sandbox: Sandbox) -> None:
    """Plant a foreign payment in two pairs, five, six and seven tests, a payment of both kinds, two refunds of a card.

    Each of two cards has two payments that are alike but for their ids.
    """
    alarm = "card_id INT, home_payment STRING, foreign_payment STRING, amount DOUBLE"
    pairs = [(1, "h1", "f1", 40.0), (1, "h2", "f1", 40.0), (2, "h3", "f2", 40.0), (2, "h3", "f3", 40.0)]
    sandbox.append("alarms", [*pairs, (3, "h4", "b1", 950.0)], alarm)
    schema = "card_id INT, transaction_id STRING, amount DOUBLE, small_payment STRING"
    rows = [
        (card, name, 950.0, f"s{n}")
        for card, name, tests in ((4, "l5", 5), (5, "l6", 6), (5, "l8", 6), (6, "l7", 7), (3, "b1", 6))
        for n in range(tests)
    ]
    sandbox.append("large_payments", [*rows, (7, "l0", 990.0, None)], schema)


REFUNDS = Exercise(
    id="10L.4",
    title="Refunds",
    starter=REFUNDS_STARTER,
    hints=(
        "Two queries and a `UNION`: the foreign payments of `alarms`, and the large payments with six tests or more.",
        "For the second, group by the large payment and use `HAVING`.",
        "`alarms` has a row per *pair*. Can a foreign payment be in two pairs?",
    ),
    solution=REFUNDS_SOLUTION,
    why=(
        "A join gives a row for each pair, so a sum over its result counts a payment as often as it has partners. "
        "Reduce it to one row per payment before you add amounts. `UNION` without `ALL` removes duplicates, also of a "
        "payment that both rules find."
    ),
    check=check_refunds,
    hidden=(
        HiddenTest(
            _both,
            ("refunds_vw",),
            says="Your cell was run on other alarms: one payment is in two pairs, and two payments of one card are "
            "alike but for their ids.",
        ),
    ),
    wrong=(
        WrongAnswer(
            REFUNDS_SOLUTION.replace("GROUP BY card_id, transaction_id, amount\nHAVING count(*) >= 6\n", "").replace(
                "UNION\n", "UNION ALL\n"
            ),
            "more than once",
        ),
        WrongAnswer(REFUNDS_SOLUTION.replace(">= 6", ">= 1"), "six or more"),
        WrongAnswer(REFUNDS_SOLUTION.replace("UNION\n", "UNION ALL\n"), "one payment is in two pairs"),
        WrongAnswer(
            REFUNDS_SOLUTION.replace(
                "SELECT card_id, foreign_payment",
                "SELECT card_id, min(payment) AS payment, amount\nFROM (\nSELECT card_id, foreign_payment",
            ).rstrip()
            + "\n)\nGROUP BY card_id, amount\n",
            "alike but for their ids",
        ),
        WrongAnswer(REFUNDS_SOLUTION.replace(">= 6", "> 6"), "`refunds_vw`"),
    ),
    makes=Makes(views=("refunds_vw",)),
)

EXERCISES = (PAYMENTS, ALARM, LARGE, REFUNDS)
