"""Check exercise 13.1, "A first verdict"."""

from __future__ import annotations

from streaming_classroom.exercises import Attempt, Makes, Mistake, NotTried

LINES = {
    '{"order_id":1,"customer_id":2}': None,
    '{"order_id":1,"customer_id":null}': "no customer",
    '{"order_id":1}': "no customer",
    '{"order_id":1,"customer_id":': "unreadable",
    '{"customer_id":2}': "unreadable",
    "": "unreadable",
}


def check(attempt: Attempt) -> None:
    """Try the expression on lines of each kind."""
    verdict = attempt.value("VERDICT")
    if attempt.cell_error is not None:
        raise Mistake(f"Your cell raised an error: {attempt.words_of_error}")
    lines = attempt.spark.createDataFrame([(line,) for line in LINES], "value STRING")
    made = {row.value: row.reason for row in lines.selectExpr("value", f"{verdict} AS reason").collect()}
    if "no customer" not in str(verdict) and "customer_id" not in str(verdict):
        raise NotTried
    for line, reason in LINES.items():
        if made[line] == reason:
            continue
        if reason == "no customer" and made[line] is None:
            raise Mistake(f"An order without a customer passes: `{line}`.")
        said = f"`{made[line]}`" if made[line] else "nothing"
        raise Mistake(f"`VERDICT` says {said} about the line `{line}`, which is {reason or 'a good one'}.")


MAKES = Makes(variables=("VERDICT",), by_starter=True)
