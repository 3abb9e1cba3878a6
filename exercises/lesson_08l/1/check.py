"""Check exercise 08L.1, "The nightly job"."""

from __future__ import annotations

import json
import os
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lesson_exercises import planted, restarts
from lesson_exercises.lesson_08l.sales import (
    CONTRACT,
    TYPES,
    Sale,
    json_text,
    land_quiet_night,
    landed_sales,
    planted_sale,
    rescued_of,
    rescued_text,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake, NotTried
from streaming_classroom.files.directories import classroom_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_NOT_SET_ASIDE = (
    "A line that is not JSON has become a row without a sale. The rule: it is set aside, which `badRecordsPath` does."
)


def check(attempt: Attempt) -> None:
    """Name the error that stopped the job, then what the table lacks; the hidden test has the nights that drift."""
    _must_not_have_stopped(attempt)
    if not attempt.spark.catalog.tableExists("sales"):
        if attempt.cell_error is not None:
            raise Mistake(f"Your cell raised an error: {attempt.words_of_error}")
        if "readStream" not in (attempt.source or ""):
            raise NotTried
        raise Mistake(
            "There is no table `sales`. Does your cell call `nightly()`, and does `nightly` wait for the end?"
        )
    if active := attempt.spark.streams.active:
        for query in active:
            query.stop()
        raise Mistake(
            "A stream was still running, and was stopped now. Process the available data, and wait for the end in "
            "`nightly`."
        )
    made, landed = attempt.table("sales"), landed_sales(attempt)
    new = list(dict.fromkeys(name for sale in landed for name in sale.new))
    _must_have_columns(made, new)
    for part in ("_schemas", "offsets"):
        if not attempt.paths.exists(f"{attempt.paths.checkpoints}/sales/{part}"):
            what = "schema versions are" if part == "_schemas" else "checkpoint is"
            raise Mistake(f"The job's {what} not in the directory `sales` of the checkpoints, as was asked.")
    if made.where("sale_id IS NULL").count():
        raise Mistake(_NOT_SET_ASIDE)
    attempt.compare(rescued_text(made), _sales(attempt, landed, new), "sales")


def _must_not_have_stopped(attempt: Attempt) -> None:
    error = str(attempt.cell_error or "")
    if "DELTA_METADATA_MISMATCH" in error or "schema mismatch" in error:
        raise Mistake("The source has the new column, and the table may not change: set `mergeSchema` on the writer.")
    if "UNKNOWN_FIELD_EXCEPTION" in error:
        raise Mistake(
            "A new field has stopped the job, and it was not started again. The next start must `load` again: a "
            "DataFrame keeps the schema of the moment when it was loaded."
        )


def _must_have_columns(made: DataFrame, new: list[str]) -> None:
    types = dict(made.dtypes)
    if "file" not in types:
        raise Mistake("`sales` has no column `file`. Select `_metadata.file_name AS file` beside all other columns.")
    for name, wanted in TYPES.items():
        if types.get(name, wanted) != wanted:
            raise Mistake(
                f"In `sales` the column `{name}` has the type {types[name]}; {wanted} was asked for. A hint gives a "
                "column its type."
            )
    for name in new:
        if types.get(name, "string") != "string":
            raise Mistake(f"In `sales` the column `{name}` has the type {types[name]}: a new field becomes text.")


def _sales(attempt: Attempt, landed: list[Sale], new: list[str]) -> DataFrame:
    """Return the rows that the table must have, with the rescued data as :func:`rescued_text` returns them."""
    rows = []
    for sale in landed:
        if sale.fields is None:
            continue
        fits = sale.fitting
        amount = Decimal(str(fits["amount"])) if "amount" in fits else None
        contract = [amount if name == "amount" else fits.get(name) for name in CONTRACT]
        texts = [json_text(sale.new[name]) if name in sale.new else None for name in new]
        rows.append((*contract, rescued_of(sale), sale.file, *texts))
    columns = [*(f"{name} {kind}" for name, kind in TYPES.items()), "_rescued_data STRING", "file STRING"]
    return attempt.spark.createDataFrame(rows, ", ".join([*columns, *(f"{name} STRING" for name in new)]))


def _sales_made(sandbox: Sandbox) -> DataFrame:
    """Return the table with sorted columns; raise a mistake that only these nights reveal."""
    made = sandbox.rows("sales")
    if "sale_id" in made.columns and made.where("sale_id IS NULL").count():
        raise Mistake(f"Your job was run on other nights. {_NOT_SET_ASIDE}")
    for name, kind in made.dtypes:
        if name in ("voucher", "place") and kind != "string":
            raise Mistake(
                f"Your job was run on other nights. There the new field `{name}` became {kind}, and not text."
            )
    made = rescued_text(made) if "_rescued_data" in made.columns else made
    return made.select(*sorted(made.columns))


_sales_made.__name__ = "sales"  # as verdicts call it


def _set_aside(sandbox: Sandbox) -> DataFrame:
    """Return the lines that were set aside, each once: a replayed batch may set one aside again."""
    folder = classroom_files().local_path(f"{sandbox.paths.working_dir}/unreadable")
    lines = [line for path in folder.rglob("[!._]*") if path.is_file() for line in path.read_text().splitlines()]
    return sandbox.frame([(record,) for record in {json.loads(line)["record"] for line in lines}], "record STRING")


def _other_types(sandbox: Sandbox) -> None:
    """Land text for numbers, fractional seats, an amount that is too large, other spellings, and a cut line."""
    rows = [
        planted_sale(4, amount="12.50 EUR"), planted_sale(5, seats="two"), planted_sale(6, seats=None, Seats=3),
        planted_sale(7, seats=1.5), planted_sale(8, amount=123456789.5),
        planted_sale(9, play=None, PLAY="The Tide", amount=None, Amount=8.25), planted_sale(10, seats=None),
    ]  # fmt: skip
    _cut(sandbox.file("2024-03-06.json", rows), '{"sale_id": "T11", "play": "The')


def _two_new_fields(sandbox: Sandbox) -> None:
    """Land two nights at once, each with a new field, as after a night in which the job did not run."""
    sandbox.file("2024-03-07.json", [planted_sale(12), planted_sale(13, voucher="SPRING")])
    sandbox.file(
        "2024-03-08.json", [planted_sale(14, place={"row": 7, "seat": [3, 4]}), planted_sale(15, voucher=2024)]
    )


def _nothing_new(sandbox: Sandbox) -> None:
    """Archive a processed night and land none: a job that reads everything again loses the archived sales."""
    (classroom_files().local_path(sandbox.paths.landing) / "2024-03-06.json").unlink()


def _last_night(sandbox: Sandbox) -> None:
    """Land a new field on the last night, with a known one in another spelling and a cut line."""
    rows = [planted_sale(16, agent="N. Brandt"), planted_sale(17, amount="free", Voucher="x"), planted_sale(18)]
    _cut(sandbox.file("2024-03-09.json", rows), '{"sale_id": "T19", "play": "The Tide", "amount": 4')


def _cut(path: Path, text: str) -> None:
    """Append an incomplete line to a file."""
    times = path.stat().st_atime, path.stat().st_mtime
    path.write_text(f"{path.read_text(encoding='utf-8')}{text}\n", encoding="utf-8")
    os.utime(path, times)


MAKES = Makes(
    variables=("nightly",), tables=("sales",), folders=("checkpoints/sales", "checkpoints/nights", "unreadable")
)

HIDDEN = (
    HiddenTest(
        land_quiet_night,
        (_sales_made, _set_aside),
        later=(
            _other_types,
            planted.crash_before_commit,
            _two_new_fields,
            planted.crash_before_commit,
            _nothing_new,
            _last_night,
        ),
        after=partial(restarts.count, what="job"),
        says="Your job was run on other nights: other drifts, a crash, an archived file, a night without a file.",
    ),
)
