"""The generated datasets are those of their cards in datasets/README.md, whose checksums pin every byte."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

DATASETS = Path(__file__).resolve().parents[2] / "datasets"
NAMES = sorted(path.stem.replace("_", "-") for path in DATASETS.glob("*.py"))
MINUTE = pd.Timedelta(minutes=1)


def load(dataset: str) -> ModuleType:
    """Import a generator by its path, as the classroom does."""
    path = DATASETS / f"{dataset.replace('-', '_')}.py"
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
    """Return the files of a part in order: the part itself, or all files below it."""
    return sorted(path for path in part.rglob("*") if path.is_file()) if part.is_dir() else [part]


def parsed(text: str | None) -> dict[str, Any] | None:
    """Return the JSON object in a text, or None if the text is not JSON."""
    try:
        return json.loads(text or "")
    except json.JSONDecodeError:
        return None


def rows_of(part: Path) -> pd.DataFrame:
    """Return the readable rows of a part in the order of delivery, each with the stem of its `file`."""
    if part.suffix == ".csv":
        return pd.read_csv(part)
    lines = [(path.stem, line) for path in files_of(part) for line in path.read_text(encoding="utf-8").splitlines()]
    return pd.DataFrame([{"file": stem} | row for stem, line in lines if (row := parsed(line)) is not None])


def unreadable(part: Path) -> int:
    """Return the number of lines that are not JSON."""
    return sum(line_count(path) for path in files_of(part)) - len(rows_of(part))


def line_count(path: Path) -> int:
    """Return the number of lines of a file; the header of CSV is not counted."""
    return path.read_bytes().count(b"\n") - (path.suffix == ".csv")


def is_late(rows: pd.DataFrame, event_time: str, delay: Any) -> pd.Series:
    """Return which rows are behind the watermark: the newest event time of the files before, less the delay."""
    newest = rows.groupby("file")[event_time].max().cummax().shift()
    return rows[event_time] < rows.file.map(newest) - delay


def card(dataset: str) -> str:
    """Return the section of the README that describes a dataset."""
    text = (DATASETS / "README.md").read_text(encoding="utf-8")
    match = re.search(rf"^## `{dataset}`$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert match, f"datasets/README.md has no card for {dataset}"
    return match[1]


def tables(dataset: str, first_heading: str) -> Iterator[dict[str, list[str]]]:
    """Yield each table of a card whose first column has this heading, as first cell → the other cells."""
    for block in re.findall(r"(?:^\|.*\n)+", card(dataset), re.MULTILINE):
        head, _, *body = ([cell.strip(" `") for cell in line[1:-1].split("|")] for line in block.splitlines())
        if head[0] == first_heading:
            yield {first: rest for first, *rest in body}


def numbers(dataset: str, first_heading: str, columns: int = 1) -> dict[str, list[int]]:
    """Return the numbers in the first columns of a table."""
    rows = next(tables(dataset, first_heading)).items()
    return {name: [int(cell.replace(",", "")) for cell in cells[:columns]] for name, cells in rows}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Generate each dataset once, in folders whose names are not plain ASCII."""
    folders = {name: tmp_path_factory.mktemp("Ordner mit Lücken é 数据") / name for name in NAMES}
    for name, folder in folders.items():
        folder.mkdir()
        load(name).generate(folder)
    return folders


@pytest.mark.slow
@pytest.mark.parametrize("dataset", NAMES)
def test_the_card_has_the_checksum_and_the_seed(dataset: str, generated: dict[str, Path]) -> None:
    facts = next(tables(dataset, ""))
    assert facts["checksum"] == [tree_checksum(generated[dataset])]
    assert facts["generator"][0].endswith(f"seed {load(dataset).SEED}")


@pytest.mark.slow
@pytest.mark.parametrize("dataset", NAMES)
@pytest.mark.parametrize(("added", "is_same"), [(0, True), (1, False)], ids=["same seed", "other seed"])
def test_the_seed_determines_the_bytes(
    dataset: str, added: int, is_same: bool, generated: dict[str, Path], tmp_path: Path
) -> None:
    module = load(dataset)
    module.SEED += added
    module.generate(tmp_path)
    assert (tree_checksum(tmp_path) == tree_checksum(generated[dataset])) == is_same


