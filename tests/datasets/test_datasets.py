"""The generated datasets are those of their cards in datasets/README.md, whose checksums pin every byte."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

DATASETS = Path(__file__).resolve().parents[2] / "datasets"
NAMES = sorted(path.stem.replace("_", "-") for path in DATASETS.glob("*.py"))


def load(dataset: str) -> ModuleType:
    """Import a generator by its path, as the classroom does."""
    path = DATASETS / f"{dataset.replace('-', '_')}.py"
    spec = importlib.util.spec_from_file_location(f"generator_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tree_checksum(root: Path) -> str:
    """Return the SHA-256 over relative path, NUL and bytes of each file below `root`, sorted by path."""
    digest = hashlib.sha256()
    files = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    for name in sorted(files):
        digest.update(name.encode("utf-8") + b"\0" + files[name].read_bytes())
    return digest.hexdigest()


def files_of(part: Path) -> list[Path]:
    """Return the files of a part in order: the part itself, or all files below it."""
    return sorted(path for path in part.rglob("*") if path.is_file()) if part.is_dir() else [part]


def parsed(text: str | None) -> dict[str, Any] | None:
    """Return the JSON object in a text, or None if the text is not JSON."""
    try:
        return json.loads(text or "")
    except json.JSONDecodeError:
        return None


def rows_of(part: Path) -> pd.DataFrame:
    """Return the readable rows of a part in the order of delivery, each with the stem of its `file`."""
    if part.suffix == ".csv":
        return pd.read_csv(part)
    lines = [(path.stem, line) for path in files_of(part) for line in path.read_text(encoding="utf-8").splitlines()]
    return pd.DataFrame([{"file": stem} | row for stem, line in lines if (row := parsed(line)) is not None])


def line_count(path: Path) -> int:
    """Return the number of lines of a file; the header of CSV is not counted."""
    return path.read_bytes().count(b"\n") - (path.suffix == ".csv")


def card(dataset: str) -> str:
    """Return the section of the README that describes a dataset."""
    text = (DATASETS / "README.md").read_text(encoding="utf-8")
    match = re.search(rf"^## `{dataset}`$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert match, f"datasets/README.md has no card for {dataset}"
    return match[1]


def tables(dataset: str, first_heading: str) -> Iterator[dict[str, list[str]]]:
    """Yield each table of a card whose first column has this heading, as first cell → the other cells."""
    for block in re.findall(r"(?:^\|.*\n)+", card(dataset), re.MULTILINE):
        head, _, *body = ([cell.strip(" `") for cell in line[1:-1].split("|")] for line in block.splitlines())
        if head[0] == first_heading:
            yield {first: rest for first, *rest in body}


def numbers(dataset: str, first_heading: str, columns: int = 1) -> dict[str, list[int]]:
    """Return the numbers in the first columns of a table."""
    rows = next(tables(dataset, first_heading)).items()
    return {name: [int(cell.replace(",", "")) for cell in cells[:columns]] for name, cells in rows}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Generate each dataset once, in folders whose names are not plain ASCII."""
    folders = {name: tmp_path_factory.mktemp("Ordner mit Lücken é 数据") / name for name in NAMES}
    for name, folder in folders.items():
        folder.mkdir()
        load(name).generate(folder)
    return folders


@pytest.mark.slow
@pytest.mark.parametrize("dataset", NAMES)
def test_the_card_has_the_checksum_and_the_seed(dataset: str, generated: dict[str, Path]) -> None:
    facts = next(tables(dataset, ""))
    assert facts["checksum"] == [tree_checksum(generated[dataset])]
    assert facts["generator"][0].endswith(f"seed {load(dataset).SEED}")


@pytest.mark.parametrize("dataset", NAMES)
def test_card_and_module_count_the_files_and_rows_of_each_part(dataset: str, generated: dict[str, Path]) -> None:
    sizes, module = {}, load(dataset)
    for part in generated[dataset].iterdir():
        files = files_of(part)
        sizes[part.name] = [len(files), sum(map(line_count, files)), sum(path.stat().st_size for path in files)]
    assert numbers(dataset, "part", columns=3) == sizes
    assert {part: size[:2] for part, size in sizes.items()} == {p: [module.FILES[p], module.ROWS[p]] for p in sizes}


@pytest.mark.parametrize("dataset", NAMES)
def test_the_card_lists_the_fields_and_shows_the_first_rows(dataset: str, generated: dict[str, Path]) -> None:
    fields = load(dataset).FIELDS
    assert list(fields.values()) == [
        ", ".join(f"{name} {cells[0]}" for name, cells in table.items()) for table in tables(dataset, "field")
    ]
    for part, names in fields.items():
        path = files_of(generated[dataset] / part)[0]
        first = path.read_text(encoding="utf-8").splitlines()[: 2 if path.suffix == ".csv" else 1]
        assert f"```{path.suffix[1:]}\n" + "\n".join(first) + "\n```" in card(dataset)
        assert set(rows_of(path).columns) - {"file"} <= set(re.findall(r"(?:^|, )(\w+) ", names))
