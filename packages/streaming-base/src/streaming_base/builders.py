"""What Spark's readers and writers were given.

A reader or writer of Spark keeps its format and options on the other side of the bridge to the JVM and cannot be asked
for them.  So what each is given is recorded here, once for all packages: in the innermost layer of the hooks, that is,
as Spark gets it, after other packages have changed values.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any

from streaming_base import hooks

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

PACKAGE = "streaming_base"
_ATTRIBUTE = "_streaming_base_given"


@dataclass
class Given:
    """What one reader or writer was given.

    Attributes
    ----------
    format : str
        The format, or an empty string.
    schema : StructType, str or None
        The schema of a reader.
    name : str or None
        The name of a query or of a reader.
    output_mode : str
        The output mode of a writer, or an empty string.
    trigger : dict
        The arguments of a writer's ``trigger``; empty without one.
    has_function : bool
        Whether a writer was given a function for its batches.
    frame : DataFrame or None
        The frame of a writer, where somebody recorded it: over Connect a writer does not have it.
    options : dict
        The options as text, by their keys as written; a key in another case replaces the previous one.
    """

    format: str = ""
    schema: StructType | str | None = None
    name: str | None = None
    output_mode: str = ""
    trigger: dict[str, Any] = field(default_factory=dict)
    has_function: bool = False
    frame: Any = None
    options: dict[str, str] = field(default_factory=dict)

    def set_option(self, key: str, value: Any) -> None:
        """Record an option as Spark passes it on: booleans as ``true`` and ``false``; None removes the option."""
        for other in [other for other in self.options if other.lower() == key.lower()]:
            del self.options[other]
        if value is not None:
            self.options[key] = str(value).lower() if isinstance(value, bool) else str(value)

    @property
    def lower_options(self) -> dict[str, str]:
        """The options by their keys in lower case."""
        return {key.lower(): value for key, value in self.options.items()}


def given_to(builder: Any) -> Given:
    """Return the record of a reader or writer."""
    return vars(builder).setdefault(_ATTRIBUTE, Given())


def record(kind: type) -> None:
    """Record what the readers or writers of a class are given; calling it again changes nothing."""
    recorders: dict[str, Callable[[Given, Any], None]] = {
        "format": lambda given, value: setattr(given, "format", value),
        "schema": lambda given, value: setattr(given, "schema", value),
        "name": lambda given, value: setattr(given, "name", value),
        "queryName": lambda given, value: setattr(given, "name", value),
        "outputMode": lambda given, value: setattr(given, "output_mode", value),
        "foreachBatch": lambda given, _function: setattr(given, "has_function", True),
    }
    wrappers = {method: _wrap_setter(set_value) for method, set_value in recorders.items() if hasattr(kind, method)}
    wrappers |= {"trigger": _wrap_trigger} if hasattr(kind, "trigger") else {}
    for method, wrapper in {**wrappers, "option": _wrap_option, "options": _wrap_options}.items():
        why = "a reader or writer cannot be asked what it was given"
        hooks.wrap(kind, method, wrapper, by=PACKAGE, layer="record", why=why)


def _wrap_setter(set_value: Callable[[Given, Any], None]) -> Callable[[Any], Any]:
    def wrap(original: Any) -> Any:
        signature = inspect.signature(original)

        @wraps(original)
        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            _, value = signature.bind(self, *args, **kwargs).arguments.values()  # by Spark's own name of it
            set_value(given_to(self), value)
            return original(self, *args, **kwargs)

        return method

    return wrap


def _wrap_trigger(original: Any) -> Any:
    @wraps(original)
    def trigger(self: Any, **given: Any) -> Any:
        given_to(self).trigger = given
        return original(self, **given)

    return trigger


def _wrap_option(original: Any) -> Any:
    @wraps(original)
    def option(self: Any, key: str, value: Any) -> Any:
        given_to(self).set_option(key, value)
        return original(self, key, value)

    return option


def _wrap_options(original: Any) -> Any:
    @wraps(original)
    def options(self: Any, **given: Any) -> Any:
        for key, value in given.items():
            given_to(self).set_option(key, value)
        return original(self, **given)

    return options
