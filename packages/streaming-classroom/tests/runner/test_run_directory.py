from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from streaming_classroom.errors import SetupError
from streaming_classroom.runner import find
from streaming_classroom.runner.find import KEPT, new_run


@pytest.fixture(autouse=True)
def each_begins_a_second_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs that begin one after the other have names in this order."""
    seconds = itertools.count(10)
    monkeypatch.setattr(find.time, "strftime", lambda _format: f"20250101-0000{next(seconds)}")


def test_a_run_that_is_still_going_is_not_removed_by_the_many_that_follow(tmp_path: Path) -> None:
    with new_run(tmp_path / "home") as going:
        (going / "07").mkdir()
        for _run in range(KEPT + 3):
            with new_run(tmp_path / "home") as directory:
                assert directory.is_dir()
        assert (going / "07").is_dir()
        assert len(list(going.parent.iterdir())) == KEPT + 1
    with new_run(tmp_path / "home"):
        assert not going.exists()


def test_what_is_not_a_runs_stays(tmp_path: Path) -> None:
    with new_run(tmp_path / "home") as first:
        (first.parent / "0-notes").mkdir()
        (tmp_path / "elsewhere").mkdir()
        (first.parent / "20200101-000000-abcdef").symlink_to(tmp_path / "elsewhere")
    for _run in range(KEPT + 2):
        with new_run(tmp_path / "home"):
            pass
    assert (first.parent / "0-notes").is_dir() and (tmp_path / "elsewhere").is_dir()
    assert (first.parent / "20200101-000000-abcdef").is_symlink()


def test_a_strangers_folder_is_no_place_for_runs(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(SetupError), new_run(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
