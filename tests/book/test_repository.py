"""The repository's public address."""

from __future__ import annotations

from pathlib import Path

import pytest

from book.repository import SETTING, Repository, repository_of


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(SETTING, raising=False)
    (tmp_path / "pyproject.toml").write_text('[tool.course]\nrepository = "https://github.com/owner/name"\n')
    return tmp_path


def test_the_project_names_it(project: Path) -> None:
    assert repository_of(project) == Repository("https://github.com/owner/name")


def test_the_environment_goes_before_the_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "https://gitlab.com/a/b.git/")
    assert repository_of(project) == Repository("https://gitlab.com/a/b")


def test_a_project_need_not_have_one(project: Path) -> None:
    (project / "pyproject.toml").write_text("")
    assert repository_of(project) == Repository("")
    assert repository_of(project).url("docs/ci.md") == ""


def test_only_an_address_on_github_has_a_name_there() -> None:
    assert Repository("https://github.com/owner/name").github == "owner/name"
    assert Repository("https://gitlab.com/owner/name").github == ""
