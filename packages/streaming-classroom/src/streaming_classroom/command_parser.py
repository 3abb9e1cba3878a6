"""The parser of ``course.py``: its commands in groups, and for a mistake the sentence that names the fix."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

_CHOICE = re.compile(r"argument ([^:]+): invalid choice: '([^']*)' \(choose from (.*)\)")
_UNKNOWN = "unrecognized arguments: "
# Commands that hand on what comes after `--`, and to whom.
_HANDED_ON = {"lab": "JupyterLab", "test": "pytest"}


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors are a sentence each, with the nearest name where one is misspelled."""

    commands: argparse._SubParsersAction[CommandParser] | None = None

    def parse(self, args: Sequence[str]) -> argparse.Namespace:
        """Return the arguments; an unknown option of a command that hands options on is told how."""
        options, unknown = self.parse_known_args(args)
        if unknown:
            name = next((word for word in args if not word.startswith("-")), "")
            whose = _HANDED_ON.get(name)
            command = self.commands.choices.get(name, self) if self.commands else self
            if whose is None:
                command.error(f"{_UNKNOWN}{' '.join(unknown)}")
            before = [word for word in args if word not in unknown and word != name and word != "--"]
            line = " ".join(["python course.py", name, *before, "--", *unknown])
            command.error(f"Options for {whose} come after `--`: {line}")
        return options

    def error(self, message: str) -> NoReturn:
        """Print what is wrong, and end with exit code 2."""
        if found := _CHOICE.fullmatch(message):
            what = "command" if found[1] == "COMMAND" else found[1]
            names = re.findall(r"[\w-]+", found[3])
            nearest = difflib.get_close_matches(found[2], names, n=1)
            hint = f"Did you mean {nearest[0]}?" if nearest else f"Choose one of {', '.join(names)}."
            message = f"There is no {what} {found[2]!r}. {hint}"
        elif message.startswith(_UNKNOWN):
            options = [option for action in self._actions for option in action.option_strings]
            unknown = message.removeprefix(_UNKNOWN).split()[0]
            nearest = difflib.get_close_matches(unknown, options, n=1)
            message = f"There is no option or argument {unknown!r}." + (
                f" Did you mean {nearest[0]}?" if nearest else ""
            )
        self.exit(2, f"{message}\n`{self.prog} --help` has all.\n")


def grouped(groups: Mapping[str, Mapping[str, Callable[..., object]]]) -> str:
    """Return the help on commands, group by group: each with the first line of its function's docstring."""
    width = max(len(name) for commands in groups.values() for name in commands) + 2
    lines = []
    for title, commands in groups.items():
        lines += [f"{title}:", *(f"  {name:<{width}}{summary(function)}" for name, function in commands.items()), ""]
    return "\n".join(lines)


def summary(function: Callable[..., object]) -> str:
    """Return the first line of a function's docstring."""
    return (function.__doc__ or "").splitlines()[0]


def number(lowest: int, highest: int | None = None) -> Callable[[str], int]:
    """Return the type of an argument that is a whole number within limits."""
    limits = f"a whole number from {lowest} to {highest}" if highest else f"a whole number from {lowest}"

    def parse(text: str) -> int:
        if not text.isdecimal() or not lowest <= int(text) <= (highest or int(text)):
            raise argparse.ArgumentTypeError(f"{text!r} is not {limits}.")
        return int(text)

    return parse


def seconds(text: str) -> float:
    """Return a number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds.")
    return value


def parameter(text: str) -> tuple[str, str]:
    """Return name and value of ``NAME=VALUE``."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE.")
    return name, value
