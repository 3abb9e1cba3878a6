"""S3, which moto plays, Google Cloud Storage and Azure: pages, conditional put, and the file log on them.

Google's emulators do not have the XML interface that obstore uses, so a fake of our own plays it.  Azure is played by
Microsoft's Azurite where ``azurite-blob`` is installed (``npm install -g azurite``).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import shutil
import socket
import subprocess
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import ClassVar
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.types import LongType, StringType, StructField, StructType

from pyspark_cloudfiles.errors import InvalidOption, MissingFile, PathNotFound, StateInUse
from pyspark_cloudfiles.file_log import FileLog
from pyspark_cloudfiles.filesystems import filesystem, object_store
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.filesystems.listing import IncrementalListing, ListingCache
from pyspark_cloudfiles.formats.avro import AvroFormat
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest
from pyspark_cloudfiles.formats.columnar import ParquetFormat
from pyspark_cloudfiles.formats.plain_files import TextFormat
from pyspark_cloudfiles.paths import partition_values
from pyspark_cloudfiles.source.plan import KnownFiles, discover

# The account that everybody's Azurite has.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


class GoogleStore(BaseHTTPRequestHandler):
    """The requests of Google's XML interface that a client makes: objects by generation, and lists in pages of two."""

    objects: ClassVar[dict[str, tuple[int, bytes]]] = {}
    lock: ClassVar[Lock] = Lock()
    protocol_version = "HTTP/1.1"

    @property
    def key(self) -> str:
        return unquote(urlsplit(self.path).path).removeprefix("/box").removeprefix("/")

    def do_PUT(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        wanted = self.headers.get("x-goog-if-generation-match")
        with self.lock:
            generation, _ = self.objects.get(self.key, (0, b""))
            if wanted is not None and int(wanted) != generation:
                self.answer(412)
                return
            self.objects[self.key] = (generation + 1, data)
        self.answer(200, generation=generation + 1)

    def do_GET(self) -> None:
        if not self.key:
            self.answer(200, self.listing())
        elif self.key not in self.objects:
            self.answer(404)
        else:
            generation, data = self.objects[self.key]
            self.answer(200, data, generation)

    do_HEAD = do_GET

    def do_DELETE(self) -> None:
        self.answer(204 if self.objects.pop(self.key, None) else 404)

    def listing(self) -> bytes:
        asked = {key: value[0] for key, value in parse_qs(urlsplit(self.path).query).items()}
        prefix, delimiter = asked.get("prefix", ""), asked.get("delimiter")
        after = asked.get("continuation-token") or asked.get("start-after", "")
        keys = sorted(key for key in self.objects if key.startswith(prefix) and key > after)
        deeper = {key for key in keys if delimiter and delimiter in key[len(prefix) :]}
        page = keys if delimiter else keys[:2]
        parts = [f"<IsTruncated>{str(page != keys).lower()}</IsTruncated>"]
        if page != keys:
            parts.append(f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>")
        for key in page:
            if key not in deeper:
                parts.append(
                    f"<Contents><Key>{escape(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
                    f"<ETag>x</ETag><Size>{len(self.objects[key][1])}</Size></Contents>"
                )
        for directory in {prefix + key[len(prefix) :].split("/")[0] + "/" for key in deeper}:
            parts.append(f"<CommonPrefixes><Prefix>{escape(directory)}</Prefix></CommonPrefixes>")
        return f"<ListBucketResult><Name>box</Name>{''.join(parts)}</ListBucketResult>".encode()

    def answer(self, status: int, body: bytes = b"", generation: int = 0) -> None:
        whole, asked = len(body), self.headers.get("Range")
        if asked and status == 200 and body:
            first, _, last = asked.removeprefix("bytes=").partition("-")
            last = str(min(int(last or whole), whole - 1))
            status, body = 206, body[int(first) : int(last) + 1]
        self.send_response(status)
        if status == 206:
            self.send_header("Content-Range", f"bytes {first}-{last}/{whole}")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        self.send_header("ETag", f'"{generation}"')
        self.send_header("x-goog-generation", str(generation))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def google() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), GoogleStore)
    Thread(target=server.serve_forever, daemon=True).start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STORAGE_EMULATOR_HOST", f"127.0.0.1:{server.server_port}")
        object_store._store.cache_clear()
        yield "gs://box"
        object_store._store.cache_clear()
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def azure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    program = shutil.which("azurite-blob")
    if program is None:
        pytest.skip("azurite-blob is not installed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    data: Path = tmp_path_factory.mktemp("azurite")
    command = [program, "--silent", "--skipApiVersionCheck", "--disableTelemetry", f"--blobPort={port}"]
    process = subprocess.Popen([*command, f"--location={data}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    endpoint = f"http://127.0.0.1:{port}/{ACCOUNT}"
    try:
        make_container(endpoint)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AZURE_STORAGE_ENDPOINT", endpoint)
            patch.setenv("AZURE_STORAGE_ACCOUNT_NAME", ACCOUNT)
            patch.setenv("AZURE_STORAGE_ACCOUNT_KEY", KEY)
            object_store._store.cache_clear()
            yield f"abfss://box@{ACCOUNT}.dfs.core.windows.net"
            object_store._store.cache_clear()
    finally:
        process.kill()
        process.wait(timeout=120)


def make_container(endpoint: str) -> None:
    date, version = datetime.now(UTC).strftime("%a, %d %b %Y %H:%M:%S GMT"), "2021-08-06"
    signed = f"PUT{chr(10) * 12}x-ms-date:{date}\nx-ms-version:{version}\n/{ACCOUNT}/{ACCOUNT}/box\nrestype:container"
    signature = base64.b64encode(hmac.new(base64.b64decode(KEY), signed.encode(), hashlib.sha256).digest()).decode()
    headers = {"x-ms-date": date, "x-ms-version": version, "Authorization": f"SharedKey {ACCOUNT}:{signature}"}
    request = urllib.request.Request(f"{endpoint}/box?restype=container", method="PUT", headers=headers)
    until = time.monotonic() + 120
    while True:
        try:
            urllib.request.urlopen(request).close()
            return
        except urllib.error.HTTPError:
            raise
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


@pytest.fixture(params=["s3", "google", "azure"])
def store(request: pytest.FixtureRequest) -> str:
    """Give the URL of an empty directory on each store in turn."""
    return f"{request.getfixturevalue(request.param)}/{uuid.uuid4().hex}"


def test_files_are_written_read_listed_moved_and_deleted(store: str, tmp_path: Path):
    names = ["a.json", "b c/%41#é+.json", "k=1/c.json", "k=1/d.json", "z.json"]
    for name in names:
        filesystem.write_atomically(f"{store}/{name}", name.encode())
    assert sorted(file.url for file in discover(store)) == [f"{store}/{name}" for name in names]
    assert [file.url for file in discover(f"{store}/k=*/c*")] == [f"{store}/k=1/c.json"]
    assert sorted(filesystem.names(store)) == ["a.json", "b c", "k=1", "z.json"]
    assert all(filesystem.read_bytes(f"{store}/{name}") == name.encode() for name in names)
    with filesystem.open_binary(f"{store}/{names[1]}") as file:
        file.seek(4)
        assert file.read(3) == b"%41"
    assert filesystem.is_directory(store) and not filesystem.is_directory(f"{store}/a.json")
    assert filesystem.file_status(f"{store}/a.json")[0] == 6
    url = f"{store}/a.json"
    for place in (f"{store}/moved", f"file:{tmp_path}/local", f"{store}/back"):
        filesystem.move(url, place)
        assert filesystem.read_bytes(place) == b"a.json" and not filesystem.exists(url)
        url = place
    filesystem.delete(url)
    filesystem.delete(url)
    for function in (filesystem.read_bytes, filesystem.open_binary, filesystem.file_status, filesystem.open_arrow):
        with pytest.raises(FileNotFoundError):
            function(url)


def test_of_writers_at_once_the_store_lets_one_write(store: str, one_of_many_writes: Callable[[str, int], None]):
    one_of_many_writes(f"{store}/raced", 8)


def test_what_has_changed_is_not_replaced(store: str):
    filesystem.write_atomically(f"{store}/x", b"torn")
    filesystem.replace(f"{store}/x", b"whole", b"torn")
    with pytest.raises(FileExistsError):
        filesystem.replace(f"{store}/x", b"other", b"torn")
    assert filesystem.read_bytes(f"{store}/x") == b"whole"


def test_of_two_planners_the_store_refuses_the_second(store: str):
    one, other = FileLog(store), FileLog(store)
    for number in range(12):
        one.add([SourceFile(f"file:/in/{number}", 1, number)])
    with pytest.raises(StateInUse, match="another stream"):
        other.add([SourceFile("file:/in/other", 1, 1)])
    assert [file.name for file in FileLog(store).files(0, 12)] == [str(number) for number in range(12)]


class Denying(BaseHTTPRequestHandler):
    """A store that lets nobody do anything."""

    def do_GET(self) -> None:
        self.send_response(403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_PUT = do_POST = do_DELETE = do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def denied(serve_as_s3: Callable[..., None]) -> Iterator[str]:
    serve_as_s3(Denying)
    object_store._store.cache_clear()
    yield "s3://denied/x"
    object_store._store.cache_clear()


@pytest.mark.parametrize(
    "operation",
    [
        lambda url: filesystem.write_atomically(url, b"1"),
        lambda url: filesystem.write_atomically(url, b"1", overwrite=False),
        lambda url: filesystem.replace(url, b"1", b"2"),
        filesystem.file_status,
        filesystem.delete,
        object_store.read_bytes,
        object_store.open_binary,
    ],
)
def test_what_a_store_denies_is_an_error_of_the_system(denied: str, operation: Callable[[str], object]):
    with pytest.raises(OSError, match="denied") as error:
        operation(denied)
    assert "\n" not in str(error.value)


NAMES = ["a.json", "b c/%41#é+.json", "k=1/x=a%3Ab/c.json", "_hidden/d.json", "deep/er/_e.json"]


def test_files_are_discovered(s3: str) -> None:
    root = f"{s3}/discovered"
    for name in NAMES:
        filesystem.write_atomically(f"{root}/{name}", b"1")
    found = sorted(discover(root))
    assert [file.url for file in found] == [f"{root}/{name}" for name in NAMES[:3]]
    assert {file.size for file in found} == {1}
    assert all(file.read_bytes() == b"1" for file in found)
    assert partition_values(root, found[2].url) == {"k": "1", "x": "a:b"}
    assert [file.url for file in discover(f"{root}/a.json")] == [f"{root}/a.json"]
    assert [file.url for file in discover(f"{root}/*/*.json", strict_glob=True)] == [f"{root}/{NAMES[1]}"]
    assert len(list(discover(f"{root}/*.json"))) == 3
    with pytest.raises(PathNotFound):
        list(discover(f"{root}/none"))


def test_s3a_is_s3(s3: str) -> None:
    filesystem.write_atomically("s3a://bucket/alias/x", b"1")
    assert [file.url for file in discover("s3a://bucket/alias")] == ["s3://bucket/alias/x"]


def test_a_bucket_that_does_not_exist_is_named(s3: str) -> None:
    with pytest.raises(PathNotFound, match="s3://nothing/x does not exist"):
        list(discover("s3://nothing/x"))


def test_formats_read_from_a_store(s3: str) -> None:
    import io

    import fastavro

    parquet, avro = io.BytesIO(), io.BytesIO()
    pq.write_table(pa.table({"x": [1, 2]}), parquet)
    record = {"type": "record", "name": "top", "fields": [{"name": "x", "type": "long"}]}
    fastavro.writer(avro, record, [{"x": 1}, {"x": 2}])
    schema = StructType([StructField("x", LongType())])
    for file_format, data in ((ParquetFormat(), parquet), (AvroFormat(), avro)):
        url = f"{s3}/formats/{type(file_format).__name__}"
        filesystem.write_atomically(url, data.getvalue())
        files = list(discover(url))
        assert file_format.infer(files, InferRequest()) == schema
        [rows] = file_format.read(files, ReadRequest(schema))
        assert rows.batch.to_pylist() == [{"x": 1}, {"x": 2}]
        with pytest.raises(MissingFile):
            list(file_format.read([SourceFile(f"{s3}/gone", 1, 1)], ReadRequest(schema)))
    filesystem.write_atomically(f"{s3}/t.txt", b"a\nb")
    [rows] = TextFormat().read(
        list(discover(f"{s3}/t.txt")), ReadRequest(StructType([StructField("value", StringType())]))
    )
    assert rows.batch["value"].to_pylist() == ["a", "b"]


def test_a_listing_comes_page_by_page(s3: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_store, "PAGE", 2)
    for number in range(5):
        filesystem.write_atomically(f"{s3}/pages/{number}.json", b"1")
    asked: list[int] = []
    found = filesystem.list_files(f"{s3}/pages", wanted=lambda urls: asked.append(len(urls)) or urls)
    next(found)
    assert asked == [2]
    assert len(list(found)) == 4 and asked == [2, 2, 1]


def test_what_stands_for_a_directory_is_no_file(s3: str) -> None:
    import boto3

    boto3.client("s3").put_object(Bucket="bucket", Key="marked/x/", Body=b"")
    for name in ("empty.json", "x/a.json"):
        filesystem.write_atomically(f"{s3}/marked/{name}", b"")
    assert [file.url for file in discover(f"{s3}/marked")] == [f"{s3}/marked/empty.json", f"{s3}/marked/x/a.json"]


def test_a_name_that_cannot_be_spelled_is_told(s3: str) -> None:
    import boto3

    boto3.client("s3").put_object(Bucket="bucket", Key="odd/x//a.json", Body=b"1")
    with pytest.raises(PathNotFound, match=r"odd/x//a\.json.*Rename"):
        list(discover(f"{s3}/odd"))


def test_where_names_grow_only_the_end_is_listed(s3: str) -> None:
    root, read, listed = f"{s3}/growing", set(), []

    def new(urls: list[str]) -> list[str]:
        listed.extend(url.rsplit("/", 1)[1] for url in urls)
        return [url for url in urls if url not in read]

    def look(*names: str) -> list[str]:
        for name in names:
            filesystem.write_atomically(f"{root}/{name}", b"1")
        listed.clear()
        found = [file.url for file in discover(root, known=known)]
        read.update(found)
        return [url.rsplit("/", 1)[1] for url in found]

    known = KnownFiles(new, ListingCache(), IncrementalListing())
    assert look("1", "2") == ["1", "2"]
    assert look("3") == ["3"] and listed == ["1", "2", "3"]
    assert look("4") == ["4"] and listed == ["4"]
    assert look("0") == [] and listed == []
    for _ in range(5):
        look()
    assert look() == ["0"] and listed == ["0", "1", "2", "3", "4"]
    assert look("5") == ["5"] and len(listed) == 6


def test_a_store_that_nothing_opens_is_named() -> None:
    with pytest.raises(InvalidOption, match=r"nothing://host is in no store that cloudFiles opens: mount"):
        list(discover("nothing://host/a"))
