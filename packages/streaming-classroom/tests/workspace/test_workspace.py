from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import nbformat
import pytest
from filelock import FileLock
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from nbformat import v4

from streaming_classroom import cli, workspace
from streaming_classroom.errors import NotAvailable, SetupError
from streaming_classroom.files import directories, ownership
from streaming_classroom.runner import InvalidNotebook, LessonNotFound
from streaming_classroom.setup import reset
from streaming_classroom.workspace import locked_folder, safe_files, synchronization, text_digest
from streaming_classroom.workspace.course_files import course_files

DAY = datetime(2026, 11, 22, 15, 40)
NEXT_DAY = datetime(2026, 11, 23, 9, 5)
LESSON = "notebooks/05-Triggers.ipynb"
NEW = "notebooks/05-Triggers (new in the course, 2026-11-23).ipynb"
UNTIL = "notebooks/05-Triggers (until 2026-11-23 09.05).ipynb"


class Killed(BaseException):
    """What no handler of errors sees, as none sees a kill."""


class Course:
    """A course of three lessons, and a learner's folder, below one directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.work = root / "work"
        for number, title in (("00", "Start"), ("05", "Triggers"), ("07", "Checkpoints")):
            self.lesson(f"{number}-{title}", f"{title}, version 1")
        self.file("notebooks/images/05-four.svg", "<svg>1</svg>")
        self.file("Includes/Classroom-Setup.py", "# Databricks notebook source\n")
        self.file("Includes/Common-Notebooks/Utility-Methods.py", "# Databricks notebook source\n")

    def file(self, name: str, content: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(content, encoding="utf-8")

    def lesson(self, title: str, text: str) -> None:
        """Write a lesson, with outputs, as it is committed."""
        shown = v4.new_output("stream", text="committed output\n")
        cells = [
            v4.new_markdown_cell(f"# {text}", id="a", metadata={"tags": ["question"]}),
            v4.new_code_cell("display(stream)", id="b", execution_count=3, outputs=[shown]),
            v4.new_code_cell("spark.stop()", id="c", execution_count=4),
        ]
        self.file(f"notebooks/{title}.ipynb", v4.writes(v4.new_notebook(cells=cells)))

    def update(self, now: datetime = DAY) -> workspace.WorkspaceReport:
        return workspace.update(now)

    def copy(self, name: str = LESSON) -> Path:
        return self.work / name

    def listed(self, folder: str = "notebooks") -> list[str]:
        return sorted(path.name for path in (self.work / folder).iterdir() if path.is_file())


@contextmanager
def placed(root: Path) -> Iterator[Course]:
    """Make a course below a directory, and let everything be there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(directories, "PROJECT", root)
        patch.setenv("CLASSROOM_WORK", str(root / "work"))
        patch.setenv("CLASSROOM_HOME", str(root / ".classroom"))
        patch.setenv("CLASSROOM_CACHE", str(root / ".cache"))
        yield Course(root)


@pytest.fixture
def course(tmp_path: Path) -> Iterator[Course]:
    with placed(tmp_path) as course:
        yield course


def change(path: Path, how: Callable[[dict], object]) -> None:
    """Change a notebook as JupyterLab does."""
    nb = json.loads(path.read_text(encoding="utf-8"))
    how(nb)
    path.write_text(json.dumps(nb, indent=1, ensure_ascii=False), encoding="utf-8")


def edit(path: Path, text: str = "mine") -> bytes:
    change(path, lambda nb: nb["cells"][1].update(source=[f"{text}\n", "display(stream)"]))
    return path.read_bytes()


def run(path: Path, text: str = "my output") -> bytes:
    shown = {"output_type": "stream", "name": "stdout", "text": [text]}
    change(path, lambda nb: nb["cells"][1].update(outputs=[shown], execution_count=1))
    return path.read_bytes()


# What is laid out


def test_lessons_have_no_outputs_and_what_their_cells_reach_is_there(course: Course) -> None:
    course.update()
    nb = nbformat.read(course.copy(), 4)
    assert [cell.get("outputs", []) for cell in nb.cells] == [[], [], []]
    assert [cell.get("execution_count") for cell in nb.cells] == [None, None, None]
    assert [cell.id for cell in nb.cells] == ["a", "b", "c"]
    assert nb.cells[0].metadata.tags == ["question"]
    assert course.listed() == ["00-Start.ipynb", "05-Triggers.ipynb", "07-Checkpoints.ipynb"]
    assert course.listed("notebooks/images") == ["05-four.svg"]
    assert course.listed("Includes") == ["Classroom-Setup.py"]
    assert course.listed("Includes/Common-Notebooks") == ["Utility-Methods.py"]


def test_only_lessons_are_copied_and_nothing_hidden(course: Course) -> None:
    course.file("notebooks/Untitled.ipynb", "{}")
    course.file("notebooks/.ipynb_checkpoints/05-Triggers-checkpoint.ipynb", "{}")
    course.file("notebooks/images/.DS_Store", "")
    course.update()
    names = {path.name for path in course.work.rglob("*")}
    assert not names & {"Untitled.ipynb", "05-Triggers-checkpoint.ipynb", ".DS_Store"}


