"""What formats of records share: blocks of files, and the way from a record to a row."""
