"""The objects of all catalogs: one JSON file each, the same that ``Store.java`` reads and writes.

A file appears or changes whole or not at all, and nothing is cached, so every kernel sees what another has made.

Volumes are folders below ``/Volumes/CATALOG/SCHEMA``; nothing is written into one that is missing.
"""

from __future__ import annotations

import getpass
import json
import os
import shutil
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pyspark.errors import AnalysisException

from notebook_dialect.filesystem import FileSystem

_WITH_TABLES = ("relations", "dropped")
_FOLDERS = {"TABLE": "relations", "VIEW": "relations", "VOLUME": "volumes", "FUNCTION": "functions"}
CATALOGS = ".catalogs"  # in the home of the files: what is recorded of all catalogs
_DROPPED = ".dropped"  # in that folder: the catalogs and schemas that were dropped, NAME.TIME


class CatalogError(AnalysisException):
    """A statement about catalogs, schemas, volumes or grants that Databricks rejects too.

    ``condition``: the error condition, such as ``VOLUME_NOT_FOUND``; ``sentence``: what happened, and the fix.
    """

    def __init__(self, condition: str, sentence: str) -> None:
        super().__init__(sentence)
        self.condition = condition

    def getCondition(self) -> str:
        """Return the error condition."""
        return self.condition


def syntax_error(sentence: str) -> CatalogError:
    """Return the error of a statement that cannot be read."""
    return CatalogError("PARSE_SYNTAX_ERROR", sentence)


class CatalogStore:
    """The files below one folder: ``CATALOG/SCHEMA/{relations,volumes,functions}/NAME.json``.

    Kinds are ``CATALOG``, ``SCHEMA``, ``TABLE``, ``VIEW``, ``VOLUME`` and ``FUNCTION``; a name is a list of its parts.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def file(self, kind: str, name: list[str]) -> Path:
        """Return the file of an object."""
        parts = [part.lower() for part in name]
        if any(part in ("", ".", "..") or "/" in part or "\\" in part for part in parts):
            raise CatalogError("INVALID_PARAMETER_VALUE", f"{'.'.join(name)!r} is not the name of a {kind.lower()}.")
        if kind == "CATALOG":
            return self.root / parts[0] / "catalog.json"
        if kind == "SCHEMA":
            return self.root.joinpath(*parts) / "schema.json"
        return self.root.joinpath(*parts[:2]) / _FOLDERS[kind] / f"{parts[2]}.json"

    def read(self, kind: str, name: list[str]) -> dict[str, Any]:
        """Return what is recorded of an object; CatalogError if it does not exist."""
        try:
            return dict(json.loads(self.file(kind, name).read_text(encoding="utf-8")))
        except FileNotFoundError:
            quoted = ".".join(f"`{part}`" for part in name)
            raise CatalogError(f"{kind}_NOT_FOUND", f"The {kind.lower()} {quoted} cannot be found.") from None

    def exists(self, kind: str, name: list[str]) -> bool:
        """Whether an object is recorded."""
        return self.file(kind, name).exists()

    def create(self, kind: str, name: list[str], if_missing: bool = False, **values: Any) -> bool:
        """Record a new object; return whether it is new, which of several kernels it is for one."""
        file = self.file(kind, name)
        owned = {"owner": getpass.getuser(), "created": time.time_ns() // 1_000_000, "comment": None}
        half = _write_half(file, owned | values)
        try:
            os.link(half, file)
            return True
        except FileExistsError:
            if if_missing:
                return False
            sentence = f"The {kind.lower()} {'.'.join(name)} exists already."
            raise CatalogError(f"{kind}_ALREADY_EXISTS", sentence) from None
        finally:
            half.unlink()

    def change(self, kind: str, name: list[str], **values: Any) -> None:
        """Record values of an existing object."""
        file = self.file(kind, name)
        _write_half(file, self.read(kind, name) | values).replace(file)

    def replace(self, kind: str, name: list[str], values: dict[str, Any]) -> None:
        """Record an object, in the place of the one that may exist."""
        file = self.file(kind, name)
        _write_half(file, values).replace(file)

    def remove(self, kind: str, name: list[str]) -> None:
        """Remove the record of an object."""
        self.file(kind, name).unlink()

    def names(self, kind: str, *within: str) -> list[str]:
        """Return the names of the objects of a kind, in all catalogs, a catalog or a schema."""
        folder = self.root.joinpath(*(part.lower() for part in within))
        if kind in ("CATALOG", "SCHEMA"):
            return sorted(path.parent.name for path in folder.glob(f"[!.]*/{kind.lower()}.json"))
        return sorted(path.stem for path in (folder / _FOLDERS[kind]).glob("[!.]*.json"))

    def dropped_tables(self, schema: list[str]) -> list[tuple[str, int]]:
        """Return the names of a schema's dropped tables and views, and when each was dropped, oldest first."""
        found = [path.stem.rpartition(".") for path in self._dropped(schema).glob("[!.]*.json")]
        return sorted(((name, int(when)) for name, _, when in found), key=lambda pair: pair[1])

    def undrop(self, name: list[str]) -> None:
        """Bring back the table that was dropped last under a name."""
        times = [when for table, when in self.dropped_tables(name[:2]) if table == name[2].lower()]
        if not times:
            raise CatalogError("UNDROP_TABLE_NOT_FOUND", f"No dropped table is called {'.'.join(name)}.")
        kept = self._dropped(name[:2]) / f"{name[2].lower()}.{times[-1]}.json"
        self.file("TABLE", name).parent.mkdir(exist_ok=True)
        try:
            os.link(kept, self.file("TABLE", name))
        except FileExistsError:
            sentence = f"{'.'.join(name)} exists. Rename it first: ALTER TABLE ... RENAME TO ..."
            raise CatalogError("TABLE_OR_VIEW_ALREADY_EXISTS", sentence) from None
        kept.unlink()

    def forget_catalog(self, name: str) -> None:
        """Move what is recorded of a catalog out of sight."""
        dropped = self.root / _DROPPED
        dropped.mkdir(exist_ok=True)
        self.file("CATALOG", [name]).parent.replace(dropped / f"{name.lower()}.{time.time_ns() // 1_000_000}")

    def purge(self, before: int) -> list[str]:
        """Forget what was dropped before a time; return the places of its managed tables.

        ``before``: milliseconds since 1970.
        """
        tables = [path for path in self.root.glob("[!.]*/*/dropped/[!.]*.json") if _time_in(path.stem) < before]
        folders = [path for path in (self.root / _DROPPED).glob("*") if _time_in(path.name) < before]
        within = [file for folder in folders for file in folder.rglob("*.json") if file.parent.name in _WITH_TABLES]
        entries = _read_all((*tables, *within))
        living = _read_all(self.root.glob("[!.]*/*/relations/[!.]*.json")) if entries else []  # after a half UNDROP
        for table in tables:
            table.unlink(missing_ok=True)  # another kernel may purge too
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        managed = {entry["location"] for entry in entries if entry.get("type") == "MANAGED"}
        return sorted(managed - {entry.get("location") for entry in living})

    def _dropped(self, schema: list[str]) -> Path:
        return self.file("SCHEMA", schema).parent / "dropped"


