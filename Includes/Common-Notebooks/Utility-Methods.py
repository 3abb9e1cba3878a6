# Databricks notebook source
# untilStreamIsReady(name) and stopAllStreams(), for notebooks that include them by this name.
import sys
from pathlib import Path

sys.path += map(str, [*Path("..").glob("packages/*/src"), *Path("../..").glob("packages/*/src")])

from streaming_classroom import set_up_notebook

set_up_notebook(globals())
