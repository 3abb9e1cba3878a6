from __future__ import annotations

import hashlib
import os
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest

from streaming_classroom.files import directories
from streaming_classroom.setup import download
from streaming_classroom.setup.download import Download


@pytest.fixture
def wanted(maven, tmp_path: Path) -> Iterator[Download]:
    """One file of the repository, which ends half-way the first time it is asked for."""
    path = next(path for path, file in maven.files.items() if file.stat().st_size > 200_000)
    name = path.rpartition("/")[2]
    maven.breaking.add(name)
    url = os.environ["CLASSROOM_MAVEN_REPOSITORY"].rstrip("/") + path
    return Download(url, hashlib.sha256(maven.files[path].read_bytes()).hexdigest(), tmp_path / "there" / name)


def test_a_connection_that_breaks_is_gone_on_from_where_it_was(maven, wanted: Download) -> None:
    download.fetch([wanted])
    assert download.is_sound(wanted.target, wanted.sha256)
    assert maven.ranges == [wanted.target.stat().st_size // 2]


def test_a_server_that_knows_no_ranges_sends_it_all_again(maven, wanted: Download) -> None:
    maven.knows_ranges = False
    download.fetch([wanted])
    assert download.is_sound(wanted.target, wanted.sha256)


def test_the_next_set_up_goes_on_where_this_one_gave_up(maven, wanted: Download, monkeypatch) -> None:
    monkeypatch.setattr(download, "TRIES", 1)
    with pytest.raises(download.NotFetched, match="bytes too early"):
        download.fetch([wanted])
    assert not wanted.target.exists()
    download.fetch([wanted])
    assert maven.ranges == [wanted.target.stat().st_size // 2]
    assert download.is_sound(wanted.target, wanted.sha256)


def test_what_was_there_in_whole_but_never_put_in_place_is_not_asked_for_twice(maven, wanted: Download) -> None:
    part = directories.cache() / "downloads" / wanted.sha256
    part.parent.mkdir(parents=True)
    part.write_bytes(next(f for f in maven.files.values() if f.name == wanted.target.name).read_bytes())
    download.fetch([wanted])
    assert download.is_sound(wanted.target, wanted.sha256)
    assert maven.requests == []


def test_other_content_is_refused_and_nothing_of_it_kept(maven, wanted: Download) -> None:
    maven.breaking.clear()
    maven.damaged.add(wanted.target.name)
    with pytest.raises(download.WrongContent):
        download.fetch([wanted])
    assert not wanted.target.exists()
    assert not (directories.cache() / "downloads").exists()


def test_a_server_that_says_nothing_is_given_up_on(maven, wanted: Download, monkeypatch) -> None:
    monkeypatch.setattr(download, "TIMEOUT", 0.2)
    maven.stalled.add(wanted.target.name)
    started = time.monotonic()
    with pytest.raises(download.NotFetched, match="timed out"):
        download.fetch([wanted])
    assert time.monotonic() - started < 5


def test_a_file_that_comes_too_slowly_is_given_up_on(wanted: Download, monkeypatch) -> None:
    monkeypatch.setattr(download, "DEADLINE", -1)
    with pytest.raises(download.NotFetched, match="It had not come after"):
        download.fetch([wanted])


@pytest.mark.parametrize("url", ["http://[/x", "nonsense", "http://user:word@127.0.0.1/x", "http://127.0.0.1:9/x"])
def test_an_address_that_cannot_be_is_no_traceback_of_pythons(cache: Path, tmp_path: Path, url: str) -> None:
    with pytest.raises(download.NotFetched):
        download.fetch([Download(url, "00", tmp_path / "x")])


def test_several_files_are_fetched_at_a_time(maven, wanted: Download, monkeypatch) -> None:
    """The second is there while the first is waited for."""
    others = [path for path in maven.files if not path.endswith(wanted.target.name)]
    maven.stalled.add(wanted.target.name)
    url = wanted.url.removesuffix(next(p for p in maven.files if p.endswith(wanted.target.name))) + others[0]
    other = Download(url, hashlib.sha256(maven.files[others[0]].read_bytes()).hexdigest(), wanted.target.with_name("o"))
    fetching = threading.Thread(target=download.fetch, args=[[wanted, other]], daemon=True)
    fetching.start()
    deadline = time.monotonic() + 10
    while not other.target.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    maven.open.set()
    fetching.join(10)
    assert wanted.target.exists()


def test_a_certificate_that_pip_was_told_of_is_trusted(monkeypatch) -> None:
    loaded = []
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)
    monkeypatch.setenv("PIP_CERT", __file__)
    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", lambda _self, path: loaded.append(path))
    download._certificates.__wrapped__()
    assert loaded == [certifi.where(), __file__]
