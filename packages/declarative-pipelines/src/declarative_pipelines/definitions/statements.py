"""The statements of a pipeline's SQL file, as the same definitions that the Python decorators make.

A file has ``CREATE`` of streaming tables, materialized views and views, flows into them, change flows, and ``SET`` and
``USE`` for what is below them.  Anything else is refused: a pipeline's file says what there is, and the
pipeline decides what to run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from declarative_pipelines.definitions.clauses import Columns, read_changes, read_columns
from declarative_pipelines.definitions.model import Dataset, DatasetKind, Definitions, Flow, Namespace, SourceLocation
from declarative_pipelines.definitions.queries import read_query
from declarative_pipelines.definitions.token_reader import SourceText, TokenReader
from declarative_pipelines.errors import BadDefinition
from streaming_base import sql_statements
from streaming_base.errors import BadSql

if TYPE_CHECKING:
    from streaming_base.sql_statements import Statement

_STREAMING_TABLE, _VIEW = DatasetKind.STREAMING_TABLE, DatasetKind.TEMPORARY_VIEW
# In this order: the words of one may be the beginning of another.
_KINDS: tuple[tuple[tuple[str, ...], DatasetKind], ...] = (
    (("STREAMING|INCREMENTAL", "LIVE", "TABLE"), _STREAMING_TABLE),
    (("STREAMING", "TABLE"), _STREAMING_TABLE),
    (("MATERIALIZED", "VIEW"), DatasetKind.MATERIALIZED_VIEW),
    (("LIVE", "TABLE"), DatasetKind.MATERIALIZED_VIEW),
    (("STREAMING|INCREMENTAL", "LIVE", "VIEW"), _VIEW),
    (("LIVE", "VIEW"), _VIEW),
    (("VIEW",), _VIEW),
)
# What the platform has and a pipeline on this machine has not, with the reason.
_REFUSED = {
    "SCHEDULE": "a pipeline runs here when you run it; leave SCHEDULE out.",
    "REFRESH": "a pipeline runs here when you run it; leave REFRESH out.",
    "TRIGGER": "a pipeline runs here when you run it; leave TRIGGER out.",
    "LOCATION": "a table of a pipeline is stored with its database; leave LOCATION out.",
    "WITH": "row filters are not here; leave WITH ROW FILTER out and filter in the query.",
}


def _read_dataset(
    reader: TokenReader,
    kind: DatasetKind,
    name: str,
    location: SourceLocation,
    common: dict[str, Any],
    is_published: bool = False,
) -> list[Dataset]:
    """Read the clauses after a dataset's name; return the views of the files that it reads, then the dataset.

    A clause that begins with ``FLOW`` is left unread.  ``common`` are the values of all datasets at this point of the
    file; ``is_published`` marks a view that stays in the catalog.
    """
    columns = read_columns(reader.parenthesized()) if reader.at("(") else Columns()
    given: dict[str, Any] = {}
    while not reader.done and not reader.at("AS|FLOW"):
        before, (key, value) = reader.location, _clause(reader)
        if key in given:
            raise BadDefinition(before, f"the {key.replace('_', ' ')} is given twice.")
        given[key] = value
    given = {key: value for key, value in given.items() if value is not None}
    query = None
    views: list[Dataset] = []
    if reader.take("AS"):
        query, views = read_query(reader, name)
    elif kind is not DatasetKind.STREAMING_TABLE:
        raise reader.unexpected("AS with a query")
    if kind is DatasetKind.TEMPORARY_VIEW and (unfit := given.keys() - {"comment", "properties"}):
        raise BadDefinition(
            location, f"a {'' if is_published else 'temporary '}view has no {min(unfit).replace('_', ' ')}."
        )
    if is_published:
        _refuse_in_catalog(name, location, columns, views)
    dataset = Dataset(
        name=name,
        kind=kind,
        location=location,
        query=query,
        schema=columns.schema,
        expectations=columns.expectations,
        computed=columns.computed,
        is_published=is_published,
        **given,
        **common,
    )
    return [*views, dataset]


def _refuse_in_catalog(name: str, location: SourceLocation, columns: Columns, views: list[Dataset]) -> None:
    """Raise BadDefinition for a view in the catalog that has expectations, reads files, or is in another database."""
    if columns.expectations:
        problem = "has expectations, which count in tables and temporary views"
    elif views:
        problem = "reads files"
    elif "." in name:
        raise BadDefinition(location, f"the view {name} is made in the pipeline's own database: write its name alone.")
    else:
        return
    raise BadDefinition(
        location, f"the view {name} {problem}. Write CREATE TEMPORARY VIEW or CREATE MATERIALIZED VIEW."
    )


def _clause(reader: TokenReader) -> tuple[str, Any]:
    if reader.take("COMMENT"):
        return "comment", reader.string()
    if reader.take("USING"):
        return "format", reader.name("a format").lower()
    if reader.take("PARTITIONED", "BY"):
        return "partition_by", _names(reader)
    if reader.take("CLUSTER", "BY", "AUTO|NONE"):
        return "cluster_by", None
    if reader.take("CLUSTER", "BY"):
        return "cluster_by", _names(reader)
    if reader.take("TBLPROPERTIES"):
        return "properties", _properties(reader)
    refused = next((reason for word, reason in _REFUSED.items() if reader.at(word)), None)
    raise reader.fail(refused) if refused else reader.unexpected("AS with a query, or a clause of CREATE,")


def _names(reader: TokenReader) -> tuple[str, ...]:
    inside, names = reader.parenthesized(), []
    for item in inside.items():
        names.append(item.name("a column's name"))
        item.end("the column's name")
    if not names:
        raise inside.unexpected("a column's name")
    return tuple(names)


def _properties(reader: TokenReader) -> dict[str, str]:
    properties = {}
    for item in reader.parenthesized().items():
        key = item.string() if item.at_string else ".".join(item.names("a property's name"))
        item.expect("=")
        properties[key] = _read_value(item)
    return properties


def _read_value(reader: TokenReader) -> str:
    """Read the rest as a value: a quoted text, or as written."""
    if reader.done:
        raise reader.unexpected("a value")
    if reader.at_string and len(reader.tokens) == 1:
        return reader.string()
    return reader.rest().text


_KNOWN = (
    "A pipeline's file has CREATE STREAMING TABLE, CREATE MATERIALIZED VIEW, CREATE [TEMPORARY] VIEW, CREATE FLOW, "
    "AUTO CDC or APPLY CHANGES, SET and USE."
)
_LINE = re.compile(r"Line (\d+): ")
_VARIABLE = re.compile(r"\$\{([^}]*)\}")


def read_statements(text: str, file: str, definitions: Definitions) -> None:
    """Add the definitions of a pipeline's SQL file; an error leaves them unchanged.

    A query becomes a :class:`.QueryText`, and each call of ``read_files`` or ``cloud_files`` a temporary view before
    it, with a :class:`.FileRead`.  ``SET`` applies to the ``spark_conf`` and to ``${key}`` of later statements of the
    file, ``USE`` to their ``namespace``.  Raises BadDefinition with file and line.
    """
    scope = _Scope(file)
    try:
        statements = sql_statements.split(text)
    except BadSql as error:
        line = _LINE.match(str(error))
        location = SourceLocation(file, int(line[1]) if line else 1)
        raise BadDefinition(location, _LINE.sub("", str(error), count=1)) from None
    for statement in statements:
        scope.read(statement)
    definitions.datasets += scope.found.datasets
    definitions.flows += scope.found.flows
    definitions.changes += scope.found.changes


@dataclass
class _Scope:
    """The definitions of a file so far, and the ``SET`` and ``USE`` that apply to the rest."""

    file: str
    found: Definitions = field(default_factory=Definitions)
    settings: dict[str, str] = field(default_factory=dict)
    namespace: Namespace = field(default_factory=Namespace)

    def read(self, statement: Statement) -> None:
        text = _VARIABLE.sub(lambda found: self.settings.get(found[1], found[0]), statement.text)
        reader = TokenReader(SourceText(text, self.file, statement.line))
        location = reader.source.location()
        if reader.take("SET"):
            key = reader.until(lambda: reader.at("=")).text.replace("`", "")
            if not key or " " in key:
                raise reader.fail("a setting is written SET key = value.")
            reader.expect("=")
            self.settings[key] = _read_value(reader)
        elif reader.take("USE"):
            self._use(reader)
        elif reader.take("APPLY", "CHANGES") or reader.take("AUTO", "CDC"):
            self._changes_into(reader, None, location)
        elif reader.take("CREATE", "FLOW"):
            self._flow(reader, location)
        elif reader.take("CREATE"):
            self._create(reader, location)
        else:
            raise BadDefinition(location, f"{_beginning(text)} is no statement of a pipeline. {_KNOWN}")

    def _create(self, reader: TokenReader, location: SourceLocation) -> None:
        if reader.take("OR"):
            reader.expect("REFRESH|REPLACE")
        is_published = reader.at("VIEW")
        reader.take("TEMPORARY|TEMP|PRIVATE")  # a table that the platform does not publish is an ordinary table here
        kind = next((kind for words, kind in _KINDS if reader.take(*words)), None)
        if kind is None:
            raise BadDefinition(
                location, f"{_beginning(reader.source.text)} creates no dataset of a pipeline. {_KNOWN}"
            )
        reader.take("IF", "NOT", "EXISTS")
        name = reader.dataset_name()
        reader.take("IF", "NOT", "EXISTS")
        self.found.datasets += _read_dataset(reader, kind, name, location, self._common, is_published)
        if reader.take("FLOW"):
            reader.expect("AUTO", "CDC")
            self._changes(reader, name, name, location)
        reader.end("this statement")

    def _flow(self, reader: TokenReader, location: SourceLocation) -> None:
        name = reader.dataset_name()
        if reader.take("COMMENT"):
            reader.string()
        reader.expect("AS")
        if reader.take("AUTO", "CDC") or reader.take("APPLY", "CHANGES"):
            self._changes_into(reader, name, location)
            return
        reader.expect("INSERT", "INTO")
        once = reader.take("ONCE")
        target = reader.dataset_name()
        reader.expect("BY", "NAME")
        query, views = read_query(reader, name)
        self.found.datasets += views
        self.found.flows.append(Flow(name, target, query, location, once=once, **self._common))

    def _changes_into(self, reader: TokenReader, name: str | None, location: SourceLocation) -> None:
        once = reader.take("ONCE")
        reader.expect("INTO")
        target = reader.dataset_name()
        self._changes(reader, name or target, target, location, once)

    def _changes(
        self, reader: TokenReader, name: str, target: str, location: SourceLocation, once: bool = False
    ) -> None:
        flow, views = read_changes(reader, name, target, location, once)
        self.found.datasets += views
        self.found.changes.append(replace(flow, namespace=self.namespace))

    def _use(self, reader: TokenReader) -> None:
        if reader.take("CATALOG"):
            self.namespace = Namespace(reader.name("a catalog's name"))
        else:
            reader.take("SCHEMA|DATABASE|NAMESPACE")
            *catalog, database = reader.names("a database's name")
            if len(catalog) > 1:
                raise reader.fail("USE takes a database's name, with its catalog or without.")
            self.namespace = Namespace(catalog[0] if catalog else self.namespace.catalog, database)
        reader.end("USE")

    @property
    def _common(self) -> dict[str, Any]:
        return {"spark_conf": dict(self.settings), "namespace": self.namespace}


def _beginning(text: str) -> str:
    return " ".join(text.split()[:3])[:60]
