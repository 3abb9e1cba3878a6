"""Ten days of an online shop: its customers and how they change, orders, what becomes of them, and clicks.

The shop is simulated as it really was: who was a customer when, what was ordered. Only then is each line given the
moment at which it *arrives*, and some are repeated, delayed or broken on the way. So the right answer is known, and
no row has two imperfections.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np

SEED = 20250303
START = int(datetime(2025, 3, 3, tzinfo=UTC).timestamp())
DAYS = 10
HOUR, DAY = 3_600, 86_400
END = START + DAYS * DAY

CUSTOMERS = 150  # in the snapshot
NAMES_WITH_COMMA = 7
INSERTS_A_DAY, UPDATES_A_DAY = 5, 19
DELETE_ON = (2, 3, 4, 5, 6, 7)  # days, counted from 0
REPEATED = 12
OUT_OF_ORDER = 10
UPDATE_AFTER_DELETE = 2  # of those

ORDERS_A_DAY = (114, 108, 117, 121, 133, 152, 146, 111, 116, 122)
PRODUCTS = 40
UNREPAIRED = 3
PAID_LATE, NEVER_PAID = 40, 104
SESSIONS_A_DAY = 62
PAUSE = 40 * 60  # between two sessions of a customer, at least: no query may take them for one

OPEN = range(7, 23)  # the hours in which anybody clicks or orders: more at noon, most in the evening
BUSY = np.array((2, 3, 4, 5, 6, 8, 7, 5, 5, 5, 6, 8, 10, 12, 9, 5)) / 100

# How many orders of each kind; the bad ones are those that a lesson has to set aside.
BAD = MappingProxyType({"unreadable": 9, "bad quantity": 11, "no customer": 10, "unknown customer": 8, "bad time": 13})
KINDS = MappingProxyType({"late": 14, "duplicate": 14, "coupon": 152, **BAD})

# What lies below the dataset's folder: its schema as Spark DDL, how many files, how many rows.
_ORDER_FIELDS = (
    "order_id LONG, customer_id INT, ordered_at TIMESTAMP, channel STRING, "
    "items ARRAY<STRUCT<sku: STRING, quantity: INT, price: DOUBLE>>, coupon STRING"
)
FIELDS = MappingProxyType(
    {
        "customers.csv": "customer_id INT, name STRING, email STRING, country STRING, city STRING, segment STRING, "
        "updated_at TIMESTAMP",
        "customer-changes": "sequence LONG, operation STRING, customer_id INT, name STRING, email STRING, "
        "country STRING, city STRING, segment STRING, changed_at TIMESTAMP",
        "orders": _ORDER_FIELDS,
        "orders-repaired.json": _ORDER_FIELDS,
        "order-statuses": "order_id LONG, status STRING, changed_at TIMESTAMP",
        "clickstream": "event_time TIMESTAMP, session_id STRING, customer_id INT, action STRING, sku STRING",
    }
)
FILES = MappingProxyType(
    {
        "customers.csv": 1,
        "customer-changes": DAYS,
        "orders": DAYS,
        "orders-repaired.json": 1,
        "order-statuses": DAYS,
        "clickstream": DAYS * len(OPEN),
    }
)
ROWS = MappingProxyType(
    {
        "customers.csv": CUSTOMERS,
        "customer-changes": DAYS * (INSERTS_A_DAY + UPDATES_A_DAY) + len(DELETE_ON) + REPEATED,
        "orders": sum(ORDERS_A_DAY) + KINDS["duplicate"],
        "orders-repaired.json": sum(BAD.values()) - UNREPAIRED,
        "order-statuses": 2_942,
        "clickstream": 3_809,
    }
)


class Country(NamedTuple):
    """What people and towns are called in a country."""

    first: tuple[str, ...]
    last: tuple[str, ...]
    cities: tuple[str, ...]


COUNTRIES = MappingProxyType(
    {
        "DE": Country(
            ("Anke", "Götz", "Jürgen", "Käthe", "Miriam", "Sabine", "Torsten", "Uwe"),
            ("Bäcker", "Hofmann", "Krüger", "Lange", "Schuster", "Vogt", "Weiß", "Zeller"),
            ("Bremen", "Dresden", "Köln", "Mainz"),
        ),
        "ES": Country(
            ("Álvaro", "Begoña", "Carmen", "Íñigo", "Joaquín", "Lucía", "Marta", "Pablo"),
            ("Castro", "Gómez", "Ibáñez", "Molina", "Núñez", "Ortega", "Peña", "Vidal"),
            ("Bilbao", "Cádiz", "Sevilla", "Valencia"),
        ),
        "FR": Country(
            ("Anaïs", "Benoît", "Claire", "Étienne", "François", "Hélène", "Luc", "Zoé"),
            ("Besson", "Chevalier", "Dupré", "Fabre", "Girard", "Lefèvre", "Moreau", "Renard"),
            ("Brest", "Lille", "Lyon", "Nîmes"),
        ),
        "IE": Country(
            ("Aoife", "Brendan", "Ciara", "Declan", "Fiona", "Niamh", "Oisín", "Seán"),
            ("Brennan", "Doyle", "Kavanagh", "Keane", "Murphy", "Nolan", "O'Brien", "Walsh"),
            ("Cork", "Dublin", "Galway", "Limerick"),
        ),
        "PL": Country(
            ("Agnieszka", "Beata", "Grażyna", "Kacper", "Łukasz", "Marek", "Paweł", "Zofia"),
            ("Bąk", "Dudek", "Górski", "Kowalczyk", "Lis", "Mazur", "Wójcik", "Zając"),
            ("Gdańsk", "Kraków", "Łódź", "Poznań"),
        ),
        "SE": Country(
            ("Åsa", "Björn", "Elin", "Göran", "Karin", "Nils", "Örjan", "Sofia"),
            ("Åberg", "Ekström", "Hedlund", "Lindqvist", "Nordin", "Öberg", "Sandberg", "Wallin"),
            ("Göteborg", "Lund", "Malmö", "Uppsala"),
        ),
    }
)
SEGMENTS = ("consumer", "business")
MAIL = ("example.com", "example.net", "example.org")  # reserved: nobody receives what is sent there
PLAIN = str.maketrans("äåáąàâçćéèêëęîïíłńñöóôśüúżź", "aaaaaacceeeeeiiilnnooosuuzz", "'") | {ord("ß"): "ss"}
CHANNELS = ("web", "app", "shop")
COUPONS = ("SPRING10", "WELCOME5", "FREESHIP")

T = TypeVar("T")
Row = dict[str, Any]
Line = tuple[int, str]  # when it arrives, and its text


class Customer(NamedTuple):
    """The columns of a customer, as the shop's database has them."""

    customer_id: int
    name: str
    email: str
    country: str
    city: str
    segment: str


