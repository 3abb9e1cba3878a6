"""Write docs/modules.md: every module of the packages and the tools with the first sentence of its docstring.

`.venv/bin/python tools/module_map.py`, after a module has come, gone or changed its first sentence; a test compares.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
MAP = PROJECT / "docs" / "modules.md"
HEAD = """# Where is ...? Every module in one line

Search this page, then open the file. [Architecture](architecture.md) says how the packages work together.
`tools/module_map.py` writes the page from the modules' own first sentences.
"""
PLACES = {
    "packages/streaming-classroom/src/streaming_classroom": "session, lesson, data, exercises, runner, set-up",
    "packages/spark-hooks/src/spark_hooks": "one chain for each method of Spark that is wrapped",
    "packages/stream-view/src/stream_view": "streams and tables, shown live",
    "packages/notebook-dialect/src/notebook_dialect": "Databricks notebooks on a stock kernel",
    "packages/pyspark-cloudfiles/src/pyspark_cloudfiles": "Auto Loader",
    "packages/declarative-pipelines/src/declarative_pipelines": "declarative pipelines",
    "exercises": "the exercises of each lesson",
    "datasets": "the generators of the data",
    "tools": "linter, benchmarks, the book, harnesses, the choice of tests",
}


def module_map() -> str:
    """Return the page's text."""
    return "\n".join([HEAD, *(_section(place, what) for place, what in PLACES.items())])


def _section(place: str, what: str) -> str:
    root = PROJECT / place
    folders: dict[Path, list[Path]] = defaultdict(list)
    for path in sorted(root.rglob("*.py")) + sorted(root.rglob("*.js")):
        if path.name not in ("__init__.py", "__main__.py"):
            folders[path.parent].append(path)
    lines = [f"## `{Path(place).name}`: {what}\n"]
    for folder, paths in sorted(folders.items()):
        if folder != root:
            about = _first_sentence(folder / "__init__.py")
            lines.append(f"### `{folder.relative_to(root).as_posix()}/`\n")
            lines += [f"{about}\n"] if about else []
        lines += [
            f"* [{path.name}](../{path.relative_to(PROJECT).as_posix()}): {_first_sentence(path)}" for path in paths
        ]
        lines.append("")
    return "\n".join(lines)


def _first_sentence(path: Path) -> str:
    if not path.exists():
        return ""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".js":
        found = re.match(r"//\s*(.+(?:\n//\s*.+)*)", text)
        said = re.sub(r"\n//\s*", " ", found[1]) if found else ""
    else:
        said = ast.get_docstring(ast.parse(text)) or ""
    paragraph = " ".join(said.split("\n\n")[0].split())
    sentence = re.match(r".*?[^.]\.(?=\s|$)", paragraph)
    return re.sub(r"``([^`]+)``", r"`\1`", (sentence[0] if sentence else paragraph)).replace("|", r"\|")


if __name__ == "__main__":
    MAP.write_text(module_map(), encoding="utf-8")
    print(f"Wrote {MAP.relative_to(PROJECT)}.")
