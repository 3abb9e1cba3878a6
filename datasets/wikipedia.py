"""A hundred minutes of edits to an encyclopedia's ten languages, as messages in the order in which they *arrive*.

The values have the shape of the events that Wikimedia publishes as its stream of recent changes; pages, people and
sentences are invented.  Two collectors hand the events on, so some come twice, some late and some broken, and one wiki
is far busier than the others.  A few edit wars are planted, beside quarrels that look like one and are none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import numpy as np

SEED = 20250505
START = int(datetime(2025, 5, 5, 12, tzinfo=UTC).timestamp())
MINUTE = 60
A_FILE = 10 * MINUTE
FILE_COUNT = 10
SECONDS = FILE_COUNT * A_FILE

EDITS = 9_600  # that people and bots make without a plan of ours
# From and to, in minutes after the start: nothing arrives, and what was edited then is lost.
GAPS = ((34, 37), (73, 76))
DOUBLES, LATE_DOUBLES, LATE = 150, 12, 90
BROKEN = MappingProxyType({"cut off": 24, "error page": 9, "no value": 7, "no time": 15})

# What lies below the dataset's folder: its schema as Spark DDL, how many files, how many rows.
FIELDS = MappingProxyType({"edits": "timestamp LONG, key STRING, headers MAP<STRING,STRING>, value STRING"})
FILES = MappingProxyType({"edits": FILE_COUNT})
ROWS = MappingProxyType({"edits": 9_292})
# The schema of the values that are sound.
VALUE = (
    "meta STRUCT<id: STRING, dt: TIMESTAMP, domain: STRING>, id LONG, type STRING, namespace INT, title STRING, "
    "comment STRING, timestamp LONG, user STRING, bot BOOLEAN, minor BOOLEAN, length STRUCT<old: LONG, new: LONG>, "
    "revision STRUCT<old: LONG, new: LONG>, server_name STRING, wiki STRING, "
    "geo STRUCT<country: STRING, city: STRING, lat: DOUBLE, lon: DOUBLE>"
)

ANONYMOUS, BOT = 0.16, 0.2  # of the editors
NEW, MINOR, UNDONE = 0.05, 0.3, 0.02  # of the edits
Row = dict[str, Any]
T = TypeVar("T")


class Wiki(NamedTuple):
    """A wiki: its share of the edits, the countries of its anonymous editors, its pages' titles, its comments."""

    share: float
    countries: str
    titles: tuple[str, ...]
    comments: tuple[str, ...]


