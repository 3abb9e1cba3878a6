"""Plant orders and customers for the exercises of lesson 13."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox

CUSTOMER_SCHEMA = "customer_id INT, name STRING, email STRING, country STRING, city STRING, segment STRING"
SILVER_SCHEMA = (
    "order_id BIGINT, customer_id INT, country STRING, ordered_at TIMESTAMP, channel STRING, revenue DECIMAL(12, 2)"
)


def plant_customers(sandbox: Sandbox) -> None:
    """Plant the table `silver_customers` with two customers."""
    rows = [(1, "n", "e", "PT", "c", "s", 0, False), (2, "n", "e", "GR", "c", "s", 0, False)]
    sandbox.spark.sql(f"""CREATE TABLE silver_customers ({CUSTOMER_SCHEMA}, sequence LONG, left_us BOOLEAN) USING delta
        TBLPROPERTIES (delta.enableChangeDataFeed = true)""")
    sandbox.append("silver_customers", rows, f"{CUSTOMER_SCHEMA}, sequence LONG, left_us BOOLEAN")


def order_line(number: int, at: str, customer: int | None = 1, quantity: int = 2) -> str:
    """Return the line of an order."""
    items = [{"sku": "P-1", "quantity": quantity, "price": 3.5}]
    order = {"order_id": number, "customer_id": customer, "ordered_at": at, "channel": "web", "items": items}
    return json.dumps(order, separators=(",", ":"))
