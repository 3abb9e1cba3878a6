"""A learner's attempt as a check sees it: variables, streams, tables and views.

Each question has a sentence for the one who has made something else: so a check names only what is special about its
exercise, and whoever forgets ``.start()`` is told the same in each of them.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from streaming_base.errors import short_message
from streaming_classroom.exercises.made_stream import MadeStream, Makes, Mistake, NotTried, interval_of
from streaming_classroom.exercises.same_rows import difference

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from streaming_classroom.files.directories import Paths
    from streaming_classroom.kafka.topics import LessonKafka

_LONGEST_INTERVAL = 15.0  # seconds between batches that a check waits for
# What Spark's own words do not tell a beginner, by some of them.
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
    """What is there when a learner asks for a verdict.

    Parameters
    ----------
    spark : SparkSession
        The lesson's session.
    paths : Paths
        The lesson's paths.
    namespace : mapping
        The notebook's variables.
    cell_error : BaseException, optional
        What the cell before the check has ended with.
    makes : Makes, optional
        What the exercise leaves behind where it was tried.
    kafka : LessonKafka, optional
        The lesson's topics.
    seconds : float
        How long all waits of the check may take together.
    source : str, optional
        The learner's cell; None where nothing tells it.
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
        """Return what a variable holds.

        Raises
        ------
        NotTried
            It is not there, or None, as in the starter.
        Mistake
            Likewise, and the cell raised an error.
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
        """Raise a mistake if the learner's cell assigns a variable nothing but a constant.

        Parameters
        ----------
        advice : str
            What to do instead, one sentence.
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
            There is none.
        Mistake
            The variable holds something else, such as a DataFrame that nobody has written.
        """
        value = self.value(name)
        kind = type(value).__name__
        if kind == "DataFrame":
            what = "a stream that nobody writes yet" if value.isStreaming else "an ordinary DataFrame"
            raise Mistake(f"`{name}` is {what}: a description. End it with `.writeStream`, a sink and `.start()`.")
        if kind == "DataStreamWriter":
            raise Mistake(f"`{name}` is ready to write but was not started: end it with `.start()` or `.toTable(...)`.")
        if not hasattr(value, "runId"):
            raise Mistake(
                f"`{name}` is {_article(kind)}, not a stream: assign what `.start()` or `.toTable(...)` returns, and "
                "wait for it in a line of its own."
            )
        return MadeStream(value)

    def view(self, name: str) -> DataFrame:
        """Return a temporary view.

        Raises
        ------
        NotTried
            There is none of that name.
        """
        if not self.spark.catalog.tableExists(name):
            raise self._nothing()
        return self.spark.table(name)

    def table(self, name: str) -> DataFrame:
        """Return a table that must be there by now.

        Raises
        ------
        Mistake
            There is none of that name.
        """
        if not self.spark.catalog.tableExists(name):
            raise Mistake(f"There is no table `{name}`.")
        return self.spark.table(name)

    def messages(self, topic: str) -> DataFrame:
        """Return what is in one of the lesson's topics now, keys and values as text, with place and time."""
        source = self.spark.read.format("kafka").options(**self.kafka.options)
        texts = ("CAST(key AS STRING) AS key", "CAST(value AS STRING) AS value")
        messages = source.option("subscribe", self.kafka.topic(topic)).load()
        return messages.selectExpr("partition", "offset", *texts, "timestamp")

    def wait_for_end(self, stream: MadeStream, advice: str, seconds: float = 30.0) -> None:
        """Return when a stream has ended; one that continues, and one that has failed, is a mistake.

        Parameters
        ----------
        advice : str
            What to say to the one whose stream continues, one sentence.
        seconds : float
            How long to wait, at most; less where the check has less left.
        """
        will_end = stream.trigger in ("availableNow", "once")  # a slow machine, and no wrong answer
        busy = "Your stream has not finished yet: it is still processing. Run the check again later."
        self._must_end(stream, busy if will_end else f"Your stream is still running. {advice}", seconds)

    def _must_end(self, stream: MadeStream, otherwise: str, seconds: float) -> None:
        if not stream.has_ended(min(seconds, self.left)):
            raise Mistake(otherwise)
        self.must_not_have_failed(stream)

    def wait_until_idle(self, stream: MadeStream, seconds: float = 30.0) -> None:
        """Return when a stream that is to continue has processed what is there; one that has ended is a mistake."""
        between = min(interval_of(stream.trigger) or 0.0, _LONGEST_INTERVAL)  # in which a stream with work only waits
        if not stream.is_idle(min(seconds + 2 * between, self.left)):
            self.must_not_have_failed(stream)
            if stream.is_active:
                raise Mistake(
                    "Your stream is still busy after half a minute. Either it reads something that never ends, or this "
                    "machine is busy: then check again."
                )
            raise Mistake("Your stream has ended, but it must keep running: omit the trigger, or set an interval.")

    def must_have_checkpoint(self, stream: MadeStream, name: str) -> None:
        """Raise a mistake if a stream's checkpoint is not the directory of this name; none where nothing tells it.

        A stream that has read nothing with a checkpoint of another name has most likely another query's.
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
        """Raise a mistake with Spark's own words if a stream has failed."""
        if stream.error is not None:
            raise Mistake(f"Your stream has failed. Spark says: {short_message(stream.error)}")

    def must_have_read(self, stream: MadeStream, rows: int) -> None:
        """Raise a mistake if a stream has read fewer rows than it must because it resumed from what others have done.

        One that began with batch 0 has read fewer for another reason, such as a filter, which its rows will tell.

        Parameters
        ----------
        rows : int
            How many it must have read; of a query with a filter those it keeps, as a source may leave out the others.
        """
        if (read := sum(stream.rows_read)) < rows and not stream.began_with_batch_0:
            raise Mistake(
                f"Your stream has read {read:,} of {rows:,} rows: its checkpoint says that the others are done, "
                "because another query, or an earlier run, has used it. Every query needs a checkpoint of its own."
            )

    def rows_of_stream(self, frame: DataFrame, mode: str = "append", seconds: float = 40.0) -> DataFrame:
        """Return what a streaming frame gives for all that is there now, by a stream of the check's own.

        Raises
        ------
        Mistake
            It does not come to an end, or fails.
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
        """Return how many rows each file of a batch frame has, in the order in which a stream reads the files."""
        files = landed.groupBy("_metadata.file_path", "_metadata.file_modification_time").count()
        return [row["count"] for row in files.orderBy("file_modification_time", "file_path").collect()]

    def compare(self, made: DataFrame, right: DataFrame, name: str) -> None:
        """Compare the rows of two frames, whatever their order; say what is missing and what is too many.

        Raises
        ------
        Mistake
            Columns or rows differ.
        """
        if found := difference(made, right, name):
            raise Mistake(found.sentence, found.table)

    def is_same(self, made: DataFrame, wrong: DataFrame) -> bool:
        """Whether rows are exactly those that a known mistake gives."""
        return difference(made, wrong, "") is None

    def _is_same_folder(self, one: str, other: str) -> bool:
        if one.rstrip("/") == other.rstrip("/"):
            return True
        with suppress(Exception):  # one of them is not on this machine
            return self.paths.local(one) == self.paths.local(other)
        return False

    def _trace(self) -> str:
        """Return in words what only a try can have left; empty where there is nothing."""
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
        """The first line of what the cell before has ended with, as it was shown; empty where it ended well."""
        if self.cell_error is None:
            return ""
        return f"{type(self.cell_error).__name__}: {short_message(self.cell_error)}".splitlines()[0]


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError:  # a cell with magics
        return ast.Module([], [])


def _article(kind: str) -> str:
    return f"{'an' if kind[:1].lower() in 'aeio' else 'a'} {kind}"
