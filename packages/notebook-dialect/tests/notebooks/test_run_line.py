from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_dialect.errors import BadRunLine
from notebook_dialect.notebooks.run_line import RunLine, parse


@pytest.mark.parametrize(
    ("line", "target", "arguments"),
    [
        ("./X", "./X", {}),
        ('"./X Y"', "./X Y", {}),
        ("./X Y", "./X Y", {}),
        ('./X $a="b c" $d=e $f=""', "./X", {"a": "b c", "d": "e", "f": ""}),
        ("./X $a='b=c' $a='d'", "./X", {"a": "d"}),
        ("../Includes/Setup-06.1 $mode=$x", "../Includes/Setup-06.1", {"mode": "$x"}),
    ],
)
def test_a_line_is_a_name_and_parameters(line: str, target: str, arguments: dict[str, str]) -> None:
    assert parse(line) == RunLine(target, arguments)


@given(st.text())
def test_any_line_is_understood_or_refused_with_a_sentence(line: str) -> None:
    try:
        assert parse(line).target
    except BadRunLine as error:
        assert "Write it as %run" in str(error)


@given(st.text(alphabet=" ./X$a=\"'\\-1"))
def test_lines_that_nearly_are_one_are_understood_or_refused(line: str) -> None:
    with suppress(BadRunLine):
        assert all(name for name in parse(line).arguments)


NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]*", fullmatch=True)


@given(st.dictionaries(NAMES, st.text(alphabet=st.characters(exclude_characters='"\\', exclude_categories=["Cs"]))))
def test_values_in_quotes_come_back_as_they_were(arguments: dict[str, str]) -> None:
    line = "./X " + " ".join(f'${name}="{value}"' for name, value in arguments.items())
    assert parse(line).arguments == arguments
