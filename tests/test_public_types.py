"""Every public name has its type: mypy reveals none as ``Any``."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PUBLIC = {
    "stream_view": None,
    "declarative_pipelines": None,
    "declarative_pipelines.testing": None,
    "notebook_dialect": None,
    "pyspark_cloudfiles": None,
    "streaming_classroom": None,
    "declarative_pipelines.definitions.decorators": "NAMES",
}


def public_names(module: str, table: str | None) -> list[str]:
    code = f"import {module} as m; print(*(m.{table or '__all__'}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    return done.stdout.split()


@pytest.mark.slow
def test_no_public_name_is_any(tmp_path: Path) -> None:
    names = [(module, name) for module, table in PUBLIC.items() for name in public_names(module, table)]
    lines = [f"import {module}" for module in PUBLIC] + [f"reveal_type({module}.{name})" for module, name in names]
    (tmp_path / "reveal.py").write_text("\n".join(lines))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "--follow-imports=silent", "reveal.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    revealed = re.findall(r'Revealed type is "(.*)"', done.stdout)
    assert len(revealed) == len(names), done.stdout + done.stderr
    assert [name for name, kind in zip(names, revealed, strict=True) if kind == "Any"] == []
