"""Phrases that no lesson and no code uses, each with the field's phrase.

They read as translated, or give a private name to a thing that Spark's guide and error messages name otherwise.  A
phrase is on the list only if it is wrong wherever it stands: no pattern has an exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .exercises import quiz_questions
from .lesson import Lesson, Problem
from .markdown import passages

_STREAM = r"(?:quer(?:y|ies)|streams?|checkpoints?|sinks?|sources?|tables?|joins?|Spark)"
_UNIT = r"(?:batch|device|key|customer|patient|partition|window|version|line|order)"
# In a pattern, a blank is any white space.
_RULED_OUT = {
    r"\bmend(?:s|ed|ing)?\b": "say that it is fixed or repaired",
    r"\banew\b": "say 'again'",
    r"\b(?:begins?|began|comes?|came) again\b": "say that it restarts, is replayed or arrives again",
    r"\b(?:go|goes|went|gone) on\b": "say that it continues or keeps running",
    r"\b(?:lies|lay|lying) (?:in|below|beside|there|where)\b": "say where it is, or is stored",
    r"\bhand(?:s|ed|ing)? (?:over|on|out)\b": "say that a query emits rows, or that a value is passed on",
    r"(?:^|[.:;?!] )(who(?:ever)?\b[^.?!:;]*\.)": "begin with 'If you …' instead of 'Who …'",
    r"\bnoted as done\b|\bnotes? (?:that )?(?:it is )?done\b": "say that a batch is committed",
    rf"\b{_STREAM} (?:must |has to |can )?remembers?\b": "say what is kept in the state or the checkpoint",
    rf"\b{_STREAM} looks? (?:again|for|into)\b": "say that a query polls, or checks for, new data",
    r"\bkeeps? (?:the|an?|all|every|no) (?:rules?|expectations?)\b": "say that a row meets an expectation",
    r"\bbreaks? (?:the|an?|no|more than one|its) (?:rule|expectation)s?\b": "say that a row violates it",
    rf"\b(?:an?|one|two|three|\d+) [a-z]+ an? {_UNIT}\b": "say 'per': one file per batch",
    r"\b(?:that|which|and) (?:is|are) none\b": "say what it is, or that there is none",
    r"\bthe one before\b": "name it: the previous batch, the last run",
    r"\bcomes? (?:too )?late\b": "say that it is, or arrives, late",
    r"\bjudg(?:e|es|ed|ing)\b": "say that a row is checked",
    r"\bwithout a word\b|\bnot a word\b|\bsays? nothing of\b": "say 'silently' or 'without an error'",
    r"\bwhat becomes? of\b": "say what happens to it",
    r"\bfor ever\b": "write 'forever'",
}
RULED_OUT = [(re.compile(p.replace(" ", r"\s+"), re.IGNORECASE), instead) for p, instead in _RULED_OUT.items()]
# A note, or a line that tools/new_lesson.py leaves for the author to write.
_UNFINISHED = re.compile(
    r"\b(TODO|FIXME|XXX)\b"
    r"|^(#+ (\d+\. )?|\* (Change )?|\*\*The question:\*\* |<details><summary>\d+\. )?\.{3}\??(</summary>)?$"
    r"|^Say what the next cell does\.$|^Explain what it has shown\.$|say what to show\.$|^Say in a paragraph why "
)


def wording(lesson: Lesson) -> Iterator[Problem]:
    """No text of a lesson or its quiz has a phrase that is ruled out, and nothing is left to do."""
    for cell in lesson.markdown:
        for passage in passages(cell.source):
            if not passage.startswith("Your turn "):  # the title of an exercise, which has its source elsewhere
                for phrase, message in find_ruled_out(passage):
                    line = cell.find_line(phrase) or cell.find_line(phrase.split()[0])
                    yield lesson.problem("wording", message, cell, line)
    for number, question in enumerate(quiz_questions(lesson), start=1):
        choices = [text for choice in question.choices for text in (choice.text, choice.reason)]
        for text in (question.text, *choices):
            for _phrase, message in find_ruled_out(text):
                yield lesson.problem("wording", f"in question {number} of the quiz: {message}")


def unfinished(lesson: Lesson) -> Iterator[Problem]:
    """No cell says that something is left to do."""
    for cell in lesson.cells:
        for number, line in enumerate(cell.lines, start=1):
            if _UNFINISHED.search(line):
                yield lesson.problem("unfinished", "write what is left to do in this line", cell, number)


def find_ruled_out(text: str) -> Iterator[tuple[str, str]]:
    """Yield each phrase of a text that is ruled out, with what to do."""
    for pattern, instead in RULED_OUT:
        for match in pattern.finditer(text):
            phrase = match[match.lastindex or 0]  # without the end of the previous sentence
            yield phrase, f"{instead}: '{' '.join(phrase.split())[:40]}'"