WIKIS = MappingProxyType(
    {
        "enwiki": Wiki(
            0.60,
            "US US GB IN CA AU",
            ("{} Bridge", "History of {}", "{} railway station", "List of mills in {}", "{} (novel)", "Battle of {}"),
            (
                "typo",
                "added a source",
                "/* History */ shorter",
                "new section on the harbour",
                "dates checked",
                "copyedit",
            ),
        ),
        "dewiki": Wiki(
            0.09,
            "DE DE AT CH",
            ("Schloss {}", "Bahnhof {}", "Wappen von {}", "{} (Fluss)", "Liste der Mühlen in {}"),
            ("Tippfehler", "Beleg ergänzt", "/* Geschichte */ gekürzt", "Komma", "Bild dazu"),
        ),
        "frwiki": Wiki(
            0.07,
            "FR FR CA CH",
            ("Pont de {}", "Gare de {}", "Histoire de {}", "{} (rivière)", "Château de {}"),
            ("coquille", "source ajoutée", "/* Histoire */ plus court", "orthographe", "lien mort"),
        ),
        "eswiki": Wiki(
            0.06,
            "ES MX AR",
            ("Puente de {}", "Historia de {}", "Estación de {}", "{} (río)"),
            ("errata", "nueva fuente", "/* Historia */ más breve", "ortografía"),
        ),
        "jawiki": Wiki(
            0.05, "JP", ("{}駅", "{}川", "{}の歴史", "{}城"), ("誤字", "出典を追加", "/* 歴史 */ 整理", "内部リンク")
        ),
        "itwiki": Wiki(
            0.04, "IT", ("Ponte di {}", "Storia di {}", "Stazione di {}"), ("refuso", "fonte", "/* Storia */ sintesi")
        ),
        "plwiki": Wiki(
            0.03, "PL", ("Most w {}", "Historia {}", "Zamek {}"), ("literówka", "dodano źródło", "/* Historia */ skrót")
        ),
        "ptwiki": Wiki(
            0.03,
            "BR BR PT",
            ("Ponte de {}", "História de {}", "Rio {}"),
            ("ortografia", "fonte", "/* História */ ajuste"),
        ),
        "ukwiki": Wiki(
            0.02, "UA", ("Міст {}", "Історія {}", "Річка {}"), ("помилка", "джерело", "/* Історія */ стисло")
        ),
        "fiwiki": Wiki(0.01, "FI", ("{}n silta", "{}n historia", "{} (joki)"), ("kirjoitusvirhe", "lähde lisätty")),
    }
)
PLACES = (
    *("Alvermoor", "Brundeholm", "Cindrel", "Dravenna", "Eskerby", "Fellorne", "Gantrova", "Hollinquay", "Ibridd"),
    *("Jorvenna", "Kestrelow", "Lumarra", "Merrowick", "Nirova", "Ostrandel", "Pellimore", "Quarnholt", "Rusalmo"),
    *("Sornvale", "Tarnquist", "Ulverdam", "Velmora", "Wyndrith", "Yarrowmede", "Zellingar"),
)
# Two to a country, so that a map has points and not one a country.
CITIES = MappingProxyType(
    {
        "AR": (("Buenos Aires", -34.60, -58.38), ("Córdoba", -31.42, -64.18)),
        "AT": (("Vienna", 48.21, 16.37), ("Graz", 47.07, 15.44)),
        "AU": (("Sydney", -33.87, 151.21), ("Perth", -31.95, 115.86)),
        "BR": (("São Paulo", -23.55, -46.63), ("Recife", -8.05, -34.88)),
        "CA": (("Toronto", 43.65, -79.38), ("Montréal", 45.50, -73.57)),
        "CH": (("Zürich", 47.38, 8.54), ("Geneva", 46.20, 6.14)),
        "DE": (("Berlin", 52.52, 13.40), ("Munich", 48.14, 11.58)),
        "ES": (("Madrid", 40.42, -3.70), ("Seville", 37.39, -5.98)),
        "FI": (("Helsinki", 60.17, 24.94), ("Oulu", 65.01, 25.47)),
        "FR": (("Paris", 48.86, 2.35), ("Lyon", 45.76, 4.84)),
        "GB": (("London", 51.51, -0.13), ("Leeds", 53.80, -1.55)),
        "IN": (("Mumbai", 19.08, 72.88), ("Bengaluru", 12.97, 77.59)),
        "IT": (("Rome", 41.90, 12.50), ("Turin", 45.07, 7.69)),
        "JP": (("Tokyo", 35.68, 139.69), ("Sapporo", 43.06, 141.35)),
        "MX": (("Mexico City", 19.43, -99.13), ("Mérida", 20.97, -89.62)),
        "PL": (("Warsaw", 52.23, 21.01), ("Gdańsk", 54.35, 18.65)),
        "PT": (("Lisbon", 38.72, -9.14), ("Porto", 41.15, -8.61)),
        "UA": (("Kyiv", 50.45, 30.52), ("Lviv", 49.84, 24.03)),
        "US": (("Chicago", 41.88, -87.63), ("Denver", 39.74, -104.99)),
    }
)
BOTS = ("TidyBot", "LinkSweepBot", "DateFormBot", "CategoryBot")
USERS = tuple(
    f"{first}{last}"
    for first in ("Quiet", "Amber", "Paper", "Night", "Salt", "Clever", "Maple", "Iron", "Lucky", "Plain")
    for last in ("Otter", "Reader", "Compass", "Lantern", "Wren", "Gardener", "Scribe", "Fox", "Walker", "Owl")
)
ERROR_PAGE = "<html><head><title>502 Bad Gateway</title></head><body>The collector is restarting.</body></html>"


class Edit(NamedTuple):
    """What somebody does to a page; ``undoes`` names the user whose edit it takes back."""

    at: int
    wiki: str
    title: str
    user: str
    undoes: str = ""
    planted: bool = False


class Quarrel(NamedTuple):
    """Who undo each other on a page, from which second after the start, how often and how far apart at least."""

    wiki: str
    title: str
    users: tuple[str, ...]
    start: int
    undos: int
    pause: int


