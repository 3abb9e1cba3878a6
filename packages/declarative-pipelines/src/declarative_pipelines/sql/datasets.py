"""``CREATE`` of a dataset: which kind it is, its columns and expectations, its clauses, its query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from declarative_pipelines.definitions.model import Dataset, DatasetKind, SourceLocation
from declarative_pipelines.sql.columns import Columns, read_columns
from declarative_pipelines.sql.queries import read_query
from declarative_pipelines.sql.sql_error import SqlError

if TYPE_CHECKING:
    from declarative_pipelines.sql.token_reader import TokenReader

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
    "LOCATION": "a table of a pipeline lies where its database does; leave LOCATION out.",
    "WITH": "row filters are not here; leave WITH ROW FILTER out and filter in the query.",
}


def read_kind(reader: TokenReader) -> DatasetKind | None:
    """Read the words between ``CREATE`` and a dataset's name; None, with nothing read, where they are no dataset's.

    ``PRIVATE`` and ``TEMPORARY`` tables, which the platform does not publish, are tables like any other here.
    """
    temporary = reader.at("TEMPORARY|TEMP|PRIVATE")
    words = reader.coming(5)[temporary:]
    for kind_words, kind in _KINDS:
        if len(words) >= len(kind_words) and all(
            any(word.says(kind) for kind in wanted.split("|")) for word, wanted in zip(words, kind_words, strict=False)
        ):
            if temporary:
                reader.take("TEMPORARY|TEMP|PRIVATE")
            reader.expect(*kind_words)
            return kind
    return None


def read_dataset(
    reader: TokenReader,
    kind: DatasetKind,
    name: str,
    location: SourceLocation,
    common: dict[str, Any],
    is_published: bool = False,
) -> list[Dataset]:
    """Read what is behind a dataset's name; return it, behind the views of the files that it reads.

    What begins with ``FLOW`` is left to be read.

    Parameters
    ----------
    common
        Values that all datasets have at this place of the file.
    is_published
        Whether it is a view that stays in the catalog.

    Raises
    ------
    SqlError
        Something in it is not understood, or a view has no query.
    """
    columns = read_columns(reader.parenthesized()) if reader.at("(") else Columns()
    given = _clauses(reader)
    query = None
    views: list[Dataset] = []
    if reader.take("AS"):
        query, views = read_query(reader, name)
    elif kind is not DatasetKind.STREAMING_TABLE:
        raise reader.unexpected("AS with a query")
    if kind is DatasetKind.TEMPORARY_VIEW and (unfit := given.keys() - {"comment", "properties"}):
        raise SqlError(location, f"a {'' if is_published else 'temporary '}view has no {min(unfit).replace('_', ' ')}.")
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
    """Refuse what a view in the catalog cannot have.

    Raises
    ------
    SqlError
        It has expectations, reads files, or is in another database.
    """
    if columns.expectations:
        problem = "has expectations, which count in tables and temporary views"
    elif views:
        problem = "reads files"
    elif "." in name:
        raise SqlError(location, f"the view {name} is made in the pipeline's own database: write its name alone.")
    else:
        return
    raise SqlError(location, f"the view {name} {problem}. Write CREATE TEMPORARY VIEW or CREATE MATERIALIZED VIEW.")


def _clauses(reader: TokenReader) -> dict[str, Any]:
    given: dict[str, Any] = {}
    while not reader.done and not reader.at("AS|FLOW"):
        before, (key, value) = reader.location, _clause(reader)
        if key in given:
            raise SqlError(before, f"the {key.replace('_', ' ')} is given twice.")
        given[key] = value
    return {key: value for key, value in given.items() if value is not None}


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
        properties[key] = read_value(item)
    return properties


def read_value(reader: TokenReader) -> str:
    """Read what is left as a value: a text in quotes, or as it is written.

    Raises
    ------
    SqlError
        Nothing is left.
    """
    if reader.done:
        raise reader.unexpected("a value")
    if reader.at_string and len(reader.tokens) == 1:
        return reader.string()
    return reader.rest().text
