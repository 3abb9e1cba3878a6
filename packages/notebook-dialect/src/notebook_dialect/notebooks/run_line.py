"""The arguments of ``%run``: a notebook's name, and parameters for its widgets."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field

from notebook_dialect.errors import BadRunLine


@dataclass(frozen=True)
class RunLine:
    """A notebook's name as it was written, without quotes, and the parameters by name."""

    target: str
    arguments: dict[str, str] = field(default_factory=dict)


def parse(line: str) -> RunLine:
    """Return the name and the parameters of a line such as ``"./My Setup" $mode="reset" $day=3``.

    The name may have spaces with or without quotes around it; the first word that begins with ``$`` ends it.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise BadRunLine(line, "A quotation mark is not closed, or a backslash is the last character.") from error
    names = [number for number, word in enumerate(words) if word.startswith("$")]
    end = names[0] if names else len(words)
    target = " ".join(words[:end])
    if not target:
        raise BadRunLine(line, "The name of a notebook is missing.")
    return RunLine(target, dict(_argument(line, word) for word in words[end:]))


def _argument(line: str, word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not re.fullmatch(r"\$\w+", name):
        raise BadRunLine(line, f"{word!r} is not a parameter, which begins with a $ and a name.")
    if not equals:
        raise BadRunLine(line, f"The parameter {name} has no value.")
    return name[1:], value
