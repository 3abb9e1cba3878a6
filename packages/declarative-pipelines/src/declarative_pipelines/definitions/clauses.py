"""The clauses of a statement: columns and constraints in parentheses, and those of ``AUTO CDC`` (``APPLY CHANGES``).

A constraint with EXPECT is an expectation.  PRIMARY KEY and FOREIGN KEY, of a column or of the table, reject nothing on
the platform either, which keeps them as information for readers and for its optimizer; they are read and left out.
GENERATED and DEFAULT, which are no part of a schema in Spark, become computed columns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from declarative_pipelines.definitions.model import ChangeFlow, ComputedColumn, Expectation, SourceLocation, Violation
from declarative_pipelines.definitions.queries import CALLS, read_file_source
from declarative_pipelines.definitions.token_reader import SourceText, TokenReader
from declarative_pipelines.errors import BadDefinition

if TYPE_CHECKING:
    from declarative_pipelines.definitions.model import Dataset

_OTHER_CONSTRAINTS = "PRIMARY|FOREIGN"
# What begins the informational constraint of a column, and what may come behind one.
_KEYS = (("CONSTRAINT",), ("PRIMARY", "KEY"), ("FOREIGN", "KEY"), ("REFERENCES",))
_BEHIND_KEYS = (("NOT", "NULL"), ("COMMENT",), ("DEFAULT",), ("GENERATED",), ("MASK",), ("CHECK", "("))
_OPTIONS = (*_KEYS, *_BEHIND_KEYS)
_MENTIONED = re.compile(r"\b(?:PRIMARY|FOREIGN|REFERENCES|CONSTRAINT|DEFAULT|GENERATED|MASK|CHECK)\b", re.IGNORECASE)
# What the platform has and a pipeline on this machine has not, with what to write instead.
_REFUSED = {
    "MASK": "column masks are not here; leave MASK out and hide the value in the query.",
    "CHECK": "CHECK is not here; write CONSTRAINT name EXPECT (condition) ON VIOLATION FAIL UPDATE.",
}
_IDENTITY = "identity columns are not here; compute the number in the query, or leave the column out."


@dataclass(frozen=True)
class Columns:
    """The content of the parentheses: the schema as DDL or None, the expectations, the computed columns."""

    schema: str | None = None
    expectations: tuple[Expectation, ...] = ()
    computed: tuple[ComputedColumn, ...] = ()


def read_columns(inside: TokenReader) -> Columns:
    """Read the parentheses of a table's columns; between a column and an expectation, a comma may be missing.

    Raises BadDefinition for a column without a type, an unknown option or constraint, and a duplicate name.
    """
    columns: dict[str, str] = {}
    computed: list[ComputedColumn] = []
    expectations: dict[str, Expectation] = {}
    while not inside.done:
        item = inside.item(_is_expected)
        has_comma = inside.take(",")
        if item.done or (has_comma and inside.done):
            raise inside.unexpected("a column or a constraint")
        if item.at("CONSTRAINT") or item.at(_OTHER_CONSTRAINTS, "KEY"):
            found = _constraint(item)
            if found is not None and found.name in expectations:
                raise inside.fail(f"there are two constraints named {found.name}; give one of them another name.")
            if found is not None:
                expectations[found.name] = found
        else:
            name, ddl = _column(item, computed)
            if name.lower() in columns:
                raise inside.fail(f"there are two columns named {name}.")
            columns[name.lower()] = ddl
    return Columns(", ".join(columns.values()) or None, tuple(expectations.values()), tuple(computed))


def read_schema(ddl: str) -> Columns:
    """Return a schema as DDL without keys and computed columns, which Spark's parser rejects."""
    if not _MENTIONED.search(ddl):
        return Columns(ddl)
    columns = read_columns(inside := TokenReader(SourceText(ddl, "schema")))
    if columns.expectations:
        raise inside.fail("a schema has no expectations; write @dlt.expect above the function.")
    return columns


def _is_expected(inside: TokenReader) -> bool:
    tokens = inside.tokens[:3]
    return inside.at("CONSTRAINT") and len(tokens) > 2 and tokens[1].may_be_name and tokens[2].says("EXPECT")


def _constraint(item: TokenReader) -> Expectation | None:
    name = item.name("the constraint's name") if item.take("CONSTRAINT") else ""
    if item.take(_OTHER_CONSTRAINTS, "KEY"):
        return None
    if item.at("CHECK"):
        raise item.fail(_REFUSED["CHECK"])
    item.expect("EXPECT")
    condition = item.parenthesized().text
    if not condition:
        raise item.fail(f"the constraint {name} has no condition.")
    violation = Violation.ALLOW
    if item.take("ON", "VIOLATION"):
        violation = Violation.DROP if item.take("DROP", "ROW") else Violation.FAIL
        if violation is Violation.FAIL and not item.take("FAIL", "UPDATE"):
            raise item.unexpected("DROP ROW or FAIL UPDATE")
    item.end(f"the constraint {name}")
    return Expectation(name, condition, violation)


def _column(item: TokenReader, computed: list[ComputedColumn]) -> tuple[str, str]:
    """Read a column; return its name and its DDL, which has neither keys nor the expression of a computed column."""
    begin = item.tokens[0].start
    name = item.name("a column's name")
    if item.done or not item.tokens[0].may_be_name or item.at("COMMENT") or item.at("NOT", "NULL"):
        raise item.fail(f"the column {name} needs a type, such as {name} STRING.")
    type_begin = item.tokens[0].start
    item.name("a type")
    item.angles()
    if item.at("("):
        item.skip()
    # A type of several words, such as INTERVAL DAY TO SECOND.
    while not item.done and item.tokens[0].may_be_name and not item.at("NOT|EXPECT") and not _begins(item, _OPTIONS):
        item.name("a type")
    kind = item.source.text[type_begin : item.last.end]
    ddl = [item.source.text[begin : item.last.end]]
    while not item.done:
        option = item.tokens[0]
        if refused := next((reason for word, reason in _REFUSED.items() if item.at(word)), None):
            raise item.fail(refused)
        if not _begins(item, _OPTIONS):
            raise item.fail(
                f"{option.value} is no option of a column that is known here; "
                "known are NOT NULL, COMMENT, DEFAULT and GENERATED, PRIMARY KEY and FOREIGN KEY."
            )
        if _begins(item, _KEYS):
            item.skip()
            item.until(lambda: _begins(item, _BEHIND_KEYS))
        elif item.at("DEFAULT|GENERATED"):
            computed.append(_computed(item, name, kind))
        else:
            item.skip()
            item.until(lambda: _begins(item, _OPTIONS))
            ddl.append(item.source.text[option.start : item.last.end])
    return name, " ".join(ddl)


def _computed(item: TokenReader, name: str, kind: str) -> ComputedColumn:
    if item.take("DEFAULT"):
        return ComputedColumn(name, kind, item.until(lambda: _begins(item, _OPTIONS)).text, is_default=True)
    item.expect("GENERATED")
    if item.take("BY", "DEFAULT", "AS", "IDENTITY") or item.take("ALWAYS", "AS", "IDENTITY"):
        raise item.fail(_IDENTITY)
    item.expect("ALWAYS", "AS")
    return ComputedColumn(name, kind, item.parenthesized().text)


def _begins(item: TokenReader, words: tuple[tuple[str, ...], ...]) -> bool:
    return any(item.at(*these) for these in words)


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
