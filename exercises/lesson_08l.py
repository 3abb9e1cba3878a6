"""Exercises of lab 08L: a nightly job for a feed whose schema drifts, what has drifted, and books that add up."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lesson_exercises import planted, restarts

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, NotTried, WrongAnswer
from streaming_classroom.files.directories import classroom_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

#: What the first two nights have, by name, and which of Python's types fit.
_CONTRACT = {"sale_id": (str,), "play": (str,), "seats": (int,), "amount": (int, float), "sold_at": (str,)}
_TYPES = {"sale_id": "string", "play": "string", "seats": "int", "amount": "decimal(8,2)", "sold_at": "string"}
_CHANNEL = "2025-09-03.json"  # the first file with a field that the contract does not have


class Sale(NamedTuple):
    """A line that has landed: its fields, or None where it is no JSON."""

    file: str
    fields: dict[str, object] | None

    @property
    def fitting(self) -> dict[str, object]:
        """The fields of the contract whose name and type are as agreed."""
        return {name: value for name, value in (self.fields or {}).items() if _fits(name, value)}

    @property
    def rescued(self) -> dict[str, object]:
        """The fields of the contract that came with another spelling or type."""
        return {
            name: value
            for name, value in (self.fields or {}).items()
            if name.lower() in _CONTRACT and not _fits(name, value)
        }

    @property
    def new(self) -> dict[str, object]:
        """The fields that the contract does not have."""
        return {name: value for name, value in (self.fields or {}).items() if name.lower() not in _CONTRACT}

    @property
    def amount(self) -> Decimal:
        """What was paid, however it was written."""
        [value] = [value for name, value in (self.fields or {}).items() if name.lower() == "amount"]
        return Decimal(str(value).removesuffix(" EUR")).quantize(Decimal("0.01"))


def _fits(name: str, value: object) -> bool:
    return isinstance(value, _CONTRACT.get(name, ()))


def _landed(attempt: Attempt) -> list[Sale]:
    """Return what the partner has sent so far, read without Spark."""
    folder = attempt.paths.local(attempt.paths.landing)
    files = sorted(path for path in folder.iterdir() if path.suffix == ".json")
    return [Sale(path.name, fields) for path in files for fields in _fields_of(path)]


def _fields_of(path: Path) -> Iterator[dict[str, object] | None]:
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            yield None


def _with_all_nights(attempt: Attempt) -> list[Sale]:
    landed = _landed(attempt)
    if len({sale.file for sale in landed}) < 10:
        raise Mistake("Some of the ten nights have not landed yet. Run the cell of section 3 first.")
    return landed


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _rescued_text(frame: DataFrame) -> DataFrame:
    """Give the rescued data without the path: fields with their values, sorted."""
    from pyspark.sql import functions as F

    fields = "map_entries(from_json(_rescued_data, 'map<string, string>'))"
    others = f"array_sort(filter({fields}, field -> field.key <> '_file_path'))"
    text = F.expr(f"array_join(transform({others}, field -> concat(field.key, '=', field.value)), ', ')")
    return frame.withColumn("_rescued_data", text)


def _rescued_of(sale: Sale, *, also: dict[str, object] | None = None) -> str | None:
    rescued = sale.rescued | (also or {})
    return ", ".join(f"{name}={_text(value)}" for name, value in sorted(rescued.items())) or None


# ------------------------------------------------------------------------------------------------ 08L.1 the nightly job

NIGHTLY_STARTER = '''
DA.exercise("08L.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    # your code


nightly()
'''

NIGHTLY_SOLUTION = '''
DA.exercise("08L.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    restarts = 5
    while True:
        query = (spark.readStream
            .format("cloudFiles")
            .option("cloudFiles.format", "json")
            .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/sales")
            .option("cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)")
            .option("badRecordsPath", f"{DA.paths.working_dir}/unreadable")
            .load(DA.paths.landing)
            .selectExpr("*", "_metadata.file_name AS file")
            .writeStream
            .option("checkpointLocation", f"{DA.paths.checkpoints}/sales")
            .option("mergeSchema", True)
            .trigger(availableNow=True)
            .toTable("sales"))
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
                raise
            restarts -= 1


nightly()
'''

_NOT_SET_ASIDE = (
    "A line that is not JSON has become a row without a sale, and its text is lost. The rule: it is set aside, which "
    "`badRecordsPath` does."
)


def check_nightly(attempt: Attempt) -> None:
    """Name what stopped the job, then what the table lacks; the nights that drift are the hidden test's."""
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
            "A stream was still running, and was stopped now. The job processes what is there, ends, and is waited for."
        )
    made, landed = attempt.table("sales"), _landed(attempt)
    new = list(dict.fromkeys(name for sale in landed for name in sale.new))
    _must_have_columns(made, new)
    for part in ("_schemas", "offsets"):
        if not attempt.paths.exists(f"{attempt.paths.checkpoints}/sales/{part}"):
            what = "schema versions are" if part == "_schemas" else "checkpoint is"
            raise Mistake(f"The job's {what} not in the directory `sales` of the checkpoints, as was asked.")
    if made.where("sale_id IS NULL").count():
        raise Mistake(_NOT_SET_ASIDE)
    attempt.compare(_rescued_text(made), _sales(attempt, landed, new), "sales")


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
    for name, wanted in _TYPES.items():
        if types.get(name, wanted) != wanted:
            raise Mistake(
                f"In `sales` the column `{name}` has the type {types[name]}; {wanted} was asked for. A hint gives a "
                "column its type."
            )
    for name in new:
        if types.get(name, "string") != "string":
            raise Mistake(f"In `sales` the column `{name}` has the type {types[name]}: a new field becomes text.")


