"""Volumes: folders below ``/Volumes/CATALOG/SCHEMA``, and the rule that nothing is written into one that is missing."""

from __future__ import annotations

from pathlib import Path

from notebook_dialect.files.filesystem import FileSystem

CATALOGS = ".catalogs"  # in the home of the files: what is recorded of all catalogs


class VolumeNotFound(OSError):
    """Something would be written into a volume that does not exist.

    It is no FileNotFoundError, for which ``Path.mkdir(parents=True)`` would try the parents.
    """


def catalogs_folder(files: FileSystem) -> Path:
    """Return the folder of what is recorded of the catalogs."""
    return files.home / CATALOGS


def folder_of(files: FileSystem, name: list[str]) -> Path:
    """Return the folder of a volume."""
    return files.root.joinpath("Volumes", *(part.lower() for part in name))


def require_volume(files: FileSystem, place: Path) -> None:
    """Raise an error if a place to write to is below ``/Volumes``, but in no volume.

    Raises
    ------
    VolumeNotFound
        The volume does not exist. Where no session has had catalogs, ``/Volumes`` is a folder like any other.
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