def test_the_committed_lessons_can_be_laid_out_and_reach_only_what_is_there_with_them() -> None:
    """Nothing is written: what would be put is looked at."""
    files = {file.name: file for file in course_files()}
    lessons = [file for file in files.values() if file.is_lesson]
    assert len(lessons) > 10
    for file in lessons:
        nb = nbformat.reads(file.content.decode(), 4)
        nbformat.validate(nb)
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in nb.cells)
        assert text_digest.untouched_digest(file.name, file.content) == file.digest
        for reached in relative_paths(nb):
            assert reached in files, f"{file.name} reaches {reached}"


def relative_paths(nb: nbformat.NotebookNode) -> Iterator[str]:
    """Yield what a lesson's includes, pictures and links name, as paths in a workspace."""
    code = "\n".join(cell.source for cell in nb.cells if cell.cell_type == "code")
    text = "\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")
    for path in re.findall(r"^%run \.\./(\S+)", code, re.MULTILINE):
        yield f"{path}.py"
    for path in re.findall(r"\]\(([^)#\s]+)|(?:src|href)=\"([^\"#]+)\"", text):
        if not re.match(r"[a-z]+:", named := "".join(path)):
            parts: list[str] = []
            for part in ["notebooks", *named.split("/")]:
                parts = parts[:-1] if part == ".." else [*parts, part]
            yield "/".join(parts)


def test_a_lab_and_its_include_are_laid_out_beside_its_lesson(course: Course) -> None:
    course.lesson("05L-Three-Customers", "a lab")
    course.update()
    assert "05L-Three-Customers.ipynb" in course.listed()
    edit(course.copy("notebooks/05L-Three-Customers.ipynb"))
    edit(course.copy())
    workspace.start_over(["05l"], NEXT_DAY)
    kept = [name for name in course.listed() if "until" in name]
    assert kept == ["05L-Three-Customers (until 2026-11-23 09.05).ipynb"]


def test_the_search_for_paths_finds_each_kind() -> None:
    text = '![x](images/p.svg)\n[y](../README.md#z)\n<img src="images/q.png">\n[w](https://a.b/c)'
    nb = v4.new_notebook(cells=[v4.new_code_cell("%run ../Includes/A"), v4.new_markdown_cell(text)])
    assert list(relative_paths(nb)) == [
        "Includes/A.py",
        "notebooks/images/p.svg",
        "README.md",
        "notebooks/images/q.png",
    ]


# What counts as the learner's


def jupyters_own(nb: dict) -> None:
    nb["metadata"] = {"kernelspec": {"name": "python3"}, "language_info": {"version": "3.13"}, "toc-showtags": True}
    for number, cell in enumerate(nb["cells"]):
        cell["id"] = f"other-{number}"
        cell["metadata"] |= {"trusted": True, "scrolled": True, "jupyter": {"outputs_hidden": True}}
        cell["metadata"] |= {"execution": {"iopub.status.busy": "now"}, "collapsed": False}


def split_sources(nb: dict) -> None:
    for cell in nb["cells"]:
        cell["source"] = "".join(cell["source"])


@pytest.mark.parametrize("how", [jupyters_own, split_sources])
def test_what_jupyterlab_writes_by_itself_is_no_change(course: Course, how: Callable[[dict], object]) -> None:
    course.update()
    change(course.copy(), how)
    course.lesson("05-Triggers", "version 2")
    assert course.update(NEXT_DAY).updated == ["05-Triggers"]
    assert "version 2" in course.copy().read_text()
    assert len(course.listed()) == 3


CHANGES = {
    "source": lambda nb: nb["cells"][1].update(source="mine"),
    "order": lambda nb: nb["cells"].reverse(),
    "new cell": lambda nb: nb["cells"].append({"cell_type": "markdown", "metadata": {}, "source": ""}),
    "no cell": lambda nb: nb["cells"].pop(),
    "no cells": lambda nb: nb["cells"].clear(),
    "type": lambda nb: nb["cells"][0].update(cell_type="raw"),
    "tags": lambda nb: nb["cells"][1]["metadata"].update(tags=["skip-execution"]),
    "attachment": lambda nb: nb["cells"][0].update(attachments={"a.png": {"image/png": "aaaa"}}),
    "metadata": lambda nb: nb["metadata"].update(title="mine"),
    "what nobody knows": lambda nb: nb["cells"][1]["metadata"].update(somebody="something"),
    "outputs": lambda nb: nb["cells"][1].update(outputs=[{"output_type": "stream", "name": "stdout", "text": "x"}]),
    "run without outputs": lambda nb: nb["cells"][2].update(execution_count=1),
    "older format": lambda nb: nb.update(nbformat=3),
    "not cells": lambda nb: nb.update(cells=["mine"]),
    "metadata of another kind": lambda nb: nb["cells"][0].update(metadata=None),
}