def _sales(attempt: Attempt, landed: list[Sale], new: list[str]) -> DataFrame:
    """Return what the table must have, with the rescued data as :func:`_rescued_text` gives it."""
    rows = []
    for sale in landed:
        if sale.fields is None:
            continue
        fits = sale.fitting
        amount = Decimal(str(fits["amount"])) if "amount" in fits else None
        contract = [amount if name == "amount" else fits.get(name) for name in _CONTRACT]
        texts = [_text(sale.new[name]) if name in sale.new else None for name in new]
        rows.append((*contract, _rescued_of(sale), sale.file, *texts))
    columns = [*(f"{name} {kind}" for name, kind in _TYPES.items()), "_rescued_data STRING", "file STRING"]
    return attempt.spark.createDataFrame(rows, ", ".join([*columns, *(f"{name} STRING" for name in new)]))


def _sales_made(sandbox: Sandbox) -> DataFrame:
    """Return the table with the columns in alphabetical order; name what only these nights can show."""
    made = sandbox.rows("sales")
    if "sale_id" in made.columns and made.where("sale_id IS NULL").count():
        raise Mistake(f"Your job was run on other nights. {_NOT_SET_ASIDE}")
    for name, kind in made.dtypes:
        if name in ("voucher", "place") and kind != "string":
            raise Mistake(
                f"Your job was run on other nights. There the new field `{name}` became {kind}, and not text."
            )
    made = _rescued_text(made) if "_rescued_data" in made.columns else made
    return made.select(*sorted(made.columns))


_sales_made.__name__ = "sales"  # as verdicts call it


def _set_aside(sandbox: Sandbox) -> DataFrame:
    """Return the lines that were set aside, each once: a batch that is replayed may set one aside again."""
    folder = classroom_files().local_path(f"{sandbox.paths.working_dir}/unreadable")
    lines = [line for path in folder.rglob("[!._]*") if path.is_file() for line in path.read_text().splitlines()]
    return sandbox.frame([(record,) for record in {json.loads(line)["record"] for line in lines}], "record STRING")


def _sold(number: int, **changed: object) -> dict[str, object]:
    """Return a sale of another year; a change to None takes a field away."""
    sale: dict[str, object] = {
        "sale_id": f"T{number}", "play": "The Tide", "seats": 2, "amount": 10.5 + number,
        "sold_at": "2024-03-05T18:00:00Z",
    }  # fmt: skip
    return {name: value for name, value in (sale | changed).items() if value is not None}


def _quiet_night(sandbox: Sandbox) -> None:
    """Land three sales that fit the contract: an amount above 0, one of 0, and a refund."""
    sandbox.file("2024-03-05.json", [_sold(1), _sold(2, amount=0), _sold(3, amount=-31.25)])


def _other_types(sandbox: Sandbox) -> None:
    """Give text for numbers, seats with a point, an amount that is too large, other spellings, and a cut line."""
    rows = [
        _sold(4, amount="12.50 EUR"), _sold(5, seats="two"), _sold(6, seats=None, Seats=3), _sold(7, seats=1.5),
        _sold(8, amount=123456789.5), _sold(9, play=None, PLAY="The Tide", amount=None, Amount=8.25),
        _sold(10, seats=None),
    ]  # fmt: skip
    _cut(sandbox.file("2024-03-06.json", rows), '{"sale_id": "T11", "play": "The')


