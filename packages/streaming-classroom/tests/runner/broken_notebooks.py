"""Notebooks that are broken on purpose, as text: ``# %%`` begins a cell, with its tags or ``markdown``."""

from __future__ import annotations

import re
from pathlib import Path

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, writes

TEXTS = {
    "beside": """
# %%
from pathlib import Path

assert Path.cwd().name == "notebooks"
# %%
%run ../Includes/Setup
# %%
print(greeting)
""",
    "dead-kernel": """
# %% markdown
# The kernel dies
# %%
import os
# %%
os._exit(3)
# %%
print("never reached")
""",
    "edits-itself": """
# %%
from pathlib import Path

(file,) = Path.cwd().glob("*.ipynb")
text = file.read_text(encoding="utf-8")
# %%
edited = text.replace("# the end", "# edited " + "meanwhile")
_ = file.write_text(edited, encoding="utf-8")  # the end
""",
    "endless-cell": """
# %% markdown
# A cell that never ends
# %%
import time
# %%
while True:
    time.sleep(1)
""",
    "endless-child": """
# %% markdown
# A cell that never ends, deaf to interrupts, with a child that left its process group
# %%
import os, subprocess, sys, time
from pathlib import Path

child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
Path(os.environ["CLASSROOM_HOME"], "child.pid").write_text(str(child.pid))
# %%
while True:
    try:
        time.sleep(1)
    except KeyboardInterrupt:
        pass
""",
    "expected-failure": """
# %% markdown
# A cell that is meant to fail
# %% raises-exception
import json

json.loads("no json")
# %%
print("goes on")
""",
    "expected-stderr": """
# %% markdown
# Announced
# %% stderr-expected
import sys

print("announced", file=sys.stderr)
""",
    "failing-cell": """
# %% markdown
# The third cell fails in its second line
# %%
fine = 1
# %%
def divide(by):
    return 1 / by


divide(0)
# %%
print("never reached")
""",
    "interpreter": """
# %%
import sys

print(sys.executable)
open.__name__
""",
    "late-stderr": """
# %% markdown
# Stderr of the first code cell that arrives while the second one runs
# %%
kernel = get_ipython().kernel
first = kernel.get_parent()
# %%
warning = {"name": "stderr", "text": "late warning\\n"}
kernel.session.send(kernel.iopub_socket, "stream", warning, parent=first)
print("sent")
""",
    "leaked-stream": """
# %% markdown
# A stream is left running
# %% stderr-expected
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
# %% stderr-expected
numbers = spark.readStream.format("rate").load()
query = (
    numbers.writeStream.format("noop")
    .queryName("left_behind")
    .start()
)
# %%
print(query.isActive)
""",
    "no-failure": """
# %% markdown
# A cell that is meant to fail and does not
# %% raises-exception
1 + 1
# %%
print("goes on")
""",
    "noisy-stderr": """
# %% markdown
# Something on stderr that nobody announced
# %%
import sys
# %%
print("this is a warning", file=sys.stderr)
# %%
print("goes on")
""",
}
INVALID = {
    "not-json": "this is not JSON\n",
    "not-a-notebook": '{"cells": [{"cell_type": "code"}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n',
}


def write_all(folder: Path) -> None:
    """Write every notebook into a folder."""
    for name, text in TEXTS.items():
        cells = []
        for tag, source in re.findall(r"# %% ?(.*)\n((?:(?!# %%).*\n)*)", text):
            make = new_markdown_cell if tag == "markdown" else new_code_cell
            metadata = {"tags": [tag]} if tag not in ("", "markdown") else {}
            cells.append(make(source.strip("\n"), id=f"cell-{len(cells) + 1}", metadata=metadata))
        metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        (folder / f"{name}.ipynb").write_text(writes(new_notebook(cells=cells, metadata=metadata)), encoding="utf-8")
    for name, text in INVALID.items():
        (folder / f"{name}.ipynb").write_text(text, encoding="utf-8")
