"""A real kernel, as Jupyter starts it, into which a test types cells."""

from __future__ import annotations

import os
import queue
import re
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client import KernelManager

from streaming_classroom.files import directories

TIMEOUT = 120  # seconds for a cell; CI's machines are slow
STARTS = 3
#: Variables that lead a session to another place than this machine and this PySpark.
ELSEWHERE = ("SPARK_REMOTE", "SPARK_MASTER", "SPARK_HOME", "SPARK_CONF_DIR", "DATABRICKS_RUNTIME_VERSION")


@dataclass
class Result:
    """The outputs of a cell, and its status."""

    outputs: list[dict[str, Any]] = field(default_factory=list)
    status: str = "ok"

    @property
    def text(self) -> str:
        """Everything that is text, in order."""
        parts = [out.get("text") or out.get("data", {}).get("text/plain", "") for out in self.outputs]
        return "".join(part if part.endswith("\n") else part + "\n" for part in parts if part)

    @property
    def html(self) -> str:
        """The HTML of all outputs."""
        return "".join(out.get("data", {}).get("text/html", "") for out in self.outputs)

    @property
    def error(self) -> str:
        """The error as it is shown, without colours; empty if there is none."""
        shown = ["\n".join(out["traceback"]) for out in self.outputs if "traceback" in out]
        return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(shown))

    @property
    def ename(self) -> str | None:
        """The name of the error's class."""
        return next((out["ename"] for out in self.outputs if "ename" in out), None)


class Notebook:
    """A notebook that is typed cell by cell into a kernel of its own."""

    def __init__(self, directory: Path, home: Path, **environment: str) -> None:
        inherited = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
        env = inherited | {"CLASSROOM_HOME": str(home), "IPYTHONDIR": str(home / ".ipython"), "PYTHONUTF8": "1"}
        directories.claim(home)  # IPython writes into it before the course does
        self.directory = directory
        self.home = home
        self.terminal = home.parent / f"terminal-of-{directory.parent.name}.log"
        self._start(env | environment)
        self._by_id: dict[str, dict[str, Any]] = {}

    def _start(self, env: dict[str, str]) -> None:
        """Start a kernel until one answers: another program may take one of the ports that Jupyter chose."""
        for left in reversed(range(STARTS)):
            self._kernel = KernelManager()
            self._kernel.kernel_spec.argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
            with self.terminal.open("wb") as terminal:
                self._kernel.start_kernel(cwd=str(self.directory), env=env, stdout=terminal, stderr=terminal)
            self._client = self._kernel.client()
            self._client.start_channels()
            try:
                return self._client.wait_for_ready(timeout=TIMEOUT)
            except RuntimeError as death:
                self._client.stop_channels()
                self._kernel.shutdown_kernel(now=True)
                if not left:
                    raise RuntimeError(self.terminal.read_text(encoding="utf-8")) from death

    def write(self, name: str, text: str | bytes) -> Path:
        """Put a file beside the notebook."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def run(self, cell: str, timeout: float = TIMEOUT) -> Result:
        """Run a cell to its end, whatever comes of it."""
        request = self._client.execute(cell, allow_stdin=False)
        return self._hear(request, time.monotonic() + timeout)

    def run_until(self, shown: str, cell: str, timeout: float = TIMEOUT) -> Result:
        """Run a cell, interrupt the kernel when a file of that name is there, and run the cell to its end."""
        request = self._client.execute(cell, allow_stdin=False)
        deadline = time.monotonic() + timeout
        while not (self.directory / shown).exists():
            assert time.monotonic() < deadline, "the cell has not come so far"
            time.sleep(0.05)
        self._kernel.interrupt_kernel()
        return self._hear(request, deadline)

    def ok(self, cell: str, timeout: float = TIMEOUT) -> Result:
        """Run a cell that must not fail."""
        result = self.run(cell, timeout)
        assert result.status == "ok", result.error
        return result

    def value(self, expression: str) -> Any:
        """Return the value of an expression, read back from its repr."""
        from ast import literal_eval

        return literal_eval(self.ok(f"print(repr({expression}))").text.strip().splitlines()[-1])

    def complete(self, cell: str) -> list[str]:
        """Return the completions at the end of a cell."""
        request = self._client.complete(cell, len(cell))
        while (reply := self._client.get_shell_msg(timeout=TIMEOUT))["parent_header"]["msg_id"] != request:
            continue  # replies to cells, which are not read
        return reply["content"]["matches"]

    def updates(self, seconds: float) -> None:
        """Listen for a while to what background threads draw into outputs that are there."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                self._note(self._client.get_iopub_msg(timeout=left), None)
            except queue.Empty:
                return

    def close(self) -> None:
        """End the kernel."""
        self._client.stop_channels()
        self._kernel.shutdown_kernel(now=True)

    def _hear(self, request: str, deadline: float) -> Result:
        result = Result()
        while True:
            try:
                message = self._client.get_iopub_msg(timeout=max(deadline - time.monotonic(), 0.1))
            except queue.Empty:
                self._kernel.interrupt_kernel()
                raise TimeoutError(f"the cell did not end; so far: {result.outputs}") from None
            mine = message["parent_header"].get("msg_id") == request
            if mine and message["content"].get("execution_state") == "idle":
                return result
            self._note(message, result if mine else None)

    def _note(self, message: dict[str, Any], result: Result | None) -> None:
        kind, content = message["msg_type"], message["content"]
        identity = content.get("transient", {}).get("display_id")
        if kind == "update_display_data" and identity in self._by_id:
            self._by_id[identity]["data"] = content["data"]
        if result is None or kind not in ("stream", "display_data", "execute_result", "error"):
            return
        result.outputs.append(content)
        if identity:
            self._by_id[identity] = content
        if kind == "error":
            result.status = "error"