def _two_new_fields(sandbox: Sandbox) -> None:
    """Give two nights at once, each with a field of its own: after a night in which the job did not run."""
    sandbox.file("2024-03-07.json", [_sold(12), _sold(13, voucher="SPRING")])
    sandbox.file("2024-03-08.json", [_sold(14, place={"row": 7, "seat": [3, 4]}), _sold(15, voucher=2024)])


def _nothing_new(_sandbox: Sandbox) -> None:
    """Run the job in a night in which nothing was delivered."""


def _last_night(sandbox: Sandbox) -> None:
    """Give a new field on the last night, beside a known one in another spelling and a line that is cut."""
    rows = [_sold(16, agent="N. Brandt"), _sold(17, amount="free", Voucher="x"), _sold(18)]
    _cut(sandbox.file("2024-03-09.json", rows), '{"sale_id": "T19", "play": "The Tide", "amount": 4')


def _cut(path: Path, text: str) -> None:
    """Add a line that ends too early to a file."""
    times = path.stat().st_atime, path.stat().st_mtime
    path.write_text(f"{path.read_text(encoding='utf-8')}{text}\n", encoding="utf-8")
    os.utime(path, times)


NIGHTLY = Exercise(
    id="08L.1",
    title="The nightly job",
    starter=NIGHTLY_STARTER,
    hints=(
        "Begin with the program of lesson 08: `cloudFiles`, one directory for progress and schema versions, "
        "`mergeSchema`, and `availableNow`. Then take rule by rule: each is one option or one line.",
        "Types of some columns: `cloudFiles.schemaHints`. Lines that are not JSON: `badRecordsPath`. The file's name: "
        '`.selectExpr("*", "_metadata.file_name AS file")` after the `load`.',
        "For a new field the stream fails, and the next `load` has it. Put `load`, start and `awaitTermination()` into "
        "a loop, catch the `StreamingQueryException`, and raise it again if its text has no `UNKNOWN_FIELD_EXCEPTION` "
        "or the five restarts are used up.",
    ),
    solution=NIGHTLY_SOLUTION,
    why=(
        "The hints give a type to the two columns that are computed with; all others are text, which accepts any "
        "value. The default mode, `addNewColumns`, makes a column of a new field, and the loop starts the job again. "
        "What does not fit a column is rescued with its row. A line that cannot be read is no row: `badRecordsPath` "
        "keeps it."
    ),
    check=check_nightly,
    hidden=(
        HiddenTest(
            _quiet_night,
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
            says="Your job was run on other nights: other drifts, a crash, a night without a file.",
        ),
    ),
    wrong=(
        WrongAnswer(NIGHTLY_SOLUTION.replace('            .option("mergeSchema", True)\n', ""), "metadata mismatch"),
        WrongAnswer(NIGHTLY_SOLUTION.replace("restarts = 5", "restarts = 0"), "UNKNOWN_FIELD_EXCEPTION"),
        WrongAnswer(
            NIGHTLY_SOLUTION.replace(
                '            .option("badRecordsPath", f"{DA.paths.working_dir}/unreadable")\n', ""
            ),
            "a row without a sale",
        ),
        WrongAnswer(
            NIGHTLY_SOLUTION.replace(
                '"cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)"', '"multiLine", False'
            ),
            "has the type string",
        ),
        WrongAnswer(
            NIGHTLY_SOLUTION.replace(
                '"cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)"', '"cloudFiles.inferColumnTypes", True'
            ),
            "has the type bigint",
        ),
        WrongAnswer(
            NIGHTLY_SOLUTION.replace(
                '            .option("badRecordsPath"',
                '            .option("cloudFiles.inferColumnTypes", True)\n            .option("badRecordsPath"',
            ),
            "and not text",
        ),
        WrongAnswer(
            NIGHTLY_SOLUTION.replace(
                '            .option("badRecordsPath"',
                '            .option("cloudFiles.schemaEvolutionMode", "rescue")\n            .option("badRecordsPath"',
            ),
            "are missing",
        ),
        WrongAnswer(
            NIGHTLY_SOLUTION.replace(
                '            .option("badRecordsPath"',
                '            .option("readerCaseSensitive", False)\n            .option("badRecordsPath"',
            ),
            "`sales`",
        ),
        WrongAnswer(
            NIGHTLY_SOLUTION.replace('            .selectExpr("*", "_metadata.file_name AS file")\n', ""),
            "no column `file`",
        ),
        WrongAnswer(
            NIGHTLY_SOLUTION.replace('"UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts', "restarts"),
            "because the disk is full, and restarted",
        ),
        WrongAnswer(
            NIGHTLY_SOLUTION.replace("str(error) or restarts == 0", "str(error)"), "restarted more than five times"
        ),
        WrongAnswer(
            NIGHTLY_SOLUTION.replace("                raise\n", "                return\n"), "as if all were well"
        ),
        WrongAnswer(
            NIGHTLY_SOLUTION.replace(
                '"checkpointLocation", f"{DA.paths.checkpoints}/sales"',
                '"checkpointLocation", f"{DA.paths.checkpoints}/nights"',
            ),
            "checkpoint is not in the directory `sales`",
        ),
        WrongAnswer(NIGHTLY_SOLUTION.replace("\nnightly()\n", "\n"), "There is no table `sales`"),
    ),
    makes=Makes(
        variables=("nightly",), tables=("sales",), folders=("checkpoints/sales", "checkpoints/nights", "unreadable")
    ),
)

