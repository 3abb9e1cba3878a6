"""Exercises of lesson 02: limit a stream's batches, and repair a query that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, MadeStream, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

SCHEMA = """
    Arrival_Time LONG, Creation_Time LONG, Device STRING, Index LONG, Model STRING,
    User STRING, gt STRING, x DOUBLE, y DOUBLE, z DOUBLE
"""


def _landed(attempt: Attempt) -> DataFrame:
    return attempt.spark.read.schema(SCHEMA).json(attempt.paths.landing)


# ------------------------------------------------------------------------------------------- 02.1 the size of a batch

LIMIT_STARTER = """
DA.exercise("02.1")  # removes what an earlier attempt created

fitting = None  # read and write the stream here
"""

LIMIT_SOLUTION = """
DA.exercise("02.1")  # removes what an earlier attempt created

fitting = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 2)
    .json(DA.paths.landing)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/fitting")
    .trigger(availableNow=True)
    .start())
"""

FITS = 7_000  # recordings


def check_fitting(attempt: Attempt) -> None:
    """Look for a batch that is too large, then for batches that two would have fitted into."""
    stream = attempt.stream("fitting")
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`."
    )
    attempt.must_have_checkpoint(stream, "fitting")
    read = stream.rows_read
    if max(read, default=0) > FITS:
        raise Mistake(_too_large(stream, max(read)))
    files = _files_with(sum(read), attempt.rows_of_files(_landed(attempt)))
    largest = FITS // max(files, default=FITS)
    if len(read) > -(-len(files) // largest):
        raise Mistake(
            f"Each batch fits, but there are {len(read)} batches of {_list(read)} recordings. Fewer are possible: how "
            f"many files together have at most {FITS:,}?"
        )
    if sum(read) != sum(files):
        raise Mistake("The stream has not read all recordings in the landing directory.")


def _too_large(stream: MadeStream, rows: int) -> str:
    too_large = f"A batch has read {rows:,} recordings, and {FITS:,} fit."
    if stream.trigger == "once":
        return f"{too_large} `once` ignores every limit; `availableNow` respects it."
    return (
        f"{too_large} `maxFilesPerTrigger` sets how many files a batch reads. It is an option of the reader: set it "
        "before `.json(...)`. The writer accepts the option but ignores it."
    )


def _files_with(rows: int, files: list[int]) -> list[int]:
    """Return the first files with so many rows: more may have landed since the stream has ended."""
    return next((files[:number] for number in range(len(files)) if sum(files[:number]) == rows), files)


def _list(numbers: list[int]) -> str:
    return ", ".join(f"{number:,}" for number in numbers)


def _row(number: int, **values: object) -> dict[str, object]:
    row: dict[str, object] = {"Arrival_Time": 1_709_596_800_000 + number, "Device": "phone_9", "Index": number}
    return row | {"User": "z", "gt": "walk", "x": 2.0, "y": 4.0, "z": 1.0} | values


def _five_files(sandbox: Sandbox) -> None:
    """Land five files of 3,000 recordings: two of them fit into a batch, and a third one does not."""
    sandbox.keep(schema=SCHEMA)
    for number in range(5):
        sandbox.file(f"part-{number}.json", [_row(row) for row in range(3000)])


def _three_more_files(sandbox: Sandbox) -> None:
    """Land three more files, which the next run must read in two batches, without the first five."""
    for number in (5, 6, 7):
        sandbox.file(f"part-{number}.json", [_row(row) for row in range(3000)])


LIMIT = Exercise(
    id="02.1",
    title="A batch that fits",
    starter=LIMIT_STARTER,
    hints=(
        "How many recordings has one file? The lists that the two queries above have printed tell you.",
        "Two files fit into a batch, three don't. The option that limits the files belongs to the reader.",
        "Like the query above, with another limit, and with a checkpoint: "
        '`.option("checkpointLocation", f"{DA.paths.checkpoints}/fitting")`. Assign what `.start()` returns.',
    ),
    solution=LIMIT_SOLUTION,
    why=(
        "The source limits a batch by files or bytes, not by rows, so you must know how many rows a file has. If files "
        "have different sizes, leave room for the largest ones. The checkpoint records what the query has read: with "
        "another query's checkpoint, it would resume where that query stopped."
    ),
    check=check_fitting,
    hidden=(
        HiddenTest(
            _five_files,
            (planted.batch_sizes("fitting"),),
            later=(_three_more_files,),
            says="Your cell was run on five other files of 3,000 recordings, and on three more after a restart.",
        ),
    ),
    wrong=(
        WrongAnswer(
            LIMIT_SOLUTION.replace('    .option("maxFilesPerTrigger", 2)\n', "").replace(
                '.format("noop")', '.format("noop")\n    .option("maxFilesPerTrigger", 2)'
            ),
            "an option of the reader",
        ),
        WrongAnswer(
            LIMIT_SOLUTION.replace('("maxFilesPerTrigger", 2)', '("maxFilesPerTrigger", 1)'), "Each batch fits"
        ),
        WrongAnswer(LIMIT_SOLUTION.replace('("maxFilesPerTrigger", 2)', '("maxFilesPerTrigger", 3)'), "and 7,000 fit"),
        WrongAnswer(LIMIT_SOLUTION.replace("/fitting", "/no-limit"), "belongs to another query"),
        WrongAnswer(
            LIMIT_SOLUTION.replace('    .option("checkpointLocation", f"{DA.paths.checkpoints}/fitting")\n', ""),
            "temporary one",
        ),
        WrongAnswer(LIMIT_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(LIMIT_SOLUTION.replace("availableNow", "once"), "ignores every limit"),
        WrongAnswer(LIMIT_SOLUTION.replace("readStream", "read"), "raised an error"),
        WrongAnswer(LIMIT_SOLUTION.replace("    .schema(schema)\n", ""), "raised an error"),
        WrongAnswer(LIMIT_SOLUTION.partition("    .writeStream")[0].rstrip() + ")\n", "a stream that nobody writes"),
        WrongAnswer(LIMIT_SOLUTION.replace("    .start())", "    .start()\n    .awaitTermination())"), "is None"),
        WrongAnswer(
            LIMIT_SOLUTION.replace("fitting = (", "(").replace(
                "    .start())", "    .start()\n    .awaitTermination())"
            ),
            "no variable `fitting`",
        ),
    ),
    makes=Makes(variables=("fitting",), folders=("checkpoints/fitting",)),
)

# --------------------------------------------------------------------------------------- 02.2 a stream that has died

REPAIR_DYING = """
DA.exercise("02.2")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