@pytest.mark.parametrize("how", CHANGES.values(), ids=CHANGES.keys())
def test_what_was_worked_on_stays_and_the_new_version_is_put_beside_it(
    course: Course, how: Callable[[dict], object]
) -> None:
    course.update()
    change(course.copy(), how)
    mine = course.copy().read_bytes()
    course.update(NEXT_DAY)
    assert len(course.listed()) == 3, "there is no new version yet"
    course.lesson("05-Triggers", "version 2")
    report = course.update(NEXT_DAY)
    assert report.beside == ["05-Triggers"]
    assert course.copy().read_bytes() == mine
    assert "version 2" in course.copy(NEW).read_text()
    assert "05-Triggers has a new version beside yours" in workspace.line(report)


@pytest.mark.parametrize("content", [b"", b"\xff", b"{", b"[]", b"null", b'{"nbformat": 4, "cells": {}}'])
def test_what_cannot_be_read_is_the_learners(course: Course, content: bytes) -> None:
    course.update()
    course.copy().write_bytes(content)
    course.lesson("05-Triggers", "version 2")
    assert course.update(NEXT_DAY).beside == ["05-Triggers"]
    assert course.copy().read_bytes() == content


def test_a_link_and_a_folder_of_a_lessons_name_are_the_learners(course: Course) -> None:
    course.update()
    theirs = course.root / "elsewhere.ipynb"
    course.copy().rename(theirs)
    course.copy().symlink_to(theirs)
    course.copy("notebooks/07-Checkpoints.ipynb").unlink()
    course.copy("notebooks/07-Checkpoints.ipynb").mkdir()
    course.lesson("05-Triggers", "version 2")
    course.lesson("07-Checkpoints", "version 2")
    assert course.update(NEXT_DAY).beside == ["05-Triggers", "07-Checkpoints"]
    assert course.copy().is_symlink()
    assert "version 1" in theirs.read_text()
    assert course.copy("notebooks/07-Checkpoints.ipynb").is_dir()


def test_outputs_that_were_cleared_let_a_lesson_follow_again(course: Course) -> None:
    course.update()
    run(course.copy())
    change(course.copy(), lambda nb: nb["cells"][1].update(outputs=[], execution_count=None))
    course.lesson("05-Triggers", "version 2")
    assert course.update().updated == ["05-Triggers"]


# Following the course


def test_nothing_is_written_where_nothing_is_new(course: Course) -> None:
    course.update()
    before = {path: path.stat().st_mtime_ns for path in course.work.rglob("*") if path.name != ".course.lock"}
    report = course.update(NEXT_DAY)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert workspace.line(report) == "3 lessons are in work/notebooks."


def test_other_outputs_of_the_course_are_no_new_version(course: Course) -> None:
    course.update()
    edit(course.copy())
    run(course.root / LESSON)
    assert course.update(NEXT_DAY).beside == []


def test_a_new_version_is_given_once_also_if_the_learner_removes_it(course: Course) -> None:
    course.update()
    edit(course.copy())
    course.lesson("05-Triggers", "version 2")
    course.update(NEXT_DAY)
    course.update(NEXT_DAY)
    assert course.listed().count(Path(NEW).name) == 1
    assert len(course.listed()) == 4
    course.copy(NEW).unlink()
    assert course.update(NEXT_DAY).beside == []
    assert not course.copy(NEW).exists()


def test_of_new_versions_that_nobody_worked_on_the_newest_is_left(course: Course) -> None:
    course.update()
    edit(course.copy())
    course.lesson("05-Triggers", "version 2")
    course.update(DAY)
    course.lesson("05-Triggers", "version 3")
    course.update(NEXT_DAY)
    assert course.listed()[1:3] == [Path(NEW).name, "05-Triggers.ipynb"]
    assert "version 3" in course.copy(NEW).read_text()


def test_a_new_version_that_was_worked_on_stays_too_and_the_next_one_has_a_name_of_its_own(course: Course) -> None:
    course.update()
    edit(course.copy())
    course.lesson("05-Triggers", "version 2")
    course.update(NEXT_DAY)
    mine = run(course.copy(NEW))
    course.lesson("05-Triggers", "version 3")
    course.update(NEXT_DAY)
    assert course.copy(NEW).read_bytes() == mine
    assert "version 3" in course.copy(NEW.replace("23)", "23, 2)")).read_text()


def test_a_deleted_lesson_comes_back_fresh_and_is_told(course: Course) -> None:
    course.update()
    edit(course.copy())
    course.copy().unlink()
    report = course.update()
    assert report.back == ["05-Triggers"]
    assert workspace.line(report).endswith("; 05-Triggers had been deleted and is back.")
    assert "mine" not in course.copy().read_text()


