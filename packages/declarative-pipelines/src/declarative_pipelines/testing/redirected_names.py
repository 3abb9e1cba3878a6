"""Where a test's tables are: each database that the pipeline names has one of the test's own in its place."""

from __future__ import annotations

from dataclasses import dataclass, field

from declarative_pipelines.definitions.model import without_live
from declarative_pipelines.sql.catalogs import OWN, CatalogMap
from declarative_pipelines.sql.tokens import Form, SourceText, Token

_FORMATS = ("delta", "json", "csv", "parquet", "orc", "text", "binaryfile", "avro", "xml")
_SHARED = ("global_temp",)
_OWN_CATALOGS = (OWN, "hive_metastore")


@dataclass(frozen=True)
class RedirectedNames(CatalogMap):
    """The names of a test, in place of those of its pipeline; the engine is given it as its map of catalogs.

    Parameters
    ----------
    database
        The test's, for names of one part.
    own
        The catalog and the database that the pipeline's own tables have in production, where the test says it.
    known
        The names of several parts that stand for tables of the test, in lower case; only they are looked for in SQL.
    """

    database: str = ""
    own: tuple[str, str] | None = None
    known: set[tuple[str, str, str]] = field(default_factory=set)

    def located(self, catalog: str, database: str) -> tuple[str, str]:
        """Return a catalog and a database of it as the test has them."""
        catalog, database = catalog.lower(), database.lower()
        if database in _SHARED:
            return catalog, database
        if self.has(database):
            return OWN, database
        if (catalog, database) == self.own:
            return OWN, self.database
        return OWN, f"{self.database}__{'' if catalog in _OWN_CATALOGS else f'{catalog}_'}{database}"

    def has(self, database: str) -> bool:
        """Whether a database is the test's."""
        return database == self.database or database.startswith(f"{self.database}__")

    def table(self, name: str) -> tuple[str, str]:
        """Return the database and the name of a table that is written with up to three parts."""
        *around, table = without_live(name).split(".")
        if not around:
            return self.database, table
        catalog = around[-2] if len(around) > 1 else OWN
        return self.located(catalog, around[-1])[1], table

    def learn(self, name: str) -> None:
        """Take note of a name, so that it is found in SQL."""
        *around, table = without_live(name).lower().split(".")
        if around:
            self.known.add((around[-2] if len(around) > 1 else OWN, around[-1], table))

    def quoted(self, name: str) -> str:
        """Return a table's name as SQL has it."""
        return ".".join(f"`{part}`" for part in self.table(name))

    def in_text(self, text: str) -> str:
        """Return SQL text with the test's names in place of those that are known."""
        lower = text.lower()
        if not any(table in lower for _, _, table in self.known):
            return text
        tokens, pieces, done = SourceText(text, "").tokens(), [], 0
        for number, token in enumerate(tokens):
            if token.start >= done and (parts := self._known_at(tokens, number)):
                pieces += [text[done : token.start], self.quoted(".".join(parts))]
                done = tokens[number + 2 * len(parts) - 2].end
        return "".join([*pieces, text[done:]])

    def _known_at(self, tokens: list[Token], number: int) -> tuple[str, ...]:
        """Return the parts of the known name that begins at a token."""
        names = name_at(tokens, number)
        for length in (3, 2):
            parts = tuple(name.lower() for name in names[:length])
            full = parts if length == 3 else (OWN, *parts)
            if len(parts) == length and full in self.known:
                return parts
        return ()


def name_at(tokens: list[Token], number: int) -> list[str]:
    """Return the parts of the name that begins at a token; none where the token is no beginning of a name."""
    if not tokens[number].may_be_name or (number > 0 and tokens[number - 1].says(".")):
        return []
    names = [tokens[number].value]
    while len(tokens) > number + 2 and tokens[number + 1].says(".") and tokens[number + 2].may_be_name:
        number += 2
        names.append(tokens[number].value)
    return names


def paths_in(text: str) -> list[Token]:
    """Return the paths that SQL text reads as tables, such as json.`/landing/orders`."""
    if "`" not in text:
        return []
    tokens = SourceText(text, "").tokens()
    pairs = zip(tokens[:-2], tokens[2:], strict=True)
    return [path for form, path in pairs if form.value.lower() in _FORMATS and _is_path(path)]


def _is_path(token: Token) -> bool:
    return token.form is Form.NAME and "/" in token.value