# ---------------------------------------------------------------------------------------------- 08L.2 what has drifted

DRIFT_STARTER = """
%sql
DROP VIEW IF EXISTS drift_vw;
-- CREATE TEMP VIEW drift_vw AS
-- SELECT file, field, count(*) AS records ...
"""

DRIFT_SOLUTION = """
%sql
DROP VIEW IF EXISTS drift_vw;
CREATE TEMP VIEW drift_vw AS
SELECT file, field, count(*) AS records
FROM (SELECT file, explode(map_keys(from_json(_rescued_data, 'map<string, string>'))) AS field FROM sales)
WHERE field <> '_file_path'
GROUP BY file, field
"""


def check_drift(attempt: Attempt) -> None:
    """Compare with what the files have, field by field."""
    made, landed = attempt.view("drift_vw"), _with_all_nights(attempt)
    counts = Counter((sale.file, field) for sale in landed for field in sale.rescued)
    with_path = counts + Counter((sale.file, "_file_path") for sale in landed if sale.rescued)
    by_field = Counter(field for sale in landed for field in sale.rescued)
    if attempt.is_same(made, _counts(attempt, with_path)):
        raise Mistake("`_file_path` is no field of the partner's: Auto Loader adds it. Leave it out.")
    if [name.lower() for name in made.columns] == ["field", "records"] and by_field:
        raise Mistake("`drift_vw` has no column `file`: group by the file as well, to see in which night it began.")
    attempt.compare(made, _counts(attempt, counts), "drift_vw")


def _counts(attempt: Attempt, counts: Counter[tuple[str, str]]) -> DataFrame:
    rows = [(*key, count) for key, count in counts.items()]
    return attempt.spark.createDataFrame(rows, "file STRING, field STRING, records LONG")


_TABLE = (
    "file STRING, sale_id STRING, play STRING, seats INT, amount DECIMAL(8, 2), sold_at STRING, channel STRING, "
    "buyer STRING, _rescued_data STRING"
)


def _row(
    number: int,
    file: str,
    amount: str | None,
    rescued: str | None,
    channel: str | None = None,
    buyer: str | None = None,
) -> tuple:
    """Return a row of the table `sales`, with the path in the rescued data, as Auto Loader adds it."""
    text = rescued and f'{rescued.removesuffix("}")},"_file_path":"dbfs:/landing/{file}"}}'
    paid = Decimal(amount) if amount is not None else None
    return (file, f"T{number}", "The Tide", 2, paid, "2024-03-05T18:30:00Z", channel, buyer, text)


def _rescued_fields(sandbox: Sandbox) -> None:
    """Give rows with two rescued fields, one field in two files, and files without any."""
    rescued = (
        ("a", '{"seats":"two"}'), ("a", '{"seats":"one","Amount":3.5}'), ("a", None), ("b", '{"Amount":4.5}'),
        ("b", '{"amount":"free"}'), ("c", None), ("b", '{"Amount":5.5}'),
    )  # fmt: skip
    rows = [_row(number, f"{file}.json", None, text) for number, (file, text) in enumerate(rescued)]
    sandbox.append("sales", rows, _TABLE)