def test_a_new_lesson_is_told(course: Course) -> None:
    course.update()
    course.lesson("08-Loader", "Loader")
    assert workspace.line(course.update()) == "4 lessons are in work/notebooks; 08-Loader is new."


def test_a_lesson_that_has_gone_from_the_course_goes_unless_it_was_worked_on(course: Course) -> None:
    course.update()
    mine = run(course.copy())
    (course.root / "notebooks/07-Checkpoints.ipynb").unlink()
    (course.root / LESSON).rename(course.root / "notebooks/05-When.ipynb")
    report = course.update()
    assert (report.removed, report.made) == (["07-Checkpoints"], ["05-When"])
    assert course.listed() == ["00-Start.ipynb", "05-Triggers.ipynb", "05-When.ipynb"]
    assert course.copy().read_bytes() == mine
    assert course.update().removed == []


def test_a_lesson_that_is_spelt_otherwise_now_has_not_gone(course: Course) -> None:
    """On a disk that takes capitals and small letters for the same, the old name is the new file."""
    course.update()
    (course.root / LESSON).rename(course.root / "notebooks/05-triggers.ipynb")
    assert course.update().removed == []
    assert course.copy().exists()


def test_pictures_and_includes_that_have_gone_stay_for_lessons_that_use_them(course: Course) -> None:
    course.update()
    (course.root / "notebooks/images/05-four.svg").unlink()
    (course.root / "Includes/Classroom-Setup.py").unlink()
    course.update()
    assert course.copy("notebooks/images/05-four.svg").exists()
    assert course.copy("Includes/Classroom-Setup.py").exists()


@pytest.mark.parametrize("name", ["Includes/Classroom-Setup.py", "notebooks/images/05-four.svg"])
def test_pictures_and_includes_are_treated_as_lessons_are(course: Course, name: str) -> None:
    course.update()
    course.file(name, "version 2")
    course.update()
    assert course.copy(name).read_text() == "version 2"
    course.copy(name).write_text("mine")
    course.file(name, "version 3")
    report = course.update(NEXT_DAY)
    assert course.copy(name).read_text() == "mine"
    beside = course.copy(name).with_stem(f"{Path(name).stem} (new in the course, 2026-11-23)")
    assert beside.read_text() == "version 3"
    assert report.beside == [Path(name).stem]


def test_the_learners_own_files_are_never_touched(course: Course) -> None:
    course.update()
    own = ["notebooks/my.ipynb", "mine/a.ipynb", "notebooks/05-Triggers-Copy1.ipynb", "Includes/mine.py", ".hidden"]
    for name in own:
        course.copy(name).parent.mkdir(exist_ok=True)
        shutil.copy(course.copy(), course.copy(name))
    before = {name: (course.copy(name).stat().st_ino, course.copy(name).read_bytes()) for name in own}
    course.lesson("05-Triggers", "version 2")
    course.update()
    workspace.start_over(["05"], NEXT_DAY)
    assert {name: (course.copy(name).stat().st_ino, course.copy(name).read_bytes()) for name in own} == before


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"",
        b"{",
        b"[]",
        b'{"known": 1, "given": 2}',
        b'{"known": [], "given": []}',
        b'{"known": [[]], "given": {}}',
    ],
)
def test_without_its_records_nothing_is_lost(course: Course, content: bytes | None) -> None:
    course.update()
    mine = edit(course.copy())
    course.copy(".course.json").unlink()
    if content is not None:
        course.copy(".course.json").write_bytes(content)
    course.lesson("07-Checkpoints", "version 2")
    course.update(NEXT_DAY)
    assert course.copy().read_bytes() == mine
    assert "version 1" in course.copy("notebooks/07-Checkpoints.ipynb").read_text()
    assert len(course.listed()) == 5, "on doubt both are the learner's, and have the course's beside them"


def test_without_its_records_a_lesson_that_was_only_run_has_the_newest_version(course: Course) -> None:
    course.update()
    run(course.copy())
    course.copy(".course.json").unlink()
    assert course.update(NEXT_DAY).beside == []
    assert len(course.listed()) == 3


def test_a_lesson_of_the_course_that_cannot_be_read_keeps_nobody_from_the_others(course: Course) -> None:
    course.update()
    course.file(LESSON, "<<<<<<< HEAD")
    course.lesson("07-Checkpoints", "version 2")
    report = course.update()
    assert report.updated == ["07-Checkpoints"]
    assert course.copy().exists()
    assert "the course's own 05-Triggers.ipynb cannot be read" in workspace.line(report)
    with pytest.raises(InvalidNotebook):
        workspace.start_over(["05"])
    assert course.copy().exists()


def test_what_a_learner_saves_while_the_course_replaces_it_is_kept(course: Course, monkeypatch) -> None:
    """Between the look at a file and its removal, JupyterLab can save."""
    course.update()
    rename = Path.rename

    def saved_before(path: Path, target: Path) -> Path:
        if path == course.copy() and "mine" not in path.read_text():
            edit(path)
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", saved_before)
    course.lesson("05-Triggers", "version 2")
    assert course.update(NEXT_DAY).beside == ["05-Triggers"]
    assert "mine" in course.copy().read_text()
    assert course.listed()[1] == Path(NEW).name