# Six wars: two users, four undos or more within ten minutes. All but the first and the third lie across a full ten.
WARS = (
    Quarrel("enwiki", "Cindrel Bridge", ("SaltFox", "PaperOwl"), 12 * MINUTE + 20, 6, 70),
    Quarrel("enwiki", "Battle of Velmora", ("IronScribe", "AmberWren"), 25 * MINUTE, 5, 85),
    Quarrel("dewiki", "Schloss Sornvale", ("LuckyWalker", "NightReader"), 42 * MINUTE + 5, 5, 75),
    Quarrel("enwiki", "List of mills in Lumarra", ("MapleOtter", "203.0.113.77"), 55 * MINUTE + 40, 5, 80),
    Quarrel("frwiki", "Pont de Tarnquist", ("CleverCompass", "PlainLantern"), 66 * MINUTE + 10, 4, 70),
    Quarrel("enwiki", "Cindrel Bridge", ("SaltFox", "PaperOwl"), 84 * MINUTE + 15, 5, 90),
)
# Three quarrels in which eleven minutes or more lie between two undos.
SLOW = (
    Quarrel("enwiki", "History of Nirova", ("QuietGardener", "AmberFox"), 4 * MINUTE, 5, 11 * MINUTE),
    Quarrel("eswiki", "Puente de Merrowick", ("SaltScribe", "LuckyOwl"), 8 * MINUTE, 4, 12 * MINUTE),
    Quarrel("enwiki", "Hollinquay railway station", ("PaperWalker", "IronReader"), 38 * MINUTE, 5, 11 * MINUTE),
)
# Five of which each has one undo of either side, and that is all.
SHORT = tuple(
    Quarrel("enwiki", f"{place} (novel)", users, minute * MINUTE, 2, 60)
    for place, users, minute in (
        ("Alvermoor", ("QuietOwl", "NightFox"), 6),
        ("Gantrova", ("AmberScribe", "PlainWren"), 19),
        ("Ibridd", ("MapleReader", "SaltLantern"), 47),
        ("Quarnholt", ("CleverWren", "IronWalker"), 61),
        ("Zellingar", ("LuckyFox", "PaperScribe"), 92),
    )
)
# On two pages a bot undoes what ever another visitor does.
GUARDED = (("enwiki", "List of mills in Eskerby", 15 * MINUTE), ("enwiki", "History of Rusalmo", 78 * MINUTE))
VISITORS = 6


def generate(directory: Path) -> None:
    """Write the messages below `directory`, a file for each ten minutes in which they arrive.

    The same seed always gives the same bytes.

    Parameters
    ----------
    directory : Path
        An existing, empty folder; gets `edits/part-00.json` to `part-09.json`.
    """
    rng = np.random.default_rng(SEED)
    edits = sorted([*_planted(rng), *_ordinary(rng)], key=lambda edit: edit.at)
    rows = [(edit, row) for edit, row in zip(edits, _rows(rng, edits), strict=True) if not _in_gap(edit.at)]
    _write(directory / "edits", _sent(rng, rows))


def _planted(rng: np.random.Generator) -> list[Edit]:
    """Return wars, and what looks like one: a page of them is nobody else's."""
    edits: list[Edit] = []
    for quarrel in (*WARS, *SLOW, *SHORT):
        at = START + quarrel.start
        edits.append(Edit(at, quarrel.wiki, quarrel.title, quarrel.users[0], planted=True))
        for n in range(quarrel.undos):
            at += quarrel.pause + int(rng.integers(0, 20))
            user, other = quarrel.users[(n + 1) % 2], quarrel.users[n % 2]
            edits.append(Edit(at, quarrel.wiki, quarrel.title, user, other, planted=True))
    for wiki, title, start in GUARDED:
        for n in range(VISITORS):
            at, visitor = START + start + n * 80 + int(rng.integers(20)), f"198.51.100.{11 + 7 * n}"
            edits.append(Edit(at, wiki, title, visitor, planted=True))
            edits.append(Edit(at + int(rng.integers(5, 25)), wiki, title, BOTS[0], visitor, planted=True))
    return edits


