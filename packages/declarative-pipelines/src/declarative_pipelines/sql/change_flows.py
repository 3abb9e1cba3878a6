"""``AUTO CDC``, or by its older name ``APPLY CHANGES``, read into a change flow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from declarative_pipelines.definitions.model import ChangeFlow, SourceLocation
from declarative_pipelines.errors import BadDefinition
from declarative_pipelines.sql.queries import CALLS, read_file_source

if TYPE_CHECKING:
    from declarative_pipelines.definitions.model import Dataset
    from declarative_pipelines.sql.token_reader import TokenReader

_CLAUSES: tuple[tuple[str, ...], ...] = (
    ("KEYS", "("),
    ("IGNORE", "NULL", "UPDATES"),
    ("WHERE",),
    ("APPLY", "AS", "DELETE", "WHEN"),
    ("APPLY", "AS", "TRUNCATE", "WHEN"),
    ("SEQUENCE", "BY"),
    ("COLUMNS", "(|*"),
    ("STORED", "AS"),
    ("TRACK", "HISTORY", "ON"),
)
# A column called COLUMNS may stand beside these.
_OPERATORS = {
    "AND", "OR", "NOT", "IS", "IN", "LIKE", "ILIKE", "RLIKE", "BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "END", "BY",
    "DIV", "ESCAPE",
}  # fmt: skip


def read_changes(
    reader: TokenReader,
    name: str,
    target: str,
    location: SourceLocation,
    once: bool = False,
) -> tuple[ChangeFlow, list[Dataset]]:
    """Read the clauses from ``FROM`` on; return the flow, and the view of the files that it reads, if it reads files.

    Raises BadDefinition for missing, repeated, unknown and contradictory clauses.
    """
    reader.expect("FROM")
    source, views = _source(reader, name)
    given: dict[str, Any] = {}
    while not reader.done:
        before = reader.location
        for key, value in _clause(reader).items():
            if key in given:
                raise BadDefinition(before, f"the clause for {key} is there twice.")
            given[key] = value
    for key, words in (("keys", "KEYS (...)"), ("sequence_by", "SEQUENCE BY ...")):
        if key not in given:
            raise reader.fail(f"the change flow into {target} needs {words}.")
    flow = ChangeFlow(name=name, target=target, source=source, location=location, once=once, **given)
    if flow.scd_type == 1 and (flow.history_columns or flow.history_except_columns):
        raise reader.fail("TRACK HISTORY goes with STORED AS SCD TYPE 2.")
    if flow.scd_type == 2 and flow.apply_as_truncates:
        raise reader.fail("APPLY AS TRUNCATE goes with STORED AS SCD TYPE 1.")
    return flow, views


def _source(reader: TokenReader, name: str) -> tuple[str, list[Dataset]]:
    if any(token.says(call) for token in reader.tokens[:3] for call in CALLS):
        view = read_file_source(reader.until(lambda: _begins_clause(reader)), name)
        return view.name, [view]
    if reader.take("STREAM") and reader.at("("):
        inside = reader.parenthesized()
        source = inside.dataset_name()
        inside.end("the source's name")
        return source, []
    return reader.dataset_name(), []


def _clause(reader: TokenReader) -> dict[str, Any]:
    if reader.take("KEYS"):
        return {"keys": _list(reader)}
    if reader.take("IGNORE", "NULL", "UPDATES"):
        some = _columns(reader, "null_columns", "null_except_columns") if reader.take("ON") else {}
        return {"ignore_null_updates": True, **some}
    if reader.take("WHERE"):
        return {"where": _expression(reader)}
    if reader.take("APPLY", "AS", "DELETE", "WHEN"):
        return {"apply_as_deletes": _expression(reader)}
    if reader.take("APPLY", "AS", "TRUNCATE", "WHEN"):
        return {"apply_as_truncates": _expression(reader)}
    if reader.take("SEQUENCE", "BY"):
        return {"sequence_by": _expression(reader)}
    if reader.take("COLUMNS"):
        return _columns(reader, "columns", "except_columns")
    if reader.take("TRACK", "HISTORY", "ON"):
        return _columns(reader, "history_columns", "history_except_columns")
    if reader.take("STORED", "AS"):
        reader.expect("SCD", "TYPE", "1|2")
        return {"scd_type": 1 if reader.last.value == "1" else 2}
    raise reader.unexpected("a clause of AUTO CDC, such as KEYS, SEQUENCE BY, COLUMNS or STORED AS,")


def _columns(reader: TokenReader, kept: str, left: str) -> dict[str, Any]:
    if reader.take("*"):
        return {left: _list(reader)} if reader.take("EXCEPT") else {}
    return {kept: _list(reader) if reader.at("(") else _bare_list(reader)}


def _list(reader: TokenReader) -> tuple[str, ...]:
    inside = reader.parenthesized()
    names = _bare_list(inside)
    inside.end("the list of columns")
    return names


def _bare_list(reader: TokenReader) -> tuple[str, ...]:
    names = [reader.name("a column's name")]
    while reader.take(","):
        names.append(reader.name("a column's name"))
    return tuple(names)


def _expression(reader: TokenReader) -> str:
    text = reader.until(lambda: _begins_clause(reader) or _begins_bare_list(reader)).text
    if not text:
        raise reader.unexpected("an expression")
    return text


def _begins_clause(reader: TokenReader) -> bool:
    return any(reader.at(*words) for words in _CLAUSES)


def _begins_bare_list(reader: TokenReader) -> bool:
    """Whether ``COLUMNS a, b`` comes next, and not a column called ``columns`` in an expression."""
    if not reader.at("COLUMNS"):
        return False
    coming, before = reader.tokens[1:2], reader.last.value.upper()
    follows_value = before not in _OPERATORS and (before[-1:].isalnum() or before[-1:] in ("_", ")", "]"))
    return follows_value and any(token.may_be_name and token.value.upper() not in _OPERATORS for token in coming)