class Change(NamedTuple):
    """A change in the shop's database, and the customer after it (before it, if deleted)."""

    sequence: int
    operation: str
    customer: Customer
    at: int


class Order(NamedTuple):
    """An order as it really was."""

    order_id: int
    customer_id: int
    at: int
    channel: str
    items: tuple[tuple[str, int, float], ...]

    @property
    def day(self) -> int:
        """The day on which it was placed, counted from 0."""
        return (self.at - START) // DAY


class Membership(NamedTuple):
    """From when until when somebody is a customer."""

    since: int
    until: int


def generate(directory: Path) -> None:
    """Write all parts below `directory`.

    The same seed always gives the same bytes.

    Parameters
    ----------
    directory : Path
        An existing, empty folder; gets what is in `FIELDS`. Files are named after days, such as
        `orders/2025-03-03.json`, or partitioned, such as `clickstream/date=2025-03-03/hour=08/clicks.json`.
    """
    rng = np.random.default_rng(SEED)
    people = _people(rng)
    changes = _changes(rng, people)
    members = _members(people[:CUSTOMERS], changes)
    orders = _orders(rng, members)
    kinds = _kinds(rng, orders)
    good = [order for order in orders if kinds.get(order.order_id) not in BAD]
    _write_snapshot(rng, directory / "customers.csv", people[:CUSTOMERS])
    _write_days(directory / "customer-changes", _change_lines(rng, changes))
    _write_days(directory / "orders", _order_lines(rng, orders, kinds))
    _write(directory / "orders-repaired.json", _repaired(orders, kinds))
    _write_days(directory / "order-statuses", _status_lines(rng, good))
    _write_hours(directory / "clickstream", _click_lines(rng, members))


