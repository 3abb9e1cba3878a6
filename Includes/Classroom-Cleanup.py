# Databricks notebook source
# Stops the streams and removes what the lesson, or the notebook without one, has made.
import sys
from pathlib import Path

sys.path += map(str, Path("..").glob("packages/*/src"))

from streaming_classroom import cleanup

cleanup()
