"""Read the ticket sales of lab 08L without Spark, and compare them with the contract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from streaming_classroom.exercises import Attempt, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

#: What the first two nights have, by name, and which of Python's types fit.
CONTRACT = {"sale_id": (str,), "play": (str,), "seats": (int,), "amount": (int, float), "sold_at": (str,)}
TYPES = {"sale_id": "string", "play": "string", "seats": "int", "amount": "decimal(8,2)", "sold_at": "string"}


class Sale(NamedTuple):
    """A landed line: its fields, or None if it is not JSON."""

    file: str
    fields: dict[str, object] | None

    @property
    def fitting(self) -> dict[str, object]:
        """The fields of the contract that have its name and type."""
        return {name: value for name, value in (self.fields or {}).items() if fits_contract(name, value)}

    @property
    def rescued(self) -> dict[str, object]:
        """The fields of the contract that have another spelling or type."""
        return {
            name: value
            for name, value in (self.fields or {}).items()
            if name.lower() in CONTRACT and not fits_contract(name, value)
        }

    @property
    def new(self) -> dict[str, object]:
        """The fields that are not in the contract."""
        return {name: value for name, value in (self.fields or {}).items() if name.lower() not in CONTRACT}

    @property
    def amount(self) -> Decimal:
        """The amount that was paid, from any spelling and type."""
        [value] = [value for name, value in (self.fields or {}).items() if name.lower() == "amount"]
        return Decimal(str(value).removesuffix(" EUR")).quantize(Decimal("0.01"))


def fits_contract(name: str, value: object) -> bool:
    """Whether a value has the type that the contract has for this name."""
    return isinstance(value, CONTRACT.get(name, ()))


def landed_sales(attempt: Attempt) -> list[Sale]:
    """Return the sales in the landing directory, read without Spark."""
    folder = attempt.paths.local(attempt.paths.landing)
    files = sorted(path for path in folder.iterdir() if path.suffix == ".json")
    return [Sale(path.name, fields) for path in files for fields in fields_in_file(path)]


def fields_in_file(path: Path) -> Iterator[dict[str, object] | None]:
    """Yield the fields of each line of a file; None for a line that is not JSON."""
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            yield None


def sales_of_all_nights(attempt: Attempt) -> list[Sale]:
    """Return the landed sales; raise a mistake if some of the ten nights have not landed."""
    landed = landed_sales(attempt)
    if len({sale.file for sale in landed}) < 10:
        raise Mistake("Some of the ten nights have not landed yet. Run the cell of section 3 first.")
    return landed


def json_text(value: object) -> str:
    """Return a value as Auto Loader writes it into the rescued data."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def rescued_text(frame: DataFrame) -> DataFrame:
    """Return the frame with its rescued data as text: fields with their values, sorted, without the path."""
    from pyspark.sql import functions as F

    fields = "map_entries(from_json(_rescued_data, 'map<string, string>'))"
    others = f"array_sort(filter({fields}, field -> field.key <> '_file_path'))"
    text = F.expr(f"array_join(transform({others}, field -> concat(field.key, '=', field.value)), ', ')")
    return frame.withColumn("_rescued_data", text)


def rescued_of(sale: Sale, *, also: dict[str, object] | None = None) -> str | None:
    """Return the rescued data of a sale as :func:`rescued_text` writes them; None if there are none."""
    rescued = sale.rescued | (also or {})
    return ", ".join(f"{name}={json_text(value)}" for name, value in sorted(rescued.items())) or None


def planted_sale(number: int, **changed: object) -> dict[str, object]:
    """Return a sale of another year; a change to None removes a field."""
    sale: dict[str, object] = {
        "sale_id": f"T{number}", "play": "The Tide", "seats": 2, "amount": 10.5 + number,
        "sold_at": "2024-03-05T18:00:00Z",
    }  # fmt: skip
    return {name: value for name, value in (sale | changed).items() if value is not None}


def land_quiet_night(sandbox: Sandbox) -> None:
    """Land three sales that fit the contract: an amount above 0, one of 0, and a refund."""
    sandbox.file("2024-03-05.json", [planted_sale(1), planted_sale(2, amount=0), planted_sale(3, amount=-31.25)])


TABLE_SCHEMA = (
    "file STRING, sale_id STRING, play STRING, seats INT, amount DECIMAL(8, 2), sold_at STRING, channel STRING, "
    "buyer STRING, _rescued_data STRING"
)


def table_row(
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
