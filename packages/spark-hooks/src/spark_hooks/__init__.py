"""Methods of Spark's classes, wrapped by several packages in one chain, listed, and put back.

A package that needs a method of Spark to do more says so with :func:`wrap`, and takes it back with :func:`remove`.
Whoever wants to know what was changed asks :func:`table`.
"""

from spark_hooks.registry import LAYERS, Hook, add, remove, table, wrap

__all__ = ["LAYERS", "Hook", "add", "remove", "table", "wrap"]
