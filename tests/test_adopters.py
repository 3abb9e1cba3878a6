"""What others start with: the container of an editor, Binder, Docker, and the steps for contributors.

The files themselves are read, and what they run is run in a fresh copy of the tree; no container is started.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

import pytest

from streaming_classroom import cli
from streaming_classroom.files import directories

PROJECT = Path(__file__).parents[1]
BINDER = PROJECT / ".binder"
DOCKERFILE = PROJECT / "Dockerfile"
DEVCONTAINER = json.loads((PROJECT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
CONTRIBUTING = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
INSTRUCTIONS = {"FROM", "RUN", "ENV", "WORKDIR", "USER", "COPY", "EXPOSE", "CMD"}
# What is run for the steps is what is quick and needs no Spark; the others were run by hand.
QUICK = ("tools/new_lesson.py", "tools/section_times.py", "tools/module_map.py", "course.py lint 17")
# A variable that a line sets for its own command.
SETTING = re.compile(r"[A-Z_]+=\S*")


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile, with what follows each; lines that go on are one."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = [line.split(None, 1) for line in re.sub(r"\\\n\s*", "", text).splitlines() if line.strip()]
    return [(name, rest) for name, rest in found]


def copied(rest: str) -> list[str]:
    """Return the sources of a COPY."""
    return [word for word in shlex.split(rest) if not word.startswith("--")][:-1]


def ignored() -> list[str]:
    lines = (PROJECT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def is_ignored(path: str) -> bool:
    return any(PurePosixPath(path).match(pattern.removeprefix("**/")) for pattern in ignored())


def commands(text: str) -> list[list[str]]:
    """Return the words of each command of the course in a line of a shell."""
    parts = [shlex.split(part) for part in re.split(r"&&|;|\n", text)]
    return [words[2:] for words in parts if words[:1] in (["python"], ["python3"]) and words[1:2] == ["course.py"]]


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """Copy what git has, or would have, of this tree; an empty folder has nothing else."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
    )
    if listed.returncode:
        pytest.skip("no checkout of git")
    root = tmp_path / "course"
    for name in filter(None, listed.stdout.split("\0")):
        if (PROJECT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, root / name)
    return root


def run(command: str, root: Path, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell in a tree, with a home of its own, this machine's Python and what set-up has fetched."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("CLASSROOM", "PYTHON", "VIRTUAL"))
    }
    base = tmp_path / "bin"
    base.mkdir(exist_ok=True)
    for name in ("python", "python3"):
        if not (base / name).exists():
            (base / name).symlink_to(getattr(sys, "_base_executable", sys.executable))
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    environ = kept | {"PATH": f"{base}{os.pathsep}{os.environ['PATH']}", "HOME": str(home), "PYTHONUTF8": "1"}
    environ |= {"CLASSROOM_CACHE": str(directories.cache()), "CLASSROOM_HOME": str(tmp_path / "classroom")}
    # As uv finds it where the home is this user's own.
    environ.setdefault("UV_CACHE_DIR", str(Path.home() / ".cache" / "uv"))
    environ.setdefault("PIP_CONFIG_FILE", str(Path.home() / ".config" / "pip" / "pip.conf"))
    return subprocess.run(["bash", "-c", command], cwd=root, env=environ, capture_output=True, text=True, timeout=1200)


# --- The editor's container -------------------------------------------------------------------------------------------


def test_the_devcontainer_runs_commands_that_exist_and_brings_java() -> None:
    assert commands(DEVCONTAINER["postCreateCommand"]) == [["setup"], ["doctor"]]
    for words in commands(DEVCONTAINER["postCreateCommand"]):
        cli.parse(words)
    assert any("/java:" in name and options["version"] == "17" for name, options in DEVCONTAINER["features"].items())
    assert all(re.search(r":[\w.-]+$", name) for name in (DEVCONTAINER["image"], *DEVCONTAINER["features"]))
    assert cli.DEFAULT_PORT in DEVCONTAINER["forwardPorts"]


