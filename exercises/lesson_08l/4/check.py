"""Check exercise 08L.4, "The books"."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

from lesson_exercises.lesson_08l.sales import Sale, sales_of_all_nights

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Compare with the partner's totals, and name the join that multiplies rows and the one that loses nights."""
    made, landed = attempt.view("books_vw"), sales_of_all_nights(attempt)
    right = _books(attempt, landed)
    nights = right.count()
    if made.count() < nights:
        raise Mistake(
            f"`books_vw` has {made.count()} of {nights} nights. A night of which nothing was set aside is one of them: "
            "which join keeps it?"
        )
    if made.count() > nights:
        raise Mistake(
            f"`books_vw` has {made.count()} rows, and there are {nights} nights: count each side by file first."
        )
    if "arrived" in made.columns and made.where("arrived > sent").count():
        raise Mistake(
            "In a night with unreadable lines more sales arrived than were sent: the join has paired each sale with "
            "each of these lines. Count each side by file first, then join."
        )
    if made.where(" OR ".join(f"{name} IS NULL" for name in made.columns)).count():
        raise Mistake("`books_vw` has a NULL. Where nothing was counted, the number is 0: use `coalesce`.")
    attempt.compare(made, right, "books_vw")


def _books(attempt: Attempt, landed: list[Sale]) -> DataFrame:
    path = attempt.paths.local(f"{attempt.paths.datasets}/partner/control.json")
    rows = []
    for control in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        mine = [sale for sale in landed if sale.file == control["file"]]
        sales = [sale for sale in mine if sale.fields is not None]
        missing = Decimal(str(control["amount"])).quantize(Decimal("0.01")) - sum(sale.amount for sale in sales)
        rows.append((control["file"], control["records"], len(sales), len(mine) - len(sales), missing))
    return attempt.spark.createDataFrame(
        rows, "file STRING, sent INT, arrived LONG, set_aside LONG, missing DECIMAL(10, 2)"
    )


def _books_made(sandbox: Sandbox) -> DataFrame:
    """Return the view with amounts of two decimal places, whatever the type of the sum."""
    made = sandbox.rows("books_vw")
    if "missing" in made.columns:
        made = made.withColumn("missing", made.missing.cast("decimal(12,2)"))
    return made


_books_made.__name__ = "books_vw"


def _other_books(sandbox: Sandbox) -> None:
    """Plant nights: nothing arrived, all was set aside, too much arrived, several lines were set aside."""
    control = [
        ("a.json", 3, "30.00"), ("b.json", 2, "12.50"), ("c.json", 1, "8.00"), ("d.json", 5, "50.00"),
        ("e.json", 2, "9.00"),
    ]  # fmt: skip
    rows = [(file, records, Decimal(amount)) for file, records, amount in control]
    sandbox.view("control_vw", sandbox.frame(rows, "file STRING, records INT, amount DECIMAL(10, 2)"))
    arrived = [("a", "10.00"), ("a", "10.00"), ("a", "10.00"), ("d", "20.00"), ("d", None), ("d", "10.00")]
    arrived += [("e", "4.00"), ("e", "4.00"), ("e", "4.00")]
    sales = [(f"{file}.json", f"T{n}", amount and Decimal(amount)) for n, (file, amount) in enumerate(arrived)]
    sandbox.view("sales_vw", sandbox.frame(sales, "file STRING, sale_id STRING, amount DECIMAL(8, 2)"))
    lines = [("c.json", '{"sa'), ("d.json", '{"sale_id'), ("d.json", '{"sale_id')]
    sandbox.view("set_aside_vw", sandbox.frame(lines, "file STRING, record STRING"))


MAKES = Makes(views=("books_vw",))

HIDDEN = (
    HiddenTest(
        _other_books,
        (_books_made,),
        says="Your cell was run on other books: nights of which nothing, too little or too much has arrived.",
    ),
)
