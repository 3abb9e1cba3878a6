from __future__ import annotations

import json
from pathlib import Path

import pytest

from notebook_dialect.kernel.magics import defining_line

CELLS = [
    ("markdown", "silver = 1"),
    ("code", "%sql\nSELECT 1"),
    ("code", "import json as j\nfrom a import b\n\ndef read(path):\n    inside = path\n    return inside\n"),
    ("code", "bronze, gold = 1, 2\nfor row in []:\n    last = row\n"),
    (
        "code",
        "squares = [number**2 for number in (1, 2) if (even := number % 2 == 0)]\nannotated: int\ntyped: int = 3\n",
    ),
    (
        "code",
        "def outer():\n    def inner():\n        deep = 1\n\nclass Reader:\n    field = 1\n\nkey = lambda given: (given_twice := given)",
    ),
    (
        "code",
        "try:\n    import xml.dom as dom\nexcept ImportError as error:\n    pass\nmatch bronze:\n    case [head, *tail]:\n        pass\n",
    ),
]


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "mine.ipynb"
    cells = [{"cell_type": kind, "source": source.splitlines(keepends=True)} for kind, source in CELLS]
    path.write_text(json.dumps({"cells": cells}))
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    return path


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("j", "import json as j"),
        ("b", "from a import b"),
        ("read", "def read(path):"),
        ("gold", "bronze, gold = 1, 2"),
        ("last", "for row in []:"),
        ("squares", "squares = [number**2 for number in (1, 2) if (even := number % 2 == 0)]"),
        ("even", "squares = [number**2 for number in (1, 2) if (even := number % 2 == 0)]"),
        ("typed", "typed: int = 3"),
        ("Reader", "class Reader:"),
        ("dom", "try:"),
        ("tail", "match bronze:"),
        ("inside", None),
        ("number", None),
        ("annotated", None),
        ("inner", None),
        ("deep", None),
        ("field", None),
        ("given_twice", None),
        ("error", None),
        ("silver", None),
    ],
)
def test_the_line_that_defines_a_name(notebook: Path, name: str, line: str | None) -> None:
    assert defining_line(name, {}) == line


def test_another_front_end_names_the_file_among_the_variables(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JPY_SESSION_NAME")
    assert defining_line("gold", {}) is None
    assert defining_line("gold", {"__vsc_ipynb_file__": str(notebook)}) == "bronze, gold = 1, 2"


@pytest.mark.parametrize("text", [None, "half {", "[]", '{"cells": [1]}'])
def test_a_file_that_cannot_be_read_defines_nothing(notebook: Path, text: str | None) -> None:
    notebook.unlink()
    if text is not None:
        notebook.write_text(text)
    assert defining_line("gold", {}) is None