DRIFT = Exercise(
    id="08L.2",
    title="What has drifted",
    starter=DRIFT_STARTER,
    hints=(
        "The rescued data is a JSON object. Its keys are the names of the fields.",
        "`from_json(_rescued_data, 'map<string, string>')` makes a map of it, `map_keys` gives its keys, and `explode` "
        "makes a row of each.",
        "Do that in a subquery that also selects `file`. Then leave out `_file_path`, and group by `file` and `field`.",
    ),
    solution=DRIFT_SOLUTION,
    why=(
        "One query over `_rescued_data` tells which field drifted, in which night, and in how many records: in one "
        "night some amounts were text, in another all of them had a capital letter. As an alarm, it would have said so "
        "the same morning."
    ),
    check=check_drift,
    hidden=(
        HiddenTest(
            _rescued_fields,
            ("drift_vw",),
            says="Your cell was run on another table: some rows have two rescued fields.",
        ),
    ),
    wrong=(
        WrongAnswer(DRIFT_SOLUTION.replace("WHERE field <> '_file_path'\n", ""), "Leave it out"),
        WrongAnswer(
            DRIFT_SOLUTION.replace("SELECT file, field,", "SELECT field,").replace("BY file, field", "BY field"),
            "has no column `file`",
        ),
        WrongAnswer(
            DRIFT_SOLUTION.replace(
                "SELECT file, explode(map_keys(from_json(_rescued_data, 'map<string, string>'))) AS field FROM sales",
                "SELECT file, 'amount' AS field FROM sales WHERE _rescued_data IS NOT NULL",
            ),
            "`drift_vw`",
        ),
        WrongAnswer(
            DRIFT_SOLUTION.replace(
                "explode(map_keys(from_json(_rescued_data, 'map<string, string>')))",
                "map_keys(from_json(_rescued_data, 'map<string, string>'))[0]",
            ),
            "some rows have two rescued fields",
        ),
        WrongAnswer(DRIFT_SOLUTION.replace("count(*)", "count(DISTINCT file)"), "`drift_vw`"),
    ),
    makes=Makes(views=("drift_vw",)),
)

# ------------------------------------------------------------------------------------------- 08L.3 back into columns

COLUMNS_STARTER = """
%sql
DROP VIEW IF EXISTS sales_vw;
-- CREATE TEMP VIEW sales_vw AS
-- SELECT file, sale_id, play, seats, amount, sold_at, channel, country ...
"""

COLUMNS_SOLUTION = """
%sql
DROP VIEW IF EXISTS sales_vw;
CREATE TEMP VIEW sales_vw AS
SELECT file, sale_id, play, seats,
       coalesce(amount, try_cast(replace(coalesce(
           get_json_object(_rescued_data, '$.amount'), get_json_object(_rescued_data, '$.Amount')
       ), ' EUR', '') AS DECIMAL(8, 2))) AS amount,
       CAST(sold_at AS TIMESTAMP) AS sold_at, channel, get_json_object(buyer, '$.country') AS country
FROM sales
"""


def check_columns(attempt: Attempt) -> None:
    """Tell an amount that was not found from one that was not understood; the amounts are computed from the files."""
    made, landed = attempt.view("sales_vw"), _with_all_nights(attempt)
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
    """Give refunds, amounts with and without the currency in both spellings, text, other rescued fields, and NULL."""
    rescued = (
        ("1.50", None), (None, '{"amount":"12.50 EUR"}'), (None, '{"amount":"-12.50 EUR"}'), (None, '{"amount":"7"}'),
        (None, '{"Amount":24.0}'), (None, '{"Amount":"-3.25 EUR"}'), (None, '{"amount":"free"}'), (None, None),
        ("2.25", '{"seats":"two"}'), ("0.00", '{"amount_note":"9.99"}'), (None, '{"seats":"two","Amount":0.05}'),
    )  # fmt: skip
    buyers = (None, '{"country":"SE","post_code":"5735"}', '{"post_code":"1005"}', '{"country":null}')
    rows = [
        _row(number, "a.json", amount, text, "web" if number % 2 else None, buyers[number % 4])
        for number, (amount, text) in enumerate(rescued)
    ]
    sandbox.append("sales", rows, _TABLE)


def _sales_view_made(sandbox: Sandbox) -> DataFrame:
    """Return the rows of the view, which is computed only now: a cast may fail."""
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

