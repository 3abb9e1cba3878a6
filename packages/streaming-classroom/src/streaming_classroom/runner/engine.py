"""The execution of one notebook: what nbclient lacks are deadlines, late stderr, and the streams left running.

It only observes; `find_failures` decides what is a failure. It does what a papermill engine does, yet not through
``papermill.execute_notebook``, which takes an error in a cell tagged ``raises-exception`` for a failure, and changes
the working directory of the whole process.
"""

from __future__ import annotations

import ast
import asyncio
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any

from jupyter_core.utils import ensure_async, ensure_event_loop, run_sync
from nbclient.exceptions import CellExecutionComplete, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import output_from_msg
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import NotebookExecutionManager

from streaming_classroom.runner.kernel import EXPRESSION, LessonKernelManager, quiet

_START = 60  # a first start on a cold disk takes some seconds
_STARTS = 3
_PROBE = 30.0
_TRACEBACK = 15.0  # seconds for an interrupted cell to say which line it was in
_IOPUB = 30  # nbclient's 4 s are too short for the last of a large output on a busy machine


#: Called with each message that the kernel publishes, and the position of the cell that it belongs to, if any.
MessageObserver = Callable[[dict[str, Any], int | None], None]


class Interrupted(Exception):
    """The run was interrupted."""


class DeadlineMissed(CellTimeoutError):
    """A cell, or the lesson that it belongs to, took too long."""


@dataclass(frozen=True)
class Deadlines:
    """How long one cell may take, and the whole lesson from the moment its kernel is there, in seconds."""

    cell: float
    lesson: float
    started: float = field(default_factory=monotonic)

    @property
    def left(self) -> float:
        """Seconds until the lesson's deadline. Never zero, which nbclient would take for no deadline."""
        return max(self.started + self.lesson - monotonic(), 0.01)

    def allow(self, _cell: NotebookNode | None) -> float:
        """Seconds that a cell may take if it starts now."""
        return min(self.cell, self.left)


@dataclass
class Observed:
    """Observations of a lesson's run, by position of the cell."""

    replies: dict[int, dict[str, Any]] = field(default_factory=dict)
    stderr: dict[int, str] = field(default_factory=dict)
    under_way: int | None = None
    streams: tuple[str, ...] = ()
    trouble: Exception | None = None


