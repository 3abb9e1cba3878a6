"""What the customers' table and its history must say, computed from the files of changes without Spark."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

pytestmark = [pytest.mark.lesson("12"), pytest.mark.slow]

LESSON = "12"
COLUMNS = ["name", "email", "city", "segment"]


@pytest.fixture(scope="module")
def deliveries(dataset) -> pd.DataFrame:
    """Every line as it arrived, with the day of its arrival."""
    return pd.concat(
        [
            _changes(path).assign(arrived=path.name)
            for path in sorted((dataset("retail") / "customer-changes").iterdir())
        ],
        ignore_index=True,
    )


@pytest.fixture(scope="module")
def versions(dataset, deliveries) -> pd.DataFrame:
    """Each version of each customer once, the oldest first, with the time at which it ends."""
    snapshot = pd.read_csv(dataset("retail") / "customers.csv", parse_dates=["updated_at"])
    snapshot = snapshot.rename(columns={"updated_at": "changed_at"}).assign(sequence=0, operation="SNAPSHOT")
    once = deliveries.drop(columns="arrived").drop_duplicates("sequence")
    found = pd.concat([snapshot, once], ignore_index=True).sort_values(["customer_id", "changed_at"])
    return found.assign(ends=found.groupby("customer_id").changed_at.shift(-1))


@pytest.fixture(scope="module")
def customers(versions) -> pd.DataFrame:
    """Those who are customers at the end, as they are then."""
    newest = versions.groupby("customer_id").tail(1)
    return newest[newest.operation != "DELETE"]


def test_what_has_landed(displayed, deliveries):
    [said] = displayed(LESSON, "l12-105").to_dict("records")
    counted = {
        "rows": len(deliveries),
        "events": deliveries.sequence.nunique(),
        "customers": deliveries.customer_id.nunique(),
    }
    assert {name: int(said[name]) for name in counted} == counted


def test_the_last_delivery_is_wrong_for_those_whose_newest_change_came_earlier(shown, deliveries):
    last = deliveries.groupby("customer_id").tail(1).set_index("customer_id")
    newest = deliveries.loc[deliveries.groupby("customer_id").sequence.idxmax()].set_index("customer_id")
    wrong = last.join(newest, rsuffix="_newest").query("sequence != sequence_newest")
    expected = (
        wrong[["sequence", "operation", "sequence_newest", "operation_newest"]].sort_index().reset_index().astype(str)
    )
    assert shown(LESSON, "l12-12").values.tolist() == expected.values.tolist()


def test_who_is_deleted_has_a_tombstone(shown, deliveries):
    deleted = deliveries[deliveries.operation == "DELETE"].sort_values("customer_id")
    said = shown(LESSON, "l12-24")
    assert said.customer_id.tolist() == deleted.customer_id.astype(str).tolist()
    assert said.sequence.tolist() == deleted.sequence.astype(str).tolist()
    assert said[["name", "email", "country", "city"]].isna().all(axis=None)


def test_a_late_change_is_between_two_versions(displayed, versions):
    of_one = versions[versions.customer_id == 1006]
    said = displayed(LESSON, "l12-43")
    assert said.sequence.tolist() == of_one.sequence.astype(str).tolist()
    assert said.city.tolist() == of_one.city.tolist()
    assert said.valid_from.tolist() == of_one.changed_at.map(_time).tolist()
    assert said.valid_to.tolist()[:-1] == of_one.ends[:-1].map(_time).tolist()
    assert said.valid_to.tolist()[-1] is None


def test_the_table_that_follows_the_feed_counts_who_is_there(displayed, customers):
    counts = customers.country.value_counts()
    assert _counts(displayed(LESSON, "l12-54")) == counts.to_dict()
    left = customers[customers.customer_id != 1013]
    assert _counts(displayed(LESSON, "l12-160")) == left.country.value_counts().to_dict()


def _changes(path: Path) -> pd.DataFrame:
    return pd.read_json(path, lines=True, convert_dates=["changed_at"])


def _time(moment: pd.Timestamp) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def _counts(said: pd.DataFrame) -> dict[str, int]:
    assert said.customers.tolist() == said.counted_anew.tolist()
    return dict(zip(said.country, said.customers.astype(int), strict=True))
