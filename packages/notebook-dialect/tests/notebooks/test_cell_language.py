from __future__ import annotations

import pytest

from notebook_dialect.conversion import to_cell_magic as transform


@pytest.mark.parametrize(
    ("cell", "transformed"),
    [
        ("%sql\nSELECT 1\n", "%%sql\n\nSELECT 1\n"),
        ("%sql SELECT 1", "%%sql\nSELECT 1\n"),
        ("\n  \n%sql\nSELECT 1\n", "%%sql\n\nSELECT 1\n"),
        ("%sql SELECT\n  1\n", "%%sql\nSELECT\n  1\n"),
        ("%sql\t SELECT 1  \n", "%%sql\nSELECT 1\n"),
        ("  %sql\n  SELECT 1\n", "%%sql\n\n  SELECT 1\n"),
        ("%sql", "%sql\n"),
        ("%sql\n\n \n", "%sql\n"),
        ("%md # A\n* b\n", "%%md\n# A\n* b\n"),
        ("%md-sandbox\n<b>c</b>\n", "%%md\n\n<b>c</b>\n"),
        ("%sh\nls\n", "%%sh\n\nls\n"),
        ("%fs ls /mnt\n", "%%fs\nls /mnt\n"),
        ("%scala\nval x = 1\n", "%%scala\n\nval x = 1\n"),
        ("%r\nx <- 1\n", "%%r_language\n\nx <- 1\n"),
        ("%python\nx = 1\n", "\nx = 1\n"),
        ("%python x = 1\n", "x = 1\n"),
        ("%run\n./X $a=1\ny = 1\n", "\n%run ./X $a=1\ny = 1\n"),
        ("\n%run\n\n  ./X\n", "\n\n\n%run ./X\n"),
        ("\n%python\nx = 1\n", "\n\nx = 1\n"),
        ("# DBTITLE 1,A title\n%sql\nSELECT 1\n", "%%sql\n\nSELECT 1\n"),
        ("\n# DBTITLE 0,Two\n\n# DBTITLE 1,Titles\n%md a\n", "%%md\na\n"),
        ("-- DBTITLE 1,Of SQL\n%sql SELECT 1\n", "%%sql\nSELECT 1\n"),
        ("# DBTITLE 1,T\n%python\nx = 1\n", "# DBTITLE 1,T\n\nx = 1\n"),
        ("# DBTITLE 1,T\n%run\n./X\n", "# DBTITLE 1,T\n\n%run ./X\n"),
        ("# DBTITLE 1,T\n%%time\nx = 1\n", "%%time\nx = 1\n"),
    ],
)
def test_a_cell_that_begins_so_is_in_that_language_to_its_end(cell: str, transformed: str) -> None:
    assert "".join(transform(cell.splitlines(keepends=True))) == transformed


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "\n",
        "%sqlx\nSELECT 1",
        "%%sql\nSELECT 1",
        "x = 1\n%sql SELECT 1",
        "# %sql",
        "'%sql'",
        "%mdx a",
        "%",
        "%R x",
        "%run ./X",
        "%run\n\n",
        "%time x",
        "# DBTITLE 1,T",
        "# DBTITLE 1,T\nx = 1",
        "# DBTITLE 1,T\n%pip list",
        "# DBTITLE of no cell\n%sql SELECT 1",
    ],
)
def test_any_other_cell_is_left_alone(cell: str) -> None:
    lines = cell.splitlines(keepends=True)
    assert transform(lines) == lines
