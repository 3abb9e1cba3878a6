"""The generated datasets are what their cards in datasets/README.md say they are."""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import combinations, pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

DATASETS = Path(__file__).resolve().parents[2] / "datasets"
MODULES = {
    "device-readings": "device_readings",
    "activity": "activity",
    "retail": "retail",
    "bank": "bank",
    "wikipedia": "wikipedia",
    "river": "river",
    "parcels": "parcels",
    "partner": "partner",
    "loyalty": "loyalty",
    "bakery": "bakery",
    "night-watch": "night_watch",
}
PARTS = [
    ("device-readings", "readings"),
    ("device-readings", "patients.json"),
    ("activity", "activity-data"),
    ("activity", "activity-data-stream.json"),
    ("retail", "customers.csv"),
    ("retail", "customer-changes"),
    ("retail", "orders"),
    ("retail", "orders-repaired.json"),
    ("retail", "order-statuses"),
    ("retail", "clickstream"),
    ("bank", "cards.csv"),
    ("bank", "transactions"),
    ("wikipedia", "edits"),
    ("river", "levels"),
    ("river", "stations.json"),
    ("parcels", "deliveries"),
    ("parcels", "depots.csv"),
    ("partner", "sales"),
    ("partner", "control.json"),
    ("loyalty", "changes"),
    ("bakery", "heartbeats"),
    ("night-watch", "reports"),
]
ITEMS = "ARRAY<STRUCT<sku: STRING, quantity: INT, price: DOUBLE>>"
PYTHON_TYPES = {"INT": int, "LONG": int, "DOUBLE": float, "STRING": str, "TIMESTAMP": str, "ITEMS": list}
PYTHON_TYPES |= {"MAP<STRING,STRING>": dict, "DATE": str, "BUYER": dict}
PYTHON_TYPES |= {"MAP<STRING,LONG>": dict, "OPERATORS": list, "SOURCES": list}
BUYER = "STRUCT<country: STRING, post_code: STRING>"
OPERATORS = "ARRAY<STRUCT<operatorName: STRING, numRowsTotal: LONG>>"
SOURCES = "ARRAY<STRUCT<description: STRING, metrics: MAP<STRING, STRING>>>"
MAY_BE_NULL = {
    ("retail", "customer-changes"): {"name", "email", "country", "city", "segment"},
    ("retail", "orders"): {"customer_id"},
    ("retail", "clickstream"): {"customer_id"},
    ("wikipedia", "edits"): {"value"},
    ("river", "levels"): {"level", "battery"},
    ("parcels", "deliveries"): {"delivered_at", "fee"},
    ("loyalty", "changes"): {"name", "email", "city"},
}
MAY_BE_ABSENT = {
    ("retail", "orders"): {"coupon"},
    ("retail", "orders-repaired.json"): {"coupon"},
    ("partner", "sales"): {"channel", "buyer"},
    ("loyalty", "changes"): {"name", "email", "city"},
}
HAS_UNREADABLE_LINES = {("retail", "orders"), ("parcels", "deliveries"), ("partner", "sales")}
SECOND = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"

Row = dict[str, object]


