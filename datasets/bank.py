"""Twelve hours of card payments, in the order in which they *arrive*, half an hour a file.

A terminal that gets no answer sends the same payment again, and one that is offline sends it late: what removing
duplicates and watermarks are for. Two patterns of fraud are planted, each on cards of its own. Around them the card
is silent, and nobody honest comes close to either, so a detector that is right finds these and nothing else.
"""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar

import numpy as np

SEED = 20250401
START = int(datetime(2025, 4, 1, 6, tzinfo=UTC).timestamp())
MINUTE, HOUR = 60, 3_600
SECONDS = 12 * HOUR
A_FILE = HOUR // 2
FILE_COUNT = SECONDS // A_FILE

CARDS = 60
BLOCKED = 4
TRAVELLERS = 5
FRAUDS = 6  # of each pattern, each on its own card
SMALL_PAYMENTS = 6  # before the large one

PAYMENTS = 5_780
# How many payments are sent again within minutes, by how often.
SENT_AGAIN = MappingProxyType({1: 160, 2: 28, 3: 8})
SENT_AGAIN_LATE = 20
OFFLINE = 60

# What lies below the dataset's folder: its schema as Spark DDL, how many files, how many rows.
FIELDS = MappingProxyType(
    {
        "cards.csv": "card_id INT, holder STRING, country STRING, credit_limit INT, status STRING",
        "transactions": "transaction_id STRING, card_id INT, amount DOUBLE, merchant STRING, category STRING, "
        "country STRING, event_time TIMESTAMP, received_at TIMESTAMP",
    }
)
FILES = MappingProxyType({"cards.csv": 1, "transactions": FILE_COUNT})
ROWS = MappingProxyType({"cards.csv": CARDS, "transactions": 6_094})

# Any two of these capitals are more than 1,100 km apart.
CAPITALS = MappingProxyType({"DE": "Berlin", "FI": "Helsinki", "GR": "Athens", "IE": "Dublin", "PT": "Lisbon"})
FIRST_NAMES = ("Aino", "Brigitte", "Cormac", "Duarte", "Eleni", "Ferdinand", "Gráinne", "Heikki", "Inês", "Jörg")
LAST_NAMES = ("Ferreira", "Mäkinen", "Ó Súilleabháin", "Papadakis", "Schröder", "Virtanen")


class Category(NamedTuple):
    """What is paid in a kind of shop: its share of the payments, the least and the most in cents, and the shops."""

    share: float
    least: int
    most: int
    shops: tuple[str, ...]


CATEGORIES = MappingProxyType(
    {
        "groceries": Category(0.30, 250, 12_000, ("Corner Larder", "Fresh Lane", "Green Basket", "Market Hall")),
        "restaurants": Category(0.20, 320, 14_000, ("Blue Plate", "Café Arc", "Noodle Bar", "Old Oven")),
        "transport": Category(0.16, 110, 4_000, ("City Bus", "Harbour Ferry", "Metro", "Taxi Rank")),
        "clothing": Category(0.10, 990, 30_000, ("Cotton House", "Loom", "North Coat", "Shoe Box")),
        "fuel": Category(0.08, 1_500, 11_000, ("Pump One", "Roadside", "Station Seven", "Volt Stop")),
        "health": Category(0.08, 210, 9_000, ("Apothecary", "Dental Studio", "Eyewear", "Herbal")),
        "electronics": Category(0.05, 900, 140_000, ("Circuit", "Pixel Point", "Sound Room", "Wire & Plug")),
        "travel": Category(0.03, 3_000, 160_000, ("Airline Desk", "Guest House", "Night Train", "Tour Office")),
    }
)
T = TypeVar("T")


class Card(NamedTuple):
    """A card and where its holder lives."""

    card_id: int
    holder: str
    country: str
    credit_limit: int
    status: str


class Payment(NamedTuple):
    """A payment as it is made; the amount in cents."""

    at: int
    transaction_id: str
    card_id: int
    cents: int
    merchant: str
    category: str
    country: str


