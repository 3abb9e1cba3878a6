"""How fast files become Arrow, in one process and without Spark: what a task of `cloudFiles` does for its files.

Each row reads the same generated files again and again; the figure is the median, in megabytes of files a second of
processor time, which others on the machine do not change much.  Beside it stands Arrow's own reader where there is one,
which answers without looking at what Spark would say.  With `CLASSROOM_BENCH_PARSING=csv` only rows that have this in
their names are measured.

    python course.py bench parsing
"""

from __future__ import annotations

import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet
from pyspark.sql import types as T
from rich.console import Console
from rich.table import Table

from pyspark_cloudfiles.filesystems.files import SourceFile
from pyspark_cloudfiles.formats import find_format, stream_format
from pyspark_cloudfiles.formats.base import InferRequest, ReadRequest
from pyspark_cloudfiles.options import parse

ROWS, ROUNDS = 100_000, 5
FIELDS: dict[str, T.DataType] = {
    "id": T.LongType(), "device": T.StringType(), "recorded": T.StringType(),
    "temperature": T.DoubleType(), "status": T.StringType(),
}  # fmt: skip
TYPED = T.StructType([T.StructField(name, data_type) for name, data_type in FIELDS.items()])
STRINGS = T.StructType([T.StructField(name, T.StringType()) for name in FIELDS])
TIMED = T.StructType([T.StructField(f.name, T.TimestampType() if f.name == "recorded" else f.dataType) for f in TYPED])
DECIMAL = T.StructType([T.StructField(f.name, T.DecimalType(10, 3)) if f.name == "temperature" else f for f in TYPED])
WITHOUT_STATUS = T.StructType([field for field in TYPED if field.name != "status"])


def main() -> None:
    """Measure all rows, print a table, and as the last line the figures as JSON."""
    table = Table(title=f"{ROWS:,} rows, median of {ROUNDS}", title_justify="left")
    for heading in ("files", "MB/s", "Arrow alone, MB/s"):
        table.add_column(heading, justify="left" if heading == "files" else "right")
    figures = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        for name, ours, arrow in _rows(Path(scratch)):
            if os.environ.get("CLASSROOM_BENCH_PARSING", "") in name:
                figures[name] = round(ours())
                table.add_row(name, str(figures[name]), "" if arrow is None else f"{arrow():.0f}")
    Console().print(table)
    print(json.dumps(figures))


def _rows(scratch: Path) -> Iterator[tuple[str, Callable[[], float], Callable[[], float] | None]]:
    records, draw = list(_records()), random.Random(7)
    csv = _put(scratch / "plain.csv", _csv(records, "{}"))
    quoted = _put(scratch / "quoted.csv", _csv(records, '"{}"'))
    lines = _put(scratch / "plain.json", "".join(f"{json.dumps(record)}\n" for record in records))
    nested = ({**record, "place": {"room": record["id"] % 9, "tags": ["a", "b"]}} for record in records)
    some = ({**record, **({"extra": 1} if record["id"] % 100 == 0 else {})} for record in records)
    one_nested = _put(scratch / "nested.json", "".join(f"{json.dumps(record)}\n" for record in nested))
    one_percent = _put(scratch / "some.json", "".join(f"{json.dumps(record)}\n" for record in some))
    absent = ({k: v for k, v in record.items() if k == "id" or draw.random() > 1 / 3} for record in records)
    escaped = ({**record, "status": f'{record["status"]}, "as said"\\n'} for record in records)
    misfit = ({**record, **({"temperature": "hot"} if record["id"] % 100 == 0 else {})} for record in records)
    mapped = ({**record, "place": {"room": "12", f"tag {record['id'] % 9}": "a"}} for record in records)
    one_absent = _put(scratch / "absent.json", "".join(f"{json.dumps(record)}\n" for record in absent))
    one_escaped = _put(scratch / "escaped.json", "".join(f"{json.dumps(record)}\n" for record in escaped))
    one_misfit = _put(scratch / "misfit.json", "".join(f"{json.dumps(record)}\n" for record in misfit))
    one_mapped = _put(scratch / "mapped.json", "".join(f"{json.dumps(record)}\n" for record in mapped))
    array = _put(scratch / "array.json", json.dumps(records))
    pretty = _put(scratch / "pretty.json", json.dumps(records, indent=2))
    ended = _put(scratch / "ended.json", "".join(f"{json.dumps(record)}|" for record in records))
    noted = _put(scratch / "noted.csv", "# made for a measurement\n" + _csv(records, "{}"))
    elements = _put(scratch / "plain.xml", _xml(records))
    parquet = scratch / "plain.parquet"
    pyarrow.parquet.write_table(pa.Table.from_pylist(records), parquet)
    columns = _source(parquet)
    place = T.StructType([T.StructField("room", T.LongType()), T.StructField("tags", T.ArrayType(T.StringType()))])

    tags = T.MapType(T.StringType(), T.StringType())

    def with_place(data_type: T.DataType, others: T.StructType) -> T.StructType:
        return T.StructType([*others.fields, T.StructField("place", data_type)])

    def by_arrow(read: Callable[[str], Any], file: SourceFile) -> Callable[[], float]:
        return lambda: _speed(file, lambda: read(file.url.removeprefix("file:")))

    yield "csv, strings", _reading(csv, STRINGS), by_arrow(pyarrow.csv.read_csv, csv)
    yield "csv, quoted strings", _reading(quoted, STRINGS), by_arrow(pyarrow.csv.read_csv, quoted)
    yield "csv, typed", _reading(csv, TYPED), None
    yield "csv, timestamps", _reading(csv, TIMED), None
    yield "csv, timestamps, New York", _reading(csv, TIMED, timezone="America/New_York"), None
    yield "csv, an unknown column", _reading(csv, WITHOUT_STATUS), None
    yield "csv, inferring names", _inferring(csv, False), None
    yield "csv, inferring types", _inferring(csv, True), None
    yield "csv, comments, typed", _reading(noted, TYPED, options={"comment": "#"}), None
    yield "json, strings", _reading(lines, STRINGS), by_arrow(pyarrow.json.read_json, lines)
    yield "json, typed", _reading(lines, TYPED), None
    yield "json, timestamps", _reading(lines, TIMED), None
    yield "json, a third of the values absent, typed", _reading(one_absent, TYPED), None
    yield "json, escapes, typed", _reading(one_escaped, TYPED), None
    yield "json, decimals", _reading(lines, DECIMAL), None
    yield "json, a value in 100 that does not fit, typed", _reading(one_misfit, TYPED), None
    yield "json, a map", _reading(one_mapped, with_place(tags, TYPED)), None
    yield "json, nested, strings", _reading(one_nested, with_place(T.StringType(), STRINGS)), None
    yield "json, nested, typed", _reading(one_nested, with_place(place, TYPED)), None
    yield "json, an unknown field in each row", _reading(lines, WITHOUT_STATUS), None
    yield "json, an unknown field in one row of 100", _reading(one_percent, TYPED), None
    yield "json, an array in a file, typed", _reading(array, TYPED, options={"multiline": "true"}), None
    yield "json, an array over many lines, typed", _reading(pretty, TYPED, options={"multiline": "true"}), None
    yield "json, lines with an end of their own, typed", _reading(ended, TYPED, options={"linesep": "|"}), None
    yield "json, whole records as VARIANT", _reading_variants(lines), None
    yield "xml, typed", _reading(elements, TYPED, options={"rowtag": "record"}), None
    yield "json, inferring names", _inferring(lines, False), None
    yield "json, inferring types", _inferring(lines, True), None
    yield "parquet", _reading(columns, TYPED), by_arrow(pyarrow.parquet.read_table, columns)
    yield "parquet, a rescued column", _reading(columns, WITHOUT_STATUS), None


