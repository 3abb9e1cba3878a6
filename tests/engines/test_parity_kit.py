"""The kit gives a record on any compute, and a record becomes a section of two pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engines import page as engines
from engines.engine import ENGINES, lessons
from parity_kit import pages
from parity_kit.cases import CASES
from suite.sessions import RunPython

RECORD: dict[str, Any] = {
    "format": 1, "day": "2026-12-01", "spark": "4.1.0", "runtime": "client.5", "serverless": True,
    "cases": {
        "SQL: a": {"seen": [[1]], "here": [[1]]},
        "SQL: b": {"seen": [[2]], "here": [[1]]},
        "SQL: c": {"error": "[NO] | never", "here": [[1]]},
    },
    "lessons": {"02L-A-Stream-of-Your-Own": "passed"},
}  # fmt: skip
#: What the course's own Auto Loader and dialect do in a classic session only; the platform has it everywhere.
NOT_OVER_CONNECT = {
    "Auto Loader: maxFilesPerTrigger with availableNow",  # its reports count no rows
}
MEASURE = """
import json, sys
from pathlib import Path
sys.path.insert(0, {tools!r})
from parity_kit import measuring
from streaming_classroom import get_spark, start_lesson
from notebook_dialect import Dialect
from streaming_classroom.files.directories import classroom_files

spark = get_spark()
Dialect(classroom_files()).fill({{}}, spark)
DA = start_lesson("parity-kit")
record = measuring.measure(
    spark, DA.paths.working_dir + "/cases", DA.paths.local, lambda path, seconds: None, dict, lessons=("02L",)
)
print(json.dumps(record))
"""


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the folder of copies of the two pages, which a merge then writes."""
    for module, name in ((pages, "PARITY"), (engines, "PAGE")):
        copy = tmp_path / getattr(module, name).name
        copy.write_text(getattr(module, name).read_text(encoding="utf-8"), encoding="utf-8")
        monkeypatch.setattr(module, name, copy)
    monkeypatch.setattr(pages, "RECORD", tmp_path / "measured.json")
    return tmp_path


def test_the_pages_say_that_nothing_was_measured_until_a_record_is_merged() -> None:
    text = pages.PARITY.read_text(encoding="utf-8")
    assert pages.with_cases(text, pages.read()) == text
    assert pages.read() is not None or "Not measured yet." in text


def test_a_record_becomes_a_section_of_both_pages(copies: Path) -> None:
    (copies / "sent.json").write_text(json.dumps(RECORD))
    pages.merge(copies / "sent.json")
    parity, lesson_page = pages.PARITY.read_text(), engines.PAGE.read_text()
    assert "Measured on 2026-12-01, runtime client.5, Spark 4.1.0, serverless compute. 1 of 3 cases" in parity
    assert "| SQL: b | `[[1]]` | `[[2]]` |" in parity and '| SQL: c | `[[1]]` | `"[NO] / never"` |' in parity
    assert "| 02L-A-Stream-of-Your-Own | passed |" in lesson_page and "Not measured yet" not in parity + lesson_page
    assert lesson_page == engines.render(engines.read(), lessons())


def test_a_file_that_is_no_record_changes_no_page(copies: Path) -> None:
    before = pages.PARITY.read_text()
    (copies / "sent.json").write_text('{"day": "2026-12-01"}')
    with pytest.raises(pages.NotARecord, match="it lacks cases, format"):
        pages.merge(copies / "sent.json")
    assert pages.PARITY.read_text() == before and pages.read() is None


@pytest.mark.exhaustive  # five minutes
@pytest.mark.usefixtures("clean_environment")
def test_the_cases_give_the_values_of_the_pages_on_the_restricted_engine(run_python: RunPython, tmp_path: Path) -> None:
    engine = next(engine for engine in ENGINES if engine.name == "serverless")
    (tmp_path / "engine").mkdir()
    with engine.start(tmp_path / "engine") as environment:
        tools = str(Path(pages.__file__).parents[1])
        done = run_python(
            MEASURE.format(tools=tools), 900, CLASSROOM_HOME=environment["SERVERLESS_FILES"], **environment
        )
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout.splitlines()[-1])
    assert record["serverless"] and record["lessons"] == {"02L": "passed"}
    differs = {what for what, found in record["cases"].items() if found.get("seen") != found["here"]}
    assert differs == NOT_OVER_CONNECT and len(record["cases"]) == len(CASES)
