"""Files of a test, in place of those that its pipeline reads by path: a folder of the test for each mocked path."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from declarative_pipelines.errors import NotMocked

_SCHEME = re.compile(r"^(?:file|dbfs):/*(?=/)")


@dataclass
class MockFiles:
    """The folders of a test by the paths that they stand for.

    Parameters
    ----------
    root
        The test's folder: what is in it needs no mock.
    """

    root: Path
    folders: dict[str, Path] = field(default_factory=dict)

    def folder(self, path: str, there: Path | None = None) -> Path:
        """Return the folder that stands for a path; it is made where there is none."""
        path = _plain(path)
        if there is not None:
            self.folders[path] = there.resolve()
        if path not in self.folders:
            self.folders[path] = self.root / "files" / str(len(self.folders))
            self.folders[path].mkdir(parents=True)
        return self.folders[path]

    def add(self, path: str, files: Mapping[str, Any]) -> Path:
        """Put files into the folder that stands for a path: text, bytes, or a list of objects as lines of JSON."""
        folder = self.folder(path)
        for name, content in files.items():
            to = folder / name
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(_bytes(content))
        return folder

    def path(self, path: str) -> str:
        """Return a path as the test has it.

        Raises
        ------
        NotMocked
            It is not in a mocked one.
        """
        plain = _plain(path)
        if any(Path(plain).is_relative_to(folder) for folder in (self.root, *self.folders.values())):
            return path  # a reader that gives its path to another one
        found = max((one for one in self.folders if plain == one or plain.startswith(f"{one}/")), key=len, default=None)
        if found is None:
            raise NotMocked(f"the path {path}", f"pipeline.mock_files({path!r}, {{'name': content}})")
        return self.folders[found].as_uri() + plain[len(found) :]

    def kept(self, path: str) -> str:
        """Return where the test keeps what would be kept at a path, such as inferred schemas."""
        plain = _plain(path)
        if Path(plain).is_relative_to(self.root):
            return path
        return (self.root / "kept" / re.sub(r"\W+", "_", plain).strip("_")).as_uri()


def _plain(path: str) -> str:
    return _SCHEME.sub("", path).rstrip("/") or "/"


def _bytes(content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return content.encode()
    return "".join(json.dumps(one) + "\n" for one in content).encode()
