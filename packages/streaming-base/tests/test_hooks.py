"""One chain for a method: its order, its signature, and what is left when everybody has gone."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from functools import wraps

import pytest

from streaming_base import hooks


class Base:
    def inherited(self, x: int) -> str:
        return f"inherited {x}"


class Reader(Base):
    """Stands for one of Spark's classes."""

    def load(self, path: str | None = None, *, schema: str = "") -> str:
        """Load it."""
        return f"load {path} {schema}".strip()

    @property
    def write(self) -> str:
        """A writer."""
        return "write"


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    yield
    for name in ("a", "b", "c"):
        hooks.remove(name)
    assert not [hook for hook in hooks.table() if hook.owner in (Base, Reader)]


def saying(word: str):
    def make(below):
        @wraps(below)
        def method(self, *args, **kwargs):
            return f"{word}({below(self, *args, **kwargs)})"

        return method

    return make


LAYER_OF = {"a": "source", "b": "language", "c": "pipeline"}


def wrap(by: str, name: str = "load") -> None:
    hooks.wrap(Reader, name, saying(by), by=by, layer=LAYER_OF[by], why="a test")


@pytest.mark.parametrize("order", list(itertools.permutations("abc")))
def test_the_order_of_a_chain_is_that_of_the_layers_in_any_order_of_installation(order: tuple[str, ...]) -> None:
    for by in order:
        wrap(by)
    assert Reader().load("x") == "c(b(a(load x)))"
    hooks.remove("b")
    assert Reader().load("x") == "c(a(load x))"


@pytest.mark.parametrize("by", "abc")
def test_each_alone_keeps_the_signature_and_positions_and_keywords(by: str) -> None:
    before = inspect.signature(Reader.load)
    wrap(by)
    assert inspect.signature(Reader.load) == before
    assert (Reader.load.__name__, Reader.load.__doc__) == ("load", "Load it.")
    assert Reader().load("x") == Reader().load(path="x") == f"{by}(load x)"
    assert Reader().load(schema="s") == f"{by}(load None s)"


def test_installing_twice_is_installing_once() -> None:
    wrap("a")
    function = Reader.load
    wrap("a")
    assert Reader.load is function and Reader().load("x") == "a(load x)"


@pytest.mark.parametrize("order", list(itertools.permutations("abc")))
def test_when_nobody_is_left_the_class_has_its_own_method(order: tuple[str, ...]) -> None:
    before = vars(Reader)["load"]
    for by in "abc":
        wrap(by)
    for by in order:
        assert vars(Reader)["load"] is not before
        hooks.remove(by)
    assert vars(Reader)["load"] is before


def test_an_inherited_method_is_inherited_again() -> None:
    wrap("a", "inherited")
    assert Reader().inherited(1) == "a(inherited 1)" and Base().inherited(1) == "inherited 1"
    hooks.remove("a")
    assert "inherited" not in vars(Reader) and Reader().inherited(1) == "inherited 1"


def test_a_property_stays_one() -> None:
    before = vars(Reader)["write"]
    hooks.wrap(
        Reader, "write", lambda below: property(lambda self: f"a({below.fget(self)})"), by="a", layer="source", why=""
    )
    assert Reader().write == "a(write)" and Reader.write.__doc__ == "A writer."
    hooks.remove("a")
    assert vars(Reader)["write"] is before


def test_a_wrapper_of_another_library_stays_and_goes_on_when_ours_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    before = vars(Reader)["load"]
    wrap("a")
    ours = Reader.load
    monkeypatch.setattr(Reader, "load", lambda self, path: f"theirs({ours(self, path)})")
    wrap("b")
    assert Reader().load("x") == "theirs(b(a(load x)))"
    hooks.remove("a")
    hooks.remove("b")
    assert Reader().load("x") == "theirs(load x)"
    monkeypatch.undo()
    wrap("c")  # as if nothing had been there
    assert Reader().load("x") == "c(load x)"
    hooks.remove("c")
    assert vars(Reader)["load"] is before


def test_what_is_added_is_taken_away_and_what_is_there_is_left() -> None:
    hooks.add(Reader, "display", lambda self: "shown", by="a", why="a test")
    hooks.add(Reader, "load", lambda self: "not mine", by="a", why="a test")
    assert Reader().display() == "shown" and Reader().load("x") == "load x"
    hooks.remove("a")
    assert not hasattr(Reader, "display") and Reader().load("x") == "load x"