COLUMNS = Exercise(
    id="08L.3",
    title="Back into columns",
    starter=COLUMNS_STARTER,
    hints=(
        "`coalesce(amount, ...)`: the column's own value first, then the rescued one. `get_json_object` reads a "
        "rescued field by its name, in exactly the case in which it was sent.",
        "There are two rescued spellings, so there is a second `coalesce` inside. `replace(..., ' EUR', '')` removes "
        "the currency, and `try_cast(... AS DECIMAL(8, 2))` makes a number of the rest.",
        "`buyer` is the text of a JSON object: `get_json_object(buyer, '$.country')`.",
    ),
    solution=COLUMNS_SOLUTION,
    why=(
        "Nothing has to be delivered or read again: the rescued data has the values, under the names with which they "
        "came. The view leaves `sales` as it arrived, and tomorrow's rows pass through it as well. `try_cast` makes "
        "NULL of what is no number, where `CAST` would fail the query."
    ),
    check=check_columns,
    hidden=(
        HiddenTest(
            _amounts,
            (_sales_view_made,),
            says="Your cell was run on another table: refunds, text that is no number, two rescued fields in a row.",
        ),
    ),
    wrong=(
        WrongAnswer(COLUMNS_SOLUTION.replace("), ' EUR', '')", "), '', '')"), "they end in ` EUR`"),
        WrongAnswer(
            COLUMNS_SOLUTION.replace(", get_json_object(_rescued_data, '$.Amount')", ""),
            "the field was spelled `Amount`",
        ),
        WrongAnswer(COLUMNS_SOLUTION.replace("FROM sales\n", "FROM sales WHERE amount IS NOT NULL\n"), "every row"),
        WrongAnswer(COLUMNS_SOLUTION.replace("AS DECIMAL(8, 2)", "AS DOUBLE"), "has the type double"),
        WrongAnswer(
            COLUMNS_SOLUTION.replace("CAST(sold_at AS TIMESTAMP) AS sold_at", "sold_at"), "has the type string"
        ),
        WrongAnswer(COLUMNS_SOLUTION.replace("try_cast(", "CAST("), "Which cast gives NULL"),
        WrongAnswer(COLUMNS_SOLUTION.replace("get_json_object(buyer, '$.country')", "buyer"), "`sales_vw`"),
    ),
    makes=Makes(views=("sales_vw",)),
)

# --------------------------------------------------------------------------------------------------- 08L.4 the books

BOOKS_STARTER = """
%sql
DROP VIEW IF EXISTS books_vw;
-- CREATE TEMP VIEW books_vw AS
-- SELECT file, sent, arrived, set_aside, missing ...
"""

BOOKS_SOLUTION = """
%sql
DROP VIEW IF EXISTS books_vw;
CREATE TEMP VIEW books_vw AS
SELECT control_vw.file, records AS sent, coalesce(arrived, 0) AS arrived, coalesce(set_aside, 0) AS set_aside,
       control_vw.amount - coalesce(received.amount, 0) AS missing
FROM control_vw
LEFT JOIN (SELECT file, count(*) AS arrived, sum(amount) AS amount FROM sales_vw GROUP BY file) AS received
    ON received.file = control_vw.file
LEFT JOIN (SELECT file, count(*) AS set_aside FROM set_aside_vw GROUP BY file) AS unread
    ON unread.file = control_vw.file
"""


def check_books(attempt: Attempt) -> None:
    """Compare with the partner's totals and the files; name the join that multiplies and the one that loses nights."""
    made, landed = attempt.view("books_vw"), _with_all_nights(attempt)
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
    """Return the view with an amount of two digits after the point, whatever the sum's type."""
    made = sandbox.rows("books_vw")
    if "missing" in made.columns:
        made = made.withColumn("missing", made.missing.cast("decimal(12,2)"))
    return made


_books_made.__name__ = "books_vw"


def _other_books(sandbox: Sandbox) -> None:
    """Give nights: of which nothing arrived, all was set aside, too much arrived, several lines were set aside."""
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


