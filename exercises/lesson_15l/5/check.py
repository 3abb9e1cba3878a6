"""Check exercise 15L.5, "Every line is somewhere"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.lesson_15l.gauges import (
    COLUMNS,
    HANDBOOK,
    IMPORTS,
    LISTED,
    RULES,
    columns_of_table,
    land_next_day,
    landed_stations,
    plant_bronze,
    plant_more_lines,
    streaming_table,
    table_of_exercise,
    update_of,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_EVERY_RULE = RULES | {"listed station": LISTED}


def check(attempt: Attempt) -> None:
    """Compare with bronze, land a further day, and compare again; then account for every line."""
    update = update_of(attempt)
    _must_be_refused(attempt, "")
    streaming_table(update, "refused")
    if land_next_day(attempt, keep=0):
        _must_be_refused(attempt, "The table was right until the next day landed. ")
    bronze, refused = attempt.table("bronze").count(), attempt.table("refused").count()
    placed = table_of_exercise(attempt, "placed", "15L.3").count()
    if bronze != placed + refused:
        raise Mistake(
            f"`refused` is right, but of {bronze:,} lines {placed:,} are in `placed` and {refused:,} in `refused`: "
            "check exercises 15L.2 and 15L.3 again."
        )


def _must_be_refused(attempt: Attempt, said: str) -> None:
    from pyspark.sql import functions as F

    bronze = table_of_exercise(attempt, "bronze", "15L.1").select(COLUMNS)
    columns = [*COLUMNS, "reasons"]
    made = columns_of_table(attempt, "refused", columns)
    if dict(made.dtypes)["reasons"] != "array<string>":
        raise Mistake("`reasons` must be an array of names: a line can violate more than one rule.")
    if not made.where("exists(reasons, reason -> reason IS NULL)").isEmpty():
        raise Mistake(
            f"{said}There are NULLs among the reasons, one for each rule that the line meets. Remove them with "
            "`array_compact`."
        )
    made = made.withColumn("reasons", F.array_sort("reasons")).localCheckpoint()
    lines = bronze.join(landed_stations(attempt), "station", "left").localCheckpoint()
    right = _with_reasons(lines, _EVERY_RULE)
    for wrong, sentence in (
        (
            _with_reasons(lines, _EVERY_RULE, is_refused="true"),
            "Every line is there, most of them without a reason. Keep only lines with a reason.",
        ),
        (
            _with_reasons(lines, _EVERY_RULE, opposite="NOT ({})"),
            "Lines without a level are missing, or a reason is missing: the rule is NULL for them, and so is NOT of "
            "it. Use `(...) IS NOT TRUE`.",
        ),
        (
            _with_reasons(lines, RULES),
            "Lines of AL9 are missing, or a reason is missing: a gauge that is not in the list is a reason as well.",
        ),
        (
            _with_reasons(lines.where(LISTED), _EVERY_RULE),
            "Lines of AL9 are missing: an inner join drops them. Use a left join.",
        ),
        (
            _with_reasons(lines, RULES | {"listed station": LISTED, "good battery": HANDBOOK}),
            "Gauges on mains are refused for their battery. Use the same rules as `usable`, so that a line is in "
            "exactly one of the two tables.",
        ),
        (
            right.select(*COLUMNS, F.explode("reasons").alias("reason")).selectExpr(
                *COLUMNS, "array(reason) AS reasons"
            ),
            "A line with two reasons is there twice. Keep one row, with both reasons in its array.",
        ),
    ):
        if attempt.is_same(made, wrong):
            raise Mistake(f"{said}{sentence}")
    if attempt.is_same(made.select(COLUMNS), right.select(COLUMNS)) and made.where("size(reasons) > 1").isEmpty():
        raise Mistake(f"{said}The lines are right, and each has one reason. Some lines violate two rules: name both.")
    attempt.compare(made, right, "refused")


def _with_reasons(
    lines: DataFrame, rules: dict[str, str], opposite: str = "({}) IS NOT TRUE", is_refused: str = "size(reasons) > 0"
) -> DataFrame:
    """Return the lines that violate a rule, with the names of the rules; with other expressions, a mistake's."""
    reasons = ", ".join(f"CASE WHEN {opposite.format(rule)} THEN '{name}' END" for name, rule in rules.items())
    every = lines.selectExpr(*COLUMNS, f"array_sort(array_compact(array({reasons}))) AS reasons")
    return every.where(is_refused)


def _refused_with_reasons(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows("refused").selectExpr(*COLUMNS, "array_sort(reasons) AS reasons")


MAKES = Makes(variables=("update",), tables=("refused",))

HIDDEN = (
    HiddenTest(
        plant_bronze,
        (_refused_with_reasons,),
        later=(plant_more_lines,),
        above=IMPORTS,
        says="Your cell was run on other lines, which break each rule alone, two of them, or none.",
    ),
)
