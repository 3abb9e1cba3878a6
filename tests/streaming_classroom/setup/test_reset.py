from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from streaming_classroom import places
from streaming_classroom.errors import SetupError
from streaming_classroom.setup import reset

HOLD = """
import sys
from filelock import FileLock
with FileLock(sys.argv[1]):
    print("up", flush=True)
    input()
"""


@pytest.fixture
def home(cache: Path) -> Path:
    """A home as a lesson leaves it."""
    home = places.home()
    for folder in ("dbfs/user", "logs", "locks", "runs/1/07-Triggers/locks"):
        (home / folder).mkdir(parents=True)
    for lock in ("locks/03.lock", "runs/1/07-Triggers/locks/07.lock"):
        (home / lock).touch()
    return home


def test_a_home_is_removed_whole_and_nothing_beside_it(home: Path, cache: Path) -> None:
    cache.mkdir()
    assert reset.remove(home)
    assert not home.exists()
    assert cache.exists()


def test_where_there_is_none_nothing_happens(cache: Path) -> None:
    assert not reset.remove(places.home())


@pytest.mark.parametrize(("lock", "lesson"), [("locks/03.lock", "03"), ("runs/1/07-Triggers/locks/07.lock", "07")])
def test_a_home_that_a_live_lesson_uses_is_left_alone(home: Path, lock: str, lesson: str) -> None:
    command = [sys.executable, "-c", HOLD, str(home / lock)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as kernel:
        assert kernel.stdout is not None
        kernel.stdout.readline()
        with pytest.raises(SetupError, match=f"Lesson {lesson} is open .* Shut that kernel down"):
            reset.remove(home)
        kernel.kill()
    assert (home / "dbfs").exists()
    assert reset.remove(home)


def test_a_directory_with_other_things_in_it_is_left_alone(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(SetupError, match=r"does not look like .* nothing was removed"):
        reset.remove(tmp_path)
    assert (tmp_path / "thesis.tex").exists()


def test_a_directory_above_the_users_own_is_left_alone(tmp_path: Path, cache: Path, monkeypatch) -> None:
    (tmp_path / "logs").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    with pytest.raises(SetupError, match="nothing was removed"):
        reset.remove(tmp_path)


def test_a_home_that_cannot_be_removed_is_one_sentence(home: Path, read_only) -> None:
    read_only(home / "dbfs")
    with pytest.raises(SetupError, match=r"could not be removed: .* by hand"):
        reset.remove(home)
