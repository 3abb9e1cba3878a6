"""Where the lines of cells are in a notebook's file, for whoever shows the file and not the notebook.

Python's JSON parser does not tell where it found something, so the file's tokens are read once more, with their lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_COLON = re.compile(r"\s*:")
Step = str | int  # a name in an object, a position in an array


def source_lines(notebook: Path) -> dict[tuple[int, int], int]:
    """Return the line of the file, from 1, for each cell and each line of its source, both from 1.

    A source that the file has as one string is on one line. A file that is no notebook has none.
    """
    found: dict[tuple[int, int], int] = {}
    for path, text, line in _strings(notebook.read_text(encoding="utf-8", errors="replace")):
        match path:
            case ("cells", int(cell), "source", int(part)):
                found[cell + 1, part + 1] = line
            case ("cells", int(cell), "source"):
                for part in range(text.count("\\n") + 1):
                    found[cell + 1, part + 1] = line
    return found


def _strings(text: str) -> Iterator[tuple[tuple[Step, ...], str, int]]:
    """Yield each string that is a value, as it is written, with the steps that lead to it and its line."""
    path: list[Step] = []
    line, seen = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        token = match[0]
        if token in "[{":
            path.append(0 if token == "[" else "")
        elif token in "]}":
            path[-1:] = []
        elif token == "," and path and isinstance(path[-1], int):
            path[-1] += 1
        elif token.startswith('"') and _COLON.match(text, match.end()):
            path[-1:] = [token[1:-1]]  # a name: those that are looked for need no escapes
        elif token.startswith('"'):
            yield tuple(path), token, line