BOOKS = Exercise(
    id="08L.4",
    title="The books",
    starter=BOOKS_STARTER,
    hints=(
        "Three sources with one key, `file`. Only `control_vw` has a row for each night that must be in the result.",
        "Count the sales by file in one subquery and the set-aside lines by file in another, and join both to "
        "`control_vw`. If you join rows with rows, each sale is counted once per line.",
        "`LEFT JOIN` keeps a night without partners; `coalesce(..., 0)` makes 0 of its NULLs.",
    ),
    solution=BOOKS_SOLUTION,
    why=(
        "The partner's total is the only number that does not come from your own job, so it is the one to compare "
        "with. A night is explained if what arrived and what was set aside make what was sent. What is missing in "
        "euros is then in the lines that were set aside, and you know which ones to ask for."
    ),
    check=check_books,
    hidden=(
        HiddenTest(
            _other_books,
            (_books_made,),
            says="Your cell was run on other books: nights of which nothing, too little or too much has arrived.",
        ),
    ),
    wrong=(
        WrongAnswer(BOOKS_SOLUTION.replace("LEFT JOIN", "JOIN"), "which join keeps it"),
        WrongAnswer(BOOKS_SOLUTION.replace("coalesce(set_aside, 0)", "set_aside"), "use `coalesce`"),
        WrongAnswer(
            """
%sql
DROP VIEW IF EXISTS books_vw;
CREATE TEMP VIEW books_vw AS
SELECT control_vw.file, any_value(records) AS sent, count(sale_id) AS arrived, count(DISTINCT record) AS set_aside,
       any_value(control_vw.amount) - coalesce(sum(sales_vw.amount), 0) AS missing
FROM control_vw
LEFT JOIN sales_vw ON sales_vw.file = control_vw.file
LEFT JOIN set_aside_vw ON set_aside_vw.file = control_vw.file
GROUP BY control_vw.file
""",
            "paired each sale",
        ),
        WrongAnswer(
            BOOKS_SOLUTION.replace("control_vw.amount - coalesce(received.amount, 0)", "records - arrived"),
            "`books_vw`",
        ),
        WrongAnswer(BOOKS_SOLUTION.replace("coalesce(received.amount, 0)", "received.amount"), "other books"),
    ),
    makes=Makes(views=("books_vw",)),
)

# ----------------------------------------------------------------------------------------- 08L.5 two other readers

READERS_STARTER = """
DA.exercise("08L.5")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

CONTRACT = "sale_id STRING, play STRING, seats INT, amount DECIMAL(8, 2), sold_at STRING"

board = None  # the stream into the table board
ledger = None  # the stream into the table ledger

for query in filter(None, (board, ledger)):
    try:
        query.awaitTermination(60)
    except StreamingQueryException as error:
        print(str(error).splitlines()[0])
"""

READERS_SOLUTION = READERS_STARTER.replace(
    """board = None  # the stream into the table board
ledger = None  # the stream into the table ledger
""",
    """
def start(name, mode):
    return (spark.readStream
        .format("cloudFiles")
        .option("cloudFiles.format", "json")
        .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/{name}")
        .option("cloudFiles.schemaEvolutionMode", mode)
        .option("cloudFiles.maxFilesPerTrigger", 1)
        .option("rescuedDataColumn", "_rescued_data")
        .schema(CONTRACT)
        .load(DA.paths.landing)
        .writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/{name}")
        .trigger(availableNow=True)
        .toTable(name))


board = start("board", "rescue")
ledger = start("ledger", "failOnNewColumns")
""",
)


def check_readers(attempt: Attempt) -> None:
    """Ask the board for every value and the ledger for the nights before the first new field, each by its own rule."""
    board = attempt.stream("board")
    ledger = attempt.stream("ledger")
    landed = _with_all_nights(attempt)
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
    attempt.compare(_rescued_text(booked), _board(attempt, [sale for sale in landed if sale.file < _CHANNEL]), "ledger")


def _must_keep_every_value(attempt: Attempt, made: DataFrame, landed: list[Sale]) -> None:
    _must_have_rescued(made, "board")
    surplus = sorted(set(made.columns) - {*_CONTRACT, "_rescued_data"})
    if surplus:
        raise Mistake(f"`board` has the column `{surplus[0]}`: its columns are the contract's and `_rescued_data`.")
    right = _board(attempt, [sale for sale in landed if sale.fields is not None])
    attempt.compare(_rescued_text(made.where("sale_id IS NOT NULL")), right, "board")


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
        contract = [amount if name == "amount" else fits.get(name) for name in _CONTRACT]
        rows.append((*contract, _rescued_of(sale, also=sale.new)))
    columns = [*(f"{name} {kind}" for name, kind in _TYPES.items()), "_rescued_data STRING"]
    return attempt.spark.createDataFrame(rows, ", ".join(columns))


