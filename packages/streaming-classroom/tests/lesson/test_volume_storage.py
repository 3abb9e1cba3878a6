"""A lesson's schema in a catalog is dropped only if a lesson has made it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from filelock import FileLock

from streaming_classroom.errors import NotAvailable
from streaming_classroom.lesson.storage import LessonDirectory, VolumeStorage


class Session:
    """A session in whose schema are these volumes and tables; it keeps the statements."""

    def __init__(self, volumes: tuple[str, ...], tables: tuple[str, ...]) -> None:
        self.statements: list[str] = []
        self.catalog = SimpleNamespace(setCurrentDatabase=lambda _name: None)
        self._found = {
            "SHOW VOLUMES": [{"volume_name": name} for name in volumes],
            "SHOW TABLES": [{"tableName": name, "isTemporary": False} for name in tables],
        }

    def sql(self, statement: str) -> Any:
        self.statements.append(statement)
        return SimpleNamespace(collect=lambda: self._found[statement.partition(" IN ")[0]])


def cleared(session: Session, folder: Path) -> list[str]:
    place = LessonDirectory("01", "ada_01", "", FileLock(folder / "lock")).in_volume("trials")
    VolumeStorage(session, place).clear(SimpleNamespace())
    return [statement for statement in session.statements if statement.startswith("DROP")]


def test_the_schema_of_a_lesson_is_dropped_with_its_volume(tmp_path: Path) -> None:
    assert cleared(Session(("lesson",), ("bronze",)), tmp_path) == [
        "DROP VOLUME `trials`.`ada_01`.lesson",
        "DROP SCHEMA `trials`.`ada_01` CASCADE",
    ]


@pytest.mark.parametrize(("volumes", "tables"), [((), ("orders",)), (("papers",), ())])
def test_a_schema_that_somebody_else_made_is_left_alone(
    volumes: tuple[str, ...], tables: tuple[str, ...], tmp_path: Path
) -> None:
    session = Session(volumes, tables)
    with pytest.raises(NotAvailable, match="nothing of it was dropped"):
        cleared(session, tmp_path)
    assert not any(statement.startswith("DROP") for statement in session.statements)


def test_an_empty_schema_is_kept(tmp_path: Path) -> None:
    assert cleared(Session((), ()), tmp_path) == []
