"""The locks and what they are made from belong together, and the command that makes them works."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
GROUPS = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
LOCKS = {"": "requirements.lock", **{group: f"requirements-{group}.lock" for group in GROUPS}}
PIN = re.compile(r"(?P<name>[\w.-]+)(\[[\w,]+\])?==(?P<version>[\w.]+)")


def learners() -> list[str]:
    lines = (PROJECT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def members(group: str) -> list[str]:
    """Return the pins of a group and of those that it includes."""
    return [pin for entry in GROUPS[group] for pin in ([entry] if isinstance(entry, str) else members(*entry.values()))]


def pins(group: str) -> list[str]:
    return members(group) if group else learners()


def locked(lock: Path) -> dict[str, set[str]]:
    """Return the versions that a lock has of each package: two where Pythons differ."""
    versions: dict[str, set[str]] = {}
    for found in re.finditer(rf"^{PIN.pattern}", lock.read_text(encoding="utf-8"), re.MULTILINE):
        versions.setdefault(found["name"], set()).add(found["version"])
    return versions


def disagreements(wanted: list[str], lock: Path) -> list[str]:
    """Return the pins that a lock does not have at this version, or that are none."""
    there = locked(lock)
    found = [(pin, PIN.match(pin)) for pin in wanted]
    return [pin for pin, match in found if not match or there.get(match["name"].lower()) != {match["version"]}]


@pytest.mark.parametrize("group", LOCKS)
def test_each_pin_is_in_its_lock_with_the_same_version(group: str) -> None:
    assert pins(group)
    assert disagreements(pins(group), PROJECT / LOCKS[group]) == []


@pytest.mark.parametrize("pin", ["rich==14.0.0  # older", "rich>=15", "nowhere==1"])
def test_a_pin_that_the_lock_has_not_is_found(pin: str) -> None:
    assert disagreements([*learners(), pin], PROJECT / "requirements.lock") == [pin]


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_wants_nothing_at_another_version_than_learners_have_it(group: str) -> None:
    """A learner's environment must not change when a group is added."""
    theirs = locked(PROJECT / "requirements.lock")
    both = {name: versions for name, versions in locked(PROJECT / LOCKS[group]).items() if name in theirs}
    assert both == {name: theirs[name] for name in both}


@pytest.mark.parametrize("lock", LOCKS.values())
def test_everything_in_a_lock_has_a_hash_and_nothing_says_where_it_was_made(lock: str) -> None:
    first, *lines = (PROJECT / lock).read_text(encoding="utf-8").splitlines()
    assert first.startswith("# Made by `python tools/lock.py`")
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        assert re.fullmatch(r"[\w.-]+==[\w.]+( ; [^/\\]*)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?", line)
        assert after.startswith("    --hash=") == line.endswith("\\")


def test_every_requirement_has_its_reason() -> None:
    assert [line for line in learners() if not re.search(r"\s# \w", line)] == []
    text = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    for pin in {pin for group in GROUPS for pin in members(group)}:
        assert re.search(rf'"{re.escape(pin)}",\s*# \w', text)


def test_each_group_that_a_command_needs_has_a_lock() -> None:
    spec = importlib.util.spec_from_file_location("course_for_its_groups", PROJECT / "course.py")
    course = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(course)
    assert set(course.GROUPS.values()) == set(GROUPS)


def test_what_builds_is_locked_as_the_project_needs_it() -> None:
    """Nothing is fetched for a build but what the lock lists, so that must do."""
    projects = [tomllib.loads(path.read_text(encoding="utf-8")) for path in PROJECT.glob("packages/*/pyproject.toml")]
    assert [project["build-system"]["requires"] for project in projects] == [["setuptools>=77"]] * len(projects)
    (version,) = locked(PROJECT / "requirements.lock")["setuptools"]
    assert int(version.split(".")[0]) >= 77


@pytest.fixture
def tiny_project(tmp_path: Path) -> Path:
    """A project with the tool, a requirement and groups that are wheels in a folder."""
    pytest.importorskip("uv")
    (tmp_path / "tools").mkdir()
    shutil.copy(PROJECT / "tools" / "lock.py", tmp_path / "tools")
    (tmp_path / "requirements.txt").write_text("a==1  # why\n", encoding="utf-8")
    groups = 'dev = ["b==1"]\nlint = ["c==1"]\nbench = ["c==1"]\nbook = ["c==1"]\n'
    (tmp_path / "pyproject.toml").write_text(f"[dependency-groups]\n{groups}", encoding="utf-8")
    # b cannot do with the newest of what a takes any version of.
    for name, version, needs in (("a", 1, "d"), ("b", 1, "d<2"), ("c", 1, ""), ("d", 1, ""), ("d", 2, "")):
        make_wheel(tmp_path / "wheels", name, version, needs)
    return tmp_path


def make_wheel(folder: Path, name: str, version: int | str, needs: str) -> None:
    folder.mkdir(exist_ok=True)
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + (
        f"Requires-Dist: {needs}\n" * bool(needs)
    )
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


def make_locks(project: Path, *more: str) -> dict[str, dict[str, set[str]]]:
    options = [*more, "--no-index", f"--find-links={project / 'wheels'}", "--no-cache"]
    subprocess.run([sys.executable, project / "tools" / "lock.py", *options], check=True, timeout=60)
    return {name: locked(project / lock) for name, lock in LOCKS.items()}


def test_the_command_in_the_first_line_makes_locks_that_agree(tiny_project: Path) -> None:
    locks = make_locks(tiny_project)
    assert locks == {
        "": {"a": {"1"}, "d": {"1"}},
        "dev": {"b": {"1"}, "d": {"1"}},
        "lint": {"c": {"1"}},
        "bench": {"c": {"1"}},
        "book": {"c": {"1"}},
    }
    text = (tiny_project / "requirements.lock").read_text(encoding="utf-8")
    assert text.count("--hash=sha256:") == 2
    assert str(tiny_project) not in text
    assert make_locks(tiny_project) == locks
    assert (tiny_project / "requirements.lock").read_text(encoding="utf-8") == text


def test_with_patches_the_newest_patch_releases_are_taken_and_the_sources_stay(tiny_project: Path) -> None:
    for name, version in (("e", "1.0.0"), ("e", "1.0.7"), ("e", "1.1.0"), ("f", "2.3.4"), ("f", "2.3.5")):
        make_wheel(tiny_project / "wheels", name, version, "")
    sources = [tiny_project / "requirements.txt", tiny_project / "pyproject.toml"]
    sources[0].write_text("a==1\ne==1.0.0  # why\n", encoding="utf-8")
    sources[1].write_text(
        '[dependency-groups]\ndev = ["b==1"]\nlint = ["f==2.3.4"]\nbench = []\nbook = []\n', encoding="utf-8"
    )
    before = [source.read_text(encoding="utf-8") for source in sources]
    assert make_locks(tiny_project)[""]["e"] == {"1.0.0"}
    locks = make_locks(tiny_project, "--patches")
    assert (locks[""]["e"], locks["lint"]["f"]) == ({"1.0.7"}, {"2.3.5"})
    assert [source.read_text(encoding="utf-8") for source in sources] == before
    assert str(tiny_project) not in (tiny_project / "requirements.lock").read_text(encoding="utf-8")
    assert "edit requirements.txt instead" in (tiny_project / "requirements.lock").read_text(encoding="utf-8")