@pytest.mark.parametrize("dataset", NAMES)
def test_card_and_module_count_the_files_and_rows_of_each_part(dataset: str, generated: dict[str, Path]) -> None:
    sizes, module = {}, load(dataset)
    for part in generated[dataset].iterdir():
        files = files_of(part)
        sizes[part.name] = [len(files), sum(map(line_count, files)), sum(path.stat().st_size for path in files)]
    assert numbers(dataset, "part", columns=3) == sizes
    assert {part: size[:2] for part, size in sizes.items()} == {p: [module.FILES[p], module.ROWS[p]] for p in sizes}


@pytest.mark.parametrize("dataset", NAMES)
def test_the_card_lists_the_fields_and_shows_the_first_rows(dataset: str, generated: dict[str, Path]) -> None:
    fields = load(dataset).FIELDS
    assert list(fields.values()) == [
        ", ".join(f"{name} {cells[0]}" for name, cells in table.items()) for table in tables(dataset, "field")
    ]
    for part, names in fields.items():
        path = files_of(generated[dataset] / part)[0]
        first = path.read_text(encoding="utf-8").splitlines()[: 2 if path.suffix == ".csv" else 1]
        assert f"```{path.suffix[1:]}\n" + "\n".join(first) + "\n```" in card(dataset)
        assert set(rows_of(path).columns) - {"file"} <= set(re.findall(r"(?:^|, )(\w+) ", names))


def count_device_readings(root: Path) -> dict[str, int]:
    rates = rows_of(root / "readings").heartrate
    return {"negative heart rate": (rates < 0).sum(), "missing reading": 12 * 96 * 30 - len(rates)}


def count_activity(root: Path) -> dict[str, int]:
    samples = rows_of(root / "activity-data")
    late = is_late(samples, "Creation_Time", 30 * 60 * 10**9)
    in_time = samples.Creation_Time[~late]
    return {"slightly out of order": (in_time < in_time.cummax()).sum(), "late": late.sum()}


def count_retail(root: Path) -> dict[str, int]:
    changes, orders, statuses = (rows_of(root / part) for part in ("customer-changes", "orders", "order-statuses"))
    delivered_last = changes.groupby("customer_id").last()
    newest = changes.sort_values("sequence").groupby("customer_id").last()
    is_wrong = delivered_last.sequence < newest.sequence
    once = orders.drop_duplicates("order_id")
    known = {*rows_of(root / "customers.csv").customer_id, *changes.customer_id}
    bad = {
        "bad time": ~once.ordered_at.str.endswith("Z"),
        "bad quantity": once["items"].map(lambda items: min(item["quantity"] for item in items) < 1),
        "no customer": once.customer_id.isna(),
        "unknown customer": once.customer_id.notna() & ~once.customer_id.isin(known),
    }
    good = once[~np.logical_or.reduce(list(bad.values()))].set_index("order_id")
    paid = pd.to_datetime(statuses[statuses.status == "paid"].set_index("order_id").changed_at)
    return {name: flags.sum() for name, flags in bad.items()} | {
        "repeated": changes.sequence.duplicated().sum(),
        "out of order": is_wrong.sum(),
        "update after delete": (newest.operation[is_wrong] == "DELETE").sum(),
        "duplicate": orders.order_id.duplicated().sum(),
        "late": (good.ordered_at.str[:10] != good.file).sum(),
        "unreadable": unreadable(root / "orders"),
        "drifting column": orders.coupon.notna().sum(),
        "paid late": (paid - pd.to_datetime(good.ordered_at) > 60 * MINUTE).sum(),
        "never paid": len(set(good.index) - set(paid.index)),
    }


