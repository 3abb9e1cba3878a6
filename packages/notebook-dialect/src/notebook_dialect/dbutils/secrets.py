"""``dbutils.secrets``: secrets from environment variables, so that none is ever in a notebook.

The secret ``password`` of the scope ``kafka`` is ``CLASSROOM_SECRET_KAFKA_PASSWORD``.
"""

from __future__ import annotations

import builtins
import os
from typing import NamedTuple

from notebook_dialect.dbutils.execution_errors import SecretNotFound
from notebook_dialect.dbutils.imports import describe
from notebook_dialect.dbutils.notebook_runs import variable_name

_KIND = "SECRET"


class SecretMetadata(NamedTuple):
    """A secret without its value."""

    key: str


class SecretScope(NamedTuple):
    """A scope, which groups secrets."""

    name: str

    def getName(self) -> str:
        """Return the name."""
        return self.name


class SecretUtils:
    """Read secrets from environment variables: scope s and key k are in CLASSROOM_SECRET_S_K."""

    def get(self, scope: str, key: str) -> str:
        """Return a secret as text.

        Raises
        ------
        SecretNotFound
            The variable is not set; the error names it.
        """
        variable = variable_name(_KIND, scope, key)
        if variable not in os.environ:
            raise SecretNotFound(scope, key, variable)
        return os.environ[variable]

    def getBytes(self, scope: str, key: str) -> bytes:
        """Return a secret as the bytes of its text in UTF-8."""
        return self.get(scope, key).encode()

    def list(self, scope: str) -> list[SecretMetadata]:
        """List the keys of a scope.

        A variable's name does not keep case and punctuation: a key is given in lower case with ``_``, and
        ``get`` takes it as well in that spelling.
        """
        prefix = variable_name(_KIND, scope, "")
        return [SecretMetadata(name.removeprefix(prefix).lower()) for name in _variables() if name.startswith(prefix)]

    def listScopes(self) -> builtins.list[SecretScope]:
        """List the scopes.

        Where a scope's name ends is not to be seen in ``CLASSROOM_SECRET_MY_SCOPE_MY_KEY``: its first word is
        taken for the scope, and the rest for the key.
        """
        first_words = {name.removeprefix(variable_name(_KIND, "")).partition("_")[0] for name in _variables()}
        return [SecretScope(word.lower()) for word in sorted(first_words)]

    def help(self, method: str | None = None) -> None:
        """Print the methods, or the documentation of one of them."""
        describe(self, method)


def _variables() -> list[str]:
    """Return the names of the variables that hold secrets."""
    return sorted(name for name in os.environ if name.startswith(variable_name(_KIND, "")))
