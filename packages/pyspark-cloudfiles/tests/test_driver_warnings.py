"""A warning of one process is shown in the notebook cell of another."""

from __future__ import annotations

import contextlib
import queue
import socket
import subprocess
import sys
import warnings
from contextvars import ContextVar, copy_context

import pytest

from pyspark_cloudfiles import driver_warnings

CELL: ContextVar[str] = ContextVar("cell", default="none")
TELL = "import sys; from pyspark_cloudfiles import driver_warnings; driver_warnings.warn(sys.argv[2], sys.argv[1])"


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> queue.SimpleQueue:
    """Give the warnings that are shown, each with the cell that it is shown in."""
    found: queue.SimpleQueue = queue.SimpleQueue()
    monkeypatch.setattr(warnings, "showwarning", lambda message, *_: found.put((CELL.get(), str(message))))
    monkeypatch.setattr(warnings, "filters", [])
    return found


def address_in(cell: str) -> str:
    def load() -> str:
        CELL.set(cell)
        return driver_warnings.address()

    return copy_context().run(load)


def test_what_another_process_warns_of_is_shown_in_the_cell_of_its_load(shown: queue.SimpleQueue):
    first, second = address_in("first"), address_in("second")
    done = subprocess.run(
        [sys.executable, "-c", TELL, first, "é, and more"], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert shown.get(timeout=120) == ("first", "é, and more")
    driver_warnings.warn("b", second)
    assert shown.get(timeout=120) == ("second", "b")


def test_the_same_is_shown_once_a_load(shown: queue.SimpleQueue):
    first, second = address_in("first"), address_in("second")
    for address in (first, first, second):
        driver_warnings.warn("a", address)
    driver_warnings.warn("last", second)
    assert [shown.get(timeout=120) for _ in range(3)] == [("first", "a"), ("second", "a"), ("second", "last")]


STRANGE = {
    "a number": b"5\n",
    "no text": b"\xff\xfe\n",
    "an empty list": b"[]\n",
    "one text": b'["a"]\n',
    "an object": b'{"a": 1}\n',
    "nothing": b"",
    "too deep": b"[" * 70_000,
}


@pytest.mark.parametrize("sent", STRANGE.values(), ids=STRANGE)
def test_what_others_send_is_not_shown_and_ends_nothing(shown: queue.SimpleQueue, sent: bytes):
    address = address_in("cell")
    server = "127.0.0.1", int(address.partition(":")[0])
    # It may have heard enough before all is sent.
    with contextlib.suppress(OSError), socket.create_connection(server) as stranger:
        stranger.sendall(sent)
        stranger.shutdown(socket.SHUT_WR)
        assert stranger.recv(1) == b""
    driver_warnings.warn("ours", address)
    assert shown.get(timeout=120) == ("cell", "ours")


def test_where_nobody_listens_the_warning_is_this_process_own():
    with pytest.warns(driver_warnings.CloudFilesWarning, match="alone"):
        driver_warnings.warn("alone")
    with pytest.warns(driver_warnings.CloudFilesWarning, match="nobody"):
        driver_warnings.warn("nobody", "1:word")


def test_who_does_not_know_the_word_is_not_heard(shown: queue.SimpleQueue):
    address = address_in("first")
    driver_warnings.warn("forged", f"{address.partition(':')[0]}:other")
    assert shown.get(timeout=120) == ("none", "forged")  # in the process that has said it, which here is this one
    driver_warnings.warn("true", address)
    assert shown.get(timeout=120) == ("first", "true")


def test_what_is_no_message_disturbs_nobody(shown: queue.SimpleQueue):
    import socket

    address = address_in("first")
    for nonsense in (b"nonsense\n", b"[1]\n", b"", b'{"a": 1}\n'):
        with socket.create_connection(("127.0.0.1", int(address.partition(":")[0])), timeout=120) as connection:
            connection.sendall(nonsense)
    driver_warnings.warn("true", address)
    assert shown.get(timeout=120) == ("first", "true")


def test_a_user_who_turns_warnings_into_errors_still_reads_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    address = address_in("first")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        driver_warnings.warn("strict", address)
    assert "CloudFilesWarning: strict" in capsys.readouterr().err
