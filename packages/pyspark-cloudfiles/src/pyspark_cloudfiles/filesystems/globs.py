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
    return not _MAGIC.isdisjoint(path)


def name_filter(glob: str) -> re.Pattern[str]:
    """Return the pattern that a file's name must match in full (``pathGlobFilter``)."""
    return _compile(_translate(glob, star=".*", one="."), glob)


@dataclass(frozen=True)
class PathGlob:
    """A glob of paths.

    ``base`` are the directories that it begins with, ``levels`` the patterns of the names of directories below, as far
    down as each level has one of its own, and ``whole`` the pattern of the whole path of a file.
    """

    base: str
    levels: tuple[re.Pattern[str], ...]
    whole: re.Pattern[str]

    def may_contain(self, directory: str) -> bool:
        names = directory[len(self.base) :].strip("/").split("/")
        return all(level.fullmatch(name) for level, name in zip(self.levels, names, strict=False))

    def matches(self, path: str) -> bool:
        """Whether the path of a file matches, or of a directory that it is in."""
        return self.whole.fullmatch(path) is not None


def path_globs(path: str, strict: bool) -> list[PathGlob]:
    """Return the globs of a path: one, or several if braces span directories."""
    return [_path_glob(alternative, strict) for alternative in _expand(path)]


def base_of(path: str) -> str:
    """Return the directory that a path is, or that its glob begins with."""
    return _base_and_rest(path)[0] if is_glob(path) else path


def _path_glob(path: str, strict: bool) -> PathGlob:
    base, rest = _base_and_rest(path)
    if strict:
        whole = _translate("/".join(rest), star="[^/]*", one="[^/]") + "(?:/.*)?"
        own = rest
    else:
        whole = _translate("/".join(rest), star=".*", one="[^/]") + ".*"
        # After the first star, a level of the path has no pattern of its own any more; and the last is a prefix.
        own = rest[: next((index for index, name in enumerate(rest) if "*" in name), len(rest) - 1)]
    levels = tuple(_compile(_translate(name, star=".*", one="."), path) for name in own)
    return PathGlob(base, levels, _compile(re.escape(base.rstrip("/") + "/") + whole, path))


def _base_and_rest(path: str) -> tuple[str, list[str]]:
    names = path.split("/")
    first = next((index for index, name in enumerate(names) if not _MAGIC.isdisjoint(name.replace("\\", ""))), None)
    if first is None or first >= len(names):  # nothing but escapes: the last name is matched literally
        first = len(names) - 1
    base = "/".join(re.sub(r"\\(.)", r"\1", name) for name in names[:first])
    return (base if not base.endswith(":") else base + "/"), names[first:]


def _expand(path: str) -> list[str]:
    """Expand the braces that have a slash in them, so that each level of a path is a pattern of its own."""
    start = 0
    # As long as a brace opens that is not escaped.
    while found := re.compile(r"(?:\\.|[^\\{])*?\{", re.DOTALL).match(path, start):
        opening = found.end() - 1
        closing, commas = _group(path, opening)
        if "/" in path[opening:closing]:
            ends = [*commas, closing]
            starts = [opening + 1, *(comma + 1 for comma in commas)]
            return [
                expanded
                for begin, end in zip(starts, ends, strict=True)
                for expanded in _expand(path[:opening] + path[begin:end] + path[closing + 1 :])
            ]
        start = closing + 1
    return [path]


def _group(path: str, opening: int) -> tuple[int, list[int]]:
    """Return the end of a group of braces, and the positions of its own commas."""
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
    raise _invalid_glob(path, "a brace { is not closed")


def _translate(glob: str, star: str, one: str) -> str:
    """Return a glob as a regular expression, character by character, as Hadoop's ``GlobPattern`` does."""
    out: list[str] = []
    braces, index = 0, 0
    while index < len(glob):
        character = glob[index]
        if character == "\\":
            index += 1
            if index == len(glob):
                raise _invalid_glob(glob, "nothing follows the last backslash")
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
        raise _invalid_glob(glob, "a brace { is not closed")
    return "".join(out)


def _character_class(glob: str, start: int) -> tuple[int, str]:
    index = start + 1
    negated = glob[index : index + 1] in ("^", "!") and index < len(glob)
    index += negated
    members: list[str] = []
    while index < len(glob) and (glob[index] != "]" or not members):
        if glob[index] == "[":
            raise _invalid_glob(glob, "a bracket [ is in another")
        if glob[index] == "\\" and index + 1 < len(glob):
            index += 1
            members.append("\\" + glob[index] if not glob[index].isalnum() else glob[index])
        else:
            members.append(glob[index] if glob[index] == "-" else re.escape(glob[index]))
        index += 1
    if index >= len(glob):
        raise _invalid_glob(glob, "a bracket [ is not closed")
    # Also a negated class matches no slash: a name has none.
    return index, f"(?!/)[{'^' if negated else ''}{''.join(members)}]"


def _compile(expression: str, glob: str) -> re.Pattern[str]:
    try:
        return re.compile(expression, re.DOTALL)
    except re.error as error:
        raise _invalid_glob(glob, str(error)) from error


def _invalid_glob(glob: str, reason: str) -> InvalidOption:
    return InvalidOption(
        f"The glob {glob} is not valid: {reason}. Correct it, or put a backslash before the character."
    )
