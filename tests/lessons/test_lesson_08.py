"""Lesson 08: what each compared cell must show, computed from the files that land, without Spark or Auto Loader.

The files of the first three days are the dataset's. What gateways and the supplier send is what the lesson writes with
``land_file``, in the order in which it does; a file has the name that it has there.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime

import pytest

pytestmark = [pytest.mark.lesson("08"), pytest.mark.slow]

LESSON = "08"
DAYS = 3  # of the dataset, which the lesson lands
FIELDS = ("device_id", "heartrate", "mrn", "time")  # of their readings
DEVICES = 12

Record = dict[str, object]

TROUBLE: list[Record] = [
    {"device_id": 1, "heartrate": "n/a", "time": 1751414401.0},
    {"device_id": 2, "heartrate": 61.5, "time": 1751414402.0, "firmware": "2.1"},
    {"Device_ID": 3, "heartrate": 62.5, "time": 1751414403.0},
    {"device_id": 4, "heartrate": 63.5, "time": 1751414404.0},
]
SUPPLIER: list[Record] = [
    {"device_id": 5, "heartrate": "61,5", "time": 1751414405.0},
    {"device_id": 6, "HeartRate": 64.25, "time": 1751414406.0},
]


def _gateway(**extra: object) -> list[Record]:
    return [{"device_id": n, "heartrate": 60.5, "time": 1751328000.0 + n, **extra} for n in range(1, DEVICES + 1)]


@pytest.fixture(scope="module")
def days(dataset) -> dict[str, list[Record]]:
    """The readings of the days that land, by file."""
    files = sorted((dataset("device-readings") / "readings").iterdir())[:DAYS]
    return {file.name: [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] for file in files}


@pytest.fixture(scope="module")
def landed(days: dict[str, list[Record]]) -> dict[str, list[Record]]:
    """Every file in the order in which it lands."""
    return days | {
        "gateway-1.json": _gateway(firmware="2.1"),
        "gateway-2.json": _gateway(battery=97),
        "gateway-3.json": _gateway(position="ward 7"),
        "gateway-4.json": TROUBLE,
        "gateway-5.json": _gateway(firmware="2.2"),
        "supplier.json": SUPPLIER,
    }


def _until(landed: dict[str, list[Record]], last: str) -> list[Record]:
    """Return what has landed up to a file, that one too."""
    names = list(landed)
    return [record for name in names[: names.index(last) + 1] for record in landed[name]]


def _rescued(record: Record, columns: tuple[str, ...] = FIELDS) -> Record:
    """Return what does not fit a column: no column has its name in this case, or it is a text for a number."""
    numbers = {"device_id", "heartrate", "time"}
    return {
        name: value
        for name, value in record.items()
        if name not in columns or (name in numbers and isinstance(value, str))
    }


def _values(printed: list[str]) -> dict[str, str]:
    """Return what stands after each colon."""
    pairs = (line.split(":", 1) for line in printed if ":" in line)
    return {name.strip(): value.strip() for name, value in pairs}


def test_the_columns_are_the_fields_in_alphabetical_order_and_all_strings(days, lines):
    fields = sorted({name for records in days.values() for record in records for name in record})
    expected = ["root", *(f" |-- {name}: string (nullable = true)" for name in (*fields, "_rescued_data"))]

    assert [line for line in lines(LESSON, "l08-10") if line.strip()] == expected


def test_each_day_is_read_once(days, displayed):
    by_day = Counter(
        datetime.fromtimestamp(record["time"], UTC).date().isoformat()
        for records in days.values()
        for record in records
    )

    table = displayed(LESSON, "l08-26")

    assert dict(zip(table.day, table.readings.astype(int), strict=True)) == by_day


def test_the_error_names_the_unknown_field_its_value_and_the_file(landed, lines):
    known = {name for record in _until(landed, "2025-06-03.json") for name in record}
    [unknown] = {
        (name, str(value)) for record in landed["gateway-1.json"] for name, value in record.items() if name not in known
    }

    _wrote, first, file, *_ = lines(LESSON, "l08-30")

    assert json.dumps(dict([unknown]), separators=(",", ":")) in first
    assert file == "File: …/gateway-1.json"


def test_the_failed_batch_has_left_no_row_and_one_schema_version(landed, lines):
    said = _values(lines(LESSON, "l08-32"))

    assert said["readings in bronze"] == str(len(_until(landed, "2025-06-03.json")))
    assert said["schemas"] == str(["0", "1"])  # the previous one, and the one with the field
    assert said["the stream is active"] == "False"


def test_the_restart_loses_and_repeats_none(landed, displayed):
    there = _until(landed, "gateway-1.json")
    different = {(record["device_id"], record["time"]) for record in there}
    with_firmware = sum("firmware" in record for record in there)

    row = displayed(LESSON, "l08-36").iloc[0].astype(int).tolist()

    assert row == [len(there), len(different), with_firmware, len(there) - with_firmware]


def test_with_merge_schema_one_start_brings_every_line(landed, lines):
    there = str(len(_until(landed, "gateway-3.json")))

    said = _values(lines(LESSON, "l08-44"))

    assert said == {"starts": "1", "lines in the files": there, "readings in bronze": there}


def test_what_does_not_fit_is_rescued_and_the_rest_of_the_row_is_there(lines, displayed):
    assert _values(lines(LESSON, "l08-46")) == {"starts": "1"}  # to rescue never fails
    expected = []
    for record in TROUBLE:
        rescued = _rescued(record)
        fits = [None if name in rescued or name not in record else str(record[name]) for name in FIELDS[:2]]
        text = json.dumps(rescued | {"_file_path": "…/gateway-4.json"}, separators=(",", ":"), ensure_ascii=False)
        expected.append([*fits, text if rescued else None])

    assert displayed(LESSON, "l08-48").values.tolist() == expected


def test_how_often_each_field_is_rescued(landed, displayed):
    there = _until(landed, "gateway-4.json")
    counts = Counter(name for record in there for name in _rescued(record))

    table = displayed(LESSON, "l08-50")

    assert dict(zip(table.field, table.readings.astype(int), strict=True)) == counts
    assert table.field.tolist() == sorted(counts)


def test_a_hint_makes_a_column_for_new_rows_and_old_ones_keep_theirs_rescued(landed, displayed):
    old, new = _until(landed, "gateway-4.json"), landed["gateway-5.json"]
    counts = Counter((None, record.get("firmware")) for record in old)
    counts += Counter((record.get("firmware"), None) for record in new)

    table = displayed(LESSON, "l08-54")

    assert {(row.firmware, row.rescued): int(row.readings) for row in table.itertuples()} == counts


def test_where_a_new_value_ends_up_in_each_mode(landed, displayed):
    every = _until(landed, "supplier.json")
    found = sum(record.get("position") == "ward 7" for record in every)
    expected = {
        "addNewColumns": ["2", len(every), found, 0],  # all files in one batch: one restart
        "addNewColumnsWithTypeWidening": ["2", len(every), found, 0],
        "rescue": ["1", len(every), 0, found],
        "failOnNewColumns": ["never", 0, 0, 0],
        "none": ["1", len(every), 0, 0],
    }

    table = displayed(LESSON, "l08-62").set_index("mode")

    assert {mode: [row.iloc[0], *map(int, row.iloc[1:])] for mode, row in table.iterrows()} == expected


def test_there_are_as_many_lines_as_were_landed(landed, lines):
    assert lines(LESSON, "l08-85") == [f"lines in the files: {len(_until(landed, 'supplier.json'))}"]


def test_the_state_has_the_files_that_landed_before_the_last_run(landed, lines):
    names = list(landed)
    known = names[: names.index("gateway-3.json") + 1]

    said = _values(lines(LESSON, "l08-64"))

    assert said["discovered"] == f"{len(known)} of {len(names)}"
    assert said["not yet"] == str(sorted(set(names) - set(known)))
    assert said["committed"] == str(len(known))


def test_a_line_that_is_cut_is_set_aside_and_the_one_before_it_is_ingested(lines):
    cut = ['{"device_id": 1, "heartrate": 60.5}', '{"device_id": 2, "hea']
    broken = [line for line in cut if not line.endswith("}")]
    there = len(_gateway()) + len(cut) - len(broken)

    ingested, *table = lines(LESSON, "l08-132")
    assert ingested == f"ingested: {there}"
    assert broken[0] in table[3] and "cut.json" in table[3]
