"""Each flow's checkpoint, where Spark's engine would have it: ``_checkpoints/<catalog>/<database>/<table>/<flow>/<n>``.

A full refresh begins the next ``n`` and empties the table.  These are two steps, so a note is left between them: an
update that finds it, after a crash, empties the table again before anything is written.
"""

from __future__ import annotations

from dataclasses import dataclass

from declarative_pipelines.definitions.model import find
from declarative_pipelines.engine.storage import Storage

_ROOT = "_checkpoints"
_NOTE = "_table_to_be_emptied"
_ONCE_BEGUN, _ONCE_DONE = "_once_begun", "_once_done"


@dataclass(frozen=True)
class Checkpoint:
    """The checkpoint of one flow.

    Parameters
    ----------
    parts
        Its folder below the storage, without the number.
    number
        Which of them an update uses.
    is_new
        Whether the number is begun by this update.
    """

    storage: Storage
    parts: tuple[str, ...]
    number: int
    is_new: bool = False

    @property
    def folder(self) -> tuple[str, ...]:
        """The folder below the storage."""
        return (*self.parts, str(self.number))

    @property
    def path(self) -> str:
        """The folder's URI, for Spark."""
        return self.storage.path(*self.folder)

    @property
    def schemas(self) -> str:
        """The folder of inferred schemas, beside the checkpoint since it exists before the first batch."""
        return self.storage.path("_schemas", *self.folder[1:])

    @property
    def has_begun(self) -> bool:
        """Whether a stream has planned a batch with it, or a flow that runs once has begun."""
        return any(self.storage.exists(*self.folder, name) for name in ("offsets", _ONCE_BEGUN))

    @property
    def is_done(self) -> bool:
        """Whether a flow that runs once has run."""
        return self.storage.exists(*self.folder, _ONCE_DONE)

    @property
    def is_pending(self) -> bool:
        """Whether a full refresh has begun it and was ended before the table was empty."""
        return self.storage.exists(*self.folder, _NOTE)

    def next(self) -> Checkpoint:
        """Return the next, unused checkpoint."""
        return Checkpoint(self.storage, self.parts, self.number + 1, True)

    def earlier(self) -> list[Checkpoint]:
        """Return the earlier checkpoints, which full refreshes have left."""
        numbers = _numbers(self.storage, self.parts) if self.number else []
        return [Checkpoint(self.storage, self.parts, number) for number in numbers if number < self.number]

    def begin(self) -> None:
        """Begin a new checkpoint; the table has to be emptied."""
        if self.is_new:
            self.storage.write("", *self.folder, _NOTE)

    def begin_once(self) -> None:
        """Record that a flow that runs once begins."""
        self.storage.write("", *self.folder, _ONCE_BEGUN)

    def end_once(self) -> None:
        """Record that a flow that runs once has run."""
        self.storage.write("", *self.folder, _ONCE_DONE)

    def table_is_empty(self) -> None:
        """Record that the table has been emptied."""
        self.storage.remove(*self.folder, _NOTE)


def of_flow(storage: Storage, full_target: str, flow: str) -> Checkpoint:
    """Return the newest checkpoint of a flow, begun or not.

    Parameters
    ----------
    full_target
        The dataset with its catalog and database; a sink's name.
    """
    parts: tuple[str, ...] = (_ROOT, *full_target.split("."), flow)
    if not _numbers(storage, parts):
        parts = _as_stored(storage, parts)
    return Checkpoint(storage, parts, max(_numbers(storage, parts), default=0))


def _as_stored(storage: Storage, parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the parts of a folder as an earlier update has written them, whose names may differ by case."""
    found: tuple[str, ...] = ()
    for part in parts:
        found = (*found, find(part, storage.names(*found)) or part)
    return found


def _numbers(storage: Storage, parts: tuple[str, ...]) -> list[int]:
    return sorted(int(name) for name in storage.names(*parts) if name.isdigit())
