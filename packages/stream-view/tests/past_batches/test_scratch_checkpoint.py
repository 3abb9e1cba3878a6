from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from stream_view.scratch_checkpoint import _needed_files, copy_checkpoint


def test_of_the_state_only_what_a_version_is_loaded_from_is_needed() -> None:
    files = ["1.delta", "2.delta", "3.snapshot", "3.delta", "4.delta", "5.delta", ".4.delta.crc", "_metadata/schema"]
    assert set(_needed_files([f"state/0/0/{name}" for name in files], 4)) == {
        f"state/0/0/{name}" for name in ("3.snapshot", "3.delta", "4.delta", ".4.delta.crc", "_metadata/schema")
    }


def test_each_partition_has_its_own_snapshots() -> None:
    names = [
        "state/0/0/1.delta",
        "state/0/0/2.zip",
        "state/0/1/1.delta",
        "state/0/1/2.delta",
        "state/0/1/2_ab.changelog",
    ]
    assert set(_needed_files(names, 2)) == set(names) - {"state/0/0/1.delta"}


@pytest.fixture
def original(tmp_path: Path) -> Path:
    folder = tmp_path / "original"
    for name in ("offsets/0", "offsets/1", "offsets/2", "commits/0", "commits/1", "sources/0/0", "state/0/0/1.delta",
                 "state/0/0/2.delta", "metadata"):  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


def test_the_copy_ends_in_the_middle_of_the_batch_and_has_an_id_of_its_own(
    spark: SparkSession, original: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    copy_checkpoint(spark, original.as_uri(), copy.as_uri(), 1)
    names = {path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file() and path.suffix != ".crc"}
    assert names == {"offsets/0", "offsets/1", "commits/0", "sources/0/0", "state/0/0/1.delta", "metadata"}
    assert (copy / "offsets/1").read_text() == "offsets/1"
    assert (copy / "metadata").read_text() != "metadata"
