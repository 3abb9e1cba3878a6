from __future__ import annotations

import pytest

from notebook_dialect.catalogs.copy_into import CopyStatement, parse
from notebook_dialect.catalogs.errors import CatalogError
from notebook_dialect.catalogs.statement_reader import StatementReader


def parsed(text: str) -> CopyStatement:
    return parse(StatementReader(text))


def test_every_clause_is_read() -> None:
    statement = parsed(
        """main.sales.t (a, `b c`) FROM (SELECT id::INT, _metadata.file_name AS f FROM 'dbfs:/in' WHERE id > 1)
        FILEFORMAT = csv VALIDATE 15 ROWS PATTERN = 'a*.csv'
        FORMAT_OPTIONS ('header' = 'true', mergeSchema = 'true') COPY_OPTIONS ('Force' = 'TRUE')"""
    )
    assert statement == CopyStatement(
        target=["main", "sales", "t"],
        source="dbfs:/in",
        file_format="CSV",
        select="id::INT, _metadata.file_name AS f",
        condition="WHERE id > 1",
        columns=["a", "b c"],
        pattern="a*.csv",
        validated_rows=15,
        format_options={"header": "true", "mergeSchema": "true"},
        copy_options={"Force": "TRUE"},
    )
    assert statement.copy_option("force") and not statement.copy_option("mergeSchema")


def test_a_table_may_be_a_path_and_columns_go_by_position() -> None:
    statement = parsed(
        "delta.`/mnt/t` BY POSITION FROM '/in' FILEFORMAT = JSON VALIDATE ALL FILES = ('a.json', 'b/c.json')"
    )
    assert (statement.target, statement.by_position) == (["delta", "/mnt/t"], True)
    assert (statement.files, statement.validated_rows) == (["a.json", "b/c.json"], 50)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t FROM '/in' FILEFORMAT = delta", "FILEFORMAT must be one of CSV, .* it is DELTA"),
        ("t FROM '/in'", "FILEFORMAT = is missing at: the end"),
        ("t FROM '/in' FILEFORMAT = csv FILES = ('a') PATTERN = '*'", "Give either FILES or PATTERN"),
        ("t FROM '/in' FILEFORMAT = csv FILES = ()", "FILES has 0 files"),
        ("t FROM '/in' FILEFORMAT = csv CREDENTIAL x", "Syntax error at or near CREDENTIAL x"),
        ("t FROM in_table FILEFORMAT = csv", "A string is missing at: in_table"),
    ],
)
def test_a_statement_that_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(CatalogError, match=message):
        parsed(text)