def _people(rng: np.random.Generator) -> list[Customer]:
    """Return everybody who ever is a customer: first those of the snapshot, then the newcomers."""
    names = {code: _names(rng, country) for code, country in COUNTRIES.items()}
    # Family name first: the comma is why CSV has quotation marks.
    turned = set(rng.permutation(CUSTOMERS)[:NAMES_WITH_COMMA].tolist())
    people = []
    for n in range(CUSTOMERS + DAYS * INSERTS_A_DAY):
        code = _one(rng, tuple(COUNTRIES))
        first, last = names[code].pop()
        name = f"{last}, {first}" if n in turned else f"{first} {last}"
        email = f"{first}.{last}".lower().translate(PLAIN) + f"@{_one(rng, MAIL)}"
        segment = SEGMENTS[int(rng.random() < 0.25)]
        people.append(Customer(1001 + n, name, email, code, _one(rng, COUNTRIES[code].cities), segment))
    return people


def _names(rng: np.random.Generator, country: Country) -> list[tuple[str, str]]:
    """Return all pairs of a first and a last name, shuffled."""
    pairs = [(first, last) for first in country.first for last in country.last]
    return [pairs[i] for i in rng.permutation(len(pairs))]


def _changes(rng: np.random.Generator, people: list[Customer]) -> list[Change]:
    """Return what happens in the shop's database, in the order in which it happens."""
    current = {customer.customer_id: customer for customer in people[:CUSTOMERS]}
    newcomers = iter(people[CUSTOMERS:])
    changes: list[Change] = []
    for at, operation in _operations(rng):
        if operation == "INSERT":
            customer = next(newcomers)
        elif operation == "UPDATE":
            customer = _updated(rng, current[_one(rng, sorted(current))])
        else:  # only who was updated before, so that the update can arrive after the deletion
            known = {change.customer.customer_id for change in changes if change.operation == "UPDATE"}
            customer = current.pop(_one(rng, sorted(known & set(current))))
        if operation != "DELETE":
            current[customer.customer_id] = customer
        changes.append(Change(80_001 + len(changes), operation, customer, at))
    return changes


def _operations(rng: np.random.Generator) -> Iterable[tuple[int, str]]:
    """Yield when each change happens and which operation it is; no two happen at once."""
    for day in range(DAYS):
        operations = ["INSERT"] * INSERTS_A_DAY + ["UPDATE"] * UPDATES_A_DAY + ["DELETE"] * (day in DELETE_ON)
        seconds = sorted(rng.permutation(len(OPEN) * HOUR)[: len(operations)].tolist())
        for second, i in zip(seconds, rng.permutation(len(operations)), strict=True):
            yield START + day * DAY + OPEN[0] * HOUR + second, operations[i]


def _updated(rng: np.random.Generator, customer: Customer) -> Customer:
    """Return the customer with a new city, country and city, e-mail address or segment."""
    what = rng.random()
    if what < 0.6:
        code = customer.country if what < 0.35 else _one(rng, sorted(set(COUNTRIES) - {customer.country}))
        city = _one(rng, sorted(set(COUNTRIES[code].cities) - {customer.city}))
        return customer._replace(country=code, city=city)
    if what < 0.8:
        user, _, host = customer.email.partition("@")
        return customer._replace(email=f"{user}@{_one(rng, sorted(set(MAIL) - {host}))}")
    return customer._replace(segment=SEGMENTS[customer.segment == SEGMENTS[0]])


def _members(snapshot: list[Customer], changes: list[Change]) -> dict[int, Membership]:
    """Return from when until when each person is a customer."""
    members = {customer.customer_id: Membership(0, END) for customer in snapshot}
    for _, operation, customer, at in changes:
        if operation == "INSERT":
            members[customer.customer_id] = Membership(at, END)
        elif operation == "DELETE":
            members[customer.customer_id] = members[customer.customer_id]._replace(until=at)
    return members


