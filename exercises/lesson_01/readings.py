"""Plant the table and the view that the exercises of lesson 01 read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox


def plant_bronze(sandbox: Sandbox) -> None:
    """Plant `bronze` with rates of 0, NULL and below 0 and a duplicate, and make its streaming view."""
    planted.bronze(sandbox)
    sandbox.view("streaming_tmp_vw", sandbox.stream("bronze"))