class LessonClient(PapermillNotebookClient):
    """Papermill's client for one lesson in one fresh kernel."""

    _deadlines: Deadlines

    def __init__(
        self,
        nb_man: Any,
        seen: Observed,
        deadlines: Deadlines,
        prepare: str | None,
        on_cells_done: Callable[[], None],
        on_message: MessageObserver = lambda message, cell_index: None,
        interactive: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(
            nb_man,
            log=quiet,
            timeout_func=lambda cell: self._deadlines.allow(cell),
            startup_timeout=_START,
            iopub_timeout=_IOPUB,
            **options,
        )
        self._seen = seen
        self._deadlines = deadlines
        self._prepare = prepare
        self._on_cells_done = on_cells_done
        self._on_message = on_message
        self._interactive = interactive
        self._cell_of: dict[str, int] = {}
        self._interrupted = False

    def create_kernel_manager(self) -> LessonKernelManager:
        """Return the course's own manager; nbclient shuts down a manager that this method creates."""
        self.km = LessonKernelManager()
        return self.km

    def execute(self, **start: Any) -> NotebookNode:
        """Run the cells, then check for active streams; every wait has a deadline."""
        self.reset_execution_trackers()
        if sys.platform == "win32":  # as papermill does: zmq cannot use Windows' default event loop
            asyncio.set_event_loop_policy(asyncio.WindowsSelectorEventLoopPolicy())
        try:
            self._start(**start)
            with self.setup_kernel():  # which ends it in any case
                # A machine that is slow to start a kernel takes nothing from the lesson's time.
                self._deadlines = replace(self._deadlines, started=monotonic())
                if self._prepare is not None:
                    self.prepare()
                self.papermill_execute_cells()
                # After a failed cell the cells that stop the streams have not run.
                if not self.nb.metadata.papermill["exception"]:
                    self._seen.streams = self.streams_left()
                self._on_cells_done()
        finally:
            _close_event_loop()
        return self.nb

    def _start(self, **start: Any) -> None:
        """Start a kernel that answers; a second one if the first dies at once.

        Jupyter assigns free ports, and another program may take one first.
        """
        for left in reversed(range(_STARTS)):
            self.create_kernel_manager()
            self.start_new_kernel(**start)
            try:
                self.start_new_kernel_client()
                self.kc.allow_stdin = self._interactive  # which is how a kernel knows a person at the notebook
                return
            except RuntimeError:  # nbclient has taken away what was left of it
                if not left:
                    raise

    async def _async_prepare(self) -> None:
        late = f"{self._prepare} did not end in time"
        content = await self._ask(self._prepare, self._deadlines.allow(None), late)
        if content["status"] != "ok":
            raise DeadKernelError(f"{self._prepare}: {content['ename']}: {content['evalue']}")

    prepare = run_sync(_async_prepare)

    async def _async_streams_left(self) -> tuple[str, ...]:
        late = "the kernel did not answer after the last cell"
        seconds = min(_PROBE, self._deadlines.left + 1)
        content = await self._ask("", seconds, late, user_expressions={"streams": EXPRESSION})
        answer = content["user_expressions"]["streams"]
        if answer["status"] != "ok":
            raise DeadKernelError(f"Spark could not say which streams are active: {answer['evalue']}")
        return tuple(ast.literal_eval(answer["data"]["text/plain"]))

    streams_left = run_sync(_async_streams_left)

    async def _ask(self, code: str, seconds: float, late: str, **options: Any) -> dict[str, Any]:
        """Run code that is not in the notebook, and return the content of the reply, or raise in time."""
        assert self.kc is not None
        request = self.kc.execute(code, silent=True, **options)
        waits = asyncio.gather(self._reply_to(request), self._hear_until_idle(request))
        try:
            reply, _ = await asyncio.wait_for(waits, seconds)
        except TimeoutError:
            raise DeadKernelError(late) from None
        return reply["content"]

    async def _reply_to(self, request: str) -> dict[str, Any]:
        while True:
            message = await ensure_async(self.kc.shell_channel.get_msg(timeout=None))
            if message["parent_header"].get("msg_id") == request:
                return message

    async def _hear_until_idle(self, request: str) -> None:
        """Hear what is said on the way: stderr of a background thread may come after its cell is done."""
        while True:
            message = await ensure_async(self.kc.iopub_channel.get_msg(timeout=None))
            if message["parent_header"].get("msg_id") != request:
                self._on_message(message, None)
                self._note_late(message)
            elif message["content"].get("execution_state") == "idle":
                return

    async def _async_poll_output_msg(self, parent_msg_id: str, cell: NotebookNode, cell_index: int) -> None:
        # As in nbclient, which drops what belongs to an earlier cell; here its stderr is heard.
        self._cell_of[parent_msg_id] = cell_index
        while True:
            message = await ensure_async(self.kc.iopub_channel.get_msg(timeout=None))
            self._on_message(message, self._cell_of.get(message["parent_header"].get("msg_id")))
            if message["parent_header"].get("msg_id") != parent_msg_id:
                self._note_late(message)
                continue
            try:
                self._note_stderr(message, cell_index)
                self.process_message(message, cell, cell_index)
            except CellExecutionComplete:
                return

    def _note_late(self, message: dict[str, Any]) -> None:
        index = self._cell_of.get(message["parent_header"].get("msg_id"))
        if index is not None and self._note_stderr(message, index):
            self.nb.cells[index].outputs.append(output_from_msg(message))

    def _note_stderr(self, message: dict[str, Any], index: int) -> bool:
        if message["msg_type"] != "stream" or message["content"]["name"] != "stderr":
            return False
        if self._interrupted:  # a kernel that was interrupted between two cells says so there
            return False
        # Not read from the outputs in the end, which a later clear_output may have emptied.
        self._seen.stderr[index] = self._seen.stderr.get(index, "") + message["content"]["text"]
        return True

    async def _async_handle_timeout(self, timeout: float, cell: NotebookNode | None = None) -> None:
        """Interrupt first: the traceback says in which line the cell hung."""
        assert self.km is not None and cell is not None
        self._interrupted = True
        await ensure_async(self.km.interrupt_kernel())
        deadline = monotonic() + _TRACEBACK
        while monotonic() < deadline and not any(out.output_type == "error" for out in cell.outputs):
            await asyncio.sleep(0.05)
        if timeout < self._deadlines.cell:
            raise DeadlineMissed(f"was running when the {self._deadlines.lesson:g} s of the lesson were over")
        raise DeadlineMissed(f"did not finish within the {self._deadlines.cell:g} s that a cell may take")


def _close_event_loop() -> None:
    """Close this thread's event loop; a missed deadline leaves tasks in it that wait forever."""
    loop = ensure_event_loop()
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
    loop.close()


def execute_notebook(
    nb: NotebookNode,
    executed: Path,
    *,
    seen: Observed,
    deadlines: Deadlines,
    start: dict[str, Any],
    on_cells_done: Callable[[], None],
    cancel: threading.Event,
    prepare: str | None = None,
    on_message: MessageObserver = lambda message, cell_index: None,
    interactive: bool = False,
) -> NotebookNode:
    """Run the cells of a notebook, keep it in the file ``executed``, and fill in ``seen``; nothing of it is raised.

    ``start`` are the kernel's ``cwd``, ``env`` and ``stderr``; ``on_cells_done`` is called before the kernel ends;
    ``cancel`` prevents further cells; ``prepare`` is code to run first; ``on_message`` hears what the kernel publishes;
    ``interactive`` shows what a person at the notebook is shown.
    """

    def before(cell: NotebookNode, cell_index: int) -> None:
        if cancel.is_set():
            raise Interrupted
        if cell.cell_type == "code":
            seen.under_way = cell_index

    def after(cell: NotebookNode, cell_index: int, execute_reply: dict[str, Any]) -> None:
        seen.replies[cell_index] = execute_reply["content"]

    nb_man = NotebookExecutionManager(nb, output_path=str(executed), progress_bar=False)
    client = LessonClient(
        nb_man,
        seen,
        deadlines,
        prepare,
        on_cells_done,
        on_message,
        interactive,
        on_cell_start=before,
        on_cell_executed=after,
    )
    nb_man.notebook_start()
    try:
        client.execute(**start)
    except Interrupted as trouble:
        seen.trouble = trouble
    except (CellTimeoutError, RuntimeError) as trouble:  # a dead kernel is a RuntimeError
        seen.trouble = Interrupted() if cancel.is_set() else trouble
    finally:
        nb_man.notebook_complete()
    return nb_man.nb
