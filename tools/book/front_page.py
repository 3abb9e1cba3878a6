"""The first page: the repository's README, whose beginning is laid out as one sentence, one command, one picture, three
paths.

Nothing is said here that the README does not say; what is above its five minutes becomes the head of the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

BUTTONS = "[Start with lesson 00](notebooks/00-Start-Here.ipynb) [All lessons](#lessons)"
_SECTION = re.compile(r"^## (?P<title>.+)$", re.MULTILINE)


class NotTheReadme(ValueError):
    """The README lacks a part from which the first page is made."""


@dataclass(frozen=True)
class Readme:
    """The parts of the README.

    Parameters
    ----------
    title, lead, picture, command : str
        Its heading, its first paragraph, its picture as Markdown, and its first command.
    paths : tuple of str
        The items of *Three paths*.
    packages : str
        The table of packages, as Markdown.
    rest : str
        All other sections.
    """

    title: str
    lead: str
    picture: str
    command: str
    paths: tuple[str, ...]
    packages: str
    rest: str


def readme_parts(text: str) -> Readme:
    """Return the parts of a README.

    Raises
    ------
    NotTheReadme
        One of them is not there.
    """
    head, sections = _cut(text)
    paths = sections.pop("Three paths", "")
    start = sections.get("Start", "")
    return Readme(
        title=_found(r"\A# (.+)$", head, "a title"),
        lead=_found(r"\A# .+\n\n((?:.+\n)+)", head, "a first paragraph").strip(),
        picture=_found(r"^(!\[[^\]]*\]\([^)]+\))", head, "a picture"),
        command=_found(r"^```\n(.+)\n```", start, "a command"),
        paths=tuple(_three(re.findall(r"^\* (.+(?:\n  .+)*)", paths, re.MULTILINE))),
        packages=_found(r"^((?:\|.*\n)+)", paths, "a table of packages"),
        rest="".join(f"## {title}\n{body}" for title, body in sections.items()),
    )


def first_page(readme: Readme) -> str:
    """Return the first page as Markdown."""
    sentence = re.split(r"(?<=\.)\s+", readme.lead, maxsplit=1)[0]
    names = re.findall(r"^\| (\[[^\]]+\]\([^)]+\))", readme.packages, re.MULTILINE)
    learn, teach, packages = readme.paths
    cards = [learn, teach, f"{packages.rstrip(':')}: {', '.join(names)}."]
    hero = _block(
        "hero", f"# {readme.title}", sentence, f"```\n{readme.command}\n```", _block("buttons", BUTTONS, level=3)
    )
    picture = _block("hero-picture", readme.picture)
    cards = [re.sub(r"\A\*\*(.+?)\.\*\*", r"**\1**", card) for card in cards]  # the name of a card is no sentence
    paths = _block("paths", *(_block("path", card, level=3) for card in cards), level=4)
    return "\n\n".join([_outside_of_blocks(hero), picture, paths, readme.rest])


def _outside_of_blocks(hero: str) -> str:
    """Return the head with its title before it: a heading cannot stand within a block."""
    title = re.search(r"^# .+\n\n", hero, re.MULTILINE)[0]
    return title + hero.replace(title, "", 1)


def _block(name: str, *parts: str, level: int = 4) -> str:
    body = "\n\n".join(parts)
    return f"{':' * level}{{container}} {name}\n{body}\n{':' * level}"


def _cut(text: str) -> tuple[str, dict[str, str]]:
    places = [*_SECTION.finditer(text)]
    ends = [place.start() for place in places[1:]] + [len(text)]
    head = text[: places[0].start()] if places else text
    return head, {place["title"]: text[place.end() + 1 : end] for place, end in zip(places, ends, strict=True)}


def _found(pattern: str, text: str, what: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise NotTheReadme(f"README.md has no {what} where the book's first page looks for it")
    return found[1]


def _three(paths: list[str]) -> list[str]:
    if len(paths) != 3:
        raise NotTheReadme(f"README.md has {len(paths)} paths instead of three")
    return [" ".join(path.split()) for path in paths]
