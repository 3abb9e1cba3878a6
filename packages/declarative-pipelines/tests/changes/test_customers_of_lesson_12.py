"""Change flows make of the lesson's feed, row by row, the tables that the lesson makes by hand."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import nbformat
import pytest

from declarative_pipelines.changes.auto_cdc import merge_changes
from declarative_pipelines.definitions.model import ChangeFlow, SourceLocation
from streaming_classroom.data import datasets
from streaming_classroom.files import directories

pytestmark = pytest.mark.slow

CUSTOMER = "customer_id INT, name STRING, email STRING, country STRING, city STRING, segment STRING"
EVENT = f"sequence LONG, operation STRING, {CUSTOMER}, changed_at TIMESTAMP"


@pytest.fixture
def lesson() -> dict[str, Any]:
    """The lesson's own functions, as they stand in it."""
    import pyspark.sql.functions
    from delta.tables import DeltaTable
    from pyspark.sql import Window

    [path] = directories.notebooks().glob("12-*.ipynb")
    cells = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    namespace: dict[str, Any] = {"F": pyspark.sql.functions, "Window": Window, "DeltaTable": DeltaTable}
    names = ("newest", "merge_newest", "all_versions", "add_versions")
    for source in cells:
        if any(f"def {name}(" in source for name in names):
            functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
            exec(compile(ast.Module(functions, []), str(path), "exec"), namespace)
    assert set(names) <= set(namespace)
    return namespace


def changes(**more: object) -> ChangeFlow:
    where = SourceLocation("f.sql", 1)
    return ChangeFlow("f", "t", "s", ("customer_id",), location=where, apply_as_deletes="operation = 'DELETE'", **more)


def test_types_1_and_2_are_the_lessons_tables(spark, database, lesson, tmp_path: Path):
    spark.catalog.setCurrentDatabase(database)
    spark.sql(f"CREATE TABLE customers ({CUSTOMER}, sequence LONG, deleted BOOLEAN)")
    spark.sql(
        f"CREATE TABLE history ({CUSTOMER}, sequence LONG, operation STRING, valid_from TIMESTAMP, "
        "valid_to TIMESTAMP, is_current BOOLEAN)"
    )
    type_1 = changes(sequence_by="sequence", except_columns=("operation", "changed_at"))
    type_2 = changes(sequence_by="changed_at", scd_type=2)

    def both(batch, batch_id):
        lesson["merge_newest"]("customers", batch.drop("changed_at"))
        lesson["add_versions"](batch, batch_id)
        merge_changes(spark, type_1, batch, batch_id, f"{database}.ours")
        merge_changes(spark, type_2, batch, batch_id, f"{database}.our_history")

    files = datasets.generate("retail")
    snapshot = spark.read.schema(f"{CUSTOMER}, changed_at TIMESTAMP").option("header", True)
    snapshot = snapshot.csv((files / "customers.csv").as_uri())
    both(snapshot.selectExpr("0L AS sequence", "'SNAPSHOT' AS operation", "*"), -1)
    landing = spark.readStream.schema(EVENT).option("maxFilesPerTrigger", 5).json((files / "customer-changes").as_uri())
    stream = landing.writeStream.foreachBatch(both).trigger(availableNow=True)
    stream.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()

    ours = spark.table("ours")
    theirs = spark.table("customers").where("NOT deleted").select(ours.columns)
    assert sorted(ours.collect()) == sorted(theirs.collect()) and ours.count() == 194
    columns = [part.split()[0] for part in CUSTOMER.split(", ")]
    theirs = spark.table("history").where("operation <> 'DELETE'")
    theirs = theirs.select(*columns, "sequence", "valid_from", "valid_to").collect()
    ours = spark.table("our_history").select(*columns, "sequence", "__START_AT", "__END_AT").collect()
    assert sorted(map(str, map(tuple, ours))) == sorted(map(str, map(tuple, theirs))) and len(ours) > 350
