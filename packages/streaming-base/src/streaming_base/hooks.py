"""The chain of each wrapped method, and the registry of all that was wrapped or added.

A class gets one function for a method, whoever wraps it and however many do.  That function calls the chain, which is
made again when somebody comes or goes: its order is that of the layers, never that of installation.  When nobody is
left the class has its own method again, the very same object; where another library has meanwhile wrapped ours, that
wrapper stays and is handed through to Spark's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import update_wrapper
from threading import RLock
from typing import Any

#: From the innermost to the outermost: what a builder was given, what reads files, what finds a broker, what SQL means,
#: what is shown where, and what a definition of a pipeline may do.
LAYERS = ("record", "source", "connection", "language", "display", "pipeline")

_lock = RLock()


@dataclass(frozen=True)
class Hook:
    """One change of one class.

    Parameters
    ----------
    owner : type
        The class.
    name : str
        The method or property.
    by : str
        The package that asked for it.
    why : str
        What could not be had otherwise.
    layer : str
        Its place in the chain, one of :data:`LAYERS`; empty where the class had no such method.
    make : callable
        Takes what is below in the chain, and returns what is called instead; of a property, both are properties.
    """

    owner: type
    name: str
    by: str
    why: str
    layer: str = ""
    make: Callable[[Any], Any] = field(default=lambda below: below, repr=False, compare=False)


class _Chain:
    """A method of a class, and the hooks around it."""

    def __init__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name
        self._is_own = name in vars(owner)  # and not inherited
        self._original = vars(owner)[name] if self._is_own else getattr(owner, name)
        self.hooks: list[Hook] = []
        self.current: Any = self._original
        self._installed = _dispatcher(self)
        setattr(owner, name, self._installed)

    @property
    def original(self) -> Any:
        """The class's own method."""
        return self._original

    def rebuild(self) -> None:
        """Rebuild the chain from the current hooks."""
        below = self._original
        for hook in sorted(self.hooks, key=lambda hook: LAYERS.index(hook.layer)):
            below = hook.make(below)
        self.current = below

    def restore(self) -> bool:
        """Restore the class's own method; return False if another library has wrapped ours meanwhile."""
        if vars(self._owner).get(self._name) is not self._installed:
            return False
        if self._is_own:
            setattr(self._owner, self._name, self._original)
        else:
            delattr(self._owner, self._name)
        return True


_chains: dict[tuple[type, str], _Chain] = {}
_added: dict[tuple[type, str], Hook] = {}


def wrap(owner: type, name: str, make: Callable[[Any], Any], *, by: str, layer: str, why: str) -> None:
    """Put something around a method, a class method or a property of a class.

    A second time for the same package and the same reason changes nothing.

    Parameters
    ----------
    owner : type
        The class.
    name : str
        The method.
    make : callable
        Takes the method that is below in the chain, and returns the one to be called instead.  It is called again when
        the chain is made again, and must not do anything else.
    by : str
        The package.
    layer : str
        Where in the chain, one of :data:`LAYERS`.
    why : str
        What could not be had otherwise, for :func:`table`.

    Raises
    ------
    ValueError
        There is no such layer.
    AttributeError
        The class has no such method.
    """
    if layer not in LAYERS:
        raise ValueError(f"There is no layer {layer!r}. Take one of {', '.join(LAYERS)}.")
    with _lock:
        chain = _chains.get((owner, name))
        if chain is None:
            chain = _chains[owner, name] = _Chain(owner, name)
        if all((hook.by, hook.why) != (by, why) for hook in chain.hooks):
            chain.hooks.append(Hook(owner, name, by, why, layer, make))
            chain.rebuild()


def add(owner: type, name: str, value: Any, *, by: str, why: str) -> None:
    """Add a missing attribute to a class; an existing one is left alone."""
    with _lock:
        if not hasattr(owner, name):
            setattr(owner, name, value)
            _added[owner, name] = Hook(owner, name, by, why, make=lambda _: value)


def remove(by: str) -> None:
    """Take back all that a package has wrapped or added."""
    with _lock:
        for key, chain in list(_chains.items()):
            chain.hooks = [hook for hook in chain.hooks if hook.by != by]
            chain.rebuild()
            if not chain.hooks and chain.restore():
                del _chains[key]
        for key in [key for key, hook in _added.items() if hook.by == by]:
            owner, name = key
            if vars(owner).get(name) is _added.pop(key).make(None):  # and nobody has put another in its place
                delattr(owner, name)


def table() -> tuple[Hook, ...]:
    """Return all that is wrapped or added now, by class and method, the outermost first."""
    with _lock:
        found = [hook for chain in _chains.values() for hook in chain.hooks] + list(_added.values())

    def order(hook: Hook) -> tuple[str, str, int]:
        return hook.owner.__name__, hook.name, -LAYERS.index(hook.layer) if hook.layer else 0

    return tuple(sorted(found, key=order))


def original(owner: type, name: str) -> Any:
    """Return the class's own method, wrapped or not."""
    chain = _chains.get((owner, name))
    return getattr(owner, name) if chain is None else chain.original


def _dispatcher(chain: _Chain) -> Any:
    """Return the function for the class, which calls the current chain."""
    before = chain.original
    if isinstance(before, property):
        return property(lambda self: chain.current.fget(self), before.fset, before.fdel, before.__doc__)
    if isinstance(before, classmethod):
        return classmethod(
            update_wrapper(lambda cls, *args, **kwargs: chain.current.__func__(cls, *args, **kwargs), before.__func__)
        )

    def method(*args: Any, **kwargs: Any) -> Any:
        return chain.current(*args, **kwargs)

    return update_wrapper(method, before)
