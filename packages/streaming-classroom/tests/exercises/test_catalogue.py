from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from streaming_classroom.exercises import Makes, catalogue
from streaming_classroom.exercises.catalogue import UnknownExercise
from streaming_classroom.exercises.progress import ExerciseRecord, progress_shown

EVERY = catalogue.all_exercises()


@pytest.mark.parametrize("name", ["01.9", "1.1", "01", "", "x", "../01.1", "01.1.1"])
def test_a_number_that_does_not_exist_is_refused_with_the_nearest(name: str) -> None:
    with pytest.raises(UnknownExercise, match=r"The nearest are \d\d"):
        catalogue.find(name)


def test_a_number_is_found_however_it_is_typed() -> None:
    assert catalogue.find(" 01.1 ").id == "01.1"


@pytest.mark.parametrize("exercise", EVERY, ids=lambda exercise: exercise.id)
def test_a_python_starter_takes_away_what_an_earlier_try_made(exercise) -> None:
    """And so does the solution; a starter in SQL drops its view, and variables need nothing."""
    for code in (exercise.starter, exercise.solution):
        if code.strip().startswith("%sql"):
            assert all(f"DROP VIEW IF EXISTS {view};" in code for view in exercise.makes.views)
        elif exercise.makes != Makes(variables=exercise.makes.variables):
            assert code.strip().startswith(f'DA.exercise("{exercise.id}")')


CELLS = {
    "exercise.toml": 'title = "Copy"\nhints = ["Read.", "Write."]\nwhy = """\nOne\n  two.\n"""\n',
    "starter.py": "copy = None\n",
    "solution.py": "copy = 1\n",
    "check.py": "def check(attempt):\n    pass\n",
    "wrong.py": "# %% `2` for `1`: too many\ncopy = 2\n\n# %% is a string\ncopy = '1'\n",
}


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Return a function that writes an exercise in a package of its own; a file whose text is None is left out."""
    package = ModuleType("written_exercises")
    package.__path__ = [str(tmp_path)]
    monkeypatch.setitem(sys.modules, package.__name__, package)
    monkeypatch.setattr(catalogue, "PACKAGE", package.__name__)

    def write(folder: str, **files: str | None) -> Path:
        directory = tmp_path / folder
        directory.mkdir(parents=True)
        for name, text in (CELLS | {name.replace("_", "."): text for name, text in files.items()}).items():
            if text is not None:
                (directory / name).write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        return directory

    yield write
    for name in [name for name in sys.modules if name.startswith(package.__name__)]:
        del sys.modules[name]


def test_the_files_of_a_folder_are_an_exercise(written) -> None:
    written(
        "lesson_98l/10",
        check_py="from streaming_classroom.exercises import Makes\n\n\ndef check(attempt):\n    pass\n\n\n"
        'MAKES = Makes(variables=("copy",))\n',
        equivalent_py="# %% a sum\n\ncopy = 0 + 1\n",
    )
    exercise = catalogue.find("98l.10")
    assert (exercise.id, exercise.title, exercise.hints, exercise.why) == (
        "98L.10", "Copy", ("Read.", "Write."), "One two.",
    )  # fmt: skip
    assert (exercise.starter, exercise.solution, exercise.equivalent) == (
        "copy = None\n", "copy = 1\n", ("copy = 0 + 1\n",),
    )  # fmt: skip
    assert [(wrong.code, wrong.verdict) for wrong in exercise.wrong] == [
        ("copy = 2\n", "too many"),
        ("copy = '1'\n", "is a string"),
    ]
    assert exercise.makes == Makes(variables=("copy",)) and exercise.hidden == ()
    assert exercise.check is catalogue.check_module("98L.10").check


def test_a_labs_exercises_come_after_those_of_its_lesson_and_are_found_by_their_number(written, tmp_path) -> None:
    for lesson in ("03", "02l", "02"):
        written(f"lesson_{lesson}/1")
    assert catalogue.lessons() == ["02", "02L", "03"]
    assert [catalogue.find(name).id for name in ("02L.1", "02l.1", "02.1")] == ["02L.1", "02L.1", "02.1"]
    progress = progress_shown(ExerciseRecord(tmp_path / "record.json")).text.splitlines()
    assert progress[1] == "02L  ○       0 of 1 right" and progress[-1] == "Next: 02.1 Copy"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"check_py": None}, "1/check.py cannot be loaded: it is missing."),
        ({"exercise_toml": None}, "1/exercise.toml cannot be loaded: it is missing."),
        ({"solution_py": None}, "1/solution.py cannot be loaded: it is missing, and so is solution.sql."),
        ({"starter_sql": "--\n"}, "1/starter.py cannot be loaded: starter.sql exists too: keep one of them."),
        ({"starter_py": "\n"}, "1/starter.py cannot be loaded: it is empty."),
        ({"check_py": "def check(:\n"}, "1/check.py, line 1 cannot be loaded: SyntaxError: .*"),
        ({"check_py": "import re\n\nre.nothing\n"}, "1/check.py, line 3 cannot be loaded: AttributeError: .*"),
        ({"check_py": "MAKES = 1\n"}, "1/check.py cannot be loaded: it does not define `check`."),
        ({"exercise_toml": "title = 1 2\n"}, "1/exercise.toml, line 1 cannot be loaded: .*"),
        (
            {"exercise_toml": CELLS["exercise.toml"] + 'hint = "Read."\n'},
            "1/exercise.toml, line 7 cannot be loaded: the key `hint` is unknown; the keys are title, hints, why, .*",
        ),
        ({"exercise_toml": 'title = "Copy"\n'}, "1/exercise.toml cannot be loaded: the key `why` is missing."),
        (
            {"wrong_py": "# %% too many\ncopy = 2\n\n# %%\ncopy = 3\n"},
            "1/wrong.py, line 4 cannot be loaded: the cell has no words of its verdict after `%%`.",
        ),
        (
            {"wrong_py": "# %% `2` for `1`:\ncopy = 2\n"},
            "1/wrong.py, line 1 cannot be loaded: the cell has no words of its verdict after `%%`.",
        ),
        ({"wrong_py": "# %% too many\n# %% too few\ncopy = 0\n"}, "1/wrong.py, line 1 cannot be loaded: .* empty."),
        ({"wrong_py": "# Order matters.\n\ncopy = 2\n"}, "1/wrong.py, line 3 cannot be loaded: each cell needs .*"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_named_with_the_line(written, files: dict[str, str | None], said: str) -> None:
    written("lesson_98/1", **files)
    with pytest.raises(catalogue.BrokenExercises) as caught:
        catalogue.exercises_of("98")
    assert re.fullmatch(f"exercises/lesson_98/{said}", str(caught.value)), caught.value
