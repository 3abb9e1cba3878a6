from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from streaming_classroom.errors import SetupError
from streaming_classroom.files import directories


def test_a_new_folder_and_an_empty_one_are_marked(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "new" / "home", tmp_path / "empty"):
        assert not directories.is_claimed(folder)
        assert directories.claim(folder) == folder
        assert directories.is_claimed(folder)
        (folder / "anything").touch()
        assert directories.claim(folder) == folder


@pytest.mark.parametrize("name", ["dbfs", "logs", "thesis.tex", ".hidden"])
def test_a_folder_with_anything_in_it_is_never_written_into(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(SetupError, match=r"is not empty, and it was not made by the course.* Set CLASSROOM_HOME"):
        directories.claim(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_what_an_older_version_made_can_be_adopted(tmp_path: Path) -> None:
    (tmp_path / "jars").mkdir()
    directories.claim(tmp_path, adopt=True)
    assert directories.is_claimed(tmp_path)


def test_processes_that_begin_together_all_find_it_theirs(tmp_path: Path) -> None:
    def begin(number: int) -> None:
        directories.claim(tmp_path / "home")
        (tmp_path / "home" / str(number)).touch()

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(begin, range(64)))
    assert len(list((tmp_path / "home").iterdir())) == 65


def test_a_session_does_not_start_in_a_strangers_folder(run_python, tmp_path: Path) -> None:
    (tmp_path / "somebodys" / "logs").mkdir(parents=True)
    home = str(tmp_path / "somebodys")
    done = run_python("from streaming_classroom import get_spark\nget_spark()", CLASSROOM_HOME=home)
    assert "was not made by the course" in done.stderr
    assert [path.name for path in (tmp_path / "somebodys").rglob("*")] == ["logs"]


def test_a_writer_that_is_stopped_before_the_end_leaves_what_was_there(tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / "note.json"
    directories.write_atomically(file, "before")

    def killed(_self: Path, _target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        directories.write_atomically(file, "after")
    assert file.read_text(encoding="utf-8") == "before"


@pytest.mark.parametrize(
    ("variable", "place", "default"),
    [
        ("CLASSROOM_CACHE", directories.cache, ".cache"),
        ("CLASSROOM_HOME", directories.home, ".classroom"),
        ("CLASSROOM_WORK", directories.work, "work"),
    ],
)
def test_a_place_is_in_the_project_unless_it_is_moved(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str, place, default: str
) -> None:
    for unset in ("", None):
        monkeypatch.setenv(variable, unset) if unset is not None else monkeypatch.delenv(variable, raising=False)
        assert place() == directories.PROJECT / default
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    assert place() == tmp_path / "elsewhere"