def load(dataset: str) -> ModuleType:
    """Import a generator by its path, as the classroom does."""
    path = DATASETS / f"{MODULES[dataset]}.py"
    spec = importlib.util.spec_from_file_location(f"generator_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tree_checksum(root: Path) -> str:
    """Return the SHA-256 over relative path, NUL and bytes of each file below `root`, sorted by path."""
    digest = hashlib.sha256()
    files = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    for name in sorted(files):
        digest.update(name.encode("utf-8") + b"\0" + files[name].read_bytes())
    return digest.hexdigest()


def files_of(part: Path) -> list[Path]:
    """Return the files of a part: itself, or what is below it, in order."""
    return sorted(path for path in part.rglob("*") if path.is_file()) if part.is_dir() else [part]


def lines_of(path: Path) -> list[str]:
    """Return the lines of one file, without the header that CSV has."""
    return path.read_text(encoding="utf-8").splitlines()[int(path.suffix == ".csv") :]


def rows_of(path: Path) -> list[Row]:
    """Return the rows of one file of JSON lines or CSV."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            return [{name: int(v) if v.isdigit() else v for name, v in row.items()} for row in csv.DictReader(file)]
    return [json.loads(line) for line in lines_of(path)]


def readable(line: str) -> bool:
    """Say whether a line is JSON."""
    try:
        json.loads(line)
    except json.JSONDecodeError:
        return False
    return True


def as_agreed(sale: Row) -> Row:
    """Return a sale of the partner's as its first nights have it: the amount with its name, and a number."""
    row = {"amount" if name == "Amount" else name: value for name, value in sale.items()}
    return row | {"amount": float(str(row["amount"]).removesuffix(" EUR"))}


def moment(text: str) -> datetime:
    """Return a time that is written as ISO 8601 in UTC, whole seconds."""
    assert re.fullmatch(SECOND, text)
    return datetime.fromisoformat(text)


def card(dataset: str) -> str:
    """Return the section of the README that describes a dataset."""
    text = (DATASETS / "README.md").read_text(encoding="utf-8")
    match = re.search(rf"^## `{dataset}`$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert match, f"datasets/README.md has no card for {dataset}"
    return match[1]


def tables(text: str, first_heading: str) -> Iterator[dict[str, list[str]]]:
    """Yield every table whose first column has this heading, as first cell → the other cells."""
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        head, _, *body = ([cell.strip(" `") for cell in line[1:-1].split("|")] for line in block.splitlines())
        if head[0] == first_heading:
            yield {first: rest for first, *rest in body}


def number(cell: str) -> int:
    """Return the number in a cell."""
    return int(cell.replace(",", ""))


def imperfection(dataset: str, name: str) -> int:
    """Return how many rows the card says have a planned imperfection."""
    return number(next(tables(card(dataset), "planned imperfection"))[name][0])


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every dataset, generated once, in folders whose names are not plain ASCII."""
    folders = {name: tmp_path_factory.mktemp("Ordner mit Lücken é 数据") / name for name in MODULES}
    for name, folder in folders.items():
        folder.mkdir()
        load(name).generate(folder)
    return folders


@pytest.fixture(scope="module")
def readings(generated: dict[str, Path]) -> dict[str, list[Row]]:
    """The heart rates, by day."""
    return {path.stem: rows_of(path) for path in files_of(generated["device-readings"] / "readings")}


@pytest.fixture(scope="module")
def activity(generated: dict[str, Path]) -> list[list[Row]]:
    """The samples with numeric times, by file."""
    return [rows_of(path) for path in files_of(generated["activity"] / "activity-data")]


@pytest.mark.parametrize("dataset", MODULES)
def test_the_same_seed_gives_the_same_bytes(dataset: str, generated: dict[str, Path], tmp_path: Path) -> None:
    load(dataset).generate(tmp_path)
    assert tree_checksum(tmp_path) == tree_checksum(generated[dataset])


@pytest.mark.parametrize("dataset", MODULES)
def test_another_seed_gives_other_bytes(dataset: str, generated: dict[str, Path], tmp_path: Path) -> None:
    module = load(dataset)
    module.SEED += 1
    module.generate(tmp_path)
    assert tree_checksum(tmp_path) != tree_checksum(generated[dataset])


@pytest.mark.parametrize("dataset", MODULES)
def test_the_card_has_the_checksum_and_the_seed(dataset: str, generated: dict[str, Path]) -> None:
    facts = next(tables(card(dataset), ""))
    assert facts["checksum"] == [tree_checksum(generated[dataset])]
    assert facts["generator"][0].endswith(f"seed {load(dataset).SEED}")


@pytest.mark.parametrize("dataset", MODULES)
def test_nothing_but_the_parts_on_the_card_is_generated(dataset: str, generated: dict[str, Path]) -> None:
    on_card = set(next(tables(card(dataset), "part")))
    assert {path.name for path in generated[dataset].iterdir()} == on_card
    assert on_card == {part for name, part in PARTS if name == dataset}


@pytest.mark.parametrize(("dataset", "part"), PARTS)
def test_files_rows_and_bytes_are_those_of_the_card_and_the_module(
    dataset: str, part: str, generated: dict[str, Path]
) -> None:
    files = files_of(generated[dataset] / part)
    size = [len(files), sum(len(lines_of(f)) for f in files), sum(f.stat().st_size for f in files)]
    assert [number(cell) for cell in next(tables(card(dataset), "part"))[part]] == size
    assert [load(dataset).FILES[part], load(dataset).ROWS[part]] == size[:2]


@pytest.mark.parametrize(("dataset", "part"), PARTS)
def test_every_row_has_the_fields_and_types_of_the_module(dataset: str, part: str, generated: dict[str, Path]) -> None:
    fields = load(dataset).FIELDS[part].replace(ITEMS, "ITEMS").replace(BUYER, "BUYER")
    fields = fields.replace(OPERATORS, "OPERATORS").replace(SOURCES, "SOURCES")
    schema = dict(field.split() for field in fields.split(", "))
    nullable, optional = MAY_BE_NULL.get((dataset, part), set()), MAY_BE_ABSENT.get((dataset, part), set())
    for path in files_of(generated[dataset] / part):
        lines = [line for line in lines_of(path) if readable(line)]
        rows = map(json.loads, lines) if (dataset, part) in HAS_UNREADABLE_LINES else rows_of(path)
        for row in map(as_agreed, rows) if dataset == "partner" else rows:
            assert list(row) == [name for name in schema if name in row or name not in optional]
            for name, value in row.items():
                assert type(value) is PYTHON_TYPES[schema[name]] or (value is None and name in nullable)


@pytest.mark.parametrize("dataset", MODULES)
def test_the_card_lists_the_fields_of_each_part_in_order(dataset: str) -> None:
    on_card = [
        ", ".join(f"{name} {cells[0]}" for name, cells in table.items()) for table in tables(card(dataset), "field")
    ]
    assert on_card == list(load(dataset).FIELDS.values())


@pytest.mark.parametrize(("dataset", "part"), PARTS)
def test_the_card_shows_the_first_row(dataset: str, part: str, generated: dict[str, Path]) -> None:
    path = files_of(generated[dataset] / part)[0]
    lines = path.read_text(encoding="utf-8").splitlines()
    # Of CSV, that is the second line, below the header.
    first = "\n".join(lines[:2] if path.suffix == ".csv" else lines[:1])
    assert f"```{path.suffix[1:]}\n{first}\n```" in card(dataset)


@pytest.mark.parametrize("dataset", MODULES)
def test_lines_end_the_same_way_on_every_system(dataset: str, generated: dict[str, Path]) -> None:
    for path in files_of(generated[dataset]):
        assert path.read_bytes().endswith(b"\n")
        assert b"\r" not in path.read_bytes()
        assert b"\n\n" not in path.read_bytes()


def test_readings_are_ordered_and_lie_within_the_day_of_their_file(readings: dict[str, list[Row]]) -> None:
    assert readings
    for day, rows in readings.items():
        times = [row["time"] for row in rows]
        assert times == sorted(set(times))
        assert {datetime.fromtimestamp(time, UTC).date().isoformat() for time in times} == {day}


def test_a_device_keeps_its_patient_and_every_patient_is_in_the_dimension(
    readings: dict[str, list[Row]], generated: dict[str, Path]
) -> None:
    pairs = {(row["device_id"], row["mrn"]) for rows in readings.values() for row in rows}
    patients = [row["mrn"] for row in rows_of(generated["device-readings"] / "patients.json")]
    assert sorted(device for device, _ in pairs) == list(range(1, 13))
    assert sorted(mrn for _, mrn in pairs) == patients
    assert min(patients) > 2**31


def test_some_patient_names_have_letters_beyond_ascii(generated: dict[str, Path]) -> None:
    names = [row["name"] for row in rows_of(generated["device-readings"] / "patients.json")]
    assert len(set(names)) == 12
    assert 4 <= sum(not name.isascii() for name in names) < 12


def test_devices_differ_in_readings_as_on_the_card(readings: dict[str, list[Row]]) -> None:
    rows = [row for rows in readings.values() for row in rows]
    counts = Counter(row["device_id"] for row in rows)
    negative = Counter(row["device_id"] for row in rows if row["heartrate"] < 0)
    on_card = next(tables(card("device-readings"), "device"))
    assert {int(n): [number(c) for c in cells] for n, cells in on_card.items()} == {
        n: [counts[n], negative[n]] for n in counts
    }
    assert len(set(counts.values())) == len(counts)


def test_planned_readings_are_negative_or_missing_and_all_others_plausible(
    readings: dict[str, list[Row]],
) -> None:
    rates = np.array([row["heartrate"] for rows in readings.values() for row in rows])
    assert (rates < 0).sum() == imperfection("device-readings", "negative heart rate")
    assert 12 * 96 * 30 - rates.size == imperfection("device-readings", "missing reading")
    assert ((rates >= -120) & (rates <= -1) | (rates >= 40) & (rates <= 150)).all()


def test_hearts_beat_slower_at_night(readings: dict[str, list[Row]]) -> None:
    rows = [row for rows in readings.values() for row in rows if row["heartrate"] > 0]
    for device in range(1, 13):
        mine = [(row["time"] % 86400 / 3600, row["heartrate"]) for row in rows if row["device_id"] == device]
        asleep = np.median([rate for hour, rate in mine if hour < 6])
        awake = np.median([rate for hour, rate in mine if 9 <= hour < 20])
        assert awake - asleep > 8


def test_activity_counts_are_those_of_the_card(activity: list[list[Row]]) -> None:
    counts = Counter(row["gt"] for rows in activity for row in rows)
    on_card = next(tables(card("activity"), "gt"))
    assert {gt: number(cells[0]) for gt, cells in on_card.items()} == counts
    assert counts["null"] == imperfection("activity", "labelled null")


def test_every_activity_and_user_is_in_every_file(activity: list[list[Row]]) -> None:
    for rows in activity:
        assert len(rows) == 3000
        assert {row["gt"] for row in rows} == set(load("activity").ACTIVITIES)
        assert {row["User"] for row in rows} == set("abcdefghi")


def test_rows_arrive_in_order_shortly_after_creation_but_for_the_late_ones(
    activity: list[list[Row]],
) -> None:
    rows = [row for rows in activity for row in rows]
    arrived = np.array([row["Arrival_Time"] for row in rows])
    created = np.array([row["Creation_Time"] for row in rows])
    delay = arrived - created // 10**6
    late = delay > 60_000
    assert (np.diff(arrived) >= 0).all()
    assert late.sum() == imperfection("activity", "late")
    assert ((delay[late] >= 45 * 60_000) & (delay[late] <= 75 * 60_000)).all()
    assert ((delay[~late] >= 20) & (delay[~late] <= 400)).all()
    behind = created[~late] < np.maximum.accumulate(created[~late])
    assert behind.sum() == imperfection("activity", "slightly out of order")


def test_late_rows_are_half_an_hour_behind_the_files_before(activity: list[list[Row]]) -> None:
    newest, late = 0, 0
    for rows in activity:
        late += sum(row["Creation_Time"] < newest - 30 * 60 * 10**9 for row in rows)
        newest = max(newest, *(row["Creation_Time"] for row in rows))
    assert late == imperfection("activity", "late")


def test_device_and_index_identify_a_sample_and_model_follows_from_device(
    activity: list[list[Row]],
) -> None:
    rows = sorted((row for rows in activity for row in rows), key=lambda row: row["Creation_Time"])
    seen: Counter[object] = Counter()
    for row in rows:
        assert row["Index"] == seen[row["Device"]]
        assert row["Model"] == row["Device"].rpartition("_")[0]
        seen[row["Device"]] += 1


def test_both_forms_hold_the_same_samples(activity: list[list[Row]], generated: dict[str, Path]) -> None:
    files = files_of(generated["activity"] / "activity-data-stream.json")
    for numeric, path in zip(activity, files, strict=True):
        for left, right in zip(numeric, rows_of(path), strict=True):
            recorded = datetime.fromisoformat(right.pop("Recorded_At"))
            milliseconds = round(recorded.timestamp() * 1000)
            assert milliseconds == left["Creation_Time"] // 10**6
            assert right == {name: left[name] for name in right}


def test_activities_can_be_told_apart_by_how_they_shake(activity: list[list[Row]]) -> None:
    sizes: dict[str, list[float]] = {}
    for row in (row for rows in activity for row in rows):
        size = (row["x"] ** 2 + row["y"] ** 2 + row["z"] ** 2) ** 0.5
        sizes.setdefault(row["gt"], []).append(size)
    shake = {gt: float(np.std(values)) for gt, values in sizes.items()}
    assert all(9.5 < np.mean(values) < 10.2 for values in sizes.values())
    assert shake["walk"] > 20 * shake["sit"]
    order = ["sit", "stand", "null", "bike", "stairsup", "walk", "stairsdown"]
    assert sorted(shake, key=shake.__getitem__) == order


@pytest.mark.parametrize(("gt", "low", "high"), [("walk", 1.6, 2.2), ("stairsup", 1.2, 1.8)])
def test_steps_come_at_a_human_pace(gt: str, low: float, high: float, activity: list[list[Row]]) -> None:
    bursts: dict[tuple[object, int], list[Row]] = {}
    for row in (row for rows in activity for row in rows if row["gt"] == gt):
        bursts.setdefault((row["Device"], row["Index"] // 50), []).append(row)
    spectrum = 0.0
    for rows in bursts.values():
        rows.sort(key=lambda row: row["Index"])
        size = np.array([(row["x"] ** 2 + row["y"] ** 2 + row["z"] ** 2) ** 0.5 for row in rows])
        spectrum = spectrum + np.abs(np.fft.rfft(size - size.mean()))
    assert low <= np.fft.rfftfreq(50, 1 / 20)[np.argmax(spectrum)] <= high


DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
FIRST_DAY = datetime(2025, 3, 3, tzinfo=UTC)


@pytest.fixture(scope="module")
def shop(generated: dict[str, Path]) -> Path:
    """The folder of the retail dataset."""
    return generated["retail"]


@pytest.fixture(scope="module")
def deliveries(shop: Path) -> list[tuple[str, Row]]:
    """The change events in the order of their delivery, each with the day of its file."""
    return [(path.stem, row) for path in files_of(shop / "customer-changes") for row in rows_of(path)]


@pytest.fixture(scope="module")
def changes(deliveries: list[tuple[str, Row]]) -> list[Row]:
    """Every change once, in the order in which they happened."""
    unique = {row["sequence"]: row for _, row in deliveries}
    return [unique[sequence] for sequence in sorted(unique)]


@pytest.fixture(scope="module")
def members(shop: Path, changes: list[Row]) -> dict[int, list[datetime]]:
    """From when until when each person is a customer."""
    ids = [row["customer_id"] for row in rows_of(shop / "customers.csv")]
    members = {customer_id: [FIRST_DAY, FIRST_DAY + 10 * DAY] for customer_id in ids}
    for row in changes:
        if row["operation"] == "INSERT":
            assert row["customer_id"] not in members
            members[row["customer_id"]] = [moment(row["changed_at"]), FIRST_DAY + 10 * DAY]
        elif row["operation"] == "DELETE":
            members[row["customer_id"]][1] = moment(row["changed_at"])
    return members


@pytest.fixture(scope="module")
def order_lines(shop: Path) -> list[tuple[str, str]]:
    """The lines of the orders, each with the day of its file."""
    return [(path.stem, line) for path in files_of(shop / "orders") for line in lines_of(path)]


@pytest.fixture(scope="module")
def kinds(order_lines: list[tuple[str, str]], members: dict[int, list[datetime]]) -> dict[int, str]:
    """What is wrong with each order, or "good"."""
    return {int(line[12:18]): order_kind(line, members) for _, line in order_lines}


@pytest.fixture(scope="module")
def good_orders(order_lines: list[tuple[str, str]], kinds: dict[int, str]) -> dict[int, Row]:
    """The orders with nothing wrong, by number."""
    rows = [json.loads(line) for _, line in order_lines if readable(line)]
    return {row["order_id"]: row for row in rows if kinds[row["order_id"]] == "good"}


def order_kind(line: str, members: dict[int, list[datetime]]) -> str:
    """Return what is wrong with an order: one thing, or nothing."""
    if not readable(line):
        return "unreadable"
    row = json.loads(line)
    wrong = {
        "bad time": not re.fullmatch(SECOND, row["ordered_at"]),
        "bad quantity": any(item["quantity"] < 1 for item in row["items"]),
        "no customer": row["customer_id"] is None,
        "unknown customer": row["customer_id"] is not None and row["customer_id"] not in members,
    }
    assert sum(wrong.values()) < 2
    return next((kind for kind, is_so in wrong.items() if is_so), "good")


def test_the_snapshot_was_taken_before_the_first_day_and_some_names_need_quotation_marks(shop: Path) -> None:
    rows = rows_of(shop / "customers.csv")
    assert [row["customer_id"] for row in rows] == list(range(1001, 1151))
    assert all(moment(row["updated_at"]) < FIRST_DAY for row in rows)
    assert sum("," in row["name"] for row in rows) == imperfection("retail", "name with comma")
    assert sum(line.count('"') == 2 for line in lines_of(shop / "customers.csv")) == 7
    assert 50 < sum(not row["name"].isascii() for row in rows) < 150
    assert all(re.fullmatch(r"[a-z]+\.[a-z]+@example\.(com|net|org)", row["email"]) for row in rows)
    assert {row["segment"] for row in rows} == {"consumer", "business"}
    assert len({row["country"] for row in rows}) == 6
    assert len({row["email"].partition("@")[0] for row in rows}) == 150


def test_sequences_are_in_the_order_of_the_changes(changes: list[Row]) -> None:
    assert [row["sequence"] for row in changes] == list(range(80_001, 80_247))
    times = [moment(row["changed_at"]) for row in changes]
    assert times == sorted(set(times))
    assert times[0] > FIRST_DAY and times[-1] < FIRST_DAY + 10 * DAY


def test_every_change_changes_something_and_what_is_deleted_stays_so(shop: Path, changes: list[Row]) -> None:
    columns = ("customer_id", "name", "email", "country", "city", "segment")
    current = {row["customer_id"]: [row[name] for name in columns] for row in rows_of(shop / "customers.csv")}
    gone = set()
    for row in changes:
        after, before = [row[name] for name in columns], current.pop(row["customer_id"], None)
        assert row["customer_id"] not in gone
        assert (before is None) == (row["operation"] == "INSERT")
        if row["operation"] == "DELETE":
            assert after[1:] == [None] * 5
            gone.add(row["customer_id"])
        else:
            assert after != before and None not in after
            current[row["customer_id"]] = after
    assert Counter(row["operation"] for row in changes) == {"UPDATE": 190, "INSERT": 50, "DELETE": 6}


def test_several_customers_change_on_different_days(changes: list[Row]) -> None:
    days: dict[object, set[str]] = {}
    for row in changes:
        days.setdefault(row["customer_id"], set()).add(row["changed_at"][:10])
    assert sum(len(of_one) > 1 for of_one in days.values()) > 30


def test_planned_changes_are_repeated_half_of_them_in_the_same_file(deliveries: list[tuple[str, Row]]) -> None:
    files: dict[object, list[str]] = {}
    for day, row in deliveries:
        assert row in [other for _, other in deliveries if other["sequence"] == row["sequence"]]
        files.setdefault(row["sequence"], []).append(day)
    repeated = [days for days in files.values() if len(days) > 1]
    assert [len(days) for days in repeated] == [2] * imperfection("retail", "repeated")
    assert sum(first == second for first, second in repeated) == len(repeated) / 2
    texts = {json.dumps(row) for _, row in deliveries}
    assert len(texts) == len(files)


def test_planned_changes_are_overtaken_and_all_others_delivered_on_their_day(
    deliveries: list[tuple[str, Row]],
) -> None:
    first = {row["sequence"]: (day, row) for day, row in reversed(deliveries)}
    overtaken = []
    for day, row in first.values():
        newer = [
            other["operation"]
            for earlier, other in first.values()
            if (other["customer_id"], True) == (row["customer_id"], other["sequence"] > row["sequence"])
            and earlier < day
        ]
        assert bool(newer) == (day != row["changed_at"][:10])
        overtaken += [(row["operation"], newer)] if newer else []
    assert len(overtaken) == imperfection("retail", "out of order")
    assert {operation for operation, _ in overtaken} == {"UPDATE"}
    assert sum("DELETE" in newer for _, newer in overtaken) == imperfection("retail", "update after delete")


def test_within_a_file_changes_are_in_order_but_for_those_delivered_again_or_late(
    deliveries: list[tuple[str, Row]],
) -> None:
    seen: set[object] = set()
    last: dict[str, int] = {}
    for day, row in deliveries:
        if row["sequence"] not in seen and row["changed_at"][:10] == day:
            assert row["sequence"] > last.get(day, 0)
            last[day] = row["sequence"]
        seen.add(row["sequence"])


def test_the_last_delivery_is_not_always_the_right_answer(
    deliveries: list[tuple[str, Row]], changes: list[Row]
) -> None:
    right = {row["customer_id"]: row for row in changes}
    naive = {row["customer_id"]: row for _, row in deliveries}
    assert sum(naive[key] != right[key] for key in right) == imperfection("retail", "out of order")


@pytest.mark.parametrize("kind", ["unreadable", "bad quantity", "no customer", "unknown customer", "bad time"])
def test_planned_orders_are_bad(kind: str, kinds: dict[int, str]) -> None:
    assert Counter(kinds.values())[kind] == imperfection("retail", kind)
    assert 8 <= imperfection("retail", kind) <= 15


def test_all_other_orders_are_right(good_orders: dict[int, Row], members: dict[int, list[datetime]]) -> None:
    prices: dict[str, float] = {}
    for row in good_orders.values():
        since, until = members[row["customer_id"]]
        assert since < moment(row["ordered_at"]) < until
        assert row["channel"] in ("web", "app", "shop")
        skus = [item["sku"] for item in row["items"]]
        assert 1 <= len(set(skus)) == len(skus) <= 4
        for item in row["items"]:
            assert list(item) == ["sku", "quantity", "price"]
            assert type(item["quantity"]) is int and 1 <= item["quantity"] <= 5
            assert prices.setdefault(item["sku"], item["price"]) == item["price"] == round(item["price"], 2) > 0
    assert sorted(prices) == [f"P-{n:03}" for n in range(1, 41)]


def test_orders_are_numbered_as_they_were_placed(good_orders: dict[int, Row], kinds: dict[int, str]) -> None:
    assert sorted(kinds) == list(range(500_001, 501_241))
    times = [good_orders[order_id]["ordered_at"] for order_id in sorted(good_orders)]
    assert times == sorted(times)


def test_planned_orders_come_late_or_twice_and_all_others_in_order(
    order_lines: list[tuple[str, str]], good_orders: dict[int, Row]
) -> None:
    seen: dict[str, str] = {}
    late, again, last = [], [], 0
    for day, line in order_lines:
        order = good_orders.get(int(line[12:18]), {"order_id": int(line[12:18]), "ordered_at": day})
        if line in seen:
            again.append((seen[line], day))
        elif order["ordered_at"][:10] != day:
            late.append(moment(order["ordered_at"]))
            assert late[-1].hour >= 21 and (late[-1] + DAY).date().isoformat() == day
        else:
            assert order["order_id"] > last
            last = order["order_id"]
        seen.setdefault(line, day)
    assert len(late) == imperfection("retail", "late")
    assert len(again) == imperfection("retail", "duplicate")
    assert Counter(int(b[-2:]) - int(a[-2:]) for a, b in again) == {0: len(again) / 2, 1: len(again) / 2}


def test_a_column_drifts_in(order_lines: list[tuple[str, str]], good_orders: dict[int, Row]) -> None:
    days = [day for day, line in order_lines if '"coupon"' in line]
    assert len(days) == imperfection("retail", "drifting column")
    assert set(days) == {f"2025-03-{day:02}" for day in range(8, 13)}
    assert sum("coupon" in row for row in good_orders.values()) == len(days)


def test_bad_orders_are_repaired_but_for_those_on_the_card(
    shop: Path, kinds: dict[int, str], good_orders: dict[int, Row], order_lines: list[tuple[str, str]], members
) -> None:
    repaired = {row["order_id"]: row for row in rows_of(shop / "orders-repaired.json")}
    lost = {order_id for order_id, kind in kinds.items() if kind != "good"} - set(repaired)
    assert list(repaired) == sorted(repaired)
    assert len(lost) == imperfection("retail", "cannot be repaired") == 3
    assert all(kinds[order_id] == "no customer" and str(order_id) in card("retail") for order_id in lost)
    for row in repaired.values():
        assert kinds[row["order_id"]] != "good"
        assert order_kind(json.dumps(row), members) == "good"
        since, until = members[row["customer_id"]]
        assert since < moment(row["ordered_at"]) < until
    times = {order_id: row["ordered_at"] for order_id, row in (repaired | good_orders).items()}
    assert [times[order_id] for order_id in sorted(times)] == sorted(times.values())
    for line in (json.loads(line) for _, line in order_lines if readable(line)):
        same = [name for name, value in line.items() if repaired.get(line["order_id"], {}).get(name) == value]
        assert line["order_id"] not in repaired or len(same) == 4


def test_orders_are_paid_soon_planned_ones_late_or_never(shop: Path, good_orders: dict[int, Row]) -> None:
    seen: dict[int, dict[str, datetime]] = {}
    for path in files_of(shop / "order-statuses"):
        times = [row["changed_at"] for row in rows_of(path)]
        assert times == sorted(times) and {time[:10] for time in times} == {path.stem}
        for row in rows_of(path):
            assert row["status"] not in seen.setdefault(row["order_id"], {})
            seen[row["order_id"]][row["status"]] = moment(row["changed_at"])
    assert set(seen) <= set(good_orders)
    waits, unpaid = [], 0
    for order_id, order in good_orders.items():
        statuses, ordered = seen.get(order_id, {}), moment(order["ordered_at"])
        if "paid" not in statuses:
            cancelled = ordered + DAY
            assert statuses == ({"cancelled": cancelled} if cancelled < FIRST_DAY + 10 * DAY else {})
            unpaid += 1
            continue
        waits.append(statuses["paid"] - ordered)
        assert list(statuses) == ["paid", "shipped", "delivered"][: len(statuses)]
        if "shipped" in statuses:
            assert timedelta(hours=4) <= statuses["shipped"] - statuses["paid"] < timedelta(hours=30)
        if "delivered" in statuses:
            assert DAY <= statuses["delivered"] - statuses["shipped"] < 3 * DAY
    late = [wait for wait in waits if wait > 50 * MINUTE]
    assert unpaid == imperfection("retail", "never paid")
    cancelled = sum("cancelled" in statuses for statuses in seen.values())
    assert f"{cancelled} are `cancelled` after exactly 24 hours; {unpaid - cancelled} of the last day" in card("retail")
    assert len(late) == imperfection("retail", "paid late")
    assert all(70 * MINUTE <= wait <= 170 * MINUTE for wait in late)
    assert min(waits) >= MINUTE and 0.87 < (len(waits) - len(late)) / len(good_orders) < 0.89


def test_statuses_that_would_come_after_the_last_day_are_missing(shop: Path, good_orders: dict[int, Row]) -> None:
    rows = [row for path in files_of(shop / "order-statuses") for row in rows_of(path)]
    counts = Counter(row["status"] for row in rows)
    on_card = next(tables(card("retail"), "status"))
    assert {status: number(cells[0]) for status, cells in on_card.items()} == counts
    assert counts["paid"] > counts["shipped"] > counts["delivered"] > 0


@pytest.fixture(scope="module")
def clicks(shop: Path) -> pd.DataFrame:
    """All clicks, with the day and the hour of their folder, in the order of the files."""
    rows = []
    for path in files_of(shop / "clickstream"):
        day, hour = (folder.partition("=")[2] for folder in path.parts[-3:-1])
        times = [row["event_time"] for row in rows_of(path)]
        assert times == sorted(times)
        rows += [row | {"folder": f"{day}T{hour}"} for row in rows_of(path)]
    frame = pd.DataFrame(rows)
    return frame.assign(at=[moment(text) for text in frame.event_time])


def test_clicks_lie_in_the_folder_of_their_hour_and_follow_the_day(clicks: pd.DataFrame) -> None:
    assert (clicks.event_time.str[:13] == clicks.folder).all()
    assert set(clicks.folder) == {f"2025-03-{day:02}T{hour:02}" for day in range(3, 13) for hour in range(7, 23)}
    by_hour = clicks.groupby(clicks["at"].dt.hour).size()
    assert by_hour[20] > 3 * by_hour[7]
    assert clicks.groupby(clicks["at"].dt.date).size().between(330, 450).all()


def test_sessions_are_short_dense_and_far_apart(clicks: pd.DataFrame) -> None:
    sessions = clicks.groupby("session_id")["at"].agg(["min", "max"])
    assert (sessions["max"] - sessions["min"]).between(2 * MINUTE, 25 * MINUTE).all()
    assert (clicks.sort_values("at").groupby("session_id")["at"].diff().dropna() < 5 * MINUTE).all()
    people = clicks.groupby("session_id").customer_id
    assert (people.nunique(dropna=False) == 1).all()
    known = sessions.assign(customer=people.first()).dropna().sort_values("min")
    pause = known["min"] - known.groupby("customer")["max"].shift()
    assert pause.notna().sum() > 100 and (pause.dropna() > 40 * MINUTE).all()
    assert f"There are {len(sessions)} sessions, {len(sessions) - len(known)} of them anonymous" in card("retail")


def test_only_customers_click_and_buy_what_they_put_into_the_cart(
    clicks: pd.DataFrame, members: dict[int, list[datetime]]
) -> None:
    known = clicks.dropna(subset="customer_id")
    for who, at in zip(known.customer_id, known["at"], strict=True):
        assert members[int(who)][0] < at < members[int(who)][1]
    for _, session in clicks.sort_values("at", kind="stable").groupby("session_id"):
        done = set()
        for action, sku in zip(session.action, session.sku, strict=True):
            assert action == "view" or ({"cart": "view", "checkout": "cart"}[action], sku) in done
            done.add((action, sku))
    assert clicks.action.value_counts().index.tolist() == ["view", "cart", "checkout"]


@pytest.fixture(scope="module")
def transactions(generated: dict[str, Path]) -> pd.DataFrame:
    """All rows as they arrive: `behind` the newest event time so far, `again` if the transaction was there before."""
    files = files_of(generated["bank"] / "transactions")
    frame = pd.DataFrame([row | {"part": n} for n, path in enumerate(files) for row in rows_of(path)])
    times = pd.Series([moment(text) for text in frame.event_time])
    received = pd.Series([moment(text) for text in frame.received_at])
    return frame.assign(
        at=times, received=received, behind=times.cummax() - times, again=frame.transaction_id.duplicated()
    )


@pytest.fixture(scope="module")
def payments(transactions: pd.DataFrame) -> pd.DataFrame:
    """Every transaction once, in the order in which they were made."""
    return transactions[~transactions.again].sort_values("at", kind="stable")


def distance(one: str, other: str) -> float:
    """Return the kilometres between the capitals of two countries, along a great circle."""
    degrees = {"DE": (52.5, 13.4), "FI": (60.2, 24.9), "GR": (38.0, 23.7), "IE": (53.3, -6.3), "PT": (38.7, -9.1)}
    (a, b), (c, d) = np.radians(degrees[one]), np.radians(degrees[other])
    return 6371 * np.arccos(np.sin(a) * np.sin(c) + np.cos(a) * np.cos(c) * np.cos(b - d))


def planted(pattern: str) -> list[int]:
    """Return the cards which the card of the dataset names for a pattern of fraud."""
    return [int(card_id) for card_id in next(tables(card("bank"), "planted fraud"))[pattern][0].split(", ")]


def test_the_cards_are_valid_and_blocked_ones_pay_nothing(generated: dict[str, Path], payments: pd.DataFrame) -> None:
    cards = pd.DataFrame(rows_of(generated["bank"] / "cards.csv"))
    assert cards.card_id.tolist() == list(range(4001, 4061))
    assert cards.holder.is_unique and set(cards.country) == {"DE", "FI", "GR", "IE", "PT"}
    assert cards.status.value_counts().to_dict() == {"active": 56, "blocked": 4}
    assert set(payments.card_id) == set(cards.card_id[cards.status == "active"])


def test_transactions_are_valid(payments: pd.DataFrame) -> None:
    assert payments.transaction_id.str.fullmatch("[0-9a-f]{12}").all()
    assert (payments.amount == payments.amount.round(2)).all() and (payments.amount >= 0.5).all()
    assert payments.category.nunique() == 8
    assert payments["at"].between(datetime(2025, 4, 1, 6, tzinfo=UTC), datetime(2025, 4, 1, 18, tzinfo=UTC)).all()


def test_planned_transactions_are_late_and_all_others_arrive_at_once(transactions: pd.DataFrame) -> None:
    once = transactions[~transactions.again]
    late = once.behind > 20 * MINUTE
    assert late.sum() == imperfection("bank", "late")
    delay = once.received - once["at"]
    assert delay[late].between(25 * MINUTE, 90 * MINUTE).all()
    assert delay[~late].between(timedelta(seconds=1), timedelta(seconds=20)).all()


def test_transactions_are_in_the_order_of_arrival_and_in_the_file_of_their_half_hour(
    transactions: pd.DataFrame,
) -> None:
    assert transactions.received.is_monotonic_increasing
    opened = datetime(2025, 4, 1, 6, tzinfo=UTC) + transactions.part * 30 * MINUTE
    assert transactions.received.between(opened, opened + 30 * MINUTE, inclusive="left").all()


def test_late_transactions_are_ten_minutes_behind_the_files_before(transactions: pd.DataFrame) -> None:
    newest = transactions.groupby("part")["at"].max().cummax().shift()
    once = transactions[~transactions.again]
    too_late = once["at"] < once.part.map(newest) - 10 * MINUTE
    assert too_late.sum() == imperfection("bank", "late")


def test_planned_transactions_are_sent_again_unchanged_soon_or_late(transactions: pd.DataFrame) -> None:
    fields = list(transactions.columns[:7])
    assert transactions[fields].drop_duplicates().transaction_id.is_unique
    again = transactions[transactions.again]
    late = again.behind > 20 * MINUTE
    assert late.sum() == imperfection("bank", "retried late")
    assert (~late).sum() == imperfection("bank", "retried soon")
    first = transactions[~transactions.again].set_index("transaction_id").received
    wait = again.received - again.transaction_id.map(first)
    assert wait[late].between(120 * MINUTE, 300 * MINUTE).all()
    assert wait[~late].between(timedelta(seconds=10), 8 * MINUTE).all()
    times = Counter(again[~late].transaction_id)
    assert Counter(times.values()) == {1: 160, 2: 28, 3: 8}
    assert not set(times) & set(again[late].transaction_id)
    offline = transactions[~transactions.again & (transactions.behind > 20 * MINUTE)]
    assert not set(again.transaction_id) & set(offline.transaction_id)


def test_small_payments_before_a_large_one_are_the_planted_fraud(payments: pd.DataFrame) -> None:
    found, rows = [], 0
    for card_id, mine in payments.groupby("card_id"):
        for large in mine[mine.amount > 900].itertuples():
            before = mine[(mine.amount < 2) & (mine["at"] < large.at) & (mine["at"] >= large.at - 5 * MINUTE)]
            # Even a laxer detector, one that is content with two, finds no more.
            if len(before) >= 2:
                assert len(before) == before.merchant.nunique() == 6
                assert before["at"].max() - before["at"].min() <= 2 * MINUTE
                assert large.at - before["at"].max() <= 3 * MINUTE
                found.append(card_id)
                rows += 7
    assert sorted(found) == planted("testing") and len(set(found)) == 6
    assert rows == imperfection("bank", "fraud: testing")


def test_payments_far_apart_within_minutes_are_the_planted_fraud(payments: pd.DataFrame) -> None:
    found = []
    for card_id, mine in payments.groupby("card_id"):
        for (_, one), (_, other) in zip(mine.iterrows(), mine[1:].iterrows(), strict=False):
            # Even a laxer detector, one that allows two hours, finds no more.
            if one.country != other.country and other["at"] - one["at"] <= 120 * MINUTE and card_id not in found:
                assert other["at"] - one["at"] <= 10 * MINUTE
                assert distance(one.country, other.country) > 1000
                found.append(card_id)
    assert found == planted("two places") and len(found) == 6
    assert 2 * len(found) == imperfection("bank", "fraud: two places")


def test_honest_people_pay_small_and_large_amounts_and_travel_too(payments: pd.DataFrame) -> None:
    honest = payments[~payments.card_id.isin(planted("testing") + planted("two places"))]
    assert (honest.amount < 2).sum() > 50 and (honest.amount > 900).sum() >= 5
    assert (honest.groupby("card_id").country.nunique() == 2).sum() == 5
    # Each fraud of the first pattern has six small payments and a large one.
    small, large = (payments.amount < 2).sum() - 6 * 6, (payments.amount > 900).sum() - 6
    assert f"{small} payments are under 2 EUR and {large} above\n900 EUR" in card("bank")
    assert f"there are {len(payments):,}." in card("bank")
    assert all(distance(a, b) > 1100 for a, b in combinations(sorted(set(payments.country)), 2))


def test_a_card_is_silent_for_half_an_hour_around_its_fraud(payments: pd.DataFrame, generated: dict[str, Path]) -> None:
    home = {row["card_id"]: row["country"] for row in rows_of(generated["bank"] / "cards.csv")}
    for pattern, rows in (("testing", 7), ("two places", 2)):
        for card_id in planted(pattern):
            mine = payments[payments.card_id == card_id]
            # Between two pauses of half an hour there is the fraud and nothing else.
            begins = (mine["at"].diff() > 30 * MINUTE).cumsum()
            fraud = [run for _, run in mine.groupby(begins) if is_fraud(run, pattern)]
            assert [len(run) for run in fraud] == [rows]
            assert fraud[0].country.iloc[0] == home[card_id]


def is_fraud(run: pd.DataFrame, pattern: str) -> bool:
    """Say whether a run of payments of one card has what is characteristic of a pattern."""
    if pattern == "two places":
        return run.country.nunique() == 2
    return bool((run.amount.iloc[:-1] < 2).all() and run.amount.iloc[-1] > 900)


@pytest.fixture(scope="module")
def messages(generated: dict[str, Path]) -> list[Row]:
    """The messages about edits, in the order of arrival."""
    return [row for path in files_of(generated["wikipedia"] / "edits") for row in rows_of(path)]


def sound(messages: list[Row]) -> list[Row]:
    """Return the events of the messages that are sound, each with when it arrives, in seconds, and its collector."""
    texts = [message for message in messages if message["value"] is not None and readable(message["value"])]
    events = [
        json.loads(m["value"]) | {"arrives": m["timestamp"] / 1000, "by": m["headers"]["collector"]} for m in texts
    ]
    return [event for event in events if event["timestamp"] is not None]


def once(messages: list[Row]) -> list[Row]:
    """Return the sound events without those that arrived before, in the order of arrival."""
    return list({event["meta"]["id"]: event for event in reversed(sound(messages))}.values())[::-1]


def undos(messages: list[Row]) -> pd.DataFrame:
    """Return the edits that take another one back, ordered by when they were made, with whom they undo."""
    frame = pd.DataFrame(once(messages)).sort_values(["timestamp", "id"])
    frame["undoes"] = frame["comment"].str.extract(r"^Undid revision \d+ by (.+)$")
    frame = frame.dropna(subset="undoes")
    frame["pair"] = [" and ".join(sorted(pair)) for pair in zip(frame["user"], frame["undoes"], strict=True)]
    return frame


def wars(messages: list[Row], most: int = 600, window: bool = False) -> list[tuple[str, str, str, int]]:
    """Return wiki, page, pair and number of undos of the wars: four undos by both sides within ten minutes."""
    found = []
    for (wiki, title, pair), group in undos(messages).groupby(["wiki", "title", "pair"]):
        by_time = group["timestamp"] // most if window else (group["timestamp"].diff() > most / 3).cumsum()
        for _, war in group.groupby(by_time):
            close = (war["timestamp"].diff(3) <= most).any()
            if len(war) >= 4 and war["user"].nunique() == 2 and close:
                found.append((wiki, title, pair, len(war)))
    return found


def test_messages_are_in_the_order_and_the_file_of_their_arrival(generated: dict[str, Path]) -> None:
    start = datetime(2025, 5, 5, 12, tzinfo=UTC).timestamp()
    times: list[float] = []
    for number, path in enumerate(files_of(generated["wikipedia"] / "edits")):
        arrivals = [row["timestamp"] / 1000 for row in rows_of(path)]
        assert start + 600 * number <= arrivals[0] and arrivals[-1] < start + 600 * (number + 1)
        times += arrivals
    assert times == sorted(times)


def test_nothing_arrives_in_the_gaps_and_little_is_missing_elsewhere(messages: list[Row]) -> None:
    start = datetime(2025, 5, 5, 12, tzinfo=UTC).timestamp() * 1000
    minutes = Counter(int((message["timestamp"] - start) // 60_000) for message in messages)
    assert {minute for minute in range(100) if not minutes[minute]} == {34, 35, 36, 73, 74, 75}
    assert min(count for minute, count in minutes.items()) > 50
    assert imperfection("wikipedia", "gap") == 0


def test_one_wiki_is_far_busier_than_the_others_and_keys_name_the_wiki(messages: list[Row]) -> None:
    counts = Counter(message["key"] for message in messages)
    on_card = {wiki: number(cells[0]) for wiki, cells in next(tables(card("wikipedia"), "wiki")).items()}
    assert dict(counts) == on_card
    assert counts["enwiki"] > 6 * max(count for wiki, count in counts.items() if wiki != "enwiki")
    assert all(event["wiki"] == event["server_name"].split(".")[0] + "wiki" for event in sound(messages))


def test_values_are_broken_as_often_as_the_card_says(messages: list[Row]) -> None:
    values = [message["value"] for message in messages]
    broken = [value for value in values if value is not None and not readable(value)]
    assert values.count(None) == imperfection("wikipedia", "no value")
    assert sum(value.startswith("<html>") for value in broken) == imperfection("wikipedia", "error page")
    assert sum(value.startswith("{") for value in broken) == imperfection("wikipedia", "cut off")
    timeless = [json.loads(value) for value in values if value is not None and readable(value)]
    timeless = [event for event in timeless if event["timestamp"] is None]
    assert all(event["meta"]["dt"] is None for event in timeless)
    assert len(timeless) == imperfection("wikipedia", "no time")


def test_sound_events_have_the_shape_that_the_card_gives(messages: list[Row]) -> None:
    names = list(next(tables(card("wikipedia"), "field of the value")))
    for event in sound(messages):
        event = {name: value for name, value in event.items() if name not in ("arrives", "by")}
        assert list(event) == [name for name in names if name in event or name != "geo"]
        assert moment(event["meta"]["dt"]).timestamp() == event["timestamp"]
        assert ("old" in event["length"]) == ("old" in event["revision"]) == (event["type"] == "edit")
        anonymous = re.fullmatch(r"(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+", event["user"])
        assert ("geo" in event) == bool(anonymous)
    schema = load("wikipedia").VALUE
    assert re.findall(r"(?:^|, )(\w+) (?=[A-Z])", re.sub(r"<.*?>", "", schema)) == names


def test_an_event_that_comes_twice_is_of_the_other_collector_and_the_same(messages: list[Row]) -> None:
    arrivals: dict[str, list[Row]] = {}
    for event in sound(messages):
        arrivals.setdefault(event["meta"]["id"], []).append(event)
    twice = [events for events in arrivals.values() if len(events) > 1]
    assert all(len(events) == 2 and {event["by"] for event in events} == {"a", "b"} for events in twice)
    late = [events for events in twice if events[1]["arrives"] - events[0]["arrives"] > 15 * 60]
    assert len(late) == imperfection("wikipedia", "double, late")
    assert len(twice) - len(late) == imperfection("wikipedia", "double")
    assert max(b["arrives"] - a["arrives"] for a, b in twice if [a, b] not in late) < 6 * 60
    assert f"there are {len(arrivals):,}." in card("wikipedia")


def test_late_events_are_a_quarter_of_an_hour_late_and_all_others_minutes(messages: list[Row]) -> None:
    delays = [event["arrives"] - event["timestamp"] for event in once(messages)]
    assert sum(15 * 60 <= delay < 44 * 60 for delay in delays) == imperfection("wikipedia", "late")
    assert sum(4 * 60 <= delay < 15 * 60 for delay in delays) == 1  # the one of a war
    assert sum(4 <= delay < 4 * 60 for delay in delays) < 10  # those that waited for the end of a gap


def test_the_wars_are_those_of_the_card_and_there_are_no_others(messages: list[Row]) -> None:
    on_card = [
        (cells[0], cells[1], cells[2], number(cells[4])) for cells in next(tables(card("wikipedia"), "war")).values()
    ]
    assert sorted(wars(messages)) == sorted(on_card)


def test_windows_of_ten_minutes_miss_the_wars_that_lie_across_two(messages: list[Row]) -> None:
    assert len(wars(messages)) - len(wars(messages, window=True)) == 4


def test_who_takes_less_than_a_war_for_one_finds_more(messages: list[Row]) -> None:
    """Each planted quarrel that is no war is found by the rule that it is there to show wrong."""
    frame = undos(messages)
    assert (frame.groupby(["wiki", "title", "pair"]).size() >= 4).sum() == 5 + 3  # without a time: slow ones as well
    pages = frame.groupby(["wiki", "title", frame["timestamp"] // 600]).size()
    assert {title for _, title, _ in pages[pages >= 4].index} >= {"List of mills in Eskerby", "History of Rusalmo"}
    once_each = frame.groupby(["wiki", "title", "pair"])["user"].agg(["size", "nunique"])
    assert ((once_each["size"] == 2) & (once_each["nunique"] == 2)).sum() == 5


def test_an_undo_gives_a_page_the_length_it_had(messages: list[Row]) -> None:
    [first] = [war for war in undos(messages).groupby(["title", "pair"]) if war[0][0] == "Schloss Sornvale"]
    lengths = [row["new"] for row in first[1]["length"]]
    assert len(set(lengths)) == 2 and lengths[0] == lengths[2] == lengths[4]


@pytest.fixture(scope="module")
def levels(generated: dict[str, Path]) -> pd.DataFrame:
    """The river's lines as they are received: `again` if the reading was there before, `fault` as the card names it."""
    files = files_of(generated["river"] / "levels")
    frame = pd.DataFrame([row | {"file": path.stem} for path in files for row in rows_of(path)])
    times = {name: pd.Series([moment(text) for text in frame[name]]) for name in ("measured", "received")}
    frame = frame.assign(**times, battery=frame.battery.astype(float), level=frame.level.astype(float))
    frame["weak battery"] = frame.battery < 10.5
    frame["no level"] = frame.level.isna()
    frame["no value"] = frame.level == -999
    frame["millimetres"] = frame.level > 1000
    frame["clock ahead"] = frame.measured > frame.received
    frame["not in the list"] = frame.station == "AL9"
    frame["faults"] = frame[RIVER_FAULTS].sum(axis=1)
    return frame.assign(again=frame.duplicated(["station", "measured", "faults"]) & (frame.faults == 0))


RIVER_FAULTS = ["weak battery", "no level", "no value", "millimetres", "clock ahead", "not in the list"]


@pytest.mark.parametrize("fault", RIVER_FAULTS)
def test_gauges_have_the_planned_faults(fault: str, levels: pd.DataFrame) -> None:
    assert levels[fault].sum() == imperfection("river", fault)


def test_few_lines_have_two_faults_and_one_of_these_is_always_that_there_is_no_level(levels: pd.DataFrame) -> None:
    two = levels[levels.faults > 1]
    assert (levels.faults <= 2).all() and two["no level"].all()
    assert two[["weak battery", "not in the list"]].sum().tolist() == [6, 6]


def test_a_sound_level_is_one_of_the_card_and_a_faulty_one_is_far_from_it(levels: pd.DataFrame) -> None:
    sound = levels[levels.faults == 0]
    assert f"of a line without a fault {sound.level.min()} to {sound.level.max()}" in card("river")
    assert levels.level[levels["millimetres"]].min() >= 2000
    assert levels.level[levels["weak battery"]].dropna().between(20, 900).all()
    assert (levels.battery[~levels["weak battery"]].dropna() > 11.5).all()


def test_gauges_on_mains_have_no_battery_and_all_others_have(levels: pd.DataFrame, generated: dict[str, Path]) -> None:
    power = {row["station"]: row["power"] for row in rows_of(generated["river"] / "stations.json")}
    assert {row for row in levels.station if row not in power} == {"AL9"}
    mains = levels.station.map(power) == "mains"
    assert (levels.battery.isna() == mains).all()
    assert (mains & ~levels.again).sum() == 768


def test_planned_lines_are_repeated_unchanged_and_only_sound_ones(levels: pd.DataFrame) -> None:
    again = levels[levels.again]
    assert (again.faults == 0).all() and not again.duplicated(["station", "measured"]).any()
    both = again.merge(levels[~levels.again & (levels.faults == 0)], on=["station", "measured", "level"])
    assert len(both) == len(again)
    wait = both.received_x - both.received_y
    assert wait.between(MINUTE, 40 * MINUTE).sum() == imperfection("river", "repeated soon")
    assert wait.between(1200 * MINUTE, 1500 * MINUTE).sum() == imperfection("river", "repeated the next day")


def test_lines_are_received_in_order_at_once_or_as_late_as_planned(levels: pd.DataFrame) -> None:
    assert levels.received.is_monotonic_increasing
    assert (levels.received.dt.strftime("%Y-%m-%d") == levels.file).all()
    wait = (levels.received - levels.measured)[~levels.again & ~levels["clock ahead"]]
    late = wait > 2 * MINUTE
    assert late.sum() == imperfection("river", "late")
    assert set(levels.station[late[late].index]) == {"AL4"} and wait[~late].min() > timedelta(0)


def test_no_half_hour_is_missing(levels: pd.DataFrame) -> None:
    once = levels[~levels.again].station.value_counts()
    assert once.drop("AL9").eq(8 * 48).all() and once["AL9"] == 6 * 48


def test_the_flood_comes_down_the_river(levels: pd.DataFrame) -> None:
    sound = levels[levels.faults == 0]
    top = sound.loc[sound.groupby("station")["level"].idxmax()].sort_values("station")
    assert top.measured.is_monotonic_increasing


@pytest.fixture(scope="module")
def parcels(generated: dict[str, Path]) -> pd.DataFrame:
    """The lines of the parcel service that can be counted, with the night and the region."""
    depots = {row["depot_id"]: row for row in rows_of(generated["parcels"] / "depots.csv")}
    rows = [{"night": night} | row for night, row in parcel_lines(generated) if parcel_fault(row, depots) is None]
    frame = pd.DataFrame(rows)
    frame["day"] = frame.delivered_at.str[:10]
    frame["region"] = frame.depot_id.map({number: row["region"] for number, row in depots.items()})
    frame["listed"] = frame.depot_id.map({number: row["listed_on"] for number, row in depots.items()})
    return frame


def parcel_lines(generated: dict[str, Path]) -> list[tuple[str, Row | None]]:
    """Return the lines by night; None where one is not JSON."""
    files = files_of(generated["parcels"] / "deliveries")
    return [(path.stem, json.loads(line) if readable(line) else None) for path in files for line in lines_of(path)]


def parcel_fault(row: Row | None, depots: dict[object, Row]) -> str | None:
    if row is None:
        return "unreadable"
    if row["delivered_at"] is None:
        return "no time"
    if row["fee"] is None or row["fee"] <= 0:
        return "bad fee"
    return None if row["depot_id"] in depots else "unknown depot"


@pytest.mark.parametrize("fault", ["unreadable", "no time", "bad fee", "unknown depot"])
def test_deliveries_have_the_planned_faults_and_no_line_has_two(fault: str, generated: dict[str, Path]) -> None:
    depots = {row["depot_id"]: row for row in rows_of(generated["parcels"] / "depots.csv")}
    faulty = [row for _, row in parcel_lines(generated) if parcel_fault(row, depots) == fault]
    assert len(faulty) == imperfection("parcels", fault)
    mended = {"delivered_at": "2025", "fee": 1, "depot_id": 1}
    names = {"no time": "delivered_at", "bad fee": "fee", "unknown depot": "depot_id"}
    for row in faulty if fault in names else []:
        assert parcel_fault(row | {names[fault]: mended[names[fault]]}, depots) is None


def test_deliveries_are_repeated_unchanged_in_the_same_night_or_a_later_one(parcels: pd.DataFrame) -> None:
    again = parcels[parcels.duplicated("scan_id")]
    first = parcels.drop_duplicates("scan_id").set_index("scan_id").loc[again.scan_id]
    assert (
        again[["depot_id", "delivered_at", "fee"]].values == first[["depot_id", "delivered_at", "fee"]].values
    ).all()
    later = again.night.values > first.night.values
    assert later.sum() == imperfection("parcels", "sent again later")
    assert (~later).sum() == imperfection("parcels", "sent again")


def test_deliveries_are_late_alone_or_in_an_outage(parcels: pd.DataFrame) -> None:
    once = parcels.drop_duplicates("scan_id")
    late = once[once.night != once.day]
    begins = {3: "2025-05-13T15", 5: "2025-05-15T17"}
    outage = late[
        [
            at.startswith(begins.get(of, "-")[:10]) and at >= begins[of]
            for at, of in zip(late.delivered_at, late.depot_id, strict=True)
        ]
    ]
    alone = len(late) - len(outage)
    assert [len(outage), alone] == [imperfection("parcels", "outage"), imperfection("parcels", "late")]
    assert (late.night > late.day).all() and late.night.max() <= "2025-05-18"


def test_each_mistake_makes_as_many_rows_of_the_report_wrong_as_the_card_says(parcels: pd.DataFrame) -> None:
    once = parcels.drop_duplicates("scan_id")
    in_time = parcels[parcels.night >= parcels.listed].drop_duplicates("scan_id")
    assert len(once) - len(in_time) == imperfection("parcels", "not listed yet")
    reports = {"repeats": (parcels, "day"), "arrival": (once, "night"), "waiting": (in_time, "day")}
    right = parcel_report(once, "day")
    on_card = {name: number(cells[0]) for name, cells in next(tables(card("parcels"), "mistake")).items()}
    assert len(right) == 28
    for mistake, (rows, day) in reports.items():
        made = parcel_report(rows, day)
        assert sum(made.get(key) != right.get(key) for key in made.keys() | right.keys()) == on_card[mistake]


def parcel_report(rows: pd.DataFrame, day: str) -> dict[tuple[str, str], tuple[int, int]]:
    sums = rows.assign(cents=(rows.fee * 100).round().astype(int)).groupby([day, "region"]).cents.agg(["count", "sum"])
    return {key: (row["count"], row["sum"]) for key, row in sums.iterrows()}


@pytest.fixture(scope="module")
def nights(generated: dict[str, Path]) -> dict[str, list[str]]:
    """The lines of the partner's sales, by file."""
    return {path.name: lines_of(path) for path in files_of(generated["partner"] / "sales")}


@pytest.fixture(scope="module")
def partner_sales(nights: dict[str, list[str]]) -> pd.DataFrame:
    """The partner's sales that can be read, each with its file, and the fields as they were written."""
    rows = [json.loads(line) | {"file": name} for name, lines in nights.items() for line in lines if readable(line)]
    return pd.DataFrame(rows)


def test_the_schema_drifts_in_the_nights_of_the_card(nights: dict[str, list[str]], partner_sales: pd.DataFrame) -> None:
    sales = partner_sales
    sales["text"] = sales.amount.map(lambda value: isinstance(value, str))
    drifted = {
        "new field": sales[sales.channel.notna()],
        "amount as text": sales[sales.text],
        "other spelling": sales[sales.Amount.notna()],
        "nested object": sales[sales.buyer.notna()],
    }
    for name, rows in drifted.items():
        assert len(rows) == imperfection("partner", name)
    assert sorted({name for name in nights if any(not readable(line) for line in nights[name])}) == ["2025-09-09.json"]
    assert sum(not readable(line) for lines in nights.values() for line in lines) == imperfection("partner", "cut off")
    first = {name: rows.file.min() for name, rows in drifted.items()}
    assert list(first.values()) == [f"2025-09-0{night}.json" for night in (3, 5, 7, 9)]
    assert {drifted[name].file.nunique() for name in ("amount as text", "other spelling")} == {1}
    assert (sales.Amount.notna() == (sales.file == "2025-09-07.json")).all()
    assert set(drifted["nested object"].buyer.map(lambda buyer: buyer["country"])) == {"NO", "SE", "DK"}


def test_the_sales_of_a_night_are_in_order_and_numbered_without_gaps(nights: dict[str, list[str]]) -> None:
    lines = [(name, line) for name, lines in nights.items() for line in lines]
    assert [re.match(r'{"sale_id":"S(\d+)"', line)[1] for _, line in lines] == [str(n) for n in range(10001, 10734)]
    times = [json.loads(line)["sold_at"] for _, line in lines if readable(line)]
    assert times == sorted(set(times))
    assert all(json.loads(line)["sold_at"][:10] == name[:10] for name, line in lines if readable(line))


def test_the_totals_of_the_partner_count_what_was_sent_and_sum_what_was_paid(
    generated: dict[str, Path], nights: dict[str, list[str]]
) -> None:
    prices = load("partner").PRICES
    for total in rows_of(generated["partner"] / "control.json"):
        lines = nights[total["file"]]
        cut = [re.search(r'"play":"([^"]+)","seats":(\d+),', line) for line in lines if not readable(line)]
        sales = [as_agreed(json.loads(line)) for line in lines if readable(line)]
        assert all(round(prices[sale["play"]] * sale["seats"], 2) == sale["amount"] for sale in sales)
        paid = sum(round(sale["amount"] * 100) for sale in sales)
        paid += sum(round(prices[found[1]] * int(found[2]) * 100) for found in cut)
        assert (total["records"], round(total["amount"] * 100)) == (len(lines), paid)


@pytest.fixture(scope="module")
def sent(generated: dict[str, Path]) -> pd.DataFrame:
    """The changes as they arrive: `key` is the card, `again` whether the change was there before, `NULL` is None."""
    files = files_of(generated["loyalty"] / "changes")
    rows = [
        {"absent": len(row) < 7, "null": None in row.values()} | row | {"file": path.stem}
        for path in files
        for row in rows_of(path)
    ]
    frame = pd.DataFrame(rows).astype(object).where(lambda values: values.notna(), None)
    letters, numbers = zip(*(str(card).strip().upper().split("-") for card in frame.card), strict=True)
    frame["key"] = [f"{letter}-{int(number)}" for letter, number in zip(letters, numbers, strict=True)]
    return frame.assign(again=frame.duplicated(["key", "sequence", "changed_at"]))


@pytest.fixture(scope="module")
def sent_once(sent: pd.DataFrame) -> pd.DataFrame:
    """Each change of the cards once, in the true order."""
    return sent[~sent.again].sort_values(["key", "sequence", "changed_at"]).reset_index(drop=True)


def members_by(changes: pd.DataFrame, order: list[str], ascending: bool | list[bool] = True) -> dict[str, tuple]:
    """Return who is a member in the end, if the changes are applied in an order."""
    members: dict[str, dict[str, object]] = {}
    for row in changes.sort_values(order, ascending=ascending, kind="stable").to_dict("records"):
        if row["operation"] == "DELETE":
            members.pop(row["key"], None)
            continue
        member = members.setdefault(row["key"], dict.fromkeys(("name", "email", "city")))
        member |= {field: row[field] for field in member if row[field] is not None}
    return {key: tuple(member.values()) for key, member in members.items()}


def different(one: dict[str, tuple], other: dict[str, tuple]) -> int:
    return sum(one.get(key) != other.get(key) for key in one.keys() | other.keys())


def test_cards_are_spelled_in_the_planned_ways(sent: pd.DataFrame) -> None:
    assert sent.card.str.fullmatch(r" ?[KMkm]-(\d{5}|[1-9]\d{0,2}) ?").all()
    ways = {"blanks": sent.card.str.contains(" "), "lower case": sent.card.str.contains("[km]")}
    ways["zeros"] = sent.card.str.contains("-0")
    for way, found in ways.items():
        assert found.sum() == imperfection("loyalty", way)
    text = " ".join(card("loyalty").split())
    otherwise, spellings = (sent.card != sent.key).sum(), sent.card.nunique()
    assert f"{otherwise} rows have at least one" in text and f"{spellings} spellings in all" in text


def test_a_card_is_a_letter_with_a_number_and_some_numbers_have_both(sent_once: pd.DataFrame) -> None:
    keys = set(sent_once.key)
    assert len(keys) == 84
    assert sum(f"M-{key[2:]}" in keys for key in keys if key[0] == "K") == 12
    assert any("0" in key for key in keys)


def test_sequences_count_the_changes_of_a_card(sent_once: pd.DataFrame) -> None:
    for _, changes in sent_once.groupby("key"):
        assert sorted(set(changes.sequence)) == list(range(1, changes.sequence.max() + 1))
        assert changes.operation.iloc[0] == "INSERT" and list(changes.sequence).count(1) == 1


def test_fields_that_have_not_changed_are_null_or_absent(sent: pd.DataFrame) -> None:
    given = sent[sent.operation != "DELETE"]
    assert given.null.sum() == imperfection("loyalty", "null field")
    assert given.absent.sum() == imperfection("loyalty", "absent field")
    assert not (given.null & given.absent).any()
    assert sent[sent.operation == "DELETE"][["name", "email", "city"]].isna().all(axis=None)
    first = sent[sent.sequence == 1]
    assert first[["name", "email", "city"]].notna().all(axis=None)
    assert (sent.email == "-").sum() == imperfection("loyalty", "erased") and "-" not in {*sent.name, *sent.city}


def test_planned_changes_are_repeated_once_and_unchanged(sent: pd.DataFrame) -> None:
    again = sent[sent.again]
    assert not again.duplicated(["key", "sequence"]).any()
    both = again.merge(sent[~sent.again], on=["key", "sequence", "operation", "name", "email", "city", "changed_at"])
    assert len(both) == len(again)
    assert (both.file_x == both.file_y).sum() == imperfection("loyalty", "repeated in the same file")
    assert (both.file_x > both.file_y).sum() == imperfection("loyalty", "repeated in a later file")
    assert (both.email != "-").all()


def test_planned_changes_are_in_a_later_file_than_a_newer_one(sent_once: pd.DataFrame) -> None:
    found: Counter[str] = Counter()
    for _, changes in sent_once.groupby("key"):
        rows = changes.to_dict("records")
        for at, row in enumerate(rows):
            before = [newer["operation"] for newer in rows[at + 1 :] if newer["file"] < row["file"]]
            if not before:
                continue
            later = [newer["operation"] for newer in rows[at + 1 :]]
            kind = "out of order" if "DELETE" not in later else "update after delete"
            kind = "update after return" if "INSERT" in before else kind
            found["delete before insert" if row["operation"] == "INSERT" else kind] += 1
    kinds = ("out of order", "delete before insert", "update after delete", "update after return")
    assert found == {kind: imperfection("loyalty", kind) for kind in kinds}


def test_some_changes_have_the_same_sequence_and_some_a_clock_that_is_behind(sent_once: pd.DataFrame) -> None:
    tied, behind = [], []
    for (key, at), (next_key, next_at) in zip(
        sent_once[["key", "changed_at"]].itertuples(index=False),
        sent_once[["key", "changed_at"]].iloc[1:].itertuples(index=False),
        strict=False,
    ):
        if key == next_key and moment(at) > moment(next_at):
            behind.append(moment(at) - moment(next_at))
    for _, pair in sent_once.groupby(["key", "sequence"]):
        if len(pair) > 1:
            assert len(pair) == 2 and pair.city.nunique() == 2
            tied.append(moment(pair.changed_at.iloc[1]) - moment(pair.changed_at.iloc[0]))
    assert len(tied) == imperfection("loyalty", "same sequence")
    assert len(behind) == imperfection("loyalty", "clock behind")
    assert all(MINUTE <= wait <= 15 * MINUTE for wait in tied)
    assert all(60 * MINUTE <= wait <= 180 * MINUTE for wait in behind)


def test_some_members_return_and_half_of_them_give_no_address(sent_once: pd.DataFrame) -> None:
    members = members_by(sent_once, ["sequence", "changed_at"])
    left = set(sent_once.key[sent_once.operation == "DELETE"])
    assert [len(members), len(members.keys() - left), len(members.keys() & left)] == [74, 66, 8]
    without = [key for key in members.keys() & left if members[key][1] is None]
    assert len(without) == imperfection("loyalty", "return without e-mail")


def test_whoever_goes_by_arrival_or_by_the_clock_alone_or_by_the_earlier_of_two_is_wrong(
    sent: pd.DataFrame, sent_once: pd.DataFrame
) -> None:
    right = members_by(sent, ["sequence", "changed_at"])
    wrong = [
        members_by(sent.assign(arrival=range(len(sent))), ["arrival"]),
        members_by(sent, ["changed_at"]),
        members_by(sent_once, ["sequence", "changed_at"], [True, False]),
    ]
    text = " ".join(card("loyalty").split())
    arrival, clock, tie = (different(right, members) for members in wrong)
    assert f"gets {arrival} cards wrong, by the clock alone {clock}, and with the earlier one" in text
    assert f"the same `sequence` {tie}." in text


@pytest.fixture(scope="module")
def beats(generated: dict[str, Path]) -> pd.DataFrame:
    """The heartbeats by oven and time; `file` is when the file begins, `gap` how long the oven was silent before."""
    files = files_of(generated["bakery"] / "heartbeats")
    frame = pd.DataFrame([row | {"file": f"{path.stem}Z"} for path in files for row in rows_of(path)])
    frame["at"] = pd.to_datetime(frame["at"])
    frame["file"] = pd.to_datetime(frame["file"], format="%Y-%m-%dT%H-%MZ", utc=True)
    frame = frame.sort_values(["oven", "at"]).reset_index(drop=True)
    last = frame.groupby("oven").shift()
    return frame.assign(gap=(frame["at"] - last["at"]).dt.total_seconds() / 60, before=last["status"])


def test_ovens_send_a_heartbeat_every_minute_but_in_the_planned_gaps(beats: pd.DataFrame) -> None:
    assert beats["at"].is_unique and set(beats.status) == {"on", "off"}
    gaps = beats[beats.gap > 1.001]
    short, long = gaps[gaps.gap <= 10], gaps[gaps.gap > 10]
    assert short.gap.between(4, 9).all() and long.gap.between(12, 45).all()
    assert (len(short), (short.before == "on").all()) == (imperfection("bakery", "short silence"), True)
    assert (long.before == "on").sum() == imperfection("bakery", "long silence")
    for oven in ("O2", "O5", "O3", "O8"):
        assert oven in set(long[long.before == "on"].oven)


def test_an_oven_says_that_it_is_switched_off_and_one_is_lost(beats: pd.DataFrame) -> None:
    newest = beats.groupby("oven").tail(1).set_index("oven")
    assert (beats.status == "off").sum() == imperfection("bakery", "switched off")
    assert (newest.status == "off").to_dict() == {f"O{number}": number == 1 for number in range(1, 9)}
    early = newest[(newest["at"] < beats["at"].max() - timedelta(minutes=10)) & (newest.status == "on")]
    assert list(early.index) == ["O6"] and len(early) == imperfection("bakery", "lost")


def test_heartbeats_that_a_network_failure_holds_back_arrive_with_the_next_one(beats: pd.DataFrame) -> None:
    end = beats.file + timedelta(minutes=10)
    late = beats[beats["at"] < beats.file]
    assert (beats["at"] < end).all() and set(late.oven) == {"O4"}
    assert (late.file - late["at"]).max() < timedelta(minutes=14)
    order = beats.sort_values("file", kind="stable")
    assert len(late) <= imperfection("bakery", "delayed") and len(order) == len(beats)


@pytest.fixture(scope="module")
def reports(generated: dict[str, Path]) -> dict[str, list[Row]]:
    """The progress reports of the night watch, by stream, in the order of their files."""
    found: dict[str, list[Row]] = {}
    for path in files_of(generated["night-watch"] / "reports"):
        for row in rows_of(path):
            found.setdefault(row["name"], []).append(row)
    return found


def files_waiting(report: Row) -> list[int]:
    """Return how many files each source of a report has outstanding."""
    return [int(source["metrics"].get("numFilesOutstanding", 0)) for source in report["sources"]]


def trend(reports: list[Row], values: list[float]) -> float:
    """Return by how much values grow in a minute, by the least squares."""
    minutes = [datetime.fromisoformat(report["timestamp"]).timestamp() / 60 for report in reports]
    return float(np.polyfit(np.array(minutes) - minutes[0], values, 1)[0])


def test_the_reports_are_in_the_order_of_their_triggers_and_no_batch_is_missing(reports: dict[str, list[Row]]) -> None:
    for ours in reports.values():
        assert [r["timestamp"] for r in ours] == sorted(r["timestamp"] for r in ours)
        assert [r["batchId"] for r in ours] == list(range(ours[0]["batchId"], ours[0]["batchId"] + len(ours)))
        assert all(re.fullmatch(r"2025-11-04T02:\d\d:\d\d\.\d{3}Z", r["timestamp"]) for r in ours)


def test_a_batch_lasts_as_long_as_its_phases_and_the_next_one_waits_for_it(reports: dict[str, list[Row]]) -> None:
    for ours in reports.values():
        for report, after in pairwise(ours):
            phases = report["durationMs"]
            assert 0 < phases["triggerExecution"] - sum(v for k, v in phases.items() if k != "triggerExecution") < 10
            begin, end = (datetime.fromisoformat(r["timestamp"]) for r in (report, after))
            assert (end - begin).total_seconds() * 1000 >= phases["triggerExecution"] - 1


def test_each_stream_of_the_night_has_its_illness_and_no_other(reports: dict[str, list[Row]]) -> None:
    found = {}
    for name, ours in reports.items():
        rows = sum(r["numInputRows"] for r in ours)
        busy = sum(r["durationMs"]["triggerExecution"] for r in ours) / 3_600_000
        backlog = trend(ours, [sum(files_waiting(r)) for r in ours])
        state = trend(ours, [sum(s["numRowsTotal"] for s in r["stateOperators"]) for r in ours])
        found[name] = {
            "batches that are too small": busy > 0.5 and rows / len(ours) < 50,
            "state without an end": state > rows / 60 / 2,
            "limit too low": backlog > 1 and busy < 0.5,
        }
    ill = {illness: [name for name in found if found[name][illness]] for illness in found["clicks"]}
    assert ill == {
        "batches that are too small": ["clicks"], "state without an end": ["orders"], "limit too low": ["ovens"]
    }  # fmt: skip


def test_the_card_of_the_night_counts_the_reports_of_each_illness(reports: dict[str, list[Row]]) -> None:
    planned = next(tables(card("night-watch"), "planned illness"))
    counts = {illness: number(cells[0]) for illness, cells in planned.items()}
    assert counts["burst"] == sum(files_waiting(report) != [0] for report in reports["invoices"])
    assert [counts["batches that are too small"], counts["state without an end"], counts["limit too low"]] == [
        len(reports[name]) for name in ("clicks", "orders", "ovens")
    ]


def test_the_shapes_that_lead_astray_are_there(reports: dict[str, list[Row]]) -> None:
    assert {len(report["sources"]) for report in reports["ovens"]} == {2}
    assert {len(report["stateOperators"]) for report in reports["orders"]} == {2}
    assert {len(report["stateOperators"]) for report in reports["clicks"]} == {0}
    longest = {name: max(r["durationMs"]["triggerExecution"] for r in ours) for name, ours in reports.items()}
    assert max(longest, key=longest.get) == "invoices"
    assert files_waiting(reports["invoices"][-1]) == [0]
