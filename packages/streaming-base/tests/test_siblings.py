"""Functions that the packages use of each other (siblings.py)."""

from __future__ import annotations

import typing

import pytest

from streaming_base import siblings
from streaming_base.siblings import function_of_sibling


@pytest.fixture(autouse=True)
def forget() -> typing.Iterator[None]:
    function_of_sibling.cache_clear()
    yield
    function_of_sibling.cache_clear()


def test_the_names_of_the_table_are_those_of_the_type() -> None:
    assert typing.get_args(siblings.Name) == tuple(siblings._FUNCTIONS)


@pytest.mark.parametrize("name", typing.get_args(siblings.Name))
def test_each_function_of_an_installed_package_is_found(name: siblings.Name) -> None:
    pytest.importorskip(siblings._FUNCTIONS[name][0].partition(".")[0])
    assert callable(function_of_sibling(name))


def test_without_its_package_there_is_no_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(siblings.util, "find_spec", lambda _name: None)
    assert function_of_sibling("display") is None
