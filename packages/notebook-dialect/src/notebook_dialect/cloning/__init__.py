"""``CREATE TABLE ... DEEP CLONE``: a copy of a Delta table that does not depend on its source."""
