"""A feed that is split over updates in any way converges to the table of one update, and to the oracle in plain Python.

The keys of a feed are its own, so many feeds go through one pipeline, each split and ordered by its own draw.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import astuple

import pytest

from change_oracle import Change, type_1, type_2

from ..conftest import Pipeline

FEEDS = 60  # every second one with ties
UPDATES = 3
KEYS = 4  # of one feed
SCHEMA = "id INT, seq LONG, op STRING, name STRING, city STRING"
# Each kind of flow reads the same changes.
KINDS = {
    "one": ("stored_as_scd_type=1", lambda log: type_1(log)),
    "two": ("stored_as_scd_type=2", lambda log: type_2(log)),
    "partial": ("stored_as_scd_type=1, ignore_null_updates=True", lambda log: type_1(log, ignore_nulls=True)),
    "untracked": (
        "stored_as_scd_type=2, track_history_except_column_list=['name']",
        lambda log: type_2(log, tracked=("city",)),
    ),
}
FLOWS = "\n".join(
    f"dlt.create_streaming_table('{name}')\n"
    f"dlt.apply_changes(target='{name}', source='feed', keys=['id'], sequence_by='seq',\n"
    f"    apply_as_deletes=\"op = 'D'\", except_column_list=['op', 'seq'], {how})"
    for name, (how, _) in KINDS.items()
)


def feed(chance: random.Random, number: int, ties: bool) -> list[Change]:
    """Return a feed: upserts, deletes, NULLs, repeated changes; with ties, two of a key may have one sequence."""
    log = []
    for key in range(number * KEYS, (number + 1) * KEYS):
        count = chance.randint(1, 6)
        sequences = chance.choices(range(5), k=count) if ties else chance.sample(range(12), count)
        for seq in sequences:
            deletes = chance.random() < 0.3
            values = (None, None) if deletes else (chance.choice((None, "a", "b")), chance.choice((None, "c", "d")))
            log.append(Change(key, seq, "D" if deletes else "U", *values))
    return log + chance.sample(log, chance.randint(0, min(3, len(log))))


def split(chance: random.Random, log: Sequence[Change]) -> list[list[Change]]:
    """Return the changes of a feed by update: in one, cut anywhere, or each drawn by itself, and in any order."""
    order = list(log) if chance.random() < 0.3 else chance.sample(log, len(log))
    if chance.random() < 0.5:
        cuts = sorted(chance.choices(range(len(order) + 1), k=UPDATES - 1))
        return [order[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(order)], strict=True)]
    drawn = [chance.randrange(UPDATES) for _ in order]
    return [
        [change for change, update in zip(order, drawn, strict=True) if update == number] for number in range(UPDATES)
    ]


def tables(pipeline: Pipeline, batches: Sequence[Sequence[Change]]) -> dict[str, set[tuple]]:
    """Run an update for each batch, in a pipeline that has nothing yet; return the rows of each target."""
    pipeline.write(FLOWS)
    for name in ("feed", *KINDS):
        for table in (name, f"__changes_{name}"):
            pipeline.spark.sql(f"DROP TABLE IF EXISTS {pipeline.database}.{table}")
    for number, batch in enumerate(batches):
        frame = pipeline.spark.createDataFrame([astuple(change) for change in batch], SCHEMA)
        frame.coalesce(1).write.mode("append").saveAsTable(f"{pipeline.database}.feed")
        pipeline.run(full_refresh_all=number == 0).raise_if_failed()
    found = {name: [tuple(row) for row in pipeline.table(name).collect()] for name in KINDS}
    assert all(len(rows) == len(set(rows)) for rows in found.values())
    return {name: set(rows) for name, rows in found.items()}


@pytest.mark.slow
def test_feeds_converge_however_they_are_split(pipeline: Pipeline) -> None:
    chance = random.Random("feeds")
    feeds = [feed(chance, number, ties=number % 2 == 1) for number in range(FEEDS)]
    splits = [split(chance, log) for log in feeds]
    batches = [[change for one in splits for change in one[number]] for number in range(UPDATES)]
    split_over_updates = tables(pipeline, batches)
    in_one_update = tables(pipeline, [[change for log in feeds for change in log]])
    assert split_over_updates == in_one_update
    # Of two changes with one sequence the platform says nothing, so the oracle neither.
    untied = [change for log in feeds[::2] for change in log]
    keys = {change.id for change in untied}
    for name, (_, expected) in KINDS.items():
        assert {row for row in in_one_update[name] if row[0] in keys} == expected(untied), name
