"""The generated datasets are what their cards in datasets/README.md say they are."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

DATASETS = Path(__file__).resolve().parents[1] / "datasets"
MODULES = {"device-readings": "device_readings", "activity": "activity"}
PARTS = [
    ("device-readings", "readings"),
    ("device-readings", "patients.json"),
    ("activity", "activity-data"),
    ("activity", "activity-data-stream.json"),
]
PYTHON_TYPES = {"INT": int, "LONG": int, "DOUBLE": float, "STRING": str, "TIMESTAMP": str}

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
    """Return the files of a part: itself, or what is in it, in order."""
    return sorted(part.iterdir()) if part.is_dir() else [part]


def rows_of(path: Path) -> list[Row]:
    """Return the rows of one JSON-lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


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
    size = [len(files), sum(len(rows_of(f)) for f in files), sum(f.stat().st_size for f in files)]
    assert [number(cell) for cell in next(tables(card(dataset), "part"))[part]] == size
    assert [load(dataset).FILES[part], load(dataset).ROWS[part]] == size[:2]


@pytest.mark.parametrize(("dataset", "part"), PARTS)
def test_every_row_has_the_fields_and_types_of_the_module(dataset: str, part: str, generated: dict[str, Path]) -> None:
    schema = dict(field.split() for field in load(dataset).FIELDS[part].split(", "))
    expected = [(name, PYTHON_TYPES[kind]) for name, kind in schema.items()]
    for path in files_of(generated[dataset] / part):
        for row in rows_of(path):
            assert [(name, type(value)) for name, value in row.items()] == expected


@pytest.mark.parametrize("dataset", MODULES)
def test_the_card_lists_the_fields_of_each_part_in_order(dataset: str) -> None:
    on_card = [
        ", ".join(f"{name} {cells[0]}" for name, cells in table.items()) for table in tables(card(dataset), "field")
    ]
    assert on_card == list(load(dataset).FIELDS.values())


@pytest.mark.parametrize(("dataset", "part"), PARTS)
def test_the_card_shows_the_first_row(dataset: str, part: str, generated: dict[str, Path]) -> None:
    first = files_of(generated[dataset] / part)[0].read_text(encoding="utf-8").splitlines()[0]
    assert f"```json\n{first}\n```" in card(dataset)


@pytest.mark.parametrize("dataset", MODULES)
def test_lines_end_the_same_way_on_every_system(dataset: str, generated: dict[str, Path]) -> None:
    for path in generated[dataset].rglob("*.json"):
        if path.is_file():
            assert path.read_bytes().endswith(b"}\n")
            assert b"\r" not in path.read_bytes()


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
