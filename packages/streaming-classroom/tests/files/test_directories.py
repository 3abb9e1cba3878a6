from __future__ import annotations

from pathlib import Path

import pytest

from streaming_classroom.files import directories


def test_the_project_is_this_checkout() -> None:
    assert Path(__file__).resolve().parents[4] == directories.PROJECT
    assert directories.notebooks() == directories.PROJECT / "notebooks"


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


def test_a_relative_home_is_taken_from_the_current_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLASSROOM_HOME", "home")
    assert directories.home() == tmp_path / "home"
    assert directories.logs() == tmp_path / "home" / "logs"