def test_what_is_saved_while_a_file_is_away_is_kept_as_well(course: Course, monkeypatch) -> None:
    course.update()
    fresh = course.copy().read_bytes()
    hardlink_to = Path.hardlink_to

    def saved_before(path: Path, target: Path) -> None:
        if path == course.copy() and not path.exists():
            path.write_bytes(fresh.replace(b"display", b"mine"))
        hardlink_to(path, target)

    monkeypatch.setattr(Path, "hardlink_to", saved_before)
    course.lesson("05-Triggers", "version 2")
    course.update(NEXT_DAY)
    assert "mine" in course.copy().read_text()
    assert "version 2" in course.copy(NEW).read_text()


# Starting over


def test_starting_over_keeps_the_old_under_a_name_that_says_until_when(course: Course) -> None:
    course.update()
    fresh = course.copy().read_bytes()
    mine = run(course.copy())
    report = workspace.start_over(["05"], NEXT_DAY)
    assert course.copy().read_bytes() == fresh
    assert course.copy(UNTIL).read_bytes() == mine
    assert Path(UNTIL).name in workspace.started_over(report)
    run(course.copy(), "again")
    workspace.start_over(["5"], NEXT_DAY)
    assert b"again" in course.copy(UNTIL.replace("05)", "05, 2)")).read_bytes()
    assert course.copy(UNTIL).read_bytes() == mine


def test_starting_over_with_what_nobody_worked_on_keeps_nothing(course: Course) -> None:
    course.update()
    course.lesson("05-Triggers", "version 2")
    report = workspace.start_over(["05"])
    assert len(course.listed()) == 3
    assert "version 2" in course.copy().read_text()
    said = workspace.started_over(report)
    assert said.startswith("05-Triggers is fresh. There was no work in it that had to be kept. If it is open ")


def test_starting_over_makes_the_new_version_beside_superfluous(course: Course) -> None:
    course.update()
    edit(course.copy())
    course.lesson("05-Triggers", "version 2")
    course.update(NEXT_DAY)
    workspace.start_over(["05"], NEXT_DAY)
    assert course.listed()[1:3] == [Path(UNTIL).name, "05-Triggers.ipynb"]
    assert "version 2" in course.copy().read_text()


def test_starting_over_with_a_link_leaves_what_it_leads_to(course: Course) -> None:
    course.update()
    theirs = course.root / "elsewhere.ipynb"
    course.copy().rename(theirs)
    course.copy().symlink_to(theirs)
    course.copy("notebooks/07-Checkpoints.ipynb").unlink()
    course.copy("notebooks/07-Checkpoints.ipynb").symlink_to(course.root / "nothing.ipynb")
    workspace.start_over(["05", "07"], NEXT_DAY)
    assert course.copy(UNTIL).samefile(theirs)
    for name in (LESSON, "notebooks/07-Checkpoints.ipynb"):
        assert not course.copy(name).is_symlink()
        assert "version 1" in course.copy(name).read_text()


def test_several_lessons_are_started_over_and_the_rest_is_left(course: Course) -> None:
    course.update()
    for name in course.listed():
        run(course.copy(f"notebooks/{name}"))
    report = workspace.start_over(["05", str(course.copy("notebooks/07-Checkpoints.ipynb"))], NEXT_DAY)
    assert list(report.kept) == ["05-Triggers", "07-Checkpoints"]
    assert len(course.listed()) == 5


def test_starting_over_needs_no_workspace_yet(course: Course) -> None:
    workspace.start_over(["05"])
    assert course.listed() == ["05-Triggers.ipynb"]
    assert len(course.update().lessons) == 3


def test_starting_over_with_an_unknown_lesson_says_what_run_says_and_changes_nothing(course: Course, capsys) -> None:
    course.update()
    mine = run(course.copy())
    for arguments in (["start-over", "05", "99"], ["run", "99"]):
        assert cli.main(arguments) == 1
        assert "There is no lesson '99' in" in capsys.readouterr().err
    assert course.copy().read_bytes() == mine
    with pytest.raises(LessonNotFound):
        workspace.start_over(["99"])


@pytest.mark.parametrize("name", ["work/notebooks/my.ipynb", "elsewhere/05-Triggers.ipynb"])
def test_starting_over_with_a_notebook_that_is_no_lesson_is_refused(course: Course, name: str) -> None:
    course.file(name, "{}")
    with pytest.raises(NotAvailable):
        workspace.start_over([str(course.root / name)])


# The folder


