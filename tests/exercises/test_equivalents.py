"""Right answers in other words are accepted: derived ones of each exercise, and others that people write."""

from __future__ import annotations

import ast
import sys

import pytest

import equivalents
from answering import SECONDS, Task, code_of
from streaming_classroom.exercises import Exercise, catalogue, last_cell
from suite.selection import lesson_cases


def solution(name: str) -> str:
    return catalogue.find(name).solution


_MERGE = solution("06.3").partition("def merge_totals")
_TOTALS = _MERGE[2].partition("totals = (")
_WARD_BY_MERGE = sys.modules[catalogue.find("07L.3").check.__module__].WARD_BY_MERGE
#: Answers that take another way, by exercise.
OTHERS: dict[str, tuple[str, ...]] = {
    "16L.3": (
        """RUNBOOK = {
    "limit too low": ["1 < backlog_per_minute AND NOT busy >= 0.5", "Raise the limit."],
    "too small batches": ["NOT (busy <= 0.5 OR rows_per_batch >= 50)", "Wait longer."],
    "state without an end": ["2 * state_per_minute > rows_per_minute", "Forget in time."],
}""",
        """RUNBOOK = {}
RUNBOOK["too small batches"] = ("rows_per_batch < 50 AND busy * 3600000 > 1800000", "Fewer and larger batches.")
RUNBOOK["state without an end"] = ("state_per_minute / rows_per_minute > 0.5", "A watermark.")
RUNBOOK["limit too low"] = ("busy < 0.5 AND backlog_per_minute > 1.0", "A higher limit.")""",
    ),
    "11.1": (
        """DA.exercise("11.1")

class Watch(EachSilence):
    def init(self, handle):
        super().init(handle)
        self.status = handle.getValueState("status", "value STRING")

    def handleInputRows(self, key, rows, timerValues):
        last = self.last.get()[0] if self.last.exists() else None
        status = self.status.get()[0] if self.status.exists() else None
        reported = not list(self.handle.listTimers())
        for row in sorted(rows, key=lambda row: row.ms):
            if last is not None and row.ms <= last:
                continue
            if last is not None and row.ms > last + LIMIT and not reported and status != "off":
                yield alarm(key, last)
            last, status, reported = row.ms, row.status, False
        self.remember(last)
        self.status.update((status,))

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        found = super().handleExpiredTimer(key, timerValues, expiredTimerInfo)
        return iter([] if self.status.get()[0] == "off" else list(found))

run_into("calls", Watch())
""",
        # An oven without a timer has nothing to report, whether it was reported or switched off.
        """DA.exercise("11.1")

class Watch(EachSilence):
    def handleInputRows(self, key, rows, timerValues):
        for row in sorted(rows, key=lambda row: row.ms):
            yield from super().handleInputRows(key, [row], timerValues)
            if row.status == "off" and row.ms == self.last.get()[0]:
                for timer in list(self.handle.listTimers()):
                    self.handle.deleteTimer(timer)

run_into("calls", Watch())
""",
    ),
    "01.1": (
        solution("01.1").replace("WHERE heartrate >= 0", "WHERE NOT heartrate < 0"),
        "from pyspark.sql import functions as F\n\n"  # a lesson in SQL has not imported it
        'DA_VIEW = (spark.table("streaming_tmp_vw").where("heartrate >= 0").groupBy("mrn")\n'
        '    .agg(F.count("*").alias("readings"), F.max("heartrate").alias("highest")))\n'
        'DA_VIEW.createOrReplaceTempView("patients_tmp_vw")\n',
    ),
    "04.2": (
        solution("04.2").replace('where("heartrate > 112")', 'filter("112 < heartrate")'),
        solution("04.2").replace("ward-alarms", "mine"),
    ),
    "06.3": (
        f"""{_MERGE[0]}def merge_totals(changed, batch_id):
    changed.createOrReplaceTempView("changed")
    changed.sparkSession.sql("DELETE FROM device_totals WHERE device_id IN (SELECT device_id FROM changed)")
    changed.sparkSession.sql("INSERT INTO device_totals SELECT device_id, readings FROM changed")


totals = ({_TOTALS[2]}""",
        f"""{_MERGE[0]}from delta.tables import DeltaTable


def merge_totals(changed, batch_id):
    (DeltaTable.forName(changed.sparkSession, "device_totals").alias("old")
        .merge(changed.alias("new"), "old.device_id = new.device_id")
        .whenMatchedUpdateAll()
        .whenNotMatchedInsertAll()
        .execute())


totals = ({_TOTALS[2]}""",
    ),
    "07.1": (
        solution("07.1").replace("LEFT JOIN", "FULL OUTER JOIN"),
        solution("07.1").replace("coalesce(before.value.count, 0)", "ifnull(before.value.count, 0)"),
    ),
    "07L.2": tuple(
        solution("07L.2").replace("INSERT OVERWRITE archive SELECT DISTINCT * FROM archive", statement)
        for statement in (
            "RESTORE TABLE archive TO VERSION AS OF 2",
            "CREATE OR REPLACE TABLE archive AS SELECT DISTINCT * FROM archive",
        )
    ),
    "07L.3": (_WARD_BY_MERGE,),
    "08L.1": (
        solution("08L.1")
        .replace("    restarts = 5\n    while True:", "    for start in range(6):")
        .replace("restarts == 0", "start == 5")
        .replace("            restarts -= 1\n", ""),
        solution("08L.1")
        .replace("from pyspark.errors", "from pyspark.sql import functions as F\nfrom pyspark.errors")
        .replace(
            '.selectExpr("*", "_metadata.file_name AS file")',
            '.withColumn("file", F.element_at(F.split("_metadata.file_path", "/"), -1))',
        ),
    ),
    "13L.1": (
        solution("13L.1").replace(
            '.format("cloudFiles")\n        .option("cloudFiles.format", "text")\n        .load(DA.paths.landing)',
            ".text(DA.paths.landing)",
        ),
    ),
    "13L.4": (
        solution("13L.4")
        .partition("    known.select")[0]
        .replace("def retry", "from delta.tables import DeltaTable\n\n\ndef retry")
        + """    (DeltaTable.forName(spark, "quarantine").alias("line")
        .merge(known.select("value").distinct().alias("known"), "line.value = known.value")
        .whenMatchedDelete()
        .execute())


retry()
""",
    ),
    "14L.4": (solution("14L.4").replace(".start())", '.trigger(processingTime="10 seconds")\n    .start())'),),
}  # fmt: skip