dying = (one_file_a_batch
    .select("Device", "Index", (F.col("y") / F.col("x")).alias("slope"))
    .writeStream
    .format("parquet")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/slopes")
    .trigger(availableNow=True)
    .start(f"{DA.paths.working_dir}/slopes"))
try:
    dying.awaitTermination(60)
except StreamingQueryException:  # so that this cell continues after the stream has failed
    print("batches that were done:", len(dying.recentProgress))

"""

REPAIR_STARTER = REPAIR_DYING + "mended = None  # start the repaired query here\n"

REPAIR_MENDED = """
mended = (one_file_a_batch
    .select("Device", "Index", F.try_divide("y", "x").alias("slope"))
    .writeStream
    .format("parquet")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/slopes")
    .trigger(availableNow=True)
    .start(f"{DA.paths.working_dir}/slopes"))
"""


ELSEWHERE = (
    "`mended` writes to another directory. The first nine batches are in `slopes`, and the query resumes with the "
    "tenth: use the same output directory."
)


def check_repaired(attempt: Attempt) -> None:
    """Ask first whether it is the same query that goes on, then whether each recording is there once."""
    dying = attempt.stream("dying")
    dying.has_ended(min(30.0, attempt.left))  # on a busy machine the cell has stopped waiting before it fails
    if dying.error is None:
        raise Mistake(
            "`dying` has not failed, so there is nothing to repair. Leave its code unchanged, run it after all cells "
            "above, and start the repaired query below it, in `mended`."
        )
    mended = attempt.stream("mended")
    mended.has_ended(min(30.0, attempt.left))
    if "BATCH_METADATA_NOT_FOUND" in str(mended.error):  # the new directory's log lacks the batches before
        raise Mistake(ELSEWHERE)
    attempt.wait_for_end(mended, "Use the same trigger as before: `.trigger(availableNow=True)`.")
    if mended.query.id != dying.query.id:
        raise Mistake(
            "`mended` is a new query: it has another checkpoint and started at the first file. To resume, a repaired "
            "query needs its original checkpoint: `.../slopes`."
        )
    folder = f"{attempt.paths.working_dir}/slopes"
    if not mended.sink.rstrip("]").endswith("/slopes"):
        raise Mistake(ELSEWHERE)
    made = attempt.spark.read.schema("Device STRING, Index LONG, slope DOUBLE").parquet(folder)
    right = _landed(attempt).selectExpr("Device", "Index", "try_divide(y, x) AS slope")
    if attempt.is_same(made, right.where("slope IS NOT NULL")):
        raise Mistake(
            "The recording whose `x` is 0 is missing. It must be in the output, with NULL as its slope: divide with "
            "`try_divide`, and do not filter."
        )
    attempt.compare(made, right, "slopes")


def _two_zeros(sandbox: Sandbox) -> None:
    """Land four files; the second and the last have a row that cannot be divided."""
    for number in range(4):
        rows = [_row(10 * number + row, y=float(row + 1), x=0.0 if row == number % 2 == 1 else 4.0) for row in range(3)]
        sandbox.file(f"part-{number}.json", [*rows, _row(10 * number + 9, y=None)])
    stream = sandbox.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(sandbox.paths.landing)
    sandbox.keep(schema=SCHEMA, one_file_a_batch=stream)


def _slopes(sandbox: Sandbox) -> DataFrame:
    return sandbox.spark.read.schema("Device STRING, Index LONG, slope DOUBLE").parquet(
        f"{sandbox.paths.working_dir}/slopes"
    )


REPAIR = Exercise(
    id="02.2",
    title="Repair the query without losing data",
    starter=REPAIR_STARTER,
    hints=(
        "`dying.exception()` returns the reason for the failure. The message ends with advice.",
        '`F.try_divide("y", "x").alias("slope")` returns NULL where `/` raises an error.',
        "Keep everything else: the format, the trigger, the directory, and above all the checkpoint, which records "
        "the completed batches.",
    ),
    solution=REPAIR_DYING.rstrip() + "\n" + REPAIR_MENDED,
    why=(
        "The checkpoint records the completed batches, so the repaired query resumes with the batch that failed: no "
        "file is processed twice, and no file is skipped. With a new checkpoint it would be a new query, which "
        "starts at the first file."
    ),
    check=check_repaired,
    hidden=(
        HiddenTest(
            _two_zeros,
            (_slopes,),
            may_fail=("dying",),
            says="Your cell was run on other files, in which the division fails for two rows.",
        ),
    ),
    wrong=(
        WrongAnswer(
            REPAIR_DYING + REPAIR_MENDED.replace('F.try_divide("y", "x")', '(F.col("y") / F.col("x"))'),
            "Your stream has failed",
        ),
        WrongAnswer(
            REPAIR_DYING + REPAIR_MENDED.replace("checkpoints}/slopes", "checkpoints}/slopes_mended"),
            "is a new query",
        ),
        WrongAnswer(
            REPAIR_DYING + REPAIR_MENDED.replace("working_dir}/slopes", "working_dir}/slopes_mended"),
            "writes to another directory",
        ),
        WrongAnswer(
            REPAIR_DYING + REPAIR_MENDED.replace("    .select(", '    .where("x != 0")\n    .select('),
            "whose `x` is 0 is missing",
        ),
        WrongAnswer(
            REPAIR_DYING + REPAIR_MENDED.replace('F.try_divide("y", "x")', 'F.expr("coalesce(try_divide(y, x), 0)")'),
            "1 row is missing and 1 row should not be there",
        ),
        WrongAnswer(REPAIR_DYING + REPAIR_MENDED.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(
            REPAIR_DYING.replace('(F.col("y") / F.col("x"))', 'F.try_divide("y", "x")') + "mended = dying\n",
            "`dying` has not failed",
        ),
        WrongAnswer(REPAIR_DYING + REPAIR_MENDED.replace("    .start(", "    .save("), "raised an error"),
    ),
    makes=Makes(
        variables=("dying", "mended"),
        folders=("checkpoints/slopes", "checkpoints/slopes_mended", "slopes", "slopes_mended"),
        by_starter=True,
    ),
)

EXERCISES = (LIMIT, REPAIR)
