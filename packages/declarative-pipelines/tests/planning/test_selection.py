"""Which datasets an update reads from the beginning."""

from __future__ import annotations

import pytest

from declarative_pipelines.definitions.model import Dataset, DatasetKind, Definitions, SourceLocation
from declarative_pipelines.errors import BadArgument
from declarative_pipelines.planning.flow_nodes import Selection


def table(name: str, **properties: str) -> Dataset:
    location = SourceLocation("p.py", 1)
    return Dataset(name, DatasetKind.STREAMING_TABLE, location, properties=properties)


@pytest.fixture
def definitions() -> Definitions:
    view = Dataset("view", DatasetKind.TEMPORARY_VIEW, SourceLocation("p.py", 9))
    kept = table("kept", **{"pipelines.reset.allowed": "FALSE"})
    return Definitions(datasets=[table("a", **{"pipelines.reset.allowed": "true"}), table("b"), kept, view])


def test_names_are_read_from_the_beginning_and_all_but_what_may_not_be_reset(definitions: Definitions) -> None:
    assert Selection.of((), (), False).emptied(definitions) == frozenset()
    assert Selection.of("kept", (), False).emptied(definitions) == frozenset()
    assert Selection.of((), "LIVE.a", False).emptied(definitions) == {"a"}
    assert Selection.of((), (), True).emptied(definitions) == {"a", "b", "view"}


@pytest.mark.parametrize(
    ("name", "words"),
    [("kept", "pipelines.reset.allowed = false"), ("c", "no dataset c"), ("view", "is a view")],
)
def test_a_name_that_cannot_be_refreshed_in_full_is_refused(definitions: Definitions, name: str, words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        Selection.of((), name, False).emptied(definitions)