def test_a_folder_that_somebody_else_has_filled_is_never_written_into(course: Course, capsys, monkeypatch) -> None:
    monkeypatch.setattr(cli, "_set_up", lambda: None)
    monkeypatch.setattr(cli, "_settle_jupyter", lambda: None)
    monkeypatch.setattr(cli, "_delegate", lambda *_: 0)
    course.file("work/thesis.tex", "mine")
    assert cli.main(["lab"]) == 1
    error = capsys.readouterr().err
    assert "is not empty, and it was not made by the course" in error
    assert "CLASSROOM_WORK" in error
    assert [path.name for path in course.work.rglob("*")] == ["thesis.tex"]


def test_a_workspace_is_no_home_and_a_home_no_workspace(course: Course, monkeypatch) -> None:
    course.update()
    with pytest.raises(SetupError):
        ownership.claim(course.work)
    with pytest.raises(SetupError):
        reset.remove(course.work)
    monkeypatch.setenv("CLASSROOM_WORK", str(ownership.claim(directories.home())))
    with pytest.raises(SetupError):
        course.update()


def test_reset_leaves_the_workspace_alone(course: Course) -> None:
    course.update()
    (ownership.claim(directories.home()) / "dbfs").mkdir()
    course.copy("logs").mkdir()
    before = sorted(course.work.rglob("*"))
    assert cli.main(["reset"]) == 0
    assert not directories.home().exists()
    assert sorted(course.work.rglob("*")) == before


def test_what_the_disk_refuses_is_a_sentence(course: Course) -> None:
    course.update()
    shutil.rmtree(course.copy("Includes"))
    course.copy("Includes").write_text("mine")
    with pytest.raises(SetupError, match=r"Includes.* could not be read or written: .*--with-outputs"):
        course.update()
    assert course.copy("Includes").read_text() == "mine"


def test_starts_at_the_same_time_do_not_harm_each_other(course: Course) -> None:
    course.update()
    mine = edit(course.copy())
    course.lesson("05-Triggers", "version 2")
    course.lesson("07-Checkpoints", "version 2")
    with ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(lambda _: course.update(NEXT_DAY), range(8)))
    assert sum(report.beside == ["05-Triggers"] for report in reports) == 1
    assert sum(report.updated == ["07-Checkpoints"] for report in reports) == 1
    assert len(course.listed()) == 4
    assert course.copy().read_bytes() == mine


def test_a_start_that_another_one_keeps_waiting_says_so(course: Course, monkeypatch) -> None:
    course.update()
    monkeypatch.setattr(locked_folder, "LOCK_TIMEOUT", 0.1)
    with (
        FileLock(course.copy(".course.lock"), is_singleton=False),
        pytest.raises(SetupError, match=r"Another `course\.py` has been at work"),
    ):
        course.update()


def test_names_are_safe_on_windows_too() -> None:
    for says in (f"{DAY:new in the course, %Y-%m-%d}", f"{DAY:until %Y-%m-%d %H.%M}"):
        for number in (1, 2):
            made = synchronization._names(Path("05-Triggers.ipynb"), says)(number)
            assert not set(made) & set('<>:"/\\|?*')
            assert made.endswith(").ipynb")


def test_a_file_system_without_links_does_as_well(course: Course, monkeypatch) -> None:
    def refuse(_path: Path, _target: Path) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    course.update()
    mine = run(course.copy())
    workspace.start_over(["05"], NEXT_DAY)
    assert course.copy(UNTIL).read_bytes() == mine
    assert not safe_files.move(course.copy(), course.copy(UNTIL))
    assert course.copy(UNTIL).read_bytes() == mine


# What is said


def names(*numbers: int) -> list[str]:
    return [f"{number:02}-Lesson" for number in numbers]


@pytest.mark.parametrize(
    ("news", "says"),
    [
        ({"made": names(1, 2)}, ", without outputs: they are yours."),
        ({"made": names(1)}, "; 01-Lesson is new."),
        ({"updated": names(1, 2), "back": names(2)}, "; 01-Lesson, 02-Lesson follow the course's new versions; 02"),
        ({"beside": names(1, 2, 3, 4)}, "; 4 have new versions beside yours."),
        ({"removed": names(3)}, "; 03-Lesson is no longer in the course."),
        ({}, "2 lessons are in work/notebooks."),
    ],
)
def test_the_line_says_what_is_new(course: Course, news: dict[str, list[str]], says: str) -> None:
    line = workspace.line(workspace.WorkspaceReport(course.work, names(1, 2), **news))
    assert says in line
    assert "\n" not in line


