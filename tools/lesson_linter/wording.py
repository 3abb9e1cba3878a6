"""Phrases that no lesson uses, each with what the field says instead.

They read as translated, or give a private name to what Spark's guide, an error message and a colleague call otherwise.
A phrase is on the list only if it is wrong wherever it stands: no pattern has an exception.  Titles of exercises are
left out, since their source is elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from streaming_classroom.exercises.question import Question

from .lesson_file import Lesson
from .passages import passages
from .problem import Problem
from .questions import quiz_questions

RULE = "wording"
_TITLE_OF_AN_EXERCISE = "Your turn "


@dataclass(frozen=True)
class RuledOut:
    """A phrase that is ruled out, and the sentence that says what to write."""

    pattern: re.Pattern[str]
    instead: str

    @classmethod
    def of(cls, pattern: str, instead: str) -> RuledOut:
        """Return the phrase of a pattern in which a blank is any white space, in upper or lower case."""
        return cls(re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE), instead)


_STREAM = r"(?:quer(?:y|ies)|streams?|checkpoints?|sinks?|sources?|tables?|joins?|Spark)"
_UNIT = r"(?:batch|device|key|customer|patient|partition|window|version|line|order)"
RULED_OUT = (
    RuledOut.of(r"\bmend(?:s|ed|ing)?\b", "say that it is fixed or repaired"),
    RuledOut.of(r"\banew\b", "say 'again'"),
    RuledOut.of(r"\b(?:begins?|began|comes?|came) again\b", "say that it restarts, is replayed or arrives again"),
    RuledOut.of(r"\b(?:go|goes|went|gone) on\b", "say that it continues or keeps running"),
    RuledOut.of(r"\b(?:lies|lay|lying) (?:in|below|beside|there|where)\b", "say where it is, or is stored"),
    RuledOut.of(r"\bhand(?:s|ed|ing)? (?:over|on|out)\b", "say that a query emits rows, or that a value is passed on"),
    RuledOut.of(r"(?:^|[.:;?!] )(who(?:ever)?\b[^.?!:;]*\.)", "begin with 'If you …' instead of 'Who …'"),
    RuledOut.of(r"\bnoted as done\b|\bnotes? (?:that )?(?:it is )?done\b", "say that a batch is committed"),
    RuledOut.of(rf"\b{_STREAM} (?:must |has to |can )?remembers?\b", "say what is kept in the state or the checkpoint"),
    RuledOut.of(rf"\b{_STREAM} looks? (?:again|for|into)\b", "say that a query polls, or checks for, new data"),
    RuledOut.of(r"\bkeeps? (?:the|an?|all|every|no) (?:rules?|expectations?)\b", "say that a row meets an expectation"),
    RuledOut.of(r"\bbreaks? (?:the|an?|no|more than one|its) (?:rule|expectation)s?\b", "say that a row violates it"),
    RuledOut.of(rf"\b(?:an?|one|two|three|\d+) [a-z]+ an? {_UNIT}\b", "say 'per': one file per batch"),
    RuledOut.of(
        r"\b(?:that|which|and) (?:is|are) none\b",
        "say what it is, or that there is none: 'no limit' for 'a limit that is none'",
    ),
    RuledOut.of(r"\bthe one before\b", "name it: the previous batch, the last run"),
    RuledOut.of(r"\bcomes? (?:too )?late\b", "say that it is, or arrives, late"),
    RuledOut.of(r"\bjudg(?:e|es|ed|ing)\b", "say that a row is checked"),
    RuledOut.of(r"\bwithout a word\b|\bnot a word\b|\bsays? nothing of\b", "say 'silently' or 'without an error'"),
    RuledOut.of(r"\bwhat becomes? of\b", "say what happens to it"),
    RuledOut.of(r"\bfor ever\b", "write 'forever'"),
)


def wording(lesson: Lesson) -> Iterator[Problem]:
    """No text of a lesson or its quiz has a phrase that is ruled out."""
    for cell in lesson.markdown:
        for passage in passages(cell.source):
            if passage.text.startswith(_TITLE_OF_AN_EXERCISE):
                continue
            for offset, message in found(passage.text):
                yield lesson.problem(RULE, message, cell, passage.line_at(offset))
    for number, question in enumerate(quiz_questions(lesson), start=1):
        for text in _texts(question):
            for _offset, message in found(text):
                yield lesson.problem(RULE, f"in question {number} of the quiz: {message}")


def found(text: str) -> Iterator[tuple[int, str]]:
    """Yield each phrase of a text that is ruled out: where it begins, and what to do."""
    for phrase in RULED_OUT:
        for match in phrase.pattern.finditer(text):
            group = match.lastindex or 0  # without what stands in front of it
            shown = " ".join(match[group].split())
            yield match.start(group), f"{phrase.instead}: '{shown[:40]}'"


def _texts(question: Question) -> Iterator[str]:
    yield question.text
    for choice in question.choices:
        yield choice.text
        yield choice.reason
