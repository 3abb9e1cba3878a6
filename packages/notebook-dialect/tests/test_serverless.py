"""Lessons 00 to 02 on a session shaped like serverless compute: no ``sparkContext``, and ``conf.set`` is refused."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from streaming_classroom.files import directories
from suite.selection import lesson_cases

pytestmark = pytest.mark.slow

LESSONS = sorted(directories.notebooks().glob("0[012]-*.ipynb"))
RESTRICTED = """
from pyspark.errors import AnalysisException, PySparkAttributeError
from pyspark.sql import SparkSession
from pyspark.sql.conf import RuntimeConfig

def _no_context(self):
    raise PySparkAttributeError(errorClass="JVM_ATTRIBUTE_NOT_SUPPORTED", messageParameters={"attr_name": "sparkContext"})

def _refuse(self, key, value):
    raise AnalysisException(f"[CONFIG_NOT_AVAILABLE] Configuration {key} is not available. SQLSTATE: 42K0I")

SparkSession.sparkContext = property(_no_context)
RuntimeConfig.set = _refuse
"""


@pytest.fixture
def serverless(open_notebook, tmp_path: Path):
    """Have a notebook whose kernel restricts Spark before the first cell."""
    startup = directories.claim(tmp_path / "home") / ".ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00-restrict.py").write_text(RESTRICTED)
    notebook = open_notebook(tmp_path / "home")
    yield notebook
    notebook.close()


@pytest.mark.parametrize("lesson", lesson_cases(LESSONS))
def test_a_lesson_says_what_it_cannot_do_and_does_the_rest(serverless, lesson: Path) -> None:
    cells = [cell for cell in nbformat.read(lesson, 4).cells if cell.cell_type == "code"]
    set_up, start, *rest = cells
    serverless.ok(set_up.source)
    assert "${da.paths...} stands for nothing in %sql cells here" in serverless.ok(start.source).text
    for cell in rest:
        result = serverless.run(cell.source)
        if "${da." in cell.source:
            assert "stands for nothing: this session has no such setting" in result.error
        else:
            expected = "error" if "raises-exception" in cell.metadata.get("tags", []) else "ok"
            assert result.status == expected, result.error
