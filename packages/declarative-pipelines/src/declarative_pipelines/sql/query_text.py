"""The text of a query as Spark's pipelines take it, with the session's names.

``LIVE.`` goes from names.  A catalog that the session does not have is mapped to a prefix of databases by the update's
configuration: with ``pipelines.catalogs.samples = samples_`` the name ``samples.nyctaxi.trips`` means
``samples_nyctaxi.trips``, and with an empty prefix ``nyctaxi.trips``.  Names of datasets are compared without regard to
case, as Spark compares the names of tables; its pipelines engine compares them exactly, so a name that differs by case
only is replaced by the one that the definition has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from declarative_pipelines.sql.token_reader import SourceText, Token, has_word_at
from streaming_base.rewritten_sql import Edit, Rewritten

KEY = "pipelines.catalogs."
OWN = "spark_catalog"
#: The platform's older catalog is the session's own.
_ALWAYS = {"hive_metastore": ""}
# What a relation's name stands behind.
_BEFORE_A_RELATION = ("FROM", "JOIN", "STREAM", "TABLE", ",", "(")


@dataclass(frozen=True)
class WrittenName:
    """A name of one or more parts in a query's text, by its tokens and the dots between them."""

    tokens: Sequence[Token]
    before: Token | None
    is_call: bool

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts without their backticks."""
        return tuple(token.value for token in self.tokens[::2])

    @property
    def may_be_relation(self) -> bool:
        """Whether the name stands where a table's may."""
        return self.before is not None and not self.is_call and any(map(self.before.says, _BEFORE_A_RELATION))

    def edit(self, count: int, name: str) -> Edit:
        """Return the replacement of the first parts."""
        return Edit(self.tokens[0].start, self.tokens[2 * count - 2].end, name)


def written_names(tokens: list[Token]) -> Iterator[WrittenName]:
    """Yield the names in a query, of functions and columns as well."""
    before, number = None, 0
    while number < len(tokens):
        last = number
        while has_word_at(tokens, last + 1, ".") and last + 2 < len(tokens) and tokens[last + 2].may_be_name:
            last += 2
        if tokens[number].may_be_name and not (before is not None and before.says(".")):
            yield WrittenName(tokens[number : last + 1], before, has_word_at(tokens, last + 1, "("))
            number = last
        before, number = tokens[number], number + 1


def replace_names(text: str, make_edit: Callable[[WrittenName], Edit | None]) -> str:
    """Return a text with the edits of its names."""
    edits = (make_edit(name) for name in written_names(SourceText(text, "").tokens()))
    return Rewritten.of(text, [edit for edit in edits if edit is not None]).text


def live_edits(tokens: list[Token]) -> list[Edit]:
    """Return the edits that remove ``LIVE`` and the dot before each name, except where ``LIVE`` is an alias."""
    names = [name for name in written_names(tokens) if name.parts[0].upper() == "LIVE"]
    if any(name.before is not None and name.before.says("AS") for name in names):
        return []
    return [Edit(token.start, token.end, "") for name in names if len(name.parts) > 1 for token in name.tokens[:2]]


def without_live_names(text: str) -> str:
    """Return SQL text, or a name, without ``LIVE.``; comments and strings stay unchanged."""
    if "live" not in text.lower():
        return text  # without the tokenizer's import
    return Rewritten.of(text, live_edits(SourceText(text, "").tokens())).text


@dataclass(frozen=True)
class CatalogMap:
    """The prefix of databases for each catalog that is mapped, by its name in lower case."""

    prefixes: Mapping[str, str] = field(default_factory=lambda: dict(_ALWAYS))

    @classmethod
    def of(cls, configuration: Mapping[str, str]) -> CatalogMap:
        """Return the map that an update's configuration has."""
        given = {key[len(KEY) :].lower(): value for key, value in configuration.items() if key.startswith(KEY)}
        return cls({**_ALWAYS, **given})

    def located(self, catalog: str, database: str) -> tuple[str, str]:
        """Return a catalog and a database of it as the session has them."""
        prefix = self.prefixes.get(catalog.lower())
        return (catalog, database) if prefix is None else (OWN, f"{prefix}{database}")

    def in_text(self, text: str) -> str:
        """Return a query with the session's names in place of three-part names, except in strings and comments."""
        lower = text.lower()
        if not any(catalog in lower for catalog in self.prefixes):
            return text  # without the tokenizer's import

        def mapped(name: WrittenName) -> Edit | None:
            if len(name.parts) < 3 or name.parts[0].lower() not in self.prefixes:
                return None
            catalog, database = self.located(*name.parts[:2])
            return name.edit(2, f"{catalog}.`{database.replace('`', '``')}`")

        return replace_names(text, mapped)


def how_to_map(catalog: str) -> str:
    """Return a sentence about a catalog that is not there."""
    key = f"{KEY}{catalog}"
    return (
        f"There is no catalog {catalog} here. Map it to a prefix of databases: with "
        f"configuration={{{key!r}: '{catalog}_'}}, {catalog}.a.b means {catalog}_a.b."
    )


class DatasetNames:
    """The names of a pipeline's datasets: of tables catalog, database and name; of views and sinks the name."""

    def __init__(self, names: Iterable[tuple[str, ...]]) -> None:
        self._known = {_lower(parts): parts for parts in names}

    def in_text(self, text: str, complete: Callable[[str], list[str]]) -> str:
        """Return a query in which each dataset has its defined name; ``complete`` gives a table's three parts."""
        lower = text.lower()
        if all(lower.count(part.lower()) == text.count(part) for parts in self._known.values() for part in parts):
            return text  # without the tokenizer's import

        def defined(name: WrittenName) -> Edit | None:
            found = self._known.get(_lower(name.parts))
            if found is None and len(name.parts) <= 3:
                table = self._known.get(_lower(complete(".".join(name.parts))))
                found = None if table is None else table[-len(name.parts) :]
            if found is None or found == name.parts or not name.may_be_relation:
                return None
            return name.edit(len(found), ".".join(f"`{part.replace('`', '``')}`" for part in found))

        return replace_names(text, defined)


def _lower(parts: Iterable[str]) -> tuple[str, ...]:
    return tuple(part.lower() for part in parts)
