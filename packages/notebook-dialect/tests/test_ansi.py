"""ANSI mode in notebooks that are not the course's own: who may switch it off, and what a cell says about it."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow

CAST = "spark.sql(\"SELECT CAST('x' AS INT) AS n\").first().n"
HINT = "ANSI mode makes this an error; older clusters give NULL."


@pytest.fixture(scope="module")
def guest(open_notebook):
    notebook = open_notebook(CLASSROOM_ANSI="off")
    yield notebook
    notebook.close()


def test_a_session_starts_without_it_where_the_environment_says_so(guest) -> None:
    guest.ok("%load_ext streaming_classroom")
    assert guest.value(CAST) is None
    assert guest.value("spark.newSession().conf.get('spark.sql.ansi.enabled')") == "false"


def test_a_lesson_is_not_a_guest_and_a_session_that_runs_is_changed_for_one(open_notebook) -> None:
    notebook = open_notebook(CLASSROOM_ANSI="off")
    notebook.ok("%run ../Includes/Classroom-Setup")
    lesson = notebook.run(CAST)
    assert "CAST_INVALID_INPUT" in lesson.error and HINT not in lesson.error
    notebook.ok("%load_ext streaming_classroom")
    assert notebook.value(CAST) is None
    notebook.close()


@pytest.mark.parametrize(
    ("cell", "condition"),
    [
        (CAST, "CAST_INVALID_INPUT"),
        ("%sql SELECT CAST(1e20 AS INT)", "CAST_OVERFLOW"),
        ("%sql SELECT 1 / 0", "DIVIDE_BY_ZERO"),
        ("%sql SELECT 2147483647 + 1", "OVERFLOW"),
        ("%sql SELECT array(1)[5]", "INVALID_ARRAY_INDEX"),
        ("%sql SELECT to_timestamp('x')", "CAST_INVALID_INPUT"),
    ],
)
def test_an_error_of_ansi_mode_says_how_to_do_without_it(guest, cell: str, condition: str) -> None:
    guest.ok("%load_ext streaming_classroom\nspark.conf.set('spark.sql.ansi.enabled', True)")
    lines = guest.run(cell).error.splitlines()
    assert any(condition in line for line in lines)
    assert lines[-1].startswith(HINT) and "CLASSROOM_ANSI=off" in lines[-1]
    guest.ok("spark.conf.set('spark.sql.ansi.enabled', False)")


def test_the_dialect_alone_names_the_setting(open_notebook) -> None:
    notebook = open_notebook()
    notebook.ok("%run ../Includes/Classroom-Setup\n%load_ext notebook_dialect")
    lines = notebook.run(CAST).error.splitlines()
    assert lines[-1] == f"{HINT[:-1]}: SET spark.sql.ansi.enabled = false."
    notebook.close()