def generate(directory: Path) -> None:
    """Write the cards and their transactions below `directory`.

    The same seed always gives the same bytes.

    Parameters
    ----------
    directory : Path
        An existing, empty folder; gets `cards.csv` and `transactions/part-00.json` to `part-23.json`.
    """
    rng = np.random.default_rng(SEED)
    cards = _cards(rng)
    active = [card for card in cards if card.status == "active"]
    shuffled = [active[i] for i in rng.permutation(len(active))]
    frauds = [_testing(rng, card) for card in shuffled[:FRAUDS]]
    frauds += [_two_places(rng, card) for card in shuffled[FRAUDS : 2 * FRAUDS]]
    flights = {card.card_id: _flight(rng, card) for card in shuffled[2 * FRAUDS : 2 * FRAUDS + TRAVELLERS]}
    honest = _honest(rng, shuffled, frauds, flights)
    sent = [(_soon(rng, payment), payment) for fraud in frauds for payment in fraud] + _sent(rng, honest)
    _write_cards(directory / "cards.csv", cards)
    _write_transactions(directory / "transactions", sent)


def _cards(rng: np.random.Generator) -> list[Card]:
    """Return all cards; each holder has one."""
    names = [f"{first} {last}" for first in FIRST_NAMES for last in LAST_NAMES]
    blocked = rng.permutation(CARDS)[:BLOCKED].tolist()
    return [
        Card(
            4_001 + n,
            names[i],
            _one(rng, tuple(CAPITALS)),
            int(rng.integers(2, 17)) * 500,
            "blocked" if n in blocked else "active",
        )
        for n, i in enumerate(rng.permutation(len(names))[:CARDS])
    ]


class Flight(NamedTuple):
    """When a holder leaves for another country, from when on they pay there, and where it is."""

    leaves: int
    lands: int
    country: str


def _flight(rng: np.random.Generator, card: Card) -> Flight:
    """Return an honest reason to pay in two countries: three hours or more lie between the payments."""
    leaves = START + int(rng.integers(3 * HOUR, 7 * HOUR))
    return Flight(leaves, leaves + int(rng.integers(3 * HOUR, 4 * HOUR)), _elsewhere(rng, card))


def _testing(rng: np.random.Generator, card: Card) -> list[Payment]:
    """Return a fraud: small payments find out whether a stolen card works, then comes a large one."""
    start = START + int(rng.integers(HOUR, SECONDS - HOUR))
    seconds = sorted(rng.permutation(2 * MINUTE)[:SMALL_PAYMENTS].tolist())
    shops = [(category, shop) for category, about in CATEGORIES.items() for shop in about.shops]
    small = [
        _payment(rng, start + second, card, *shops[i], card.country, int(rng.integers(50, 200)))
        for second, i in zip(seconds, rng.permutation(len(shops)), strict=False)
    ]
    at = small[-1].at + int(rng.integers(30, 3 * MINUTE))
    shop = _one(rng, CATEGORIES["electronics"].shops)
    return [*small, _payment(rng, at, card, "electronics", shop, card.country, int(rng.integers(90_100, 180_000)))]


def _two_places(rng: np.random.Generator, card: Card) -> list[Payment]:
    """Return a fraud: a copy of the card is used far away while its holder pays at home."""
    start = START + int(rng.integers(HOUR, SECONDS - HOUR))
    home = _ordinary(rng, start, card, card.country)
    return [home, _ordinary(rng, start + int(rng.integers(2 * MINUTE, 10 * MINUTE)), card, _elsewhere(rng, card))]