def _read_all(files: Iterable[Path]) -> list[dict[str, Any]]:
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def _time_in(name: str) -> int:
    """Return the time at the end of a dropped object's name, in milliseconds since 1970."""
    return int(name.rpartition(".")[2])


def _write_half(file: Path, values: dict[str, Any]) -> Path:
    """Write a file beside the one that it becomes."""
    file.parent.mkdir(parents=True, exist_ok=True)
    half = file.with_name(f".{uuid.uuid4()}.half")
    half.write_text(json.dumps(values, indent=2), encoding="utf-8")
    return half


class VolumeNotFound(OSError):
    """Something would be written into a volume that does not exist.

    It is no FileNotFoundError, for which ``Path.mkdir(parents=True)`` would try the parents.
    """


def catalogs_folder(files: FileSystem) -> Path:
    """Return the folder of what is recorded of the catalogs."""
    return files.home / CATALOGS


def volume_folder(files: FileSystem, name: list[str]) -> Path:
    """Return the folder of a volume."""
    return files.root.joinpath("Volumes", *(part.lower() for part in name))


def is_volume(files: FileSystem, place: Path) -> bool:
    """Whether a folder is that of a volume."""
    root = files.root / "Volumes"
    return place.is_relative_to(root) and len(place.relative_to(root).parts) == 3 and catalogs_folder(files).is_dir()


def require_volume(files: FileSystem, place: Path) -> None:
    """Raise an error if a place to write to is below ``/Volumes``, but in no volume.

    Raises VolumeNotFound: the volume does not exist. Where no session has had catalogs, ``/Volumes`` is a folder like
    any other.
    """
    root = files.root / "Volumes"
    if not place.is_relative_to(root) or place == root or not catalogs_folder(files).is_dir():
        return
    parts = place.relative_to(root).parts[:3]
    if len(parts) < 3:
        raise VolumeNotFound(
            f"[UC_VOLUME_NOT_FOUND] /Volumes/{'/'.join(parts)} is not in a volume. "
            "Write to /Volumes/CATALOG/SCHEMA/VOLUME/..., after CREATE VOLUME."
        )
    if not root.joinpath(*parts).is_dir():
        name = ".".join(parts)
        raise VolumeNotFound(
            f"[UC_VOLUME_NOT_FOUND] The volume '{name}' does not exist. Create it first: CREATE VOLUME {name}"
        )
