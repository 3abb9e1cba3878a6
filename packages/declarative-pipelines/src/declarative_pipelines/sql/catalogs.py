"""Catalogs that a pipeline's names begin with and the session does not have, such as ``main`` and ``samples``.

The update's configuration maps each to a prefix of databases: with ``pipelines.catalogs.samples = samples_`` the name
``samples.nyctaxi.trips`` means ``samples_nyctaxi.trips``, and with an empty prefix ``nyctaxi.trips``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from declarative_pipelines.sql.tokens import SourceText, Token

KEY = "pipelines.catalogs."
OWN = "spark_catalog"
#: The platform's older catalog is the session's own.
_ALWAYS = {"hive_metastore": ""}


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
        """Return a query with the session's names in place of those of three parts; strings and comments stay."""
        lower = text.lower()
        if not any(catalog in lower for catalog in self.prefixes):
            return text  # without the tokenizer's import
        tokens, pieces, done = SourceText(text, "").tokens(), [], 0
        for number, token in enumerate(tokens[:-4]):
            if token.start >= done and _is_three_parts(tokens, number) and token.value.lower() in self.prefixes:
                catalog, database = self.located(token.value, tokens[number + 2].value)
                pieces += [text[done : token.start], f"{catalog}.`{database.replace('`', '``')}`"]
                done = tokens[number + 2].end
        return "".join([*pieces, text[done:]])


def how_to_map(catalog: str) -> str:
    """Return a sentence about a catalog that is not there."""
    key = f"{KEY}{catalog}"
    return (
        f"There is no catalog {catalog} here. Map it to a prefix of databases: with "
        f"configuration={{{key!r}: '{catalog}_'}}, {catalog}.a.b means {catalog}_a.b."
    )


def _is_three_parts(tokens: list[Token], number: int) -> bool:
    names, dots = tokens[number : number + 5 : 2], tokens[number + 1 : number + 5 : 2]
    follows_dot = number > 0 and tokens[number - 1].says(".")
    return not follows_dot and all(name.may_be_name for name in names) and all(dot.says(".") for dot in dots)
