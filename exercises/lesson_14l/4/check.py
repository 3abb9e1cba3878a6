"""Check exercise 14L.4, "While it goes on"."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lesson_exercises.lesson_14l.edit_wars import (
    ALERT_SCHEMA,
    PLANTED_WAR_SCHEMA,
    alerts_in_topic,
    last_alert_per_war,
    minutes_after_noon,
    undos_in_topic,
    wars_of,
)

from streaming_classroom.exercises import Attempt, HiddenTest, MadeStream, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Check output mode and trigger before waiting, then read the topic as the moderator would."""
    stream = attempt.stream("alerts")
    attempt.must_not_have_failed(stream)
    _must_suit_alerts(stream)
    attempt.wait_until_idle(stream, 60)
    _must_be_alerts(attempt.messages("wars"))
    attempt.compare(
        last_alert_per_war(alerts_in_topic(attempt)),
        wars_of(undos_in_topic(attempt).dropDuplicates(["id"])),
        "the alerts in wars",
    )
    attempt.must_have_checkpoint(stream, "alerts")


def _must_suit_alerts(stream: MadeStream) -> None:
    if stream.mode == "append":
        raise Mistake(
            "Append mode, the default, emits a window when it is final: after its end plus the watermark delay. The "
            "war is over by then. Use `update`, which emits a window in each batch that changes it."
        )
    if stream.mode == "complete":
        raise Mistake(
            "`complete` emits all wars so far in every batch. Use `update`, which emits only the wars that changed."
        )
    if stream.trigger in ("availableNow", "once"):
        raise Mistake(f"With `{stream.trigger}` the query stops, and the next war is not detected. Omit the trigger.")
    if not stream.is_active:
        raise Mistake("Your query was stopped. Leave it running: the night's edits are still to come.")


def _must_be_alerts(sent: DataFrame) -> None:
    odd = sent.where(f"from_json(value, '{ALERT_SCHEMA}').start IS NULL").first()
    if odd is not None:
        raise Mistake(
            "A value must be JSON with all columns of `wars_vw`: use `to_json(struct(*))`. "
            f"This value is: {str(odd.value)[:60]}"
        )
    odd = sent.where("key IS NULL OR key <> get_json_object(value, '$.title')").first()
    if odd is not None:
        said = "no key" if odd.key is None else f"the key `{odd.key}`"
        raise Mistake(
            f"A message about {json.loads(odd.value)['title']} has {said}. Use `title AS key`: with the title as the "
            "key, all alerts about a page are in one partition, in order."
        )


def _two_wars(sandbox: Sandbox) -> None:
    """Plant wars of one pair on two pages, which differ in their start, first undo and number of undos."""
    rows = [
        ("enwiki", f"T{n}", "ann", "bob", minutes_after_noon(n), 4 + n, minutes_after_noon(n + 0.5)) for n in range(2)
    ]
    sandbox.append("planted", rows, PLANTED_WAR_SCHEMA)
    sandbox.view("wars_vw", sandbox.stream("planted"))


def _a_third_war(sandbox: Sandbox) -> None:
    """Append a war of another pair and wiki after the restart, the only one to be sent then."""
    sandbox.append(
        "planted",
        [("dewiki", "T9", "cay", "dee", minutes_after_noon(9), 7, minutes_after_noon(9.5))],
        PLANTED_WAR_SCHEMA,
    )


def _sent_alerts(sandbox: Sandbox) -> DataFrame:
    source = sandbox.spark.read.format("kafka").options(**sandbox.kafka.options)
    messages = source.option("subscribe", sandbox.kafka.topic("wars")).load()
    alert = f"from_json(CAST(value AS STRING), '{ALERT_SCHEMA}') AS alert"
    return messages.selectExpr("CAST(key AS STRING) AS key", alert).select("key", "alert.*")


MAKES = Makes(
    variables=("alerts",),
    topics=("wars",),
    folders=("checkpoints/alerts", "checkpoints/other"),
    by_starter=True,
)

HIDDEN = (
    HiddenTest(
        _two_wars,
        (_sent_alerts,),
        later=(_a_third_war,),
        needs_kafka=True,
        says="Your cell was run on other wars, and once more after a restart.",
    ),
)
