"""On compute that refuses endless triggers, a displayed stream is a frame now and one after each landing."""

from __future__ import annotations

from typing import Any

from pyspark.errors import AnalysisException

from streaming_classroom.session import repeated_starts


class Query:
    isActive, name = True, "high"

    def stop(self) -> None:
        self.isActive = False

    def processAllAvailable(self) -> None:
        """Do nothing: the rows are there."""


class Stream:
    """A streaming frame without an aggregation, its own writer and session."""

    isStreaming = True

    def __init__(self) -> None:
        self.sparkSession = self.writeStream = self
        self.mode, self.query = "", Query()

    def format(self, _name: str) -> Stream:
        return self

    def queryName(self, _name: str) -> Stream:
        return self

    def outputMode(self, mode: str) -> Stream:
        self.mode = mode
        return self

    def start(self) -> Query:
        if self.mode == "complete":
            raise AnalysisException("complete is not supported without an aggregation")
        return self.query

    def table(self, name: str) -> str:
        return f"rows of {name}"


def test_a_stream_is_shown_now_and_after_each_landing_until_it_stops() -> None:
    shown: list[Any] = []
    display, stream = repeated_starts.wrap_display(lambda value, **_options: shown.append(value)), Stream()
    display(stream, streamName="high", view="Chart")
    repeated_starts.show_again()
    stream.query.isActive = False
    repeated_starts.show_again()
    assert shown == ["rows of `high`"] * 2 and stream.mode == "append"


def test_a_stream_of_the_same_name_replaces_the_one_before() -> None:
    display = repeated_starts.wrap_display(lambda _value, **_options: None)
    first, second = Stream(), Stream()
    display(first, streamName="high")
    display(second, streamName="high")
    assert not first.query.isActive and second.query.isActive


def test_anything_else_is_shown_by_the_platform() -> None:
    shown: list[Any] = []
    repeated_starts.wrap_display(lambda value, **options: shown.append((value, options)))([1, 2], summary=True)
    assert shown == [([1, 2], {"summary": True})]
