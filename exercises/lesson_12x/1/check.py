"""Check exercise 12X.1, "An address without a number"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_12.customers import CUSTOMER_SCHEMA

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake, NotTried

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox

#: Customers, with the address that each has now; the last one does not leave.
_NOW = ((1006, "ann@new"), (1027, "bob@only"), (1050, "eve@stays"))
#: Addresses of before.
_EVENTS = ((1006, "ann@old"), (1006, "ann@new"), (1050, "eve@old"), (1027, None), (1090, "deleted@long-ago"))
_LEAVING = "customer_id INT"


def check(attempt: Attempt) -> None:
    """Check what is left of the two customers; the hidden test calls the function with others."""
    function = attempt.value("erase_everywhere")
    if not callable(function):
        raise Mistake("`erase_everywhere` is not a function.")
    events = attempt.table("events").where("customer_id IN (1006, 1027)").count()
    before = attempt.spark.sql("SELECT * FROM newsletter VERSION AS OF 0")
    is_unchanged = attempt.table("newsletter").count() == before.count()
    if events and is_unchanged:
        raise NotTried
    if events:
        raise Mistake("`events` still has rows of the customers: erase them there and in `customers`, as `erase` does.")
    if is_unchanged:
        raise Mistake("`newsletter` still has all its rows. After `erase`, no table says which addresses they had.")


def _shop(sandbox: Sandbox) -> None:
    """Plant customers, their older addresses, and subscriptions with both."""
    people = [(number, "name", email, "PT", "Lisbon", "consumer", 1, False) for number, email in _NOW]
    sandbox.append("customers", people, f"{CUSTOMER_SCHEMA}, sequence LONG, deleted BOOLEAN")
    events = [(1, "UPDATE", number, "name", email, "PT", "Lisbon", "consumer", None) for number, email in _EVENTS]
    sandbox.append("events", events, f"sequence LONG, operation STRING, {CUSTOMER_SCHEMA}, changed_at TIMESTAMP")
    emails = {email for _number, email in (*_NOW, *_EVENTS) if email}
    sandbox.append("newsletter", [(email,) for email in sorted(emails)] + [("unknown@to-the-shop",)], "email STRING")


def _again(sandbox: Sandbox) -> None:
    """Call the function with the same batch once more, and with a customer twice, and one whom no table has."""
    erase_everywhere = sandbox.value("erase_everywhere")
    erase_everywhere(sandbox.frame([(1006,), (1027,)], _LEAVING), 0)
    erase_everywhere(sandbox.frame([(1090,), (1090,), (4711,)], _LEAVING), 1)


MAKES = Makes(variables=("erase_everywhere",), changes=("newsletter", "events", "customers"), by_starter=True)

HIDDEN = (
    HiddenTest(
        _shop,
        ("newsletter", "customers", "events"),
        after=_again,
        above=planted.definitions_of("12X", "erase"),
        says=(
            "Your function was called with customers who have an older address, who have no event, or who are still in "
            "events only, and a second time with the same batch."
        ),
    ),
)
