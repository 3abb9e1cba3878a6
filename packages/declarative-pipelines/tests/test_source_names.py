"""What a pipeline's files find defined outside a notebook."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from declarative_pipelines.source_files import names_for_files
from streaming_base import front_end
from streaming_base.errors import NotAvailable


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(front_end, "ipython", lambda: None)
    monkeypatch.setenv("CLASSROOM_SECRET_SHOP_PASSWORD", "told to nobody")
    return names_for_files(SimpleNamespace(sparkContext="sc"), {"country": "NO"})  # type: ignore[arg-type]


def test_what_would_be_shown_is_ignored(names: dict[str, Any]) -> None:
    assert names["display"](1, width=2) is None and names["displayHTML"]("<b>words</b>") is None


def test_a_widget_has_the_value_of_the_configuration_and_else_its_default(names: dict[str, Any]) -> None:
    widgets = names["dbutils"].widgets
    widgets.text("country", "SE")
    widgets.dropdown("city", "Oslo", ["Oslo", "Bergen"])
    assert (widgets.get("country"), widgets.get("city")) == ("NO", "Oslo")


def test_secrets_are_those_of_the_environment(names: dict[str, Any]) -> None:
    assert names["dbutils"].secrets.get("shop", "password") == "told to nobody"


def test_other_utilities_are_refused_with_a_sentence(names: dict[str, Any]) -> None:
    with pytest.raises(NotAvailable, match=r"no dbutils\.fs"):
        _ = names["dbutils"].fs


def test_in_a_notebook_the_utilities_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    own = object()
    monkeypatch.setattr(front_end, "ipython", lambda: SimpleNamespace(user_ns={"dbutils": own}))
    assert names_for_files(SimpleNamespace(sparkContext=None), {})["dbutils"] is own  # type: ignore[arg-type]