def count_bank(root: Path) -> dict[str, int]:
    rows = rows_of(root / "transactions")
    rows["at"], rows["received"] = pd.to_datetime(rows.event_time), pd.to_datetime(rows.received_at)
    again = rows.transaction_id.duplicated()
    wait = rows.received - rows.transaction_id.map(rows[~again].set_index("transaction_id").received)
    counts = {
        "retried soon": (again & (wait <= 8 * MINUTE)).sum(),
        "retried late": (again & (wait >= 120 * MINUTE)).sum(),
        "late": (is_late(rows, "at", 10 * MINUTE) & ~again).sum(),
        "fraud: testing": 0,
        "fraud: two places": 0,
    }
    for _, mine in rows[~again].sort_values("at").groupby("card_id"):
        for large in mine[mine.amount > 900].itertuples():
            small = mine[(mine.amount < 2) & mine["at"].between(large.at - 5 * MINUTE, large.at)]
            counts["fraud: testing"] += 7 * (len(small) >= 2)
        elsewhere = (mine.country != mine.country.shift()) & (mine["at"].diff() <= 10 * MINUTE)
        counts["fraud: two places"] += 2 * elsewhere.any()
    return counts


def count_wikipedia(root: Path) -> dict[str, int]:
    messages = rows_of(root / "edits")
    values = messages["value"].map(parsed).dropna()
    events = pd.DataFrame(list(values), index=values.index).assign(arrives=messages.timestamp / 1000)
    events["key"] = events.meta.str["id"]
    sound = events[events.timestamp.notna()]
    again = sound.key.duplicated()
    wait = sound.arrives - sound.key.map(sound[~again].set_index("key").arrives)
    return {
        "double": (again & (wait < 15 * 60)).sum(),
        "double, late": (again & (wait >= 15 * 60)).sum(),
        "late": (~again & (sound.arrives - sound.timestamp >= 15 * 60)).sum(),
        "cut off": (messages["value"].str.startswith("{") & ~messages.index.isin(values.index)).sum(),
        "error page": messages["value"].str.startswith("<html>").sum(),
        "no time": len(events) - len(sound),
    }


def count_river(root: Path) -> dict[str, int]:
    levels = rows_of(root / "levels")
    again = levels.duplicated(["station", "measured", "level"]) & levels.level.notna()
    wait = pd.to_datetime(levels.received) - pd.to_datetime(levels.measured)
    return {
        "no level": levels.level.isna().sum(),
        "no value": (levels.level == -999).sum(),
        "millimetres": (levels.level > 1000).sum(),
        "clock ahead": (wait < 0 * MINUTE).sum(),
        "weak battery": (levels.battery < 10.5).sum(),
        "not in the list": (~levels.station.isin(rows_of(root / "stations.json").station)).sum(),
        "late": (~again & (wait > 2 * MINUTE)).sum(),
    }


def count_parcels(root: Path) -> dict[str, int]:
    lines, depots = rows_of(root / "deliveries"), rows_of(root / "depots.csv").set_index("depot_id")
    bad_fee = lines.fee.isna() | (lines.fee < 0)
    unknown = ~lines.depot_id.isin(depots.index)
    good = lines[~bad_fee & lines.delivered_at.notna() & ~unknown]
    is_listed = good.file >= good.depot_id.map(depots.listed_on)
    again = good.duplicated("scan_id")
    waited = good.file.groupby(good.scan_id).transform("min") < good.file
    return {
        "sent again": (again & ~waited).sum(),
        "sent again later": (again & waited).sum(),
        "unreadable": unreadable(root / "deliveries"),
        "no time": lines.delivered_at.isna().sum(),
        "bad fee": bad_fee.sum(),
        "unknown depot": unknown.sum(),
        "not listed yet": good.scan_id.nunique() - good[is_listed].scan_id.nunique(),
    }


def count_partner(root: Path) -> dict[str, int]:
    sales = rows_of(root / "sales")
    return {
        "new field": sales.channel.notna().sum(),
        "amount as text": sales.amount.map(lambda amount: isinstance(amount, str)).sum(),
        "other spelling": sales.Amount.notna().sum(),
        "nested object": sales.buyer.notna().sum(),
        "cut off": unreadable(root / "sales"),
    }


