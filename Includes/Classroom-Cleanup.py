# Databricks notebook source
# Stops the streams and removes what the lesson, or the notebook without one, has made.
import sys

sys.path.append("../Includes")

from streaming_classroom import cleanup

cleanup()
