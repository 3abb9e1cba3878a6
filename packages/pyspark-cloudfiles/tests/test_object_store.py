"""Files in S3, which moto plays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.types import LongType, StringType, StructField, StructType

from pyspark_cloudfiles.errors import InvalidOption, MissingFile, PathNotFound
from pyspark_cloudfiles.file_log import FileLog
from pyspark_cloudfiles.filesystems import filesystem, object_store
from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.filesystems.listing import IncrementalListing, ListingCache
from pyspark_cloudfiles.formats.avro import AvroFormat
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest
from pyspark_cloudfiles.formats.columnar import ParquetFormat
from pyspark_cloudfiles.formats.plain_files import TextFormat
from pyspark_cloudfiles.paths import partition_values
from pyspark_cloudfiles.segments import Segment
from pyspark_cloudfiles.source.plan import KnownFiles, discover

NAMES = ["a.json", "b c/%41#é+.json", "k=1/x=a%3Ab/c.json", "_hidden/d.json", "deep/er/_e.json"]


@pytest.fixture
def store(request: pytest.FixtureRequest, s3: str) -> Callable[[str], str]:
    """Give a function that returns a URL in a test's own directory."""
    return lambda name: f"{s3}/{request.node.originalname}/{name}"


def test_files_are_written_read_moved_and_deleted(store: Callable[[str], str], tmp_path: Path) -> None:
    url = store("a b/%41#é.txt")
    assert not filesystem.exists(url)
    filesystem.write_atomically(url, b"0123456789")
    assert filesystem.read_bytes(url) == b"0123456789"
    with filesystem.open_binary(url) as file:
        file.seek(5)
        assert (file.read(2), file.read()) == (b"56", b"789")
    size, modified = filesystem.file_status(url)
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
    for function in (filesystem.read_bytes, filesystem.open_binary, filesystem.file_status, filesystem.open_arrow):
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


def test_formats_read_from_a_store(store: Callable[[str], str]) -> None:
    import io

    import fastavro

    parquet, avro = io.BytesIO(), io.BytesIO()
    pq.write_table(pa.table({"x": [1, 2]}), parquet)
    record = {"type": "record", "name": "top", "fields": [{"name": "x", "type": "long"}]}
    fastavro.writer(avro, record, [{"x": 1}, {"x": 2}])
    schema = StructType([StructField("x", LongType())])
    for file_format, data in ((ParquetFormat(), parquet), (AvroFormat(), avro)):
        url = store(type(file_format).__name__)
        filesystem.write_atomically(url, data.getvalue())
        files = list(discover(url))
        assert file_format.infer(files, InferRequest()) == schema
        [rows] = file_format.read(files, ReadRequest(schema))
        assert rows.batch.to_pylist() == [{"x": 1}, {"x": 2}]
        with pytest.raises(MissingFile):
            list(file_format.read([SourceFile(store("gone"), 1, 1)], ReadRequest(schema)))
    filesystem.write_atomically(store("t.txt"), b"a\nb")
    [rows] = TextFormat().read(
        list(discover(store("t.txt"))), ReadRequest(StructType([StructField("value", StringType())]))
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


def test_of_writers_at_once_the_store_lets_one_write(s3: str, one_of_many_writes: Callable[[str, int], None]) -> None:
    one_of_many_writes(f"{s3}/raced/x", 16)


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


def test_a_torn_last_segment_on_s3_is_written_anew(s3: str) -> None:
    log = f"{s3}/torn"
    FileLog(log).add([SourceFile("file:/in/a", 1, 1)])
    segment = f"{log}/files/{Segment(0, 1).name}"
    filesystem.write_atomically(segment, filesystem.read_bytes(segment)[:50])
    FileLog(log).add([SourceFile("file:/in/b", 1, 1)])
    assert [file.name for file in FileLog(log).files(0, 1)] == ["b"]


def test_what_has_changed_meanwhile_is_not_replaced(s3: str) -> None:
    filesystem.write_atomically(f"{s3}/replaced", b"whole")
    with pytest.raises(FileExistsError):
        filesystem.replace(f"{s3}/replaced", b"other", b"torn")
    assert filesystem.read_bytes(f"{s3}/replaced") == b"whole"