def _board_made(sandbox: Sandbox) -> DataFrame:
    return _rescued_text(sandbox.rows("board")) if _rescues(sandbox, "board") else sandbox.rows("board")


def _ledger_made(sandbox: Sandbox) -> DataFrame:
    return _rescued_text(sandbox.rows("ledger")) if _rescues(sandbox, "ledger") else sandbox.rows("ledger")


_board_made.__name__, _ledger_made.__name__ = "board", "ledger"


def _rescues(sandbox: Sandbox, table: str) -> bool:
    return "_rescued_data" in sandbox.rows(table).columns


def _drifting_nights(sandbox: Sandbox) -> None:
    """Give a quiet night, one with another type and spelling, a quiet one, and one with a new field."""
    _quiet_night(sandbox)
    rows = [_sold(4, amount="12.50 EUR"), _sold(6, seats=None, Seats=3), _sold(7)]
    sandbox.file("2024-03-06.json", rows)
    sandbox.file("2024-03-07.json", [_sold(12)])
    sandbox.file("2024-03-08.json", [_sold(13), _sold(14, place={"row": 7})])


def _one_more_night(sandbox: Sandbox) -> None:
    """Land an amount that is no number and a second new field: the board takes both, the ledger books neither."""
    sandbox.file("2024-03-09.json", [_sold(15, amount="free"), _sold(16, agent="N. Brandt")])


READERS = Exercise(
    id="08L.5",
    title="Two other readers",
    starter=READERS_STARTER,
    hints=(
        "Both are the program of lesson 08 with `.schema(CONTRACT)` and a `cloudFiles.schemaEvolutionMode`. Which mode "
        "never stops and drops nothing? Which one ingests nothing until somebody decides?",
        'With a schema of your own there are rescued data only if you ask: `.option("rescuedDataColumn", '
        '"_rescued_data")`. A value of another type is no new column, so the ledger needs it as well.',
        "The ledger books a night as a whole: `cloudFiles.maxFilesPerTrigger` is 1. Do not restart it in a loop: "
        "it is to stop.",
    ),
    solution=READERS_SOLUTION,
    why=(
        "`rescue` never fails and never evolves: the board has the contract's columns, and the rest as text. "
        "`failOnNewColumns` stops at the first night that nobody has agreed to, and a restart does not help. The night "
        "is not lost: its file waits, and is booked when the contract has the field. Neither is better than the mode "
        "of your nightly job: each answers who decides about a new field."
    ),
    check=check_readers,
    hidden=(
        HiddenTest(
            _drifting_nights,
            (_board_made, _ledger_made),
            later=(planted.crash_before_commit, _one_more_night),
            may_fail=("ledger", "query"),
            says="Your cell was run on other nights: the new field comes in the fourth.",
        ),
    ),
    wrong=(
        WrongAnswer(READERS_SOLUTION.replace('"board", "rescue"', '"board", "failOnNewColumns"'), "is dark"),
        WrongAnswer(READERS_SOLUTION.replace('"ledger", "failOnNewColumns"', '"ledger", "rescue"'), "has not failed"),
        WrongAnswer(
            READERS_SOLUTION.replace('"board", "rescue"', '"board", "none"').replace(
                '        .option("rescuedDataColumn", "_rescued_data")\n', ""
            ),
            "`board` drops values",
        ),
        WrongAnswer(
            READERS_SOLUTION.replace('        .option("rescuedDataColumn", "_rescued_data")\n', ""), "drops values"
        ),
        WrongAnswer(
            READERS_SOLUTION.replace('        .option("cloudFiles.maxFilesPerTrigger", 1)\n', ""), "one file per batch"
        ),
        WrongAnswer(
            READERS_SOLUTION.replace(
                '"checkpointLocation", f"{DA.paths.checkpoints}/{name}"',
                '"checkpointLocation", f"{DA.paths.checkpoints}/{name}_stream"',
            ),
            "`board` was asked for",
        ),
        WrongAnswer(
            READERS_SOLUTION.replace('board = start("board", "rescue")', 'board = start("sales", "rescue")'),
            "belongs to another query",
        ),
    ),
    makes=Makes(
        variables=("board", "ledger"),
        tables=("board", "ledger"),
        folders=("checkpoints/board", "checkpoints/ledger", "checkpoints/board_stream", "checkpoints/ledger_stream"),
    ),
)

EXERCISES = (NIGHTLY, DRIFT, COLUMNS, BOOKS, READERS)
