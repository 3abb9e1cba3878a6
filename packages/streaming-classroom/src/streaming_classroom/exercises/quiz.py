"""A quiz, rendered: choices that open, and say whether they are right and why.

It is HTML that folds, without a script: a choice that is opened says why.  So it answers in any front end, without a
network, in a saved notebook whose kernel is gone, and on a page that is not trusted.  (JupyterQuiz, measured with one
question, puts 42 kB of script into each cell, and shows nothing where scripts do not run.)
"""

from __future__ import annotations

from string import ascii_lowercase

from streaming_classroom.exercises.exercise import Choice, NoSuchChoice, Question
from streaming_classroom.exercises.verdict import COLOURS, MARKS, Guidance, box, marked_up

_CHOICE = "margin:3px 0 3px 4px;max-width:100%"
_SUMMARY = "cursor:pointer"
_REASON = "border-left:3px solid {colour};margin:2px 0 6px 18px;padding:1px 10px"


def quiz_shown(questions: tuple[Question, ...], only: int | None = None) -> Guidance:
    """Return the quiz or one question of it, with the reasons folded away; the text has questions and choices alone.

    Parameters
    ----------
    questions : tuple of Question
        The whole quiz.
    only : int, optional
        The number of the one question to show, from 1.

    Raises
    ------
    NoSuchChoice
        There is no such question.
    """
    every = dict(enumerate(questions, start=1))
    if only is not None and only not in every:
        raise NoSuchChoice(only, "", len(questions))
    lines, html = [], []
    for number, question in every.items() if only is None else [(only, every[only])]:
        choices = list(zip(ascii_lowercase, question.choices, strict=False))
        lines += [f"{number}. {_plain(question.text)}"]
        lines += [*(f"   {letter}) {_plain(choice.text)}" for letter, choice in choices), ""]
        html.append(f"<div style='margin-top:10px'><strong>{number}. {marked_up(question.text)}</strong></div>")
        html += [_choice_html(letter, choice) for letter, choice in choices]
    lines.append(f'DA.quiz({only or 1}, "a") says whether a choice is right, and why.')
    return Guidance("\n".join(lines), box("".join(html)))


def answer_shown(questions: tuple[Question, ...], number: int, letter: str) -> Guidance:
    """Return whether a choice is right, and why.

    Raises
    ------
    NoSuchChoice
        There is no such question, or it has no such choice.
    """
    choice = _choice(questions, number, letter)
    kind, word = _kind(choice)
    text = f"{MARKS[kind]} {number}{str(letter).strip().lower()} {word}: {_plain(choice.reason)}"
    html = f"<div><strong style='color:{COLOURS[kind]}'>{MARKS[kind]} {word}</strong></div>"
    html += f"<div>{marked_up(choice.text)}</div><div>{marked_up(choice.reason)}</div>"
    return Guidance(text, box(html, COLOURS[kind]))


def is_right(questions: tuple[Question, ...], number: int, letter: str) -> bool:
    """Whether a choice is the right one.

    Raises
    ------
    NoSuchChoice
        There is no such question, or it has no such choice.
    """
    return _choice(questions, number, letter).is_right


def _choice(questions: tuple[Question, ...], number: int, letter: str) -> Choice:
    every = dict(enumerate(questions, start=1))
    letter = str(letter).strip().lower()
    choices = dict(zip(ascii_lowercase, every[number].choices, strict=False)) if number in every else {}
    if letter not in choices:
        raise NoSuchChoice(number, letter, len(questions))
    return choices[letter]


def _choice_html(letter: str, choice: Choice) -> str:
    kind, word = _kind(choice)
    verdict = f"<strong style='color:{COLOURS[kind]}'>{MARKS[kind]} {word}.</strong> {marked_up(choice.reason)}"
    return (
        f"<details style='{_CHOICE}'><summary style='{_SUMMARY}'>{letter}) {marked_up(choice.text)}</summary>"
        f"<div style='{_REASON.format(colour=COLOURS[kind])}'>{verdict}</div></details>"
    )


def _kind(choice: Choice) -> tuple[str, str]:
    return ("right", "Right") if choice.is_right else ("wrong", "Not this one")


def _plain(text: str) -> str:
    return text.replace("`", "")
