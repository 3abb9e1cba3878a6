# Databricks notebook source
# Stops the streams and removes what the lesson, or the notebook without one, has made.
import sys
from glob import glob

sys.path += glob("../packages/*/src")

from streaming_classroom import cleanup

cleanup()
