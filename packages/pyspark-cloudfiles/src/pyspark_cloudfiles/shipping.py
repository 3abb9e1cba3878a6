"""This package shipped to Spark's workers together with the objects that need it.

Spark pickles the data source for its workers, by the names of its modules.  A worker without this package could not
load it.  So the objects are pickled together with the package itself, about 100 KB, and with a function that makes it
importable; the function is pickled by value and needs nothing but Python.

A worker that has the package compares its code with the driver's by a hash of all source files, because a version does
not change with each line.  A worker with other code uses the shipped code from then on.
"""

from __future__ import annotations

import io
import pickle
import sys
import types
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = __name__.partition(".")[0]


def reduce_with_package(kind: type, state: dict) -> tuple:
    """Return the ``__reduce__`` value of an object of this package that any worker can load."""
    payload = pickle.dumps(state, protocol=pickle.HIGHEST_PROTOCOL)
    return _detach(_rebuild), (*_origin(), kind.__module__, kind.__qualname__, payload)


def package_loader() -> tuple[types.FunctionType, tuple[str, bytes, str]]:
    """Return a function that is pickled by value, and arguments with which it makes this package importable."""
    return _detach(_make_importable), _origin()


def _make_importable(directory: str, archive: bytes, digest: str) -> None:
    """Make ``import pyspark_cloudfiles`` load the driver's code: installed here, from its directory, or unpacked."""
    import sys
    from importlib import import_module, invalidate_caches
    from importlib.util import find_spec
    from pathlib import Path

    package = "pyspark_cloudfiles"
    loaded = sys.modules.get(package)
    spec = find_spec(package) if loaded is None else loaded.__spec__
    installed = Path(spec.origin).parent if spec is not None and spec.origin else None
    code = getattr(loaded, "_code_digest", None) or (installed and _code_digest(installed))
    if code != digest:
        if installed is None and _code_digest(Path(directory) / package) == digest:
            sys.path.append(directory)
        else:
            for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
                del sys.modules[name]
            target = str(_unpack(archive, digest))
            sys.path[:] = [target, *(entry for entry in sys.path if entry != target)]
        invalidate_caches()
    vars(import_module(package))["_code_digest"] = digest


def _unpack(archive: bytes, digest: str) -> Path:
    """Return the directory of the package, unpacked once per user, so that Python caches its modules."""
    import io
    import os
    import tempfile
    import zipfile
    from pathlib import Path

    user = os.getuid() if hasattr(os, "getuid") else 0
    target = Path(tempfile.gettempdir()) / f"pyspark_cloudfiles-{user}-{digest}"
    if not target.is_dir():
        made = Path(tempfile.mkdtemp(prefix="pyspark_cloudfiles-"))
        zipfile.ZipFile(io.BytesIO(archive)).extractall(made)
        try:
            made.rename(target)
        except OSError:  # another worker was quicker
            target = target if target.is_dir() else made
    if hasattr(os, "getuid") and target.stat().st_uid != user:
        raise PermissionError(f"{target} belongs to another user, who could have put anything there. Remove it.")
    return target


def _code_digest(package: Path) -> str:
    """Return a hash of the names and contents of a package's source files."""
    from hashlib import sha256

    digest = sha256()
    for path in sorted(_modules(package)) if package.is_dir() else ():
        content = path.read_bytes()
        digest.update(f"{path.relative_to(package).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def _rebuild(directory: str, archive: bytes, digest: str, module: str, name: str, payload: bytes) -> object:
    import pickle
    from importlib import import_module

    _make_importable(directory, archive, digest)
    made = object.__new__(getattr(import_module(module), name))
    made.__dict__.update(pickle.loads(payload))
    return made


@cache
def _detach(function: types.FunctionType) -> types.FunctionType:
    """Return a copy of a function that cloudpickle pickles by value, as it does with functions of ``__main__``."""
    names: dict[str, object] = {"__builtins__": __builtins__, "__name__": "__main__"}
    copy = types.FunctionType(function.__code__, names, function.__name__)
    copy.__module__ = "__main__"
    # What it calls goes with it.
    others: dict[Any, list[Any]] = {
        _rebuild: [_make_importable],
        _make_importable: [_code_digest, _unpack],
        _code_digest: [_modules],
    }
    names.update((other.__name__, _detach(other)) for other in others.get(function, []))
    names[function.__name__] = copy  # also what it calls itself
    return copy


@cache
def _origin() -> tuple[str, bytes, str]:
    root = Path(__file__).parent
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(_modules(root)):
            # A fixed time, so that the same sources give the same bytes.
            entry = zipfile.ZipInfo(f"{PACKAGE}/{path.relative_to(root).as_posix()}", (1980, 1, 1, 0, 0, 0))
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    digest = _code_digest(root)
    vars(sys.modules[PACKAGE])["_code_digest"] = digest  # so that this process never hashes its own files
    return str(root.parent), buffer.getvalue(), digest


def _modules(package: Path) -> Iterator[Path]:
    yield from package.glob("*.py")
    for inner in package.iterdir():
        if (inner / "__init__.py").is_file():
            yield from _modules(inner)
