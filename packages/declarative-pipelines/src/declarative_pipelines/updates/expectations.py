"""Expectations as one observation and one filter over a dataset's frame.

The rows are counted by Spark while they pass, so nothing is read twice.  A row meets a condition only where it is
TRUE: one for which it is NULL is counted as failed, is dropped, or fails the update.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from declarative_pipelines.definitions.model import Expectation, SourceLocation, Violation
from declarative_pipelines.errors import BadDefinition, ExpectationFailed
from streaming_base.errors import NoJson, short_message
from streaming_base.siblings import function_of_sibling

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_PREFIX = "expectations of "
_VIOLATION = re.compile(
    r"\[EXPECTATION_VIOLATION\.VERBOSITY_OUTPUT\] Flow '(?P<flow>.*?)' failed to meet the expectation of "
    r"'(?P<dataset>.*?)'\. Violated expectations: (?P<names>'.*?')\. Output record: "
    r"'(?P<record>\{.*?\})'(?= SQLSTATE|\s|$)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Counts:
    """How many rows came to a dataset, how many were dropped, and how many did not meet each of its expectations."""

    records: int = 0
    dropped: int = 0
    failed: tuple[int, ...] = ()

    @property
    def written(self) -> int:
        """The rows that were not dropped."""
        return self.records - self.dropped

    def __add__(self, other: Counts) -> Counts:
        failed = tuple(map(sum, zip_longest(self.failed, other.failed, fillvalue=0)))
        return Counts(self.records + other.records, self.dropped + other.dropped, failed)


def apply_expectations(frame: DataFrame, dataset: str, flow: str, expectations: Sequence[Expectation]) -> DataFrame:
    """Return the frame with its rows counted, rows to drop filtered out, and forbidden rows raising."""
    from pyspark.sql import functions as F

    expectations = _resolve_paths(frame, expectations)
    kept = _all(expectations, Violation.DROP) or "TRUE"
    failed = [f"count_if(NOT {_met(one)}) AS failed_{number}" for number, one in enumerate(expectations)]
    observed = ("count(1) AS records", f"count_if(NOT ({kept})) AS dropped", *failed)
    frame = frame.observe(observation(dataset), *map(F.expr, observed))
    condition = _kept(dataset, flow, expectations)
    return frame if condition is None else frame.filter(condition)


def validate(
    frame: DataFrame, dataset: str, expectations: Sequence[Expectation], location: SourceLocation | None
) -> None:
    """Raise BadDefinition unless each expectation is a boolean expression over the frame's columns."""
    from pyspark.errors import PySparkException
    from pyspark.sql import functions as F

    def kinds(conditions: Sequence[Expectation]) -> list[str]:
        named = [F.expr(one.constraint).alias(str(number)) for number, one in enumerate(conditions)]
        return [kind for _name, kind in frame.select(*named).dtypes]

    if not expectations:
        return
    expectations = _resolve_paths(frame, expectations)
    try:
        found = kinds(expectations)  # of all at once, which costs the JVM one question
    except PySparkException:
        found = []
    for number, expectation in enumerate(expectations):
        said = f"the expectation {expectation.name!r} of {dataset}, {expectation.constraint!r},"
        try:
            kind = found[number] if found else kinds([expectation])[0]
        except PySparkException as error:
            raise BadDefinition(location, f"{said} is no condition over its rows: {short_message(error)}") from error
        if kind != "boolean":
            raise BadDefinition(location, f"{said} is {kind}, and must be TRUE or FALSE: write a comparison.")


def counts(metrics: Mapping[str, Mapping[str, Any]]) -> dict[str, Counts]:
    """Return the counts of each dataset in observed metrics."""
    found = {}
    for name, values in metrics.items():
        if name.startswith(_PREFIX):
            failed = sorted((int(key.removeprefix("failed_")), value) for key, value in values.items() if "_" in key)
            numbers = tuple(value or 0 for _, value in failed)
            found[name.removeprefix(_PREFIX)] = Counts(values["records"] or 0, values["dropped"] or 0, numbers)
    return found


def observation(dataset: str) -> str:
    """Return the name of the observation of a dataset's rows."""
    return _PREFIX + dataset


def violation(text: str) -> ExpectationFailed | None:
    """Return the expectation that a message of Spark is about, or None."""
    found = _VIOLATION.search(text)
    if found is None:
        return None
    names = tuple(re.findall(r"'(.*?)'(?=, '|$)", found["names"]))
    return ExpectationFailed(found["dataset"], found["flow"], names, found["record"])


def _resolve_paths(frame: DataFrame, expectations: Sequence[Expectation]) -> Sequence[Expectation]:
    """Return the expectations with ``column:field`` of JSON text resolved; others, and wrong ones, unchanged."""
    from pyspark.errors import PySparkException

    resolve = function_of_sibling("resolve_expression")
    found = []
    for one in expectations:
        if resolve is not None and ":" in one.constraint:
            with suppress(PySparkException, NoJson):
                one = replace(one, constraint=resolve(frame, one.constraint, is_column=False))
        found.append(one)
    return found


def _met(expectation: Expectation) -> str:
    # As SQL: a column that is put together costs ten questions to the JVM. A comment at its end ends with the line.
    return f"coalesce(({expectation.constraint}\n), FALSE)"


def _all(expectations: Sequence[Expectation], violation: Violation) -> str | None:
    met = [_met(one) for one in expectations if one.violation is violation]
    return " AND ".join(met) if met else None


def _kept(dataset: str, flow: str, expectations: Sequence[Expectation]) -> Column | None:
    from pyspark.sql import functions as F

    kept, none_fails = _all(expectations, Violation.DROP), _all(expectations, Violation.FAIL)
    if none_fails is None:
        return None if kept is None else F.expr(kept)
    fatal = [one for one in expectations if one.violation is Violation.FAIL]
    names = F.array_compact(F.array(*[F.when(~F.expr(_met(one)), F.lit(f"'{one.name}'")) for one in fatal]))
    text = F.concat(
        F.lit(
            f"[EXPECTATION_VIOLATION.VERBOSITY_OUTPUT] Flow '{flow}' failed to meet the expectation of '{dataset}'. "
            "Violated expectations: "
        ),
        F.array_join(names, ", "),
        F.lit(". Output record: '"),
        F.to_json(F.struct(F.col("*")), {"ignoreNullFields": "false"}),
        F.lit("'"),
    )
    return F.when(~F.expr(none_fails), F.raise_error(text).cast("boolean")).otherwise(F.expr(kept or "TRUE"))
