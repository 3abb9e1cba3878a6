from __future__ import annotations

import os

import pytest

from notebook_dialect.dbutils.execution_errors import SecretNotFound
from notebook_dialect.dbutils.utilities import SecretUtils


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have three secrets, and no other."""
    for name in [name for name in os.environ if name.startswith("CLASSROOM_SECRET")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CLASSROOM_SECRET_KAFKA_API_KEY", "größe")
    monkeypatch.setenv("CLASSROOM_SECRET_KAFKA_EMPTY", "")
    monkeypatch.setenv("CLASSROOM_SECRET_MY_SCOPE_TOKEN", "t")
    monkeypatch.setenv("CLASSROOM_SECRETS", "no secret")


@pytest.mark.parametrize(
    ("scope", "key", "value"),
    [
        ("kafka", "api-key", "größe"),
        ("Kafka", "api.key", "größe"),
        ("kafka", "empty", ""),
        ("my-scope", "token", "t"),
        ("my scope", "TOKEN", "t"),
    ],
)
def test_a_secret_is_in_a_variable(scope: str, key: str, value: str) -> None:
    assert SecretUtils().get(scope, key) == value
    assert SecretUtils().getBytes(scope, key) == value.encode()


def test_a_missing_secret_names_the_variable_to_set() -> None:
    with pytest.raises(SecretNotFound) as caught:
        SecretUtils().get("event-hub", "connection string")
    assert "Secret does not exist with scope: event-hub and key: connection string\n" in str(caught.value)
    assert "variable CLASSROOM_SECRET_EVENT_HUB_CONNECTION_STRING before" in str(caught.value)


def test_what_is_listed_can_be_got() -> None:
    secrets = SecretUtils()
    assert [scope.getName() for scope in secrets.listScopes()] == ["kafka", "my"]
    assert [secret.key for secret in secrets.list("kafka")] == ["api_key", "empty"]
    found = {secrets.get(scope.name, it.key) for scope in secrets.listScopes() for it in secrets.list(scope.name)}
    assert found == {"größe", "", "t"}


def test_a_listing_shows_no_value() -> None:
    assert "größe" not in repr(SecretUtils().list("kafka"))
