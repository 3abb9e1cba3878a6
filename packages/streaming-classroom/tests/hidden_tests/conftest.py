from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from pyspark.sql import SparkSession

from streaming_classroom.exercises import sandbox
from streaming_classroom.files.directories import Paths, classroom_files
from streaming_classroom.lesson import storage


@pytest.fixture
def paths(spark: SparkSession) -> Iterator[Paths]:
    root = f"{storage.base_path()}/sandboxes"
    yield Paths(
        spark,
        working_dir=root,
        checkpoints=f"{root}/checkpoints",
        landing=f"{root}/landing",
        user_db=f"{root}/database",
        datasets=f"{storage.base_path()}/datasets",
    )
    storage.remove_tree(root)


@pytest.fixture
def open_sandbox(spark: SparkSession, paths: Paths) -> Iterator[Callable[..., sandbox.Sandbox]]:
    with ExitStack() as stack:
        yield lambda **notebook: stack.enter_context(sandbox.open_sandbox(spark, paths, notebook))


@pytest.fixture
def folders(paths: Paths) -> Callable[[], list[Any]]:
    """Tell which sandboxes have left something."""
    root = classroom_files().local_path(f"{paths.working_dir}/{sandbox.FOLDER}")
    return lambda: [path for path in root.glob("*/*/*")] if root.exists() else []
