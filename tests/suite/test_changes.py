"""Which tests a change reaches."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from suite.changes import SINCE, Reach, changed_files

FILES = {
    "packages/low/src/low/__init__.py": "",
    "packages/low/src/low/errors.py": "",
    "packages/low/src/low/view.py": "from low import errors\n",
    "packages/low/tests/test_errors.py": "from low.errors import X\n",
    "packages/low/tests/test_view.py": "def test():\n    import low.view\n",
    "packages/low/tests/test_kernel.py": "",
    "packages/high/src/high/__init__.py": "",
    "packages/high/src/high/top.py": "from low.view import see\n",
    "packages/high/src/high/aside.py": "",
    "packages/high/tests/test_top.py": "from high import top\n",
    "packages/high/tests/test_aside.py": "from high import aside\n",
    "packages/high/tests/deep/conftest.py": "import high.top\n",
    "packages/high/tests/deep/test_fixture.py": "",
    "exercises/__init__.py": "",
    "exercises/lesson_05.py": "from high import top\n",
    "notebooks/05-Triggers.ipynb": "{}",
    "notebooks/images/a.svg": "",
    "tests/test_all.py": "",
}
TESTS = sorted(name.rpartition("/")[2] for name in FILES if "/test_" in name)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "reached"),
    [
        ("packages/low/src/low/errors.py", {"test_errors", "test_view", "test_top", "test_fixture"}),
        ("packages/low/src/low/view.py", {"test_view", "test_top", "test_fixture"}),
        ("packages/high/src/high/aside.py", {"test_aside"}),
        ("packages/high/tests/test_aside.py", {"test_aside"}),
        ("packages/high/tests/deep/conftest.py", {"test_fixture"}),
        ("packages/low/tests/test_kernel.py", {"test_kernel"}),
        ("notebooks/images/a.svg", set()),
        ("README.md", set()),
        ("requirements.lock", {name.removesuffix(".py") for name in TESTS}),
        ("packages/low/pyproject.toml", {name.removesuffix(".py") for name in TESTS}),
    ],
)
def test_a_change_reaches_what_imports_it(project: Path, changed: str, reached: set[str]) -> None:
    reach = Reach(project, [changed])
    found = {path.stem for path in project.rglob("test_*.py") if reach.has(path)}
    assert found == reached


def test_a_test_that_runs_more_than_it_imports_is_reached_by_its_package(project: Path) -> None:
    kernel = project / "packages/low/tests/test_kernel.py"
    assert Reach(project, ["packages/low/src/low/view.py"]).has(kernel, by_package=True)
    assert not Reach(project, ["packages/high/src/high/top.py"]).has(kernel, by_package=True)


@pytest.mark.parametrize("changed", ["notebooks/05-Triggers.ipynb", "exercises/lesson_05.py", "exercises/quiz_05.py"])
def test_a_lesson_is_reached_by_its_notebook_and_its_exercises(project: Path, changed: str) -> None:
    reach = Reach(project, [changed])
    test = project / "tests/test_all.py"
    assert reach.has(test, lesson="05") and not reach.has(test, lesson="05L")


def test_a_test_has_changed_itself_where_its_file_or_its_lesson_has(project: Path) -> None:
    reach = Reach(
        project, ["packages/high/src/high/top.py", "packages/high/tests/test_top.py", "exercises/lesson_05.py"]
    )
    changed = {path.stem for path in project.rglob("test_*.py") if reach.changed(path)}
    assert changed == {"test_top"} and reach.changed(project / "tests/test_all.py", lesson="05")


def git(project: Path, *arguments: str, date: str = "2026-11-20T12:00:00") -> None:
    identity = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    environment = {"PATH": "/usr/bin:/bin", "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} | identity
    subprocess.run(["git", *arguments], cwd=project, check=True, env=environment, capture_output=True)


@pytest.fixture
def repository(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a commit of a week ago, one of a day and a half ago, and one of today."""
    monkeypatch.delenv(SINCE, raising=False)
    git(project, "init", "--quiet")
    for date, name in (
        ("2026-11-13T12:00:00", ""),
        ("2026-11-18T20:00:00", "yesterday"),
        ("2026-11-20T12:00:00", "today"),
    ):
        (project / f"{name or 'first'}.py").write_text(name)
        git(project, "add", "-A", date=date)
        git(project, "commit", "--quiet", "-m", "x", date=date)
    return project


def test_before_a_commit_what_is_not_committed_has_changed(repository: Path) -> None:
    assert changed_files(repository) == frozenset()
    (repository / "tests/test_all.py").write_text("1")
    (repository / "new.py").write_text("2")
    assert changed_files(repository) == {"tests/test_all.py", "new.py"}


def test_what_has_landed_is_what_came_within_a_day(repository: Path) -> None:
    assert changed_files(repository, landed=True) == {"today.py"}


def test_the_environment_may_name_the_base(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SINCE, "HEAD~2")
    assert changed_files(repository) == {"yesterday.py", "today.py"}


def test_a_file_that_was_only_moved_has_not_changed(repository: Path) -> None:
    git(repository, "mv", "tests/test_all.py", "tests/test_each.py")
    (repository / "tests/test_each.py").write_text("")
    git(repository, "mv", "packages/low/src/low/view.py", "packages/low/src/low/seen.py")
    assert changed_files(repository) <= {"tests/test_each.py"}


def test_outside_of_git_nobody_can_say(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SINCE, raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(project.parent))
    assert changed_files(project) is None
