# Databricks notebook source
# Lesson 01's set-up under the name that older notebooks use; they expect the first data to be there.
import sys
from pathlib import Path

sys.path += map(str, Path("..").glob("packages/*/src"))

from streaming_classroom import set_up_notebook, start_lesson

set_up_notebook(globals())
DA = start_lesson("4.1", dataset="device-readings/readings", into_table="bronze")
DA.data_factory.load()