def _change_lines(rng: np.random.Generator, changes: list[Change]) -> list[Line]:
    """Return the change events: most arrive at once, some are overtaken, some arrive twice."""
    histories: dict[int, list[Change]] = {}
    for change in changes:
        histories.setdefault(change.customer.customer_id, []).append(change)
    shuffled = [list(histories.values())[i] for i in rng.permutation(len(histories))]
    # Whatever goes wrong, a later file must exist, and nothing that happens later may hide it.
    shuffled = [history for history in shuffled if history[-1].at < END - DAY]
    overtaken = _overtaken(shuffled, "DELETE", UPDATE_AFTER_DELETE)
    overtaken += _overtaken(shuffled, "UPDATE", OUT_OF_ORDER - UPDATE_AFTER_DELETE)
    arrival = {older.sequence: _on_a_later_day(rng, newer.at) for older, newer in overtaken}
    lines = [(arrival.get(change.sequence, change.at), _change_text(change)) for change in changes]
    last = [history[-1] for history in shuffled if history[-2:] not in overtaken][:REPEATED]
    for n, change in enumerate(last):
        again = _later_that_day(rng, change.at) if n < REPEATED // 2 else _on_a_later_day(rng, change.at)
        lines.append((again, _change_text(change)))
    return lines


def _overtaken(histories: list[list[Change]], by: str, count: int) -> list[list[Change]]:
    """Return the last two changes of `count` customers, an update and then the given operation."""
    return [h[-2:] for h in histories if [change.operation for change in h[-2:]] == ["UPDATE", by]][:count]


def _change_text(change: Change) -> str:
    """Return a change event; a deletion says no more than who was deleted."""
    columns = change.customer._asdict()
    if change.operation == "DELETE":
        columns = dict.fromkeys(columns) | {"customer_id": change.customer.customer_id}
    return _json({"sequence": change.sequence, "operation": change.operation, **columns, "changed_at": _iso(change.at)})


def _orders(rng: np.random.Generator, members: dict[int, Membership]) -> list[Order]:
    """Return all orders in the order in which they were placed."""
    # Prices are in cents until they are written.
    euros, cents = rng.integers(2, 150, PRODUCTS), rng.choice((0, 49, 90, 95), PRODUCTS)
    catalogue = [(_sku(n), int(100 * euros[n] + cents[n]) / 100) for n in range(PRODUCTS)]
    orders: list[Order] = []
    for day, count in enumerate(ORDERS_A_DAY):
        for at in sorted(_moments(rng, day, count)):
            customer_id = _someone(rng, [who for who, (since, until) in members.items() if since < at < until])
            channel = CHANNELS[rng.choice(3, p=(0.5, 0.35, 0.15))]
            orders.append(Order(500_001 + len(orders), customer_id, at, channel, _basket(rng, catalogue)))
    return orders


def _basket(rng: np.random.Generator, catalogue: list[tuple[str, float]]) -> tuple[tuple[str, int, float], ...]:
    """Return one to four different products: sku, quantity and price."""
    products = rng.permutation(PRODUCTS)[: rng.choice((1, 2, 3, 4), p=(0.4, 0.3, 0.2, 0.1))]
    quantities = rng.choice((1, 2, 3, 5), products.size, p=(0.7, 0.18, 0.08, 0.04)).tolist()
    return tuple((catalogue[n][0], quantity, catalogue[n][1]) for n, quantity in zip(products, quantities, strict=True))


def _kinds(rng: np.random.Generator, orders: list[Order]) -> dict[int, str]:
    """Return which orders are not like the others, by number; none is of two kinds."""
    # Not the very first: it is what everybody looks at, so it is an order like most others.
    pool = [orders[1 + i] for i in rng.permutation(len(orders) - 1)]
    evening = START + 21 * HOUR
    fits = {
        "late": lambda order: order.day < DAYS - 1 and order.at - order.day * DAY >= evening,
        "duplicate": lambda order: order.day < DAYS - 1,
        "coupon": lambda order: order.day >= 5,
    }
    kinds: dict[int, str] = {}
    for kind, count in KINDS.items():
        free = [order for order in pool if order.order_id not in kinds and (kind not in fits or fits[kind](order))]
        kinds |= {order.order_id: kind for order in free[:count]}
    return kinds