def test_a_workspace_somewhere_else_is_named_in_full(course: Course, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(directories, "PROJECT", tmp_path / "other")
    assert f"1 lesson is in {course.work / 'notebooks'}" in workspace.line(
        workspace.WorkspaceReport(course.work, names(1))
    )


# Kills

_STEPS = ("mkdir", "write_bytes", "hardlink_to", "unlink", "rename", "replace")


@contextmanager
def killed_at(step: int, before: bool) -> Iterator[list[str]]:
    """End whatever is done at the given change of the disk, before it is done or when it is (of a write: half)."""
    seen: list[str] = []

    def dying(name: str, does: Callable) -> Callable:
        def do(path: Path, *arguments, **options):
            seen.append(name)
            if len(seen) != step:
                return does(path, *arguments, **options)
            if name == "write_bytes":
                does(path, arguments[0][: 0 if before else len(arguments[0]) // 2])
            elif not before:
                does(path, *arguments, **options)
            raise Killed(f"{name} {path}")

        return do

    with pytest.MonkeyPatch.context() as patch:
        for name in _STEPS:
            patch.setattr(Path, name, dying(name, getattr(Path, name)))
        yield seen


def start(course: Course) -> None:
    course.update(NEXT_DAY)


def start_over(_course: Course) -> None:
    workspace.start_over(["05", "07"], NEXT_DAY)


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("what", [start, start_over])
def test_a_kill_at_any_step_loses_nothing_and_the_next_start_ends_right(
    tmp_path: Path, what: Callable[[Course], None], before: bool
) -> None:
    """05 was edited, 07 not; both have a new version, and 05 one that was put beside before."""
    step = 0
    while True:
        step += 1
        with placed(tmp_path / str(step)) as course:
            course.update()
            mine = edit(course.copy())
            course.lesson("05-Triggers", "version 2")
            course.update(DAY)
            course.lesson("05-Triggers", "version 3")
            course.lesson("07-Checkpoints", "version 3")
            with killed_at(step, before) as seen, suppress(Killed):
                what(course)
            kept = [path for path in course.work.rglob("*") if path.is_file() and path.read_bytes() == mine]
            assert kept, f"lost by a kill at step {step}, {seen[-1]}"
            what(course)
            assert_ended_right(course, mine, what)
            if len(seen) < step:
                break
    assert step > 10


def test_what_a_killed_start_has_put_there_is_not_taken_for_the_learners(tmp_path: Path) -> None:
    step = 0
    while True:
        step += 1
        with placed(tmp_path / str(step)) as course:
            course.update()
            course.lesson("05-Triggers", "version 2")
            with killed_at(step, before=False) as seen, suppress(Killed):
                course.update()
            course.lesson("05-Triggers", "version 3")
            course.update(NEXT_DAY)
            assert "version 3" in course.copy().read_text()
            assert len(course.listed()) == 3
            if len(seen) < step:
                break
    assert step > 5


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_a_kill_at_any_step_of_the_first_start_leaves_nothing_half_made(tmp_path: Path, before: bool) -> None:
    step = 0
    while True:
        step += 1
        with placed(tmp_path / str(step)) as course:
            with killed_at(step, before) as seen, suppress(Killed):
                course.update()
            course.update()
            assert len(course.listed()) == 3
            assert course.listed("Includes") == ["Classroom-Setup.py"]
            edit(course.copy())
            assert course.update(NEXT_DAY).beside == []
            if len(seen) < step:
                break
    assert step > 10


def assert_ended_right(course: Course, mine: bytes, what: Callable[[Course], None]) -> None:
    assert "version 3" in course.copy("notebooks/07-Checkpoints.ipynb").read_text()
    if what is start:
        assert course.copy().read_bytes() == mine
        assert "version 3" in course.copy(NEW).read_text()
        assert course.listed() == ["00-Start.ipynb", Path(NEW).name, "05-Triggers.ipynb", "07-Checkpoints.ipynb"]
    else:
        assert "version 3" in course.copy().read_text()
        assert any(b"mine" in path.read_bytes() for path in course.copy("notebooks").glob("05-Triggers (until *"))
    assert not [path for path in course.work.rglob("*") if safe_files._INCOMING in path.name]
    assert not [path for path in course.work.rglob("*") if safe_files._ASIDE in path.name]


@pytest.mark.parametrize("saved", [False, True])
def test_the_learners_file_that_a_kill_left_aside_is_back(course: Course, saved: bool) -> None:
    """It can be the learner's only if it was saved while the course looked at it."""
    course.update()
    mine = edit(course.copy())
    course.copy().rename(course.copy().with_name(".05-Triggers.ipynb.0123abcd.course-aside"))
    if saved:
        course.copy().write_bytes(b"{}")
    course.update()
    back = course.copy("notebooks/05-Triggers (kept, 1).ipynb") if saved else course.copy()
    assert back.read_bytes() == mine
    assert not saved or course.copy().read_bytes() == b"{}"


def test_a_file_that_a_kill_left_under_two_names_is_there_once(course: Course) -> None:
    course.update()
    mine = edit(course.copy())
    course.copy().with_name(".05-Triggers.ipynb.0123abcd.course-aside").hardlink_to(course.copy())
    course.update()
    assert course.copy().read_bytes() == mine
    assert len(list(course.copy("notebooks").glob("*05-Triggers*"))) == 1


# Any sequence of what learners, the course and kills do

_TITLES = ("05-Triggers", "07-Checkpoints", "08-Loader")
_KILLS = st.tuples(st.integers(1, 40), st.booleans()) | st.none()


class Learning(RuleBasedStateMachine):
    """Every text that a learner had in a file is in some file after whatever the course does."""

    root: Path  # a new folder for each sequence, below pytest's own
    number = 0

    @initialize()
    def begin(self) -> None:
        Learning.number += 1
        self.place = placed(self.root / str(Learning.number))
        self.course = self.place.__enter__()
        self.texts = 0
        self.minutes = 0
        self.start(None)

    def teardown(self) -> None:
        if hasattr(self, "place"):
            self.place.__exit__(None, None, None)

    def now(self) -> datetime:
        self.minutes += 1
        return DAY.replace(hour=self.minutes // 120 % 24, minute=self.minutes // 2 % 60)

    def text(self) -> str:
        self.texts += 1
        return f"<learner's {self.texts}>"

    def copies(self) -> list[Path]:
        return sorted(self.course.copy("notebooks").glob("*.ipynb")) if self.course.work.exists() else []

    def learners_texts(self) -> set[str]:
        files = (path for path in self.course.work.rglob("*") if path.is_file())
        return {found for path in files for found in re.findall(r"<learner's \d+>", path.read_text(errors="replace"))}

    def keeping_all(self, what: Callable[[], object], kill: tuple[int, bool] | None) -> None:
        before = self.learners_texts()
        if kill is None:
            what()
        else:
            with killed_at(*kill), suppress(Killed):
                what()
        assert before <= self.learners_texts()

    @rule(data=st.data())
    def edits(self, data: st.DataObject) -> None:
        for path in self.chosen(data):
            edit(path, self.text())

    @rule(data=st.data())
    def runs(self, data: st.DataObject) -> None:
        for path in self.chosen(data):
            run(path, self.text())

    @rule(data=st.data())
    def opens_and_saves(self, data: st.DataObject) -> None:
        for path in self.chosen(data):
            change(path, jupyters_own)

    @rule(data=st.data())
    def deletes(self, data: st.DataObject) -> None:
        for path in self.chosen(data):
            path.unlink()

    @rule(data=st.data())
    def copies_or_renames(self, data: st.DataObject) -> None:
        for path in self.chosen(data):
            target = path.with_name(data.draw(st.sampled_from([f"{title}.ipynb" for title in _TITLES])))
            if not target.exists():
                data.draw(st.sampled_from([shutil.copy, shutil.move]))(path, target)

    @rule()
    def loses_the_records(self) -> None:
        self.course.copy(".course.json").unlink(missing_ok=True)

    @rule(title=st.sampled_from(_TITLES), version=st.integers(1, 4))
    def a_lesson_is_new(self, title: str, version: int) -> None:
        self.course.lesson(title, f"version {version}")

    @rule(title=st.sampled_from(_TITLES))
    def a_lesson_goes(self, title: str) -> None:
        (self.course.root / f"notebooks/{title}.ipynb").unlink(missing_ok=True)

    @rule(kill=_KILLS)
    def start(self, kill: tuple[int, bool] | None) -> None:
        self.keeping_all(lambda: workspace.update(self.now()), kill)

    @rule(title=st.sampled_from(_TITLES), kill=_KILLS)
    def starts_over(self, title: str, kill: tuple[int, bool] | None) -> None:
        with suppress(LessonNotFound):
            self.keeping_all(lambda: workspace.start_over([title[:2]], self.now()), kill)

    @rule()
    def starts_twice(self) -> None:
        """After a start that came to its end, nothing is hidden, and a second one changes nothing."""
        self.start(None)
        there = {path: path.read_bytes() for path in self.course.work.rglob("*") if path.is_file()}
        assert not [path for path in there if path.name.endswith((safe_files._INCOMING, safe_files._ASIDE))]
        report = workspace.update(self.now())
        assert {path: path.read_bytes() for path in self.course.work.rglob("*") if path.is_file()} == there
        assert report.made == report.updated == report.back == report.beside == report.removed == []

    @invariant()
    def every_lesson_is_a_whole_file(self) -> None:
        for path in self.copies() if hasattr(self, "course") else []:
            json.loads(path.read_text(encoding="utf-8"))

    def chosen(self, data: st.DataObject) -> list[Path]:
        copies = self.copies()
        return [data.draw(st.sampled_from(copies))] if copies else []


def test_no_sequence_of_events_loses_anything(tmp_path: Path) -> None:
    Learning.root = tmp_path
    run_state_machine_as_test(Learning, settings=settings(max_examples=60, stateful_step_count=20, deadline=None))


def test_the_sources_of_a_pipeline_come_along(course: Course) -> None:
    for name in ("05-Pipeline.sql", "05-Pipeline.py"):
        course.file(f"notebooks/{name}", "-- the shop")
    course.update()
    assert course.copy("notebooks/05-Pipeline.sql").read_text() == "-- the shop"
    assert course.copy("notebooks/05-Pipeline.py").exists()
