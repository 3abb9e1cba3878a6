"""The workflows: valid by GitHub's schema, with no more rights than they need; each step is a command that exists."""

from __future__ import annotations

import itertools
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from streaming_classroom import cli
from suite.lanes import LANES

PROJECT = Path(__file__).parents[1]
GITHUB = PROJECT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
CHEAP = ("doctor", "setup", "run --strict")  # commands of steps that are run here as they are
# Files with a schema that GitHub, or the format's authors, publish.
SCHEMAS = {
    "vendor.github-workflows": [path.relative_to(PROJECT) for path in WORKFLOWS],
    "vendor.dependabot": [Path(".github/dependabot.yml")],
    "vendor.github-issue-forms": [Path(".github/ISSUE_TEMPLATE/bug.yml"), Path(".github/ISSUE_TEMPLATE/lesson.yml")],
    "vendor.github-issue-config": [Path(".github/ISSUE_TEMPLATE/config.yml")],
    "vendor.citation-file-format": [Path("CITATION.cff")],
}


def workflow(name: str) -> dict[Any, Any]:
    return yaml.safe_load((GITHUB / "workflows" / f"{name}.yml").read_text(encoding="utf-8"))


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each job by its workflow and name."""
    for path in WORKFLOWS:
        for name, job in workflow(path.stem)["jobs"].items():
            yield f"{path.stem}/{name}", job


def expanded(job: dict[str, Any], text: str) -> list[str]:
    """Return a text for each value of the job's matrix that it names."""
    matrix = job.get("strategy", {}).get("matrix", {})
    named = [name for name in matrix if f"matrix.{name}" in text]
    made = []
    for values in itertools.product(*(matrix[name] for name in named)):
        one = text
        for name, value in zip(named, values, strict=True):
            one = re.sub(r"\$\{\{\s*matrix\." + name + r"\s*\}\}", str(value), one)
        made.append(one)
    return made


def lines() -> list[Any]:
    """Return the lines of all `run:` steps as a test's parameters."""
    found = {
        f"{name}: {line}": line
        for name, job in jobs()
        for step in job["steps"]
        for text in expanded(job, step.get("run", ""))
        for line in text.splitlines()
        if line.strip()
    }
    return [pytest.param(line, id=name) for name, line in found.items()]


def words_of(line: str) -> list[str]:
    """Return the words of a command of the course; none of another command."""
    words = shlex.split(line)
    return words[2:] if words[:2] == ["python", "course.py"] else []


def is_cheap(line: str) -> bool:
    return any(words_of(line)[: len(cheap.split())] == cheap.split() for cheap in CHEAP) and "--all" not in line


def test_the_audit_looks_at_every_lock() -> None:
    locks = workflow("audit")["jobs"]["audit"]["strategy"]["matrix"]["lock"]
    assert sorted(locks) == sorted(path.name for path in PROJECT.glob("requirements*.lock"))


@pytest.mark.kernel  # seconds each
@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_file_keeps_its_schema(schema: str) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema]
    done = subprocess.run([*command, *SCHEMAS[schema]], cwd=PROJECT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


@pytest.mark.kernel
def test_the_schema_of_workflows_finds_what_is_wrong(tmp_path: Path) -> None:
    text = WORKFLOWS[0].read_text(encoding="utf-8")
    (tmp_path / "wrong.yml").write_text(text.replace("runs-on:", "run-on:"), encoding="utf-8")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    assert subprocess.run([*command, tmp_path / "wrong.yml"], capture_output=True, timeout=60).returncode == 1


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_read_and_nothing_else(path: Path) -> None:
    assert workflow(path.stem)["permissions"] == {"contents": "read"}
    assert [name for name, job in jobs() if "permissions" in job] == []
    assert "secrets." not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "job"), list(jobs()), ids=[name for name, _job in jobs()])
def test_a_job_has_a_deadline_a_fixed_system_and_pinned_actions(name: str, job: dict[str, Any]) -> None:
    assert job["timeout-minutes"] <= 360
    systems = expanded(job, job["runs-on"])
    assert systems and all(re.fullmatch(r"(ubuntu|windows|macos)-[\d.]+", system) for system in systems)
    actions = [step["uses"] for step in job["steps"] if "uses" in step]
    assert [
        action for action in actions if not re.fullmatch(r"[\w-]+/[\w-]+@(v\d+(\.\d+)*|[0-9a-f]{40})", action)
    ] == []


@pytest.mark.parametrize("line", lines())
def test_a_step_is_a_command_that_exists(line: str) -> None:
    parsed = subprocess.run(["bash", "-n", "-c", line], capture_output=True, text=True)
    assert parsed.returncode == 0, parsed.stderr
    assert "${{" not in line, "the matrix has no such value"
    program, *rest = shlex.split(line)
    if words := words_of(line):
        cli.parse(words)
    elif program == ".venv/bin/python":
        assert (PROJECT / rest[0]).is_file()
    else:
        assert program in ("pipx", "git")


def test_the_lanes_are_those_of_the_tests() -> None:
    assert sorted(workflow("ci")["jobs"]["tests"]["strategy"]["matrix"]["lane"]) == sorted(LANES)
    weekly = workflow("weekly")["jobs"]
    # Its lessons are run by `run --compare`.
    assert {*weekly["tests"]["strategy"]["matrix"]["lane"], "lessons"} == set(LANES)
    assert "run --compare" in str(weekly["lessons"]["steps"])


def test_windows_and_macos_set_up_ask_the_doctor_and_run_three_lessons() -> None:
    job = workflow("ci")["jobs"]["other-systems"]
    assert {system.partition("-")[0] for system in job["strategy"]["matrix"]["os"]} == {"windows", "macos"}
    commands = [words_of(step["run"]) for step in job["steps"] if "run" in step]
    assert commands == [["setup"], ["doctor"], ["run", "00", "01", "02", "--github"]]


def test_one_version_of_python_is_named_everywhere() -> None:
    named = {
        str(step["with"]["python-version"])
        for _name, job in jobs()
        for step in job["steps"]
        if step.get("uses", "").startswith("actions/setup-python")
    }
    [version] = named
    for file in ("Dockerfile", ".devcontainer/devcontainer.json"):
        assert re.search(rf"python:{re.escape(version)}-", (PROJECT / file).read_text(encoding="utf-8"))
    assert (PROJECT / ".binder" / "runtime.txt").read_text(encoding="utf-8") == f"python-{version}\n"


@pytest.mark.kernel
@pytest.mark.parametrize("line", sorted({param.values[0] for param in lines() if is_cheap(param.values[0])}))
def test_a_cheap_step_runs_as_it_is(line: str, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = os.environ | {"PATH": path, "CLASSROOM_HOME": str(tmp_path / "home"), "PYTHONUTF8": "1"}
    done = subprocess.run(["bash", "-c", line], cwd=PROJECT, env=environ, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
