from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from streaming_classroom import cli, jupyterlab, workspace
from streaming_classroom.files import directories

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


def jupyters_own(nb: dict) -> None:
    nb["metadata"] = {"kernelspec": {"name": "python3"}, "language_info": {"version": "3.13"}, "toc-showtags": True}
    for number, cell in enumerate(nb["cells"]):
        cell["id"] = f"other-{number}"
        cell["source"] = "".join(cell["source"])
        cell["metadata"] |= {"trusted": True, "scrolled": True, "jupyter": {"outputs_hidden": True}}
        cell["metadata"] |= {"execution": {"iopub.status.busy": "now"}, "collapsed": False}


def test_what_jupyterlab_writes_by_itself_is_no_change(course: Course) -> None:
    course.update()
    change(course.copy(), jupyters_own)
    course.lesson("05-Triggers", "version 2")
    assert course.update(NEXT_DAY).updated == ["05-Triggers"]
    assert "version 2" in course.copy().read_text()
    assert len(course.listed()) == 3


CHANGES = {
    "source": lambda nb: nb["cells"][1].update(source="mine"),
    "order": lambda nb: nb["cells"].reverse(),
    "tags": lambda nb: nb["cells"][1]["metadata"].update(tags=["skip-execution"]),
    "attachment": lambda nb: nb["cells"][0].update(attachments={"a.png": {"image/png": "aaaa"}}),
    "outputs": lambda nb: nb["cells"][1].update(outputs=[{"output_type": "stream", "name": "stdout", "text": "x"}]),
    "run without outputs": lambda nb: nb["cells"][2].update(execution_count=1),
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
    assert "05-Triggers has a new version beside yours" in str(report)


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


def test_a_deleted_lesson_comes_back_fresh(course: Course) -> None:
    course.update()
    edit(course.copy())
    course.copy().unlink()
    report = course.update()
    assert report.made == ["05-Triggers"]
    assert str(report).endswith("; 05-Triggers is new.")
    assert "mine" not in course.copy().read_text()


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


@pytest.mark.parametrize("content", [None, b"{", b"[]", b'{"notebooks/05-Triggers.ipynb": []}'])
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


def test_starting_over_keeps_the_old_under_a_name_that_says_until_when(course: Course) -> None:
    course.update()
    fresh = course.copy().read_bytes()
    mine = run(course.copy())
    assert workspace.start_over(["05"], NEXT_DAY) == {"05-Triggers": Path(UNTIL).name}
    assert course.copy().read_bytes() == fresh
    assert course.copy(UNTIL).read_bytes() == mine
    run(course.copy(), "again")
    workspace.start_over(["5"], NEXT_DAY)
    assert b"again" in course.copy(UNTIL.replace("05)", "05, 2)")).read_bytes()
    assert course.copy(UNTIL).read_bytes() == mine


def test_a_folder_that_somebody_else_has_filled_is_never_written_into(course: Course, capsys, monkeypatch) -> None:
    monkeypatch.setattr(cli, "_set_up", lambda: None)
    monkeypatch.setattr(jupyterlab, "write_settings", lambda: None)
    monkeypatch.setattr(cli, "_delegate", lambda *_: 0)
    course.file("work/thesis.tex", "mine")
    assert cli.main(["lab"]) == 1
    error = capsys.readouterr().err
    assert "is not empty, and it was not made by the course" in error
    assert "CLASSROOM_WORK" in error
    assert [path.name for path in course.work.rglob("*")] == ["thesis.tex"]


_STEPS = ("mkdir", "write_bytes", "write_text", "rename", "replace", "unlink")


@contextmanager
def killed_at(step: int, before: bool) -> Iterator[list[str]]:
    """End whatever is done at the given change of the disk, before it is done or when it is (of a write: half)."""
    seen: list[str] = []

    def dying(name: str, does: Callable) -> Callable:
        def do(path: Path, *arguments, **options):
            seen.append(name)
            if len(seen) != step:
                return does(path, *arguments, **options)
            if name in ("write_bytes", "write_text"):
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


def assert_ended_right(course: Course, mine: bytes, what: Callable[[Course], None]) -> None:
    assert "version 3" in course.copy("notebooks/07-Checkpoints.ipynb").read_text()
    if what is start:
        assert course.copy().read_bytes() == mine
        assert "version 3" in course.copy(NEW).read_text()
        assert course.listed() == ["00-Start.ipynb", Path(NEW).name, "05-Triggers.ipynb", "07-Checkpoints.ipynb"]
    else:
        assert "version 3" in course.copy().read_text()
        assert any(b"mine" in path.read_bytes() for path in course.copy("notebooks").glob("05-Triggers (until *"))
    assert not [path for path in course.work.rglob("*") if path.suffix == ".part"]
