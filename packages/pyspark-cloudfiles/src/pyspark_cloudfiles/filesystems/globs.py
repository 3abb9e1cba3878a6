"""Globs as in Hadoop: ``*``, ``?``, ``[ab]``, ``[^a]``, ``{a,b}``, and ``\\`` before a literal character.

A glob becomes a regular expression over a whole path.  Spark's globs are strict: nothing but a slash matches a slash.
Auto Loader's own are loose: ``*`` may cross directories, and a path needs only begin with what matches.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pyspark_cloudfiles.errors import InvalidOption

_MAGIC = frozenset("{}[]*?\\")


def is_glob(path: str) -> bool:
    """Tell whether Spark would take a path for a glob."""
    return not _MAGIC.isdisjoint(path)


def name_filter(glob: str) -> re.Pattern[str]:
    """Return what a file's name must match in full (``pathGlobFilter``).

    Raises
    ------
    InvalidOption
        Brackets or braces are left open, or nothing follows the last backslash.
    """
    return _compiled(_translated(glob, star=".*", one="."), glob)


@dataclass(frozen=True)
class PathGlob:
    """A glob of paths.

    Parameters
    ----------
    base : str
        The directories that it begins with, without any glob.
    levels : tuple
        What the names of the directories below must match, as far down as each level has a pattern of its own.
    whole : re.Pattern
        What the whole path of a file must match.
    """

    base: str
    levels: tuple[re.Pattern[str], ...]
    whole: re.Pattern[str]

    def may_contain(self, directory: str) -> bool:
        """Tell whether files below a directory, itself below the base, can match at all."""
        names = directory[len(self.base) :].strip("/").split("/")
        return all(level.fullmatch(name) for level, name in zip(self.levels, names, strict=False))

    def matches(self, path: str) -> bool:
        """Tell whether a file is wanted: itself, or for a directory that it is in."""
        return self.whole.fullmatch(path) is not None


def path_globs(path: str, strict: bool) -> list[PathGlob]:
    """Return the globs that a path is: one, or several where braces span directories.

    Raises
    ------
    InvalidOption
        As :func:`name_filter`.
    """
    return [_path_glob(alternative, strict) for alternative in _expanded(path)]


def base_of(path: str) -> str:
    """Return the directory that a path is, or that its glob begins with."""
    return _base_and_rest(path)[0] if is_glob(path) else path


def _path_glob(path: str, strict: bool) -> PathGlob:
    base, rest = _base_and_rest(path)
    if strict:
        whole = _translated("/".join(rest), star="[^/]*", one="[^/]") + "(?:/.*)?"
        own = rest
    else:
        whole = _translated("/".join(rest), star=".*", one="[^/]") + ".*"
        # Behind the first star, a level of the path is no level of the pattern any more; and the last is a prefix.
        own = rest[: next((index for index, name in enumerate(rest) if "*" in name), len(rest) - 1)]
    levels = tuple(_compiled(_translated(name, star=".*", one="."), path) for name in own)
    return PathGlob(base, levels, _compiled(re.escape(base.rstrip("/") + "/") + whole, path))


def _base_and_rest(path: str) -> tuple[str, list[str]]:
    names = path.split("/")
    first = next((index for index, name in enumerate(names) if not _MAGIC.isdisjoint(name.replace("\\", ""))), None)
    if first is None or first >= len(names):  # nothing but escapes: the last name is matched literally
        first = len(names) - 1
    base = "/".join(re.sub(r"\\(.)", r"\1", name) for name in names[:first])
    return (base if not base.endswith(":") else base + "/"), names[first:]


def _expanded(path: str) -> list[str]:
    """Write out the braces that have a slash in them, so that each level of a path is a pattern of its own."""
    start = 0
    while (opening := _find(path, start)) is not None:
        closing, commas = _group(path, opening)
        if "/" in path[opening:closing]:
            ends = [*commas, closing]
            starts = [opening + 1, *(comma + 1 for comma in commas)]
            return [
                found
                for begin, end in zip(starts, ends, strict=True)
                for found in _expanded(path[:opening] + path[begin:end] + path[closing + 1 :])
            ]
        start = closing + 1
    return [path]


def _find(path: str, start: int) -> int | None:
    """Return where the next brace opens that is not escaped."""
    found = re.compile(r"(?:\\.|[^\\{])*?\{", re.DOTALL).match(path, start)
    return None if found is None else found.end() - 1


def _group(path: str, opening: int) -> tuple[int, list[int]]:
    """Return where a group of braces ends, and its own commas."""
    depth, commas, index = 0, [], opening
    while index < len(path):
        character = path[index]
        if character == "\\":
            index += 1
        elif character == "{":
            depth += 1
        elif character == "," and depth == 1:
            commas.append(index)
        elif character == "}":
            depth -= 1
            if depth == 0:
                return index, commas
        index += 1
    raise _invalid(path, "a brace { is not closed")


def _translated(glob: str, star: str, one: str) -> str:
    """Return a glob as a regular expression, character by character, as Hadoop's ``GlobPattern`` does."""
    out: list[str] = []
    braces, index = 0, 0
    while index < len(glob):
        character = glob[index]
        if character == "\\":
            index += 1
            if index == len(glob):
                raise _invalid(glob, "nothing follows the last backslash")
            out.append(re.escape(glob[index]))
        elif character == "*":
            out.append(star)
        elif character == "?":
            out.append(one)
        elif character == "[":
            index, text = _character_class(glob, index)
            out.append(text)
        elif character == "{":
            braces += 1
            out.append("(?:")
        elif character == "}" and braces:
            braces -= 1
            out.append(")")
        elif character == "," and braces:
            out.append("|")
        else:
            out.append(re.escape(character))
        index += 1
    if braces:
        raise _invalid(glob, "a brace { is not closed")
    return "".join(out)


def _character_class(glob: str, start: int) -> tuple[int, str]:
    """Return where ``[...]`` ends, and what it is in a regular expression."""
    index = start + 1
    negated = glob[index : index + 1] in ("^", "!") and index < len(glob)
    index += negated
    members: list[str] = []
    while index < len(glob) and (glob[index] != "]" or not members):
        if glob[index] == "[":
            raise _invalid(glob, "a bracket [ is in another")
        if glob[index] == "\\" and index + 1 < len(glob):
            index += 1
            members.append("\\" + glob[index] if not glob[index].isalnum() else glob[index])
        else:
            members.append(glob[index] if glob[index] == "-" else re.escape(glob[index]))
        index += 1
    if index >= len(glob):
        raise _invalid(glob, "a bracket [ is not closed")
    # Also a negated class matches no slash: a name has none.
    return index, f"(?!/)[{'^' if negated else ''}{''.join(members)}]"


def _compiled(expression: str, glob: str) -> re.Pattern[str]:
    try:
        return re.compile(expression, re.DOTALL)
    except re.error as error:
        raise _invalid(glob, str(error)) from error


def _invalid(glob: str, reason: str) -> InvalidOption:
    return InvalidOption(
        f"The glob {glob} is not valid: {reason}. Correct it, or put a backslash before the character."
    )
