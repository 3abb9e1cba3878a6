"""Which cell shows which stream (cell_streams.py), without Spark: queries that know whether they are active."""

from __future__ import annotations

from types import SimpleNamespace
from uuid import uuid4

import pytest
from IPython.core.events import EventManager

from stream_view import cell_streams
from stream_view.errors import NameInUse
from streaming_base import front_end


class Query:
    """A stream that can be stopped."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.runId = str(uuid4())
        self.isActive = True

    def stop(self) -> None:
        self.isActive = False


class View:
    """A view that can be closed."""

    is_closed = False

    def close(self) -> None:
        self.is_closed = True


class Page:
    """A front end that runs cells: each run has a number of its own, and says which cell it is of."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.events = EventManager(SimpleNamespace(showtraceback=self._fail), ["pre_run_cell"])
        self.execution_count = 0
        self.cell: str | None = None
        monkeypatch.setattr(cell_streams, "_runs", {})
        monkeypatch.setattr(front_end, "ipython", lambda: self)
        monkeypatch.setattr(front_end, "running_cell", lambda: (self.cell, f"run {self.execution_count}"))

    def run(self, cell: str | None, *queries: Query, view: View | None = None) -> None:
        self.execution_count += 1
        self.cell = cell
        self.events.trigger("pre_run_cell", None)
        for query in queries:
            cell_streams.refuse_name_in_use(query.name, [])
            cell_streams.register_stream(query)
        if view is not None:
            cell_streams.close_when_run_again(view)

    def _fail(self, *_: object) -> None:
        raise AssertionError("an event has failed")


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    return Page(monkeypatch)


def test_a_cell_that_is_run_again_ends_what_it_had_started_and_closes_its_views(page: Page) -> None:
    first, view = Query("first"), View()
    page.run("a", first, view=view)
    page.run("b", Query("other"))
    assert first.isActive and not view.is_closed
    page.run("a")  # it may say something else by now
    assert not first.isActive and view.is_closed


def test_where_cells_have_no_names_nothing_is_ended(page: Page) -> None:
    query = Query("console")
    page.run(None, query)
    page.run(None, Query("next"))
    assert query.isActive


def test_without_ipython_nothing_is_kept(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_end, "ipython", lambda: None)
    cell_streams.register_stream(Query("script"))
    assert not cell_streams._runs


def test_a_session_that_is_gone_does_not_hinder_the_next_run(page: Page) -> None:
    from py4j.protocol import Py4JNetworkError

    class Gone(Query):
        isActive = property(lambda self: (_ for _ in ()).throw(Py4JNetworkError()), lambda self, value: None)

    page.run("a", Gone("gone"))
    page.run("a", Query("new"))
    assert [query.name for query in cell_streams._runs["a"].queries] == ["new"]


def test_a_name_that_another_cell_uses_is_refused_with_both_numbers(page: Page) -> None:
    page.run("a", taken := Query("counts"))
    page.run("b")
    with pytest.raises(NameInUse) as caught:
        cell_streams.refuse_name_in_use("counts", [taken])
    assert str(caught.value) == (
        "Cell [2] asks for the name 'counts' of the stream that cell [1] shows. "
        "Stop that one first, or choose another streamName."
    )


def test_a_name_of_a_stream_that_no_cell_shows_is_refused_too(page: Page) -> None:
    page.run("b")
    with pytest.raises(NameInUse, match=r"Cell .1. asks for the name 'counts' of the stream that was started without"):
        cell_streams.refuse_name_in_use("counts", [Query("counts")])
    cell_streams.refuse_name_in_use("free", [Query("counts")])