EVERY = catalogue.every()


@pytest.mark.parametrize("exercise", EVERY, ids=lambda exercise: exercise.id)
def test_other_words_can_be_read(exercise: Exercise) -> None:
    for cell in equivalents.of(exercise.solution):
        if not last_cell.is_sql(cell):
            ast.parse(cell)


def test_each_exercise_has_right_answers_in_other_words() -> None:
    few = {one.id for one in EVERY if len(equivalents.of(one.solution)) + len(OTHERS.get(one.id, ())) < 2}
    assert few == {"00.2", "08.1", "08.2", "13.2"}  # two lines, one loop, one view, one function


@pytest.mark.parametrize("number", lesson_cases(catalogue.lessons()))
def test_right_answers_in_other_words_are_accepted(open_notebook, number: str) -> None:
    notebook = open_notebook()
    for cell, task in code_of(number):
        if task is None:
            notebook.run(cell.source, SECONDS)
            continue
        for answer in (*equivalents.of(task.exercise.solution), *OTHERS.get(task.exercise.id, ())):
            assert is_right(said := task.verdict(notebook, answer), task), f"{said}\n{answer}"
        assert is_right(said := task.verdict(notebook, task.exercise.solution), task), said
    notebook.close()


def is_right(verdict: str, task: Task) -> bool:
    return f"✓ {task.exercise.id} {task.exercise.title}: right." in verdict
