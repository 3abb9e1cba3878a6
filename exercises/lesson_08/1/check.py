"""Check exercise 08.1, "The last line"."""

from __future__ import annotations

from streaming_classroom.exercises import Attempt, Makes, Mistake, NotTried


def check(attempt: Attempt) -> None:
    """Distinguish a reader that has loaded nothing from one that has loaded another directory."""
    made = attempt.namespace.get("arriving")
    if attempt.cell_error is not None:
        raise Mistake(f"Your cell raised an error: {attempt.words_of_error}")
    if made is None or hasattr(made, "load"):  # a reader without its last line
        raise NotTried
    if not getattr(made, "isStreaming", False):
        raise Mistake("`arriving` is not a streaming DataFrame: keep the chain, and add one call to it.")
    if not attempt.paths.exists(f"{attempt.paths.checkpoints}/arriving/_schemas"):
        raise Mistake("Keep the schema location of the task: there is no schema in it.")
    names = made.selectExpr("_metadata.file_name AS name")
    files = {row.name for row in attempt.rows_of_stream(names).distinct().collect()}
    landed = {path.name for path in attempt.paths.local(attempt.paths.landing).iterdir()}
    if not {name for name in landed if name.startswith("20")} <= files:
        raise Mistake("Load the directory of the task, with all of the files in `DA.paths.landing`.")


MAKES = Makes(variables=("arriving",), folders=("checkpoints/arriving",), by_starter=True)
