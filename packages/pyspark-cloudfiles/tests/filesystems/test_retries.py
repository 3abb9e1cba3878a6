"""Listings that fail: what is over in a moment is tried again, what is denied is not, and what lasts is told."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import ClassVar

import pytest

from pyspark_cloudfiles.errors import ListingFailed, PathNotFound
from pyspark_cloudfiles.filesystems import listing, object_store
from pyspark_cloudfiles.source.plan import discover

PAGES = [["a.json", "b.json"], ["c.json"]]
MOMENTARY = [429, 500, 503, "reset", "cut"]


class FailingStore(BaseHTTPRequestHandler):
    """An S3 that answers listings in two pages, after it has failed in the ways that a test says."""

    failures: ClassVar[list[int | str]] = []
    requests: ClassVar[int] = 0

    def do_GET(self) -> None:
        FailingStore.requests += 1
        if "start-after" in self.path:
            files, more = [["c.json"], []]["start-after=in%2Fc" in self.path], False
        else:
            files, more = PAGES["continuation-token" in self.path], "continuation-token" not in self.path
        # The listing begins; the failures hit its second page.
        if FailingStore.failures and (not more or "delimiter" in self.path or FailingStore.failures[0] == 403):
            self.fail(FailingStore.failures.pop(0) if len(FailingStore.failures) > 1 else FailingStore.failures[0])
            return
        contents = "".join(
            f"<Contents><Key>in/{name}</Key><LastModified>2026-01-01T00:00:00Z</LastModified><Size>1</Size>"
            "<ETag>x</ETag></Contents>"
            for name in files
        )
        token = "<NextContinuationToken>t</NextContinuationToken>" if more else ""
        truncated = f"<IsTruncated>{str(more).lower()}</IsTruncated>"
        self.answer(200, f"<ListBucketResult><Name>bucket</Name>{truncated}{contents}{token}</ListBucketResult>")

    def fail(self, how: int | str) -> None:
        if how == "healed":
            FailingStore.failures.clear()
            FailingStore.requests -= 1
            self.do_GET()
        elif how == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"<List")
        elif how != "reset":
            self.answer(
                int(how),
                f"<Error><Code>{'AccessDenied' if how == 403 else 'SlowDown'}</Code><Message>{how}</Message></Error>",
            )
        self.close_connection = True

    def do_HEAD(self) -> None:
        self.answer(404, "")

    def answer(self, status: int, body: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def failing(serve_as_s3: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Give a function that says how listings of ``s3://bucket`` fail; the last failure is forever."""
    serve_as_s3(FailingStore)
    monkeypatch.setattr(listing, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(listing, "RETRY_TIMEOUT", 0.5)

    def forget(*failures: int | str) -> None:
        object_store._store.cache_clear()
        FailingStore.failures[:] = failures
        FailingStore.requests = 0

    yield forget
    forget()


@pytest.mark.parametrize("failure", MOMENTARY)
def test_a_store_that_heals_is_listed_from_where_it_failed(failing: Callable[..., None], failure: int | str):
    failing(failure, failure, "healed")
    assert [file.name for file in discover("s3://bucket/in")] == ["a.json", "b.json", "c.json"]


@pytest.mark.slow
@pytest.mark.parametrize("failure", MOMENTARY)
def test_a_store_that_does_not_heal_ends_the_query_with_one_sentence(failing: Callable[..., None], failure: int | str):
    failing(failure)
    with pytest.raises(ListingFailed) as error:
        list(discover("s3://bucket/in"))
    assert error.value.attempts > 3
    text = str(error.value)
    assert text.startswith("[CF_LISTING_FAILED] s3://bucket/in could not be listed in ")
    assert f"{error.value.attempts} attempts over" in text and "the last error was: Generic S3 error" in text
    assert "\n" not in text
    assert FailingStore.requests < 3 * error.value.attempts, "the client tries again besides"


def test_a_store_that_denies_is_asked_once(failing: Callable[..., None]):
    failing(403)
    with pytest.raises(PathNotFound, match=r"cannot be listed.*403.*credentials"):
        list(discover("s3://bucket/in"))
    assert FailingStore.requests == 1


@pytest.mark.parametrize("number", [errno.ESTALE, errno.EIO, errno.ETIMEDOUT])
@pytest.mark.parametrize("call", ["scandir", "stat"])
def test_a_local_directory_that_heals_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
):
    (tmp_path / "a.json").write_text("1")
    monkeypatch.setattr(listing, "FIRST_PAUSE", 0.001)
    calls = fail_at(monkeypatch, call, number, times=3)
    assert [file.name for file in discover(f"file:{tmp_path}")] == ["a.json"]
    assert len(calls) > 3


def test_a_local_directory_that_does_not_heal_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(listing, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(listing, "RETRY_TIMEOUT", 0.2)
    fail_at(monkeypatch, "scandir", errno.ESTALE, times=10**6)
    with pytest.raises(ListingFailed, match=rf"file:{tmp_path} could not be listed in \d+ attempts.*Stale file handle"):
        list(discover(f"file:{tmp_path}"))


def fail_at(monkeypatch: pytest.MonkeyPatch, call: str, number: int, times: int) -> list[str]:
    """Have a function of ``os`` fail some times; return what it is asked for."""
    original, calls = getattr(os, call), []

    def failing(path: str, **named: object) -> object:
        calls.append(path)
        if len(calls) <= times:
            raise OSError(number, os.strerror(number), path)
        return original(path, **named)

    monkeypatch.setattr(f"pyspark_cloudfiles.filesystems.listing.os.{call}", failing)
    return calls
