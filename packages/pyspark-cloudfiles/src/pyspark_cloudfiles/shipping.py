"""This package shipped to Spark's workers together with the objects that need it.

Spark sends the data source to its workers as pickled objects, which name the modules they come from.  A worker that
does not have this package could not load them.  So the objects are pickled together with the package itself, some 100
KB, and with a function that puts it there first; the function is sent by value and needs nothing but Python.

A worker that has the package compares its code with the driver's, by a hash of all source files: a version does not
change with each line.  One with other code takes what was shipped, from then on and for as long as drivers send that.
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


def shipped(kind: type, state: dict) -> tuple:
    """Return what ``__reduce__`` should, for an object that any worker can load.

    Parameters
    ----------
    kind : type
        The object's class, one of this package.
    state : dict
        Its attributes.
    """
    payload = pickle.dumps(state, protocol=pickle.HIGHEST_PROTOCOL)
    return _detached(_rebuilt), (*_origin(), kind.__module__, kind.__qualname__, payload)


def loader() -> tuple[types.FunctionType, tuple[str, bytes, str]]:
    """Return a function that travels by value, and arguments with which it makes this package importable."""
    return _detached(_made_importable), _origin()


def _made_importable(directory: str, archive: bytes, digest: str) -> None:
    """Have the package of the driver be what is imported: as it is here, from where the driver has it, or unpacked."""
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
            target = str(_unpacked(archive, digest))
            sys.path[:] = [target, *(entry for entry in sys.path if entry != target)]
        invalidate_caches()
    vars(import_module(package))["_code_digest"] = digest


def _unpacked(archive: bytes, digest: str) -> Path:
    """Return the directory in which the package is, unpacked once for all workers of a user on a machine.

    Unpacked rather than as a zip, so that Python keeps its compiled modules.
    """
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
    """Return what tells a package's source files from others, by their names and contents."""
    from hashlib import sha256

    digest = sha256()
    for path in sorted(_modules(package)) if package.is_dir() else ():
        content = path.read_bytes()
        digest.update(f"{path.relative_to(package).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def _rebuilt(directory: str, archive: bytes, digest: str, module: str, name: str, payload: bytes) -> object:
    """Make the package importable and load an object of it."""
    import pickle
    from importlib import import_module

    _made_importable(directory, archive, digest)
    made = object.__new__(getattr(import_module(module), name))
    made.__dict__.update(pickle.loads(payload))
    return made


@cache
def _detached(function: types.FunctionType) -> types.FunctionType:
    """Return a copy of a function that cloudpickle sends by value, as it does with functions of ``__main__``."""
    names: dict[str, object] = {"__builtins__": __builtins__, "__name__": "__main__"}
    copy = types.FunctionType(function.__code__, names, function.__name__)
    copy.__module__ = "__main__"
    # What it calls goes with it.
    others: dict[Any, list[Any]] = {
        _rebuilt: [_made_importable],
        _made_importable: [_code_digest, _unpacked],
        _code_digest: [_modules],
    }
    names.update((other.__name__, _detached(other)) for other in others.get(function, []))
    names[function.__name__] = copy  # also what it calls itself
    return copy


@cache
def _origin() -> tuple[str, bytes, str]:
    """Return where this package is, its archive, and the digest of its code."""
    root = Path(__file__).parent
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(_modules(root)):
            # A fixed time, so that the same sources give the same bytes.
            entry = zipfile.ZipInfo(f"{PACKAGE}/{path.relative_to(root).as_posix()}", (1980, 1, 1, 0, 0, 0))
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    digest = _code_digest(root)
    vars(sys.modules[PACKAGE])["_code_digest"] = digest  # so that this process never looks at its own files
    return str(root.parent), buffer.getvalue(), digest


def _modules(package: Path) -> Iterator[Path]:
    """Yield the files of a package, without what a build has left in its directory."""
    yield from package.glob("*.py")
    for inner in package.iterdir():
        if (inner / "__init__.py").is_file():
            yield from _modules(inner)