def count_loyalty(root: Path) -> dict[str, int]:
    rows = rows_of(root / "changes")
    rows["key"] = rows.card.str.strip().str.upper().str.replace("-0+", "-", regex=True)
    again = rows.duplicated(["key", "sequence", "changed_at"])
    return {
        "blanks": rows.card.str.contains(" ").sum(),
        "lower case": rows.card.str.contains("[km]").sum(),
        "zeros": rows.card.str.contains("-0").sum(),
        "erased": (rows.email == "-").sum(),
        "repeated in the same file": (again & rows.duplicated(["key", "sequence", "changed_at", "file"])).sum(),
        "repeated in a later file": (again & ~rows.duplicated(["key", "sequence", "changed_at", "file"])).sum(),
        "same sequence": rows[~again].duplicated(["key", "sequence"]).sum(),
    }


def count_bakery(root: Path) -> dict[str, int]:
    beats = rows_of(root / "heartbeats").sort_values(["oven", "at"])
    gap = pd.to_datetime(beats["at"]).groupby(beats.oven).diff()
    was_on = beats.groupby("oven").status.shift() == "on"
    return {
        "short silence": gap.between(2 * MINUTE, 10 * MINUTE).sum(),
        "long silence": (was_on & (gap > 10 * MINUTE)).sum(),
        "switched off": (beats.status == "off").sum(),
    }


def count_night_watch(root: Path) -> dict[str, int]:
    reports = rows_of(root / "reports")
    reports["state"] = reports.stateOperators.map(lambda states: sum(state["numRowsTotal"] for state in states))
    reports["files"] = reports.sources.map(lambda sources: int(sources[0]["metrics"].get("numFilesOutstanding", 0)))
    streams = reports.groupby("name")
    growth = streams[["state", "files"]].last() - streams[["state", "files"]].first()
    return {
        "batches that are too small": streams.size()[streams.numInputRows.mean() < 50].sum(),
        "state without an end": streams.size()[growth.state > 20_000].sum(),
        "limit too low": streams.size()[growth.files > 50].sum(),
        "burst": (reports[reports.name == "invoices"].files > 0).sum(),
    }


@pytest.mark.parametrize("dataset", NAMES)
def test_the_rows_have_the_planned_imperfections_of_the_card(dataset: str, generated: dict[str, Path]) -> None:
    on_card = numbers(dataset, "planned illness" if dataset == "night-watch" else "planned imperfection")
    counts = globals()[f"count_{dataset.replace('-', '_')}"](generated[dataset])
    assert {name: [count] for name, count in counts.items()} == {name: on_card[name] for name in counts}


def test_each_reading_has_a_patient_to_join_with(generated: dict[str, Path]) -> None:
    readings, patients = (rows_of(generated["device-readings"] / part) for part in ("readings", "patients.json"))
    assert set(readings.mrn) == set(patients.mrn)
    assert len(readings.drop_duplicates(["device_id", "mrn"])) == len(patients) == 12


@pytest.mark.slow
def test_both_forms_of_the_activity_hold_the_same_samples(generated: dict[str, Path]) -> None:
    numeric, text = (rows_of(generated["activity"] / part) for part in ("activity-data", "activity-data-stream.json"))
    recorded = pd.to_datetime(text.pop("Recorded_At"), format="ISO8601")
    assert (recorded == pd.to_datetime(numeric.Creation_Time // 10**6, unit="ms", utc=True)).all()
    assert text.equals(numeric[text.columns])


def test_clicks_of_a_session_are_minutes_apart_and_sessions_of_a_customer_far_apart(generated: dict[str, Path]) -> None:
    clicks = rows_of(generated["retail"] / "clickstream").sort_values("event_time")
    clicks["at"] = pd.to_datetime(clicks.event_time)
    sessions = clicks.groupby("session_id").agg(start=("at", "min"), end=("at", "max"), who=("customer_id", "first"))
    sessions = sessions.dropna().sort_values("start")
    pause = sessions.start - sessions.groupby("who").end.shift()
    assert (clicks.groupby("session_id")["at"].diff().dropna() < 5 * MINUTE).all()
    assert pause.notna().any() and (pause.dropna() > 40 * MINUTE).all()


def test_the_totals_of_the_partner_count_the_lines_that_it_sent(generated: dict[str, Path]) -> None:
    totals = rows_of(generated["partner"] / "control.json").set_index("file").records
    sent = {path.name: line_count(path) for path in files_of(generated["partner"] / "sales")}
    assert totals.to_dict() == sent
