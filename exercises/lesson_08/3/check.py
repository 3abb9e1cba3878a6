"""Check exercise 08.3, "What the rescued data says"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Distinguish a value that was not found from one that was not parsed."""
    made = attempt.view("rates_vw")
    right = _rates(attempt.table("vitals"))
    if made.count() < right.count():
        raise Mistake(
            f"`rates_vw` has {made.count():,} of {right.count():,} readings. A value that is not a number stays NULL, "
            "and its reading stays in the view."
        )
    if attempt.is_same(made, _rates(attempt.table("vitals"), comma=False)):
        raise Mistake("The rate of device 5 is missing: it was sent as `61,5`. Replace the comma before you cast it.")
    if attempt.is_same(made, _rates(attempt.table("vitals"), cases=False)):
        raise Mistake("The rate of device 6 is missing: the supplier sent it as `HeartRate`, which was rescued too.")
    attempt.compare(made, right, "rates_vw")


def _rates(vitals: DataFrame, *, comma: bool = True, cases: bool = True) -> DataFrame:
    other = "get_json_object(_rescued_data, '$.HeartRate')" if cases else "NULL"
    rescued = f"coalesce(get_json_object(_rescued_data, '$.heartrate'), {other})"
    rescued = f"replace({rescued}, ',', '.')" if comma else rescued
    return vitals.selectExpr(
        "coalesce(device_id, try_cast(get_json_object(_rescued_data, '$.Device_ID') AS INT)) AS device_id",
        f"coalesce(heartrate, try_cast({rescued} AS DOUBLE)) AS heartrate",
        "time",
    )


def _rescued(sandbox: Sandbox) -> None:
    """Plant rates with a comma and in another case, text, a negative one, other rescued fields, and NULL."""
    rescued = (
        (1, 60.5, None), (2, None, '{"heartrate":"71,25"}'), (3, None, '{"HeartRate":"-1,5"}'),
        (4, 62.0, '{"firmware":"1"}'), (None, 63.0, '{"Device_ID":"7"}'),
        (None, None, '{"Device_ID":"8","heartrate":"80"}'), (9, None, '{"heartrate":"n/a"}'),
        (10, 64.0, '{"HeartRate":"99,0"}'), (11, None, None),
    )  # fmt: skip
    rows = [(device, rate, 1.5 + number, text, None) for number, (device, rate, text) in enumerate(rescued)]
    schema = "device_id INT, heartrate DOUBLE, time DOUBLE, _rescued_data STRING, firmware STRING"
    sandbox.append("vitals", rows, schema)
    sandbox.keep(land_file=_nothing, ingest=_Waited, vitals_checkpoint="", hinted={})


def _nothing(*_arguments: object, **_options: object) -> None:
    """Land no file: the planted table replaces the lesson's."""


class _Waited:
    """A run that has ended, as a replacement of the lesson's."""

    def __init__(self, *_arguments: object, **_options: object) -> None:
        self.exception = None

    def awaitTermination(self) -> None:
        """Return at once."""


MAKES = Makes(views=("rates_vw",))

HIDDEN = (
    HiddenTest(
        _rescued,
        ("rates_vw",),
        says="Your cell was run on another table: negative rates, text, rows with a value and rescued data.",
    ),
)