def _order_lines(rng: np.random.Generator, orders: list[Order], kinds: dict[int, str]) -> list[Line]:
    """Return the orders as they arrive."""
    lines: list[Line] = []
    for order in orders:
        kind = kinds.get(order.order_id)
        text = _order_text(rng, order, kind)
        # In the night after, before anybody else orders.
        late = START + (order.day + 1) * DAY + int(rng.integers(60, 6 * HOUR))
        lines.append((late if kind == "late" else order.at, text))
    twice = [order for order in orders if kinds.get(order.order_id) == "duplicate"]
    for n, order in enumerate(twice):
        again = _on_a_later_day(rng, order.at, days=1) if n % 2 else _later_that_day(rng, order.at)
        lines.append((again, _order_text(rng, order, None)))
    return lines


def _order_text(rng: np.random.Generator, order: Order, kind: str | None) -> str:
    """Return an order with what is special about its kind."""
    row = _order_row(order)
    items: list[Row] = row["items"]
    if kind == "coupon":
        row["coupon"] = _one(rng, COUPONS)
    elif kind == "bad quantity":
        items[rng.integers(len(items))]["quantity"] = int(rng.integers(-3, 1))
    elif kind == "no customer":
        row["customer_id"] = None
    elif kind == "unknown customer":
        row["customer_id"] = int(rng.integers(9_001, 10_000))
    elif kind == "bad time":
        row["ordered_at"] = f"{datetime.fromtimestamp(order.at, UTC):%d/%m/%Y %H:%M}"
    text = _json(row)
    if kind == "unreadable":  # after its number, which is how it can be repaired
        return text[: rng.integers(len(text) // 3, len(text) * 4 // 5)] + "\n"
    return text


def _order_row(order: Order) -> Row:
    """Return an order as it should be."""
    items = [dict(zip(("sku", "quantity", "price"), item, strict=True)) for item in order.items]
    return {
        "order_id": order.order_id,
        "customer_id": order.customer_id,
        "ordered_at": _iso(order.at),
        "channel": order.channel,
        "items": items,
    }


def _repaired(orders: list[Order], kinds: dict[int, str]) -> list[str]:
    """Return the bad orders as they should be, but for the last few without a customer."""
    nobody = [order.order_id for order in orders if kinds.get(order.order_id) == "no customer"]
    bad = [order for order in orders if kinds.get(order.order_id) in BAD]
    return [_json(_order_row(order)) for order in bad if order.order_id not in nobody[-UNREPAIRED:]]


def _status_lines(rng: np.random.Generator, orders: list[Order]) -> list[Line]:
    """Return what becomes of the orders, as far as it happens before `END`."""
    shuffled = [orders[i] for i in rng.permutation(len(orders))]
    unpaid = shuffled[:NEVER_PAID]
    slow = [order for order in shuffled[NEVER_PAID:] if order.day < DAYS - 1][:PAID_LATE]
    statuses = []
    for order in orders:
        if order in unpaid:
            statuses.append((order.at + DAY, order.order_id, "cancelled"))
            continue
        low, high = (70, 170) if order in slow else (1, 50)
        paid = order.at + int(rng.integers(low * 60, high * 60 + 1))
        shipped = paid + int(rng.integers(4 * HOUR, 30 * HOUR))
        delivered = shipped + int(rng.integers(DAY, 3 * DAY))
        times = (("paid", paid), ("shipped", shipped), ("delivered", delivered))
        statuses += [(at, order.order_id, status) for status, at in times]
    return [
        (at, _json({"order_id": order_id, "status": status, "changed_at": _iso(at)}))
        for at, order_id, status in sorted(statuses)
        if at < END
    ]


def _click_lines(rng: np.random.Generator, members: dict[int, Membership]) -> list[Line]:
    """Return the clicks of all sessions; the sessions of a customer are far apart."""
    lines: list[Line] = []
    seen: dict[int, int] = {}
    for times in _sessions(rng):
        customer_id = None
        if rng.random() < 0.65:
            free = [
                who
                for who, (since, until) in members.items()
                if since < times[0] and times[-1] < until and times[0] - seen.get(who, 0) > PAUSE
            ]
            customer_id = _someone(rng, free)
            seen[customer_id] = times[-1]
        session = {"session_id": f"{rng.integers(2**40):010x}", "customer_id": customer_id}
        for at, (action, sku) in zip(times, _visit(rng, len(times)), strict=True):
            lines.append((at, _json({"event_time": _iso(at), **session, "action": action, "sku": sku})))
    return lines


def _sessions(rng: np.random.Generator) -> list[list[int]]:
    """Return the times of the clicks of each session, ordered by when the session starts."""
    sessions = []
    for day in range(DAYS):
        for start in _moments(rng, day, SESSIONS_A_DAY):
            offsets = _pace(rng)
            closing = START + day * DAY + OPEN.stop * HOUR - 1
            sessions.append([min(start, closing - offsets[-1]) + offset for offset in offsets])
    return sorted(sessions)


def _pace(rng: np.random.Generator) -> list[int]:
    """Return the seconds from the start of a session to each click: 2 to 25 minutes, gaps below five."""
    while True:
        offsets = np.cumsum(rng.integers(10, 300, rng.integers(2, 10))).tolist()
        if 120 <= offsets[-1] <= 1_500:
            return [0, *offsets]


def _visit(rng: np.random.Generator, clicks: int) -> list[tuple[str, str]]:
    """Return action and sku of each click: what is put into the cart was looked at, what is bought was in it."""
    visit: list[tuple[str, str]] = []
    for n in range(clicks):
        cart = [sku for action, sku in visit if action == "cart"]
        if n == clicks - 1 and cart and rng.random() < 0.6:
            visit.append(("checkout", cart[-1]))
        elif visit and visit[-1][0] == "view" and rng.random() < 0.3:
            visit.append(("cart", visit[-1][1]))
        else:
            visit.append(("view", _sku(int(rng.integers(PRODUCTS)))))
    return visit


def _moments(rng: np.random.Generator, day: int, count: int) -> list[int]:
    """Return times of a day, busy hours having more; every open hour has one at least."""
    hours = np.concatenate([OPEN, rng.choice(OPEN, count - len(OPEN), p=BUSY)])
    return (START + day * DAY + hours * HOUR + rng.integers(0, HOUR, count)).tolist()


def _later_that_day(rng: np.random.Generator, at: int) -> int:
    """Return a time between this one and midnight."""
    midnight = at - at % DAY + DAY
    return int(rng.integers(at + 1, midnight))


def _on_a_later_day(rng: np.random.Generator, at: int, days: int = 2) -> int:
    """Return a time on one of the next days."""
    midnight = at - at % DAY + DAY
    return int(rng.integers(midnight, min(midnight + days * DAY, END)))


def _someone(rng: np.random.Generator, ids: list[int]) -> int:
    """Return one of the customers; those of old come more often."""
    return ids[rng.integers(0, len(ids), 2).min()]


def _one(rng: np.random.Generator, values: Sequence[T]) -> T:
    """Return one of the values."""
    return values[rng.integers(len(values))]


def _sku(n: int) -> str:
    """Return the number of the n-th product, counted from 0."""
    return f"P-{n + 1:03}"


def _iso(second: int) -> str:
    """Return a time as ISO 8601 in UTC."""
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _json(row: Row) -> str:
    """Return a row as a line."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"


def _write_snapshot(rng: np.random.Generator, path: Path, customers: list[Customer]) -> None:
    """Write the customers as CSV with a header."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*Customer._fields, "updated_at"])
    for customer in customers:
        writer.writerow([*customer, _iso(START - int(rng.integers(1, 700 * DAY)))])
    path.write_bytes(text.getvalue().encode("utf-8"))


def _write_days(folder: Path, lines: list[Line]) -> None:
    """Write a file for each day on which a line arrives, ordered by arrival."""
    _write_files(lines, lambda at: folder / f"{_iso(at)[:10]}.json")


def _write_hours(folder: Path, lines: list[Line]) -> None:
    """Write a partition for each hour of a day, ordered by arrival."""
    _write_files(lines, lambda at: folder / f"date={_iso(at)[:10]}" / f"hour={_iso(at)[11:13]}" / "clicks.json")


def _write_files(lines: list[Line], name: Callable[[int], Path]) -> None:
    """Write each line into the file that is named after its arrival."""
    files: dict[Path, list[str]] = {}
    # Lines that arrive in the same second keep their order.
    for at, text in sorted(lines, key=lambda line: line[0]):
        files.setdefault(name(at), []).append(text)
    for path, texts in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, texts)


def _write(path: Path, texts: list[str]) -> None:
    """Write the lines, the same bytes on every system."""
    path.write_bytes("".join(texts).encode("utf-8"))
