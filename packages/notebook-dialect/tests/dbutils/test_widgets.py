from __future__ import annotations

from collections.abc import Callable

import pytest

from notebook_dialect.dbutils.execution_errors import InputWidgetNotDefined, WidgetInvalid
from notebook_dialect.dbutils.widgets import Widgets


@pytest.fixture
def passed() -> dict[str, str]:
    """Give what the %run under way passes; a test changes it as includes begin and end."""
    return {}


@pytest.fixture
def papermill() -> dict[str, str]:
    """Give papermill's parameters, for a test to fill."""
    return {}


@pytest.fixture
def widgets(passed: dict[str, str], papermill: dict[str, str], clean_environment: None) -> Widgets:
    return Widgets(lambda: passed, lambda: papermill)


def choose(widgets: Widgets, name: str, value: str) -> None:
    """Do what the page does when a person chooses a value."""
    widgets._choose(name, value)


def test_without_anything_else_the_default_is_the_value(widgets: Widgets) -> None:
    widgets.text("a", "x", "A label")
    widgets.dropdown("b", "2", ["1", "2"])
    widgets.combobox("c", "else", ["1", "2"])
    widgets.multiselect("d", "1,2", ["1", "2", "3"])
    assert widgets.getAll() == {"a": "x", "b": "2", "c": "else", "d": "1,2"}


def test_each_source_wins_over_the_next(
    widgets: Widgets, passed: dict[str, str], papermill: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    widgets.text("my name", "default")
    monkeypatch.setenv("CLASSROOM_WIDGET_MY_NAME", "environment")
    assert widgets.get("my name") == "environment"
    passed["my name"] = "run"
    assert widgets.get("my name") == "run"
    papermill["my name"] = "papermill"
    assert widgets.get("my name") == "papermill"
    choose(widgets, "my name", "chosen")
    assert widgets.get("my name") == "chosen"


def test_get_argument_falls_back_to_its_default(widgets: Widgets) -> None:
    widgets.text("a", "x")
    assert (widgets.getArgument("a", "y"), widgets.getArgument("b", "y")) == ("x", "y")
    with pytest.raises(InputWidgetNotDefined):
        widgets.getArgument("b")


def test_a_removed_widget_is_gone_with_its_value(widgets: Widgets, passed: dict[str, str]) -> None:
    passed["a"] = "run"
    widgets.text("a", "x")
    passed.clear()
    widgets.remove("a")
    for again in (widgets.get, widgets.remove):
        with pytest.raises(InputWidgetNotDefined):
            again("a")
    widgets.text("a", "y")
    assert widgets.get("a") == "y"


@pytest.mark.parametrize(
    ("create", "says"),
    [
        (lambda w: w.text("a", 5), 'default value is not a string: 5\nWrite "5"'),
        (lambda w: w.text("a", None), "default value is not a string"),
        (lambda w: w.text("", "x"), "a string that is not empty"),
        (lambda w: w.dropdown("a", "x", [1, 2]), r"choices are not strings: [1, 2]"),
        (lambda w: w.dropdown("a", "x", "xyz"), "choices are not strings: 'xyz'"),
        (lambda w: w.dropdown("a", "x", ["y", "z"]), "'x' is not among the choices\nUse one of: y, z."),
        (lambda w: w.dropdown("a", "x", []), "there are none"),
        (lambda w: w.multiselect("a", "y,x", ["y", "z"]), "'y,x' is not among the choices"),
    ],
)
def test_a_widget_that_cannot_be_is_refused(widgets: Widgets, create: Callable, says: str) -> None:
    with pytest.raises(WidgetInvalid) as caught:
        create(widgets)
    assert says in str(caught.value)
    assert widgets.getAll() == {}


def test_an_argument_that_is_no_choice_is_refused_with_the_choices(widgets: Widgets, passed: dict[str, str]) -> None:
    passed["mode"] = "medium"
    with pytest.raises(WidgetInvalid, match=r"'medium' that it was given .*\nPass one of: fast, slow\."):
        widgets.dropdown("mode", "fast", ["fast", "slow"])


@pytest.mark.parametrize("value", ["2,1", "1", "", "a,b"])
def test_a_multiselect_takes_several_of_its_choices(widgets: Widgets, passed: dict[str, str], value: str) -> None:
    passed["a"] = value
    widgets.multiselect("a", "1", ["1", "2", "a,b"])
    assert widgets.get("a") == value
