from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from jupyter_client import KernelManager

from notebook_dialect.dbutils import widgets as widget_views
from notebook_dialect.dbutils.widgets import Widgets
from streaming_base import front_end

pytestmark = pytest.mark.slow


class Page:
    """A front end with a person in front of it: which cell runs, and what it shows."""

    def __init__(self) -> None:
        self.shown: list[Any] = []
        self.kernel = SimpleNamespace(_allow_stdin=True)
        self.parent_header = {"header": {"msg_id": 1}, "metadata": {"cellId": "first cell"}}


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    page = Page()
    monkeypatch.setattr(front_end, "ipython", lambda: page)
    monkeypatch.setattr(widget_views, "_display", page.shown.append)
    return page


@pytest.fixture
def widgets(page: Page) -> Widgets:
    return Widgets(dict)


def test_a_person_sees_each_kind_with_its_label(page: Page, widgets: Widgets) -> None:
    widgets.text("a", "x", "Text")
    widgets.dropdown("b", "2", ["1", "2"])
    widgets.combobox("c", "else", ["1", "2"], "Combobox")
    widgets.multiselect("d", "2", ["1", "2"], "Several")
    assert [(type(w).__name__, w.description, w.value) for w in page.shown] == [
        ("Text", "Text", "x"),
        ("Dropdown", "b", "2"),
        ("Combobox", "Combobox", "else"),
        ("SelectMultiple", "Several", ("2",)),
    ]


def test_nobody_sees_a_widget_when_nobody_is_there(page: Page, widgets: Widgets) -> None:
    page.kernel._allow_stdin = False
    widgets.text("a", "x")
    assert page.shown == []


@pytest.mark.parametrize(
    ("create", "choice", "value"),
    [
        (lambda w: w.text("a", "1"), "typed", "typed"),
        (lambda w: w.dropdown("a", "1", ["1", "2"]), "2", "2"),
        (lambda w: w.combobox("a", "1", ["1", "2"]), "typed", "typed"),
        (lambda w: w.multiselect("a", "1", ["1", "2", "3"]), ("2", "3"), "2,3"),
        (lambda w: w.multiselect("a", "1", ["1", "2"]), (), ""),
    ],
)
def test_what_a_person_chooses_is_the_value(
    page: Page, widgets: Widgets, create: Callable, choice: Any, value: str
) -> None:
    create(widgets)
    page.shown[0].value = choice
    assert widgets.get("a") == value


# with a real kernel


class Person:
    """Runs cells as JupyterLab does, and chooses in widgets."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def run(self, code: str, cell: str) -> list[dict]:
        """Run a cell and return what it puts on the page."""
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": True, "stop_on_error": True}
        return self._send("execute_request", content | {"user_expressions": {}}, {"cellId": cell})

    def choose(self, model: str, **state: object) -> None:
        """Change the widget with that model as the page does, which knows choices by their position."""
        state = {"method": "update", "state": state, "buffer_paths": []}
        self._send("comm_msg", {"comm_id": model, "data": state}, {})

    def _send(self, kind: str, content: dict, metadata: dict) -> list[dict]:
        message = self._client.session.msg(kind, content, metadata=metadata)
        self._client.shell_channel.send(message)
        outputs, deadline = [], time.monotonic() + 60
        while time.monotonic() < deadline:
            reply = self._client.get_iopub_msg(timeout=120)
            if reply["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            if reply["msg_type"] in ("display_data", "stream", "error"):
                outputs.append(reply["content"])
            if reply["content"].get("execution_state") == "idle":
                return outputs
        raise TimeoutError(kind)


@pytest.fixture
def person() -> Iterator[Person]:
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=120)
        yield Person(client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_a_person_chooses_in_a_real_kernel(person: Person) -> None:
    create = "from notebook_dialect.dbutils.widgets import Widgets\nwidgets = Widgets(dict)\n"
    create += "widgets.dropdown('a', '1', ['1', '2'])"
    [shown] = person.run(create, "one")
    model = shown["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]
    person.choose(model, index=1)
    assert person.run("print(widgets.get('a'))", "two") == [{"name": "stdout", "text": "2\n"}]
