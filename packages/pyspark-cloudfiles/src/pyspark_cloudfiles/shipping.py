"""This package shipped to Spark's workers together with the objects that need it.

Spark sends the data source to its workers as pickled objects, which name the modules they come from.  A worker that
does not have this package could not load them.  So the objects are pickled together with the package itself, some 100
KB, and with a function that puts it there first; the function is sent by value and needs nothing but Python.
"""

from __future__ import annotations

import io
import pickle
import types
import zipfile
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

from pyspark_cloudfiles.version import VERSION

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


def loader() -> tuple[types.FunctionType, tuple[str, bytes, str, str]]:
    """Return a function that travels by value, and arguments with which it makes this package importable."""
    return _detached(_made_importable), _origin()


def _made_importable(directory: str, archive: bytes, digest: str, version: str) -> None:
    """Make the package importable: as it is installed, from where the driver has it, or from ``archive``.

    Raises
    ------
    ImportError
        Another version is installed here, which would not know the driver's objects.
    """
    import io
    import os
    import sys
    import tempfile
    import zipfile
    from importlib import import_module
    from importlib.util import find_spec
    from pathlib import Path

    if find_spec("pyspark_cloudfiles") is not None:
        installed = import_module("pyspark_cloudfiles")
        if installed.__version__ != version:
            raise ImportError(
                f"[CF_VERSION_MISMATCH] The driver has pyspark-cloudfiles {version}, this worker has "
                f"{installed.__version__} in {Path(installed.__file__).parent}. Install the same version in both "
                "places, or remove it from the workers: the driver's is then sent along."
            )
        return
    if (Path(directory) / "pyspark_cloudfiles").is_dir():
        sys.path.append(directory)
        return
    # Unpacked rather than as a zip, so that Python keeps its compiled modules; in a name of its own for each user.
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
    sys.path.append(str(target))


def _rebuilt(
    directory: str, archive: bytes, digest: str, version: str, module: str, name: str, payload: bytes
) -> object:
    """Make the package importable and load an object of it."""
    import pickle
    from importlib import import_module

    made_importable(directory, archive, digest, version)  # type: ignore[name-defined]  # noqa: F821 - a global of its copy
    made = object.__new__(getattr(import_module(module), name))
    made.__dict__.update(pickle.loads(payload))
    return made


@cache
def _detached(function: types.FunctionType) -> types.FunctionType:
    """Return a copy of a function that cloudpickle sends by value, as it does with functions of ``__main__``."""
    names = {"__builtins__": __builtins__, "__name__": "__main__"}
    if function is not _made_importable:
        names["made_importable"] = _detached(_made_importable)
    copy = types.FunctionType(function.__code__, names, function.__name__)
    copy.__module__ = "__main__"
    return copy


@cache
def _origin() -> tuple[str, bytes, str, str]:
    """Return where this package is, its archive, the archive's digest, and the package's version."""
    root = Path(__file__).parent
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(_modules(root)):
            # A fixed time, so that the same sources give the same bytes.
            entry = zipfile.ZipInfo(f"{PACKAGE}/{path.relative_to(root).as_posix()}", (1980, 1, 1, 0, 0, 0))
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    content = buffer.getvalue()
    return str(root.parent), content, sha256(content).hexdigest()[:16], VERSION


def _modules(package: Path) -> Iterator[Path]:
    """Yield the files of a package, without what a build has left in its directory."""
    yield from package.glob("*.py")
    for inner in package.iterdir():
        if (inner / "__init__.py").is_file():
            yield from _modules(inner)