def _records() -> Iterator[dict[str, Any]]:
    draw = random.Random(7)
    for number in range(ROWS):
        yield {
            "id": number,
            "device": f"device-{draw.randrange(500):03d}",
            "recorded": f"2026-03-{draw.randrange(1, 29):02d} {draw.randrange(24):02d}:10:{draw.randrange(60):02d}",
            "temperature": round(draw.gauss(20, 5), 2) + 0.001,
            "status": draw.choice(("ok", "ok", "ok", "low battery")),
        }


def _csv(records: list[dict[str, Any]], cell: str) -> str:
    lines = [",".join(cell.format(value) for value in record.values()) for record in records]
    return "\n".join([",".join(FIELDS), *lines, ""])


def _xml(records: list[dict[str, Any]]) -> str:
    fields = ("".join(f"<{name}>{value}</{name}>" for name, value in record.items()) for record in records)
    return "<records>" + "".join(f"<record>{some}</record>\n" for some in fields) + "</records>"


def _put(path: Path, text: str) -> SourceFile:
    path.write_text(text)
    return _source(path)


def _source(path: Path) -> SourceFile:
    return SourceFile(f"file:{path}", path.stat().st_size, 0)


def _reading(file: SourceFile, schema: T.StructType, **request: Any) -> Callable[[], float]:
    file_format = find_format(file.url.rsplit(".", 1)[1])
    wanted = ReadRequest(T.StructType(schema.fields), **request)
    return lambda: _speed(file, lambda: sum(rows.batch.num_rows for rows in file_format.read([file], wanted)))


def _reading_variants(file: SourceFile) -> Callable[[], float]:
    file_format = stream_format(parse({"cloudfiles.format": "json", "path": file.url, "singlevariantcolumn": "v"}))
    wanted = ReadRequest(file_format.fixed_schema())
    return lambda: _speed(file, lambda: sum(rows.batch.num_rows for rows in file_format.read([file], wanted)))


def _inferring(file: SourceFile, types: bool) -> Callable[[], float]:
    file_format = find_format(file.url.rsplit(".", 1)[1])
    return lambda: _speed(file, lambda: file_format.infer([file], InferRequest(infer_types=types)))


def _speed(file: SourceFile, work: Callable[[], Any]) -> float:
    """Return megabytes a second, the median of some rounds; of slow work, fewer."""
    seconds: list[float] = []
    while len(seconds) < ROUNDS and sum(seconds) < 10:
        begin = time.process_time()
        work()
        seconds.append(time.process_time() - begin)
    return file.size / 1e6 / statistics.median(seconds)


if __name__ == "__main__":
    main()
