from __future__ import annotations

import hashlib
import os
import ssl
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


def test_a_file_whose_connection_breaks_is_fetched_again(maven, wanted: Download) -> None:
    download.fetch([wanted])
    assert download.is_sound(wanted.target, wanted.sha256)
    assert maven.jar_requests() == [wanted.target.name] * 2


def test_other_content_is_refused_and_nothing_of_it_kept(maven, wanted: Download) -> None:
    maven.breaking.clear()
    maven.damaged.add(wanted.target.name)
    with pytest.raises(download.WrongContent):
        download.fetch([wanted])
    assert not wanted.target.exists()
    assert not (directories.cache() / "downloads").exists()


def test_a_certificate_that_pip_was_told_of_is_trusted(monkeypatch) -> None:
    loaded = []
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)
    monkeypatch.setenv("PIP_CERT", __file__)
    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", lambda _self, path: loaded.append(path))
    download._certificates.__wrapped__()
    assert loaded == [certifi.where(), __file__]
