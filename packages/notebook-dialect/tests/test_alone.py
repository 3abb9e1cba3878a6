"""The packages without the course: what their READMEs say, in a stock kernel with a stock Spark."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from streaming_classroom.files import directories

pytestmark = pytest.mark.slow


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run cells in a stock kernel, in a folder of the test's own; give the texts of each cell's outputs."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLASSROOM_HOME", raising=False)

    def execute(*cells: str) -> list[str]:
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        NotebookClient(book, timeout=240, resources={"metadata": {"path": str(tmp_path)}}).execute()
        return [
            "".join(out.get("text") or out.get("data", {}).get("text/plain", "") for out in c.outputs)
            for c in book.cells
        ]

    return execute


def examples(package: str, language: str = "python|sql") -> list[str]:
    readme = (directories.PROJECT / "packages" / package.replace("_", "-") / "README.md").read_text(encoding="utf-8")
    return [text for _language, text in re.findall(rf"```({language})\n(.*?)```", readme, re.DOTALL)]


# Kernels of this environment load what is said before set-up; a stock one does not, and the packages bring nothing more.
AT_THE_START = (
    " ".join(
        f"streaming_classroom{module}"
        for module in ("", ".errors", ".environment", ".files", ".files.directories", ".notebook")
    )
    + " streaming_classroom.kernel_start"
)
NOTHING_OF_THE_COURSE = f"""import sys
loaded = {{name for name in sys.modules if name.startswith('streaming_classroom')}}
print(sorted(loaded - set('{AT_THE_START}'.split())))"""


def test_stream_views_readme(run) -> None:
    live, timeline, late, health, past = examples("stream_view")
    outputs = run(live, timeline, late, health, past, "query.stop()", NOTHING_OF_THE_COURSE)
    assert "by_parity" in outputs[0] and "timestamp" in outputs[0]
    assert "watermark before" in outputs[1]
    assert "late_by" in outputs[2]
    assert "1 stream · " in outputs[3] and "by_parity" in outputs[3]
    assert "state_rows" in outputs[4] and "|partition_id|" in outputs[4]
    assert outputs[-1] == "[]\n"


def test_notebook_dialects_readme(run, tmp_path: Path) -> None:
    begin, query, own = examples("notebook_dialect")
    outputs = run(begin, query, NOTHING_OF_THE_COURSE)
    assert "Ghent" in outputs[1] and "letters" in outputs[1]
    assert (tmp_path / "dbfs" / "mnt" / "demo" / "cities.json").is_file()
    assert outputs[-1] == "[]\n"
    outputs = run(own, "dbutils.fs.put('/mnt/a.txt', 'a', True)", "%fs head /mnt/a.txt")
    assert outputs[-1].strip("'\n") == "a"
    assert (tmp_path / "lakehouse" / "mnt" / "a.txt").read_text() == "a"


def test_open_is_as_it_was_unless_it_is_asked_for(run, tmp_path: Path) -> None:
    begin, _query, own = examples("notebook_dialect")
    look = (
        "import os, io, builtins as b; print([hasattr(f, '__wrapped__') for f in (b.open, io.open, os.stat, os.open)])"
    )
    assert run(begin, look)[-1] == "[False, False, False, False]\n"
    asked = own.replace("install(spark, files)", "install(spark, files, python_paths=True)")
    assert asked != own
    outputs = run(asked, "dbutils.fs.put('/mnt/a.txt', 'a', True)", "print(open('/dbfs/mnt/a.txt').read())")
    assert outputs[-1] == "a\n"
