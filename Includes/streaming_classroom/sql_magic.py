"""``%sql``: a cell whose first line begins so is SQL, to the end of the cell.

Stock IPython takes a single percent sign for one line only; an input transformer turns such a cell into the
cell magic ``%%sql`` before it is parsed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_RESULT = "_sqldf"


def install(shell: InteractiveShell) -> None:
    """Make ``%sql`` work in this shell; calling it again changes nothing."""
    transforms = shell.input_transformer_manager.cleanup_transforms
    if _sql_cell_to_cell_magic not in transforms:
        transforms.append(_sql_cell_to_cell_magic)
    shell.register_magic_function(_sql, "line_cell", "sql")


def _sql_cell_to_cell_magic(lines: list[str]) -> list[str]:
    """Return a cell that begins with ``%sql`` as the cell magic, and any other as it is."""
    start = next((number for number, line in enumerate(lines) if line.strip()), None)
    if start is None or lines[start].split(None, 1)[0] != "%sql":
        return lines
    rest = lines[start].lstrip()[len("%sql") :].strip()
    body = [*([rest + "\n"] if rest else []), *lines[start + 1 :]]
    # IPython refuses a cell magic without a body, but not a line magic.
    return ["%%sql\n", *body] if "".join(body).strip() else ["%sql\n"]


def _sql(line: str, cell: str | None = None) -> None:
    """Run the statements of a cell and display the last one's result, kept as ``_sqldf``.

    A result that is a stream is displayed as one: the query runs until it is stopped.
    """
    from IPython import get_ipython

    from streaming_classroom.session import get_spark
    from streaming_classroom.views import display

    spark = get_spark()
    frames = [spark.sql(statement) for statement in _statements(f"{line}\n{cell or ''}")]
    if not frames:
        return
    get_ipython().user_ns[_RESULT] = frames[-1]
    if frames[-1].columns:
        display(frames[-1])


def _statements(text: str) -> list[str]:
    """Return the statements of a text, without those that are only comments."""
    import sqlparse

    statements = [statement.rstrip(";") for statement in sqlparse.split(text, strip_semicolon=True)]
    return [statement for statement in statements if sqlparse.format(statement, strip_comments=True).strip("; \n")]
