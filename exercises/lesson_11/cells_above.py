"""Return the definitions of lesson 11 that its exercises use."""

from __future__ import annotations

from lesson_exercises import planted

IMPORTS = """
from pyspark.sql import Row
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor
from pyspark.sql.streaming.tws_tester import TwsTester

"""


def cells_above(*names: str) -> str:
    """Return the source of the lesson's definitions that every exercise needs, and of these."""
    return IMPORTS + planted.definitions_of("11", "LIMIT", "ALARM", "alarm", "Silence", "EachSilence", *names)
