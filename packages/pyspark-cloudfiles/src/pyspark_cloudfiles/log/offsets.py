"""The offset of a stream: how many files of its log it has read.

It stays small, whatever the number of files.  It names its log, because a checkpoint and its log belong together: with
a new checkpoint the stream begins a new log and reads everything again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark_cloudfiles.errors import StateLost

SOURCE_VERSION = 1


@dataclass(frozen=True)
class Offset:
    """A position.

    Parameters
    ----------
    seq_num : int
        Files of the log before it.
    num_bytes : int
        The size of those files.
    log : str
        URL of the log's directory; its last part is an id that no other stream has.
    path : str
        What the stream reads, for reports.
    existing : int
        How many files at the log's beginning are passed over, because they were there before the stream
        (``cloudFiles.includeExistingFiles``); -1 before the stream has looked.
    """

    seq_num: int
    num_bytes: int
    log: str
    path: str
    existing: int = 0

    def to_json(self) -> dict:
        """Return what Spark keeps in the checkpoint."""
        return {
            "seqNum": self.seq_num,
            "sourceVersion": SOURCE_VERSION,
            "numBytes": self.num_bytes,
            "existing": self.existing,
            "log": self.log,
            "path": self.path,
        }

    @staticmethod
    def from_json(content: dict) -> Offset:
        """Return the offset that :meth:`to_json` made.

        Raises
        ------
        StateLost
            It is another source's.
        """
        try:
            return Offset(content["seqNum"], content["numBytes"], content["log"], content["path"], content["existing"])
        except (KeyError, TypeError) as error:
            raise StateLost(
                f"The checkpoint was written by another source (its offset is {content}). Use a new checkpointLocation."
            ) from error

    def at(self, seq_num: int, num_bytes: int) -> Offset:
        """Return another position in the same log."""
        return replace(self, seq_num=seq_num, num_bytes=num_bytes)