def _honest(
    rng: np.random.Generator, cards: list[Card], frauds: list[list[Payment]], flights: dict[int, Flight]
) -> list[Payment]:
    """Return ordinary payments: none on a card around its fraud, nor during its holder's flight."""
    silent = {fraud[0].card_id: (fraud[0].at - HOUR // 2, fraud[-1].at + HOUR // 2) for fraud in frauds}
    silent |= {card_id: flight[:2] for card_id, flight in flights.items()}
    payments: list[Payment] = []
    while len(payments) < PAYMENTS:
        # The last second of the day would arrive after it.
        card, at = _one(rng, cards), START + int(rng.integers(SECONDS - MINUTE))
        begin, end = silent.get(card.card_id, (START, START))
        if begin <= at <= end:
            continue
        flight = flights.get(card.card_id)
        country = flight.country if flight and at > flight.lands else card.country
        payments.append(_ordinary(rng, at, card, country))
    return sorted(payments)


def _ordinary(rng: np.random.Generator, at: int, card: Card, country: str) -> Payment:
    """Return a payment such as most are: far more small amounts than large ones."""
    names = list(CATEGORIES)
    category = names[rng.choice(len(names), p=[about.share for about in CATEGORIES.values()])]
    _, least, most, shops = CATEGORIES[category]
    # The product of three numbers below one is most often small.
    part = rng.random() * rng.random() * rng.random()
    return _payment(rng, at, card, category, _one(rng, shops), country, least + int((most - least) * part))


def _payment(
    rng: np.random.Generator, at: int, card: Card, category: str, shop: str, country: str, cents: int
) -> Payment:
    """Return a payment with a number of its own, at the shop's branch in the capital."""
    number = f"{rng.integers(2**48):012x}"
    return Payment(at, number, card.card_id, cents, f"{shop} {CAPITALS[country]}", category, country)


def _sent(rng: np.random.Generator, payments: list[Payment]) -> list[tuple[int, Payment]]:
    """Return when each payment arrives, once or more often; none is both late and sent again."""
    pool = [payments[i] for i in rng.permutation(len(payments))]
    # Everything must arrive before the day ends.
    offline, pool = _take(pool, OFFLINE, START + SECONDS - 92 * MINUTE)
    late_again, pool = _take(pool, SENT_AGAIN_LATE, START + SECONDS - 5 * HOUR - MINUTE)
    sent = [(_back_online(rng, payment), payment) for payment in offline]
    for payment in late_again:
        arrival = _soon(rng, payment)
        sent += [(arrival, payment), (arrival + int(rng.integers(2 * HOUR, 5 * HOUR + 1)), payment)]
    for times, count in SENT_AGAIN.items():
        again, pool = _take(pool, count, START + SECONDS - 10 * MINUTE)
        for payment in again:
            arrival = _soon(rng, payment)
            waits = rng.integers(10, 8 * MINUTE + 1, times).tolist()
            sent += [(arrival + wait, payment) for wait in [0, *waits]]
    return sent + [(_soon(rng, payment), payment) for payment in pool]


def _take(pool: list[Payment], count: int, before: int) -> tuple[list[Payment], list[Payment]]:
    """Return the first `count` payments made before a time, and the rest."""
    taken = [payment for payment in pool if payment.at < before][:count]
    return taken, [payment for payment in pool if payment not in taken]


def _soon(rng: np.random.Generator, payment: Payment) -> int:
    """Return when a payment arrives if nothing goes wrong."""
    return payment.at + int(rng.integers(1, 21))


def _back_online(rng: np.random.Generator, payment: Payment) -> int:
    """Return when a payment arrives that is late, even for who reads a file at a time."""
    while True:
        arrival = payment.at + int(rng.integers(25 * MINUTE, 90 * MINUTE + 1))
        file_begins = arrival - (arrival - START) % A_FILE
        if payment.at < file_begins - 12 * MINUTE:
            return arrival


def _elsewhere(rng: np.random.Generator, card: Card) -> str:
    """Return a country in which the holder does not live."""
    return _one(rng, tuple(country for country in CAPITALS if country != card.country))


def _one(rng: np.random.Generator, values: tuple[T, ...] | list[T]) -> T:
    """Return one of the values."""
    return values[rng.integers(len(values))]


def _write_cards(path: Path, cards: list[Card]) -> None:
    """Write the cards as CSV with a header."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([Card._fields, *cards])
    path.write_bytes(text.getvalue().encode("utf-8"))


def _write_transactions(folder: Path, sent: list[tuple[int, Payment]]) -> None:
    """Write a file for each half hour in which something arrives, ordered by arrival."""
    parts: list[list[str]] = [[] for _ in range(FILE_COUNT)]
    for arrival, payment in sorted(sent):
        parts[(arrival - START) // A_FILE].append(_line(payment, arrival))
    folder.mkdir()
    for part, lines in enumerate(parts):
        (folder / f"part-{part:02}.json").write_bytes("".join(lines).encode("utf-8"))


def _line(payment: Payment, arrival: int) -> str:
    """Return a payment that arrives as a line; in it the amount is in euros."""
    row = {
        "transaction_id": payment.transaction_id,
        "card_id": payment.card_id,
        "amount": payment.cents / 100,
        "merchant": payment.merchant,
        "category": payment.category,
        "country": payment.country,
        "event_time": _stamp(payment.at),
        "received_at": _stamp(arrival),
    }
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"


def _stamp(at: int) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"
