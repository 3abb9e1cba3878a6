"""The columns of a customer in lesson 12."""

CUSTOMER_SCHEMA = "customer_id INT, name STRING, email STRING, country STRING, city STRING, segment STRING"
