"""Check exercise 08L.3, "Back into columns"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises.lesson_08l.sales import TABLE_SCHEMA, Sale, sales_of_all_nights, table_row

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Distinguish an amount that was not found from one that was not parsed; files are read without Spark."""
    made, landed = attempt.view("sales_vw"), sales_of_all_nights(attempt)
    sales = [sale for sale in landed if sale.fields is not None]
    if made.count() < len(sales):
        raise Mistake(f"`sales_vw` has {made.count():,} of {len(sales):,} sales: it must have every row of `sales`.")
    types = dict(made.dtypes)
    for name, wanted in (("amount", "decimal(8,2)"), ("sold_at", "timestamp")):
        if types.get(name, wanted) != wanted:
            raise Mistake(f"In `sales_vw` the column `{name}` has the type {types[name]}; {wanted} was asked for.")
    for lost, words in (
        ("amount", "The amounts that arrived as text are missing: they end in ` EUR`. Remove it before you cast."),
        ("Amount", "The amounts of one night are missing: the field was spelled `Amount`, and get_json_object minds."),
    ):
        without = [sale for sale in sales if lost in sale.rescued]
        if "amount" in types and "sale_id" in types and _all_null(made, without):
            raise Mistake(words)
    attempt.compare(made, _typed(attempt, sales), "sales_vw")


def _all_null(made: DataFrame, sales: list[Sale]) -> bool:
    ids = [str(sale.fields["sale_id"]) for sale in sales]
    return bool(ids) and not made.where("amount IS NOT NULL").where(made.sale_id.isin(ids)).count()


def _typed(attempt: Attempt, sales: list[Sale]) -> DataFrame:
    rows = [
        (
            sale.file, sale.fields["sale_id"], sale.fields["play"], sale.fields["seats"], sale.amount,
            sale.fields["sold_at"], sale.fields.get("channel"), sale.fields.get("buyer", {}).get("country"),
        )
        for sale in sales
    ]  # fmt: skip
    schema = (
        "file STRING, sale_id STRING, play STRING, seats INT, amount DECIMAL(8, 2), sold_at STRING, channel STRING, "
        "country STRING"
    )
    frame = attempt.spark.createDataFrame(rows, schema)
    return frame.withColumn("sold_at", frame.sold_at.cast("timestamp"))


def _amounts(sandbox: Sandbox) -> None:
    """Plant refunds, amounts with and without the currency in both spellings, text, other fields, and NULL."""
    rescued = (
        ("1.50", None), (None, '{"amount":"12.50 EUR"}'), (None, '{"amount":"-12.50 EUR"}'), (None, '{"amount":"7"}'),
        (None, '{"Amount":24.0}'), (None, '{"Amount":"-3.25 EUR"}'), (None, '{"amount":"free"}'), (None, None),
        ("2.25", '{"seats":"two"}'), ("0.00", '{"amount_note":"9.99"}'), (None, '{"seats":"two","Amount":0.05}'),
    )  # fmt: skip
    buyers = (None, '{"country":"SE","post_code":"5735"}', '{"post_code":"1005"}', '{"country":null}')
    rows = [
        table_row(number, "a.json", amount, text, "web" if number % 2 else None, buyers[number % 4])
        for number, (amount, text) in enumerate(rescued)
    ]
    sandbox.append("sales", rows, TABLE_SCHEMA)


def _sales_view_made(sandbox: Sandbox) -> DataFrame:
    """Return the rows of the view, collected: a cast may fail."""
    made = sandbox.rows("sales_vw")
    try:
        return sandbox.spark.createDataFrame(made.collect(), made.schema)
    except Exception as error:
        if "CAST_INVALID_INPUT" not in str(error):
            raise
        raise Mistake(
            "Your view was read over another table, in which an amount is no number, and it fails: `CAST` raises an "
            "error there. Which cast gives NULL?"
        ) from None


_sales_view_made.__name__ = "sales_vw"


MAKES = Makes(views=("sales_vw",))

HIDDEN = (
    HiddenTest(
        _amounts,
        (_sales_view_made,),
        says="Your cell was run on another table: refunds, text that is no number, two rescued fields in a row.",
    ),
)
