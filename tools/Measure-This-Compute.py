# Databricks notebook source
# MAGIC %md
# MAGIC # Measure this compute
# MAGIC
# MAGIC This notebook runs what the pages of this course claim of Databricks, and writes what it saw into one JSON file: rules of Auto
# MAGIC Loader, statements of SQL, streams, AUTO CDC, and five short lessons. It takes a quarter of an hour. It needs the repository as a
# MAGIC Git folder and a catalog in which you may create a schema; nothing outside of that schema is changed.
# MAGIC
# MAGIC Run all cells. Then send the file of the last cell with the repository's issue form *Measurement of Databricks*.

# COMMAND ----------

# MAGIC %run ../Includes/Classroom-Setup

# COMMAND ----------

DA = start_lesson("parity-kit")

# COMMAND ----------

import json
import sys
from functools import partial
from pathlib import Path

here = Path.cwd()
sys.path += [str(here), str(here.parent / "packages/declarative-pipelines/tests/parity")]

from parity_kit import measuring, pipelines

folder = Path(DA.paths.local(DA.paths.working_dir))
is_workspace = spark.conf.get("spark.databricks.workspaceUrl", None) is not None
update = pipelines.update_in_workspace(DA.catalog_name, DA.schema_name) if is_workspace else pipelines.update_here
record = measuring.measure(
    spark,
    f"{DA.paths.working_dir}/cases",
    DA.paths.local,
    dbutils.notebook.run,
    partial(pipelines.measure, spark, folder, update),
)

# COMMAND ----------

file = here / f"measured-{record['day']}.json"
file.write_text(json.dumps(record, indent=1), encoding="utf-8")
same = sum(found.get("seen") == found["here"] for found in record["cases"].values())
print(f"{same} of {len(record['cases'])} cases gave the value of open-source Spark with the course's packages.")
for what, found in record["cases"].items():
    if found.get("seen") != found["here"]:
        print(f"- {what}: {found.get('seen', found.get('error'))}; elsewhere {found['here']}")
print("Lessons:", record["lessons"])
print(f"Wrote {file}.")
