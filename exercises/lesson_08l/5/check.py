"""Check exercise 08L.5, "Two other readers"."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_08l.sales import (
    CONTRACT,
    TYPES,
    Sale,
    land_quiet_night,
    planted_sale,
    rescued_of,
    rescued_text,
    sales_of_all_nights,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_CHANNEL = "2025-09-03.json"  # the first file with a field that the contract does not have


def check(attempt: Attempt) -> None:
    """Check that the board has every value, and the ledger the nights before the first new field."""
    board = attempt.stream("board")
    ledger = attempt.stream("ledger")
    landed = sales_of_all_nights(attempt)
    if board.has_ended(min(30.0, attempt.left)) and "UNKNOWN_FIELD" in str(board.error):
        raise Mistake("`board` has stopped at a new field, and the board in the foyer is dark. Which mode never fails?")
    attempt.wait_for_end(board, "`board` must stop after it has processed the available data.")
    attempt.must_have_checkpoint(board, "board")
    _must_keep_every_value(attempt, attempt.table("board"), landed)
    if not ledger.has_ended(min(30.0, attempt.left)):
        raise Mistake("`ledger` is still running: it must stop after it has processed the available data.")
    if ledger.error is None:
        raise Mistake(
            "`ledger` has not failed, although later nights have fields that the contract does not have. Which mode "
            "ingests nothing until somebody decides?"
        )
    if "UNKNOWN_FIELD" not in str(ledger.error):
        attempt.must_not_have_failed(ledger)
    attempt.must_have_checkpoint(ledger, "ledger")
    booked = attempt.table("ledger")
    if not booked.count():
        raise Mistake(
            "`ledger` is empty: nothing of the failed batch is ingested, and that batch had all nights. A night is "
            "booked for itself: one file per batch."
        )
    _must_have_rescued(booked, "ledger")
    attempt.compare(rescued_text(booked), _board(attempt, [sale for sale in landed if sale.file < _CHANNEL]), "ledger")


def _must_keep_every_value(attempt: Attempt, made: DataFrame, landed: list[Sale]) -> None:
    _must_have_rescued(made, "board")
    surplus = sorted(set(made.columns) - {*CONTRACT, "_rescued_data"})
    if surplus:
        raise Mistake(f"`board` has the column `{surplus[0]}`: its columns are the contract's and `_rescued_data`.")
    right = _board(attempt, [sale for sale in landed if sale.fields is not None])
    attempt.compare(rescued_text(made.where("sale_id IS NOT NULL")), right, "board")


def _must_have_rescued(made: DataFrame, name: str) -> None:
    if "_rescued_data" not in made.columns:
        raise Mistake(
            f"`{name}` drops values: it has no column `_rescued_data`. With a schema of your own, the option "
            "`rescuedDataColumn` asks for it."
        )


def _board(attempt: Attempt, sales: list[Sale]) -> DataFrame:
    rows = []
    for sale in sales:
        fits = sale.fitting
        amount = Decimal(str(fits["amount"])) if "amount" in fits else None
        contract = [amount if name == "amount" else fits.get(name) for name in CONTRACT]
        rows.append((*contract, rescued_of(sale, also=sale.new)))
    columns = [*(f"{name} {kind}" for name, kind in TYPES.items()), "_rescued_data STRING"]
    return attempt.spark.createDataFrame(rows, ", ".join(columns))


def _board_made(sandbox: Sandbox) -> DataFrame:
    return rescued_text(sandbox.rows("board")) if _rescues(sandbox, "board") else sandbox.rows("board")


def _ledger_made(sandbox: Sandbox) -> DataFrame:
    return rescued_text(sandbox.rows("ledger")) if _rescues(sandbox, "ledger") else sandbox.rows("ledger")


_board_made.__name__, _ledger_made.__name__ = "board", "ledger"


def _rescues(sandbox: Sandbox, table: str) -> bool:
    return "_rescued_data" in sandbox.rows(table).columns


def _drifting_nights(sandbox: Sandbox) -> None:
    """Land a quiet night, one with another type and spelling, a quiet one, and one with a new field."""
    land_quiet_night(sandbox)
    rows = [planted_sale(4, amount="12.50 EUR"), planted_sale(6, seats=None, Seats=3), planted_sale(7)]
    sandbox.file("2024-03-06.json", rows)
    sandbox.file("2024-03-07.json", [planted_sale(12)])
    sandbox.file("2024-03-08.json", [planted_sale(13), planted_sale(14, place={"row": 7})])


def _one_more_night(sandbox: Sandbox) -> None:
    """Land an amount that is not a number and a second new field: only the board must have them."""
    sandbox.file("2024-03-09.json", [planted_sale(15, amount="free"), planted_sale(16, agent="N. Brandt")])


MAKES = Makes(
    variables=("board", "ledger"),
    tables=("board", "ledger"),
    folders=("checkpoints/board", "checkpoints/ledger", "checkpoints/board_stream", "checkpoints/ledger_stream"),
)

HIDDEN = (
    HiddenTest(
        _drifting_nights,
        (_board_made, _ledger_made),
        later=(planted.crash_before_commit, _one_more_night),
        may_fail=("ledger", "query"),
        says="Your cell was run on other nights: the new field comes in the fourth.",
    ),
)
