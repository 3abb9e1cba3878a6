"""What the text formats share: blocks of records, the reading engine, and the outcome of each record."""