@pytest.mark.long
@pytest.mark.kernel
def test_what_the_devcontainer_and_binder_run_at_first_sets_a_fresh_copy_up(fresh: Path, tmp_path: Path) -> None:
    done = run(DEVCONTAINER["postCreateCommand"], fresh, tmp_path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    python = DEVCONTAINER["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"]
    assert (fresh / python.removeprefix("${containerWorkspaceFolder}/")).is_file()
    cache = tmp_path / "home" / ".cache" / "pip"
    cache.mkdir(parents=True)
    built = run(".binder/postBuild", fresh, tmp_path)
    assert built.returncode == 0, built.stdout[-3000:] + built.stderr[-3000:]
    assert not cache.exists()
    # Binder's server starts another Python for `python3`, unless it is told.
    asked = run(".binder/start .venv/bin/jupyter kernelspec list --json", fresh, tmp_path)
    spec = json.loads(asked.stdout)["kernelspecs"]["python3"]
    assert Path(spec["spec"]["argv"][0]).parent == fresh / ".venv" / "bin"
    assert Path(spec["resource_dir"]).is_relative_to(fresh / ".venv")


# --- Binder -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["postBuild", "start"])
def test_a_script_of_binder_is_a_program_and_parses(name: str) -> None:
    assert os.access(BINDER / name, os.X_OK)
    assert subprocess.run(["bash", "-n", BINDER / name]).returncode == 0


def test_binder_installs_java_and_sets_the_course_up() -> None:
    assert "openjdk-17-jre-headless" in (BINDER / "apt.txt").read_text(encoding="utf-8").split()
    assert commands((BINDER / "postBuild").read_text(encoding="utf-8")) == [["setup"]]


def test_binders_start_hands_on_what_it_was_given() -> None:
    done = subprocess.run(
        [BINDER / "start", "printenv", "JUPYTER_PATH"], capture_output=True, text=True, env={"PATH": "/bin:/usr/bin"}
    )
    assert done.stdout == f"{PROJECT}/.venv/share/jupyter\n"


# --- Docker -----------------------------------------------------------------------------------------------------------


def test_the_dockerfile_has_known_instructions_and_a_pinned_image() -> None:
    names = [name for name, _rest in instructions()]
    assert names[0] == "FROM" and set(names) == INSTRUCTIONS
    assert re.fullmatch(r"python:\d\.\d+-slim-\w+", instructions()[0][1])


def test_each_source_of_a_copy_is_there_and_not_ignored() -> None:
    sources = [source for name, rest in instructions() if name == "COPY" for source in copied(rest)]
    assert [source for source in sources if not (PROJECT / source).exists()] == []
    assert [source for source in sources if source != "." and is_ignored(source)] == []


def test_what_a_machine_makes_is_kept_out_of_the_image() -> None:
    made = [line.strip("/") for line in (PROJECT / ".gitignore").read_text(encoding="utf-8").splitlines()]
    wanted = [line for line in made if line and not line.startswith(("#", "packages"))]
    assert [line for line in wanted if not is_ignored(line)] == []


def test_the_image_works_for_a_user_and_starts_the_lab() -> None:
    [user] = [rest for name, rest in instructions() if name == "USER"]
    assert user != "root"
    [start] = [json.loads(rest) for name, rest in instructions() if name == "CMD"]
    options = cli.parse(start[2:])
    assert (options.command, options.jupyter) == (cli.lab, ["--ip=0.0.0.0", "--no-browser"])
    [port] = [int(rest) for name, rest in instructions() if name == "EXPOSE"]
    assert port == cli.DEFAULT_PORT
    for name, rest in instructions():
        if name == "RUN":
            assert subprocess.run(["bash", "-n", "-c", rest]).returncode == 0


@pytest.mark.long
@pytest.mark.kernel
def test_set_up_needs_nothing_but_what_the_dockerfile_has_copied_before_it(tmp_path: Path) -> None:
    root = tmp_path / "course"
    root.mkdir()
    for name, rest in instructions():
        if name == "COPY":
            for source in copied(rest):
                copy = shutil.copytree if (PROJECT / source).is_dir() else shutil.copy
                skip = (
                    {"ignore": shutil.ignore_patterns("__pycache__", "*.egg-info")} if copy is shutil.copytree else {}
                )
                copy(PROJECT / source, root / source, **skip)
        if rest == "python course.py setup":
            break
    done = run("python course.py setup", root, tmp_path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


# --- The steps for contributors ---------------------------------------------------------------------------------------


def steps() -> list[list[str]]:
    """Return the commands of each of the ten steps."""
    section = CONTRIBUTING.partition("## Add a lesson in ten steps")[2].partition("\n## ")[0]
    parts = re.split(r"^\d+\. ", section, flags=re.MULTILINE)[1:]
    return [[line.strip() for line in part.split("```")[1].splitlines() if line.strip()] for part in parts]


def is_program(path: Path) -> bool:
    """Return whether ``python PATH`` runs something: a file, or a folder with a ``__main__.py``."""
    return path.is_file() or (path / "__main__.py").is_file()


def test_there_are_ten_steps_each_with_commands_that_exist() -> None:
    assert len(steps()) == 10
    for command in (command for step in steps() for line in step for command in line.split("&&")):
        words = list(itertools.dropwhile(SETTING.fullmatch, shlex.split(command)))
        if words[:2] == ["python", "course.py"]:
            cli.parse(words[2:])
            continue
        assert words[0] == ".venv/bin/python"
        assert find_spec(words[2]) if words[1] == "-m" else is_program(PROJECT / words[1])


@pytest.mark.kernel
def test_the_quick_steps_run_as_they_are_written(fresh: Path, tmp_path: Path) -> None:
    """In a copy of the tree, whose packages go before those of this one."""
    (fresh / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    sources = [str(path) for path in sorted(fresh.glob("packages/*/src"))]
    first = f"PYTHONPATH={shlex.quote(os.pathsep.join([*sources, str(fresh / 'tools')]))} "
    ran = []
    for line in (line for step in steps() for line in step if any(quick in line for quick in QUICK)):
        ours = line.replace("python course.py", ".venv/bin/python -m streaming_classroom")
        done = run(first + ours, fresh, tmp_path)
        # The lesson is begun, not written: the linter says what is left.
        assert done.returncode == ("lint" in line), done.stdout + done.stderr
        ran.append(done.stdout)
    assert len(ran) == len(QUICK)
    assert (fresh / "notebooks" / "17-Rate-Limits.ipynb").is_file()
    assert "17-Rate-Limits.ipynb" in ran[1] and "add a picture" in ran[1]
    assert "17-Rate-Limits: " in ran[2]
