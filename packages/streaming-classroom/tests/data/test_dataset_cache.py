"""The cache of the generated datasets (datasets.py); what the generators make is tested in test_datasets.py."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from streaming_classroom.data import datasets
from streaming_classroom.errors import NotAvailable

CLICKS = ["clicks/day=1/hour=7/c.json", "clicks/day=1/hour=8/c.json", "clicks/day=2/hour=7/c.json"]
GENERATOR = """
FIELDS = {"readings": "id INT", "patients.json": "name STRING", "clicks": "id INT"}

def generate(directory):
    (directory / "readings").mkdir()
    for name in ("b.json", "a.json"):
        (directory / "readings" / name).write_text('{"id": 1}')
    (directory / "patients.json").write_text('{"name": "Ann"}')
    for hour in ("day=2/hour=7", "day=1/hour=8", "day=1/hour=7"):
        (directory / "clicks" / hour).mkdir(parents=True)
        (directory / "clicks" / hour / "c.json").write_text('{"id": 1}')
"""


@pytest.fixture(autouse=True)
def generators(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, clean_environment: None) -> Path:
    """Have one dataset, "small-one", an empty cache and an empty home."""
    monkeypatch.setenv("CLASSROOM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CLASSROOM_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(datasets, "GENERATORS", tmp_path / "generators")
    monkeypatch.setattr(datasets, "OLDER_PATHS", {"dbfs:/mnt/training/old": "small-one"})
    (tmp_path / "generators").mkdir()
    (tmp_path / "generators" / "small_one.py").write_text(GENERATOR)
    return tmp_path / "generators"


def test_a_dataset_is_generated_once(generators: Path) -> None:
    made = datasets.generate("small-one")
    (made / "mark").touch()
    assert datasets.generate("small-one") == made
    assert (made / "mark").exists()


def test_an_edited_generator_runs_again(generators: Path) -> None:
    made = datasets.generate("small-one")
    (generators / "small_one.py").write_text(GENERATOR.replace("Ann", "Bea"))
    assert datasets.generate("small-one") != made
    assert "Bea" in (datasets.generate("small-one") / "patients.json").read_text()


def test_a_generator_that_fails_half_way_leaves_nothing(generators: Path, tmp_path: Path) -> None:
    (generators / "small_one.py").write_text(GENERATOR + "    raise OSError('disk full')\n")
    with pytest.raises(OSError, match="disk full"):
        datasets.generate("small-one")
    assert list((tmp_path / "cache" / "datasets").iterdir()) == []


def test_an_unknown_dataset_names_those_that_exist() -> None:
    with pytest.raises(NotAvailable, match=r"no dataset 'cats'\. Use one of: small-one"):
        datasets.generate("cats")


@pytest.mark.parametrize("part", ["small-one", "small-one/", "small-one/reading"])
@pytest.mark.parametrize("question", [datasets.batches, datasets.schema])
def test_an_unknown_part_names_those_that_exist(part: str, question) -> None:
    with pytest.raises(NotAvailable, match=r"small-one/readings, small-one/patients\.json"):
        question(part)


def test_the_batches_of_a_part_are_its_files_in_order() -> None:
    assert [batch.name for batch in datasets.batches("small-one/readings")] == ["a.json", "b.json"]
    [batch] = datasets.batches("small-one/patients.json")
    assert dict(batch.files) == {"patients.json": datasets.generate("small-one") / "patients.json"}
    assert datasets.schema("small-one/readings") == "id INT"


def test_a_directory_of_a_part_is_one_batch() -> None:
    batches = datasets.batches("small-one/clicks")
    assert [list(batch.files) for batch in batches] == [
        ["day=1/hour=7/c.json", "day=1/hour=8/c.json"],
        ["day=2/hour=7/c.json"],
    ]


def test_registering_puts_every_file_below_each_of_its_paths(tmp_path: Path) -> None:
    assert datasets.register() == "dbfs:/mnt/training/streaming-classroom"
    for folder in ("streaming-classroom/small-one", "old"):
        there = tmp_path / "home/dbfs/mnt/training" / folder
        files = sorted(path.relative_to(there).as_posix() for path in there.rglob("*.json"))
        assert files == [*CLICKS, "patients.json", "readings/a.json", "readings/b.json"]


def test_registered_files_have_times_in_the_order_of_their_names_whoever_copies_them(tmp_path: Path) -> None:
    """Spark reads files in the order of their times, in milliseconds."""
    datasets.register()
    there = tmp_path / "home/dbfs/mnt/training/streaming-classroom/small-one"
    (there / "readings" / "a.json").unlink()
    datasets.register()
    milliseconds = [path.stat().st_mtime_ns // 1_000_000 for path in sorted(there.rglob("*.json"))]
    assert milliseconds == sorted(set(milliseconds)) and milliseconds[-1] <= time.time() * 1000


def test_registering_again_mends_what_was_damaged_and_leaves_the_rest(tmp_path: Path) -> None:
    datasets.register()
    there = tmp_path / "home/dbfs/mnt/training/streaming-classroom/small-one"
    kept = (there / "readings" / "b.json").stat()
    (there / "patients.json").write_text('{"name": "Eve"}')  # of the same size
    (there / "readings" / "a.json").unlink()
    datasets.register()
    assert (there / "patients.json").read_text() == '{"name": "Ann"}'
    assert (there / "readings" / "a.json").exists()
    assert (there / "readings" / "b.json").stat() == kept


def test_after_a_generator_has_changed_old_and_new_files_are_not_together(generators: Path, tmp_path: Path) -> None:
    datasets.register()
    there = tmp_path / "home/dbfs/mnt/training/streaming-classroom/small-one"
    (there / "mine.json").write_text("{}")
    changed = GENERATOR.replace('("b.json", "a.json")', '("c.json", "a.json")').replace('"Ann"', '"Bea"')
    (generators / "small_one.py").write_text(changed)
    datasets.register()
    files = sorted(path.relative_to(there).as_posix() for path in there.rglob("*.json"))
    assert files == [*CLICKS, "mine.json", "patients.json", "readings/a.json", "readings/c.json"]
    assert (there / "patients.json").read_text() == '{"name": "Bea"}'  # of the same size as before


def test_a_note_removes_nothing_outside_of_the_folder(tmp_path: Path) -> None:
    datasets.register()
    outside = tmp_path / "kept.json"
    outside.touch()
    folders = [tmp_path / "home/dbfs/mnt/training" / name for name in ("old", "streaming-classroom/small-one")]
    names = [str(outside), *(os.path.relpath(outside, folder) for folder in folders), "patients.json"]
    for note in (tmp_path / "home" / "registered").glob("*.json"):
        note.write_text(json.dumps(names))
    datasets.register()
    assert outside.exists()
    assert all((folder / "patients.json").read_text() == '{"name": "Ann"}' for folder in folders)


def test_editing_a_registered_file_leaves_the_cache_as_it_was(tmp_path: Path) -> None:
    datasets.register()
    with (tmp_path / "home/dbfs/mnt/training/old/patients.json").open("a") as file:
        file.write("{}")
    assert (datasets.directory("small-one") / "patients.json").read_text() == '{"name": "Ann"}'


@pytest.mark.parametrize("linked", ["small-one", "."])  # the dataset's folder, or the one above it
def test_a_link_to_somebodys_own_data_is_left_alone(generators: Path, tmp_path: Path, linked: str) -> None:
    datasets.register()
    there = tmp_path / "home/dbfs/mnt/training/streaming-classroom" / linked
    there.rename(tmp_path / "own")
    there.symlink_to(tmp_path / "own")
    own = (there / "small-one" if linked == "." else there).resolve()
    (own / "patients.json").write_text("mine")
    (generators / "small_one.py").write_text(GENERATOR.replace('"b.json"', '"c.json"'))
    datasets.register()
    assert (own / "patients.json").read_text() == "mine"
    assert (own / "readings" / "b.json").exists()


def test_a_connect_server_is_told_the_files_themselves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://localhost:15002")
    assert datasets.register() == f"file:{tmp_path}/home/dbfs/mnt/training/streaming-classroom"
