"""Each rule on a cell's source finds one error in a lesson that is otherwise right."""

from __future__ import annotations

import pytest

from lesson_linter import plan
from lesson_linter.lesson import read
from streaming_classroom.runner.results import EXERCISE

from .conftest import Draft, OneProblem

PICTURE = "![Files land one after the other on a road](images/07-road.svg)"

PARTS = [
    (1, "# 07 · A Small", "# 08 · A Small", 1, "title", "'# 07 · A Small Lesson'"),
    (1, "A course has a first lesson.\n", "", 1, "why", "say why"),
    (1, "**The question:**", "The question:", None, "question", "add a line '**The question:** …?'"),
    (1, "* count its rows;\n", "", 8, "objectives", "at least 3 objectives"),
    (1, "7 minutes", "a while", None, "time", "'**Time:** NN minutes.'"),
    (1, "takes five minutes", "is short", 16, "instructors", "where its minutes go"),
    (2, "%run ", "# it\n%run ", None, "set-up", "'%run ../Includes/Classroom-Setup', alone"),
    (3, "07", "08", None, "set-up", "'DA = start_lesson(\"07\", ...)', alone"),
    (14, "DA.cleanup()", "DA.cleanup()\n", None, "cleanup", "'DA.cleanup()', alone"),
    (8, "## 2. A", "## 3. A", 1, "sections", "number this section: '## 2. …'"),
    (13, "* Change it.\n", "", 3, "sections", "write this section"),
    (13, "\n## Recap", "\n## 3. Late\n\nx\n\n## Recap", 7, "sections", "before '## Experiment'"),
    (13, "## Recap\n\n* It is small.\n", "", None, "ending", "add the section '## Recap'"),
    (6, "**Predict:**", "**Guess:**", None, "predictions", "at least 3 results"),
    (6, "now?", "now.", 3, "predictions", "question mark"),
    (13, "3. Is", "4. Is", None, "questions", "number this question 3"),
]
TEXT = [
    (6, "one.", "one.<details><summary>a</summary>", 1, "tags", "close <details>, or write it as code"),
    (6, "one.", "one\n[file](http://x.org/y).", 2, "link-targets", "https://"),
    (6, "one.", "one [step](#2.-A-step).", 1, "link-targets", "none is named #2.-A-step"),
    (6, "one.", "one `a\nb` and\n* an item\n* [file](no.md)", 4, "link-targets", "a file that exists"),
    (6, "one.", "one\n[here](https://x.org).", 2, "link-texts", "say where it leads"),
    (6, "one.", "one\n[text](a b.md).", 2, "link-texts", "without blanks"),
    (13, "spark.apache.org", "blog.example.org", 40, "reading", "blog.example.org is not in the linter's list"),
    (9, "print(1)", "print(1)  # TODO: more", 1, "unfinished", "write what is left"),
]
PICTURES = [
    (4, PICTURE, "![](images/07-road.svg)", 7, "alt", "has no alt text"),
    (4, PICTURE, "![Files land one after another](https://x.org/a.svg)", 7, "local", "into images/"),
    (4, PICTURE, "![Files land one after another](images/no.svg)", 7, "local", "there is no images/no.svg"),
    (4, PICTURE, "Nothing to see.", None, "pictures", "an SVG in images/"),
]
CODE = [
    (9, "print(1)", "1\n\n" * 15 + "1", 31, "short-cells", "15 lines at most"),
    (9, "print(1)", "1\n\n" + "x" * 93, 3, "length", "92 characters at most"),
    (9, "print(1)", "\n\nfor", 3, "parses", "write valid Python"),
    (9, "print(1)", "import time\ntime.sleep(6)", 2, "sleeps", "over 5 seconds"),
    (9, "print(1)", "try:\n    1\nexcept:\n    2", 3, "bare-excepts", "name the exception"),
    (9, "print(1)", "1\np['numInputRows']", 2, "figures-of-reports", "write p.numInputRows"),
    (9, "print(1)", "%sql\nSELECT '/home/ann/x'", 2, "machine-paths", "'/home/a'"),
]


@pytest.mark.parametrize(("cell", "old", "new", "line", "rule", "says"), PARTS + TEXT + PICTURES + CODE)
def test_one_error_is_one_problem_in_its_cell_and_line(
    draft: Draft, one_problem: OneProblem, cell: int, old: str, new: str, line: int | None, rule: str, says: str
) -> None:
    draft.change(cell, old, new)
    found = one_problem()
    is_of_no_cell = line is None and rule in ("ending", "pictures", "predictions")
    assert found[:3] == (None if is_of_no_cell else cell, line, rule)
    assert says in found[3]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('role="img"', "", 'role="img"'),
        ('aria-label="A road"', "", "aria-label or a <title>"),
        ('fill="#ffffff"', 'fill="#0f172a"', "page may be dark"),
        ("<text", "<script>1</script><text", "scripts"),
        ("<text", "<image href='https://x.org/a.png'/><text", "references"),
    ],
)
def test_a_drawing_is_checked(draft: Draft, one_problem: OneProblem, old: str, new: str, says: str) -> None:
    draft.draw(draft.drawing.replace(old, new))
    found = one_problem()
    assert found[:3] == (4, 7, "svg")
    assert says in found[3]


@pytest.mark.parametrize(("number", "minutes"), [("07", 12), ("10J", 12), ("07L", 10), ("13", 10)])
def test_a_task_of_a_lab_or_of_a_lesson_of_tasks_is_planned_shorter_than_an_exercise(
    draft: Draft, number: str, minutes: int
) -> None:
    draft.name = f"{number}-A-Small-Lesson.ipynb"
    without = sum(part.needs for part in plan.parts(read(draft.write())))

    draft.cells[9].metadata["tags"] = [EXERCISE]

    needs = sum(part.needs for part in plan.parts(read(draft.write())))
    assert needs - without == pytest.approx(minutes - plan.MINUTES_PER_CELL)
