"""SQL files that nobody thought of: parts come back as they were put together, and damage is refused at a line."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from declarative_pipelines.definitions.model import Definitions, Expectation, Violation
from declarative_pipelines.errors import BadDefinition
from declarative_pipelines.sql.statements import read_statements

TEXTS = [path.read_text() for path in sorted((Path(__file__).parent).glob("*.sql"))]
WORDS = r"""
CREATE OR REFRESH STREAMING LIVE TABLE MATERIALIZED VIEW TEMPORARY FLOW AS INSERT INTO BY NAME APPLY CHANGES AUTO CDC
FROM STREAM KEYS SEQUENCE COLUMNS * EXCEPT STORED SCD TYPE 1 2 TRACK HISTORY ON CONSTRAINT EXPECT VIOLATION DROP ROW
FAIL UPDATE COMMENT TBLPROPERTIES SET USE SELECT read_files cloud_files LIVE . ( ) , ; = => < > [ ] { } $ ${a} 'x' "y"
`z` ' " ` -- /* */ a b.c LIVE.d 10L BEGIN END CASE \ : :: @ # %
"""
PIECES = [*WORDS.split(), "\n"]
# What stands in strings, names and comments and means nothing there.
CONFUSING = st.sampled_from(
    [";", "LIVE.x", ")", "(", "CONSTRAINT c EXPECT (a)", "--", "/* */", "STREAM(", "read_files(", ", ", "AS SELECT"]
)
PLAIN = st.from_regex(r"[a-z][a-z0-9_]{0,6}", fullmatch=True).filter(lambda name: name not in ("live", "stream"))
SAYING = st.lists(CONFUSING | PLAIN, max_size=4).map(" ".join).filter(lambda text: text.count("/*") == text.count("*/"))


def read(text: str) -> Definitions:
    definitions = Definitions()
    read_statements(text, "file.sql", definitions)
    return definitions


@pytest.mark.slow
@given(st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join) | st.text(max_size=60))
@example("CREATE STREAMING TABLE t (")
@example("SHOW TABLES")
@settings(max_examples=150)
def test_words_in_any_order_are_read_or_refused_at_a_line(text):
    read_or_refuse(text)


@given(st.sampled_from(TEXTS), st.randoms(use_true_random=False))
@settings(max_examples=80)
def test_a_damaged_file_is_read_or_refused_at_a_line(text, chance):
    read_or_refuse(damaged(text, chance))


def read_or_refuse(text: str) -> None:
    try:
        read(text)
    except BadDefinition as error:
        assert error.location.file == "file.sql"
        assert 1 <= error.location.line <= text.count("\n") + 1
        assert error.problem


def damaged(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 4)):
        begin = chance.randrange(len(text))
        end = min(len(text), begin + chance.choice((0, 1, 1, 5, 40)))
        text = text[:begin] + chance.choice(("", "", *PIECES)) + text[end:]
    return text


@st.composite
def expectations(draw: st.DrawFn) -> list[tuple[Expectation, str]]:
    found = []
    for name in draw(st.lists(PLAIN, unique=True, max_size=3)):
        saying, violation = draw(SAYING), draw(st.sampled_from(Violation))
        constraint = f"(a > 0) OR b <> '{saying}' /* {saying} */ AND `{name};` = 1"
        action = {"warn": "", "drop": " ON VIOLATION DROP ROW", "fail": "\nON  VIOLATION FAIL UPDATE"}[violation.value]
        found.append((Expectation(name, constraint, violation), f"CONSTRAINT {name} EXPECT ({constraint}){action}"))
    return found


@pytest.mark.slow
@given(PLAIN, expectations(), st.lists(PLAIN, unique=True, max_size=3), SAYING, SAYING, PLAIN)
@settings(max_examples=80)
def test_a_table_comes_back_as_it_was_put_together(name, expected, columns, comment, said, source):
    schema = [f"{column} MAP<STRING, DECIMAL(3, 1)> COMMENT '{said}'" for column in columns]
    inside = ", ".join([*schema, *(text for _, text in expected)])
    query = f"SELECT '{said}' AS x, `{said}.` -- {said}\nFROM STREAM(LIVE.{source}) /* {said} */ WHERE y"
    [dataset] = read(
        f"-- {said}\nCREATE /* {said} */ OR REFRESH STREAMING TABLE `{name}` {f'({inside})' if inside else ''}\n"
        f"COMMENT '{comment}' TBLPROPERTIES ('{name}.a' = '{said}') AS {query};\n-- {said}"
    ).datasets
    assert (dataset.name, dataset.comment, dataset.location.line) == (name, comment, 2)
    assert dataset.expectations == tuple(each for each, _ in expected)
    assert dataset.schema == (", ".join(schema) or None)
    assert dataset.properties == {f"{name}.a": said}
    assert dataset.query.text == query.replace(f"(LIVE.{source})", f"({source})")


CLAUSES = {
    "keys": (["KEYS (a, `b c`)"], ("a", "b c")),
    "sequence_by": (["SEQUENCE BY struct(at, n)"], "struct(at, n)"),
    "apply_as_deletes": (["APPLY AS DELETE WHEN op = 'KEYS (x)' -- KEYS (y)\n"], "op = 'KEYS (x)'"),
    "ignore_null_updates": (["IGNORE NULL UPDATES"], True),
    "except_columns": (["COLUMNS * EXCEPT (op, n)"], ("op", "n")),
    "columns": (["COLUMNS (a, `b c`)", "COLUMNS a, `b c`"], ("a", "b c")),
    "scd_type": (["STORED AS SCD TYPE 2"], 2),
    "history_columns": (["TRACK HISTORY ON (d)", "TRACK HISTORY ON d"], ("d",)),
}


@given(st.permutations(sorted(CLAUSES)), st.randoms(use_true_random=False), st.booleans())
@settings(max_examples=100)
def test_a_change_flow_comes_back_whatever_the_order_of_its_clauses(names, chance, by_column):
    names = [name for name in names if name != ("columns" if by_column else "except_columns")]
    said = "\n".join(chance.choice(CLAUSES[name][0]) for name in names)
    [flow] = read(f"APPLY CHANGES INTO LIVE.t FROM STREAM(LIVE.s) {said}").changes
    assert {name: getattr(flow, name) for name in names} == {name: CLAUSES[name][1] for name in names}


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["(" * 30_000, "CREATE STREAMING TABLE t AS SELECT " + "(" * 30_000, "LIVE." * 30_000],
    ids=["brackets", "query", "names"],
)
def test_a_long_text_takes_no_longer_than_its_length(text):
    read_or_refuse(text)
    read_or_refuse(f"CREATE STREAMING TABLE t AS SELECT {text} read_files(")
