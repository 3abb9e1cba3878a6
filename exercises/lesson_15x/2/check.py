"""Check exercise 15X.2, "A test for the shop"."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake, NotTried
from streaming_classroom.files.directories import classroom_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from streaming_classroom.exercises.sandbox import Sandbox

_PIPELINES = Path(__file__).with_name("pipelines")
#: The pipelines with a mistake, which a test must notice; the others are right.
_MISTAKES = {
    "without_id.py": "keeps orders without an id",
    "twice.py": "counts an order twice if it is sent twice",
    "no_channel.py": "leaves out orders without a channel",
}


def _judged(
    test: Callable[[Any], object], spark: SparkSession, names: Iterable[str] = ("shop.py", "another.py", *_MISTAKES)
) -> Iterator[tuple[str, str]]:
    """Yield whether a learner's test passes, fails, or ends with another error, per pipeline."""
    from declarative_pipelines.testing import PipelineTest  # with its engine, which other exercises do without

    for name in names:
        with PipelineTest(_PIPELINES / name, spark=spark) as pipeline:
            yield name, planted.outcome(test, pipeline)


def check(attempt: Attempt) -> None:
    """Run the test against right and wrong pipelines, and name the first one that it judges wrongly."""
    test = attempt.value("check_shop")
    if not callable(test):
        raise Mistake("`check_shop` is not a function.")
    if not planted.asserts(attempt.source):
        raise NotTried
    for name, said in _judged(test, attempt.spark):
        if name == "shop.py" and said == "fails":
            raise Mistake("`check_shop` raises an `AssertionError` for `shop.py`, which is right.")
        if said not in ("passes", "fails"):
            raise Mistake(f"`check_shop` raises no `AssertionError`, but {said}")
        if name == "another.py" and said == "fails":
            raise Mistake(
                "`check_shop` fails for a right pipeline that has no expectation and removes duplicates elsewhere. "
                "Assert what `per_channel` has, not how it comes about."
            )
        if name in _MISTAKES and said == "passes":
            raise Mistake(f"`check_shop` does not notice a pipeline that {_MISTAKES[name]}.")


def _a_shop(sandbox: Sandbox) -> None:
    """Copy the pipeline's file into the sandbox's directory, which is removed with it."""
    shop = classroom_files().local_path(sandbox.paths.working_dir) / "shop.py"
    shutil.copy(_PIPELINES / "shop.py", shop)
    sandbox.keep(shop=shop, RAW="order_id LONG, channel STRING")


def _outcomes(sandbox: Sandbox) -> DataFrame:
    """Judge two pipelines in a new session; each takes seconds, and the check has judged all."""
    judged = _judged(sandbox.value("check_shop"), sandbox.spark, ("shop.py", "twice.py"))
    return sandbox.frame(list(judged), "pipeline STRING, outcome STRING")


MAKES = Makes(variables=("check_shop",), by_starter=True)

HIDDEN = (
    HiddenTest(
        _a_shop,
        (_outcomes,),
        above="from declarative_pipelines.testing import PipelineTest",
        says="Your function was defined in a session that has only just begun, and given two of the pipelines.",
    ),
)
