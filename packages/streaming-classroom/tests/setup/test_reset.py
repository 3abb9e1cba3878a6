from __future__ import annotations

from pathlib import Path

import pytest

from streaming_classroom import workspace
from streaming_classroom.errors import SetupError
from streaming_classroom.files import directories


@pytest.fixture
def home(cache: Path) -> Path:
    """A home as a lesson leaves it."""
    home = directories.claim(directories.home())
    for folder in ("dbfs/user", "logs", "locks", "runs/1/07-Triggers/locks"):
        (home / folder).mkdir(parents=True)
    for lock in ("locks/03.lock", "runs/1/07-Triggers/locks/07.lock"):
        (home / lock).touch()
    return home


def test_a_home_is_removed_whole_and_nothing_beside_it(home: Path, cache: Path) -> None:
    cache.mkdir()
    assert workspace.remove(home) == []
    assert not home.exists()
    assert cache.exists()


def test_where_there_is_none_nothing_happens(cache: Path) -> None:
    assert workspace.remove(directories.home()) is None


@pytest.mark.parametrize(
    ("lock", "lesson"), [("locks/03.lock", "03"), ("runs/1/07-Triggers/locks/07.lock", "07"), ("runs/1/run.lock", "1")]
)
def test_a_home_that_a_live_lesson_uses_is_left_alone(hold_lock, home: Path, lock: str, lesson: str) -> None:
    message = f"Lesson {lesson} is open .* Shut that kernel down"
    with hold_lock(home / lock), pytest.raises(SetupError, match=message):
        workspace.remove(home)
    assert (home / "dbfs").exists()
    assert workspace.remove(home) == []


@pytest.mark.parametrize("folders", [("dags", "logs"), ("dbfs",), ("runs", "locks", "kafka"), ()])
def test_a_folder_that_the_course_has_not_made_is_left_alone_whatever_is_in_it(
    tmp_path: Path, cache: Path, folders: tuple[str, ...]
) -> None:
    somebodys = tmp_path / "airflow"
    for folder in (".", *folders):
        (somebodys / folder).mkdir(parents=True, exist_ok=True)
        (somebodys / folder / "kept.txt").touch()
    with pytest.raises(SetupError, match=r"not a folder that the course has made, so nothing was removed"):
        workspace.remove(somebodys)
    assert all((somebodys / folder / "kept.txt").exists() for folder in (".", *folders))


def test_a_strangers_files_in_a_home_stay_and_the_home_with_them(home: Path) -> None:
    (home / "thesis.tex").touch()
    (home / "data").mkdir()
    assert workspace.remove(home) == [home / "data", home / "thesis.tex"]
    assert sorted(path.name for path in home.iterdir()) == [directories.MARKER, "data", "thesis.tex"]
    assert workspace.remove(home) == [home / "data", home / "thesis.tex"]


def test_what_a_link_in_the_home_leads_to_is_left_alone(home: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "kept.txt").touch()
    (home / "kafka").symlink_to(tmp_path / "elsewhere")
    assert workspace.remove(home) == []
    assert (tmp_path / "elsewhere" / "kept.txt").exists()
