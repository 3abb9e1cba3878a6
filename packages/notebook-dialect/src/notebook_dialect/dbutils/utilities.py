"""The small parts of ``dbutils``: help, library, jobs, secrets; and the modules that give a notebook's own objects.

``from pyspark.dbutils import DBUtils`` and ``from databricks.sdk.runtime import *`` are found by Python's import
system, after everything that is really installed.  Secrets come from environment variables, so that none is ever in a
notebook: the secret ``password`` of the scope ``kafka`` is ``CLASSROOM_SECRET_KAFKA_PASSWORD``.
"""

from __future__ import annotations

import builtins
import inspect
import os
import re
import sys
from collections.abc import Callable
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NamedTuple

from notebook_dialect.dbutils.execution_errors import SecretNotFound, UnknownMethod

NAMES = ("dbutils", "display", "displayHTML", "spark", "sql", "table", "udf", "getArgument", "sc")
_PACKAGES = ("databricks", "databricks.sdk")
_MODULES = ("databricks.sdk.runtime", "pyspark.dbutils")
_KIND = "SECRET"


class Utility:
    """A part of ``dbutils``, which explains itself."""

    def help(self, method: str | None = None) -> None:
        """Print the methods, or the documentation of one of them."""
        describe(self, method)


class TaskValues(Utility):
    """Values of a job's tasks, as they are outside a job."""

    def set(self, key: str, value: Any) -> None:
        """Do nothing, as on the platform outside a job."""

    def get(self, taskKey: str, key: str, default: Any = None, debugValue: Any = None) -> Any:
        """Return ``debugValue``, as on the platform outside a job.

        Raises
        ------
        TypeError
            There is no ``debugValue``.
        """
        if debugValue is None:
            raise TypeError(
                f"taskValues.get({taskKey!r}, {key!r}) has no debugValue, and this notebook does not run in a job: "
                "pass debugValue=..., which is returned outside a job."
            )
        return debugValue


class JobsUtils(Utility):
    """Utilities for the tasks of jobs."""

    def __init__(self) -> None:
        self.taskValues = TaskValues()


def describe(utility: object, method: str | None = None) -> None:
    """Print the methods of a utility with one sentence each, or the whole documentation of one method."""
    methods = _methods(utility)
    if method is None:
        parts = {name: _sentence(type(part)) for name, part in _parts(utility).items()}
        parts |= {_signature(name, call): _sentence(call) for name, call in methods.items()}
        lines = [f"  {written} -> {sentence}" for written, sentence in parts.items()]
        print("\n".join([_sentence(type(utility)), "", *lines]))
    elif method not in methods:
        raise UnknownMethod(method, tuple(methods))
    else:
        print(f"{_signature(method, methods[method])}\n\n{inspect.getdoc(methods[method]) or ''}".rstrip())


def _parts(utility: object) -> dict[str, object]:
    """Return the utilities that this one is made of, as ``dbutils`` is of ``fs`` and ``widgets``."""
    attributes = getattr(utility, "__dict__", {})
    return {name: part for name, part in attributes.items() if not name.startswith("_") and hasattr(part, "help")}


def _methods(utility: object) -> dict[str, Callable]:
    """Return the public methods in the order in which they are written, ``help`` last."""
    public = [name for name in (*vars(type(utility)), "help") if name[0] != "_"]
    return {name: getattr(utility, name) for name in public if inspect.isfunction(getattr(type(utility), name))}


def _signature(name: str, call: Callable) -> str:
    """Return the call as a learner writes it, without Python's notes on types."""
    parameters = inspect.signature(call).parameters.values()
    return f"{name}({', '.join(str(p.replace(annotation=p.empty)) for p in parameters)})"


def _sentence(documented: object) -> str:
    return (inspect.getdoc(documented) or "").partition("\n")[0]


class LibraryUtils(Utility):
    """Utilities for libraries of the notebook."""

    def restartPython(self) -> None:
        """Do nothing here but say so: a kernel cannot restart itself and continue with the next cell."""
        print(
            "The kernel continues. What %pip has installed can be imported, unless an older version was imported "
            "before: then use Kernel > Restart Kernel, and run the notebook again from here."
        )


class NotebookModules(MetaPathFinder, Loader):
    """Finds the modules that are made of a notebook's objects; asked last, so that installed ones win."""

    def __init__(self) -> None:
        self._namespace: dict[str, Any] = {}

    def install(self, namespace: dict[str, Any]) -> None:
        """Make the modules importable, with the objects of this notebook; calling it again changes nothing."""
        self._namespace = namespace
        others = [finder for finder in sys.meta_path if not isinstance(finder, NotebookModules)]
        sys.meta_path[:] = [*others, self]
        for module in [module for name in _MODULES if (module := sys.modules.get(name))]:
            if isinstance(module.__spec__ and module.__spec__.loader, NotebookModules):
                self.exec_module(module)

    def uninstall(self) -> None:
        """Make the modules unknown again."""
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
        for name in (*_PACKAGES, *_MODULES):
            module = sys.modules.get(name)
            if module is not None and isinstance(module.__spec__ and module.__spec__.loader, NotebookModules):
                del sys.modules[name]

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return where a module comes from: from here, if it is one of these."""
        if fullname not in (*_PACKAGES, *_MODULES):
            return None
        return ModuleSpec(fullname, self, origin="the notebook's own objects", is_package=fullname in _PACKAGES)

    def exec_module(self, module: ModuleType) -> None:
        """Fill a module."""
        if module.__name__ == "pyspark.dbutils":
            vars(module)["DBUtils"] = lambda _spark=None: self._namespace["dbutils"]
        elif module.__name__ == "databricks.sdk.runtime":
            there = {name: self._namespace[name] for name in NAMES if name in self._namespace}
            module.__dict__.update(there, __all__=list(there))


def variable_name(*names: str) -> str:
    """Return ``CLASSROOM_A_B`` for ``a`` and ``b``: upper case, and ``_`` for all but letters and digits."""
    return re.sub(r"[^A-Z0-9]", "_", "_".join(("CLASSROOM", *names)).upper())


class SecretMetadata(NamedTuple):
    """A secret without its value."""

    key: str


class SecretScope(NamedTuple):
    """A scope, which groups secrets."""

    name: str

    def getName(self) -> str:
        """Return the name."""
        return self.name


class SecretUtils(Utility):
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


def _variables() -> list[str]:
    """Return the names of the variables that hold secrets."""
    return sorted(name for name in os.environ if name.startswith(variable_name(_KIND, "")))
