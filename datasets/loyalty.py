"""Ten days of changes that the app of a loyalty program sends: partial, misspelled, late, twice, out of order.

Each card's changes are made up in their true order first. Only then is each given the day on which it *arrives* and
the spelling that the phone uses, and some are repeated. So the right table is known, whatever arrives when.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

SEED = 20250901
START = datetime(2025, 9, 1, tzinfo=UTC)
DAYS = 10
HOUR, DAY = 3_600, 86_400

CARDS = 84
SHARED = 12  # numbers that both letters have
LEFT, RETURNED = 18, 8  # the second are some of the first
DELETE_FIRST = 4  # of those who left for good: the insert arrives after the delete
UPDATE_AFTER_DELETE = 5  # of the others who left for good
UPDATE_AFTER_RETURN = 3  # of those who returned: a change from before the delete arrives after the return
OUT_OF_ORDER = 18  # besides these
TIED = 9
CLOCK_BEHIND = 10
ERASED = 20
REPEATED_SAME_FILE, REPEATED_LATER = 12, 20

# What lies below the dataset's folder: its schema as Spark DDL, how many files, how many rows.
FIELDS = MappingProxyType(
    {
        "changes": "card STRING, sequence LONG, operation STRING, name STRING, email STRING, city STRING, "
        "changed_at TIMESTAMP"
    }
)
FILES = MappingProxyType({"changes": DAYS})
ROWS = MappingProxyType({"changes": 504})

FIRST = ("Aino", "Bram", "Célia", "Dario", "Elif", "Finn", "Gülay", "Henk", "Inês", "Jonas", "Kaja", "Léo", "Mirja")
LAST = ("Abel", "Brandão", "Çelik", "de Wit", "Eklund", "Faria", "Gruber", "Hämäläinen", "Ilves", "Jansen", "Kõiv")
CITIES = ("Arnholt", "Belmora", "Corvik", "Dunmare", "Eskerby", "Farrow", "Gantrova", "Holmby")
MAIL = ("example.com", "example.net", "example.org")  # reserved: nobody receives what is sent there
PLAIN = str.maketrans("éüêãçäõ", "eueacao", " '") | {ord("Ç"): "c"}
ERASE = "-"


class Change(NamedTuple):
    """A change of a card, with times in seconds since START; a field that is None has not changed."""

    letter: str
    number: int
    sequence: int
    operation: str
    changed: int
    arrives: int
    name: str | None = None
    email: str | None = None
    city: str | None = None


def generate(directory: Path) -> None:
    """Write the changes below `directory`.

    The same seed always gives the same bytes.

    Parameters
    ----------
    directory : Path
        An existing, empty folder; gets `changes/2025-09-01.json` and so on.
    """
    rng = np.random.default_rng(SEED)
    cards = [_life(rng, letter, number, place) for place, (letter, number) in enumerate(_cards(rng))]
    free = _mix_up(rng, cards)
    changes = [change for card in cards for change in card]
    changes += _repeated(rng, free, changes)
    changes.sort(key=lambda change: (change.arrives, change.letter, change.number, change.sequence))
    (directory / "changes").mkdir()
    for day in range(DAYS):
        rows = [_line(rng, change) for change in changes if change.arrives // DAY == day]
        path = directory / "changes" / f"{START + timedelta(days=day):%Y-%m-%d}.json"
        path.write_bytes("".join(rows).encode("utf-8"))


def _cards(rng: np.random.Generator) -> list[tuple[str, int]]:
    """Return the cards: a letter and a number, with zeros within some numbers, and numbers that both letters have."""
    numbers = [7, 70, 407, 700, 903, *(int(n) for n in rng.permutation(np.arange(11, 70))), 110, 101]
    numbers = [*numbers, *(int(n) for n in rng.permutation(np.arange(111, 400)))][: CARDS - SHARED]
    cards = [("KM"[place % 2], number) for place, number in enumerate(numbers)]
    return cards + [("MK"[place % 2], number) for place, number in enumerate(numbers[:SHARED])]


def _life(rng: np.random.Generator, letter: str, number: int, place: int) -> list[Change]:
    """Return the changes of a card in their true order; the first cards leave, and some of them return."""
    first, last = FIRST[int(rng.integers(len(FIRST)))], LAST[int(rng.integers(len(LAST)))]
    leaves, returns = place < LEFT, place < RETURNED
    updates = int(rng.integers(3, 6))
    operations = ["INSERT", *["UPDATE"] * updates]
    if leaves:
        operations += ["DELETE"] + ["INSERT", "UPDATE"] * returns
    # Half a day lies between two changes at least, so that the next one can be delivered before.
    room = (DAYS - 1) * DAY - len(operations) * DAY // 2
    joins = int(rng.integers(0, room)) if place % 2 else 0
    pauses = np.sort(rng.integers(joins, room, len(operations)))
    times = [int(pause) + at * DAY // 2 for at, pause in enumerate(pauses)]
    person = {"name": f"{first} {last}", "email": _mail(rng, first, last), "city": _city(rng)}
    made = []
    without_mail = False  # half of those who return do not give their e-mail address again
    for at, (operation, time) in enumerate(zip(operations, times, strict=True)):
        given: dict[str, Any] = {}
        if operation == "INSERT":
            without_mail = at > 0 and place % 2 == 0
            given = person | {"email": None} if without_mail else person
        elif operation == "UPDATE":
            given = {"city": _other(lambda: _city(rng), person)} if without_mail else _partial(rng, first, last, person)
            person = person | given
        seconds = int(rng.integers(2, 60))
        made.append(Change(letter, number, at + 1, operation, time, time + seconds, **given))
    return made


def _partial(rng: np.random.Generator, first: str, last: str, person: dict[str, Any]) -> dict[str, str]:
    """Return what an update says: one field as a rule, sometimes two."""
    new = {"email": _other(lambda: _mail(rng, first, last), person), "city": _other(lambda: _city(rng), person)}
    chosen = rng.random()
    if chosen < 0.1:
        married = _other(lambda: f"{first} {LAST[int(rng.integers(len(LAST)))]}", person)
        return {"name": married}
    if chosen < 0.25:
        return new
    return {field: new[field] for field in (("email",) if chosen < 0.6 else ("city",))}


def _other(make: Callable[[], str], person: dict[str, Any]) -> str:
    """Return a value that the person does not have."""
    while (value := make()) in person.values():
        pass
    return value


def _mail(rng: np.random.Generator, first: str, last: str) -> str:
    name = f"{first}.{last}".lower().translate(PLAIN)
    return f"{name}{int(rng.integers(10, 99))}@{MAIL[int(rng.integers(len(MAIL)))]}"


def _city(rng: np.random.Generator) -> str:
    return CITIES[int(rng.integers(len(CITIES)))]


def _mix_up(rng: np.random.Generator, cards: list[list[Change]]) -> list[Change]:
    """Let changes be late, tied, behind the clock or erasures, none of them two of it; return those that are none."""
    taken: set[tuple[int, int]] = set()

    def delay(card: int, at: int, past: int) -> None:
        """Let a change arrive a few hours after another one of its card, on a later day."""
        day = cards[card][past].arrives // DAY + 1
        arrives = day * DAY + int(rng.integers(HOUR, 20 * HOUR))
        cards[card][at] = cards[card][at]._replace(arrives=min(arrives, DAYS * DAY - 60))
        taken.update({(card, at), (card, past)})

    returned, gone = range(RETURNED), range(RETURNED, LEFT)
    for card in gone[:DELETE_FIRST]:
        delay(card, 0, len(cards[card]) - 1)
    for card in gone[DELETE_FIRST : DELETE_FIRST + UPDATE_AFTER_DELETE]:
        delay(card, len(cards[card]) - 2, len(cards[card]) - 1)
    for card in returned[:UPDATE_AFTER_RETURN]:
        delay(card, len(cards[card]) - 4, len(cards[card]) - 2)

    def some(count: int, fits: Callable[[list[Change], int], bool]) -> list[tuple[int, int]]:
        """Return places of updates that follow another one, with nothing planned beside them."""
        places = []
        for card in map(int, rng.permutation(np.arange(LEFT, CARDS))):
            for at in range(2, len(cards[card])):
                near = {(card, at - 1), (card, at), (card, at + 1)}
                if len(places) < count and not near & taken and fits(cards[card], at):
                    places.append((card, at))
                    taken.update(near)
                    break
        assert len(places) == count
        return places

    for card, at in some(OUT_OF_ORDER, lambda card, at: at + 1 < len(card) and _sets_same(card[at], card[at + 1])):
        delay(card, at, at + 1)
    for card, at in some(CLOCK_BEHIND, lambda card, at: _sets_same(card[at - 1], card[at]) and _stays(card, at)):
        behind = cards[card][at - 1].changed - int(rng.integers(HOUR, 3 * HOUR))
        cards[card][at] = cards[card][at]._replace(changed=behind)
    for card, at in some(ERASED, lambda card, at: card[at].email is not None):
        cards[card][at] = cards[card][at]._replace(email=ERASE)
    for card, at in some(TIED, lambda card, at: card[at].city is not None and _stays(card, at)):
        one = cards[card][at]
        city = _other(lambda: _city(rng), {"city": one.city})
        later = int(rng.integers(60, 900))
        tied = one._replace(city=city, name=None, email=None, changed=one.changed + later, arrives=one.arrives + later)
        cards[card] = [*cards[card][: at + 1], tied, *cards[card][at + 1 :]]
    return [card[at] for number, card in enumerate(cards) for at in range(len(card)) if (number, at) not in taken]


def _sets_same(one: Change, other: Change) -> bool:
    """Whether the second change sets whatever the first one does."""
    return all(b is not None for a, b in zip(one[6:], other[6:], strict=True) if a is not None)


def _stays(card: list[Change], at: int) -> bool:
    """Whether no later change of the card sets anything that this one does."""
    return not any(
        b is not None for later in card[at + 1 :] for a, b in zip(card[at][6:], later[6:], strict=True) if a is not None
    )


def _repeated(rng: np.random.Generator, free: Sequence[Change], changes: Sequence[Change]) -> list[Change]:
    """Return changes that are sent again: in the same file, or a day or two later."""
    early = [change for change in free if change.arrives < (DAYS - 3) * DAY and change.arrives % DAY < 20 * HOUR]
    chosen = [early[n] for n in rng.permutation(len(early))[: REPEATED_SAME_FILE + REPEATED_LATER]]
    assert len(chosen) == REPEATED_SAME_FILE + REPEATED_LATER and set(chosen) <= set(changes)
    soon = [int(rng.integers(60, 3 * HOUR)) for _ in range(REPEATED_SAME_FILE)]
    later = [int(rng.integers(DAY, 2 * DAY)) for _ in range(REPEATED_LATER)]
    return [one._replace(arrives=one.arrives + wait) for one, wait in zip(chosen, [*soon, *later], strict=True)]


def _line(rng: np.random.Generator, change: Change) -> str:
    """Return the change as it is in the file: a field that has not changed is null, or is not there."""
    row: dict[str, Any] = {"card": _spelled(rng, change.letter, change.number), "sequence": change.sequence}
    row["operation"] = change.operation
    writes_null = rng.random() < 0.5
    for field in ("name", "email", "city"):
        if (value := getattr(change, field)) is not None or writes_null:
            row[field] = value
    row["changed_at"] = f"{START + timedelta(seconds=change.changed):%Y-%m-%dT%H:%M:%SZ}"
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"


def _spelled(rng: np.random.Generator, letter: str, number: int) -> str:
    """Return a card as a phone sends it: as it is printed, with zeros, in lower case, with blanks."""
    letter = letter.lower() if rng.random() < 0.25 else letter
    digits = f"{number:05}" if rng.random() < 0.3 else f"{number}"
    before, after = (" " if rng.random() < 0.12 else "" for _ in range(2))
    return f"{before}{letter}-{digits}{after}"
