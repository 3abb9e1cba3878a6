"""Files for the benchmarks of ingestion: the same numbers always give the same files."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

SCHEMA = "id BIGINT, device STRING, recorded STRING, temperature DOUBLE, status STRING"
STRINGS = "id STRING, device STRING, recorded STRING, temperature STRING, status STRING"
WITHOUT_STATUS = "id BIGINT, device STRING, recorded STRING, temperature DOUBLE"
_BLOCK = 20_000  # records that large files repeat: what is read is the same work, and written a hundred times as fast


def write_small(directory: Path, files: int, rows: int) -> None:
    """Write JSON files of a few records each."""
    directory.mkdir(parents=True)
    draw = random.Random(7)
    for number in range(files):
        lines = [json.dumps(_record(number * rows + i, draw)) for i in range(rows)]
        (directory / f"{number:07d}.json").write_text("\n".join(lines) + "\n")


def write_empty(directory: Path, files: int) -> None:
    """Write files without records, and one with one, for what a source does about files that it knows."""
    directory.mkdir(parents=True)
    for number in range(files - 1):
        (directory / f"{number:08d}.json").touch()
    write_record(directory / "last.json")


def write_record(path: Path) -> None:
    path.write_text(json.dumps(_record(0, random.Random(7))) + "\n")


def write_large(directory: Path, kind: str, megabytes: int, files: int) -> int:
    """Write files of some format until they have a size in all; return how many records that are.

    Parameters
    ----------
    kind
        ``json``, ``csv``, ``parquet``; ``csv quoted``, with quotes around two of five values, and separators in them;
        ``json unknown``, with a field more in each hundredth record.
    """
    directory.mkdir(parents=True)
    draw = random.Random(7)
    records = [_record(number, draw) for number in range(_BLOCK)]
    write = _write_parquet if kind == "parquet" else _writer_of_text(kind)
    size = megabytes * 1_000_000 // files
    return sum(write(directory / f"{number:04d}", records, size) for number in range(files))


def _writer_of_text(kind: str) -> Callable[[Path, Sequence[dict[str, Any]], int], int]:
    encode = {
        "json": json.dumps,
        "json unknown": lambda record: json.dumps(record | ({"battery": 3.1} if record["id"] % 100 == 0 else {})),
        "csv": lambda record: ",".join(map(str, record.values())),
        "csv quoted": _quoted,
    }[kind]

    def write(path: Path, records: Sequence[dict[str, Any]], size: int) -> int:
        block = "".join(encode(record) + "\n" for record in records).encode()
        times = max(1, round(size / len(block)))
        with path.open("wb") as file:
            if kind.startswith("csv"):
                file.write((",".join(records[0]) + "\n").encode())
            for _ in range(times):
                file.write(block)
        return times * len(records)

    return write


def _quoted(record: dict[str, Any]) -> str:
    values = record | {"device": f'"{record["device"]}, hall 2"', "status": f'"{record["status"]}"'}
    return ",".join(map(str, values.values()))


def _write_parquet(path: Path, records: Sequence[dict[str, Any]], size: int) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    block = pa.Table.from_pylist(list(records))
    with pq.ParquetWriter(path, block.schema) as writer:
        times = 0
        while path.stat().st_size < size:
            writer.write_table(block)
            times += 1
    return times * len(records)


def _record(number: int, draw: random.Random) -> dict[str, Any]:
    return {
        "id": number,
        "device": f"device-{draw.randrange(500):03d}",
        "recorded": f"2026-03-{draw.randrange(1, 29):02d} at {draw.randrange(24):02d}",
        "temperature": round(draw.gauss(20, 5), 2) + 0.001,
        "status": draw.choice(("ok", "ok", "ok", "low battery")),
    }
