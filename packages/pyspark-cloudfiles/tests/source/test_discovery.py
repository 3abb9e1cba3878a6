"""Which files a source path means, compared with Spark's own file source where the two agree."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from pyspark_cloudfiles.errors import InvalidOption, PathNotFound
from pyspark_cloudfiles.source.plan import discover, is_hidden, parse_timestamp

STRICT = {"strict_glob": True}


def put(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{name}\n")


def found(root: Path, path: str = "", **options: Any) -> list[str]:
    """Return the discovered files, relative to ``root``."""
    urls = [file.url for file in discover(f"file:{root}/{path}", **options)]
    assert len(set(urls)) == len(urls)
    return sorted(url.removeprefix(f"file:{root}/") for url in urls)


def test_everything_below_a_directory_is_found(tmp_path: Path) -> None:
    put(tmp_path, "a", "b/c", "b/k=1/d", "b/k=1/x/e")
    assert found(tmp_path) == ["a", "b/c", "b/k=1/d", "b/k=1/x/e"]
    [file] = discover(f"file:{tmp_path}/b/c")
    assert (file.size, file.modified) == (4, (tmp_path / "b/c").stat().st_mtime_ns // 1000)


def test_what_spark_passes_over_is_passed_over(tmp_path: Path) -> None:
    put(tmp_path, "_a", ".b", "c._COPYING_", "_d/x", ".e/x", "_k=1/x", ".k=1/x", "_x=1", "good/_SUCCESS", "good/x")
    assert found(tmp_path) == ["_k=1/x", "_x=1", "good/x"]


def test_names_are_passed_over_as_in_hadoop_fs_utils(spark: SparkSession) -> None:
    utils = spark._jvm.org.apache.spark.util.HadoopFSUtils
    names = ["_x", "_x=1", ".x", ".x=1", "a._COPYING_", "_metadata", "_common_metadata", "_metadata2", "x", "_", "."]
    names += ["_common_metadata_x=", "_c._COPYING_=", "._COPYING_", "_x._COPYING_", "=", "_="]
    assert [is_hidden(name) for name in names] == [utils.shouldFilterOutPathName(name) for name in names]


def test_what_is_hidden_need_not_be_readable(tmp_path: Path) -> None:
    put(tmp_path, "a", "_private/x")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("_private"):
            raise PermissionError
        return scandir(path)

    with patch("os.scandir", refuse):
        assert found(tmp_path) == ["a"]


def test_a_file_is_found_by_its_own_path(tmp_path: Path) -> None:
    put(tmp_path, "a.json", "b.json")
    assert found(tmp_path, "a.json") == ["a.json"]


def test_a_root_that_does_not_exist_is_named(tmp_path: Path) -> None:
    for path in ("none", "none/*.json", "none/{a,b}/c", "none/*/x"):
        with pytest.raises(PathNotFound, match=r"/none does not exist. Create the directory"):
            found(tmp_path, path)


def test_a_glob_that_matches_nothing_yet_finds_nothing(tmp_path: Path) -> None:
    assert found(tmp_path, "*.json") == []


def test_a_path_with_brackets_is_taken_literally_where_its_glob_has_no_base(tmp_path: Path) -> None:
    put(tmp_path, "a[1]/x")
    assert found(tmp_path, r"a\[1\]") == ["a[1]/x"]


# From the table in Auto Loader's documentation: pattern, file, loose, strict.
TABLE = [
    ("/a/b", "/a/b/c/file.txt", True, True),
    ("/a/b", "/a/b_dir/c/file.txt", False, False),
    ("/a/b", "/a/b.txt", False, False),
    ("/a/b/", "/a/b.txt", False, False),
    ("/a/*/c/", "/a/b/c/file.txt", True, True),
    ("/a/*/c/", "/a/b/c/d/file.txt", True, True),
    ("/a/*/c/", "/a/b/x/y/c/file.txt", True, False),
    ("/a/*/c", "/a/b/c_file.txt", True, False),
    ("/a/*/c/", "/a/b/c_file.txt", True, False),
    ("/a/*/c/", "/a/*/cookie/file.txt", True, False),
    ("/a/b*", "/a/b.txt", True, True),
    ("/a/b*", "/a/b/file.txt", True, True),
    ("/a/{0.txt,1.txt}", "/a/0.txt", True, True),
    ("/a/*/{0.txt,1.txt}", "/a/0.txt", False, False),
    ("/a/b/[cde-h]/i/", "/a/b/c/i/file.txt", True, True),
]


@pytest.mark.parametrize(("pattern", "file", "loose", "strict"), TABLE)
def test_globs_are_loose_or_strict(tmp_path: Path, pattern: str, file: str, loose: bool, strict: bool) -> None:
    put(tmp_path, "a/b/c/placeholder", file[1:])
    assert (file[1:] in found(tmp_path, pattern[1:])) == loose
    assert (file[1:] in found(tmp_path, pattern[1:], **STRICT)) == strict


FILES = [
    "x/1.txt", "x/2.txt", "y/1.txt", "y/z/1.txt", "y/z/22.txt", "w,v/1.txt", "b{r}/1.txt", "b[r]/1.txt", "st*r/1.txt",
]  # fmt: skip
FILES += ["d.o.t/1.txt", "^/1.txt", "!/1.txt", "-/1.txt", "p+(q)$|/1.txt", "top.txt", "Z/1.txt"]
GLOBS = ["*", "?", "*/1.txt", "*/*.txt", "*/*/*", "[xy]", "[^xy]", "[!xy]", "[x-z]/1*", "{x,y}", "{x,y/z}/1.txt"]
GLOBS += ["{x,{y,w,v}}/1.txt", "y/z/{1,22}.txt", "y/{z/1,z/22}.txt", "{y/z,x}/*", "?/?.txt", r"b\{r\}", r"b\[r\]/*"]
GLOBS += [r"st\*r", "w,v/*", "d.*", "[x]/[12].txt", "*.txt", "{x}", "x/{1.txt,3.txt}", "[^]x]", "p+(q)$|/*"]
GLOBS += ["[y]/z", "*/z", "{*/z,x}", "{?,top.txt}", "[-x]", "[x^]", "[^-]/1.txt", "*o*", "**", "y/**/1.txt"]


def test_strict_globs_are_sparks(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path, *FILES)
    for glob in GLOBS:
        frame = spark._jvm.org.apache.hadoop.fs.Path(f"file:{tmp_path}/{glob}")
        matched = spark._jsparkSession.sessionState().newHadoopConf()
        statuses = frame.getFileSystem(matched).globStatus(frame) or []
        roots = [status.getPath().toUri().getPath().removeprefix(f"{tmp_path}/") for status in statuses]
        expected = sorted(name for name in FILES if any(f"{name}/".startswith(f"{root}/") for root in roots))
        assert found(tmp_path, glob, **STRICT) == expected, glob


@pytest.mark.parametrize("glob", ["[x", "[[]", "[!]", "{x", "x\\", "a[", "{a,{b}", "[z-a]"])
def test_globs_that_are_not_closed_are_refused(tmp_path: Path, glob: str) -> None:
    for options in (STRICT, {}, {"path_glob_filter": glob}):
        with pytest.raises(InvalidOption, match="is not valid"):
            found(tmp_path, "" if "path_glob_filter" in options else glob, **options)


@pytest.mark.parametrize(
    ("glob", "expected"),
    [("*.json", ["a.json", "k=1/c.json"]), ("{a,b}.*", ["a.json", "b.csv"]), ("?.csv", ["b.csv"]), ("k*", [])],
)
def test_names_are_filtered_by_a_glob(tmp_path: Path, glob: str, expected: list[str]) -> None:
    put(tmp_path, "a.json", "b.csv", "k=1/c.json")
    assert found(tmp_path, "", path_glob_filter=glob) == expected


def test_a_glob_does_not_list_directories_that_cannot_match(tmp_path: Path) -> None:
    put(tmp_path, "2023/a/x", "2024/a/x", "2024/b/x")
    listed: list[str] = []
    scandir = os.scandir

    def listing(path: str) -> object:
        listed.append(path.removeprefix(f"{tmp_path}"))
        return scandir(path)

    with patch("os.scandir", listing):
        assert found(tmp_path, "2024/[b]*/x", **STRICT) == ["2024/b/x"]
        assert found(tmp_path, "*24/b", **STRICT) == ["2024/b/x"]
    assert listed == ["/2024", "/2024/b", "", "/2024", "/2024/b"]


def test_files_are_filtered_by_time_as_spark_does(spark: SparkSession, tmp_path: Path) -> None:
    start = 1_700_000_000_000_000
    for milliseconds in range(3):
        put(tmp_path, str(milliseconds))
        os.utime(tmp_path / str(milliseconds), ns=(0, (start + milliseconds * 1000 + 7) * 1000))
    for key in ("modifiedAfter", "modifiedBefore"):
        text = "2023-11-14T22:13:20.001"
        options = (
            {"modifiedAfter": text, "timeZone": "UTC"} if key == "modifiedAfter" else {key: text, "timeZone": "UTC"}
        )
        expected = sorted(row.value for row in spark.read.options(**options).text(f"file:{tmp_path}").collect())
        moment = parse_timestamp(text)
        after, before = (moment, None) if key == "modifiedAfter" else (None, moment)
        assert found(tmp_path, "", modified_after_us=after, modified_before_us=before) == expected
        assert len(expected) == 1


TIMESTAMPS = ["2020-06-01T13:00:00", "2020-06-01 13:00", "2020-06", "2020", "2020-6-1", "2020-06-01T13:00:00.1234567"]
TIMESTAMPS += ["2020-06-01T13:00:00Z", "2020-06-01T13:00:00+02:00", "2020-06-01 13:00:00 Europe/Berlin", " 2020-06-01 "]
TIMESTAMPS += [
    "2020-03-29T02:30:00", "2020-10-25T02:30:00", "1900-01-01", "2020-06-01T13:00:00UTC+2", "2020-06-01T1:2:3",
]  # fmt: skip
TIMESTAMPS += ["2020-06-01T13:00:00-08", "2020-06-01T13:00:00GMT-8:00", "2020-06-01T13", "+2020-06-01"]
TIMESTAMPS += ["2020-06-01T13:00:00+010203", "2020-06-01T13:00:00+1:2", "2020-06-01T13:00:00.5CET"]
NO_TIMESTAMPS = [
    "", "today", "2020-13-01", "2020-02-30", "2020-06-01T25:00:00", "2020/06/01", "2020-06-01x", "20200601",
]  # fmt: skip
NO_TIMESTAMPS += ["2020-06-01T13:00Z", "2020-06-01Z", "2020-06-01T13:00:00+18:01", "2020-06-01T13:00:00 Nowhere/Land"]


@pytest.mark.parametrize("timezone", ["UTC", "Europe/Berlin", "-08:00"])
def test_timestamps_are_read_as_spark_casts_them(spark: SparkSession, timezone: str) -> None:
    frame = spark.createDataFrame([(text,) for text in TIMESTAMPS + NO_TIMESTAMPS], "text STRING")
    with patch_conf(spark, "spark.sql.session.timeZone", timezone):
        rows = frame.selectExpr("text", "unix_micros(try_cast(text AS TIMESTAMP)) AS micros").collect()
    assert [row.text for row in rows if row.micros is None] == NO_TIMESTAMPS
    for row in rows:
        if row.micros is None:
            with pytest.raises(InvalidOption, match="modifiedAfter"):
                parse_timestamp(row.text, timezone)
        else:
            assert parse_timestamp(row.text, timezone) == row.micros, row.text


class patch_conf:
    """Set a configuration of the session, and give it back."""

    def __init__(self, spark: SparkSession, key: str, value: str) -> None:
        self.conf, self.key, self.value = spark.conf, key, value

    def __enter__(self) -> None:
        self.before = self.conf.get(self.key)
        self.conf.set(self.key, self.value)

    def __exit__(self, *_: object) -> None:
        self.conf.set(self.key, self.before)


names = st.text(st.sampled_from("ab[]{}*?\\,^!-. %#é\n="), min_size=1, max_size=8)
