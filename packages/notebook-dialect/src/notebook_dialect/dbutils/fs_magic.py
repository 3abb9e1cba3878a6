"""``%fs ls /path``: a command of ``dbutils.fs`` written as in a shell."""

from __future__ import annotations

import inspect
import re
import shlex
from dataclasses import dataclass

from notebook_dialect.dbutils.execution_errors import FsUsageError, did_you_mean
from notebook_dialect.dbutils.fs import FileSystemUtils

COMMANDS = ("ls", "head", "put", "mkdirs", "rm", "cp", "mv", "mounts", "refreshMounts", "mount", "unmount", "help")

_SHORT_OPTIONS = {"-r": "recurse", "-R": "recurse", "--recursive": "recurse", "-f": "overwrite"}
_TRUTHS = {"true": True, "false": False}


@dataclass(frozen=True)
class FsCommand:
    """A parsed line: a method of ``dbutils.fs`` and its arguments."""

    name: str
    arguments: dict[str, object]


def run_fs_command(fs: FileSystemUtils, line: str) -> object:
    """Run a ``%fs`` line, such as ``cp -r "/mnt/my files" /tmp/b``, and return the result of ``dbutils.fs``."""
    command = parse_fs_command(line)
    return getattr(fs, command.name)(**command.arguments)


def parse_fs_command(line: str) -> FsCommand:
    """Return the method and the arguments of a ``%fs`` line.

    Words are quoted as in a shell.  Options are the parameters of the method, ``--recurse`` or
    ``--recurse=true``, anywhere in the line; ``-r`` is short for ``--recurse``.
    """
    name, *words = _words(line) or ["help"]
    if name not in COMMANDS:
        raise FsUsageError(
            f"There is no %fs command {name!r}.", f"{did_you_mean(name, COMMANDS)}There are: {', '.join(COMMANDS)}."
        )
    parameters = _parameters(name)
    options = dict(_option(name, word) for word in words if _is_option(word))
    free = [parameter for parameter in parameters.values() if parameter.name not in options]
    values = [word for word in words if not _is_option(word)]
    if len(values) > len(free):
        raise _misused(name, f"has no use for {values[len(free)]!r}")
    given = {parameter.name: value for parameter, value in zip(free, values, strict=False)} | options
    for parameter in parameters.values():
        if parameter.default is parameter.empty and parameter.name not in given:
            raise _misused(name, f"needs {_shown(parameter)}")
    return FsCommand(name, {key: _convert(name, parameters[key], value) for key, value in given.items()})


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        fix = "Close each quote, and quote a path with spaces."
        raise FsUsageError(f"The line cannot be read: {error}.", fix) from None


def _is_option(word: str) -> bool:
    """Whether a word is an option; paths never begin with a hyphen."""
    return word in _SHORT_OPTIONS or re.fullmatch(r"--[A-Za-z]+(=.*)?", word, re.DOTALL) is not None


def _option(command: str, word: str) -> tuple[str, str]:
    spelled, _, value = word.partition("=")
    name = _SHORT_OPTIONS.get(spelled, spelled.removeprefix("--"))
    if name not in _parameters(command):
        raise _misused(command, f"has no option {spelled}")
    return name, value or "true"


def _parameters(command: str) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(getattr(FileSystemUtils, command)).parameters
    return {name: p for name, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD and name != "self"}


def _convert(command: str, parameter: inspect.Parameter, value: str) -> object:
    """Return the word as the type of the parameter's default: a boolean, a number or text."""
    if isinstance(parameter.default, bool):
        if value.lower() not in _TRUTHS:
            raise _misused(command, f"takes true or false for {parameter.name}, not {value!r}")
        return _TRUTHS[value.lower()]
    if isinstance(parameter.default, int):
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            raise _misused(command, f"takes a number for {parameter.name}, not {value!r}")
        return int(value)
    return value


def _misused(command: str, problem: str) -> FsUsageError:
    shown = " ".join(_shown(parameter) for parameter in _parameters(command).values())
    return FsUsageError(f"%fs {command} {problem}.", f"Write: %fs {command} {shown}".rstrip())


def _shown(parameter: inspect.Parameter) -> str:
    name = parameter.name.rstrip("_")
    return name if parameter.default is parameter.empty else f"[--{name}={str(parameter.default).lower()}]"
