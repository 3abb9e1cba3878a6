"""A planner that is killed at any moment: every acknowledged file is in the log once, and the next one continues."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pyspark_cloudfiles.file_log import FileLog
from pyspark_cloudfiles.filesystems.files import SourceFile

from .conftest import KilledError, Kills

pytestmark = pytest.mark.slow

KILLS_PER_STORE = 60
FILES = 20  # of one life: two merges; a program of several lives has more


class Program:
    """A stream that finds one file more each time, with the checkpoint that survives it."""

    def __init__(self, log: str) -> None:
        self._log = log
        self.acknowledged: list[str] = []
        self.landed = 0

    def run(self, files: int) -> None:
        """Plan batches as a restarted stream does: all that has landed is listed again."""
        log = FileLog(self._log, acknowledged=len(self.acknowledged))
        self.check(log)
        for _ in range(files):
            self.landed += 1
            log.add(SourceFile(f"file:/in/{number:04d}", number, number) for number in range(self.landed))
            self.acknowledged += [file.url for file in log.files(len(self.acknowledged), len(log))]

    def check(self, log: FileLog) -> None:
        assert [file.url for file in log.files(0, len(self.acknowledged))] == self.acknowledged
        assert len(set(self.acknowledged)) == len(self.acknowledged)


def test_every_acknowledged_file_stays_once_and_the_stream_goes_on(new_directory: Callable[[], str], kills: Kills):
    chance = random.Random(8)
    hit = 0
    for program in programs(new_directory):
        # Early ones hit the start, later ones appends, merges and what is removed after them.
        kills.at(chance.choice([chance.randint(1, 12), chance.randint(1, 55)]), chance.random() < 0.5)
        hit += lives_until_killed(program)
        kills.restart()
        program.run(3)
        assert len(program.acknowledged) == program.landed
        program.check(FileLog(program._log))
    assert hit > KILLS_PER_STORE * 0.9, f"{hit} of {KILLS_PER_STORE} kills hit a stream at work"
    assert {what.split()[0] for what in kills.happened} > {"write_atomically", "delete"}


def programs(new_directory: Callable[[], str]) -> Iterator[Program]:
    """Yield a program for each kill; every third is the same as before, which is killed again."""
    program = Program(new_directory())
    for number in range(KILLS_PER_STORE):
        if number % 3 == 0:
            program = Program(new_directory())
        yield program


def lives_until_killed(program: Program, files: int = FILES) -> bool:
    try:
        program.run(files)
    except KilledError:
        return True
    return False


def test_each_single_operation_of_a_merge_may_be_the_last(kills: Kills, tmp_path: Path) -> None:
    """Nothing by chance: eight appends, the merge of them, and the removal of what was merged."""
    point, hit = 0, True
    while hit:
        point += 1
        for is_before in (True, False):
            program = Program(f"file:{tmp_path}/{point}-{is_before}")
            kills.at(point, is_before)
            hit = lives_until_killed(program, 8)
            kills.restart()
            program.run(9)
            assert len(program.acknowledged) == program.landed
    assert point > 20