def _ordinary(rng: np.random.Generator) -> list[Edit]:
    """Return the other edits; now and then one takes back the edit before it on its page, as anybody may."""
    names = list(WIKIS)
    shares = [wiki.share for wiki in WIKIS.values()]
    taken = {(quarrel.wiki, quarrel.title) for quarrel in (*WARS, *SLOW, *SHORT)} | {page[:2] for page in GUARDED}
    last: dict[tuple[str, str], str] = {}
    edits: list[Edit] = []
    for at in sorted(rng.integers(0, SECONDS - 5, EDITS).tolist()):
        wiki = names[rng.choice(len(names), p=shares)]
        title = _one(rng, WIKIS[wiki].titles).format(_one(rng, PLACES))
        if (wiki, title) in taken:
            title = _one(rng, PLACES)
        user, before = _editor(rng), last.get((wiki, title), "")
        undoes = before if before not in ("", user) and rng.random() < UNDONE else ""
        # Whoever was undone is not the next to undo: two ordinary people never begin a quarrel.
        last[wiki, title] = "" if undoes else user
        edits.append(Edit(START + at, wiki, title, user, undoes))
    return edits


def _editor(rng: np.random.Generator) -> str:
    kind = rng.random()
    if kind < ANONYMOUS:  # addresses that are kept for documentation
        return f"{_one(rng, ('192.0.2', '198.51.100', '203.0.113'))}.{rng.integers(100, 255)}"
    return _one(rng, BOTS) if kind < ANONYMOUS + BOT else _one(rng, USERS)


def _rows(rng: np.random.Generator, edits: Iterable[Edit]) -> Iterable[Row]:
    """Yield each edit as an event: revisions count up in a wiki, and an undo gives a page the length from before."""
    revisions = {wiki: 1_000_000 * (n + 1) for n, wiki in enumerate(WIKIS)}
    pages: dict[tuple[str, str], tuple[int, int, int]] = {}  # the last revision, its length, and the length before it
    for count, edit in enumerate(edits):
        page = (edit.wiki, edit.title)
        is_new = page not in pages and not edit.planted and rng.random() < NEW
        revisions[edit.wiki] += int(rng.integers(1, 4))
        old, length, before = pages.get(page, (revisions[edit.wiki] - 400_000, int(rng.integers(900, 40_000)), 0))
        longer = before if edit.undoes and before else max(100, length + int(rng.normal(30, 160)))
        pages[page] = (revisions[edit.wiki], longer, 0 if is_new else length)
        yield _event(rng, edit, 90_000_001 + count, (old, revisions[edit.wiki]), (length, longer), is_new)


def _event(
    rng: np.random.Generator, edit: Edit, number: int, revision: tuple[int, int], length: tuple[int, int], is_new: bool
) -> Row:
    server = f"{edit.wiki.removesuffix('wiki')}.wikipedia.org"
    comment = _one(rng, WIKIS[edit.wiki].comments)
    row = {
        "meta": {"id": str(UUID(bytes=rng.bytes(16), version=4)), "dt": _stamp(edit.at), "domain": server},
        "id": number,
        "type": "new" if is_new else "edit",
        "namespace": 0,
        "title": edit.title,
        "comment": f"Undid revision {revision[0]} by {edit.undoes}" if edit.undoes else "" if is_new else comment,
        "timestamp": edit.at,
        "user": edit.user,
        "bot": edit.user in BOTS,
        "minor": not edit.undoes and not is_new and bool(rng.random() < MINOR),
        "length": {"new": length[1]} if is_new else {"old": length[0], "new": length[1]},
        "revision": {"new": revision[1]} if is_new else {"old": revision[0], "new": revision[1]},
        "server_name": server,
        "wiki": edit.wiki,
    }
    return row | ({"geo": _place(edit)} if edit.user[0].isdigit() else {})


