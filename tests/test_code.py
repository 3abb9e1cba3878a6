"""The form and the types of the code, as `course.py lint` checks them."""

from __future__ import annotations

from pathlib import Path

import pytest

import code_checks


def test_nothing_is_found(capfd: pytest.CaptureFixture[str]) -> None:
    assert code_checks.check_code() == [], capfd.readouterr().out


def test_each_check_finds_what_it_is_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "wrong.py").write_text("import os\ndef f(a:int)->str: return a\n")
    settings = Path(code_checks.PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
    checks = [
        tuple(part.replace(str(code_checks.PROJECT), str(tmp_path)) for part in check) for check in code_checks.CHECKS
    ]
    monkeypatch.setattr(code_checks, "CHECKS", checks)
    monkeypatch.setattr(code_checks, "SOURCES", [str(tmp_path / "wrong.py")])
    assert code_checks.check_code() == ["ruff check", "ruff format", "mypy"]
    said = capfd.readouterr().out
    assert "F401" in said and "wrong.py" in said and "return-value" in said


def test_of_a_lesson_its_exercises_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / "lesson_05l.py").write_text("import os\nx=1\n")
    (tmp_path / "exercises" / "quiz_06.py").write_text("x = 1\n")
    monkeypatch.setattr(code_checks, "PROJECT", tmp_path)
    assert code_checks.check_exercises(["05L", "notebooks/06-Windows.ipynb"]) == ["ruff check", "ruff format"]
    assert "lesson_05l.py" in capfd.readouterr().out
    assert code_checks.check_exercises(["06"]) == [] == code_checks.check_exercises(["99"])
