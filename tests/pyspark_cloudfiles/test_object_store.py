"""Files in object stores: S3, which moto plays, through pyarrow; and memory through fsspec."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.types import LongType, StringType, StructField, StructType

from pyspark_cloudfiles import filesystem
from pyspark_cloudfiles.discovery import DiscoveryOptions, discover
from pyspark_cloudfiles.errors import InvalidOption, MissingFile, PathNotFound
from pyspark_cloudfiles.files import SourceFile
from pyspark_cloudfiles.filesystems import remote
from pyspark_cloudfiles.formats.avro_format import FORMAT as AVRO
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest
from pyspark_cloudfiles.formats.parquet_format import FORMAT as PARQUET
from pyspark_cloudfiles.formats.text_format import FORMAT as TEXT
from pyspark_cloudfiles.partitions import partition_values

NAMES = ["a.json", "b c/%41#é+.json", "k=1/x=a%3Ab/c.json", "_hidden/d.json", "deep/er/_e.json"]


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """Give the URL of an empty bucket; the endpoint and the credentials are in the environment, as with any S3."""
    from moto.server import ThreadedMotoServer
    from pyarrow.fs import FileSystem

    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        remote._store.cache_clear()
        system, bucket = FileSystem.from_uri("s3://bucket/?allow_bucket_creation=true")
        system.create_dir(bucket)
        yield "s3://bucket"
        remote._store.cache_clear()
    server.stop()


@pytest.fixture(params=["s3", "memory"])
def store(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """Give a function that returns a test's own directory, on each store in turn."""
    base = request.getfixturevalue("s3") if request.param == "s3" else "memory://test"
    return lambda name: f"{base}/{request.node.originalname}/{name}"


def test_files_are_written_read_moved_and_deleted(store: Callable[[str], str], tmp_path: Path) -> None:
    url = store("a b/%41#é.txt")
    assert not filesystem.exists(url)
    filesystem.write_atomically(url, b"0123456789")
    assert filesystem.read_bytes(url) == b"0123456789"
    with filesystem.open_binary(url) as file:
        file.seek(5)
        assert (file.read(2), file.read()) == (b"56", b"789")
    size, modified = filesystem.modified(url)
    assert size == 10
    assert modified > 1_700_000_000_000_000
    assert filesystem.exists(url) and not filesystem.is_directory(url)
    assert filesystem.is_directory(store("a b"))
    assert filesystem.names(store("a b")) == ["%41#é.txt"]
    with pytest.raises(FileExistsError):
        filesystem.write_atomically(url, b"", overwrite=False)
    filesystem.write_atomically(url, b"2")
    for place in (store("moved"), f"file:{tmp_path}/local", store("back")):
        filesystem.move(url, place)
        assert filesystem.read_bytes(place) == b"2"
        assert not filesystem.exists(url)
        url = place
    filesystem.delete(url)
    filesystem.delete(url)
    for function in (filesystem.read_bytes, filesystem.open_binary, filesystem.modified, filesystem.open_arrow):
        with pytest.raises(FileNotFoundError):
            function(url)


def test_files_are_discovered(store: Callable[[str], str]) -> None:
    root = store("root")
    for name in NAMES:
        filesystem.write_atomically(f"{root}/{name}", b"1")
    found = sorted(discover(root))
    assert [file.url for file in found] == [f"{root}/{name}" for name in NAMES[:3]]
    assert {file.size for file in found} == {1}
    assert all(file.read_bytes() == b"1" for file in found)
    assert partition_values(root, found[2].url) == {"k": "1", "x": "a:b"}
    assert [file.url for file in discover(f"{root}/a.json")] == [f"{root}/a.json"]
    strict = DiscoveryOptions(strict_glob=True)
    assert [file.url for file in discover(f"{root}/*/*.json", strict)] == [f"{root}/{NAMES[1]}"]
    assert len(list(discover(f"{root}/*.json"))) == 3
    with pytest.raises(PathNotFound):
        list(discover(f"{root}/none"))


def test_s3a_is_s3(s3: str) -> None:
    filesystem.write_atomically("s3a://bucket/alias/x", b"1")
    assert [file.url for file in discover("s3a://bucket/alias")] == ["s3://bucket/alias/x"]


def test_a_bucket_that_does_not_exist_is_named(s3: str) -> None:
    with pytest.raises(PathNotFound, match="s3://nothing/x does not exist"):
        list(discover("s3://nothing/x"))


def test_formats_read_from_a_store(store: Callable[[str], str]) -> None:
    import io

    import fastavro

    parquet, avro = io.BytesIO(), io.BytesIO()
    pq.write_table(pa.table({"x": [1, 2]}), parquet)
    record = {"type": "record", "name": "top", "fields": [{"name": "x", "type": "long"}]}
    fastavro.writer(avro, record, [{"x": 1}, {"x": 2}])
    schema = StructType([StructField("x", LongType())])
    for file_format, data in ((PARQUET, parquet), (AVRO, avro)):
        url = store(file_format.name)
        filesystem.write_atomically(url, data.getvalue())
        files = list(discover(url))
        assert file_format.infer(files, InferRequest()) == schema
        [rows] = file_format.read(files, ReadRequest(schema))
        assert rows.batch.to_pylist() == [{"x": 1}, {"x": 2}]
        with pytest.raises(MissingFile):
            list(file_format.read([SourceFile(store("gone"), 1, 1)], ReadRequest(schema)))
    filesystem.write_atomically(store("t.txt"), b"a\nb")
    [rows] = TEXT.read(list(discover(store("t.txt"))), ReadRequest(StructType([StructField("value", StringType())])))
    assert rows.batch["value"].to_pylist() == ["a", "b"]


def test_a_store_that_nothing_opens_is_named() -> None:
    with pytest.raises(InvalidOption, match=r"Nothing here opens nothing://host.*mount the store"):
        list(discover("nothing://host/a"))
