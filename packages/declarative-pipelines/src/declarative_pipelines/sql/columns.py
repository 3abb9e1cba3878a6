"""Columns and constraints: what stands in the parentheses after a dataset's name.

A constraint with EXPECT is an expectation.  PRIMARY KEY and FOREIGN KEY, of a column or of the table, reject nothing on
the platform either, which keeps them as information for readers and for its optimizer; they are read and left out.
GENERATED and DEFAULT, which are no part of a schema in Spark, become computed columns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from declarative_pipelines.definitions.model import ComputedColumn, Expectation, Violation
from declarative_pipelines.sql.token_reader import SourceText, TokenReader

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
