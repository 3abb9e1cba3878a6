from __future__ import annotations

from pathlib import Path

import pytest

from streaming_classroom import places


def test_the_project_is_this_checkout() -> None:
    assert Path(__file__).resolve().parents[3] == places.PROJECT
    assert places.notebooks() == places.PROJECT / "notebooks"


@pytest.mark.parametrize(
    ("variable", "place", "default"),
    [
        ("CLASSROOM_CACHE", places.cache, ".cache"),
        ("CLASSROOM_HOME", places.home, ".classroom"),
        ("CLASSROOM_WORK", places.work, "work"),
    ],
)
def test_a_place_is_in_the_project_unless_it_is_moved(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str, place, default: str
) -> None:
    for unset in ("", None):
        monkeypatch.setenv(variable, unset) if unset is not None else monkeypatch.delenv(variable, raising=False)
        assert place() == places.PROJECT / default
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    assert place() == tmp_path / "elsewhere"


def test_a_relative_home_is_taken_from_the_current_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLASSROOM_HOME", "home")
    assert places.home() == tmp_path / "home"
    assert places.logs() == tmp_path / "home" / "logs"