def _place(edit: Edit) -> Row:
    """Return where an address is: the same one of a wiki always at the same place."""
    number = int(edit.user.rpartition(".")[2])
    countries = WIKIS[edit.wiki].countries.split()
    country = countries[number % len(countries)]
    city, latitude, longitude = CITIES[country][number // 7 % 2]
    return {"country": country, "city": city, "lat": latitude, "lon": longitude}


class Sending(NamedTuple):
    """How an event is handed on: how many seconds late, after how many once more, and what is broken about it."""

    late: int = 0
    again: int = 0
    broken: str = ""


class Message(NamedTuple):
    """A message, and when it arrives, in milliseconds."""

    arrives: int
    wiki: str
    collector: str
    value: str | None


def _sent(rng: np.random.Generator, rows: list[tuple[Edit, Row]]) -> list[Message]:
    """Return what arrives, in order: most events once and within three seconds."""
    sendings = _sendings(rng, [edit for edit, _row in rows])
    messages: list[Message] = []
    for edit, row in rows:
        sending = sendings.get(edit, Sending())
        arrives = (edit.at + sending.late) * 1000 + int(rng.integers(150, 3_000))
        collector, other = ("a", "b") if rng.random() < 0.5 else ("b", "a")
        value = _value(rng, row, sending.broken)
        messages.append(Message(_after_gap(arrives), edit.wiki, collector, value))
        if sending.again:
            messages.append(Message(_after_gap(arrives + sending.again * 1000), edit.wiki, other, value))
    return sorted(messages, key=lambda message: message.arrives)


def _sendings(rng: np.random.Generator, edits: list[Edit]) -> dict[Edit, Sending]:
    """Return what is special about which events: about none two things, and of the planted ones only about two wars."""
    pool = [edits[i] for i in rng.permutation(len(edits)) if not edits[i].planted]
    late, pool = _take(pool, LATE, 42 * MINUTE)
    late_doubles, pool = _take(pool, LATE_DOUBLES, 42 * MINUTE)
    doubles, pool = _take(pool, DOUBLES - 1, 3 * MINUTE)
    found = {edit: Sending(late=int(rng.integers(15 * MINUTE, 40 * MINUTE))) for edit in late}
    found |= {edit: Sending(again=int(rng.integers(20 * MINUTE, 40 * MINUTE))) for edit in late_doubles}
    found |= {edit: Sending(again=int(rng.integers(2, 2 * MINUTE))) for edit in doubles}
    for kind, count in BROKEN.items():
        broken, pool = _take(pool, count, MINUTE)
        found |= {edit: Sending(broken=kind) for edit in broken}
    # Of one war a message arrives after the two that follow it, of another one comes twice.
    found[[edit for edit in edits if _is_of(edit, WARS[3])][3]] = Sending(late=4 * MINUTE)
    found[[edit for edit in edits if _is_of(edit, WARS[4])][2]] = Sending(again=30)
    return found


def _take(pool: list[Edit], count: int, before_the_end: int) -> tuple[list[Edit], list[Edit]]:
    """Return the first `count` edits that are so many seconds before the end, and the rest."""
    taken = [edit for edit in pool if edit.at < START + SECONDS - before_the_end][:count]
    of_those = set(taken)
    return taken, [edit for edit in pool if edit not in of_those]


def _is_of(edit: Edit, quarrel: Quarrel) -> bool:
    """Whether an edit is one of a war; two wars are fought on the same page, at different times."""
    begins = START + quarrel.start
    return edit.planted and edit.title == quarrel.title and begins <= edit.at < begins + 15 * MINUTE


def _value(rng: np.random.Generator, row: Row, broken: str) -> str | None:
    """Return an event as text, with what is broken about it."""
    if broken == "no value":
        return None
    if broken == "error page":
        return ERROR_PAGE
    if broken == "no time":
        row = row | {"meta": row["meta"] | {"dt": None}, "timestamp": None}
    text = _json(row)
    return text[: rng.integers(len(text) // 3, len(text) * 4 // 5)] if broken == "cut off" else text


def _in_gap(at: int) -> bool:
    return any(begin * MINUTE <= at - START < end * MINUTE for begin, end in GAPS)


def _after_gap(arrives: int) -> int:
    """Return when something arrives that would in a gap: as soon as the collectors are back."""
    for begin, end in GAPS:
        if begin * MINUTE * 1000 <= arrives - START * 1000 < end * MINUTE * 1000:
            return (START + end * MINUTE) * 1000 + (arrives - (START + begin * MINUTE) * 1000) % 5_000
    return arrives


def _write(folder: Path, messages: list[Message]) -> None:
    """Write a file for each ten minutes, a message a line."""
    parts: list[list[str]] = [[] for _ in range(FILE_COUNT)]
    for message in messages:
        parts[(message.arrives // 1000 - START) // A_FILE].append(_line(message))
    folder.mkdir()
    for part, lines in enumerate(parts):
        (folder / f"part-{part:02}.json").write_bytes("".join(lines).encode("utf-8"))


def _line(message: Message) -> str:
    """Return a message as a line of its file; its value is text, which need not be JSON."""
    headers = {"schema": "recentchange/1.0.0", "collector": message.collector}
    row = {"timestamp": message.arrives, "key": message.wiki, "headers": headers, "value": message.value}
    return _json(row) + "\n"


def _one(rng: np.random.Generator, values: tuple[T, ...] | list[T]) -> T:
    """Return one of the values."""
    return values[rng.integers(len(values))]


def _json(row: Row) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def _stamp(at: int) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"
