"""The release of a package, from a repository of the test's own."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

import release

pytestmark = pytest.mark.kernel  # each builds, which takes seconds

PROJECT = Path(__file__).parents[1]
CHANGELOG = "# Changelog\n\n## 0.1.0, 2026-01-31\n\n* All.\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Make a repository with spark-hooks, ready to be released."""
    folder = tmp_path / "repository" / "packages" / "spark-hooks"
    ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info", ".pytest_cache")
    shutil.copytree(PROJECT / "packages" / "spark-hooks", folder, ignore=ignored)
    (folder / "CHANGELOG.md").write_text(CHANGELOG)
    root = folder.parents[1]
    shutil.copy(PROJECT / ".gitignore", root)
    git(root, "init", "--quiet")
    commit(root)
    return root


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    command = ["git", *identity, *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def commit(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "a step", "--allow-empty")


def change(root: Path, file: str, old: str, new: str) -> None:
    path = root / "packages" / "spark-hooks" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def run(root: Path, capsys, *options: str) -> tuple[int, str]:
    code = release.main(["spark-hooks", *options], project=root)
    return code, capsys.readouterr().out


def test_a_dry_run_builds_checks_and_changes_nothing(repository: Path, capsys, tmp_path: Path) -> None:
    code, said = run(repository, capsys, "--out", str(tmp_path / "dist"))
    assert (code, said.splitlines()[-1]) == (0, "Nothing is wrong. With --tag, this makes the tag spark-hooks-v0.1.0.")
    assert {path.name for path in (tmp_path / "dist").iterdir() if path.name != ".gitignore"} == {
        "streaming_classroom_spark_hooks-0.1.0-py3-none-any.whl",
        "streaming_classroom_spark_hooks-0.1.0.tar.gz",
    }
    assert git(repository, "tag") == "" == git(repository, "status", "--porcelain")


def test_with_tag_the_commit_is_tagged_once(repository: Path, capsys, monkeypatch) -> None:
    for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"):
        monkeypatch.setenv(name, "Test")
    for name in ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(name, "test@example.org")
    assert run(repository, capsys, "--tag")[0] == 0
    assert git(repository, "tag") == "spark-hooks-v0.1.0"
    assert git(repository, "rev-parse", "spark-hooks-v0.1.0^{commit}") == git(repository, "rev-parse", "HEAD")
    code, said = run(repository, capsys, "--tag")
    assert code == 1 and "raise the version: there is a tag spark-hooks-v0.1.0 already" in said


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("CHANGELOG.md", "2026-01-31", "unreleased", "date the changelog"),
        ("CHANGELOG.md", "0.1.0", "0.0.9", "begin the changelog with '## 0.1.0, ' and the date"),
        ("pyproject.toml", 'version = "0.1.0"', 'version = "0.2.0"', "begin the changelog with '## 0.2.0, '"),
        ("pyproject.toml", 'readme = "README.md"\n', "", "it has no README in Markdown"),
        ("pyproject.toml", 'requires-python = ">=3.11"\n', "", "it has no requires-python"),
        ("pyproject.toml", 'spark_hooks = ["py.typed"]', "", "lacks spark_hooks/py.typed"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_tagged(repository: Path, capsys, file, old, new, says) -> None:
    change(repository, file, old, new)
    if "py.typed" in says:
        (repository / "packages" / "spark-hooks" / "src" / "spark_hooks" / "py.typed").unlink()
    commit(repository)
    code, said = run(repository, capsys, "--tag")
    assert code == 1 and says in said
    assert git(repository, "tag") == ""


def test_what_is_not_committed_stops_a_release(repository: Path, capsys) -> None:
    (repository / "packages" / "spark-hooks" / "new.py").touch()
    code, said = run(repository, capsys)
    assert code == 1 and "commit or put away what is changed" in said and "new.py" in said


def test_a_wheel_with_tests_or_without_a_license_is_noticed(repository: Path, tmp_path: Path) -> None:
    given = release.read("spark-hooks", repository)
    source, wheel = release.build(given, tmp_path / "dist")
    assert list(release.distribution_problems(given, [source, wheel])) == []
    with zipfile.ZipFile(wheel) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in {**content, "spark_hooks/tests/test_a.py": b""}.items():
            if "LICENSE" not in name:
                archive.writestr(name, data)
    problems = list(release.distribution_problems(given, [source, wheel]))
    assert len(problems) == 2 and "licenses/LICENSE" in problems[0] and "tests/test_a.py, which nobody" in problems[1]


@pytest.mark.parametrize("package", sorted(path.parent.name for path in PROJECT.glob("packages/*/pyproject.toml")))
def test_each_package_builds_into_what_an_index_would_take(package: str, tmp_path: Path) -> None:
    source = tmp_path / "packages" / package
    ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info", ".pytest_cache", ".hypothesis")
    shutil.copytree(PROJECT / "packages" / package, source, ignore=ignored)
    given = release.read(package, tmp_path)
    assert list(release.distribution_problems(given, release.build(given, tmp_path / "dist"))) == []
