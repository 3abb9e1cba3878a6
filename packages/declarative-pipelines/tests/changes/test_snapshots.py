"""Whole snapshots become the target's rows, and for type 2 its versions."""

from __future__ import annotations

import pytest

from declarative_pipelines.definitions.model import SnapshotFlow, SourceLocation
from declarative_pipelines.engine.auto_cdc import latest_version, merge_snapshot
from declarative_pipelines.engine.change_rows import BadChangeFlow, BadChanges

pytestmark = pytest.mark.slow


@pytest.fixture
def snapshot(spark, new_target):
    """A function that merges snapshots into one target, and the target's name."""
    target = new_target()

    def merge(version, *people, scd_type=2, schema="id INT, name STRING, city STRING", **more):
        flow = SnapshotFlow(
            "f", target, "s", keys=("id",), location=SourceLocation("f.py", 1), scd_type=scd_type, **more
        )
        return merge_snapshot(spark, flow, spark.createDataFrame(list(people), schema), version, target)

    return merge, target


def test_the_last_snapshot_may_come_again_and_an_older_one_not(spark, snapshot, rows, written):
    merge, target = snapshot
    merge(1, (1, "Ada", "Rome"), (2, "Bo", "Oslo"))
    merge(2, (1, "Ada", "Bonn"), (3, "Cy", "Cork"))
    before = rows(target)
    merge(2, (1, "Ada", "Bonn"), (3, "Cy", "Cork"))
    assert (rows(target), written(target)) == (before, (0, 0, 0))
    # Read again it may say something else.
    merge(2, (1, "Ada", "Kyiv"))
    assert rows(target) == {(1, "Ada", "Rome", 1, 2), (1, "Ada", "Kyiv", 2, None), (2, "Bo", "Oslo", 1, 2)}
    assert latest_version(spark, target) == 2
    with pytest.raises(BadChangeFlow, match="snapshot 1 is older than 2"):
        merge(1, (1, "Ada", "Rome"))


def test_a_column_that_is_new_begins_a_version_and_one_that_is_not_tracked_does_not(snapshot, rows):
    merge, target = snapshot
    merge(1, (1, "Ada"), schema="id INT, name STRING")
    merge(2, (1, "Ada", "Rome"))
    assert rows(target) == {(1, "Ada", 1, 2, None), (1, "Ada", 2, None, "Rome")}
    merge(3, (1, "Eve", "Rome"), history_columns=("city",))
    assert rows(target) == {(1, "Ada", 1, 2, None), (1, "Eve", 2, None, "Rome")}


def test_a_key_that_is_missing_or_twice_is_refused(snapshot):
    merge, _ = snapshot
    with pytest.raises(BadChanges, match=r"snapshot 1: 1 rows have a NULL in the key \(id\)"):
        merge(1, (None, "Ada", "Rome"))
    with pytest.raises(BadChanges, match=r"1 rows have a key \(id\) that another row has"):
        merge(1, (1, "Ada", "Rome"), (1, "Ada", "Oslo"))
