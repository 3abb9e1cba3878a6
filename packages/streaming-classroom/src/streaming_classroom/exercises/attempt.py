"""A learner's attempt as a check sees it: variables, streams, tables and views.

Each method already raises the mistakes that are the same in every exercise, so a check names only what is special about
its own, and a missing ``.start()`` has the same verdict everywhere.

Over Spark Connect, which serverless compute uses, a query does not report its trigger, its output mode or its
checkpoint. These are None then, and a check uses the rows that the stream has read and written.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from streaming_base.errors import short_message
from streaming_classroom.exercises.exercise import Makes, Mistake, NotTried
from streaming_classroom.exercises.made_stream import MadeStream, interval_of
from streaming_classroom.exercises.verdict import difference

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from streaming_classroom.files.directories import Paths
    from streaming_classroom.kafka.topics import LessonKafka

_LONGEST_INTERVAL = 15.0  # seconds between batches that a check waits for
# Advice for errors whose message does not help a beginner, by words of the message.
_ADVICE = {
    "is not supported for no streaming aggregations": (
        "Complete mode emits a whole result, and a query that only passes rows on has none. Leave the output mode out: "
        "the default, append, emits the new rows."
    ),
    "is not a temp view of streaming logical plan": (
        "A view that SQL has made over a stream is a stream already: read it with `spark.table(...)`."
    ),
}


class Attempt:
    """The state of the lesson when a learner asks for a verdict.

    Parameters
    ----------
    spark : SparkSession
        The lesson's session.
    paths : Paths
        The lesson's paths.
    namespace : mapping
        The notebook's variables.
    cell_error : BaseException, optional
        The error of the cell before the check.
    makes : Makes, optional
        What an attempt at the exercise creates.
    kafka : LessonKafka, optional
        The lesson's topics.
    seconds : float
        The timeout of all waits of the check together.
    source : str, optional
        The learner's cell; None if it is unknown.
    """

    def __init__(
        self,
        spark: SparkSession,
        paths: Paths,
        namespace: Mapping[str, Any],
        cell_error: BaseException | None = None,
        makes: Makes | None = None,
        kafka: LessonKafka | None = None,
        seconds: float = 60.0,
        source: str | None = None,
    ) -> None:
        self.spark = spark
        self.paths = paths
        self.kafka = kafka
        self.cell_error = cell_error
        self.source = source
        self.namespace = namespace
        self._makes = makes or Makes()
        self._deadline = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until the check's deadline."""
        return max(0.0, self._deadline - time.monotonic())

    def value(self, name: str) -> Any:
        """Return the value of a variable.

        Raises
        ------
        NotTried
            The variable does not exist or is None, as in the starter.
        Mistake
            Likewise, and the cell has raised an error or created something.
        """
        value = self.namespace.get(name)
        if value is not None:
            return value
        if self.cell_error is None and (trace := self._trace()):
            if name not in self.namespace:
                raise Mistake(f"There is a {trace}, but no variable `{name}`: assign your stream to it.")
            raise Mistake(
                f"There is a {trace}, but `{name}` is None: assign the stream to it that `.start()` or `.toTable(...)` "
                "returns. `awaitTermination()` returns None, so wait in a line of its own."
            )
        raise self._nothing()

    def must_compute(self, name: str, advice: str) -> None:
        """Raise a mistake if the learner's cell assigns a constant to a variable.

        Parameters
        ----------
        advice : str
            How to fix it, one sentence.
        """
        tree = _parsed(self.source or "")
        typed = [
            node for node in ast.walk(tree) if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        ]
        names = {target.id for node in typed for target in node.targets if isinstance(target, ast.Name)}
        if name in names and self.value(name) is not None:
            raise Mistake(f"`{name}` is a number that was typed in; {advice}")

    def stream(self, name: str) -> MadeStream:
        """Return the stream that a variable holds.

        Raises
        ------
        NotTried
            The variable does not exist.
        Mistake
            The variable holds something else, such as a DataFrame that is not written.
        """
        value = self.value(name)
        kind = type(value).__name__
        if kind == "DataFrame":
            what = "a stream that nobody writes yet" if value.isStreaming else "an ordinary DataFrame"
            raise Mistake(f"`{name}` is {what}: a description. End it with `.writeStream`, a sink and `.start()`.")
        if kind == "DataStreamWriter":
            raise Mistake(f"`{name}` is ready to write but was not started: end it with `.start()` or `.toTable(...)`.")
        if not hasattr(value, "runId"):
            article = "an" if kind[:1].lower() in "aeio" else "a"
            raise Mistake(
                f"`{name}` is {article} {kind}, not a stream: assign what `.start()` or `.toTable(...)` returns, and "
                "wait for it in a line of its own."
            )
        return MadeStream(value)

    def view(self, name: str) -> DataFrame:
        """Return a temporary view.

        Raises
        ------
        NotTried
            The view does not exist.
        """
        if not self.spark.catalog.tableExists(name):
            raise self._nothing()
        return self.spark.table(name)

    def table(self, name: str) -> DataFrame:
        """Return a table.

        Raises
        ------
        Mistake
            The table does not exist.
        """
        if not self.spark.catalog.tableExists(name):
            raise Mistake(f"There is no table `{name}`.")
        return self.spark.table(name)

    def messages(self, topic: str) -> DataFrame:
        """Return the messages in one of the lesson's topics, keys and values as text, with offset and time."""
        source = self.spark.read.format("kafka").options(**self.kafka.options)
        texts = ("CAST(key AS STRING) AS key", "CAST(value AS STRING) AS value")
        messages = source.option("subscribe", self.kafka.topic(topic)).load()
        return messages.selectExpr("partition", "offset", *texts, "timestamp")

    def wait_for_end(self, stream: MadeStream, advice: str, seconds: float = 30.0) -> None:
        """Wait for the end of a stream; raise a mistake if it keeps running or has failed.

        Parameters
        ----------
        advice : str
            How to fix a stream that keeps running, one sentence.
        seconds : float
            The timeout; less if the check has less time left.
        """
        will_end = stream.trigger in ("availableNow", "once")  # a slow machine, and no wrong answer
        busy = "Your stream has not finished yet: it is still processing. Run the check again later."
        self._must_end(stream, busy if will_end else f"Your stream is still running. {advice}", seconds)

    def _must_end(self, stream: MadeStream, otherwise: str, seconds: float) -> None:
        if not stream.has_ended(min(seconds, self.left)):
            raise Mistake(otherwise)
        self.must_not_have_failed(stream)

    def wait_until_idle(self, stream: MadeStream, seconds: float = 30.0) -> None:
        """Wait until a stream has processed the available data; raise a mistake if it has ended."""
        between = min(interval_of(stream.trigger) or 0.0, _LONGEST_INTERVAL)  # idle, although data are available
        if not stream.is_idle(min(seconds + 2 * between, self.left)):
            self.must_not_have_failed(stream)
            if stream.is_active:
                raise Mistake(
                    "Your stream is still busy after half a minute. Either it reads something that never ends, or this "
                    "machine is busy: then check again."
                )
            raise Mistake("Your stream has ended, but it must keep running: omit the trigger, or set an interval.")

    def must_have_checkpoint(self, stream: MadeStream, name: str) -> None:
        """Raise a mistake if a stream's checkpoint is not the directory of this name; over Spark Connect, never.

        A stream that has read nothing and has a checkpoint of another name most likely uses another query's.
        """
        if stream.checkpoint is None:
            return
        asked = f"{self.paths.checkpoints}/{name}"
        if self._is_same_folder(stream.checkpoint, asked):
            return
        found = stream.checkpoint.rstrip("/").rpartition("/")[2]
        if found.startswith("temporary-"):  # Spark's own name for one that goes away with the session
            raise Mistake(
                "Your stream has no checkpoint that lasts: Spark made a temporary one, so the next run would read "
                f"everything again. Set `checkpointLocation` to `.../{name}`."
            )
        if not stream.rows_read:
            raise Mistake(
                f"Your stream has read nothing. Its checkpoint `{found}` belongs to another query, and says that "
                f"everything has been read. Every query needs a checkpoint of its own: `.../{name}`."
            )
        if found == name:
            raise Mistake(f"Its checkpoint is `{stream.checkpoint}`; `{asked}` was asked for.")
        raise Mistake(f"Its checkpoint is `{found}`; `{name}` was asked for.")

    def must_not_have_failed(self, stream: MadeStream) -> None:
        """Raise a mistake with Spark's message if a stream has failed."""
        if stream.error is not None:
            raise Mistake(f"Your stream has failed. Spark says: {short_message(stream.error)}")

    def must_have_read(self, stream: MadeStream, rows: int) -> None:
        """Raise a mistake if a stream has read too few rows because it resumed from a used checkpoint.

        A stream that began with batch 0 has another reason, such as a filter, which a comparison of its rows shows.

        Parameters
        ----------
        rows : int
            The least number of rows; for a query with a filter the rows that pass, as a source may skip the others.
        """
        if (read := sum(stream.rows_read)) < rows and not stream.began_with_batch_0:
            raise Mistake(
                f"Your stream has read {read:,} of {rows:,} rows: its checkpoint says that the others are done, "
                "because another query, or an earlier run, has used it. Every query needs a checkpoint of its own."
            )

    def rows_of_stream(self, frame: DataFrame, mode: str = "append", seconds: float = 40.0) -> DataFrame:
        """Run a streaming frame over the available data, with a stream of the check's own, and return its rows.

        Raises
        ------
        Mistake
            The stream does not end, or fails.
        """
        name = f"check_{uuid4().hex}"
        writer = frame.writeStream.format("memory").queryName(name).outputMode(mode)
        query = writer.trigger(availableNow=True).start()
        try:
            otherwise = "It is not processed to its end: it never ends, or this machine is busy. Check again."
            self._must_end(MadeStream(query), otherwise, seconds)
            rows = self.spark.table(name)
            return self.spark.createDataFrame(rows.collect(), rows.schema)
        finally:
            query.stop()
            self.spark.sql(f"DROP VIEW IF EXISTS {name}")

    def rows_of_files(self, landed: DataFrame) -> list[int]:
        """Return the number of rows per file of a batch frame, in the order in which a stream reads the files."""
        files = landed.groupBy("_metadata.file_path", "_metadata.file_modification_time").count()
        return [row["count"] for row in files.orderBy("file_modification_time", "file_path").collect()]

    def compare(self, made: DataFrame, right: DataFrame, name: str) -> None:
        """Compare the rows of two frames, in any order.

        Raises
        ------
        Mistake
            Columns or rows differ: with the missing rows and the surplus ones.
        """
        if found := difference(made, right, name):
            raise Mistake(found.sentence, found.table)

    def is_same(self, made: DataFrame, wrong: DataFrame) -> bool:
        """Whether the rows are exactly those of a known mistake."""
        return difference(made, wrong, "") is None

    def _is_same_folder(self, one: str, other: str) -> bool:
        if one.rstrip("/") == other.rstrip("/"):
            return True
        with suppress(Exception):  # one of them is not on this machine
            return self.paths.local(one) == self.paths.local(other)
        return False

    def _trace(self) -> str:
        """Return the name of something that only an attempt can have created; empty if there is nothing."""
        if self._makes.by_starter:
            return ""
        tables = [name for name in (*self._makes.tables, *self._makes.views) if self.spark.catalog.tableExists(name)]
        folders = [name for name in self._makes.folders if self.paths.exists(f"{self.paths.working_dir}/{name}")]
        return next(iter([f"table `{name}`" for name in tables] + [f"directory `{name}`" for name in folders]), "")

    def _nothing(self) -> NotTried | Mistake:
        if self.cell_error is None:
            return NotTried()
        said = f"Your cell raised an error, so there is nothing to look at: {self.words_of_error}"
        advice = [advice for words, advice in _ADVICE.items() if words in str(self.cell_error)]
        return Mistake("\n".join([said, *advice]))

    @property
    def words_of_error(self) -> str:
        """The first line of the error of the cell before the check; empty without an error."""
        if self.cell_error is None:
            return ""
        return f"{type(self.cell_error).__name__}: {short_message(self.cell_error)}".splitlines()[0]


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError:  # a cell with magics
        return ast.Module([], [])
